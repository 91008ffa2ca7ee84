"""The index of a notes directory, kept under the home so that opening it reads no note.

It is derived from the note files: it may be deleted at any time, and one that is damaged or of another version is
made anew without a word. Two processes may use the same file. Blocking I/O.
"""

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oharness.core.clock import Millis
from oharness.notes.entry import FileStamp, NoteEntry, ProblemEntry
from oharness.recall.index import note_terms

VERSION = 1
_BUSY_SECONDS = 10.0
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE note (num INTEGER PRIMARY KEY, name TEXT UNIQUE, mtime_ns INTEGER, size INTEGER, inode INTEGER,
  id TEXT, summary TEXT, type TEXT, tags TEXT, created_at INTEGER, updated_at INTEGER, hash TEXT,
  body_bytes INTEGER, links TEXT, language TEXT);
CREATE INDEX note_id ON note (id);
CREATE TABLE problem (name TEXT PRIMARY KEY, mtime_ns INTEGER, size INTEGER, inode INTEGER, reason TEXT) WITHOUT ROWID;
CREATE TABLE place (key TEXT, num INTEGER, fields INTEGER, PRIMARY KEY (key, num)) WITHOUT ROWID;
CREATE INDEX place_num ON place (num);
CREATE VIEW entry AS SELECT name, mtime_ns, size, inode, id, summary, type, tags, created_at, updated_at, hash,
  body_bytes, links FROM note;
CREATE VIEW stamp AS SELECT name, mtime_ns, size, inode FROM note
  UNION ALL SELECT name, mtime_ns, size, inode FROM problem;
"""
_EMPTY: Mapping[int, int] = {}


class RecallIndex:
    """The notes of one directory as last read: entries, problem files, and the places of their words."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._lock = threading.RLock()
        self._places: dict[str, Mapping[int, int]] = {}
        self._entries: dict[int, NoteEntry] = {}
        self._count: int | None = None
        self._languages: tuple[str, ...] | None = None
        self._data_version = self._read_data_version()

    @classmethod
    def open(cls, path: Path | None) -> "RecallIndex":
        """The index at `path`, made if there is none; in memory without a path or where none can be made."""
        if path is None:
            return cls.in_memory()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            return cls.in_memory()
        return _opened(path) or _made_anew(path) or cls.in_memory()

    @classmethod
    def open_existing(cls, path: Path | None) -> "RecallIndex":
        """As `open`, but a file that is not there stays so: the index is in memory."""
        return cls.open(path if path is not None and path.is_file() else None)

    @classmethod
    def in_memory(cls) -> "RecallIndex":
        """An empty index that is gone when closed."""
        database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        _create(database)
        return cls(database)

    def close(self) -> None:
        """Lets go of the file; may be called twice."""
        with self._lock:
            self._database.close()

    def stamps(self) -> dict[str, FileStamp]:
        """How each file looked when it was read, by file name; files with a problem too."""
        with self._lock:
            rows = self._database.execute("SELECT * FROM stamp")
            return {row[0]: FileStamp(*row) for row in rows}

    def update(
        self,
        upserts: Iterable[tuple[NoteEntry, str]],
        problems: Iterable[ProblemEntry],
        removed: Iterable[str],
    ) -> None:
        """Takes in changed notes with their bodies, problem files, and the names of files that are gone."""
        with self._lock, self._writing() as database:
            for name in removed:
                _remove(database, name)
            for problem in problems:
                _remove(database, problem.stamp.name)
                database.execute(
                    "INSERT INTO problem VALUES (?, ?, ?, ?, ?)", (*_stamp_row(problem.stamp), problem.reason)
                )
            for entry, body in upserts:
                _remove(database, entry.stamp.name)
                _insert(database, entry, body)

    def entries(self) -> list[NoteEntry]:
        """All notes."""
        with self._lock:
            return [_entry(row) for row in self._database.execute("SELECT * FROM entry ORDER BY name")]

    def entry(self, note_id: str) -> NoteEntry | None:
        """The note with that id."""
        with self._lock:
            row = self._database.execute("SELECT * FROM entry WHERE id = ?", (note_id,)).fetchone()
            return _entry(row) if row else None

    def problems(self) -> list[ProblemEntry]:
        """The files that cannot be notes."""
        with self._lock:
            rows = self._database.execute("SELECT * FROM problem ORDER BY name")
            return [ProblemEntry(FileStamp(*row[:4]), row[4]) for row in rows]

    def note_count(self) -> int:
        """How many notes there are."""
        with self._lock:
            self._forget_if_changed()
            if self._count is None:
                self._count = int(self._database.execute("SELECT count(*) FROM note").fetchone()[0])
            return self._count

    def languages(self) -> tuple[str, ...]:
        """The languages its notes are written in, English always among them."""
        with self._lock:
            self._forget_if_changed()
            if self._languages is None:
                rows = self._database.execute("SELECT DISTINCT language FROM note ORDER BY language")
                self._languages = tuple(dict.fromkeys(["en", *(row[0] for row in rows)]))
            return self._languages

    def places(self, key: str) -> Mapping[int, int]:
        """The notes that hold a key, each with the fields it stands in."""
        with self._lock:
            self._forget_if_changed()
            found = self._places.get(key)
            if found is None:
                rows = self._database.execute("SELECT num, fields FROM place WHERE key = ?", (key,)).fetchall()
                found = self._places[key] = dict(rows) if rows else _EMPTY
            return found

    def entry_at(self, number: int) -> NoteEntry:
        """The note with that number."""
        with self._lock:
            found = self._entries.get(number)
            if found is None:
                row = self._database.execute(
                    "SELECT * FROM entry WHERE name = (SELECT name FROM note WHERE num = ?)", (number,)
                ).fetchone()
                found = self._entries[number] = _entry(row)
            return found

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One unchanging view for all that is asked inside, whatever other processes write meanwhile."""
        with self._lock:
            self._database.execute("BEGIN")
            try:
                self._database.execute("SELECT 1 FROM meta").fetchone()  # the view is taken here
                yield
            finally:
                self._database.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield self._database
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")
        self._forget()

    def _read_data_version(self) -> int:
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    def _forget_if_changed(self) -> None:
        version = self._read_data_version()
        if version != self._data_version:
            self._data_version = version
            self._forget()

    def _forget(self) -> None:
        self._places.clear()
        self._entries.clear()
        self._count = None
        self._languages = None


def _create(database: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";"):
        database.execute(statement)
    database.execute("INSERT INTO meta VALUES ('version', ?)", (str(VERSION),))


def _opened(path: Path) -> RecallIndex | None:
    """The index at `path` if it is whole and of this version; an empty or new file becomes one."""
    database = None
    try:
        database = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None)
        database.execute("PRAGMA synchronous = OFF")
        database.execute("BEGIN IMMEDIATE")
        if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
            _create(database)
        found = database.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        database.execute("COMMIT")
        if found == (str(VERSION),):
            return RecallIndex(database)
    except sqlite3.Error:
        pass
    if database is not None:
        database.close()
    return None


def _made_anew(path: Path) -> RecallIndex | None:
    try:
        for suffix in ("", "-journal", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    except OSError:
        return None
    return _opened(path)


def _stamp_row(stamp: FileStamp) -> tuple[str, int, int, int]:
    return (stamp.name, stamp.mtime_ns, stamp.size, stamp.inode)


def _remove(database: sqlite3.Connection, name: str) -> None:
    database.execute("DELETE FROM problem WHERE name = ?", (name,))
    row = database.execute("SELECT num FROM note WHERE name = ?", (name,)).fetchone()
    if row:
        database.execute("DELETE FROM place WHERE num = ?", row)
        database.execute("DELETE FROM note WHERE num = ?", row)


def _insert(database: sqlite3.Connection, entry: NoteEntry, body: str) -> None:
    terms = note_terms(entry.summary, entry.tags, body)
    cursor = database.execute(
        "INSERT INTO note VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *_stamp_row(entry.stamp),
            entry.id,
            entry.summary,
            entry.type,
            json.dumps(entry.tags),
            entry.created_at,
            entry.updated_at,
            entry.hash,
            entry.body_bytes,
            json.dumps(entry.links),
            terms.language,
        ),
    )
    number = cursor.lastrowid
    database.executemany(
        "INSERT INTO place VALUES (?, ?, ?)", [(key, number, fields) for key, fields in terms.fields.items()]
    )


def _entry(row: tuple[Any, ...]) -> NoteEntry:
    name, mtime_ns, size, inode, note_id, summary, kind, tags, created, updated, digest, body_bytes, links = row
    return NoteEntry(
        stamp=FileStamp(name, mtime_ns, size, inode),
        id=note_id,
        summary=summary,
        type=kind,
        tags=tuple(json.loads(tags)),
        created_at=Millis(created),
        updated_at=Millis(updated),
        hash=digest,
        body_bytes=body_bytes,
        links=tuple(json.loads(links)),
    )
