import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from oharness.core.errors import StorageFailed
from oharness.disk.filesystem import FileSystem
from oharness.disk.folder_lock import LOCK_FILE_IN_FOLDER, FolderBusy, FolderLock
from oharness.testing.faults import FaultyFileSystem, read_only_below

pytestmark = pytest.mark.memory

HOLD = """
import sys
from pathlib import Path
from oharness.disk.filesystem import FileSystem
from oharness.disk.folder_lock import FolderLock
with FolderLock(FileSystem(), Path(sys.argv[1]), Path(sys.argv[2])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(folder: Path, locks: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), str(locks)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()


def test_another_process_waits_only_so_long_and_learns_who_holds_the_lock(tmp_path: Path) -> None:
    process = holder(tmp_path, tmp_path / "locks")
    try:
        with (
            pytest.raises(FolderBusy) as caught,
            FolderLock(FileSystem(), tmp_path, tmp_path / "locks", wait_s=0.1).held(),
        ):
            pass
        assert caught.value.holder_pid == process.pid
    finally:
        end(process)


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    end(holder(tmp_path, tmp_path / "locks"))
    with FolderLock(FileSystem(), tmp_path, tmp_path / "locks", wait_s=5).held():
        pass


def test_the_folder_itself_stays_clean(tmp_path: Path) -> None:
    folder = tmp_path / "MEMORY"
    folder.mkdir()
    with FolderLock(FileSystem(), folder, tmp_path / "locks").held():
        assert list(folder.iterdir()) == []


def test_a_home_that_cannot_be_written_moves_the_lock_into_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "MEMORY"
    folder.mkdir()
    files = FaultyFileSystem(read_only_below(tmp_path / "home"))
    with FolderLock(files, folder, tmp_path / "home" / "memory-locks").held():
        assert [path.name for path in folder.iterdir()] == [LOCK_FILE_IN_FOLDER]


def test_no_place_for_the_lock_is_said_so(tmp_path: Path) -> None:
    files = FaultyFileSystem(read_only_below(tmp_path / "home"))
    lock = FolderLock(files, tmp_path / "missing", tmp_path / "home" / "memory-locks")
    with pytest.raises(StorageFailed), lock.held():
        pass


def test_the_lock_of_a_file_that_cannot_be_had_says_why(tmp_path: Path) -> None:
    file = tmp_path / "home" / "plugins.json"
    file.parent.mkdir()
    file.write_text("{}")
    lock = FolderLock(FaultyFileSystem(read_only_below(tmp_path / "home")), file, tmp_path / "home" / "memory-locks")
    with pytest.raises(StorageFailed) as failed, lock.held():
        pass
    assert failed.value.reason == os.strerror(errno.EROFS)


def test_a_linked_folder_has_the_lock_of_the_real_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with (
        FolderLock(FileSystem(), tmp_path / "real", tmp_path / "locks").held(),
        pytest.raises(FolderBusy) as caught,
        FolderLock(FileSystem(), tmp_path / "link", tmp_path / "locks", wait_s=0.05).held(),
    ):
        pass
    assert caught.value.holder_pid == os.getpid()


def test_the_holding_thread_may_take_it_again_and_others_wait(tmp_path: Path) -> None:
    lock = FolderLock(FileSystem(), tmp_path, tmp_path / "locks", wait_s=0.05)
    outcome: list[str] = []

    def other() -> None:
        try:
            with lock.held():
                outcome.append("got it")
        except FolderBusy:
            outcome.append("busy")

    with lock.held(), lock.held():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert outcome == ["busy"]
    with lock.held():
        pass
