"""One queue per scope and process: whoever comes first writes for all who wait (P-41)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from oharness.core.clock import Clock

_WaitingT = TypeVar("_WaitingT")
_MOST_IDLE_QUEUES = 10_000


class ScopeQueue(Generic[_WaitingT]):
    """What waits for one scope, and the turn to write it."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.waiting: list[_WaitingT] = []
        self.users = 0
        self.last_write: float | None = None


class ScopeQueues(Generic[_WaitingT]):
    """The queues of all scopes.

    `write` gets everything that waits, in order of arrival, and settles each before it returns; `is_settled`
    tells whether somebody already did. Writes of one scope begin at least `min_interval_s` apart, and what
    arrives meanwhile is joined.
    """

    def __init__(
        self,
        write: Callable[[str, list[_WaitingT]], Awaitable[None]],
        is_settled: Callable[[_WaitingT], bool],
        clock: Clock,
        min_interval_s: float,
    ) -> None:
        self._write = write
        self._is_settled = is_settled
        self._clock = clock
        self._min_interval_s = min_interval_s
        self._queues: dict[str, ScopeQueue[_WaitingT]] = {}

    async def submit(self, key: str, one: _WaitingT) -> None:
        """Returns when the one was settled, by this call or by another's."""
        queue = self._queues.setdefault(key, ScopeQueue())
        queue.users += 1
        queue.waiting.append(one)
        try:
            async with queue.turn:
                if not self._is_settled(one):
                    await self._write_waiting(key, queue)
        finally:
            if one in queue.waiting:
                queue.waiting.remove(one)
            queue.users -= 1
            self._drop_idle(key, queue)

    async def _write_waiting(self, key: str, queue: ScopeQueue[_WaitingT]) -> None:
        await self._keep_distance(queue)
        batch, queue.waiting = queue.waiting, []
        try:
            queue.last_write = self._clock.monotonic()
            await self._write(key, batch)
        finally:
            # a writer that was cancelled leaves the others to the next one
            queue.waiting = [one for one in batch if not self._is_settled(one)] + queue.waiting

    async def _keep_distance(self, queue: ScopeQueue[_WaitingT]) -> None:
        if queue.last_write is None or not self._min_interval_s:
            return
        rest = queue.last_write + self._min_interval_s - self._clock.monotonic()
        if rest > 0:
            await self._clock.sleep(rest)

    def _drop_idle(self, key: str, queue: ScopeQueue[_WaitingT]) -> None:
        if queue.users == 0 and not self._min_interval_s:
            self._queues.pop(key, None)
        elif len(self._queues) > _MOST_IDLE_QUEUES:
            now = self._clock.monotonic()
            for name, other in list(self._queues.items()):
                if other.users == 0 and now - (other.last_write or now) > self._min_interval_s:
                    del self._queues[name]
