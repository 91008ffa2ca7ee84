"""Whether an account or a team was erased: a marker in the store that outlives everything else (P-35, section 9)."""

from oharness.protocol.errors import ErrorCode
from oharness.syncserver.keys import erased_team_key, erased_user_key
from oharness.syncserver.objects.base import Found, ObjectStore
from oharness.syncserver.refusal import RequestRefused, refused


async def refuse_erased_account(store: ObjectStore, account: str) -> None:
    """Returns when the account carries no marker.

    Raises: RequestRefused (410 account_erased), StoreUnavailable.
    """
    if isinstance(await store.read(erased_user_key(account)), Found):
        raise account_erased()


async def refuse_erased_team(store: ObjectStore, team: str) -> None:
    """Returns when the team carries no marker.

    Raises: RequestRefused (410 team_erased), StoreUnavailable.
    """
    if isinstance(await store.read(erased_team_key(team)), Found):
        raise refused(ErrorCode.TEAM_ERASED, "This team was deleted; its shared history is gone.")


def account_erased() -> RequestRefused:
    """The answer to every request of an erased account."""
    return refused(ErrorCode.ACCOUNT_ERASED, "This account was deleted; its synced data is gone.")
