"""Which notes hold each key, as tables: written for one changed note at a time, and for those who ask for words.

Nearly all keys are held by few notes, which stand beside the key itself: one row answers for them. The notes of a usual
key stand in chunks of numbers, so that one changed note rewrites little of them, and only how many they are stands
beside the key: they are read when one of them is asked for.
"""

import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from oharness.recall.postings import (
    NOT_HELD,
    Held,
    Postings,
    Sought,
    changed,
    every_mark,
    packed_count,
    place,
    place_number,
    sliced,
)

FEW = 256
CHUNK_BITS = 10
NOTES_PER_CHUNK = 1 << CHUNK_BITS
TABLES = """
CREATE TABLE word (key TEXT PRIMARY KEY, count INTEGER, every INTEGER, notes BLOB) WITHOUT ROWID;
CREATE TABLE chunk (key TEXT, number INTEGER, notes BLOB, PRIMARY KEY (key, number)) WITHOUT ROWID;
"""
_KEYS_PER_QUESTION = 400
_Changes = defaultdict[str, "array[int]"]
"""By key the places that changed."""


def held_in(asking: sqlite3.Cursor, word: Sought) -> Held:
    """The notes that hold a word."""
    places = [found for key in word.keys if (found := _postings(asking, key))]
    alike = _postings(asking, word.beginning) if word.beginning else None
    if len(places) == 1:
        return Held(places[0].count, places, alike)
    return Held(max([one.count for one in places]), places, alike) if places else Held(0, (), alike)


def _postings(asking: sqlite3.Cursor, key: str) -> Postings | None:
    asking.execute("SELECT count, every, notes FROM word WHERE key = ?", (key,))
    row = asking.fetchone()
    if row is None:
        return None
    count, every, notes = row
    pieces: Iterable[bytes] = _Chunks(asking.connection, key) if notes is None else (notes,)
    return Postings(count, every, pieces)


def keys_that_begin(database: sqlite3.Connection, beginning: str, most: int) -> list[str]:
    """Some of the keys that begin so."""
    question = "SELECT key FROM word WHERE key >= ? AND key < ? LIMIT ?"
    return [row[0] for row in database.execute(question, (beginning, beginning + "\U0010ffff", most))]


class _Chunks:
    """The pieces of a usual key, asked for when they are gone through."""

    __slots__ = ("_database", "_key")

    def __init__(self, database: sqlite3.Connection, key: str) -> None:
        self._database = database
        self._key = key

    def __iter__(self) -> Iterator[bytes]:
        rows = self._database.execute("SELECT notes FROM chunk WHERE key = ? ORDER BY number", (self._key,))
        return (row[0] for row in rows)


class PlacesToWrite:
    """What changed of the places of keys, gathered until it is written at once."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._changes = _changes()

    def change(self, number: int, before: Mapping[str, int], now: Mapping[str, int]) -> None:
        """A note holds other keys or marks than before; one note once between two writes."""
        changes = self._changes
        for key, mark in now.items():
            if before.get(key) != mark:
                changes[key].append(place(number, mark))
        for key in before.keys() - now.keys():
            changes[key].append(place(number, NOT_HELD))

    def write(self) -> None:
        """Writes what was gathered."""
        changes, self._changes = self._changes, _changes()
        usual: dict[str, int] = {}
        beside: dict[str, tuple[int, bytes]] = dict.fromkeys(sorted(changes), (0, b""))
        for some, marks in _in_questions(list(beside)):
            question = f"SELECT key, every, notes FROM word WHERE key IN ({marks})"  # noqa: S608
            for key, every, notes in self._database.execute(question, some):
                if notes is None:
                    usual[key] = every
                    del beside[key]
                else:
                    beside[key] = every, notes
        self._write_beside_keys(beside, changes)
        self._write_chunks(usual, changes)

    def _write_beside_keys(self, held: Mapping[str, tuple[int, bytes]], changes: _Changes) -> None:
        rows: list[tuple[str, int, int, bytes | None]] = []
        chunks: list[tuple[str, int, bytes]] = []
        empty: list[tuple[str]] = []
        for key, (every, notes) in held.items():
            now = changed(notes, changes[key])
            count = packed_count(now)
            if count > FEW:
                chunks += [(key, number, piece) for number, piece in sliced(now, CHUNK_BITS)]
            if count:
                rows.append((key, count, every | every_mark(changes[key]), now if count <= FEW else None))
            else:
                empty.append((key,))
        self._database.executemany("INSERT OR REPLACE INTO word VALUES (?, ?, ?, ?)", rows)
        self._database.executemany("INSERT INTO chunk VALUES (?, ?, ?)", chunks)
        self._database.executemany("DELETE FROM word WHERE key = ?", empty)

    def _write_chunks(self, usual: Mapping[str, int], changes: _Changes) -> None:
        more = dict.fromkeys(usual, 0)
        for number, of_chunk in sorted(_by_chunk(usual, changes).items()):
            held = self._chunk(number, list(of_chunk))
            rows: list[tuple[str, int, bytes]] = []
            empty: list[tuple[str, int]] = []
            for key, places in of_chunk.items():
                before = held.get(key, b"")
                now = changed(before, places)
                more[key] += packed_count(now) - packed_count(before)
                if now:
                    rows.append((key, number, now))
                else:
                    empty.append((key, number))
            self._database.executemany("INSERT OR REPLACE INTO chunk VALUES (?, ?, ?)", rows)
            self._database.executemany("DELETE FROM chunk WHERE key = ? AND number = ?", empty)
        every = {key: known | every_mark(changes[key]) for key, known in usual.items()}
        counts = [(count, every[key], key) for key, count in more.items() if count or every[key] != usual[key]]
        self._database.executemany("UPDATE word SET count = count + ?, every = ? WHERE key = ?", counts)
        fewer = [(key,) for key, count in more.items() if count < 0]
        self._database.executemany("DELETE FROM word WHERE key = ? AND count = 0", fewer)

    def _chunk(self, number: int, keys: list[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for some, marks in _in_questions(keys):
            question = f"SELECT key, notes FROM chunk WHERE number = ? AND key IN ({marks})"  # noqa: S608
            found.update(self._database.execute(question, [number, *some]))
        return found


def _in_questions(keys: list[str]) -> Iterator[tuple[list[str], str]]:
    """The keys in as many parts as one question may name, each with its question marks."""
    for start in range(0, len(keys), _KEYS_PER_QUESTION):
        some = keys[start : start + _KEYS_PER_QUESTION]
        yield some, ",".join("?" * len(some))


def _changes() -> _Changes:
    return defaultdict(partial(array, "Q"))


def _by_chunk(usual: Iterable[str], changes: _Changes) -> dict[int, dict[str, list[int]]]:
    found: defaultdict[int, dict[str, list[int]]] = defaultdict(dict)
    for key in usual:
        for one in changes[key]:
            found[place_number(one) >> CHUNK_BITS].setdefault(key, []).append(one)
    return found
