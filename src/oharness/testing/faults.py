"""A file system that fails, fills up, is read-only, or stops the program at the n-th operation.

    for files in every_crash():
        with suppress(Crashed):
            do_something(files, folder)
        look_at(folder)          # what another process finds after the crash

After a crash every further operation crashes too, as a dead process does nothing more, not even clean up.
`power_is_lost` then empties what had not been flushed, as some file systems do.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from oharness.disk.filesystem import FileRead, FileSystem, Listing, Meanwhile

_Result = TypeVar("_Result")


class Crashed(BaseException):
    """The process died here; a BaseException so that nothing handles it by accident."""


class FaultyFileSystem(FileSystem):
    """Real files, and one fault.

    `fail(operation, path)` is asked before each operation; it raises to make the operation fail.
    """

    def __init__(self, fail: Callable[[str, Path], None] = lambda operation, path: None) -> None:
        self.operations: list[tuple[str, Path]] = []
        self.crashed = False
        self._fail = fail
        self._unflushed: dict[int, Path] = {}

    def power_is_lost(self, root: Path) -> None:
        """Empties every file below `root` whose bytes had not been flushed, wherever it was renamed to."""
        for folder, _, names in os.walk(root):
            for name in names:
                path = Path(folder) / name
                if not path.is_symlink() and path.stat().st_ino in self._unflushed:
                    os.truncate(path, 0)

    def read(self, path: Path) -> bytes:
        return self._step("read", path, lambda: super(FaultyFileSystem, self).read(path))

    def read_plain(self, path: Path, limit: int) -> FileRead:
        return self._step("read", path, lambda: super(FaultyFileSystem, self).read_plain(path, limit))

    def list_directory(self, path: Path) -> Listing:
        return self._step("list", path, lambda: super(FaultyFileSystem, self).list_directory(path))

    def list_names(self, path: Path) -> list[str]:
        return self._step("list", path, lambda: super(FaultyFileSystem, self).list_names(path))

    def write_new(self, path: Path, data: bytes, mode: int) -> None:
        try:
            self._step("write", path, lambda: super(FaultyFileSystem, self).write_new(path, data, mode))
        except (Crashed, OSError) as error:
            if self._is_first_failure(error):  # a torn file is what a crash or a full disk leaves
                super().write_new(path, data[: len(data) // 2], mode)
                self._unflushed[path.stat().st_ino] = path
            raise
        self._unflushed[path.stat().st_ino] = path

    def write_all_new(self, folder: Path, files: Sequence[tuple[str, bytes]], mode: int) -> None:
        for name, data in files:
            self.write_new(folder / name, data, mode)

    def set_mode(self, path: Path, mode: int) -> None:
        self._step("mode", path, lambda: super(FaultyFileSystem, self).set_mode(path, mode))

    def flush_file(self, path: Path) -> None:
        self._step("flush", path, lambda: super(FaultyFileSystem, self).flush_file(path))
        self._unflushed.pop(path.stat().st_ino, None)

    def flush_files(self, directory: Path, names: Sequence[str], meanwhile: Meanwhile = lambda: None) -> None:
        meanwhile()
        self._step("flush", directory, lambda: super(FaultyFileSystem, self).flush_files(directory, names))
        for name in names:
            self._unflushed.pop((directory / name).stat().st_ino, None)

    def flush_directory(self, path: Path) -> None:
        self._step("flush directory", path, lambda: super(FaultyFileSystem, self).flush_directory(path))

    def replace(self, source: Path, target: Path) -> None:
        self._step("replace", target, lambda: super(FaultyFileSystem, self).replace(source, target))

    def publish_new(self, source: Path, target: Path) -> None:
        self._step("publish", target, lambda: super(FaultyFileSystem, self).publish_new(source, target))

    def publish_all_new(self, folder: Path, names: Sequence[tuple[str, str]]) -> list[str]:
        return taken_of(self, folder, names)

    def remove(self, path: Path) -> None:
        self._step("remove", path, lambda: super(FaultyFileSystem, self).remove(path))

    def make_directory(self, path: Path, mode: int) -> None:
        self._step("make directory", path, lambda: super(FaultyFileSystem, self).make_directory(path, mode))

    def _step(self, operation: str, path: Path, act: Callable[[], _Result]) -> _Result:
        if self.crashed:
            raise Crashed("already dead")
        self.operations.append((operation, path))
        try:
            self._fail(operation, path)
        except Crashed:
            self.crashed = True
            raise
        return act()

    def _is_first_failure(self, error: BaseException) -> bool:
        if isinstance(error, Crashed):
            return str(error) != "already dead"
        return isinstance(error, OSError) and error.errno == errno.ENOSPC


def taken_of(files: FileSystem, folder: Path, names: Sequence[tuple[str, str]]) -> list[str]:
    """`publish_all_new` in steps of one file each, every one of which can fail."""
    taken: list[str] = []
    for source, target in names:
        try:
            files.publish_new(folder / source, folder / target)
        except FileExistsError:
            taken.append(source)
    return taken


def counted(number: int, failure: BaseException) -> Callable[[str, Path], None]:
    """A fault at the operation of this number (from 0), and at no other."""
    seen = -1

    def fail(operation: str, path: Path) -> None:
        nonlocal seen
        seen += 1
        if seen == number:
            raise failure

    return fail


def read_only_below(root: Path) -> Callable[[str, Path], None]:
    """Every change below `root` fails as on a read-only mount."""

    def fail(operation: str, path: Path) -> None:
        if operation not in ("read", "list") and path.is_relative_to(root):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    return fail


def full_disk_below(root: Path) -> Callable[[str, Path], None]:
    """Every write below `root` fails half-way as on a full disk."""

    def fail(operation: str, path: Path) -> None:
        if operation in ("write", "make directory") and path.is_relative_to(root):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    return fail


def every_crash(limit: int = 1000) -> Iterator[FaultyFileSystem]:
    """File systems that crash at operation 0, 1, 2 …; the last one given did not crash any more."""
    yield from _until_nothing_fails(lambda number: counted(number, Crashed(str(number))), limit)


def every_failure(error_number: int, limit: int = 1000) -> Iterator[FaultyFileSystem]:
    """The same with one failing operation (ENOSPC, EIO …) instead of a crash."""

    def failing(number: int) -> Callable[[str, Path], None]:
        return counted(number, OSError(error_number, os.strerror(error_number)))

    yield from _until_nothing_fails(failing, limit)


def _until_nothing_fails(fault: Callable[[int], Callable[[str, Path], None]], limit: int) -> Iterator[FaultyFileSystem]:
    for number in range(limit):
        files = FaultyFileSystem(fault(number))
        yield files
        if len(files.operations) <= number:
            return
    raise AssertionError(f"more than {limit} file operations")
