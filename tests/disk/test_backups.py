import hashlib
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from oharness.core.scopes import USER_SCOPE, project_scope
from oharness.disk.backups import BackupFailed, BackupReason, Backups, NoSuchBackup, SetAside
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile
from oharness.testing.clock import FakeClock
from oharness.testing.faults import FaultyFileSystem, full_disk_below, read_only_below
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.memory
SHOP = project_scope("shop-id")
NOTE = '---\r\n{"id":"a","summary":"S"}\r\n---\r\nüber\u2028\r\n'.encode()


@pytest.fixture
def backups(home: Path, tmp_path: Path) -> Backups:
    directories = {tmp_path / "shop/MEMORY": SHOP}
    return Backups(FileSystem(), Home(home), FakeClock(), SeededRandomness(), directories)


def version(tmp_path: Path, data: bytes = NOTE, note_id: str = "a") -> SetAside:
    return SetAside(SHOP, tmp_path / "shop/MEMORY", note_id, data, BackupReason.FORGET)


def old_backup(home: Path, folder: str, name: str = "1788000000000-a.md") -> str:
    path = home / "memory-backups" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(NOTE)
    return f"{folder}/{name.removesuffix('.md')}"


def test_a_backup_holds_the_exact_bytes_with_when_why_and_where(backups: Backups, tmp_path: Path, home: Path) -> None:
    name = backups.save(version(tmp_path))
    written = json.loads((home / "memory-backups" / f"{name}.json").read_text())
    assert written == {
        "version": 1,
        "id": "a",
        "scope": "project",
        "projectId": "shop-id",
        "directory": str(tmp_path / "shop/MEMORY"),
        "when": FakeClock().now_ms(),
        "reason": "forget",
        "note": NOTE.decode(),
    }
    read = backups.get(name)
    assert (read.data, read.scope, read.directory) == (NOTE, SHOP, tmp_path / "shop/MEMORY")
    assert backups.latest() == [read]


def test_damaged_bytes_are_kept_too(backups: Backups, tmp_path: Path) -> None:
    damaged = b"\xff\xfe\0 not text"
    name = backups.save(SetAside(USER_SCOPE, tmp_path, "what ever?.md", damaged, BackupReason.DAMAGE))
    read = backups.get(name)
    assert (read.data, read.note_id, read.scope) == (damaged, "what ever?.md", USER_SCOPE)


def test_names_stay_apart_within_a_millisecond_and_even_when_chance_repeats(tmp_path: Path, home: Path) -> None:
    names = []
    for _ in range(3):
        fresh = Backups(FileSystem(), Home(home), FakeClock(), SeededRandomness("same"))
        names += fresh.save_many([version(tmp_path), version(tmp_path)])
    assert len(set(names)) == 6
    assert len(list((home / "memory-backups").iterdir())) == 6


def test_the_latest_fifty_are_listed_latest_first(tmp_path: Path, home: Path) -> None:
    clock = FakeClock()
    backups = Backups(FileSystem(), Home(home), clock, SeededRandomness())
    for number in range(60):
        backups.save(version(tmp_path, note_id=f"n-{number}"))
        clock.advance(1)
    assert [backup.note_id for backup in backups.latest()] == [f"n-{number}" for number in range(59, 9, -1)]


def test_backups_are_private(backups: Backups, tmp_path: Path, home: Path) -> None:
    name = backups.save(version(tmp_path))
    assert (home / "memory-backups").stat().st_mode & 0o777 == 0o700
    assert (home / "memory-backups" / f"{name}.json").stat().st_mode & 0o777 == 0o600


def test_many_backups_are_flushed_once(tmp_path: Path, home: Path) -> None:
    files = FaultyFileSystem()
    Backups(files, Home(home), FakeClock(), SeededRandomness()).save_many([version(tmp_path)] * 20)
    assert [operation for operation, _ in files.operations].count("flush") == 1


@pytest.mark.parametrize("fault", [full_disk_below, read_only_below])
def test_a_backup_that_cannot_be_written_is_an_error(tmp_path: Path, home: Path, fault: object) -> None:
    assert callable(fault)
    files = FaultyFileSystem(fault(home))
    with pytest.raises(BackupFailed):
        Backups(files, Home(home), FakeClock(), SeededRandomness()).save(version(tmp_path))


def test_a_damaged_backup_file_hides_no_other(backups: Backups, tmp_path: Path, home: Path) -> None:
    name = backups.save(version(tmp_path))
    broken = "1789000000001-b-aaaaaa"
    (home / "memory-backups" / f"{broken}.json").write_text("{")
    (home / "memory-backups" / "notes.txt").write_text("not ours")
    assert [backup.name for backup in backups.latest()] == [name]
    with pytest.raises(BrokenFile):
        backups.get(broken)


@pytest.mark.parametrize(
    "name", ["nothing", "../config", "a/../../x", "x/../../1788000000000-a", "1788000000000-a", ""]
)
def test_an_unknown_name_is_not_found_and_leads_nowhere(backups: Backups, name: str) -> None:
    with pytest.raises(NoSuchBackup):
        backups.get(name)


def test_without_backups_the_list_is_empty_and_no_folder_is_made(backups: Backups, home: Path) -> None:
    assert backups.latest() == []
    assert not home.exists()


def test_old_backups_are_listed_with_an_unknown_reason(backups: Backups, tmp_path: Path, home: Path) -> None:
    directory = tmp_path / "shop/MEMORY"
    digest = hashlib.sha256(str(directory).encode()).hexdigest()
    dashed = "".join(mark if mark.isalnum() else "-" for mark in str(directory))
    for folder in (quote(str(directory), safe=""), digest, digest[:16], dashed, SHOP.digest, "shop-id"):
        backup = backups.get(old_backup(home, folder))
        assert (backup.directory, backup.scope, backup.reason) == (directory, SHOP, "unknown"), folder
        assert (backup.note_id, backup.when, backup.data) == ("a", 1_788_000_000_000, NOTE)
    assert len(backups.latest()) == 6


def test_a_backup_that_names_no_project_is_of_the_one_whose_notes_lay_there(
    backups: Backups, tmp_path: Path, home: Path
) -> None:
    name = "1789000000000-a-aaaaaa"
    content = {"id": "a", "scope": "project", "directory": str(tmp_path / "shop/MEMORY"), "when": 1789000000000}
    (home / "memory-backups").mkdir(parents=True)
    (home / "memory-backups" / f"{name}.json").write_text(
        json.dumps(content | {"reason": "forget", "note": NOTE.decode()})
    )
    assert backups.get(name).scope == SHOP


def test_old_user_backups_and_written_directories_are_found(backups: Backups, tmp_path: Path, home: Path) -> None:
    assert backups.get(old_backup(home, "user")).directory == home / "memory/user"
    name = old_backup(home, "abc123")
    assert backups.get(name).directory is None
    (home / "memory-backups/abc123/directory.txt").write_text(f"{tmp_path}/elsewhere\n")
    assert backups.get(name).directory == tmp_path / "elsewhere"


def test_all_backups_of_a_note_can_be_found_and_removed(backups: Backups, tmp_path: Path, home: Path) -> None:
    names = backups.save_many([version(tmp_path), version(tmp_path, note_id="ab"), version(tmp_path)])
    old = old_backup(home, "shop-id")
    found = backups.latest_of(SHOP, "a")
    assert {backup.name for backup in found} == {names[0], names[2], old}
    for backup in found:
        backups.remove(backup.name)
    assert [backup.name for backup in backups.latest()] == [names[1]]
