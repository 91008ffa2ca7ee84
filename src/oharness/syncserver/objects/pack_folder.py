"""Packs as files of a folder: found, read, made and thinned out. Blocking.

Where every object lies is remembered, and looked for again when an object is not where it was: other processes may add
packs, and thin them out, at any time. Whoever adds or removes holds the folder's lock, which is the caller's affair.
"""

import contextlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from oharness.syncserver.objects.durable import flush, write_new
from oharness.syncserver.objects.packs import (
    HEAD_BYTES,
    Place,
    index_bytes,
    is_intact,
    pack,
    piece,
    read_index,
    without,
)

PACK_SUFFIX = ".pack"
_MOST_REMEMBERED = 200_000
_LOOKS = 5
_Looks: TypeAlias = tuple[int, int, int]


class Packed(NamedTuple):
    """An object that was read from a pack."""

    value: bytes
    modified_ms: int


class PackedSize(NamedTuple):
    """An object that lies in a pack."""

    size: int
    modified_ms: int


@dataclass(frozen=True, slots=True)
class _Pack:
    """A file as it was when its index was read; `places` is None for one whose index cannot be.

    One that is not whole was cut off by a crash, or is being written: its `cut` objects cannot be read, but a part of
    their text may be there.
    """

    looks: _Looks
    places: Mapping[str, Place] | None
    cut: Mapping[str, Place] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        return self.places is not None and not self.cut

    @property
    def modified_ms(self) -> int:
        return self.looks[2] // 1_000_000


@dataclass(frozen=True, slots=True)
class _Packs:
    """All packs of a folder by file name, and in which of them each object lies. Replaced, never changed."""

    by_file: Mapping[str, _Pack] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)


_NO_PACKS = _Packs()


class PackFolders:
    """The packs of any number of folders; the places of the latest used ones are remembered."""

    def __init__(self, most_remembered: int = _MOST_REMEMBERED) -> None:
        self._most_remembered = most_remembered
        self._remembered: OrderedDict[str, _Packs] = OrderedDict()
        self._count = 0
        self._guard = threading.Lock()

    def read(self, folder: str, names: Collection[str]) -> dict[str, Packed]:
        """The objects that are there and intact.

        Raises: OSError.
        """
        found: dict[str, Packed] = {}
        wanted = set(names)
        packs, is_fresh = self._known(folder), False
        for _ in range(_LOOKS):
            moved = False
            for file, here in _by_file(packs, wanted).items():
                read = _read_from(f"{folder}/{file}", packs.by_file[file], here)
                if read is None:
                    moved = True
                else:
                    found |= read
                    wanted.difference_update(here)
            if not wanted or (is_fresh and not moved):
                break
            packs, is_fresh = self._looked(folder, closely=moved), True
        return found

    def present(self, folder: str, names: Collection[str]) -> set[str]:
        """Those of the names that are in a pack, or were a moment ago. Raises: OSError."""
        where = self._looked(folder, closely=False).where
        return {name for name in names if name in where}

    def list(self, folder: str) -> dict[str, PackedSize]:
        """Everything that is in a pack now, and what a crash left of an object. Raises: OSError."""
        packs = self._looked(folder, closely=True).by_file.values()
        cut = {name: PackedSize(place.size, one.modified_ms) for one in packs for name, place in one.cut.items()}
        return cut | {
            name: PackedSize(place.size, one.modified_ms) for one in packs for name, place in (one.places or {}).items()
        }

    def unreadable(self, folder: str) -> dict[str, PackedSize]:
        """The files whose index cannot be read, by file name. Raises: OSError."""
        packs = self._looked(folder, closely=True)
        return {
            file: PackedSize(one.looks[1], one.modified_ms) for file, one in packs.by_file.items() if one.places is None
        }

    def create(self, folder: str, objects: Mapping[str, bytes], token: str) -> set[str]:
        """Puts objects into one new pack, named after the token, which is on the disk when this returns.

        Gives the names that are taken by objects of other packs, which stay as they are.
        Raises: OSError; there is nothing of the new ones then.
        """
        before = self._looked(folder, closely=False)
        taken = objects.keys() & before.where.keys()
        data, places = pack(piece(name, value) for name, value in objects.items() if name not in taken)
        if not places:
            return taken
        file = f"{token}{PACK_SUFFIX}"
        path = f"{folder}/{file}"
        try:
            made = write_new(path, data)
            flush([path], {folder, *made})
            looks = _looks(os.stat(path))  # noqa: PTH116 - see `durable`
        except BaseException:
            with contextlib.suppress(OSError):
                _unlink(path)
            raise
        by_file = {**before.by_file, file: _Pack(looks, places)}
        self._remember(folder, _Packs(by_file, {**before.where, **dict.fromkeys(places, file)}))
        return taken

    def remove(self, folder: str, names: Collection[str], temporary: Callable[[], str]) -> set[str]:
        """Takes objects out of every pack that has them, and gives those that were there.

        A pack keeps its name and its time, so that whoever copies the folder meanwhile misses nothing that stays.
        `temporary` gives names for new files on the same disk.
        Raises: OSError; every object is then where it was, or gone if it was to go.
        """
        removed: set[str] = set()
        wanted = frozenset(names)
        for file, one in self._looked(folder, closely=True).by_file.items():
            gone = wanted & ((one.places or {}).keys() | one.cut.keys())
            if gone:
                _thin_out(f"{folder}/{file}", one, gone, temporary)
                removed |= gone
        if removed:
            self._looked(folder, closely=True)
        return removed

    def _known(self, folder: str) -> _Packs:
        with self._guard:
            if folder in self._remembered:
                self._remembered.move_to_end(folder)
            return self._remembered.get(folder, _NO_PACKS)

    def _looked(self, folder: str, *, closely: bool) -> _Packs:
        """The packs as they are now; only the indexes of new ones are read.

        Not closely, a known pack that was thinned out since is taken for what it was, which costs no look at each.
        """
        known = self._known(folder)
        found = {file: _now(path, known.by_file.get(file), closely=closely) for file, path in _files(folder)}
        by_file = {file: one for file, one in found.items() if one is not None}
        if by_file.keys() == known.by_file.keys() and all(one is known.by_file[file] for file, one in by_file.items()):
            return known
        packs = _Packs(by_file, {name: file for file, one in by_file.items() for name in one.places or ()})
        self._remember(folder, packs)
        return packs

    def _remember(self, folder: str, packs: _Packs) -> None:
        with self._guard:
            before = self._remembered.pop(folder, _NO_PACKS)
            self._count -= len(before.where)
            if packs.by_file:
                self._remembered[folder] = packs
                self._count += len(packs.where)
            while self._count > self._most_remembered and len(self._remembered) > 1:
                _, dropped = self._remembered.popitem(last=False)
                self._count -= len(dropped.where)


def _files(folder: str) -> Iterator[tuple[str, str]]:
    try:
        with os.scandir(folder) as entries:
            yield from [(entry.name, entry.path) for entry in entries if entry.name.endswith(PACK_SUFFIX)]
    except (FileNotFoundError, NotADirectoryError):
        return


def _now(path: str, known: _Pack | None, *, closely: bool) -> _Pack | None:
    """The pack at a path: the known one if it still looks like that; None if it has gone."""
    try:
        if known is not None and known.is_whole and not closely:
            return known
        if known is not None and _looks(os.stat(path)) == known.looks:  # noqa: PTH116 - see `durable`
            return known
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - see `durable`
            status = os.fstat(file.fileno())
            head = file.read(HEAD_BYTES)
            length = index_bytes(head)
            index = file.read(length) if length is not None and HEAD_BYTES + length <= status.st_size else None
    except FileNotFoundError:
        return None
    read = None if index is None else read_index(head, index, status.st_size)
    if read is None:
        return _Pack(_looks(status), None)
    return _Pack(_looks(status), read.places, read.cut)


def _looks(status: os.stat_result) -> _Looks:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _by_file(packs: _Packs, names: Collection[str]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name in names:
        file = packs.where.get(name)
        if file is not None:
            grouped.setdefault(file, []).append(name)
    return grouped


def _read_from(path: str, one: _Pack, names: Collection[str]) -> dict[str, Packed] | None:
    """The intact ones of these objects; None when the file is another one by now."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - see `durable`
            if _looks(os.fstat(file.fileno())) != one.looks:
                return None
            read: dict[str, Packed] = {}
            for name in names:
                place = (one.places or {})[name]
                file.seek(place.offset)
                value = file.read(place.size)
                if is_intact(value, place):
                    read[name] = Packed(value, one.modified_ms)
            return read
    except FileNotFoundError:
        return None


def _thin_out(path: str, one: _Pack, gone: Collection[str], temporary: Callable[[], str]) -> None:
    if (one.places or {}).keys() <= frozenset(gone):
        _unlink(path)
        return
    with open(path, "rb") as file:  # noqa: PTH123 - see `durable`
        data = file.read()
    thinner, _ = pack(without(data, one.places or {}, gone))
    new = temporary()
    try:
        write_new(new, thinner)
        os.utime(new, ns=(one.looks[2], one.looks[2]))
        flush([new], ())
        os.replace(new, path)  # noqa: PTH105 - see `durable`
    except BaseException:
        with contextlib.suppress(OSError):
            _unlink(new)
        raise
    flush([], [path.rpartition("/")[0]])


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108 - see `durable`
