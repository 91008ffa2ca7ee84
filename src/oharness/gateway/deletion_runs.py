"""Deletions that somebody waits for: on with them when the browser goes away, and a stop when the gateway does."""

import asyncio
import logging
from collections.abc import Sequence

from oharness.gateway.deletion import Deletions, Done, Stopped, Subject

WAIT_S = 25.0
_LOG = logging.getLogger("oharness.gateway")


class DeletionRuns:
    """Owns the runs that requests began."""

    def __init__(self, deletions: Deletions) -> None:
        self._deletions = deletions
        self._running: set[asyncio.Task[list[Done | Stopped]]] = set()

    async def carry_on(self, subjects: Sequence[Subject]) -> list[Done | Stopped] | None:
        """What came of each; None when it takes longer than a person should wait.

        Raises: DatabaseUnavailable.
        """
        run = asyncio.create_task(self._all(subjects))
        self._running.add(run)
        run.add_done_callback(self._ended)
        finished, _ = await asyncio.wait({run}, timeout=WAIT_S)
        return run.result() if finished else None

    async def close(self) -> None:
        """Stops what is running; it goes on at the next start."""
        for run in self._running:
            run.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _ended(self, run: asyncio.Task[list[Done | Stopped]]) -> None:
        self._running.discard(run)
        if not run.cancelled() and run.exception() is not None:
            _LOG.warning("deletion stopped", extra={"fields": {"reason": type(run.exception()).__name__}})

    async def _all(self, subjects: Sequence[Subject]) -> list[Done | Stopped]:
        return [await self._deletions.carry_on(subject) for subject in subjects]
