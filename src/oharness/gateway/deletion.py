"""Deleting an account or a team: erased at the sync service, then its rows, then erased once more.

And a third time a while later, for what was on its way to the store when the first two came (ADR 0044). Where a
deletion stands is kept in the database, so that one that stopped goes on from there: at the next start, when it is
asked for again, or by `oharness gateway admin deletions resume`. Every step may be repeated.
"""

import logging
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from oharness.core.clock import Clock, Millis
from oharness.core.errors import Failed
from oharness.gateway.accounts import FREE, Standing, account_in_use, end_every_session
from oharness.gateway.database import ACCOUNTS, DELETIONS, INVITATIONS, TEAMS, Database
from oharness.gateway.erase_client import EraseClient, EraseFailed
from oharness.gateway.settings import ADMIN_KEY
from oharness.gateway.teams import NoSuchTeam, hand_over, teams_of
from oharness.protocol.erase import EraseRequest, EraseTeam, EraseUser
from oharness.serving.metrics import Metrics

LATE_MS = 10 * 60 * 1000
"""By then every request that began before the marker has ended, and every write that a store still held back."""
_LOG = logging.getLogger("oharness.gateway")


class Kind(StrEnum):
    """What is deleted."""

    USER = "user"
    TEAM = "team"


class Step(StrEnum):
    """What a deletion has to do next."""

    ERASE = "erase"
    REMOVE = "remove"
    ERASE_AGAIN = "erase-again"
    ERASE_LATE = "erase-late"
    """Done, as far as anybody waits for it."""


@dataclass(eq=False)
class ErasingNotConfigured(Failed):
    """Nothing can be deleted, and nothing was: `variable` is not set."""

    variable: str = ADMIN_KEY


@dataclass(eq=False)
class DeletionStopped(Failed):
    """The deletion stopped at `step` (`reason`); it goes on when it is asked for again."""

    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class Subject:
    """An account or a team on its way out."""

    kind: Kind
    id: str


@dataclass(frozen=True, slots=True)
class Done:
    """Everything is gone; `objects` were erased at the sync service."""

    objects: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """What is left to do, and why it stopped."""

    step: Step
    reason: str

    @property
    def rows_are_gone(self) -> bool:
        """Whether the account or team itself exists no more."""
        return self.step is Step.ERASE_AGAIN


@dataclass(frozen=True, slots=True)
class OpenDeletion:
    """A deletion that is not finished."""

    subject: Subject
    step: Step
    fault: str | None
    asked_ms: Millis


@dataclass(frozen=True, slots=True)
class AccountDeletion:
    """What deleting an account takes along: teams that nobody else is on."""

    subject: Subject
    teams: tuple[Subject, ...]


class Deletions:
    """Begins deletions and carries them through."""

    def __init__(self, database: Database, eraser: EraseClient, metrics: Metrics, clock: Clock) -> None:
        self._database = database
        self._eraser = eraser
        self._metrics = metrics
        self._clock = clock

    async def begin_account(self, account_id: str) -> AccountDeletion:
        """Writes down that the account is leaving, and signs it out everywhere; nothing is erased yet.

        Its teams go to whoever has been on them longest; those that nobody else is on leave with it. What was begun
        before is not begun again. Raises: ErasingNotConfigured, DatabaseUnavailable.
        """
        self._check_configured()
        subject = Subject(Kind.USER, account_id)
        teams: list[Subject] = []
        async with self._database.transaction() as connection:
            if await account_in_use(connection, account_id) is not None:
                leaving = update(ACCOUNTS).where(ACCOUNTS.c.id == account_id)
                await connection.execute(leaving.values(state=Standing.LEAVING))
                await end_every_session(connection, account_id)
                for team in await teams_of(connection, account_id):
                    if team.standing is Standing.ACTIVE and not await hand_over(connection, team.id, account_id):
                        teams.append(Subject(Kind.TEAM, team.id))
                        await self._begin_team(connection, team.id)
                await self._write_down(connection, subject)
        return AccountDeletion(subject, tuple(teams))

    async def begin_team(self, team_id: str) -> Subject:
        """Cancels the subscription and writes down that the team is leaving.

        Raises: NoSuchTeam, ErasingNotConfigured, DatabaseUnavailable.
        """
        self._check_configured()
        async with self._database.transaction() as connection:
            found = select(TEAMS.c.state).where(TEAMS.c.id == team_id).with_for_update()
            state = (await connection.execute(found)).scalar_one_or_none()
            if state is None and await self._step(connection, Subject(Kind.TEAM, team_id)) is None:
                raise NoSuchTeam
            if state == Standing.ACTIVE:
                await self._begin_team(connection, team_id)
        return Subject(Kind.TEAM, team_id)

    async def carry_on(self, subject: Subject) -> Done | Stopped:
        """Does what is left to do, until it is done or a step fails.

        Raises: DatabaseUnavailable, after which the same can be asked again.
        """
        while (step := await self._next_step(subject)) is not None:
            if step is Step.REMOVE:
                await self._remove(subject)
                continue
            try:
                answer = await self._eraser.erase(_request(subject))
            except EraseFailed as error:
                return await self._stopped(subject, step, error.reason)
            self._metrics.count("erasures")
            if step is Step.ERASE_AGAIN:
                return await self._finish(subject, answer.objects)
            await self._erased_once(subject, answer.objects)
        return Done(0)

    async def carry_on_with_all(self) -> dict[Subject, Done | Stopped]:
        """Every deletion that is not finished, oldest first, and what came of it.

        Raises: DatabaseUnavailable.
        """
        return {one.subject: await self.carry_on(one.subject) for one in await self.open()}

    async def erase_late(self) -> None:
        """Erases for the last time what was deleted `LATE_MS` ago; one that fails is tried again later.

        Raises: DatabaseUnavailable.
        """
        due = select(DELETIONS).where(_IS_LATE, DELETIONS.c.tried_ms <= self._clock.now_ms() - LATE_MS)
        async with self._database.transaction() as connection:
            rows = (await connection.execute(due)).all()
        for subject in [Subject(Kind(row.kind), row.id) for row in rows]:
            try:
                await self._eraser.erase(_request(subject))
            except EraseFailed as error:
                await self._stopped(subject, Step.ERASE_LATE, error.reason)
            else:
                async with self._database.transaction() as connection:
                    await connection.execute(delete(DELETIONS).where(*_is(subject), _IS_LATE))

    async def late(self) -> int:
        """How many deletions still wait to be erased for the last time.

        Raises: DatabaseUnavailable.
        """
        async with self._database.transaction() as connection:
            return len((await connection.execute(select(DELETIONS.c.id).where(_IS_LATE))).all())

    async def open(self) -> list[OpenDeletion]:
        """The deletions that are not finished, oldest first."""
        unfinished = select(DELETIONS).where(~_IS_LATE).order_by(DELETIONS.c.asked_ms)
        async with self._database.transaction() as connection:
            rows = (await connection.execute(unfinished)).all()
        return [
            OpenDeletion(Subject(Kind(row.kind), row.id), Step(row.step), row.fault, Millis(row.asked_ms))
            for row in rows
        ]

    def _check_configured(self) -> None:
        if not self._eraser.is_configured:
            raise ErasingNotConfigured

    async def _begin_team(self, connection: AsyncConnection, team_id: str) -> None:
        cancelled = {"subscription": "cancelled", "plan": FREE, "state": Standing.LEAVING}
        await connection.execute(update(TEAMS).where(TEAMS.c.id == team_id).values(cancelled))
        await connection.execute(delete(INVITATIONS).where(INVITATIONS.c.team_id == team_id))
        await self._write_down(connection, Subject(Kind.TEAM, team_id))

    async def _write_down(self, connection: AsyncConnection, subject: Subject) -> None:
        if await self._step(connection, subject) is None:
            row = {"kind": subject.kind, "id": subject.id, "step": Step.ERASE, "objects": 0}
            await connection.execute(insert(DELETIONS).values(row | {"asked_ms": self._clock.now_ms()}))

    async def _step(self, connection: AsyncConnection, subject: Subject) -> str | None:
        step = select(DELETIONS.c.step).where(*_is(subject), ~_IS_LATE)
        return (await connection.execute(step)).scalar_one_or_none()

    async def _next_step(self, subject: Subject) -> Step | None:
        async with self._database.transaction() as connection:
            step = await self._step(connection, subject)
        return None if step is None else Step(step)

    async def _erased_once(self, subject: Subject, objects: int) -> None:
        now = self._clock.now_ms()
        values = {"step": Step.REMOVE, "objects": DELETIONS.c.objects + objects, "fault": None, "tried_ms": now}
        async with self._database.transaction() as connection:
            await connection.execute(update(DELETIONS).where(*_is(subject)).values(values))

    async def _remove(self, subject: Subject) -> None:
        async with self._database.transaction() as connection:
            match subject.kind:
                case Kind.USER:
                    email = select(ACCOUNTS.c.email).where(ACCOUNTS.c.id == subject.id).scalar_subquery()
                    await connection.execute(delete(INVITATIONS).where(INVITATIONS.c.email == email))
                    await connection.execute(delete(ACCOUNTS).where(ACCOUNTS.c.id == subject.id))
                case Kind.TEAM:
                    await connection.execute(delete(TEAMS).where(TEAMS.c.id == subject.id))
            await connection.execute(update(DELETIONS).where(*_is(subject)).values(step=Step.ERASE_AGAIN))

    async def _finish(self, subject: Subject, objects: int) -> Done:
        done = update(DELETIONS).where(*_is(subject)).returning(DELETIONS.c.objects)
        values = {"step": Step.ERASE_LATE, "fault": None, "tried_ms": self._clock.now_ms()}
        async with self._database.transaction() as connection:
            before = (await connection.execute(done.values(values))).scalar_one_or_none()
        _LOG.info("deleted", extra={"fields": {"kind": subject.kind}})
        return Done((before or 0) + objects)

    async def _stopped(self, subject: Subject, step: Step, reason: str) -> Stopped:
        self._metrics.count("erase_failures")
        _LOG.warning("deletion stopped", extra={"fields": {"kind": subject.kind, "step": step, "reason": reason}})
        values = {"fault": reason, "tried_ms": self._clock.now_ms()}
        async with self._database.transaction() as connection:
            await connection.execute(update(DELETIONS).where(*_is(subject)).values(values))
        return Stopped(step, reason)


_IS_LATE = DELETIONS.c.step == Step.ERASE_LATE


def _is(subject: Subject) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return DELETIONS.c.kind == subject.kind, DELETIONS.c.id == subject.id


def _request(subject: Subject) -> EraseRequest:
    match subject.kind:
        case Kind.USER:
            return EraseUser(subject.id)
        case Kind.TEAM:
            return EraseTeam(subject.id)
