"""What the modules above count on from a file system: one suite for the real one and the simulated one."""

import errno
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from oharness.disk.atomic import Absent, PlannedWrite, is_temporary, write_files
from oharness.disk.filesystem import LARGEST_READ, FileSystem, LockTaken, NotARegularFile
from oharness.testing.faults import Crashed
from oharness.testing.simulated_disk import SimulatedDisk, SimulatedFiles

pytestmark = pytest.mark.memory

NOW_NS = 1_789_000_000_000_000_000


@dataclass(frozen=True, slots=True)
class Machine:
    """A folder to work in, the operations of one process, and those of another one."""

    folder: Path
    files: FileSystem
    others: FileSystem


@pytest.fixture(params=["real", "simulated"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    folder = tmp_path / "work"
    if request.param == "real":
        folder.mkdir()
        return Machine(folder, FileSystem(), FileSystem())
    disk = SimulatedDisk(lambda: NOW_NS)
    disk.make_folders(folder)
    return Machine(folder, SimulatedFiles(disk), SimulatedFiles(disk))


def written(machine: Machine, name: str, data: bytes) -> Path:
    path = machine.folder / name
    machine.files.write_new(path, data, 0o600)
    return path


def test_a_new_file_is_read_back(machine: Machine) -> None:
    path = written(machine, "a", b"text")
    found = machine.others.read_plain(path, 100)
    assert (found.data, found.mode) == (b"text", 0o600)
    assert machine.others.read(path) == b"text"


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", LARGEST_READ + 1)
    for name in ("pipe", "endless", "huge"):
        with pytest.raises(OSError, match=r"plain file|too large"):
            FileSystem().read(tmp_path / name)


def test_a_limit_gives_one_byte_more_so_that_too_much_is_seen(machine: Machine) -> None:
    assert machine.files.read_plain(written(machine, "a", b"12345"), 3).data == b"1234"


def test_a_new_file_never_replaces_one(machine: Machine) -> None:
    path = written(machine, "a", b"first")
    with pytest.raises(FileExistsError):
        machine.others.write_new(path, b"second", 0o600)
    assert machine.files.read(path) == b"first"


def test_many_new_files_are_written_and_named_as_each_of_them_would_be(machine: Machine) -> None:
    written(machine, "b", b"old")
    machine.files.write_all_new(machine.folder, [("1", b"one"), ("2", b""), ("3", b"three")], 0o640)
    assert machine.files.read_plain(machine.folder / "1", 10).mode == 0o640
    assert machine.files.publish_all_new(machine.folder, [("1", "a"), ("2", "b"), ("3", "c")]) == ["2"]
    contents = {name: machine.files.read(machine.folder / name) for name in machine.files.list_names(machine.folder)}
    assert contents == {"a": b"one", "b": b"old", "c": b"three", "2": b""}
    with pytest.raises(FileExistsError):
        machine.files.write_all_new(machine.folder, [("d", b"d"), ("a", b"other"), ("e", b"e")], 0o640)
    assert sorted(machine.files.list_names(machine.folder)) == ["2", "a", "b", "c", "d"]


def test_a_rename_replaces_whatever_is_there(machine: Machine) -> None:
    target, source = written(machine, "a", b"old"), written(machine, "b", b"new")
    machine.files.replace(source, target)
    assert machine.files.read(target) == b"new"
    assert machine.files.list_names(machine.folder) == ["a"]


def test_publishing_never_replaces_anything(machine: Machine) -> None:
    target, source = written(machine, "a", b"old"), written(machine, "b", b"new")
    with pytest.raises(FileExistsError):
        machine.files.publish_new(source, target)
    machine.files.publish_new(source, machine.folder / "c")
    assert sorted(machine.files.list_names(machine.folder)) == ["a", "c"]
    assert machine.files.read(machine.folder / "c") == b"new"
    assert machine.files.read(target) == b"old"


def test_a_replaced_file_has_another_inode_and_an_edited_one_keeps_it(machine: Machine) -> None:
    target, source = written(machine, "a", b"old"), written(machine, "b", b"new")
    before = machine.files.status(target).st_ino
    machine.files.replace(source, target)
    assert machine.files.status(target).st_ino != before
    assert machine.files.read_plain(target, 10).inode == machine.files.status(target).st_ino


def test_a_listing_names_files_and_folders_apart_with_their_looks(machine: Machine) -> None:
    path = written(machine, "a", b"text")
    machine.files.make_directory(machine.folder / "inner", 0o700)
    listing = machine.others.list_directory(machine.folder)
    status = machine.others.status(path)
    [stamp] = listing.files
    assert (stamp.name, stamp.size) == ("a", 4)
    assert (stamp.mtime_ns, stamp.inode) == (status.st_mtime_ns, status.st_ino)
    assert [other.name for other in listing.others] == ["inner"]
    assert listing.links == []


def test_what_is_missing_is_said_to_be_missing(machine: Machine) -> None:
    missing = machine.folder / "none"
    reading: list[Callable[[], object]] = [
        lambda: machine.files.read(missing),
        lambda: machine.files.read_plain(missing, 10),
        lambda: machine.files.status(missing),
        lambda: machine.files.list_directory(missing),
        lambda: machine.files.list_names(missing),
        lambda: machine.files.remove(missing),
        lambda: machine.files.replace(missing, machine.folder / "a"),
        lambda: machine.files.write_new(missing / "a", b"", 0o600),
    ]
    for read in reading:
        with pytest.raises(FileNotFoundError):
            read()
    assert not machine.files.exists(missing)
    assert not machine.files.is_directory(missing)


def test_a_folder_is_no_file_and_a_file_is_no_folder(machine: Machine) -> None:
    path = written(machine, "a", b"text")
    with pytest.raises(NotADirectoryError):
        machine.files.list_directory(path)
    with pytest.raises(NotADirectoryError):
        machine.files.read(path / "b")
    with pytest.raises(NotARegularFile):
        machine.files.read_plain(machine.folder, 10)
    assert machine.files.is_directory(machine.folder)
    assert not machine.files.is_directory(path)
    assert not machine.files.exists(path / "b")


def test_folders_are_made_one_by_one(machine: Machine) -> None:
    inner = machine.folder / "one" / "two"
    with pytest.raises(FileNotFoundError):
        machine.files.make_directory(inner, 0o700)
    machine.files.make_directory(inner.parent, 0o700)
    machine.files.make_directory(inner, 0o700)
    with pytest.raises(FileExistsError):
        machine.files.make_directory(inner, 0o700)


def test_a_removed_file_is_gone_and_its_name_is_free(machine: Machine) -> None:
    path = written(machine, "a", b"text")
    machine.files.remove(path)
    assert machine.files.list_names(machine.folder) == []
    written(machine, "a", b"again")


def test_modes_are_kept_and_changed(machine: Machine) -> None:
    path = written(machine, "a", b"text")
    machine.files.set_mode(path, 0o640)
    assert machine.files.read_plain(path, 10).mode == 0o640


def test_temporary_names_are_never_the_same_and_known_as_such(machine: Machine) -> None:
    names = [files.temporary_name() for files in (machine.files, machine.others) for _ in range(50)]
    assert len(set(names)) == 100
    assert all(map(is_temporary, names))


def test_flushing_changes_nothing_that_can_be_seen(machine: Machine) -> None:
    paths = [written(machine, name, name.encode()) for name in "abc"]
    machine.files.flush_file(paths[0])
    machine.files.flush_files(machine.folder, ["a", "b", "c"])
    machine.files.flush_directory(machine.folder)
    assert [machine.files.read(path) for path in paths] == [b"a", b"b", b"c"]


def test_what_is_to_be_done_meanwhile_is_done_once_and_its_fault_is_not_lost(machine: Machine) -> None:
    done: list[str] = []
    written(machine, "a", b"a")
    machine.files.flush_files(machine.folder, ["a"], lambda: done.append("computed"))
    assert done == ["computed"]
    with pytest.raises(ZeroDivisionError):
        machine.files.flush_files(machine.folder, ["a"], lambda: done.append(str(1 / 0)))


def test_one_process_at_a_time_holds_a_lock(machine: Machine) -> None:
    held = machine.files.take_lock(machine.folder / "lock", 0.0)
    with pytest.raises(LockTaken):
        machine.others.take_lock(machine.folder / "lock", 0.0)
    held.release()
    machine.others.take_lock(machine.folder / "lock", 0.0).release()


# --- what only the simulated one can show: accidents


def disk_with(**files: bytes) -> tuple[SimulatedDisk, Path]:
    disk, folder = SimulatedDisk(lambda: NOW_NS), Path("/work")
    disk.make_folders(folder)
    for name, data in files.items():
        disk.put(folder / name, data)
    disk.flush_everything()
    return disk, folder


def states_after_a_power_cut(prepare: Callable[[SimulatedFiles, Path], None], **files: bytes) -> set[str]:
    """Every state that a disk comes back in, each as text."""
    seen: set[str] = set()
    for seed in range(300):
        disk, folder = disk_with(**files)
        prepare(SimulatedFiles(disk), folder)
        disk.lose_power(random.Random(seed))
        seen.add(" ".join(f"{path.name}={data!r}" for path, data in sorted(disk.contents(folder).items())))
    return seen


def test_what_was_not_flushed_may_be_old_torn_empty_or_there() -> None:
    def edit(files: SimulatedFiles, folder: Path) -> None:
        files.disk.put(folder / "a", b"NEW")

    seen = states_after_a_power_cut(edit, a=b"old")
    assert {"a=b'old'", "a=b''", "a=b'NEW'", "a=b'N'", "a=b'\\x00\\x00\\x00'", "a=b'N\\x00\\x00'"} <= seen


def test_a_flushed_file_without_a_flushed_name_is_there_whole_or_not_at_all() -> None:
    def create(files: SimulatedFiles, folder: Path) -> None:
        files.write_new(folder / "a", b"NEW", 0o600)
        files.flush_file(folder / "a")

    assert states_after_a_power_cut(create) == {"", "a=b'NEW'"}


def test_a_rename_without_a_flush_before_it_can_leave_an_empty_file() -> None:
    def replace(files: SimulatedFiles, folder: Path) -> None:
        files.write_new(folder / "t", b"NEW", 0o600)
        files.replace(folder / "t", folder / "a")
        files.flush_directory(folder)

    assert "a=b''" in states_after_a_power_cut(replace, a=b"old")


def test_a_rename_is_never_half_done() -> None:
    def replace(files: SimulatedFiles, folder: Path) -> None:
        files.write_new(folder / "t", b"NEW", 0o600)
        files.flush_file(folder / "t")
        files.replace(folder / "t", folder / "a")

    assert states_after_a_power_cut(replace, a=b"old") == {"a=b'old'", "a=b'old' t=b'NEW'", "a=b'NEW'"}


def test_a_removal_whose_name_was_not_flushed_may_come_back() -> None:
    def remove(files: SimulatedFiles, folder: Path) -> None:
        files.remove(folder / "a")

    assert states_after_a_power_cut(remove, a=b"old") == {"", "a=b'old'"}


def test_names_may_survive_one_without_the_other() -> None:
    def create_two(files: SimulatedFiles, folder: Path) -> None:
        for name in "ab":
            files.write_new(folder / name, name.encode(), 0o600)
            files.flush_file(folder / name)

    states = states_after_a_power_cut(create_two)
    assert states == {"", "a=b'a'", "b=b'b'", "a=b'a' b=b'b'"}


def test_a_flush_of_everything_survives() -> None:
    def create(files: SimulatedFiles, folder: Path) -> None:
        write_files(files, [PlannedWrite(folder / name, name.encode(), Absent()) for name in "ab"])

    assert states_after_a_power_cut(create) == {"a=b'a' b=b'b'"}


def test_the_system_writes_back_by_itself_after_a_while() -> None:
    passed = [0.0]
    disk, path = SimulatedDisk(lambda: NOW_NS, lambda: passed[0]), Path("/work/a")
    disk.put(path, b"NEW")
    passed[0] = 29.0
    assert not disk.is_flushed(path)
    passed[0] = 31.0
    assert disk.is_flushed(path)
    disk.lose_power(random.Random(1))
    assert disk.data_at(path) == b"NEW"


def test_a_crash_leaves_what_was_written_and_half_of_what_was_being_written() -> None:
    disk, folder = disk_with()

    def crash_at_b(operation: str, path: Path) -> None:
        if path.name == "b":
            raise Crashed

    files = SimulatedFiles(disk, crash_at_b)
    files.write_new(folder / "a", b"whole", 0o600)
    with pytest.raises(Crashed):
        files.write_new(folder / "b", b"123456", 0o600)
    assert disk.contents(folder) == {folder / "a": b"whole", folder / "b": b"123"}
    with pytest.raises(Crashed):
        files.remove(folder / "a")


def test_a_crash_frees_the_locks_of_the_process_and_no_others() -> None:
    disk, folder = disk_with()
    first, second = SimulatedFiles(disk), SimulatedFiles(disk)
    held = first.take_lock(folder / "lock", 0.0)
    first.die()
    second.take_lock(folder / "lock", 0.0)
    held.release()
    with pytest.raises(LockTaken):
        SimulatedFiles(disk).take_lock(folder / "lock", 0.0)


def test_a_full_disk_takes_what_fits_and_says_so() -> None:
    disk, folder = disk_with(a=b"12345")
    disk.room = 8
    with pytest.raises(OSError, match="No space") as caught:
        SimulatedFiles(disk).write_new(folder / "b", b"12345", 0o600)
    assert caught.value.errno == errno.ENOSPC
    assert disk.contents(folder)[folder / "b"] == b"123"


def test_a_failing_operation_does_nothing() -> None:
    disk, folder = disk_with(a=b"old")

    def fail(operation: str, path: Path) -> None:
        raise OSError(errno.EIO, "Input/output error", str(path))

    files = SimulatedFiles(disk, fail)
    with pytest.raises(OSError, match="Input/output"):
        files.remove(folder / "a")
    with pytest.raises(OSError, match="Input/output"):
        files.replace(folder / "a", folder / "b")
    assert disk.contents(folder) == {folder / "a": b"old"}


def test_letter_case_counts_for_nothing_where_the_disk_ignores_it() -> None:
    disk = SimulatedDisk(lambda: NOW_NS, ignores_case=True)
    disk.put(Path("/work/Prices.md"), b"text")
    files = SimulatedFiles(disk)
    assert files.read(Path("/WORK/prices.MD")) == b"text"
    assert files.list_names(Path("/work")) == ["Prices.md"]
    with pytest.raises(FileExistsError):
        files.write_new(Path("/work/PRICES.md"), b"", 0o600)
    files.take_lock(Path("/work/prices.md"), 0.0)
    with pytest.raises(LockTaken):
        files.take_lock(Path("/work/Prices.md"), 0.0)


def test_a_machine_goes_back_to_its_backup_and_the_backup_stays() -> None:
    disk, folder = disk_with(a=b"old")
    backup = disk.copy()
    disk.put(folder / "a", b"new")
    disk.put(folder / "b", b"new")
    for _ in range(2):
        disk.restore(backup)
        assert disk.contents(folder) == {folder / "a": b"old"}
        disk.put(folder / "a", b"newer")
