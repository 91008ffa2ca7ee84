"""Files that are on the disk when a call returns, and the folders they lie in. Blocking.

Paths are text: a `Path` for each of thousands of objects takes longer than writing them.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from io import FileIO
from pathlib import Path

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_MAKE_TRIES = 5
_FLUSHES_FOLDERS = sys.platform != "win32"


def write_new(file: str, value: bytes) -> set[str]:
    """Writes a new file, and makes its folder if there is none; the folders whose entries changed by that.

    Nothing is flushed. Raises: FileExistsError; OSError.
    """
    made: set[str] = set()
    for _ in range(_MAKE_TRIES):  # another process may remove a folder that is still empty
        try:
            descriptor = os.open(file, _NEW_FILE, 0o600)
        except FileNotFoundError:
            made |= make_folder(file.rpartition("/")[0])
            continue
        with open(descriptor, "wb", buffering=0) as opened:  # noqa: PTH123 - a descriptor
            _write_all(opened, value)
        return made
    raise FileNotFoundError(file)


def make_folder(folder: str) -> set[str]:
    """Makes the folder; the folders whose entries changed by that. Raises: OSError."""
    try:
        os.mkdir(folder)  # noqa: PTH102 - see above
    except OSError:
        return _make_folders(folder)
    return {folder.rpartition("/")[0]}


def flush(files: Sequence[str], folders: Iterable[str]) -> None:
    """Returns when the files and their places are on the disk. Raises: OSError."""
    for file in files:
        _flush_one(file, os.O_RDWR)
    if _FLUSHES_FOLDERS:
        for folder in folders:
            _flush_one(folder, os.O_RDONLY)


def _make_folders(folder: str) -> set[str]:
    changed: set[str] = set()
    missing = Path(folder)
    while not missing.is_dir():
        missing = missing.parent
        changed.add(os.fspath(missing))
    if changed:
        Path(folder).mkdir(parents=True, exist_ok=True)
    return changed


def _write_all(file: FileIO, value: bytes) -> None:
    """Writes every byte; the system may take fewer at once."""
    rest = memoryview(value)
    while rest:
        rest = rest[file.write(rest) :]


def _flush_one(path: str, mode: int) -> None:
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
