"""A clock that stands still until it is moved, or until everyone who could move things waits for it."""

import asyncio
import contextlib
import heapq
import itertools
from collections.abc import Iterator

from oharness.core.clock import Millis

START_MS = 1_789_000_000_000
_QUIET_LOOKS = 3


class FakeClock:
    """Time for tests.

    `advance` moves it by hand. When every task of the event loop waits for this clock, it jumps to the next
    one that is due. Work in threads or on sockets is invisible to it: put such work inside `with clock.busy():`,
    or give `grace_s`, real seconds to look for such work before each jump.
    """

    def __init__(self, start_ms: int = START_MS, grace_s: float = 0.0) -> None:
        self._start_ms = start_ms
        self._elapsed_s = 0.0
        self._shift_ms = 0
        self._grace_s = grace_s
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._busy = 0
        self._looking = False

    def now_ms(self) -> Millis:
        return Millis(self._start_ms + self._shift_ms + round(self._elapsed_s * 1000))

    def monotonic(self) -> float:
        return self._elapsed_s

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed_s + seconds, next(self._order), future))
        self._look_soon()
        await future

    def advance(self, seconds: float) -> None:
        """Moves the time on and wakes who is due; in async code the woken tasks run at the next await."""
        self._elapsed_s += seconds
        self._wake_due()

    def set_wall_clock(self, now_ms: int) -> None:
        """Somebody sets the clock of the machine; waiting and `monotonic` do not notice."""
        self._shift_ms += now_ms - self.now_ms()

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        """No jump while this is open."""
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1

    def _wake_due(self) -> None:
        while self._sleepers and self._sleepers[0][0] <= self._elapsed_s + 1e-9:
            _, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                future.set_result(None)

    def _look_soon(self) -> None:
        if not self._looking:
            self._looking = True
            asyncio.get_running_loop().call_soon(self._look, 0)

    def _look(self, quiet: int) -> None:
        self._drop_cancelled()
        if not self._sleepers:
            self._looking = False
            return
        loop = asyncio.get_running_loop()
        # What is ready to run next; asyncio has no public way to ask whether a loop is idle.
        others_are_ready = len(getattr(loop, "_ready", ())) > 0
        quiet = 0 if others_are_ready or self._busy else quiet + 1
        if quiet > _QUIET_LOOKS:
            self._elapsed_s = max(self._elapsed_s, self._sleepers[0][0])
            self._wake_due()
            quiet = 0
        if self._grace_s and not others_are_ready:
            loop.call_later(self._grace_s, self._look, quiet)
        elif self._busy:
            loop.call_later(0.001, self._look, quiet)
        else:
            loop.call_soon(self._look, quiet)

    def _drop_cancelled(self) -> None:
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
