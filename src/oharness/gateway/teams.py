"""Teams: who is on them, and how somebody gets there.

An owner writes down a member's e-mail address and passes on a code; the code works only in the account of that address.
Nothing of it says whether there is such an account.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from oharness.core.clock import Clock, Millis
from oharness.core.errors import NotFound, Refused, WrongUsage
from oharness.core.randomness import Randomness
from oharness.gateway.accounts import FREE, Account, Standing
from oharness.gateway.database import ACCOUNTS, INVITATIONS, MEMBERS, TEAMS, Database
from oharness.gateway.emails import normalised_email

MAX_NAME_CHARS = 60
MAX_TEAMS = 50
MAX_MEMBERS = 500
MAX_INVITATIONS = 100
INVITATION_S = 7 * 24 * 3600


class Role(StrEnum):
    """What somebody may do on a team."""

    OWNER = "owner"
    MEMBER = "member"


@dataclass(eq=False)
class TeamNameUnusable(WrongUsage):
    """A team's name is one line of 1 to `limit` characters."""

    limit: int = MAX_NAME_CHARS


@dataclass(eq=False)
class NoSuchTeam(NotFound):
    """There is no such team, or the account is not on it."""


@dataclass(eq=False)
class NoSuchInvitation(NotFound):
    """The code is mistyped, too old, used already, or meant for another e-mail address."""


@dataclass(eq=False)
class NotTheOwner(Refused):
    """Only an owner of the team may do this."""


@dataclass(eq=False)
class LastOwner(Refused):
    """A team needs an owner: the last one cannot leave while others are on it."""


@dataclass(eq=False)
class TooManyOfThem(Refused):
    """There are `limit` of these already."""

    limit: int


@dataclass(frozen=True, slots=True)
class Team:
    """A team as one of its members sees it in a list."""

    id: str
    name: str
    plan: str
    standing: Standing
    role: Role
    members: int


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody on a team."""

    account_id: str
    email: str
    role: Role


@dataclass(frozen=True, slots=True)
class Invitation:
    """A code that was given out and not used yet; the code itself is not kept."""

    id: str
    email: str
    expires_ms: Millis


@dataclass(frozen=True, slots=True)
class Roster:
    """One team with everybody on it."""

    team: Team
    members: tuple[Member, ...]
    invitations: tuple[Invitation, ...]


class Teams:
    """All teams of one database."""

    def __init__(self, database: Database, clock: Clock, randomness: Randomness) -> None:
        self._database = database
        self._clock = clock
        self._randomness = randomness

    async def add(self, name: str, owner: Account) -> str:
        """A new team on the free plan; its id.

        Raises: TeamNameUnusable, TooManyOfThem, DatabaseUnavailable.
        """
        known, now = _checked_name(name), self._clock.now_ms()
        team = {
            "id": f"t_{self._randomness.token(10)}",
            "name": known,
            "plan": FREE,
            "subscription": "active",
            "state": Standing.ACTIVE,
            "created_ms": now,
        }
        async with self._database.transaction() as connection:
            await _refuse_too_many_teams(connection, owner)
            await connection.execute(insert(TEAMS).values(team))
            await _join(connection, str(team["id"]), owner, Role.OWNER, now)
        return str(team["id"])

    async def of(self, account: Account) -> list[Team]:
        """The teams of an account, by name."""
        async with self._database.transaction() as connection:
            return await teams_of(connection, account.id)

    async def roster(self, team_id: str, account: Account) -> Roster:
        """A team that the account is on.

        Raises: NoSuchTeam, DatabaseUnavailable.
        """
        people = (
            select(ACCOUNTS.c.id, ACCOUNTS.c.email, MEMBERS.c.role)
            .join(MEMBERS, MEMBERS.c.account_id == ACCOUNTS.c.id)
            .where(MEMBERS.c.team_id == team_id)
            .order_by(MEMBERS.c.role.desc(), ACCOUNTS.c.email)
        )
        open_ones = select(INVITATIONS).where(
            INVITATIONS.c.team_id == team_id, INVITATIONS.c.expires_ms > self._clock.now_ms()
        )
        async with self._database.transaction() as connection:
            team = await _seen_by(connection, team_id, account)
            members = [Member(row.id, row.email, Role(row.role)) for row in await connection.execute(people)]
            invited = (await connection.execute(open_ones.order_by(INVITATIONS.c.email))).all()
        invitations = tuple(Invitation(row.id, row.email, row.expires_ms) for row in invited)
        return Roster(team, tuple(members), invitations if team.role is Role.OWNER else ())

    async def invite(self, team_id: str, owner: Account, email: str) -> str:
        """The code for somebody's e-mail address, good for a week; shown this once.

        Raises: NotAnEmail, NoSuchTeam, NotTheOwner, TooManyOfThem, DatabaseUnavailable.
        """
        address, code, now = normalised_email(email), self._randomness.token(16), self._clock.now_ms()
        row = {
            "code_hash": _hash(code),
            "id": f"i_{self._randomness.token(8)}",
            "team_id": team_id,
            "email": address,
            "created_ms": now,
            "expires_ms": now + INVITATION_S * 1000,
        }
        async with self._database.transaction() as connection:
            await _owned_by(connection, team_id, owner)
            mine = INVITATIONS.c.team_id == team_id
            await connection.execute(delete(INVITATIONS).where(mine, INVITATIONS.c.email == address))
            if await _count(connection, INVITATIONS.c.id, mine) >= MAX_INVITATIONS:
                raise TooManyOfThem(MAX_INVITATIONS)
            await connection.execute(insert(INVITATIONS).values(row))
        return code

    async def withdraw(self, team_id: str, owner: Account, invitation_id: str) -> None:
        """A code that was given out works no more.

        Raises: NoSuchTeam, NotTheOwner, DatabaseUnavailable.
        """
        async with self._database.transaction() as connection:
            await _owned_by(connection, team_id, owner)
            this = delete(INVITATIONS).where(INVITATIONS.c.id == invitation_id, INVITATIONS.c.team_id == team_id)
            await connection.execute(this)

    async def accept(self, account: Account, code: str) -> str:
        """Joins the team of a code; its id.

        Raises: NoSuchInvitation, TooManyOfThem, DatabaseUnavailable.
        """
        now = self._clock.now_ms()
        found = (
            select(INVITATIONS)
            .join(TEAMS, TEAMS.c.id == INVITATIONS.c.team_id)
            .where(
                INVITATIONS.c.code_hash == _hash("".join(code.split()).lower()),
                INVITATIONS.c.email == account.email,
                INVITATIONS.c.expires_ms > now,
                TEAMS.c.state == Standing.ACTIVE,
            )
        )
        async with self._database.transaction() as connection:
            row = (await connection.execute(found.with_for_update(of=INVITATIONS))).one_or_none()
            if row is None:
                raise NoSuchInvitation
            await _refuse_too_many_teams(connection, account)
            if await _count(connection, MEMBERS.c.account_id, MEMBERS.c.team_id == row.team_id) >= MAX_MEMBERS:
                raise TooManyOfThem(MAX_MEMBERS)
            await connection.execute(delete(INVITATIONS).where(INVITATIONS.c.code_hash == row.code_hash))
            with_it = select(MEMBERS).where(MEMBERS.c.team_id == row.team_id, MEMBERS.c.account_id == account.id)
            if (await connection.execute(with_it)).one_or_none() is None:
                await _join(connection, row.team_id, account, Role.MEMBER, now)
        return str(row.team_id)

    async def leave(self, team_id: str, account: Account) -> None:
        """The account is on the team no more.

        Raises: NoSuchTeam, LastOwner, DatabaseUnavailable.
        """
        async with self._database.transaction() as connection:
            team = await _seen_by(connection, team_id, account)
            if team.role is Role.OWNER and await _owners(connection, team_id) == 1:
                raise LastOwner
            await _part(connection, team_id, account.id)

    async def remove(self, team_id: str, owner: Account, account_id: str) -> None:
        """Somebody else is on the team no more.

        Raises: NoSuchTeam, NotTheOwner, LastOwner, DatabaseUnavailable.
        """
        async with self._database.transaction() as connection:
            await _owned_by(connection, team_id, owner)
            if account_id == owner.id and await _owners(connection, team_id) == 1:
                raise LastOwner
            await _part(connection, team_id, account_id)

    async def make_owner(self, team_id: str, owner: Account, account_id: str) -> None:
        """Somebody on the team may do what owners do.

        Raises: NoSuchTeam, NotTheOwner, DatabaseUnavailable.
        """
        async with self._database.transaction() as connection:
            await _owned_by(connection, team_id, owner)
            this = update(MEMBERS).where(MEMBERS.c.team_id == team_id, MEMBERS.c.account_id == account_id)
            await connection.execute(this.values(role=Role.OWNER))

    async def check_owner(self, team_id: str, account: Account) -> Team:
        """The team, if the account owns it.

        Raises: NoSuchTeam, NotTheOwner, DatabaseUnavailable.
        """
        async with self._database.transaction() as connection:
            return await _owned_by(connection, team_id, account)

    async def set_plan(self, team_id: str, plan: str) -> None:
        """Puts a team on a plan.

        Raises: NoSuchTeam, DatabaseUnavailable.
        """
        async with self._database.transaction() as connection:
            changed = await connection.execute(
                update(TEAMS).where(TEAMS.c.id == team_id, TEAMS.c.state == Standing.ACTIVE).values(plan=plan)
            )
        if changed.rowcount == 0:
            raise NoSuchTeam


async def teams_of(connection: AsyncConnection, account_id: str) -> list[Team]:
    """The teams of an account, by name."""
    others = MEMBERS.alias()
    size = select(func.count()).select_from(others).where(others.c.team_id == TEAMS.c.id).scalar_subquery()
    found = (
        select(TEAMS, MEMBERS.c.role, size.label("members"))
        .join(MEMBERS, MEMBERS.c.team_id == TEAMS.c.id)
        .where(MEMBERS.c.account_id == account_id)
        .order_by(TEAMS.c.name, TEAMS.c.id)
    )
    return [
        Team(row.id, row.name, row.plan, Standing(row.state), Role(row.role), row.members)
        for row in await connection.execute(found)
    ]


async def hand_over(connection: AsyncConnection, team_id: str, leaving: str) -> bool:
    """Makes whoever has been on the team longest its owner, if it would be without; False when nobody is left."""
    others = (
        select(MEMBERS)
        .where(MEMBERS.c.team_id == team_id, MEMBERS.c.account_id != leaving)
        .order_by(MEMBERS.c.joined_ms, MEMBERS.c.account_id)
    )
    rows = (await connection.execute(others)).all()
    if not rows:
        return False
    if all(row.role != Role.OWNER for row in rows):
        heir = update(MEMBERS).where(MEMBERS.c.team_id == team_id, MEMBERS.c.account_id == rows[0].account_id)
        await connection.execute(heir.values(role=Role.OWNER))
    return True


async def _seen_by(connection: AsyncConnection, team_id: str, account: Account) -> Team:
    await connection.execute(select(TEAMS.c.id).where(TEAMS.c.id == team_id).with_for_update())
    team = next((team for team in await teams_of(connection, account.id) if team.id == team_id), None)
    if team is None or team.standing is not Standing.ACTIVE:
        raise NoSuchTeam
    return team


async def _owned_by(connection: AsyncConnection, team_id: str, account: Account) -> Team:
    team = await _seen_by(connection, team_id, account)
    if team.role is not Role.OWNER:
        raise NotTheOwner
    return team


async def _owners(connection: AsyncConnection, team_id: str) -> int:
    return await _count(connection, MEMBERS.c.account_id, MEMBERS.c.team_id == team_id, MEMBERS.c.role == Role.OWNER)


async def _refuse_too_many_teams(connection: AsyncConnection, account: Account) -> None:
    if await _count(connection, MEMBERS.c.team_id, MEMBERS.c.account_id == account.id) >= MAX_TEAMS:
        raise TooManyOfThem(MAX_TEAMS)


async def _join(connection: AsyncConnection, team_id: str, account: Account, role: Role, now: Millis) -> None:
    row = {"team_id": team_id, "account_id": account.id, "role": role, "joined_ms": now}
    try:
        await connection.execute(insert(MEMBERS).values(row))
    except IntegrityError:
        raise NoSuchTeam from None  # the team or the account went at the same moment


async def _part(connection: AsyncConnection, team_id: str, account_id: str) -> None:
    await connection.execute(delete(MEMBERS).where(MEMBERS.c.team_id == team_id, MEMBERS.c.account_id == account_id))


async def _count(connection: AsyncConnection, column: object, *conditions: object) -> int:
    counted = select(func.count(column)).where(*conditions)  # type: ignore[arg-type]
    return int((await connection.execute(counted)).scalar_one())


def _checked_name(name: str) -> str:
    known = " ".join(name.split())
    if not 0 < len(known) <= MAX_NAME_CHARS or not known.isprintable():
        raise TeamNameUnusable
    return known


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
