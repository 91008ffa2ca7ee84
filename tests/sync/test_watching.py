"""Folders stay watched whatever becomes of them: by the system's events and by looking, on real files."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from oharness.core.clock import Clock
from oharness.disk.filesystem import FileSystem
from oharness.sync.watching import Events, Polling, Watch
from oharness.system import SystemClock

pytestmark = pytest.mark.sync

Kind = Callable[[FileSystem, Clock], Watch]
kinds = pytest.mark.parametrize("kind", [Events, Polling], ids=["events", "looking"])


class QuickClock(SystemClock):
    """Does not wait for long."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(min(seconds, 0.2))


class NumbersAgain(FileSystem):
    """A file system that gives a new folder the number of the one that went, as most may do."""

    def status(self, path: Path) -> os.stat_result:
        found = super().status(path)
        return os.stat_result((found.st_mode, 4711, *found[2:]))


class Watched:
    """What a watch told of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._told = asyncio.Event()

    def tell(self, folder: Path) -> None:
        if folder == self.folder:
            self._told.set()

    async def until_told_of_a_write(self) -> None:
        """Writes until a write is told of: a watch that has just begun may not have looked yet."""
        number = 0
        async with asyncio.timeout(60):
            while True:
                self._told.clear()
                (self.folder / f"n-{number}.md").write_text("text")
                number += 1
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._told.wait(), 2)
                    return

    async def is_quiet(self) -> None:
        """Returns when nothing was told for longer than events are collected or looks are apart."""
        while True:
            self._told.clear()
            try:
                await asyncio.wait_for(self._told.wait(), 1.5)
            except TimeoutError:
                return

    async def until_told(self) -> None:
        await asyncio.wait_for(self._told.wait(), 60)

    def forget(self) -> None:
        self._told.clear()


@contextlib.asynccontextmanager
async def watching(kind: Kind, folder: Path, files: FileSystem | None = None) -> AsyncIterator[Watched]:
    watch, watched = kind(files or FileSystem(), QuickClock()), Watched(folder)
    watch.follow([folder])
    running = asyncio.create_task(watch.run(watched.tell))
    try:
        yield watched
        assert not running.done()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@kinds
async def test_a_folder_that_is_deleted_and_made_anew_at_once_is_still_watched(kind: Kind, tmp_path: Path) -> None:
    folder = tmp_path / "MEMORY"
    folder.mkdir()
    async with watching(kind, folder, NumbersAgain()) as watched:
        await watched.until_told_of_a_write()
        shutil.rmtree(folder)
        folder.mkdir()
        await watched.is_quiet()
        (folder / "late.md").write_text("text")
        await watched.until_told()


@kinds
async def test_a_folder_that_another_was_moved_in_place_of_is_still_watched(kind: Kind, tmp_path: Path) -> None:
    folder, other = tmp_path / "MEMORY", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    async with watching(kind, folder) as watched:
        await watched.until_told_of_a_write()
        folder.rename(tmp_path / "old")
        other.rename(folder)
        await watched.is_quiet()
        (folder / "late.md").write_text("text")
        await watched.until_told()


@kinds
async def test_a_folder_whose_project_was_replaced_is_still_watched(kind: Kind, tmp_path: Path) -> None:
    folder = tmp_path / "shop" / "MEMORY"
    folder.mkdir(parents=True)
    (tmp_path / "clone" / "MEMORY").mkdir(parents=True)
    async with watching(kind, folder) as watched:
        await watched.until_told_of_a_write()
        (tmp_path / "shop").rename(tmp_path / "old")
        (tmp_path / "clone").rename(tmp_path / "shop")
        watched.forget()
        (folder / "late.md").write_text("text")
        await watched.until_told()
        await watched.is_quiet()
        (folder / "later.md").write_text("text")
        await watched.until_told()


@kinds
async def test_a_file_that_an_editor_puts_in_anothers_place_is_told(kind: Kind, tmp_path: Path) -> None:
    folder = tmp_path / "MEMORY"
    folder.mkdir()
    (folder / "a.md").write_text("one")
    async with watching(kind, folder) as watched:
        await watched.until_told_of_a_write()
        await watched.is_quiet()
        (folder / "a.md.new").write_text("two")
        (folder / "a.md.new").replace(folder / "a.md")
        await watched.until_told()


@kinds
async def test_a_folder_that_comes_later_is_watched_from_then_on(kind: Kind, tmp_path: Path) -> None:
    folder = tmp_path / "MEMORY"
    async with watching(kind, folder) as watched:
        await watched.is_quiet()
        folder.mkdir()
        await watched.until_told()
        await watched.is_quiet()
        (folder / "late.md").write_text("text")
        await watched.until_told()


async def test_a_folder_that_goes_while_it_is_about_to_be_watched_does_not_end_the_events(tmp_path: Path) -> None:
    folder = tmp_path / "MEMORY"
    folder.mkdir()

    class GoesAtOnce(FileSystem):
        looks = 0

        def status(self, path: Path) -> os.stat_result:
            found = super().status(path)
            GoesAtOnce.looks += 1
            if GoesAtOnce.looks == 1:
                folder.rmdir()
            return found

    watch, watched = Events(GoesAtOnce(), SystemClock()), Watched(folder)
    watch.follow([folder])
    running = asyncio.create_task(watch.run(watched.tell))
    try:
        await asyncio.sleep(0.5)
        folder.mkdir()
        await watched.until_told_of_a_write()
        assert watch.gives_events
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
