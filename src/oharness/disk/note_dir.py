"""One directory of notes: what is in it, reading one file, writing and deleting with a look before.

Reading takes no lock and changes nothing. Writing holds the folder's lock, spells names exactly as the
directory does, never goes through a link, and leaves a file alone that is not what the caller read.
Whether a note may be written at all (limits, credentials) and the backup before it are the caller's part.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from oharness.core.clock import Clock, Millis
from oharness.core.errors import Failed, Refused, StorageFailed
from oharness.disk.atomic import (
    Absent,
    Expected,
    Holding,
    NewFiles,
    PlannedWrite,
    digest_of,
    ensure_directory,
    is_gone_or_no_file,
    is_temporary,
    remove_files,
    remove_leftovers,
    storage_errors,
    write_files,
)
from oharness.disk.filesystem import FileRead, FileSystem, Listing, Meanwhile
from oharness.disk.folder_lock import FolderLock
from oharness.notes.entry import FileStamp, ProblemEntry
from oharness.notes.frontmatter import FILE_SUFFIX, note_file_name, note_text, parse_note
from oharness.notes.ids import IdCaseCollision, case_collision
from oharness.notes.limits import largest_file_bytes
from oharness.notes.note import Note
from oharness.notes.problems import NotANote, ProblemReason

UNSETTLED = -1
"""The inode in the stamp of a file that was written so lately that it has to be read once more."""

_SETTLING_NS = 100_000_000


@dataclass(eq=False)
class NoteChangedOnDisk(Failed):
    """The note's file is no longer what was read; nothing was written. Read again and decide again."""

    note_id: str
    path: str


@dataclass(eq=False)
class DirectoryRedirected(Refused):
    """The notes directory has become a link to another place, which is not followed."""

    path: str
    real_path: str


@dataclass(frozen=True, slots=True)
class Scan:
    """What one look at the directory found: files that may be notes, and names that cannot."""

    files: tuple[FileStamp, ...]
    problems: tuple[ProblemEntry, ...]
    exists: bool


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A note with the exact bytes it was read from."""

    stamp: FileStamp
    note: Note
    data: bytes

    @property
    def expected(self) -> Holding:
        """What a write or delete planned from this reading expects to find."""
        return Holding(digest_of(self.data))


@dataclass(frozen=True, slots=True)
class DamagedFile:
    """A file that cannot be a note, with its bytes as far as they could be read, and where it breaks."""

    stamp: FileStamp
    reason: ProblemReason
    data: bytes
    line: int = 0
    column: int = 0

    @property
    def error(self) -> NotANote:
        """What to raise for whoever needs a note."""
        return NotANote(self.stamp.name, self.reason, self.line, self.column)

    @property
    def expected(self) -> Holding:
        """What a write or delete planned from this reading expects to find."""
        return Holding(digest_of(self.data))


@dataclass(frozen=True, slots=True)
class NoteWrite:
    """A note to write, and what its writer saw under that name; `text` is its file if the writer has that at hand."""

    note: Note
    expected: Expected
    text: str | None = None

    def data(self) -> bytes:
        """The bytes of its file."""
        return (note_text(self.note) if self.text is None else self.text).encode()


@dataclass(frozen=True, slots=True)
class NoteDelete:
    """A note to delete, and what was seen under that name."""

    note_id: str
    expected: Holding


@dataclass(frozen=True, slots=True)
class Permissions:
    """The modes of new files and of the directory, before the process's umask."""

    file: int
    directory: int


class NoteDir:
    """The directory at `path`, which is free of links; it is made at the first write.

    `inside` is not: a project's folder that was renamed or removed does not come back with one note in it.
    """

    def __init__(
        self,
        files: FileSystem,
        path: Path,
        lock: FolderLock,
        clock: Clock,
        max_note_bytes: int,
        permissions: Permissions,
        inside: Path | None = None,
    ) -> None:
        self.path = path
        self._inside = inside
        self.max_note_bytes = max_note_bytes
        self._largest_file = largest_file_bytes(max_note_bytes)
        self._files = files
        self._lock = lock
        self._clock = clock
        self._permissions = permissions
        self._last_scan: tuple[Listing, Scan] | None = None

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other processes of this home from writing here; may be nested.

        Raises: FolderBusy; StorageFailed.
        """
        self._check_place()
        if self._inside is not None and not self._files.is_directory(self._inside):
            raise StorageFailed(str(self._inside), os.strerror(errno.ENOENT))
        ensure_directory(self._files, self.path, self._permissions.directory)
        with self._lock.held():
            yield

    def scan(self) -> Scan:
        """All files that may be notes, found without opening any.

        Raises: StorageFailed when there is a directory that cannot be read; DirectoryRedirected.
        """
        self._check_place()
        try:
            listing = self._files.list_directory(self.path)
        except FileNotFoundError:
            return Scan((), (), exists=False)
        except OSError as error:
            raise StorageFailed(str(self.path), error.strerror or str(error)) from error
        if self._last_scan is None or self._last_scan[0] != listing:
            self._last_scan = (listing, self._looked_at(listing))
        return self._last_scan[1]

    def read(self, name: str) -> NoteFile | DamagedFile | None:
        """The file of that name, spelled as the directory does; None when it is not there."""
        try:
            found = self._files.read_plain(self.path / name, self._largest_file)
        except OSError as error:
            return self._unreadable(name, error)
        stamp = self._settled(FileStamp(name, found.mtime_ns, len(found.data), found.inode))
        try:
            return NoteFile(stamp, self._parsed(name, found), found.data)
        except NotANote as problem:
            return DamagedFile(stamp, problem.reason, found.data, problem.line, problem.column)

    def read_id(self, note_id: str) -> NoteFile | DamagedFile | None:
        """The file of a note, found under exactly this spelling of its id; None when there is none."""
        name = note_file_name(note_id)
        return self.read(name) if name in self.names() else None

    def names(self) -> list[str]:
        """All names in the directory as it spells them, other files included.

        Raises: StorageFailed.
        """
        with storage_errors(self.path):
            try:
                return self._files.list_names(self.path)
            except FileNotFoundError:
                return []

    def note_path(self, note_id: str) -> Path:
        """Where the note of that id lies or would lie."""
        return self.path / note_file_name(note_id)

    def write(self, note: Note, expected: Expected) -> FileStamp:
        """Writes one note over what was expected and gives how its file looks now.

        Raises: NoteChangedOnDisk; IdCaseCollision; StorageFailed; FolderBusy; DirectoryRedirected.
        """
        with self.locked():
            if self.write_many([NoteWrite(note, expected)]):
                raise NoteChangedOnDisk(note.id, str(self.note_path(note.id)))
            return self.stamp_of(note.id)

    def write_many(self, writes: Sequence[NoteWrite], meanwhile: Meanwhile = lambda: None) -> list[str]:
        """Writes the notes with one flush for all, and gives the ids of those whose files had changed.

        `meanwhile` is computed while many files are flushed.

        Raises: IdCaseCollision before anything is written; StorageFailed; FolderBusy; DirectoryRedirected.
        """
        with self.locked():
            names = self.names()
            self._clear_leftovers(names)
            _check_spelling([write.note.id for write in writes], names)
            mode = self._permissions.file
            new = {note_file_name(w.note.id): w.data() for w in writes if isinstance(w.expected, Absent)}
            others = [
                PlannedWrite(self.note_path(w.note.id), w.data(), w.expected, mode)
                for w in writes
                if not isinstance(w.expected, Absent)
            ]
            changed = {
                path.name for path in write_files(self._files, others, NewFiles(self.path, new, mode), meanwhile)
            }
            return [w.note.id for w in writes if note_file_name(w.note.id) in changed] if changed else []

    def delete(self, note_id: str, expected: Holding) -> None:
        """Deletes one note.

        Raises: NoteChangedOnDisk; StorageFailed; FolderBusy; DirectoryRedirected.
        """
        if self.delete_many([NoteDelete(note_id, expected)]):
            raise NoteChangedOnDisk(note_id, str(self.note_path(note_id)))

    def delete_many(self, deletes: Sequence[NoteDelete]) -> list[str]:
        """Deletes the notes and gives the ids of those that had changed or were gone.

        Raises: StorageFailed, after which some may be deleted and the others are there; FolderBusy.
        """
        with self.locked():
            names = set(self.names())
            removals = [
                (self.note_path(delete.note_id), delete.expected)
                for delete in deletes
                if note_file_name(delete.note_id) in names
            ]
            changed = set(remove_files(self._files, removals))
            removed = {path for path, _ in removals if path not in changed}
            return [delete.note_id for delete in deletes if self.note_path(delete.note_id) not in removed]

    def stamp_of(self, note_id: str) -> FileStamp:
        """How the file of a note looks now; as in `read`, one written just now gets a stamp that no scan finds.

        Raises: StorageFailed.
        """
        path = self.note_path(note_id)
        with storage_errors(path):
            status = self._files.status(path)
        return self._settled(FileStamp(path.name, status.st_mtime_ns, status.st_size, status.st_ino))

    def _looked_at(self, listing: Listing) -> Scan:
        files: list[FileStamp] = []
        problems: list[ProblemEntry] = []
        largest = self._largest_file
        for stamp in listing.files:
            name, _, size, _ = stamp
            if 0 < size <= largest and name.isascii() and name[0] != "." and name.endswith(FILE_SUFFIX):
                files.append(stamp)  # as nearly always: thousands are looked at after each edit
                continue
            if not _looks_like_a_note(name):
                continue
            reason = self._problem_of(stamp)
            if reason is None:
                files.append(stamp)
            else:
                problems.append(ProblemEntry(stamp, reason))
        for stamps, why in (
            (listing.links, ProblemReason.SYMBOLIC_LINK),
            (listing.others, ProblemReason.UNREADABLE),
        ):
            problems += [ProblemEntry(stamp, why) for stamp in stamps if _looks_like_a_note(stamp.name)]
        return Scan(tuple(files), tuple(problems), exists=True)

    def make_durable(self, names: Sequence[str]) -> None:
        """Returns when files that other programs wrote have reached the device, as far as that can be had.

        An editor need not flush what it saves; after a power cut the file could be the old one again, and look like an
        edit back to it.
        """
        with contextlib.suppress(OSError):  # gone again, or on a disk that nobody writes to
            if len(names) == 1:
                self._files.flush_file(self.path / names[0])
            elif names:
                self._files.flush_files(self.path, names)
            if names:
                self._files.flush_directory(self.path)

    def _settled(self, stamp: FileStamp) -> FileStamp:
        """The stamp, or one that no scan will find again: an edit in the same instant would keep its looks."""
        age_ns = abs(self._files.file_time_ns() - stamp.mtime_ns)
        return stamp._replace(inode=UNSETTLED) if age_ns < _SETTLING_NS else stamp

    def _check_place(self) -> None:
        real = self._files.real_path(self.path)
        if real != self.path:
            raise DirectoryRedirected(str(self.path), str(real))

    def _problem_of(self, stamp: FileStamp) -> ProblemReason | None:
        if not is_text(stamp.name):
            return ProblemReason.ID_INVALID
        if stamp.size == 0:
            return ProblemReason.EMPTY
        if stamp.size > self._largest_file:
            return ProblemReason.TOO_LARGE
        return None if stamp.name.endswith(FILE_SUFFIX) else ProblemReason.ID_NOT_FILE_NAME

    def _parsed(self, name: str, found: FileRead) -> Note:
        return parse_note(
            found.data,
            name,
            file_time=Millis(found.mtime_ns // 1_000_000),
            now=self._clock.now_ms(),
            max_body_bytes=self.max_note_bytes,
        )

    def _unreadable(self, name: str, error: OSError) -> DamagedFile | None:
        try:
            status = self._files.status(self.path / name)
        except OSError:
            return None
        stamp = FileStamp(name, status.st_mtime_ns, status.st_size, status.st_ino)
        if stat.S_ISLNK(status.st_mode) and is_gone_or_no_file(error):
            return DamagedFile(stamp, ProblemReason.SYMBOLIC_LINK, b"")
        # What makes a file readable again (permissions, the disk) need not change its looks.
        return DamagedFile(stamp._replace(inode=UNSETTLED), ProblemReason.UNREADABLE, b"")

    def _clear_leftovers(self, names: list[str]) -> None:
        if any(name.startswith(".") and is_temporary(name) for name in names):
            remove_leftovers(self._files, self.path, self._clock.now_ms())


def is_text(name: str) -> bool:
    """Whether a name is text; one that is not UTF-8 on disk is read with halves of characters in it."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _looks_like_a_note(name: str) -> bool:
    return not name.startswith(".") and name[-3:].lower() == FILE_SUFFIX


def _check_spelling(note_ids: list[str], names: list[str]) -> None:
    """A note that is there keeps its spelling; a new one may not differ from another in letter case alone."""
    present = set(names)
    written = [note_file_name(note_id) for note_id in note_ids]
    if present.issuperset(written):
        return
    collision = case_collision(written, filter(_looks_like_a_note, names))
    if collision is not None:
        name, other = collision
        raise IdCaseCollision(name[: -len(FILE_SUFFIX)], other[: -len(FILE_SUFFIX)])
