from collections.abc import Callable
from typing import Any

import pytest

from oharness.core.errors import Failed
from oharness.core.scopes import ScopeKind
from oharness.disk.backups import BackupFailed
from oharness.memory.forget import forget
from oharness.memory.remember import Remembered
from oharness.memory.restoring import restore_backup
from oharness.memory.scopes import NoProjectHere
from oharness.memory.service import NoteNotFound
from oharness.notes.problems import NotANote
from oharness.testing.faults import FaultyFileSystem, full_disk_below

pytestmark = pytest.mark.memory
World = Any
Write = Callable[..., Remembered]


def test_a_forgotten_note_is_gone_and_can_be_had_back(world: World) -> None:
    path = world.put("prices", body="In cents.")
    before = path.read_bytes()
    memory = world.open()
    done = forget(memory, "prices", None)
    assert not path.exists()
    assert memory.project.entry("prices") is None
    assert memory.project.changes.pending() == ["prices"]
    assert (done.id, done.scope) == ("prices", ScopeKind.PROJECT)
    restore_backup(memory, done.backup)
    assert path.read_bytes() == before
    assert memory.project.entry("prices") is not None
    assert memory.project.changes.pending() == []


@pytest.mark.parametrize("asked", ["pric", "prices-3f", "PRICES-3FA", "prices-3fb", "prices-3fa.md", " prices-3fa"])
def test_only_the_exact_id_forgets_and_near_ones_are_suggested(world: World, asked: str) -> None:
    path = world.put("prices-3fa")
    with pytest.raises(NoteNotFound) as caught:
        forget(world.open(), asked, None)
    assert caught.value.close == ("prices-3fa",)
    assert path.exists()


@pytest.mark.parametrize("asked", ["", "nothing-like-it", "../../etc/passwd"])
def test_an_unknown_id_is_not_found(world: World, asked: str) -> None:
    world.put("prices-3fa")
    with pytest.raises(NoteNotFound) as caught:
        forget(world.open(), asked, None)
    assert caught.value.close == ()


def test_another_scope_s_id_is_not_found_in_the_scope_that_was_named(world: World) -> None:
    theirs = world.put("habits", folder=world.home / "memory/user")
    memory = world.open()
    with pytest.raises(NoteNotFound):
        forget(memory, "habits", ScopeKind.PROJECT)
    assert theirs.exists()
    assert forget(memory, "habits", None).scope is ScopeKind.USER
    assert memory.user.changes.pending() == ["habits"]


def test_of_two_notes_with_one_id_the_project_s_goes_first(world: World) -> None:
    world.put("habits")
    theirs = world.put("habits", folder=world.home / "memory/user")
    memory = world.open()
    assert forget(memory, "habits", None).scope is ScopeKind.PROJECT
    assert theirs.exists()


def test_a_damaged_file_is_not_forgotten_by_accident(world: World) -> None:
    path = world.put("broken", "no frontmatter")
    with pytest.raises(NotANote):
        forget(world.open(), "broken", None)
    assert path.read_text() == "no frontmatter"


def test_without_a_backup_nothing_is_deleted(world: World) -> None:
    path = world.put("prices")
    memory = world.open(FaultyFileSystem(full_disk_below(world.home / "memory-backups")))
    with pytest.raises(BackupFailed):
        forget(memory, "prices", None)
    assert path.exists()


def test_without_an_intent_nothing_is_deleted(world: World) -> None:
    path = world.put("prices")
    memory = world.open(FaultyFileSystem(full_disk_below(world.home / "memory-sync")))
    with pytest.raises(Failed):
        forget(memory, "prices", None)
    assert path.exists()


def test_outside_a_project_the_project_scope_is_said_to_be_missing(world: World) -> None:
    with pytest.raises(NoProjectHere):
        forget(world.open_outside(), "prices", ScopeKind.PROJECT)


def test_writing_a_note_again_withdraws_the_intent(world: World, write: Write) -> None:
    world.put("prices")
    memory = world.open()
    forget(memory, "prices", None)
    write(memory, id="prices")
    assert memory.project.changes.pending() == []
