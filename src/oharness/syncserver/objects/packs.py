"""Many objects in one file: how a pack is laid out. Pure.

    oharness-pack 1 0000a3f0 5d1c7b02                  bytes of the index and its CRC-32, in hex
    [["note-1/7d0c….md", 1043, 912837465], …]          name, bytes and CRC-32 of each object, in order
    the objects, one after another

What is before the objects says everything about them, so that a file that a crash cut off still tells which of them
are there.
"""

import zlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

_MAGIC = b"oharness-pack 1 "
HEAD_BYTES = len(_MAGIC) + len("0000a3f0 5d1c7b02\n")


class Place(NamedTuple):
    """Where in its pack an object lies."""

    offset: int
    size: int
    crc: int


class Piece(NamedTuple):
    """An object on its way into a pack. `crc` is the one it had when it was first written."""

    name: str
    crc: int
    value: bytes


def piece(name: str, value: bytes) -> Piece:
    """A new object."""
    return Piece(name, zlib.crc32(value), value)


def pack(pieces: Iterable[Piece]) -> tuple[bytes, dict[str, Place]]:
    """The bytes of a pack, and where in it everything lies."""
    pieces = list(pieces)
    index = msgspec.json.encode([(one.name, len(one.value), one.crc) for one in pieces]) + b"\n"
    head = _MAGIC + f"{len(index):08x} {zlib.crc32(index):08x}\n".encode()
    places = _placed(((one.name, len(one.value), one.crc) for one in pieces), len(head) + len(index))
    return b"".join((head, index, *(one.value for one in pieces))), places


def index_bytes(head: bytes) -> int | None:
    """How long the index is that follows these first bytes of a file; None when they are not those of a pack."""
    if len(head) != HEAD_BYTES or not head.startswith(_MAGIC):
        return None
    try:
        return int(head[len(_MAGIC) : len(_MAGIC) + 8], 16)
    except ValueError:
        return None


class Index(NamedTuple):
    """Where the objects of a file lie. `cut` are those that go on behind its end, with what is there of them."""

    places: dict[str, Place]
    cut: dict[str, Place]


def read_index(head: bytes, index: bytes, file_bytes: int) -> Index | None:
    """Where the objects lie that a file of so many bytes holds whole; None when the index is not what it was."""
    try:
        if int(head[-9:-1], 16) != zlib.crc32(index):
            return None
        listed = msgspec.json.decode(index, type=list[tuple[str, int, int]])
    except (ValueError, msgspec.MsgspecError):
        return None
    read = Index({}, {})
    for name, place in _placed(listed, len(head) + len(index)).items():
        there = file_bytes - place.offset
        if place.size <= there:
            read.places[name] = place
        else:
            read.cut[name] = place._replace(size=max(there, 0))
    return read


def is_intact(value: bytes, place: Place) -> bool:
    """Whether what was read from a place is what was written there."""
    return len(value) == place.size and zlib.crc32(value) == place.crc


def without(data: bytes, places: Mapping[str, Place], gone: Iterable[str]) -> list[Piece]:
    """What is left of a pack's bytes when some objects go; damaged ones stay as they are."""
    left_out = frozenset(gone)
    return [
        Piece(name, place.crc, data[place.offset : place.offset + place.size])
        for name, place in places.items()
        if name not in left_out
    ]


def _placed(listed: Iterable[tuple[str, int, int]], offset: int) -> dict[str, Place]:
    places: dict[str, Place] = {}
    for name, size, crc in listed:
        places[name] = Place(offset, size, crc)
        offset += size
    return places
