"""The operations on files that the disk room is made of, each one a step that can fail or be the last.

Everything else here reaches files through a `FileSystem` that it is given, so that a test can stop the
program at any of them (`oharness.testing.faults`). Methods raise OSError; `oharness.disk.atomic` and the
modules above turn that into our own errors.
"""

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from oharness.notes.entry import FileStamp

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700
SHARED_FILE = 0o666
SHARED_DIRECTORY = 0o777

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINKS | _BINARY
_HUNDREDS = 500
_CHUNK = 1 << 20
LARGEST_READ = 1 << 28
"""No file that this program reads whole, other than notes, comes near this many bytes."""

_LOCK_POLL_SECONDS = 0.02


StrPath: TypeAlias = str | Path
"""Text where there are thousands: a `Path` for each takes as long as the system takes to make the file."""


Meanwhile: TypeAlias = Callable[[], None]
"""Something to compute while the device works; it touches no file."""


def _nothing() -> None:
    """Nothing to compute."""


class NotARegularFile(OSError):
    """A folder, link, pipe or device where a plain file was expected."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a folder holds, names as it spells them: plain files, links (not followed), and all else."""

    files: list[FileStamp]
    links: list[FileStamp]
    others: list[FileStamp]


@dataclass(frozen=True, slots=True)
class FileRead:
    """What a plain file held, and how it looked while it was open."""

    data: bytes
    mtime_ns: int
    inode: int
    mode: int


class LockTaken(Exception):
    """Another process kept a lock for the whole wait; `holder_pid` is 0 when unknown."""

    def __init__(self, holder_pid: int) -> None:
        super().__init__(holder_pid)
        self.holder_pid = holder_pid


class HeldLock(Protocol):
    """A lock that this process holds until it releases it or dies."""

    def release(self) -> None:
        """Lets others have it."""
        ...


class FileSystem:
    """The real files of this machine."""

    def temporary_name(self) -> str:
        """A fresh name for a file that is not there yet (`oharness.disk.atomic` knows the pattern)."""
        return f".oharness-{os.urandom(8).hex()}.tmp"

    def file_time_ns(self) -> int:
        """The time that a file written now would get: what a clock of our own says does not count for files."""
        return time.time_ns()

    def read(self, path: Path) -> bytes:
        """The bytes of a plain file; links are followed, as people link their settings.

        A link to a device or pipe, or to a file beyond `LARGEST_READ` bytes, would never end or fill the memory.
        """
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise NotARegularFile(f"{path} is not a plain file")
            data = b"" if status.st_size > LARGEST_READ else _read_up_to(handle, LARGEST_READ + 1)
            if max(status.st_size, len(data)) > LARGEST_READ:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
            return data
        finally:
            os.close(handle)

    def read_plain(self, path: Path, limit: int) -> FileRead:
        """The bytes of a plain file, never through a link, at most `limit` + 1 of them."""
        handle = os.open(path, os.O_RDONLY | _NO_LINKS | _BINARY)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or (not _NO_LINKS and path.is_symlink()):
                raise NotARegularFile(f"{path} is not a plain file")
            data = _read_up_to(handle, limit + 1)
            return FileRead(data, status.st_mtime_ns, status.st_ino, stat.S_IMODE(status.st_mode))
        finally:
            os.close(handle)

    def list_directory(self, path: Path) -> Listing:
        """What a folder holds and how it looks, in no order."""
        files: list[FileStamp] = []
        links: list[FileStamp] = []
        others: list[FileStamp] = []
        with os.scandir(path) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # gone since the folder was opened
                    continue
                stamp = FileStamp(entry.name, status.st_mtime_ns, status.st_size, status.st_ino)
                kind = stat.S_IFMT(status.st_mode)
                (files if kind == stat.S_IFREG else links if kind == stat.S_IFLNK else others).append(stamp)
        return Listing(files, links, others)

    def list_names(self, path: Path) -> list[str]:
        """The names in a folder as it spells them, without a look at the files."""
        return os.listdir(path)  # noqa: PTH208 (Path.iterdir makes an object of each)

    def status(self, path: Path) -> os.stat_result:
        """How a path looks; a link is not followed."""
        return path.lstat()

    def is_directory(self, path: Path) -> bool:
        """Whether a folder, or a link to one, stands there."""
        return path.is_dir()

    def exists(self, path: Path) -> bool:
        """Whether anything stands there, a broken link included."""
        return os.path.lexists(path)

    def real_path(self, path: Path) -> Path:
        """The path without links; what is missing at its end may be missing."""
        return path.resolve()

    def write_new(self, path: Path, data: bytes, mode: int) -> None:
        """Creates a file that must not be there; its bytes may still be in the system's memory only."""
        _write_new(path, data, mode)

    def write_all_new(self, folder: Path, files: Sequence[tuple[str, bytes]], mode: int) -> None:
        """`write_new` for many files of one folder, by name; one that fails leaves those before it."""
        place = f"{folder}{os.sep}"
        half = len(files) // 2 if len(files) >= _HUNDREDS else len(files)
        with ThreadPoolExecutor(1, "flush") as beside:
            for name, data in files[:half]:
                _write_new(place + name, data, mode)
            if half < len(files):  # the device need not wait for the last of them, nor we at the end for all
                beside.submit(_flush_file_system, folder)
            for name, data in files[half:]:
                _write_new(place + name, data, mode)

    def set_mode(self, path: Path, mode: int) -> None:
        """Gives a file the permissions of the one it will replace."""
        path.chmod(mode)

    def flush_file(self, path: Path) -> None:
        """Returns when the bytes of a file have reached the device."""
        handle = os.open(path, os.O_RDWR | _BINARY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def flush_files(self, directory: Path, names: Sequence[str], meanwhile: Meanwhile = _nothing) -> None:
        """The same for many files of one folder, in one step where the system has one; `meanwhile` runs beside it."""
        if meanwhile is _nothing:
            self._flush_files(directory, names)
            return
        with ThreadPoolExecutor(1, "flush") as beside:
            flushed = beside.submit(self._flush_files, directory, names)
            meanwhile()
            flushed.result()

    def flush_directory(self, path: Path) -> None:
        """Returns when the names in a folder have reached the device; nothing to do on Windows."""
        if sys.platform == "win32":
            return
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def replace(self, source: Path, target: Path) -> None:
        """Renames over whatever stands at the target."""
        source.replace(target)

    def publish_new(self, source: Path, target: Path) -> None:
        """Renames to a name that must be free; FileExistsError when it is not."""
        _publish_new(os.fspath(source), os.fspath(target))

    def publish_all_new(self, folder: Path, names: Sequence[tuple[str, str]]) -> list[str]:
        """`publish_new` for many files of one folder, from a name to another; gives those whose target is taken."""
        place = f"{folder}{os.sep}"
        taken: list[str] = []
        for source, target in names:
            try:
                _publish_new(place + source, place + target)
            except FileExistsError:
                taken.append(source)
        return taken

    def _flush_files(self, directory: Path, names: Sequence[str]) -> None:
        if not _flush_file_system(directory):
            for name in names:
                FileSystem.flush_file(self, directory / name)

    def remove(self, path: Path) -> None:
        """Removes a file or a link, not a folder."""
        path.unlink()

    def make_directory(self, path: Path, mode: int) -> None:
        """Makes one folder whose parent exists; FileExistsError when something stands there."""
        path.mkdir(mode)

    def take_lock(self, path: Path, wait_s: float) -> HeldLock:
        """The lock that a file stands for, which is made in a folder that exists; the system frees it at death.

        Raises: LockTaken; OSError.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(path, mode=PRIVATE_FILE, thread_local=False)
        try:
            lock.acquire(timeout=wait_s, poll_interval=_LOCK_POLL_SECONDS)
        except Timeout as error:
            raise LockTaken(_written_pid(path)) from error
        with contextlib.suppress(OSError):  # Windows does not let anybody write a locked file
            path.write_text(f"{os.getpid()}\n", encoding="ascii")
        return lock


def _written_pid(path: Path) -> int:
    with contextlib.suppress(OSError, ValueError):
        return int(path.read_text(encoding="ascii"))
    return 0


def _write_new(path: StrPath, data: bytes, mode: int) -> None:
    """Without a file object, which would ask the system three things about every file that it opens."""
    handle = os.open(path, _NEW_FILE, mode)
    try:
        written = os.write(handle, data)
        while written < len(data):
            written += os.write(handle, memoryview(data)[written:])
    finally:
        os.close(handle)


def _publish_new(source: str, target: str) -> None:
    if sys.platform == "win32":
        os.rename(source, target)  # noqa: PTH104 - see `_write_new`
        return
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # file systems without hard links; the folder's lock keeps our own processes apart
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        os.rename(source, target)  # noqa: PTH104
        return
    os.unlink(source)  # noqa: PTH108


def _read_up_to(handle: int, count: int) -> bytes:
    parts: list[bytes] = []
    while count > 0 and (part := os.read(handle, min(count, _CHUNK))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _flush_file_system(directory: Path) -> bool:
    if sys.platform != "linux":
        return False
    import ctypes

    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return bool(ctypes.CDLL(None, use_errno=True).syncfs(handle) == 0)
    except AttributeError:  # a C library without it
        return False
    finally:
        os.close(handle)
