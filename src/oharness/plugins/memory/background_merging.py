"""Background merging: two minutes after launch, at most once per cooldown, notes of one subject become one.

Only what the merge check covers in full is merged; everything else stays a suggestion on the page. It takes the same
path as the page, so that another device's edit refuses a merge, and every note it changes is in the backups.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oharness.config.schema import ConsolidateSettings
from oharness.core.clock import Clock
from oharness.core.errors import OharnessError
from oharness.harness.descriptors import Notice, RunContext, RunHook

if TYPE_CHECKING:
    from oharness.memory.tidying import Merged
    from oharness.plugins.memory.merging_pass import MergingPass
    from oharness.plugins.memory.tidying_desk import TidyingDesk

AFTER_LAUNCH_S = 120.0
"""How long after launch a pass begins."""

_BUSY_AGAIN_S = 60.0
_MOST_TRIES = 30
_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class BackgroundMerging:
    """A background service of one harness. `make_desk` and `make_pass` load what tidying needs when it is needed."""

    make_desk: "Callable[[], TidyingDesk]"
    make_pass: "Callable[[TidyingDesk], MergingPass]"
    settings: ConsolidateSettings
    clock: Clock
    name: str = "merging"
    _desk: "TidyingDesk | None" = None
    _untold: "list[Merged]" = field(default_factory=list)
    _task: "asyncio.Task[None] | None" = None

    def desk(self) -> "TidyingDesk":
        """The tidying that this harness shares: page, commands and passes."""
        if self._desk is None:
            self._desk = self.make_desk()
        return self._desk

    async def start(self) -> None:
        """Begins to wait; where merging is off there is nothing to wait for."""
        if self.settings.auto is not False and self.settings.max_merges > 0:
            self._task = asyncio.create_task(self._after_launch(), name="background merging")

    async def stop(self) -> None:
        """Ends it; a merge that has begun is carried out first."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait((task,))

    def tell(self) -> "list[Merged]":
        """The merges since this was last asked."""
        told, self._untold = self._untold, []
        return told

    async def _after_launch(self) -> None:
        await self.clock.sleep(AFTER_LAUNCH_S)
        work = await asyncio.to_thread(lambda: self.make_pass(self.desk()))
        try:
            for _ in range(_MOST_TRIES):
                if await work.run():
                    return
                await self.clock.sleep(_BUSY_AGAIN_S)
        except OharnessError as error:
            _log.info("background merging ended: %s", error)
        finally:
            self._untold += work.merged


def merges_hook(merging: BackgroundMerging) -> RunHook:
    """Tells of background merges with the next message."""

    async def on_start(run: RunContext) -> tuple[Notice, ...]:
        return tuple(
            Notice("merged-in-background", {"ids": one.deleted, "kept": one.kept, "count": 1 + len(one.deleted)})
            for one in merging.tell()
        )

    return RunHook("merging", on_start=on_start)
