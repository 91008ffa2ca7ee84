"""An event loop whose time is made up: it jumps to the next thing that is due, and threads are no threads.

    result = run_simulated(main, delays)

Nothing in it waits for real time, so days pass in milliseconds, and the same seed gives the same order of events.
What asyncio would run in a thread runs here in one piece, some made-up moments later; meanwhile others go on, as
they do beside a thread. Sockets and real threads have no place in it.
"""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from oharness.core.clock import Millis
from oharness.testing.clock import START_MS

_Result = TypeVar("_Result")


class WaitsForEver(AssertionError):
    """Every task waits, and nothing is due that could wake one of them."""


class SimulatedLoop(asyncio.BaseEventLoop):
    """`thread_delay_s` says how long a thread takes to get going, each time it is asked for one."""

    def __init__(self, thread_delay_s: Callable[[], float] = lambda: 0.0) -> None:
        super().__init__()
        self.faults: list[dict[str, Any]] = []
        self._now = 0.0
        self._thread_delay_s = thread_delay_s
        self._clock_resolution = 1e-6  # after months, a nanosecond more is the same number
        self._selector = self  # the base class asks its selector to wait
        self.set_exception_handler(lambda _, context: self.faults.append(context))

    def time(self) -> float:
        return self._now

    def select(self, timeout: float | None) -> list[Any]:
        """Waits, that is to say moves the time on to what is due next."""
        if timeout is None:
            raise WaitsForEver
        if timeout > 0:
            self._now = max(self._now, self._scheduled[0].when())  # type: ignore[attr-defined]
        return []

    def run_in_executor(  # type: ignore[override]
        self, executor: object, function: Callable[..., _Result], *args: Any
    ) -> "asyncio.Future[_Result]":
        future: asyncio.Future[_Result] = self.create_future()
        self.call_later(
            self._thread_delay_s(), _run_in_one_piece, future, function, args, context=contextvars.Context()
        )
        return future

    def _process_events(self, events: list[Any]) -> None:
        """There are none: nothing here comes from outside."""

    def _write_to_self(self) -> None:
        """Nobody sleeps who would have to be woken."""


class SimulatedClock:
    """The clock of one machine: its own idea of the date, and the loop's time for waiting."""

    def __init__(self, loop: asyncio.AbstractEventLoop, start_ms: int = START_MS) -> None:
        self._loop = loop
        self._start_ms = start_ms

    def now_ms(self) -> Millis:
        return Millis(self._start_ms + round(self._loop.time() * 1000))

    def now_ns(self) -> int:
        """The same for files."""
        return self._start_ms * 1_000_000 + round(self._loop.time() * 1_000_000_000)

    def monotonic(self) -> float:
        return self._loop.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))

    def jump(self, seconds: float) -> None:
        """Somebody sets the clock; waiting does not notice. No clock shows a time before 1970."""
        self._start_ms = max(0, self._start_ms + round(seconds * 1000))


def run_simulated(
    main: Callable[[SimulatedLoop], Coroutine[Any, Any, _Result]],
    thread_delay_s: Callable[[], float] = lambda: 0.0,
) -> _Result:
    """What `main` returns on a loop of its own; whatever it left running is cancelled.

    Raises: WaitsForEver; what `main` raises.
    """
    loop = SimulatedLoop(thread_delay_s)
    try:
        return loop.run_until_complete(main(loop))
    finally:
        loop.run_until_complete(_end(asyncio.all_tasks(loop)))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _end(tasks: "set[asyncio.Task[Any]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _run_in_one_piece(
    future: "asyncio.Future[_Result]", function: Callable[..., _Result], args: tuple[Any, ...]
) -> None:
    try:
        result = function(*args)
    except BaseException as error:  # noqa: BLE001 - a thread gives whatever ended it to who waits for it
        if not future.cancelled():
            future.set_exception(error)
    else:
        if not future.cancelled():
            future.set_result(result)
