"""What an access token says of its holder: account, plan and teams (decisions 10, P-11)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oharness.core.errors import Refused

AUDIENCE = "oharness-sync"
"""What tokens for the sync service name as their audience, unless an operator chooses another word."""
MAX_TEAMS = 1000
MAX_ACCOUNT_CHARS = 255


@dataclass(eq=False)
class ClaimsUnusable(Refused):
    """A signed token whose claims name no account."""

    reason: str


@dataclass(frozen=True, slots=True)
class TeamClaim:
    """One team the account is on."""

    id: str
    plan: str


@dataclass(frozen=True, slots=True)
class Claims:
    """The account (`sub`), its own plan and its teams."""

    account: str
    plan: str
    teams: tuple[TeamClaim, ...]

    @property
    def paid(self) -> bool:
        """Whether the account's own plan or that of any of its teams is a paid one."""
        return self.plan == "paid" or any(team.plan == "paid" for team in self.teams)

    def is_on_team(self, team_id: str) -> bool:
        """Whether the token lists that team."""
        return any(team.id == team_id for team in self.teams)


def read_claims(claims: Mapping[str, Any]) -> Claims:
    """What verified claims say; a token without `ent` (another issuer's) is a free account without teams.

    Raises: ClaimsUnusable for a `sub` that is no account, or an `ent` of another form.
    """
    account = claims.get("sub")
    if not isinstance(account, str) or not 0 < len(account) <= MAX_ACCOUNT_CHARS or not _is_text(account):
        raise ClaimsUnusable("sub")
    entitlements = claims.get("ent", {})
    if not isinstance(entitlements, dict):
        raise ClaimsUnusable("ent")
    return Claims(account, _plan_name(entitlements.get("plan")), _teams(entitlements.get("teams", [])))


def write_claims(claims: Claims) -> dict[str, Any]:
    """The claims of this product for a token that is to be signed; times, issuer and audience are the signer's."""
    teams = [{"id": team.id, "plan": team.plan} for team in claims.teams]
    return {"sub": claims.account, "ent": {"plan": claims.plan, "teams": teams}}


def _teams(value: object) -> tuple[TeamClaim, ...]:
    if not isinstance(value, list) or len(value) > MAX_TEAMS:
        raise ClaimsUnusable("ent.teams")
    return tuple(_team(item) for item in value)


def _team(value: object) -> TeamClaim:
    team_id = value.get("id") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(team_id, str) or not _is_text(team_id) or not team_id:
        raise ClaimsUnusable("ent.teams")
    return TeamClaim(team_id, _plan_name(value.get("plan")))


def _plan_name(value: object) -> str:
    return "paid" if value == "paid" else "free"


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in value
