"""Tells an open page that something changed: written here, by another process, an editor, or by sync.

While nobody listens nothing runs. An open page counts as use of the project.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from oharness.core.errors import OharnessError
from oharness.disk.filesystem import FileSystem
from oharness.memory.scopes import Memory
from oharness.plugins.memory.background import BackgroundSync
from oharness.plugins.memory.page.shelf import Shelves
from oharness.sync.watching import best_watch

Listener = Callable[[], None]
_CONFLICTS = "conflicts"


@dataclass(slots=True, eq=False)
class Live:
    """The listeners of one page, and what has to run for them."""

    memory: Memory
    background: BackgroundSync | None
    shelves: Shelves
    _listeners: list[Listener] = field(default_factory=list)
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _running: "asyncio.Task[None] | None" = None
    _looks: dict[Path, object] = field(default_factory=dict)
    _leave: list[Callable[[], None]] = field(default_factory=list)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tells of every change until what is given back is called. To be called in the event loop."""
        with self._turn:
            self._listeners.append(listener)
        if self._running is None:
            self._begin()

        def leave() -> None:
            with self._turn, suppress(ValueError):
                self._listeners.remove(listener)
            if not self._listeners:
                self._end()

        return leave

    def tell(self) -> None:
        """Something changed. May be called from any thread."""
        with self._turn:
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def opened(self) -> None:
        """The page is open in some browser."""
        if self.background is not None:
            self.background.used()

    def _begin(self) -> None:
        coordinator = self.background.coordinator if self.background else None
        if coordinator is not None:
            self._leave.append(coordinator.listen(lambda _: self._passed()))
            self._leave.append(coordinator.listen_to_holds(self.tell))
        for service in self.memory.services():
            service.listeners.append(self.tell)
            self._leave.append(_remover(service.listeners, self.tell))
        self._running = asyncio.get_running_loop().create_task(self._watch(), name="memory page watch")

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
        for leave in self._leave:
            leave()
        self._leave.clear()

    def _passed(self) -> None:
        """A pass is over; what it wrote it wrote past the services."""
        self.shelves.make_unseen()
        self.tell()

    async def _watch(self) -> None:
        around = self.memory.around
        watch = best_watch(around.files, around.clock)
        watch.follow(self._folders())
        waiting: set[Path] = set()
        awake = asyncio.Event()

        def may_have_changed(folder: Path) -> None:
            waiting.add(folder)
            awake.set()

        async def look() -> None:
            while True:
                await awake.wait()
                awake.clear()
                folders, found = sorted(waiting), False
                waiting.clear()
                for folder in folders:
                    found = await asyncio.to_thread(self._differs, folder) or found
                if found:
                    self.tell()

        await asyncio.to_thread(self._look_at_notes)
        self.shelves.is_watched = True
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(watch.run(may_have_changed))
                group.create_task(look())
        finally:
            self.shelves.is_watched = False

    def _folders(self) -> list[Path]:
        home = self.memory.around.home
        notes = [service.folder.path for service in self.memory.services()]
        states = [one.directory.state.folder for one in self.background.notes] if self.background else []
        conflicts = [folder / _CONFLICTS for folder in states]
        return [home.root, home.backups, *notes, *states, *conflicts]

    def _differs(self, folder: Path) -> bool:
        if any(service.folder.path == folder for service in self.memory.services()):
            return self._look_at_notes()
        home = self.memory.around.home
        names = (home.plugins_file.name, home.cloud_file.name, home.credentials_file.name)
        found = _appearance(self.memory.around.files, folder, names if folder == home.root else ())
        before, self._looks[folder] = self._looks.get(folder), found
        return before is not None and before != found

    def _look_at_notes(self) -> bool:
        try:
            return self.shelves.look()
        except OharnessError:
            return True  # the page says why


def _appearance(files: FileSystem, folder: Path, names: tuple[str, ...]) -> Mapping[str, object]:
    try:
        listed = files.list_directory(folder).files
    except OSError:
        return {}
    return {one.name: one for one in listed if not names or one.name in names}


def _remover(listeners: list[Listener], listener: Listener) -> Callable[[], None]:
    def remove() -> None:
        with suppress(ValueError):
            listeners.remove(listener)

    return remove
