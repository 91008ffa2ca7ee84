"""One for a process: syncs every notes directory that is open in it, at its time and within the process's requests.

What is due is arithmetic (`schedule`, `request_budget`), what follows from an error a table (`consequences`). Here is
only the loop around them: it waits, starts passes and checks, and takes in what came of them.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Any, Self, assert_never

from oharness.core.errors import OharnessError, WaitsForPerson
from oharness.core.scopes import USER_SCOPE
from oharness.disk.credentials_file import Credentials
from oharness.protocol.snapshot import MAX_POLLED_SCOPES, PollAnswer, PollQuery, PollRequest
from oharness.sync import schedule
from oharness.sync.account import SignInPlace
from oharness.sync.account_look import NOT_LOOKED_YET, account_stamp, look_at_account
from oharness.sync.consequences import HoldBack, PauseAll, TryAgain, consequence
from oharness.sync.desk import AccountChanged
from oharness.sync.directory import Directory
from oharness.sync.in_thread import in_thread
from oharness.sync.line import Connect, Line
from oharness.sync.local_look import plan_of
from oharness.sync.owned_tasks import ended, unbroken
from oharness.sync.pinning import SyncIsOff, switch
from oharness.sync.report import PassReport
from oharness.sync.schedule import AFTER_FAILURE_S, CHECK_S, Hold
from oharness.sync.seat import Outcome, Seat, Seen, Tell, note_error, note_in_step, see
from oharness.sync.syncing import sync_directory
from oharness.sync.transport import SignedOut, TooFrequent
from oharness.sync.watching import Watch

_MOST_AT_ONCE = 4
"""How many passes run at the same time that nobody asked for."""
_UNREADABLE_AGAIN_S = 60.0
_WATCH_AFTER_S = 1.0
_ACCOUNT_HOLDS = (Hold.OFF, Hold.SIGNED_OUT, Hold.ACCOUNT_CHANGED, Hold.ERASED, Hold.UNREADABLE)

Listener = Callable[[Outcome], None]
Change = Callable[[schedule.Directory, float], schedule.Directory]


@dataclass(eq=False)
class PassStopped(WaitsForPerson):
    """Somebody signed out or in while the pass ran; it ended without another request."""


class Coordinator:
    """Syncs the attached directories while it is open. `wrote` and `used` may be called from any thread."""

    def __init__(self, place: SignInPlace, connect: Connect, watch: Watch) -> None:
        self._place = place
        self._clock = place.clock
        self._watch = watch
        self._seats: dict[str, Seat] = {}
        self._times: dict[str, schedule.Directory] = {}
        self._line = Line(connect, self._clock)
        self._account = NOT_LOOKED_YET
        self._listeners: list[Listener] = []
        self._hold_listeners: list[Callable[[], None]] = []
        self._to_see: set[str] = set()
        self._account_may_differ = True
        self._account_again_at = inf
        self._wake = asyncio.Event()
        self._account_turn = asyncio.Lock()
        self._checking: asyncio.Task[None] | None = None
        self._own: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._own = [
            asyncio.create_task(self._go(), name="sync"),
            asyncio.create_task(self._watching(), name="sync watch"),
        ]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop = None
        await ended([*self._own, *self._at_work()])
        for seat in self._seats.values():
            _turn_away(seat)
        await self._line.disconnect()

    # --- what others do with it

    def attach(self, directory: Directory, check_s: float = CHECK_S) -> str:
        """Opens a directory and gives the key it is known by; several may open the same one.

        Units: `check_s`, how often it is checked while something changes.
        """
        key, now = key_of(directory), self._clock.monotonic()
        if seat := self._seats.get(key):
            seat.users += 1
            known = self._times[key]
            self._times[key] = schedule.used(replace(known, check_s=min(known.check_s, check_s)), now)
        else:
            opened = schedule.user_directory if directory.scope == USER_SCOPE else schedule.project_directory
            self._seats[key] = Seat(key, directory)
            self._times[key] = opened(key, now, check_s)
            self._to_see.add(key)
            self._account_may_differ = True
            self._follow()
        self._wake.set()
        return key

    async def detach(self, key: str) -> None:
        """Closes a directory; what runs in it is broken off once nobody has it open."""
        seat = self._seats[key]
        seat.users -= 1
        if seat.users == 0:
            await self._break_off([seat])
            _turn_away(seat)
            del self._seats[key], self._times[key]
            self._to_see.discard(key)
            self._follow()

    def wrote(self, key: str) -> None:
        """A note was written or deleted in this process."""
        self._from_anywhere(lambda: self._change(key, schedule.wrote))

    def used(self, key: str) -> None:
        """A message was sent in the project, or its page is open."""
        self._from_anywhere(lambda: self._change(key, schedule.used))

    def look_at_account(self) -> None:
        """Somebody may have signed in or out, or turned the switch."""
        self._account_may_differ = True
        self._wake.set()

    def look_at(self, key: str) -> None:
        """A file of the directory may have changed."""
        self._to_see.add(key)
        self._wake.set()

    async def sync_now(self, keys: Sequence[str] | None = None, tell: Tell | None = None) -> list[Outcome]:
        """A pass over these directories, or all, straight away; `tell` is called with notes done and to do.

        Raises: TooFrequent while the service wants no requests.
        """
        self._line.check_pause()
        waiting = []
        for key in self._seats if keys is None else keys:
            future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
            seat = self._seats[key]
            seat.waiting.append(future)
            seat.hurried, seat.tell = True, tell
            waiting.append(future)
            self._change(key, lambda times, _: schedule.asked(times))
        return list(await asyncio.gather(*waiting))

    async def leave(self, keys: Sequence[str], seconds: float) -> None:
        """Takes along what was written in these directories and has not gone up, as far as that goes in the time."""
        taking = asyncio.ensure_future(self._take_along(keys))
        patience = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({taking, patience}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await ended([taking, patience])

    async def switch(self, *, on: bool) -> None:
        """Turns sync on or off for every scope; off ends what is under way before this returns.

        Raises: BrokenFile, StorageFailed, FolderBusy.
        """
        scopes = [seat.directory.scope for seat in self._seats.values()]
        await in_thread(switch, self._place.files, self._place.home, scopes, on=on)
        await self._look_at_account()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tells of every pass when it is over; what is given back ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def listen_to_holds(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Tells whenever something is held, let go or paused; what is given back ends that."""
        self._hold_listeners.append(listener)
        return lambda: self._hold_listeners.remove(listener)

    def hold_of(self, key: str) -> Hold | None:
        """Why nothing happens by itself in a directory; None when it does."""
        return self._times[key].hold

    @property
    def paused_for_s(self) -> float:
        """How long the service wants no requests, 0 when it takes them."""
        return self._line.paused_for_s

    # --- the loop

    async def _go(self) -> None:
        while True:
            result = await unbroken("the loop", self._step())
            if isinstance(result, OharnessError):
                await self._clock.sleep(AFTER_FAILURE_S)

    async def _step(self) -> None:
        self._wake.clear()
        if self._account_may_differ or self._clock.monotonic() >= self._account_again_at:
            await self._look_at_account()
        for key in sorted(self._to_see):
            await self._see(key)
        now = self._clock.monotonic()
        budget = self._line.budget
        found = schedule.due(
            self._times.values(), now, budget.paused_until, budget.free_at(now), budget.free_for_checks_at(now)
        )
        self._start(found)
        await self._until(min(found.next_at, self._account_again_at))

    async def _watching(self) -> None:
        """A process that is over in a moment need not watch: it is told of what it writes itself."""
        await self._clock.sleep(_WATCH_AFTER_S)
        for key in self._seats:
            self.look_at(key)
        self.look_at_account()
        await unbroken("watching", self._watch.run(self._may_have_changed))

    def _start(self, found: schedule.Due) -> None:
        for key in found.passes:
            seat = self._seats[key]
            if seat.waiting or len(self._at_work()) < _MOST_AT_ONCE:
                self._change(key, schedule.started)
                seat.running = asyncio.create_task(self._pass(seat), name=f"sync {key}")
        if found.checks and self._checking is None:
            self._account_may_differ = True
            self._checking = asyncio.create_task(self._check(found.checks), name="sync check")

    async def _until(self, at: float) -> None:
        """Waits until then, or until something happens."""
        waiting: set[asyncio.Future[Any]] = {asyncio.ensure_future(self._wake.wait())}
        if at < inf:
            waiting.add(asyncio.ensure_future(self._clock.sleep(max(0.0, at - self._clock.monotonic()))))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await ended(waiting)

    # --- a pass

    async def _pass(self, seat: Seat) -> None:
        waiting, seat.waiting = seat.waiting, []
        began_with = self._account.stamp
        outcome = Outcome(seat.directory, None, PassStopped())
        try:
            result = await unbroken(f"a pass over {seat.key}", self._synced(seat, is_asked=bool(waiting)))
            report = result if isinstance(result, PassReport) else None
            outcome = Outcome(seat.directory, report, result if isinstance(result, OharnessError) else None)
            await self._take_in(seat, outcome, began_with)
        except asyncio.CancelledError:
            self._change(seat.key, lambda times, _: schedule.stopped(times))
            if self._times[seat.key].hold is Hold.OFF:
                outcome = Outcome(seat.directory, None, SyncIsOff())
            raise
        finally:
            seat.running = None
            if not seat.waiting:
                seat.hurried, seat.tell = False, None
            for future in waiting:
                if not future.done():
                    future.set_result(outcome)
            self._wake.set()
        for listener in list(self._listeners):
            listener(outcome)

    async def _synced(self, seat: Seat, *, is_asked: bool) -> PassReport:
        """One pass."""
        place, credentials = self._place, self._account.credentials
        if not is_asked:  # nobody waits for it, so it does not wait either: another process may be at it for long
            (await in_thread(seat.directory.state.lock, 0)).release()
        seat.stamps = (await in_thread(see, seat)).local.stamps
        if credentials is None:
            raise SyncIsOff if self._times[seat.key].hold is Hold.OFF else SignedOut("")
        transport = self._line.transport(credentials, lambda: seat.hurried)
        return await sync_directory(seat.directory, place.files, place.home, credentials, transport, seat.tell)

    async def _take_in(self, seat: Seat, outcome: Outcome, began_with: object) -> None:
        if outcome.report is None:
            if outcome.error is not None:
                self._follows([seat.key], outcome.error, began_with)
            return
        report, seen = outcome.report, await self._seen(seat)
        again = seen is not None and seen.bearings.again
        self._change(
            seat.key,
            lambda times, now: schedule.passed(times, now, changed=not report.changed_nothing, again=again),
        )
        if seen is not None and seen.local.differs:
            self._change(seat.key, schedule.wrote)
        await self._ask_person(seat, report)

    async def _ask_person(self, seat: Seat, report: PassReport) -> None:
        was, asks = self._times[seat.key].hold is Hold.ASKS, report.paused is not None
        if asks:
            seat.question = await in_thread(seat.directory.state.guard_looks)
            self._change(seat.key, _holding(Hold.ASKS))
        elif was:
            self._change(seat.key, schedule.let_go)
        if was != asks:
            self._follow()

    def _follows(self, keys: Iterable[str], error: OharnessError, began_with: object) -> None:
        """What follows from an error; nothing is held for an account that is another one by now."""
        result = consequence(error)
        for key in keys:
            self._change(key, lambda times, _: schedule.stopped(times))
        match result:
            case HoldBack(why, everywhere):
                affected = list(self._times) if everywhere else list(keys)
                is_same = began_with == self._account.stamp
                for key in affected:
                    self._change(key, _holding(why) if is_same else schedule.let_go)
            case PauseAll(seconds):
                self._line.pause(seconds)
                self._tell_of_holds()
            case TryAgain(after_s):
                for key in keys:
                    self._change(key, _failing(after_s))
            case _:
                assert_never(result)

    # --- a check

    async def _check(self, keys: Sequence[str]) -> None:
        began_with = self._account.stamp
        try:
            error = await unbroken("a check", self._check_all(keys))
            if error is not None:
                self._follows(keys, error, began_with)
                for key in keys:
                    if seat := self._seats.get(key):
                        await in_thread(note_error, seat.directory, error)
        finally:
            self._checking = None
            self._wake.set()

    async def _check_all(self, keys: Sequence[str]) -> None:
        for start in range(0, len(keys), MAX_POLLED_SCOPES):
            await self._checked([key for key in keys[start : start + MAX_POLLED_SCOPES] if key in self._seats])

    async def _checked(self, keys: Sequence[str]) -> None:
        """Asks the cloud about these in one request; those it has moved on from get a pass."""
        queries: dict[str, PollQuery] = {}
        plans: dict[str, str | None] = {}
        for key in keys:
            seen = await self._seen(self._seats[key])
            if seen is None or seen.bearings.query is None or seen.bearings.again:
                self._change(key, schedule.to_be_synced)
                continue
            if seen.local.differs:
                self._change(key, schedule.found_written)
            queries[key], plans[key] = seen.bearings.query, seen.bearings.plan
        if not queries:
            return
        answer = await self._polled(tuple(queries.values()))
        plan = plan_of(answer.standing)
        for key, state in zip(queries, answer.states, strict=True):
            self._change(key, lambda times, now: schedule.checked(times, now, changed=False))
            if state.changed or plans[key] not in (None, plan):
                self._change(key, schedule.to_be_synced)
            elif key in self._times and self._times[key].first_write is None:
                await in_thread(note_in_step, self._seats[key].directory)

    async def _polled(self, queries: tuple[PollQuery, ...]) -> PollAnswer:
        credentials = self._account.credentials
        if credentials is None:
            raise SignedOut("")
        answer = await self._line.transport(credentials).poll(PollRequest(queries, credentials.user_id))
        if answer.standing.user_id != credentials.user_id:
            raise AccountChanged(queries[0].scope.key, credentials.user_id, answer.standing.user_id)
        return answer

    # --- looks at files

    async def _see(self, key: str) -> None:
        """Takes in what changed in a directory. While a pass runs there, it is the pass's turn to look afterwards."""
        self._to_see.discard(key)
        seat = self._seats.get(key)
        if seat is None or seat.running is not None:
            return
        is_first = seat.stamps is None
        seen = await self._seen(seat)
        if seen is None or (is_first and (seen.bearings.query is None or seen.bearings.again)):
            self._change(key, schedule.to_be_synced)
        if seen is not None and seen.local.differs:
            self._change(key, schedule.wrote)
        if seen is not None and seen.moved and key in self._times and self._times[key].hold is Hold.ASKS:
            self._change(key, schedule.let_go)

    async def _seen(self, seat: Seat) -> Seen | None:
        """A look; None where it cannot be had, so that a pass will have to say why."""
        try:
            seen = await in_thread(see, seat)
        except OharnessError:
            return None
        seat.stamps = seen.local.stamps
        return seen

    async def _look_at_account(self) -> None:
        """Takes in who is signed in and what is switched on; what may no longer go on is broken off."""
        async with self._account_turn:
            self._account_may_differ = False
            before = self._account
            scopes = {seat.directory.scope for seat in self._seats.values()}
            stamp = await in_thread(account_stamp, self._place)
            if stamp != before.stamp or not scopes <= set(before.holds) or Hold.UNREADABLE in before.holds.values():
                self._account = await in_thread(look_at_account, self._place, scopes)
                if _who(before.credentials) != _who(self._account.credentials):
                    await self._break_off(self._seats.values())
                    await self._line.disconnect()
                await self._hold_and_let_go()
            for seat in self._asking():
                if await in_thread(seat.directory.state.guard_looks) != seat.question:
                    self._change(seat.key, schedule.let_go)
            is_readable = Hold.UNREADABLE not in self._account.holds.values()
            self._account_again_at = inf if is_readable else self._clock.monotonic() + _UNREADABLE_AGAIN_S

    async def _hold_and_let_go(self) -> None:
        held: list[Seat] = []
        for seat in list(self._seats.values()):
            why, times = self._account.holds.get(seat.directory.scope), self._times[seat.key]
            if why is not None and times.hold is not why:
                self._change(seat.key, _holding(why))
                held.append(seat)
            elif why is None and times.hold in _ACCOUNT_HOLDS:
                self._change(seat.key, schedule.let_go)
        await self._break_off(held)

    # --- small parts

    def _change(self, key: str, change: Change) -> None:
        """What the schedule says of a directory from now on; nothing for one that was closed meanwhile."""
        if key in self._times:
            before = self._times[key].hold
            self._times[key] = change(self._times[key], self._clock.monotonic())
            if self._times[key].hold is not before:
                self._tell_of_holds()
            self._wake.set()

    def _tell_of_holds(self) -> None:
        for listener in list(self._hold_listeners):
            listener()

    def _from_anywhere(self, change: Callable[[], None]) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop ended meanwhile
                self._loop.call_soon_threadsafe(change)

    def _may_have_changed(self, folder: Path) -> None:
        """The watch saw something."""
        if folder == self._place.home.root or any(seat.directory.state.folder == folder for seat in self._asking()):
            self.look_at_account()
        for seat in self._seats.values():
            if seat.directory.folder.path == folder:
                self.look_at(seat.key)

    def _follow(self) -> None:
        notes = [seat.directory.folder.path for seat in self._seats.values()]
        questions = [seat.directory.state.folder for seat in self._asking()]
        self._watch.follow([self._place.home.root, *notes, *questions])

    def _asking(self) -> list[Seat]:
        return [seat for seat in self._seats.values() if self._times[seat.key].hold is Hold.ASKS]

    def _at_work(self) -> "list[asyncio.Task[None]]":
        passes = [seat.running for seat in self._seats.values() if seat.running is not None]
        return [*passes, *([self._checking] if self._checking is not None else [])]

    async def _break_off(self, seats: Iterable[Seat]) -> None:
        """Ends what runs in these directories, and a check, before it asks for anything more."""
        tasks = [seat.running for seat in seats if seat.running is not None]
        await ended([*tasks, *([self._checking] if self._checking is not None else [])])

    async def _take_along(self, keys: Sequence[str]) -> None:
        for key in keys:
            await self._see(key)
        now = self._clock.monotonic()
        unsent = [key for key in keys if key in self._times and _can_go_up(self._times[key], now)]
        if unsent:
            with contextlib.suppress(TooFrequent):
                await self.sync_now(unsent)


def key_of(directory: Directory) -> str:
    """The key that a directory is known by: its scope, and which of this machine's copies it is."""
    return f"{directory.scope.key} {directory.replica}"


def _can_go_up(times: schedule.Directory, now: float) -> bool:
    return times.first_write is not None and times.hold is None and times.not_before <= now


def _who(credentials: Credentials | None) -> tuple[str, str, str] | None:
    return (credentials.cloud, credentials.sync_url, credentials.user_id) if credentials else None


def _holding(why: Hold) -> Change:
    return lambda times, _: schedule.held(times, why)


def _failing(after_s: float) -> Change:
    return lambda times, now: schedule.failed(times, now, after_s)


def _turn_away(seat: Seat) -> None:
    """Nobody waits for ever for a pass that will not come."""
    for future in seat.waiting:
        if not future.done():
            future.set_result(Outcome(seat.directory, None, PassStopped()))
