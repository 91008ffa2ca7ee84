"""Files of lines (transcripts, audit log, chat history) in which words are replaced, whole or not at all."""

from collections.abc import Callable, Iterable
from pathlib import Path

from oharness.core.errors import StorageFailed
from oharness.disk.atomic import Holding, PlannedWrite, digest_of, storage_errors, write_files
from oharness.disk.filesystem import FileSystem

_MOST_ATTEMPTS = 20

Change = Callable[[list[str]], list[str]]
"""From the lines of a file to as many lines."""


def changed_lines(files: FileSystem, path: Path, change: Change) -> int:
    """How many lines `change` would replace; 0 for a file that is gone.

    Raises: StorageFailed.
    """
    before = _lines(_read(files, path))
    return sum(one != other for one, other in zip(before, change(before), strict=True))


def rewrite_lines(files: FileSystem, path: Path, change: Change) -> int:
    """Replaces lines and gives how many. What somebody appends meanwhile is not lost: it is then done again.

    Raises: StorageFailed, with the file as it was.
    """
    for _ in range(_MOST_ATTEMPTS):
        data = _read(files, path)
        before = _lines(data)
        after = change(before)
        count = sum(one != other for one, other in zip(before, after, strict=True))
        if not count:
            return 0
        written = "\n".join(after).encode("utf-8", "surrogateescape")
        if not write_files(files, [PlannedWrite(path, written, Holding(digest_of(data)))]):
            return count
    raise StorageFailed(str(path), "comes-and-goes")


def files_below(folder: Path, suffix: str) -> Iterable[Path]:
    """Every plain file with that suffix in a folder and the folders in it, by name.

    Raises: StorageFailed.
    """
    with storage_errors(folder):
        return sorted(path for path in folder.rglob(f"*{suffix}") if path.is_file() and not path.is_symlink())


def _read(files: FileSystem, path: Path) -> bytes:
    with storage_errors(path):
        try:
            return files.read(path)
        except FileNotFoundError:
            return b""


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogateescape").split("\n")
