"""Tells when something may have changed in a folder: by the system's own events, else by looking again and again.

Events need the extra `watch`. They may be lost (network drives, too many folders), so whoever is told looks for
himself, and looks now and then without having been told.
"""

import asyncio
import importlib.util
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from oharness.core.clock import Clock
from oharness.disk.filesystem import FileSystem

LOOK_EVERY_S = 1.5
_LARGEST_SHARE = 0.004
"""Of the time at most this part goes into looking; folders with thousands of files are looked at less often."""
_EVENTS_TOGETHER_MS = 1000
_QUIET_MS = 100
"""An event is passed on after so long without another one; it is also how often the watching thread wakes up."""
_LOST_FOLDER_EVERY_S = 5.0

Tell = Callable[[Path], None]


class Watch(Protocol):
    """Watches the files directly in some folders."""

    def follow(self, folders: Iterable[Path]) -> None:
        """From now on these and no others; one that is not there yet may come."""
        ...

    async def run(self, tell: Tell) -> None:
        """Calls `tell` with a folder in which something may have changed, until it is cancelled."""
        ...


class NoWatch:
    """Nobody watches: for those who tell everything themselves."""

    def follow(self, folders: Iterable[Path]) -> None:
        """Nothing to do."""

    async def run(self, tell: Tell) -> None:
        await asyncio.get_running_loop().create_future()


class Polling:
    """Looks at how the files look, every second or two."""

    def __init__(self, files: FileSystem, clock: Clock) -> None:
        self._files = files
        self._clock = clock
        self._folders: frozenset[Path] = frozenset()
        self._looks: dict[Path, object] = {}

    def follow(self, folders: Iterable[Path]) -> None:
        self._folders = frozenset(folders)

    async def run(self, tell: Tell) -> None:
        while True:
            began = self._clock.monotonic()
            for folder in sorted(self._folders):
                await self._look(folder, tell)
            self._looks = {folder: self._looks[folder] for folder in self._folders if folder in self._looks}
            took = self._clock.monotonic() - began
            await self._clock.sleep(max(LOOK_EVERY_S, took / _LARGEST_SHARE))

    async def _look(self, folder: Path, tell: Tell) -> None:
        found = await asyncio.to_thread(self._appearance, folder)
        before = self._looks.get(folder)
        self._looks[folder] = found
        if before is not None and before != found:
            tell(folder)

    def _appearance(self, folder: Path) -> object:
        try:
            return frozenset(self._files.list_directory(folder).files)
        except OSError:
            return "not there"


class Events:
    """The events of the system, through `watchfiles`; falls back to looking where the system gives none."""

    def __init__(self, files: FileSystem, clock: Clock) -> None:
        self._fallback = Polling(files, clock)
        self._files = files
        self._clock = clock
        self._folders: frozenset[Path] = frozenset()
        self._changed = asyncio.Event()
        self.gives_events = True
        """False once the system gave none, or no more; from then on it is looked."""

    def follow(self, folders: Iterable[Path]) -> None:
        before, self._folders = self._folders, frozenset(folders)
        self._fallback.follow(self._folders)
        if before != self._folders:
            self._changed.set()

    async def run(self, tell: Tell) -> None:
        while self.gives_events:
            self._changed.clear()
            await self._until_folders_change(await asyncio.to_thread(self._present), tell)
            for folder in self._folders:  # what happened while nobody watched
                tell(folder)
        await self._fallback.run(tell)

    async def _until_folders_change(self, present: dict[Path, int], tell: Tell) -> None:
        async with asyncio.TaskGroup() as group:
            stop = asyncio.Event()
            group.create_task(self._stop_when_others(present, stop))
            if present:
                group.create_task(self._pass_on(present, tell, stop))

    async def _pass_on(self, present: dict[Path, int], tell: Tell, stop: asyncio.Event) -> None:
        from watchfiles import awatch

        watching = awatch(*present, recursive=False, debounce=_EVENTS_TOGETHER_MS, step=_QUIET_MS, stop_event=stop)
        try:
            async for changes in watching:
                paths = {Path(changed) for _, changed in changes}
                for folder in {path.parent for path in paths}:
                    tell(folder)
                if not paths.isdisjoint(present):
                    # it went or was moved, and the watch went with it; the one there now may have its number
                    stop.set()
        except FileNotFoundError:  # it went before it was watched
            await self._clock.sleep(LOOK_EVERY_S)
            stop.set()
        except (OSError, RuntimeError):  # the system watches no more folders for us
            self.gives_events = False
            stop.set()

    async def _stop_when_others(self, present: dict[Path, int], stop: asyncio.Event) -> None:
        """A folder that comes, goes or is put in another's place has to be watched anew."""
        while not stop.is_set() and not self._changed.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOST_FOLDER_EVERY_S):
                    await self._changed.wait()
            if await asyncio.to_thread(self._present) != present:
                break
        stop.set()

    def _present(self) -> dict[Path, int]:
        found: dict[Path, int] = {}
        for folder in self._folders:
            with suppress(OSError):
                found[folder] = self._files.status(folder).st_ino
        return found


def best_watch(files: FileSystem, clock: Clock) -> Watch:
    """Events where their package is installed, else looking."""
    if importlib.util.find_spec("watchfiles") is not None:
        return Events(files, clock)
    return Polling(files, clock)
