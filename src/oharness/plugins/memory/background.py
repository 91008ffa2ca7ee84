"""The synchronizer that runs beside a conversation: it borrows the process's coordinator for this harness's notes."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from oharness.harness.descriptors import Notice, RunContext, RunHook
from oharness.memory.service import MemoryService

if TYPE_CHECKING:
    from oharness.sync.coordinator import Coordinator
    from oharness.sync.directory import Directory

LEAVE_SECONDS = 5.0
"""How long closing waits for what was written last to reach the cloud."""


@dataclass(frozen=True, slots=True)
class SyncedNotes:
    """A scope's notes, and the directory by which sync knows them."""

    service: MemoryService
    directory: "Directory"


@dataclass(slots=True, eq=False)
class BackgroundSync:
    """A background service. `borrowed` lends the coordinator; while it runs, `coordinator` and `keys` are there."""

    notes: tuple[SyncedNotes, ...]
    borrowed: "Callable[[], AbstractAsyncContextManager[Coordinator]]"
    check_s: float
    name: str = "sync"
    keys: tuple[str, ...] = ()
    coordinator: "Coordinator | None" = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def start(self) -> None:
        """Begins; whether anybody is signed in is found out beside the conversation."""
        coordinator = await self._stack.enter_async_context(self.borrowed())
        self.coordinator = coordinator
        keys = []
        for one in self.notes:
            key = coordinator.attach(one.directory, self.check_s)
            keys.append(key)
            listener = partial(coordinator.wrote, key)
            one.service.listeners.append(listener)
            self._stack.callback(one.service.listeners.remove, listener)
        self.keys = tuple(keys)

    async def stop(self) -> None:
        """Takes along what was written last, for a few seconds at most, and leaves."""
        coordinator, keys = self.coordinator, self.keys
        self.coordinator, self.keys = None, ()
        try:
            if coordinator is not None:
                try:
                    await coordinator.leave(keys, LEAVE_SECONDS)
                finally:
                    for key in keys:
                        await coordinator.detach(key)
        finally:
            await self._stack.aclose()

    def used(self) -> None:
        """Somebody works in the project: a message was sent, or its page is open."""
        if self.coordinator is not None:
            for key in self.keys:
                self.coordinator.used(key)


def use_hook(background: BackgroundSync) -> RunHook:
    """A message that is sent is a use of the project."""

    async def on_start(run: RunContext) -> tuple[Notice, ...]:
        background.used()
        return ()

    return RunHook("sync", on_start=on_start)
