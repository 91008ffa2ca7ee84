"""What operators and scripts do on the database directly: one function for each `oharness gateway admin` command."""

from collections.abc import Mapping
from typing import Any

from oharness.gateway.cloud import Cloud
from oharness.gateway.deletion import DeletionStopped, Stopped, Subject
from oharness.gateway.plans import claims_of

Document = Mapping[str, Any]


async def user_add(cloud: Cloud, email: str, password: str | None) -> Document:
    """`user add`: `{"userId"}`.

    Raises: NotAnEmail, PasswordTooShort, PasswordTooLong, PasswordIsEmail, AccountExists.
    """
    account = await cloud.accounts.add(email, password)
    return {"userId": account.id}


async def user_plan(cloud: Cloud, email: str, plan: str) -> Document:
    """`user plan`: `{"userId","plan"}`.

    Raises: NoSuchAccount.
    """
    account = await cloud.accounts.set_plan(email, plan)
    return {"userId": account.id, "plan": account.plan}


async def user_delete(cloud: Cloud, email: str) -> Document:
    """`user delete`: `{"deleted","erased"}`, both true, or an error.

    Raises: NoSuchAccount, ErasingNotConfigured, DeletionStopped.
    """
    account = await cloud.accounts.named(email)
    begun = await cloud.deletions.begin_account(account.id)
    return await _carried_through(cloud, (*begun.teams, begun.subject))


async def team_add(cloud: Cloud, name: str, owner: str) -> Document:
    """`team add`: `{"teamId"}`.

    Raises: NoSuchAccount, TeamNameUnusable, TooManyOfThem.
    """
    return {"teamId": await cloud.teams.add(name, await cloud.accounts.named(owner))}


async def team_plan(cloud: Cloud, team_id: str, plan: str) -> Document:
    """`team plan`: `{"teamId","plan"}`.

    Raises: NoSuchTeam.
    """
    await cloud.teams.set_plan(team_id, plan)
    return {"teamId": team_id, "plan": plan}


async def team_delete(cloud: Cloud, team_id: str) -> Document:
    """`team delete`: `{"deleted","erased"}`, both true, or an error.

    Raises: NoSuchTeam, ErasingNotConfigured, DeletionStopped.
    """
    return await _carried_through(cloud, (await cloud.deletions.begin_team(team_id),))


async def access_token(cloud: Cloud, email: str, minutes: int) -> Document:
    """`token`: `{"accessToken"}`.

    Raises: NoSuchAccount.
    """
    account = await cloud.accounts.named(email)
    async with cloud.database.transaction() as connection:
        claims = await claims_of(connection, account)
    return {"accessToken": await cloud.tokens.access_token(claims, minutes)}


async def deletions_resume(cloud: Cloud) -> Document:
    """`deletions resume`: `{"finished":[{"kind","id"}],"open":[{"kind","id","step","reason"}]}`."""
    outcomes = await cloud.deletions.carry_on_with_all()
    return {
        "finished": [_named(subject) for subject, outcome in outcomes.items() if not isinstance(outcome, Stopped)],
        "open": [
            {**_named(subject), "step": str(outcome.step), "reason": outcome.reason}
            for subject, outcome in outcomes.items()
            if isinstance(outcome, Stopped)
        ],
    }


async def keys_replace(cloud: Cloud) -> Document:
    """`keys replace`: `{"keyId"}`; every access token that is out stops working."""
    return {"keyId": await cloud.keys.replace_all()}


async def _carried_through(cloud: Cloud, subjects: tuple[Subject, ...]) -> Document:
    outcomes = [await cloud.deletions.carry_on(subject) for subject in subjects]
    for outcome in outcomes:
        if isinstance(outcome, Stopped):
            raise DeletionStopped(str(outcome.step), outcome.reason)
    return {"deleted": True, "erased": True}


def _named(subject: Subject) -> Document:
    return {"kind": str(subject.kind), "id": subject.id}
