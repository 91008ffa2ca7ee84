"""Objects as files of a local folder, with our own compare-and-swap and flushing to disk (P-45).

Several processes of one machine may share the folder: a replacement happens under a lock file. Reading needs
no lock, since files are renamed into place whole.
"""

import asyncio
import contextlib
import ctypes
import hashlib
import os
import re
import sys
import threading
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from io import FileIO
from pathlib import Path
from typing import ParamSpec, TypeAlias

from filelock import FileLock, Timeout

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.syncserver.objects.base import (
    Absent,
    Found,
    ListedObject,
    Moved,
    Reading,
    SameVersion,
    Stored,
    StoreUnavailable,
    StoreVersion,
    Unknown,
    Written,
)

_WORK_FOLDER = ".work"
_LOCK_STRIPES = 64
_LOCK_TIMEOUT_S = 10.0
_LOCK_POLL_S = 0.002
_LEFTOVER_AGE_MS = 3_600_000
_SEGMENT = re.compile(r"[A-Za-z0-9_%-][A-Za-z0-9._%-]{0,254}")
_KEY = re.compile(rf"{_SEGMENT.pattern}(?:/{_SEGMENT.pattern})*")
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_MAKE_TRIES = 5
_READ_BATCH = 256
_REMEMBERED = 10_000
_SETTLING_NS = 100_000_000
"""Two changes within one tick of the file system's clock can leave a file with the same looks."""
_MANY_FILES = 8
_Arguments = ParamSpec("_Arguments")
_Looks: TypeAlias = tuple[int, int, int, int]
_FLUSHES_FOLDERS = sys.platform != "win32"


class FolderObjects:
    """An `ObjectStore` in a folder."""

    def __init__(self, root: Path, clock: Clock, randomness: Randomness) -> None:
        self._root = root
        self._clock = clock
        self._randomness = randomness
        self._is_started = False
        self._versions: dict[str, tuple[_Looks, StoreVersion]] = {}
        self._stripes = [threading.Lock() for _ in range(_LOCK_STRIPES)]

    @property
    def min_write_interval_s(self) -> float:
        return 0.0

    async def start(self) -> None:
        """Makes the folder, for its owner alone, and removes what cut-off writes left more than an hour ago."""
        await asyncio.to_thread(self._start)

    async def read(self, key: str) -> Reading:
        return await asyncio.to_thread(self._read, self._path(key), key)

    async def read_unless(self, key: str, known: StoreVersion) -> Reading | SameVersion:
        return await asyncio.to_thread(self._read_unless, self._path(key), key, known)

    async def read_many(self, keys: Sequence[str]) -> list[Reading]:
        readings: list[Reading] = []
        for start in range(0, len(keys), _READ_BATCH):
            batch = [(self._path(key), key) for key in keys[start : start + _READ_BATCH]]
            readings += await asyncio.to_thread(lambda b: [self._read(path, key) for path, key in b], batch)
        return readings

    async def create(self, key: str, value: bytes) -> Written:
        return await asyncio.to_thread(_answering, self._create, self._path(key), value)

    async def create_many(self, objects: Mapping[str, bytes]) -> dict[str, Written]:
        return await asyncio.to_thread(self._create_many, dict(objects))

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        return await asyncio.to_thread(_answering, self._replace, self._path(key), key, value, known)

    async def put(self, key: str, value: bytes) -> Written:
        return await asyncio.to_thread(_answering, self._replace, self._path(key), key, value, None)

    async def remove(self, keys: Sequence[str]) -> int:
        return await asyncio.to_thread(self._remove, [(self._path(key), key) for key in keys])

    async def list_under(self, prefix: str) -> AsyncIterator[ListedObject]:
        if not prefix.endswith("/"):
            raise ValueError("a prefix ends in a slash")
        for listed in await asyncio.to_thread(self._list, self._path(prefix.removesuffix("/")), prefix):
            yield listed

    # --- plain blocking code from here on

    def _path(self, key: str) -> Path:
        return Path(self._place(key))

    def _place(self, key: str) -> str:
        """Where an object lies, as text: a `Path` for each of thousands takes longer than writing them."""
        if _KEY.fullmatch(key) is None:
            raise ValueError(f"not a key of this store: {key!r}")
        return f"{self._root}/{key}"

    def _read(self, path: Path, key: str) -> Reading:
        try:
            with path.open("rb") as file:
                value = file.read()
                status = os.fstat(file.fileno())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            self._check_present(key)
            return Absent()
        except OSError as error:
            raise StoreUnavailable(key, str(error)) from error
        return Found(value, _version(value), status.st_mtime_ns // 1_000_000)

    def _read_unless(self, path: Path, key: str, known: StoreVersion) -> Reading | SameVersion:
        """A file that looks as it did when it held that version is not read again."""
        looks = self._looks_of(path)
        if looks is not None and self._versions.get(key) == (looks, known):
            return SameVersion()
        reading = self._read(path, key)
        if not isinstance(reading, Found):
            return reading
        if looks is not None and looks == self._looks_of(path):
            self._remember(key, looks, reading.version)
        return SameVersion() if reading.version == known else reading

    def _looks_of(self, path: Path) -> _Looks | None:
        """How a file looks; None for one that is not there, or changed so lately that it could change unseen."""
        try:
            status = path.stat()
        except OSError:
            return None
        if abs(time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns)) < _SETTLING_NS:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

    def _remember(self, key: str, looks: _Looks, version: StoreVersion) -> None:
        if len(self._versions) >= _REMEMBERED:
            self._versions.clear()
        self._versions[key] = looks, version

    def _create(self, path: Path, value: bytes) -> Written:
        with self._locked(path):
            if path.exists():
                return Moved()
            return self._write_whole(path, value)

    def _replace(self, path: Path, key: str, value: bytes, known: StoreVersion | None) -> Written:
        with self._locked(path):
            if known is not None and not isinstance(self._read_unless(path, key, known), SameVersion):
                return Moved()
            return self._write_whole(path, value)

    def _write_whole(self, path: Path, value: bytes) -> Stored:
        temporary = self._work_folder() / f"{self._randomness.token(12)}.tmp"
        try:
            _write_new(temporary.as_posix(), value)
            _flush_one(os.fspath(temporary), os.O_RDWR)
            made = _make_folders(os.fspath(path.parent))
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _flush([], {os.fspath(path.parent), *made})
        return Stored(_version(value))

    def _create_many(self, objects: Mapping[str, bytes]) -> dict[str, Written]:
        try:
            self._check_present("")
        except StoreUnavailable as error:
            return dict.fromkeys(objects, Unknown(error.reason))
        return self._create_in_places(objects)

    def _create_in_places(self, objects: Mapping[str, bytes]) -> dict[str, Written]:
        """Files under their own names at once: nothing reads a body before a manifest names it."""
        folders: set[str] = set()
        files: dict[str, str] = {}
        written: dict[str, Written] = {}
        for key, value in objects.items():
            files[key] = self._place(key)
            written[key] = _answering(_create_in_place, files[key], value, folders)
        stored = [key for key, one in written.items() if isinstance(one, Stored)]
        try:
            _flush([files[key] for key in stored], folders)
        except OSError as error:
            return written | dict.fromkeys(stored, Unknown(str(error)))
        return written

    def _remove(self, places: Sequence[tuple[Path, str]]) -> int:
        removed = 0
        folders: set[Path] = set()
        for path, key in places:
            try:
                path.unlink()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise StoreUnavailable(key, str(error)) from error
            removed += 1
            folders.add(path.parent)
        for folder in folders:
            self._drop_empty(folder)
        return removed

    def _drop_empty(self, folder: Path) -> None:
        with contextlib.suppress(OSError):
            while folder != self._root:
                folder.rmdir()
                folder = folder.parent

    def _list(self, folder: Path, prefix: str) -> list[ListedObject]:
        try:
            self._check_present(prefix)
            return sorted(self._walk(folder, prefix), key=lambda listed: listed.key)
        except OSError as error:
            raise StoreUnavailable(prefix, str(error)) from error

    def _walk(self, folder: Path, prefix: str) -> Iterator[ListedObject]:
        try:
            entries = list(os.scandir(folder))
        except (FileNotFoundError, NotADirectoryError):
            return
        for entry in entries:
            if _SEGMENT.fullmatch(entry.name) is None:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._walk(Path(entry.path), f"{prefix}{entry.name}/")
                continue
            with contextlib.suppress(FileNotFoundError):
                stat = entry.stat(follow_symlinks=False)
                yield ListedObject(prefix + entry.name, stat.st_size, stat.st_mtime_ns // 1_000_000)

    def _start(self) -> None:
        old = self._clock.now_ms() - _LEFTOVER_AGE_MS
        try:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for entry in os.scandir(self._work_folder()):
                if entry.name.endswith(".tmp") and entry.stat().st_mtime_ns // 1_000_000 < old:
                    Path(entry.path).unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailable("", str(error)) from error
        self._is_started = True

    def _check_present(self, key: str) -> None:
        """Tells a missing object from a missing disk: an unplugged drive must not look like a wiped storage.

        Raises: StoreUnavailable.
        """
        if self._is_started and not (self._root / _WORK_FOLDER).is_dir():
            raise StoreUnavailable(key, "the folder of the storage is gone")

    def _work_folder(self) -> Path:
        folder = self._root / _WORK_FOLDER
        if not self._is_started:
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    @contextlib.contextmanager
    def _locked(self, path: Path) -> Iterator[None]:
        self._check_present("")
        stripe = zlib.crc32(os.fspath(path).encode()) % _LOCK_STRIPES
        lock_file = self._work_folder() / f"{stripe}.lock"
        with (
            self._stripes[stripe],
            FileLock(lock_file, timeout=_LOCK_TIMEOUT_S, poll_interval=_LOCK_POLL_S),
        ):
            yield


def _answering(write: Callable[_Arguments, Written], *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Written:
    try:
        return write(*args, **kwargs)
    except (OSError, Timeout) as error:
        return Unknown(str(error))
    except StoreUnavailable as error:
        return Unknown(error.reason)


def _make_folders(folder: str) -> set[str]:
    """Makes the folder; the folders whose entries changed by that."""
    changed: set[str] = set()
    missing = Path(folder)
    while not missing.is_dir():
        missing = missing.parent
        changed.add(os.fspath(missing))
    if changed:
        Path(folder).mkdir(parents=True, exist_ok=True)
    return changed


def _make_folder(folder: str) -> set[str]:
    """The same, quicker for the usual case of a folder whose parent is there."""
    try:
        os.mkdir(folder)  # noqa: PTH102 - see `_place`
    except OSError:
        return _make_folders(folder)
    return {folder.rpartition("/")[0]}


def _create_in_place(file: str, value: bytes, folders: set[str]) -> Written:
    """A new file, not flushed; the folders that have to be are added."""
    try:
        folders |= _write_new(file, value)
    except FileExistsError:
        return Moved()
    folders.add(file.rpartition("/")[0])
    return Stored(_version(value))


def _write_new(file: str, value: bytes) -> set[str]:
    """Writes a new file, and makes its folder if there is none; the folders whose entries changed by that."""
    made: set[str] = set()
    for _ in range(_MAKE_TRIES):  # another process may remove a folder that is still empty
        try:
            descriptor = os.open(file, _NEW_FILE, 0o600)
        except FileNotFoundError:
            made |= _make_folder(file.rpartition("/")[0])
            continue
        with open(descriptor, "wb", buffering=0) as opened:  # noqa: PTH123 - a descriptor
            _write_all(opened, value)
        return made
    raise FileNotFoundError(file)


def _write_all(file: FileIO, value: bytes) -> None:
    """Writes every byte; the system may take fewer at once."""
    rest = memoryview(value)
    while rest:
        rest = rest[file.write(rest) :]


def _flush(files: Sequence[str], folders: Iterable[str]) -> None:
    """Returns when the files and their places are on the disk: one by one, or many at once where the system can."""
    if len(files) < _MANY_FILES or not _flush_file_system(files[0]):
        for file in files:
            _flush_one(file, os.O_RDWR)
        if _FLUSHES_FOLDERS:
            for folder in folders:
                _flush_one(folder, os.O_RDONLY)


def _flush_one(path: str, mode: int) -> None:
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_file_system(path: str) -> bool:
    """Flushes everything of the file system that holds the path, in one go; False where there is no such call.

    Five hundred bodies in as many folders take a thousand flushes one by one, some sixty times as long.
    """
    if not sys.platform.startswith("linux"):
        return False
    syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if syncfs is None:
        return False
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if syncfs(descriptor) != 0:
            raise OSError(ctypes.get_errno(), "syncfs")
    finally:
        os.close(descriptor)
    return True


def _version(value: bytes) -> StoreVersion:
    return StoreVersion(hashlib.sha256(value).hexdigest())
