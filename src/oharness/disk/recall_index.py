"""The index of a notes directory, kept under the home so that opening it reads no note.

It is derived from the note files: it may be deleted at any time, and one that is damaged or of another version is
made anew without a word. Two processes may use the same file. Blocking I/O.

Of a changed note only the keys that changed are written (`disk.recall_places`). Nothing is flushed to the disk: what a
power cut leaves is either found damaged and made anew, or older than the files and caught up.
"""

import sqlite3
import sys
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oharness.core.clock import Millis
from oharness.disk.changes_in_waiting import ChangesInWaiting
from oharness.disk.recall_places import TABLES, PlacesToWrite, held_in, keys_that_begin
from oharness.notes.entry import FileStamp, NoteEntry, ProblemEntry
from oharness.recall.postings import LONG_BODY, Held, Sought

if TYPE_CHECKING:
    from oharness.recall.index import NoteTerms

VERSION = f"6 {sys.byteorder}"
_BUSY_SECONDS = 10.0
_NOTES_AT_ONCE = 2048
_MOST_CACHED_PLACES = 1_000_000
_NOTES_OF_A_RARE_WORD = 50
_MOST_KEYS_FROM = 1000
INDEX_FAULTS = (sqlite3.Error, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a damaged index raises: pages in each other's place hold values of other kinds."""
_DAMAGED = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_ERROR,  # a table is not there
    sqlite3.SQLITE_CONSTRAINT,  # what is gone from one table is still in another
    sqlite3.SQLITE_MISMATCH,
)
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE stamp (name TEXT PRIMARY KEY, mtime_ns INTEGER, size INTEGER, inode INTEGER, num INTEGER) WITHOUT ROWID;
CREATE TABLE note (num INTEGER PRIMARY KEY, name TEXT, mtime_ns INTEGER, size INTEGER, inode INTEGER, id TEXT,
  summary TEXT, type TEXT, tags TEXT, created_at INTEGER, updated_at INTEGER, hash TEXT, body_bytes INTEGER, links TEXT,
  language TEXT, body_words INTEGER);
CREATE INDEX note_id ON note (id);
CREATE INDEX note_read ON note (language, body_words);
CREATE TABLE problem (name TEXT PRIMARY KEY, reason TEXT) WITHOUT ROWID;
CREATE TABLE note_keys (num INTEGER PRIMARY KEY, keys TEXT, marks BLOB);
"""
_ENTRY = """
SELECT name, mtime_ns, size, inode, id, summary, type, tags, created_at, updated_at, hash, body_bytes, links FROM note
"""
_ENTRY_KINDS = frozenset(
    (str, int, int, int, str, str, kind, str, int, int, str, int, str) for kind in (str, type(None))
)
_ENTRY_AT = f"{_ENTRY} WHERE num = ?"
_stamp = partial(tuple.__new__, FileStamp)  # of a row; a tenth of the usual way, for thousands of them
_Marks = dict[str, int]


@dataclass(slots=True)
class _View:
    """What was read already, for as long as nobody writes."""

    held: dict[tuple[str, ...], Held] = field(default_factory=dict)
    places: int = 0
    entries: dict[int, NoteEntry] = field(default_factory=dict)
    long_bodies: Mapping[int, int] | None = None
    count: int | None = None
    languages: tuple[str, ...] | None = None


class RecallIndex:
    """The notes of one directory as last read: entries, problem files, and the places of their words."""

    def __init__(self, database: sqlite3.Connection, path: Path | None = None) -> None:
        self._database = database
        self._asking = database.cursor()
        self._path = path
        self._lock = threading.RLock()
        self._is_reading = False
        self._seen: Any = None
        self._view = _View()
        self._waiting: ChangesInWaiting | None = None

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
        """As `open`, but a file that is not there stays so: the index is in memory.

        What changed since waits until words are asked for: who only lists notes writes no index.
        """
        index = cls.open(path if path is not None and _is_there(path) else None)
        index._waiting = ChangesInWaiting()
        return index

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

    def give_up(self, error: Exception) -> bool:
        """Lets go of the file after an error, and says whether it was damaged.

        A damaged one goes, so that the next to open it makes it anew, and so does one that fills the disk, since notes
        and conversations need its room.
        """
        self.close()
        code = _primary_code(error)
        if self._path is not None and code in (*_DAMAGED, sqlite3.SQLITE_FULL):
            with suppress(OSError):
                _remove(self._path)
        return code in _DAMAGED

    def stamps(self) -> dict[str, FileStamp]:
        """How each file looked when it was read, by file name and in their order; files with a problem too."""
        with self._lock:
            rows = self._database.execute("SELECT name, mtime_ns, size, inode FROM stamp ORDER BY name").fetchall()
            found = {row[0]: stamp for row, stamp in zip(rows, map(_stamp, rows), strict=True)}
            return self._waiting.stamps_over(found) if self._waiting else found

    def update(
        self,
        upserts: Iterable[tuple[NoteEntry, str]],
        problems: Iterable[ProblemEntry],
        removed: Iterable[str],
    ) -> None:
        """Takes in changed notes with their bodies, problem files, and the names of files that are gone."""
        with self._lock:
            if self._waiting is None:
                self._write(upserts, problems, removed)
            else:
                self._waiting.add(upserts, problems, removed)

    def entries(self) -> list[NoteEntry]:
        """All notes."""
        with self._lock:
            rows = self._database.execute(f"{_ENTRY} ORDER BY name").fetchall()
            found = [_entry(row) for row in rows]
            return self._waiting.entries_over(found) if self._waiting else found

    def entry(self, note_id: str) -> NoteEntry | None:
        """The note with that id."""
        with self._lock:
            rows = self._database.execute(f"{_ENTRY} WHERE id = ?", (note_id,)).fetchall()
            found = [_entry(row) for row in rows]
            if self._waiting:
                found = [one for one in self._waiting.entries_over(found) if one.id == note_id]
        return found[0] if found else None

    def problems(self) -> list[ProblemEntry]:
        """The files that cannot be notes."""
        question = "SELECT name, mtime_ns, size, inode, reason FROM problem JOIN stamp USING (name) ORDER BY name"
        with self._lock:
            rows = self._database.execute(question).fetchall()
            found = [ProblemEntry(FileStamp(*row[:4]), row[4]) for row in rows]
            return self._waiting.problems_over(found) if self._waiting else found

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One unchanging view for all that is asked inside, whatever other processes write meanwhile."""
        with self._lock:
            self._write_waiting()
            self._database.execute("BEGIN")
            try:
                self._forget_if_changed()  # the view is taken here
                self._is_reading = True
                yield
            finally:
                self._is_reading = False
                self._database.execute("ROLLBACK")

    def note_count(self) -> int:
        """How many notes there are."""
        with self._lock:
            self._look()
            if self._view.count is None:
                self._view.count = int(self._database.execute("SELECT count(*) FROM note").fetchone()[0])
            return self._view.count

    def languages(self) -> tuple[str, ...]:
        """The languages its notes are written in, English always among them."""
        with self._lock:
            self._look()
            if self._view.languages is None:
                rows = self._database.execute("SELECT DISTINCT language FROM note ORDER BY language")
                self._view.languages = tuple(dict.fromkeys(["en", *(row[0] for row in rows)]))
            return self._view.languages

    def held(self, words: Sequence[Sought]) -> list[Held]:
        """The notes that hold each word."""
        with self._lock:
            self._look()
            known = self._view.held
            return [known.get(word.keys) or self._fetch(word) for word in words]

    def keys_from(self, beginning: str) -> list[str]:
        """The keys that begin so, at most a thousand."""
        with self._lock:
            self._look()
            return keys_that_begin(self._database, beginning, _MOST_KEYS_FROM)

    def long_bodies(self) -> Mapping[int, int]:
        """The notes whose bodies are longer than `LONG_BODY` words, and how many words they have."""
        with self._lock:
            self._look()
            if self._view.long_bodies is None:
                rows = self._database.execute("SELECT num, body_words FROM note WHERE body_words > ?", (LONG_BODY,))
                self._view.long_bodies = dict(rows.fetchall())
            return self._view.long_bodies

    def entry_at(self, number: int) -> NoteEntry | None:
        """The note with that number."""
        with self._lock:
            self._look()
            found = self._view.entries.get(number)
            if found is None:
                row = self._database.execute(_ENTRY_AT, (number,)).fetchone()
                if row is None:
                    return None
                found = self._view.entries[number] = _entry(row)
            return found

    def _fetch(self, word: Sought) -> Held:
        """What the index says of a word; kept where many notes hold it, since one row answers for any other."""
        found = held_in(self._asking, word)
        if found.notes > _NOTES_OF_A_RARE_WORD:
            view = self._view
            if view.places > _MOST_CACHED_PLACES:
                view.held.clear()
                view.places = 0
            view.held[word.keys] = found
            view.places += sum([one.count for one in found.places])
        return found

    def _look(self) -> None:
        """Before any question about words: what waits is written, and what others wrote is seen."""
        if not self._is_reading:
            self._write_waiting()
            self._forget_if_changed()

    def _write_waiting(self) -> None:
        if self._waiting:
            self._write(*self._waiting.take())

    def _write(
        self, upserts: Iterable[tuple[NoteEntry, str]], problems: Iterable[ProblemEntry], removed: Iterable[str]
    ) -> None:
        with self._writing() as database:
            changes = _Changes(database)
            for name in removed:
                changes.drop_file(name)
            for problem in problems:
                changes.put_problem(problem)
            for entry, body in upserts:
                changes.put_note(entry, _terms_of(entry, body))
            changes.write_places()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield self._database
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        finally:
            self._forget()

    def _forget_if_changed(self) -> None:
        if self._is_reading:
            return
        seen = self._database.execute("PRAGMA data_version").fetchone()
        if seen != self._seen:
            self._seen = seen
            self._forget()

    def _forget(self) -> None:
        self._view = _View()


class _Changes:
    """What one update changes; the places of many notes are gathered and written at once, chunk by chunk."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._next = 1 + int(database.execute("SELECT coalesce(max(num), -1) FROM note").fetchone()[0])
        self._places = PlacesToWrite(database)
        self._gathered: set[int] = set()

    def drop_file(self, name: str) -> None:
        """Forgets a file and what it held."""
        number, marks = self._drop_entry(name)
        if number is not None:
            self._change_places(number, marks, {})

    def put_problem(self, problem: ProblemEntry) -> None:
        """Takes in a file that cannot be a note."""
        self.drop_file(problem.stamp.name)
        self._put_stamp(problem.stamp, None)
        self._database.execute("INSERT INTO problem VALUES (?, ?)", (problem.stamp.name, problem.reason))

    def put_note(self, entry: NoteEntry, terms: "NoteTerms") -> None:
        """Takes in a note in place of the one its file was."""
        number, before = self._drop_entry(entry.stamp.name)
        if number is None:
            number = self._next
            self._next += 1
        self._put_stamp(entry.stamp, number)
        note = (
            number,
            *entry.stamp,
            entry.id,
            entry.summary,
            entry.type,
            "\n".join(entry.tags),
            entry.created_at,
            entry.updated_at,
            entry.hash,
            entry.body_bytes,
            "\n".join(entry.links),
            terms.language,
            terms.body_words,
        )
        self._database.execute(f"INSERT INTO note VALUES ({','.join('?' * len(note))})", note)  # noqa: S608
        row = (number, "\n".join(terms.marks), array("H", terms.marks.values()).tobytes())
        self._database.execute("INSERT INTO note_keys VALUES (?, ?, ?)", row)
        self._change_places(number, before, terms.marks)

    def write_places(self) -> None:
        """Writes the gathered places."""
        self._places.write()
        self._gathered.clear()

    def _drop_entry(self, name: str) -> tuple[int | None, _Marks]:
        """Forgets a file, but not yet its places; the number and the marks of the note it was."""
        self._database.execute("DELETE FROM problem WHERE name = ?", (name,))
        row = self._database.execute("DELETE FROM stamp WHERE name = ? RETURNING num", (name,)).fetchone()
        if row is None or row[0] is None:
            return None, {}
        self._database.execute("DELETE FROM note WHERE num = ?", row)
        [(keys, marks)] = self._database.execute("DELETE FROM note_keys WHERE num = ? RETURNING keys, marks", row)
        return row[0], dict(zip(keys.split("\n"), array("H", marks), strict=True)) if keys else {}

    def _change_places(self, number: int, before: Mapping[str, int], now: Mapping[str, int]) -> None:
        if number in self._gathered or len(self._gathered) >= _NOTES_AT_ONCE:
            self.write_places()
        self._gathered.add(number)
        self._places.change(number, before, now)

    def _put_stamp(self, stamp: FileStamp, number: int | None) -> None:
        self._database.execute(
            "INSERT INTO stamp VALUES (?, ?, ?, ?, ?)", (stamp.name, stamp.mtime_ns, stamp.size, stamp.inode, number)
        )


def _primary_code(error: Exception) -> int | None:
    """What went wrong as SQLite counts it; None where it was not asked at all, since the index is closed."""
    if isinstance(error, sqlite3.ProgrammingError):
        return None
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)  # none of what was read and is no text
    return code & 0xFF


def _create(database: sqlite3.Connection) -> None:
    for statement in (TABLES + _TABLES).split(";"):
        database.execute(statement)
    database.execute("INSERT INTO meta VALUES ('version', ?)", (VERSION,))


def _opened(path: Path) -> RecallIndex | None:
    """The index at `path` if it is whole and of this version; an empty or new file becomes one."""
    database = None
    try:
        database = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None)
        database.execute("PRAGMA synchronous = OFF")
        if database.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
            _create_once(database)
        if database.execute("SELECT value FROM meta WHERE key = 'version'").fetchone() == (VERSION,):
            return RecallIndex(database, path)
    except INDEX_FAULTS:  # not only of the library: what it says of a damaged file may be no text
        pass
    if database is not None:
        database.close()
    return None


def _create_once(database: sqlite3.Connection) -> None:
    database.execute("BEGIN IMMEDIATE")
    if database.execute("SELECT 1 FROM sqlite_master").fetchone() is None:  # nobody was faster
        _create(database)
    database.execute("COMMIT")


def _made_anew(path: Path) -> RecallIndex | None:
    try:
        _remove(path)
    except OSError:
        return None
    return _opened(path)


def _is_there(path: Path) -> bool:
    """Whether there is a file; one that may not be looked at counts as none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _remove(path: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _terms_of(entry: NoteEntry, body: str) -> "NoteTerms":
    from oharness.recall.index import note_terms  # stemmers and usual words cost more to load than an index to open

    return note_terms(entry.summary, entry.tags, body)


def _entry(row: tuple[Any, ...]) -> NoteEntry:
    """A row as an entry. Raises: TypeError when it holds values of other kinds, as in a damaged file."""
    if tuple(map(type, row)) not in _ENTRY_KINDS:
        raise TypeError(row)
    name, mtime_ns, size, inode, note_id, summary, kind, tags, created, updated, digest, body_bytes, links = row
    return NoteEntry(
        stamp=FileStamp(name, mtime_ns, size, inode),
        id=note_id,
        summary=summary,
        type=kind,
        tags=tuple(tags.split("\n")) if tags else (),
        created_at=Millis(created),
        updated_at=Millis(updated),
        hash=digest,
        body_bytes=body_bytes,
        links=tuple(links.split("\n")) if links else (),
    )
