"""A crash at every file operation of remember, update, forget and restore, and what the next process finds."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.disk.atomic import is_temporary
from oharness.disk.filesystem import FileSystem
from oharness.memory.forget import forget
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.restoring import restore_backup
from oharness.memory.scopes import Memory
from oharness.notes.frontmatter import parse_note
from oharness.notes.note import Note
from oharness.testing.faults import Crashed, FaultyFileSystem, counted

pytestmark = pytest.mark.memory
World = Any
Act = Callable[[Memory], object]
OLD, NEW = "the old body\n" * 300, "the new body\n" * 400


def update(memory: Memory) -> object:
    return remember(memory, RememberRequest(id="a", body=NEW))


def create(memory: Memory) -> object:
    return remember(memory, RememberRequest(summary="A new one", body=NEW, id="b", scope=ScopeKind.PROJECT))


def forget_it(memory: Memory) -> object:
    return forget(memory, "a", None)


def restore_it(memory: Memory) -> object:
    oldest = [backup.name for backup in memory.backups.latest()][-1:]
    return [restore_backup(memory, name) for name in oldest]


def fresh(world: World, act: Act) -> None:
    """The same beginning each time: note a, and for restoring a backup of another version of it."""
    for folder in (world.root, world.home):
        shutil.rmtree(folder, ignore_errors=True)
    world.root.mkdir()
    world.put("a", body=OLD.strip())
    memory = world.open()
    if act is restore_it:
        remember(memory, RememberRequest(id="a", body=NEW))


def crashes(world: World, act: Act) -> Iterator[FaultyFileSystem]:
    """The file system after a crash at operation 0, 1, 2 … of `act` alone, not of opening the memory."""
    return faults(world, act, Crashed)


def faults(world: World, act: Act, failure: Callable[[], BaseException]) -> Iterator[FaultyFileSystem]:
    for number in range(500):
        fresh(world, act)
        switch = Switch()
        files = FaultyFileSystem(switch)
        memory = world.open(files)
        switch.fault = counted(number, failure())
        files.operations.clear()
        with suppress(Crashed, OharnessError):
            act(memory)
        yield files
        if len(files.operations) <= number:
            assert number > 4
            return
    raise AssertionError("the operation never came to its end")


class Switch:
    """A fault that begins later."""

    def __init__(self) -> None:
        self.fault: Callable[[str, Path], None] = lambda operation, path: None

    def __call__(self, operation: str, path: Path) -> None:
        self.fault(operation, path)


def whole_notes(world: World) -> dict[str, Note]:
    """Every file a later process could take for a note, which must parse."""
    names = [path.name for path in world.notes.iterdir() if not is_temporary(path.name)]
    return {name: parse_note((world.notes / name).read_bytes(), name) for name in names}


def backed_up(world: World) -> set[str]:
    return {parse_note(backup.data, "a.md").body for backup in world.open().backups.latest()}


def then_power_fails(world: World, files: FaultyFileSystem) -> Iterator[None]:
    """Looks once after the crash of the process, and once more as if the machine had lost power there."""
    yield
    files.power_is_lost(world.root)
    files.power_is_lost(world.home)
    yield


def test_an_update_leaves_the_old_or_the_new_version_whole_with_a_backup(world: World) -> None:
    for files in crashes(world, update):
        for _ in then_power_fails(world, files):
            body = whole_notes(world)["a.md"].body
            assert body in (OLD.strip(), NEW.strip())
            if body == NEW.strip():
                assert backed_up(world) == {OLD.strip()}


def test_a_new_note_is_there_whole_or_not_at_all(world: World) -> None:
    for files in crashes(world, create):
        for _ in then_power_fails(world, files):
            notes = whole_notes(world)
            assert notes["a.md"].body == OLD.strip()
            assert "b.md" not in notes or notes["b.md"].body == NEW.strip()


def test_a_forgotten_note_is_there_whole_or_in_a_backup_with_its_intent(world: World) -> None:
    for files in crashes(world, forget_it):
        for _ in then_power_fails(world, files):
            is_gone = "a.md" not in whole_notes(world)
            again = world.open()
            assert again.project.changes.pending() == (["a"] if is_gone else [])
            assert (again.project.entry("a") is None) is is_gone
            if is_gone:
                assert backed_up(world) == {OLD.strip()}


def test_restoring_leaves_one_of_both_versions_and_both_can_be_had(world: World) -> None:
    for files in crashes(world, restore_it):
        for _ in then_power_fails(world, files):
            body = whole_notes(world)["a.md"].body
            assert {body, *backed_up(world)} == {OLD.strip(), NEW.strip()}


@pytest.mark.parametrize("act", [create, update, forget_it, restore_it])
def test_after_a_crash_anywhere_the_same_can_simply_be_done_again(world: World, act: Act) -> None:
    for files in crashes(world, act):
        if not files.crashed:
            continue
        memory = world.open()
        with suppress(OharnessError):  # forgetting what is gone already
            act(memory)
        notes = whole_notes(world)
        assert ("a.md" in notes) is (act is not forget_it)
        assert ("b.md" in notes) is (act is create)
        if act is update:
            assert notes["a.md"].body == NEW.strip()


@pytest.mark.parametrize("act", [create, update, forget_it, restore_it])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_an_operation_that_fails_is_told_and_no_version_is_lost(world: World, act: Act, number: int) -> None:
    for files in faults(world, act, lambda: OSError(number, os.strerror(number))):
        notes = whole_notes(world)
        assert {note.body for note in notes.values()} | backed_up(world) >= {OLD.strip()}
        assert files.operations


def test_leftovers_of_crashes_disappear_with_a_later_write(world: World) -> None:
    seen = 0
    for files in crashes(world, update):
        leftovers = [path for path in world.notes.iterdir() if is_temporary(path.name)]
        seen += len(leftovers)
        for path in leftovers:
            os.utime(path, (1_788_000_000, 1_788_000_000))
        remember(world.open(FileSystem()), RememberRequest(summary="Later", id="later", scope=ScopeKind.PROJECT))
        assert [path.name for path in world.notes.iterdir() if is_temporary(path.name)] == []
        assert files.operations
    assert seen
