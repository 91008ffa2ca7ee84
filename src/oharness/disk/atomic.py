"""Writing files whole or not at all, one or many, and never over a version that nobody has seen.

The order is always: temporary file beside the target, its bytes to the device, a look whether the target
still is what the caller read, rename, the folder's names to the device (docs/write-order.md).
"""

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from oharness.core.clock import Millis
from oharness.core.errors import StorageFailed
from oharness.disk.filesystem import PRIVATE_FILE, FileSystem, NotARegularFile

LEFTOVER_AGE_MS = 10 * 60 * 1000
_TEMPORARY = re.compile(r"\.oharness-[0-9a-f]{16}\.tmp")


@dataclass(frozen=True, slots=True)
class Absent:
    """The caller saw no file of this name."""


@dataclass(frozen=True, slots=True)
class Holding:
    """The caller read these bytes: their lowercase hex SHA-256."""

    digest: str


@dataclass(frozen=True, slots=True)
class Anything:
    """The caller owns the file and replaces whatever it holds."""


Expected = Absent | Holding | Anything


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """One file of a batch. `mode` counts for a new file; a replaced one keeps its own."""

    path: Path
    data: bytes
    expected: Expected
    mode: int = PRIVATE_FILE


def digest_of(data: bytes) -> str:
    """The lowercase hex SHA-256 by which a caller says what it read."""
    return hashlib.sha256(data).hexdigest()


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turns what the system says about `path` into StorageFailed."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(path=str(path), reason=reason_of(error)) from error


def reason_of(error: OSError) -> str:
    """The system's word for what went wrong, as people read it in other programs."""
    if error.strerror:
        return error.strerror
    return os.strerror(error.errno) if error.errno else str(error)


def ensure_directory(files: FileSystem, path: Path, mode: int) -> None:
    """The folder and its missing parents, those with the same mode; done when it exists already.

    Raises: StorageFailed.
    """
    if files.is_directory(path):
        return
    with storage_errors(path):
        _make_with_parents(files, path, mode)


def write_file(files: FileSystem, path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """Replaces whatever the file held, or creates it.

    Raises: StorageFailed; the old content is then still there, whole.
    """
    write_files(files, [PlannedWrite(path, data, Anything(), mode)])


def write_unflushed(files: FileSystem, path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """Replaces whatever the file held, or creates it, without waiting for the device.

    For what is worth no flush: readers see the old content or the new, but a power cut may leave either, or a file that
    is cut off or empty.
    Raises: StorageFailed; the old content is then still there, whole.
    """
    write = PlannedWrite(path, data, Anything(), mode)
    with storage_errors(path):
        temporary = _stage(files, write)
        try:
            files.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                files.remove(temporary)
            raise


def create_in_place(files: FileSystem, path: Path, data: bytes, mode: int = PRIVATE_FILE) -> bool:
    """Creates the file under its own name at once; False when something stands there already.

    One step for the device where a rename takes two. For files that count for nothing until all of them is there:
    whoever reads them can tell one that is cut off. They have reached the device when this returns.
    Raises: StorageFailed; a file that is cut off may then be left.
    """
    with storage_errors(path):
        try:
            files.write_new(path, data, mode)
            files.flush_file(path)
        except FileExistsError:
            return False
        except OSError:
            with contextlib.suppress(OSError):
                files.remove(path)
            raise
        files.flush_directory(path.parent)
    return True


def create_file(files: FileSystem, path: Path, data: bytes, mode: int = PRIVATE_FILE) -> bool:
    """Creates the file with all its bytes; False when something stands there already.

    Raises: StorageFailed.
    """
    return not write_files(files, [PlannedWrite(path, data, Absent(), mode)])


def write_files(files: FileSystem, writes: Sequence[PlannedWrite]) -> list[Path]:
    """Carries out the writes with one flush for all, and gives the paths that were left alone.

    Left alone are those that no longer hold what their writer expected.
    Raises: StorageFailed; every file is then either as it was or as planned, none is in between.
    """
    staged: list[tuple[Path, PlannedWrite]] = []
    folders: dict[str, list[Path]] = {}
    try:
        for write in writes:
            temporary = _stage(files, write)
            staged.append((temporary, write))
            folders.setdefault(os.path.dirname(temporary), []).append(temporary)  # noqa: PTH120 - for thousands
        _flush(files, folders)
        changed: list[Path] = []
        while staged:
            temporary, write = staged[0]
            if not _publish(files, temporary, write):
                changed.append(write.path)
                files.remove(temporary)
            del staged[0]
        for folder in folders:
            files.flush_directory(Path(folder))
    except OSError as error:
        for temporary, _ in staged:
            with contextlib.suppress(OSError):
                files.remove(temporary)
        failed = staged[0][1].path if staged else (writes[0].path if writes else Path())
        raise StorageFailed(path=str(failed), reason=reason_of(error)) from error
    return changed


def remove_files(files: FileSystem, removals: Sequence[tuple[Path, Expected]]) -> list[Path]:
    """Removes the files with one flush for all, and gives the paths that were left alone.

    Left alone are those that no longer hold what was expected, or are gone already.
    Raises: StorageFailed; some may then be removed and the others are whole.
    """
    changed: list[Path] = []
    for path, expected in removals:
        with storage_errors(path):
            try:
                if _is_as_expected(files, path, expected):
                    files.remove(path)
                    continue
            except FileNotFoundError:
                pass
            changed.append(path)
    for directory in dict.fromkeys(path.parent for path, _ in removals if path not in changed):
        with storage_errors(directory):
            files.flush_directory(directory)
    return changed


def is_temporary(name: str) -> bool:
    """Whether a name is one of our own temporary files, which a crash may leave behind."""
    return _TEMPORARY.fullmatch(name) is not None


def remove_leftovers(files: FileSystem, directory: Path, now_ms: Millis) -> int:
    """Removes temporary files that no writer can still be using; failures are left for the next time."""
    removed = 0
    with contextlib.suppress(OSError):
        for stamp in files.list_directory(directory).files:
            age_ms = abs(now_ms - stamp.mtime_ns // 1_000_000)
            if is_temporary(stamp.name) and age_ms > LEFTOVER_AGE_MS:
                with contextlib.suppress(OSError):
                    files.remove(directory / stamp.name)
                    removed += 1
    return removed


def _make_with_parents(files: FileSystem, path: Path, mode: int) -> None:
    missing = [path]
    while not files.exists(missing[-1].parent):
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        try:
            files.make_directory(folder, mode)
        except FileExistsError:
            if not files.is_directory(folder):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from None
        files.flush_directory(folder.parent)


def _stage(files: FileSystem, write: PlannedWrite) -> Path:
    temporary = write.path.parent / files.temporary_name()
    try:
        files.write_new(temporary, write.data, write.mode)
        if not isinstance(write.expected, Absent):
            _keep_mode(files, temporary, write.path)
    except OSError:
        with contextlib.suppress(OSError):
            files.remove(temporary)
        raise
    return temporary


def _keep_mode(files: FileSystem, temporary: Path, target: Path) -> None:
    try:
        status = files.status(target)
    except FileNotFoundError:
        return
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISREG(status.st_mode) and mode != stat.S_IMODE(files.status(temporary).st_mode):
        files.set_mode(temporary, mode)


def _flush(files: FileSystem, folders: Mapping[str, list[Path]]) -> None:
    for folder, members in folders.items():
        if len(members) == 1:
            files.flush_file(members[0])
        else:
            files.flush_files(Path(folder), members)


def _publish(files: FileSystem, temporary: Path, write: PlannedWrite) -> bool:
    match write.expected:
        case Absent():
            try:
                files.publish_new(temporary, write.path)
            except FileExistsError:
                return False
            return True
        case Holding() | Anything():
            if not _is_as_expected(files, write.path, write.expected):
                return False
            files.replace(temporary, write.path)
            return True
        case _:
            assert_never(write.expected)


def _is_as_expected(files: FileSystem, path: Path, expected: Expected) -> bool:
    match expected:
        case Anything():
            return True
        case Absent():
            return not files.exists(path)
        case Holding(digest):
            try:
                return digest_of(files.read_plain(path, _WHOLE_FILE).data) == digest
            except OSError as error:
                if is_gone_or_no_file(error):
                    return False
                raise
        case _:
            assert_never(expected)


_WHOLE_FILE = 1 << 40


def is_gone_or_no_file(error: OSError) -> bool:
    """Whether reading failed because no plain file stands there (rather than because the disk said no)."""
    kinds = (errno.ENOENT, errno.ELOOP, errno.EMLINK, errno.EISDIR, errno.ENXIO, errno.ENOTDIR)
    return isinstance(error, NotARegularFile) or error.errno in kinds
