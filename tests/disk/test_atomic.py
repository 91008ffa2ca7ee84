import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from oharness.core.clock import Millis
from oharness.core.errors import StorageFailed
from oharness.disk.atomic import (
    LEFTOVER_AGE_MS,
    Absent,
    Anything,
    Holding,
    NewFiles,
    PlannedWrite,
    create_file,
    create_in_place,
    digest_of,
    ensure_directory,
    is_temporary,
    remove_files,
    remove_leftovers,
    write_file,
    write_files,
    write_unflushed,
)
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.testing.faults import (
    Crashed,
    FaultyFileSystem,
    every_crash,
    every_failure,
    full_disk_below,
    read_only_below,
)

pytestmark = pytest.mark.memory
OLD, NEW = b"the old version\n" * 400, b"the new version\n" * 500


def fresh_folders(tmp_path: Path) -> Iterator[Path]:
    for number in range(1000):
        folder = tmp_path / str(number)
        folder.mkdir()
        yield folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_unflushed_write_cut_off_anywhere_leaves_the_old_or_the_new_version_whole(tmp_path: Path) -> None:
    for folder, files in zip(fresh_folders(tmp_path), every_crash(), strict=False):
        target = folder / "a.md"
        target.write_bytes(OLD)
        with suppress(Crashed):
            write_unflushed(files, target, NEW)
        assert target.read_bytes() in (OLD, NEW)


def test_an_unflushed_write_that_fails_leaves_the_old_version_and_nothing_else(tmp_path: Path) -> None:
    failed = 0
    for folder, files in zip(fresh_folders(tmp_path), every_failure(errno.ENOSPC), strict=False):
        target = folder / "a.md"
        target.write_bytes(OLD)
        try:
            write_unflushed(files, target, NEW)
        except StorageFailed:
            failed += 1
            assert (target.read_bytes(), names(folder)) == (OLD, ["a.md"])
    assert failed > 1


def test_a_crash_at_any_operation_leaves_the_old_or_the_new_version_whole(tmp_path: Path) -> None:
    crashes = 0
    for folder, files in zip(fresh_folders(tmp_path), every_crash(), strict=False):
        target = folder / "a.md"
        target.write_bytes(OLD)
        with suppress(Crashed):
            write_file(files, target, NEW)
        assert target.read_bytes() in (OLD, NEW)
        assert [name for name in names(folder) if name != "a.md" and not is_temporary(name)] == []
        crashes += files.crashed
    assert crashes >= 4


def test_power_loss_at_any_operation_leaves_no_empty_file(tmp_path: Path) -> None:
    for folder, files in zip(fresh_folders(tmp_path), every_crash(), strict=False):
        target = folder / "a.md"
        target.write_bytes(OLD)
        with suppress(Crashed):
            write_files(files, [PlannedWrite(target, NEW, Anything()), PlannedWrite(folder / "b.md", NEW, Absent())])
        files.power_is_lost(folder)
        assert target.read_bytes() in (OLD, NEW)
        assert not (folder / "b.md").exists() or (folder / "b.md").read_bytes() == NEW


NEW_BY_NAME = {"b.md": NEW, "c.md": NEW + b"c", "d.md": NEW + b"d"}


def write_old_and_new(files: FileSystem, folder: Path) -> list[Path]:
    """One file over what is there and three that nobody saw, in one batch."""
    replaced = PlannedWrite(folder / "a.md", NEW, Holding(digest_of(OLD)))
    return write_files(files, [replaced], NewFiles(folder, NEW_BY_NAME))


def is_old_or_new(folder: Path) -> bool:
    """Whether every file of that batch is as it was or as planned."""
    present = {name: (folder / name).read_bytes() for name in names(folder) if not is_temporary(name)}
    return present.pop("a.md") in (OLD, NEW) and present.items() <= NEW_BY_NAME.items()


def test_a_crash_or_power_loss_in_a_batch_leaves_each_file_as_it_was_or_whole(tmp_path: Path) -> None:
    crashes = 0
    for folder, files in zip(fresh_folders(tmp_path), every_crash(), strict=False):
        (folder / "a.md").write_bytes(OLD)
        with suppress(Crashed):
            write_old_and_new(files, folder)
        assert is_old_or_new(folder)
        files.power_is_lost(folder)
        assert is_old_or_new(folder)
        crashes += files.crashed
    assert crashes >= 2 * len(NEW_BY_NAME)


def test_a_failure_in_a_batch_leaves_no_temporary_file_and_no_half(tmp_path: Path) -> None:
    failures: list[Path] = []
    for folder, files in zip(fresh_folders(tmp_path), every_failure(errno.ENOSPC), strict=False):
        (folder / "a.md").write_bytes(OLD)
        try:
            write_old_and_new(files, folder)
        except StorageFailed as error:
            failures.append(Path(error.path))
        assert not any(map(is_temporary, names(folder)))
        assert is_old_or_new(folder)
    assert len(failures) >= 2 * len(NEW_BY_NAME)
    assert {path.name for path in failures} <= {"a.md", *NEW_BY_NAME}


def test_a_batch_of_both_kinds_is_flushed_once_and_leaves_a_name_alone_that_was_taken_meanwhile(tmp_path: Path) -> None:
    files = FaultyFileSystem()
    (tmp_path / "a.md").write_bytes(OLD)
    (tmp_path / "c.md").write_bytes(b"another program's")
    assert write_old_and_new(files, tmp_path) == [tmp_path / "c.md"]
    assert [name for name, _ in files.operations].count("flush") == 1
    assert (tmp_path / "c.md").read_bytes() == b"another program's"
    assert names(tmp_path) == ["a.md", "b.md", "c.md", "d.md"]


def test_the_fault_model_does_lose_what_was_not_flushed(tmp_path: Path) -> None:
    files = FaultyFileSystem()
    files.write_new(tmp_path / "t", NEW, 0o600)
    files.replace(tmp_path / "t", tmp_path / "a.md")
    files.power_is_lost(tmp_path)
    assert (tmp_path / "a.md").read_bytes() == b""


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
def test_a_failure_at_any_operation_is_reported_with_its_path_and_leaves_no_temporary_file(
    tmp_path: Path, number: int
) -> None:
    failures: list[StorageFailed] = []
    for folder, files in zip(fresh_folders(tmp_path), every_failure(number), strict=False):
        target = folder / "a.md"
        target.write_bytes(OLD)
        try:
            write_file(files, target, NEW)
        except StorageFailed as error:
            failures.append(error)
        assert target.read_bytes() in (OLD, NEW)
        assert names(folder) == ["a.md"]
    assert len(failures) >= 3
    assert {(Path(error.path).name, error.reason) for error in failures} == {("a.md", os.strerror(number))}


def test_a_full_disk_keeps_the_old_file_and_cleans_up(tmp_path: Path) -> None:
    target = tmp_path / "a.md"
    target.write_bytes(OLD)
    with pytest.raises(StorageFailed) as caught:
        write_file(FaultyFileSystem(full_disk_below(tmp_path)), target, NEW)
    assert caught.value.reason == "No space left on device"
    assert target.read_bytes() == OLD
    assert names(tmp_path) == ["a.md"]


def test_a_read_only_folder_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed) as caught:
        ensure_directory(FaultyFileSystem(read_only_below(tmp_path)), tmp_path / "x" / "y", PRIVATE_DIRECTORY)
    assert caught.value.reason == "Read-only file system"


def test_a_folder_that_cannot_be_made_below_proc_is_said_so() -> None:
    with pytest.raises(StorageFailed):
        ensure_directory(FileSystem(), Path("/proc/oharness/x"), PRIVATE_DIRECTORY)


def test_a_file_where_a_folder_should_be_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder")
    with pytest.raises(StorageFailed):
        ensure_directory(FileSystem(), tmp_path / "home" / "memory", PRIVATE_DIRECTORY)
    with pytest.raises(StorageFailed):
        ensure_directory(FileSystem(), tmp_path / "home", PRIVATE_DIRECTORY)


def test_made_folders_are_private_with_their_parents(tmp_path: Path) -> None:
    ensure_directory(FileSystem(), tmp_path / "home" / "memory", PRIVATE_DIRECTORY)
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "home" / "memory").stat().st_mode & 0o777 == 0o700


def test_a_file_that_changed_since_it_was_read_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "a.md"
    target.write_bytes(b"edited by hand")
    assert write_files(FileSystem(), [PlannedWrite(target, NEW, Holding(digest_of(OLD)))]) == [target]
    assert target.read_bytes() == b"edited by hand"
    assert names(tmp_path) == ["a.md"]


def test_a_file_that_appeared_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "a.md"
    target.write_bytes(OLD)
    assert create_file(FileSystem(), target, NEW) is False
    assert target.read_bytes() == OLD
    assert names(tmp_path) == ["a.md"]


def test_a_file_that_went_away_is_not_brought_back(tmp_path: Path) -> None:
    target = tmp_path / "a.md"
    assert write_files(FileSystem(), [PlannedWrite(target, NEW, Holding(digest_of(OLD)))]) == [target]
    assert names(tmp_path) == []


def test_a_link_is_never_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(OLD)
    (tmp_path / "a.md").symlink_to(outside)
    assert write_files(FileSystem(), [PlannedWrite(tmp_path / "a.md", NEW, Holding(digest_of(OLD)))])
    assert create_file(FileSystem(), tmp_path / "a.md", NEW) is False
    assert outside.read_bytes() == OLD
    assert (tmp_path / "a.md").is_symlink()


def test_a_batch_is_flushed_once_and_one_changed_file_holds_back_only_itself(tmp_path: Path) -> None:
    files = FaultyFileSystem()
    (tmp_path / "1.md").write_bytes(b"edited")
    writes = [PlannedWrite(tmp_path / f"{n}.md", NEW, Absent()) for n in range(20)]
    assert write_files(files, writes) == [tmp_path / "1.md"]
    assert [name for name, _ in files.operations].count("flush") == 1
    assert [name for name, _ in files.operations].count("flush directory") == 1
    assert len(names(tmp_path)) == 20


def test_a_replaced_file_keeps_its_permissions_and_a_new_one_is_private(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(OLD)
    (tmp_path / "a.md").chmod(0o640)
    write_file(FileSystem(), tmp_path / "a.md", NEW)
    write_file(FileSystem(), tmp_path / "b.md", NEW)
    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "b.md").stat().st_mode & 0o777 == 0o600


def test_removing_looks_first(tmp_path: Path) -> None:
    target = tmp_path / "a.md"
    target.write_bytes(NEW)
    assert remove_files(FileSystem(), [(target, Holding(digest_of(OLD)))]) == [target]
    assert target.exists()
    assert remove_files(FileSystem(), [(target, Holding(digest_of(NEW)))]) == []
    assert not target.exists()
    assert remove_files(FileSystem(), [(target, Holding(digest_of(NEW))), (target, Anything())]) == [target, target]


def test_only_old_temporary_files_of_ours_are_cleared_away(tmp_path: Path) -> None:
    files = FileSystem()
    leftover = tmp_path / files.temporary_name()
    leftover.write_bytes(b"half")
    (tmp_path / ".other.tmp").write_bytes(b"not ours")
    now = Millis(leftover.stat().st_mtime_ns // 1_000_000)
    assert remove_leftovers(files, tmp_path, now) == 0
    assert remove_leftovers(files, tmp_path, Millis(now + LEFTOVER_AGE_MS + 1000)) == 1
    assert names(tmp_path) == [".other.tmp"]


def test_a_file_made_in_place_is_whole_on_the_device_or_was_never_reported(tmp_path: Path) -> None:
    for folder, files in zip(fresh_folders(tmp_path), every_crash(), strict=False):
        made = False
        with suppress(Crashed):
            made = create_in_place(files, folder / "a.json", NEW)
        files.power_is_lost(folder)
        assert not made or (folder / "a.json").read_bytes() == NEW


def test_a_file_made_in_place_never_replaces_another(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(OLD)
    assert not create_in_place(FileSystem(), tmp_path / "a.json", NEW)
    assert (tmp_path / "a.json").read_bytes() == OLD


def test_a_file_that_could_not_be_made_in_place_leaves_nothing_and_may_be_tried_again(tmp_path: Path) -> None:
    for folder, files in zip(fresh_folders(tmp_path), every_failure(errno.ENOSPC), strict=False):
        try:
            create_in_place(files, folder / "a.json", NEW)
        except StorageFailed:
            assert names(folder) in ([], ["a.json"])
            write_file(FileSystem(), folder / "a.json", NEW)
        assert (folder / "a.json").read_bytes() == NEW
