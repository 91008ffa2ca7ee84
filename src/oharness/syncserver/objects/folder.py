"""Objects as files of a local folder, with our own compare-and-swap and flushing to disk (P-45).

An object is a file of its own, named by its key, or lies with those that were stored together with it in a pack. Of an
object in both places the file counts. Several processes of one machine may share the folder: what replaces, packs or
thins out a pack holds a lock file. Reading needs no lock, since files are renamed into place whole.
"""

import asyncio
import contextlib
import hashlib
import os
import re
import threading
import time
import zlib
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ParamSpec, TypeAlias

from filelock import FileLock, Timeout

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.syncserver.keys import UNREADABLE
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
from oharness.syncserver.objects.durable import flush, make_folder, write_new
from oharness.syncserver.objects.pack_folder import PackFolders

_WORK_FOLDER = ".work"
_PACKS = ".packs"
_LOCK_STRIPES = 64
_LOCK_TIMEOUT_S = 10.0
_LOCK_POLL_S = 0.002
_LEFTOVER_AGE_MS = 3_600_000
_SEGMENT = re.compile(r"[A-Za-z0-9_%-][A-Za-z0-9._%-]{0,254}")
_KEY = re.compile(rf"{_SEGMENT.pattern}(?:/{_SEGMENT.pattern})*")
_READ_BATCH = 256
_REMEMBERED = 10_000
_SETTLING_NS = 100_000_000
"""Two changes within one tick of the file system's clock can leave a file with the same looks."""
_FEWEST_IN_A_PACK = 2
_Arguments = ParamSpec("_Arguments")
_Looks: TypeAlias = tuple[int, int, int, int]


class FolderObjects:
    """An `ObjectStore` in a folder."""

    def __init__(self, root: Path, clock: Clock, randomness: Randomness) -> None:
        self._root = root
        self._clock = clock
        self._randomness = randomness
        self._is_started = False
        self._versions: dict[str, tuple[_Looks, StoreVersion]] = {}
        self._packs = PackFolders()
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
            readings += await asyncio.to_thread(self._read_several, keys[start : start + _READ_BATCH])
        return readings

    async def create(self, key: str, value: bytes) -> Written:
        return await asyncio.to_thread(_answering, self._create, self._path(key), key, value)

    async def create_many(self, objects: Mapping[str, bytes]) -> dict[str, Written]:
        places = {key: self._place(key) for key in objects}
        return await asyncio.to_thread(self._create_many, dict(objects), places)

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
        return self._read_file(path, key) or self._read_packed([key]).get(key) or self._absent(key)

    def _read_several(self, keys: Sequence[str]) -> list[Reading]:
        found = {key: self._read_file(self._path(key), key) for key in keys}
        found |= self._read_packed([key for key, one in found.items() if one is None])
        return [found.get(key) or self._absent(key) for key in keys]

    def _read_file(self, path: Path, key: str) -> Found | None:
        """The object of a file of its own."""
        try:
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - see `_place`
                value = file.read()
                status = os.fstat(file.fileno())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise StoreUnavailable(key, str(error)) from error
        return Found(value, _version(value), status.st_mtime_ns // 1_000_000)

    def _read_packed(self, keys: Sequence[str]) -> dict[str, Found | None]:
        found: dict[str, Found | None] = {}
        for folder, names in _by_pack_folder(keys).items():
            try:
                packed = self._packs.read(self._pack_folder(folder), names)
            except OSError as error:
                raise StoreUnavailable(folder, str(error)) from error
            for name, one in packed.items():
                found[f"{folder}/{name}"] = Found(one.value, _version(one.value), one.modified_ms)
        return found

    def _absent(self, key: str) -> Absent:
        self._check_present(key)
        return Absent()

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

    def _create(self, path: Path, key: str, value: bytes) -> Written:
        with self._locked(path):
            if path.exists() or self._packed([key]):
                return Moved()
            return self._write_whole(path, value)

    def _replace(self, path: Path, key: str, value: bytes, known: StoreVersion | None) -> Written:
        with self._locked(path):
            if known is not None and not isinstance(self._read_unless(path, key, known), SameVersion):
                return Moved()
            return self._write_whole(path, value)

    def _write_whole(self, path: Path, value: bytes) -> Stored:
        temporary = self._temporary()
        try:
            write_new(temporary, value)
            flush([temporary], ())
            made = make_folder(os.fspath(path.parent))
            os.replace(temporary, path)  # noqa: PTH105 - see `_place`
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        flush([], {os.fspath(path.parent), *made})
        return Stored(_version(value))

    def _create_many(self, objects: Mapping[str, bytes], places: Mapping[str, str]) -> dict[str, Written]:
        """Files under their own names, or packs: nothing reads a body before a manifest names it."""
        try:
            self._check_present("")
        except StoreUnavailable as error:
            return dict.fromkeys(objects, Unknown(error.reason))
        written: dict[str, Written] = {}
        alone = set(objects)
        for folder, names in _by_pack_folder(objects).items():
            if len(names) >= _FEWEST_IN_A_PACK:
                together = {name: objects[f"{folder}/{name}"] for name in names}
                written |= self._create_packed(folder, together, places)
                alone -= written.keys()
        return written | self._create_in_places({places[key]: (key, objects[key]) for key in alone})

    def _create_packed(
        self, folder: str, objects: Mapping[str, bytes], places: Mapping[str, str]
    ) -> dict[str, Written]:
        """One file for all of them, flushed under the lock: whoever finds them taken may count on them."""
        keys = {name: f"{folder}/{name}" for name in objects}
        packs = self._pack_folder(folder)
        try:
            with self._locked(Path(packs)):
                # of bodies that came alone: a look at one folder, not at each
                beside = _names_in(f"{self._root}/{folder}")
                taken = {
                    name
                    for name, key in keys.items()
                    if name.partition("/")[0] in beside and os.path.lexists(places[key])
                }
                new = {name: value for name, value in objects.items() if name not in taken}
                taken |= self._packs.create(packs, new, self._randomness.token(12))
        except (OSError, Timeout) as error:
            return dict.fromkeys(keys.values(), Unknown(str(error)))
        except StoreUnavailable as error:
            return dict.fromkeys(keys.values(), Unknown(error.reason))
        return {key: Moved() if name in taken else Stored(None) for name, key in keys.items()}

    def _create_in_places(self, objects: Mapping[str, tuple[str, bytes]]) -> dict[str, Written]:
        """Each a file of its own, by their places."""
        folders: set[str] = set()
        written: dict[str, Written] = {}
        stored: dict[str, str] = {}
        for place, (key, value) in objects.items():
            written[key] = _answering(self._create_in_place, place, key, value, folders)
            if isinstance(written[key], Stored):
                stored[key] = place
        try:
            flush(list(stored.values()), folders)
        except OSError as error:
            return written | dict.fromkeys(stored, Unknown(str(error)))
        return written

    def _create_in_place(self, place: str, key: str, value: bytes, folders: set[str]) -> Written:
        """A new file, not flushed; the folders that have to be are added."""
        if self._packed([key]):
            return Moved()
        try:
            folders |= write_new(place, value)
        except FileExistsError:
            return Moved()
        folders.add(place.rpartition("/")[0])
        return Stored(None)

    def _remove(self, places: Sequence[tuple[Path, str]]) -> int:
        removed: set[str] = set()
        folders: set[Path] = set()
        for path, key in places:
            try:
                self._file_of(path, key).unlink()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise StoreUnavailable(key, str(error)) from error
            removed.add(key)
            folders.add(path.parent)
        for folder, names in _by_pack_folder([key for _, key in places]).items():
            removed |= {f"{folder}/{name}" for name in self._remove_packed(folder, names)}
            folders.add(Path(self._pack_folder(folder)))
        for folder_path in folders:
            self._drop_empty(folder_path)
        return len(removed)

    def _remove_packed(self, folder: str, names: Collection[str]) -> set[str]:
        packs = self._pack_folder(folder)
        if not os.path.isdir(packs):  # noqa: PTH112 - see `_place`
            return set()
        try:
            with self._locked(Path(packs)):
                return self._packs.remove(packs, names, self._temporary)
        except (OSError, Timeout) as error:
            raise StoreUnavailable(folder, str(error)) from error

    def _drop_empty(self, folder: Path) -> None:
        with contextlib.suppress(OSError):
            while folder != self._root:
                folder.rmdir()
                folder = folder.parent

    def _list(self, folder: Path, prefix: str) -> list[ListedObject]:
        try:
            self._check_present(prefix)
            beside, _, last = prefix[:-1].rpartition("/")
            listed = {one.key: one for one in self._list_packed(beside) if one.key.startswith(prefix)} if last else {}
            listed |= {one.key: one for one in self._walk(folder, prefix)}
            return sorted(listed.values(), key=lambda one: one.key)
        except OSError as error:
            raise StoreUnavailable(prefix, str(error)) from error

    def _walk(self, folder: Path, prefix: str) -> Iterator[ListedObject]:
        """Packed objects first: of one in both places the file counts."""
        try:
            entries = list(os.scandir(folder))
        except (FileNotFoundError, NotADirectoryError):
            return
        if any(entry.name == _PACKS for entry in entries):
            yield from self._list_packed(prefix[:-1])
        for entry in entries:
            if _SEGMENT.fullmatch(entry.name) is None:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._walk(Path(entry.path), f"{prefix}{entry.name}/")
                continue
            with contextlib.suppress(FileNotFoundError):
                stat = entry.stat(follow_symlinks=False)
                yield ListedObject(prefix + entry.name, stat.st_size, stat.st_mtime_ns // 1_000_000)

    def _list_packed(self, folder: str) -> Iterator[ListedObject]:
        packs = self._pack_folder(folder)
        for name, one in self._packs.list(packs).items():
            yield ListedObject(f"{folder}/{name}", one.size, one.modified_ms)
        for file, one in self._packs.unreadable(packs).items():
            yield ListedObject(f"{folder}/{UNREADABLE}/{file}", one.size, one.modified_ms)

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

    def _pack_folder(self, folder: str) -> str:
        return f"{self._root}/{folder}/{_PACKS}"

    def _packed(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that lie in a pack. Raises: OSError."""
        return {
            f"{folder}/{name}"
            for folder, names in _by_pack_folder(keys).items()
            for name in self._packs.present(self._pack_folder(folder), names)
        }

    def _file_of(self, path: Path, key: str) -> Path:
        """The file that a listed key stands for."""
        return path.parent.with_name(_PACKS) / path.name if path.parent.name == UNREADABLE else path

    def _temporary(self) -> str:
        return f"{self._work_folder()}/{self._randomness.token(12)}.tmp"

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


def _by_pack_folder(keys: Iterable[str]) -> dict[str, list[str]]:
    """The names of packed objects by the folder that their packs lie in: two levels up, `objects` for all bodies."""
    grouped: dict[str, list[str]] = {}
    for key in keys:
        folder, _, last = key.rpartition("/")
        folder, _, middle = folder.rpartition("/")
        if folder:
            grouped.setdefault(folder, []).append(f"{middle}/{last}")
    return grouped


def _names_in(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))  # noqa: PTH208 - see `_place`
    except FileNotFoundError:
        return frozenset()


def _version(value: bytes) -> StoreVersion:
    return StoreVersion(hashlib.sha256(value).hexdigest())
