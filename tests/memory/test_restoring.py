import json
import shutil
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from oharness.core.scopes import ScopeKind
from oharness.disk.backups import NoSuchBackup
from oharness.memory.forget import forget
from oharness.memory.remember import Remembered
from oharness.memory.restoring import NotRestorable, list_backups, restore_backup, versions_of
from oharness.notes.frontmatter import parse_note

pytestmark = pytest.mark.memory
World = Any
Write = Callable[..., Remembered]


def body_of(world: World, note_id: str = "a") -> str:
    path = world.notes / f"{note_id}.md"
    return parse_note(path.read_bytes(), path.name).body


def test_the_present_version_is_backed_up_before_an_older_one_comes_back(world: World, write: Write) -> None:
    world.put("a", body="first")
    memory = world.open()
    update = write(memory, None, id="a", body="second")
    assert update.backup is not None
    done = restore_backup(memory, update.backup)
    assert body_of(world) == "first"
    assert done.replaced is not None
    restore_backup(memory, done.replaced)
    assert body_of(world) == "second"
    assert [one.backup.reason for one in list_backups(memory)] == ["restore", "restore", "update"]


def test_restoring_what_is_there_already_changes_nothing(world: World) -> None:
    path = world.put("a", body="first")
    memory = world.open()
    backup = forget(memory, "a", None).backup
    restore_backup(memory, backup)
    stamp = path.stat().st_mtime_ns
    assert restore_backup(memory, backup).replaced is None
    assert path.stat().st_mtime_ns == stamp
    assert len(list_backups(memory)) == 1


def test_a_damaged_file_in_the_way_is_backed_up_byte_for_byte(world: World) -> None:
    path = world.put("a", body="first")
    memory = world.open()
    backup = forget(memory, "a", None).backup
    path.write_bytes(b"\xff\0 damaged")
    done = restore_backup(memory, backup)
    assert body_of(world) == "first"
    assert done.replaced is not None
    assert memory.backups.get(done.replaced).data == b"\xff\0 damaged"
    assert [one.restorable for one in list_backups(memory)] == [False, True]
    with pytest.raises(NotRestorable):
        restore_backup(memory, done.replaced)


def test_a_user_note_goes_back_to_the_user(world: World, write: Write) -> None:
    memory = world.open()
    write(memory, id="tea", scope=ScopeKind.USER)
    backup = forget(memory, "tea", None).backup
    assert restore_backup(world.open_outside(), backup).scope is ScopeKind.USER
    assert (world.home / "memory/user/tea.md").exists()


def test_a_note_of_another_project_goes_back_to_that_project(world: World, tmp_path: Any) -> None:
    path = world.put("a", body="first")
    backup = forget(world.open(), "a", None).backup
    (tmp_path / "other").mkdir()
    elsewhere = world.open(root=tmp_path / "other")
    assert restore_backup(elsewhere, backup).path == path
    assert list((tmp_path / "other/MEMORY").iterdir()) == []
    world.open()
    assert body_of(world) == "first"


def test_after_a_rename_it_goes_to_where_the_project_is_now(world: World, tmp_path: Any) -> None:
    world.put("a", body="first")
    backup = forget(world.open(), "a", None).backup
    world.root.rename(tmp_path / "store")
    memory = world.open(root=tmp_path / "store")
    assert restore_backup(memory, backup).path == tmp_path / "store/MEMORY/a.md"
    assert not world.root.exists()


def test_after_a_rename_a_note_still_has_its_earlier_versions(world: World, write: Write, tmp_path: Any) -> None:
    world.put("a", body="first")
    write(world.open(), None, id="a", body="second")
    world.root.rename(tmp_path / "store")
    memory = world.open(root=tmp_path / "store")
    [version] = versions_of(memory, memory.service(ScopeKind.PROJECT), "a")
    assert (version.restorable, version.into) == (True, tmp_path / "store/MEMORY")
    assert versions_of(memory, memory.service(ScopeKind.USER), "a") == []


def test_a_project_that_is_gone_is_said_so(world: World) -> None:
    world.put("a", body="first")
    backup = forget(world.open(), "a", None).backup
    shutil.rmtree(world.root)
    memory = world.open_outside()
    assert [one.restorable for one in list_backups(memory)] == [False]
    with pytest.raises(NotRestorable) as caught:
        restore_backup(memory, backup)
    assert caught.value.reason == "directory-gone"


def test_an_old_backup_goes_back_to_the_directory_its_folder_names(world: World) -> None:
    path = world.put("a", body="old one")
    memory = world.open()
    for folder in (quote(str(world.notes), safe=""), "unknown-folder"):
        place = world.home / "memory-backups" / folder
        place.mkdir(parents=True)
        (place / "1788000000000-a.md").write_bytes(path.read_bytes())
    path.unlink()
    listed = {one.backup.name: (one.restorable, one.backup.reason) for one in list_backups(memory)}
    named = f"{quote(str(world.notes), safe='')}/1788000000000-a"
    assert listed == {named: (True, "unknown"), "unknown-folder/1788000000000-a": (False, "unknown")}
    restore_backup(memory, named)
    assert body_of(world) == "old one"
    with pytest.raises(NotRestorable):
        restore_backup(memory, "unknown-folder/1788000000000-a")


def test_an_unknown_backup_is_not_found(world: World) -> None:
    with pytest.raises(NoSuchBackup):
        restore_backup(world.open(), "1788000000000-a-abcdef")


def test_a_restored_note_is_what_it_was_to_the_byte(world: World) -> None:
    path = world.put("a", body="first", tags=("x",), extra={"mine": [1, {"deep": True}]})
    before = path.read_bytes()
    memory = world.open()
    world.clock.advance(1000)
    restore_backup(memory, forget(memory, "a", None).backup)
    assert path.read_bytes() == before
    assert json.loads(before.decode().split("\n")[1])["mine"] == [1, {"deep": True}]
