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
from oharness.disk.filesystem import PRIVATE_FILE, FileSystem, Meanwhile, NotARegularFile

LEFTOVER_AGE_MS = 10 * 60 * 1000
_MANY = 200
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


@dataclass(frozen=True, slots=True)
class NewFiles:
    """Files of one folder, thousands perhaps, whose writer saw none of these names: bytes by name."""

    folder: Path
    data: Mapping[str, bytes]
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
    if not write_in_place(files, path, data, mode):
        return False
    flush_in_place(files, [path])
    return True


def write_in_place(files: FileSystem, path: Path, data: bytes, mode: int = PRIVATE_FILE) -> bool:
    """The first half of `create_in_place`: the bytes need not have reached the device.

    Raises: StorageFailed.
    """
    with storage_errors(path):
        try:
            files.write_new(path, data, mode)
        except FileExistsError:
            return False
        except OSError:
            with contextlib.suppress(OSError):
                files.remove(path)
            raise
    return True


def flush_in_place(files: FileSystem, paths: Sequence[Path]) -> None:
    """The second half, for files of one folder; those that do not reach the device are removed.

    Raises: StorageFailed.
    """
    for path in paths:
        with storage_errors(path):
            try:
                files.flush_file(path)
            except OSError:
                with contextlib.suppress(OSError):
                    files.remove(path)
                raise
    if paths:
        with storage_errors(paths[0].parent):
            files.flush_directory(paths[0].parent)


def create_file(files: FileSystem, path: Path, data: bytes, mode: int = PRIVATE_FILE) -> bool:
    """Creates the file with all its bytes; False when something stands there already.

    Raises: StorageFailed.
    """
    return not write_files(files, [PlannedWrite(path, data, Absent(), mode)])


def write_files(
    files: FileSystem,
    writes: Sequence[PlannedWrite],
    new: NewFiles | None = None,
    meanwhile: Meanwhile = lambda: None,
) -> list[Path]:
    """Carries out the writes with one flush for all, and gives the paths that were left alone.

    Left alone are those that no longer hold what their writer expected, and of `new` those whose name is taken.
    `meanwhile` is computed while many files are flushed.
    Raises: StorageFailed; every file is then either as it was or as planned, none is in between.
    """
    batch = _Batch(files, new)
    try:
        for write in writes:
            batch.stage(write)
        batch.stage_new()
        batch.flush(meanwhile)
        return batch.publish()
    except OSError as error:
        failed = batch.clear() or (writes[0].path if writes else Path())
        raise StorageFailed(path=str(failed), reason=reason_of(error)) from error


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


class _Batch:
    """Files under temporary names until all of them have reached the device."""

    def __init__(self, files: FileSystem, new: NewFiles | None) -> None:
        self._files = files
        self._new = new if new and new.data else None
        self._staged: list[tuple[Path, PlannedWrite]] = []
        self._staged_new: list[tuple[str, str]] = []
        self._folders: dict[Path, list[str]] = {}

    def stage(self, write: PlannedWrite) -> None:
        """Writes the bytes of one file."""
        temporary = _stage(self._files, write)
        self._staged.append((temporary, write))
        self._folders.setdefault(temporary.parent, []).append(temporary.name)

    def stage_new(self) -> None:
        """Writes the bytes of all new files."""
        if self._new is None:
            return
        self._staged_new = [(self._files.temporary_name(), name) for name in self._new.data]
        names = [temporary for temporary, _ in self._staged_new]
        self._folders.setdefault(self._new.folder, []).extend(names)
        self._files.write_all_new(
            self._new.folder, list(zip(names, self._new.data.values(), strict=True)), self._new.mode
        )

    def flush(self, meanwhile: Meanwhile) -> None:
        """Returns when all of it has reached the device."""
        for folder, names in self._folders.items():
            if len(names) == 1:
                self._files.flush_file(folder / names[0])
            elif len(names) < _MANY:
                self._files.flush_files(folder, names)
            else:
                self._files.flush_files(folder, names, meanwhile)

    def publish(self) -> list[Path]:
        """Gives every file its name; the paths that were left alone."""
        changed: list[Path] = []
        while self._staged:
            temporary, write = self._staged[0]
            if not _publish(self._files, temporary, write):
                changed.append(write.path)
                self._files.remove(temporary)
            del self._staged[0]
        if self._new is not None:
            changed += self._publish_new(self._new.folder)
        for folder in self._folders:
            self._files.flush_directory(folder)
        return changed

    def clear(self) -> Path | None:
        """Removes what has no name yet, as far as that goes; the first file of it."""
        waiting = [(temporary, write.path) for temporary, write in self._staged]
        if self._new is not None:
            folder = self._new.folder
            waiting += [(folder / temporary, folder / name) for temporary, name in self._staged_new]
        for temporary, _ in waiting:
            with contextlib.suppress(OSError):
                self._files.remove(temporary)
        return waiting[0][1] if waiting else None

    def _publish_new(self, folder: Path) -> list[Path]:
        taken = set(self._files.publish_all_new(folder, self._staged_new))
        left_alone = [(temporary, name) for temporary, name in self._staged_new if temporary in taken]
        self._staged_new = left_alone
        for temporary, _ in left_alone:
            self._files.remove(folder / temporary)
        self._staged_new = []
        return [folder / name for _, name in left_alone]


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
