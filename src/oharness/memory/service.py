"""The running memory of one scope: its notes without their bodies, kept in step with the files.

`refresh` looks at the directory and reads only files that changed since they were last read, in this process
or, through the index under the home, in an earlier one. Everything else answers from the last look, except
what reads or writes one note, which goes to its file. All methods may be called from any thread.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from oharness.core.errors import NotFound, StorageFailed
from oharness.core.scopes import Scope, ScopeKind
from oharness.disk.atomic import Absent, Expected, Holding
from oharness.disk.note_dir import DamagedFile, NoteDir, NoteFile, is_text
from oharness.disk.recall_index import INDEX_FAULTS, RecallIndex
from oharness.disk.usage import UsageFile
from oharness.memory.changes import ChangeRecorder
from oharness.memory.notices import MemoryNotice, index_not_kept, notes_not_loaded
from oharness.notes.entry import FileStamp, NoteEntry, ProblemEntry
from oharness.notes.frontmatter import FILE_SUFFIX, note_file_name
from oharness.notes.hashing import content_hash
from oharness.notes.limits import body_bytes, check_room, choose_loaded
from oharness.notes.links import linked_ids
from oharness.notes.note import Note

_Answer = TypeVar("_Answer")


@dataclass(eq=False)
class NoteNotFound(NotFound):
    """No note has exactly this id (in `scope`, or in either when empty); `close` are ids that look like it."""

    note_id: str
    scope: str = ""
    close: tuple[str, ...] = ()


class MemoryService:
    """One scope's notes in one directory."""

    def __init__(
        self,
        scope: Scope,
        folder: NoteDir,
        index: RecallIndex,
        usage: UsageFile,
        changes: ChangeRecorder,
        max_notes: int,
    ) -> None:
        self.scope = scope
        self.folder = folder
        self.changes = changes
        self._index = index
        self._usage = usage
        self._max_notes = max_notes
        self._lock = threading.RLock()
        self.listeners: list[Callable[[], None]] = []
        self._depth = 0
        self._written: dict[str, tuple[NoteEntry, str] | None] = {}
        self._left_out = 0
        self._unnamed: list[ProblemEntry] = []
        self._index_is_kept = True

    @property
    def kind(self) -> ScopeKind:
        return self.scope.kind

    @property
    def index(self) -> RecallIndex:
        """The words of the notes as of the last look, for scoring; made anew if its file was damaged since."""
        self._ask(RecallIndex.note_count)
        return self._index

    def close(self) -> None:
        """Lets go of the index; may be called twice."""
        with self._lock:
            self._index.close()

    def give_up_index(self, index: RecallIndex, error: Exception) -> None:
        """Makes the index anew after an error in the middle of a question to it, unless somebody else did."""
        with self._lock:
            if index is self._index:
                self._give_up_kept_index(error)
                self.refresh()

    def drop_index(self) -> None:
        """Lets go of the index with every word in it; after the next look there is one of this process alone."""
        with self._lock:
            self._index.close()
            self._index = RecallIndex.in_memory()

    def refresh(self) -> None:
        """Looks at the directory and reads what changed.

        Raises: StorageFailed when the directory is there but cannot be read; DirectoryRedirected.
        """
        with self._lock:
            scan = self.folder.scan()
            # The index keeps text alone; what is found at every look need not be kept.
            self._unnamed = [problem for problem in scan.problems if not is_text(problem.stamp.name)]
            problems = tuple(problem for problem in scan.problems if is_text(problem.stamp.name))
            as_before = set(scan.files)
            problems += tuple(one for one in self._ask(RecallIndex.problems) if one.stamp in as_before)
            while (found := self._load(scan.files, problems)) and self._left_out:
                problems += tuple(found)  # no notes: others take their place

    def entries(self) -> list[NoteEntry]:
        """All loaded notes without their bodies, by file name."""
        return self._ask(RecallIndex.entries)

    def entry(self, note_id: str) -> NoteEntry | None:
        """One loaded note without its body."""
        return self._ask(lambda index: index.entry(note_id))

    def problems(self) -> list[ProblemEntry]:
        """The files that cannot be notes."""
        return [*self._ask(RecallIndex.problems), *self._unnamed]

    def warnings(self) -> list[MemoryNotice]:
        """What people should know about this scope."""
        found = []
        if self._left_out:
            found.append(notes_not_loaded(self.kind, self._left_out, self._max_notes))
        if not self._index_is_kept:
            found.append(index_not_kept())
        return found

    def uses(self) -> Mapping[str, int]:
        """How often each note was recalled on this machine; nothing when that cannot be read."""
        try:
            return {note_id: usage.count for note_id, usage in self._usage.counts().items()}
        except StorageFailed:
            return {}

    @property
    def usage(self) -> UsageFile:
        """The recall counts of this scope."""
        return self._usage

    def ids(self) -> list[str]:
        """The ids of all note files as the directory spells them, loaded or not, damaged ones included.

        Raises: StorageFailed.
        """
        names = self.folder.names()
        return [name[: -len(FILE_SUFFIX)] for name in names if _may_be_note(name)]

    def read(self, note_id: str) -> NoteFile | DamagedFile | None:
        """The file of a note as it is now; None when there is none of exactly this id.

        Raises: StorageFailed.
        """
        return self.folder.read_id(note_id)

    def get(self, note_id: str) -> Note:
        """The note as its file says now.

        Raises: NoteNotFound; NotANote for a damaged file; StorageFailed.
        """
        found = self.read(note_id)
        match found:
            case NoteFile(note=note):
                return note
            case DamagedFile() as damaged:
                raise damaged.error
            case None:
                raise NoteNotFound(note_id, self.kind)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keeps other threads and processes from writing here between a look and a change.

        Raises: FolderBusy; StorageFailed.
        """
        with self._lock:
            self._depth += 1
            try:
                with self.folder.locked():
                    yield
            finally:
                self._depth -= 1
            if self._depth == 0:  # nobody else has to wait for the index: a stale one is noticed by its stamps
                self._tell_of_changes()

    def write(self, note: Note, expected: Expected) -> NoteEntry:
        """Writes a note over what was expected there.

        Raises: NoteChangedOnDisk; TooManyNotes for a new note; IdCaseCollision; StorageFailed; FolderBusy.
        """
        with self.changing():
            if isinstance(expected, Absent):
                check_room(self._note_count(), 1, self._max_notes)
            stamp = self.folder.write(note, expected)
            entry = entry_of(note, stamp)
            self._written[stamp.name] = (entry, note.body)
            self.changes.after_write(note.id)
            return entry

    def delete(self, note_id: str, expected: Holding) -> None:
        """Deletes a note; the caller has backed it up and recorded why.

        Raises: NoteChangedOnDisk; StorageFailed; FolderBusy.
        """
        with self.changing():
            self.folder.delete(note_id, expected)
            self._written[note_file_name(note_id)] = None

    def _load(self, files: tuple[FileStamp, ...], problems: tuple[ProblemEntry, ...]) -> list[ProblemEntry]:
        """Loads as many of the files as are allowed; gives those that turned out to be no notes."""
        damaged = {problem.stamp.name for problem in problems}
        choice = choose_loaded([stamp for stamp in files if stamp.name not in damaged], self._max_notes)
        self._left_out = len(choice.left_out)
        try:
            return self._take_in(choice.loaded, problems)
        except INDEX_FAULTS as error:
            self._give_up_kept_index(error)
            return self._take_in(choice.loaded, problems)

    def _note_count(self) -> int:
        """How many notes there are, loaded or not; files known to be none do not take their place."""
        damaged = {problem.stamp.name for problem in self.problems()}
        return sum(note_file_name(note_id) not in damaged for note_id in self.ids())

    def _take_in(self, loaded: tuple[FileStamp, ...], problems: tuple[ProblemEntry, ...]) -> list[ProblemEntry]:
        """Brings the index in step; gives the loaded files that turned out to be no notes."""
        known = self._index.stamps()
        if not problems and tuple(known.values()) == loaded:  # both by name, as nearly always
            return []
        told = list(problems) if _differ(problems, self._index.problems(), loaded) else []
        fresh: list[ProblemEntry] = []
        upserts: list[tuple[NoteEntry, str]] = []
        for stamp in loaded:
            if known.get(stamp.name) == stamp:
                continue
            match self.folder.read(stamp.name):
                case NoteFile(stamp=now, note=note):
                    upserts.append((entry_of(note, now), note.body))
                case DamagedFile(stamp=now, reason=reason):
                    fresh.append(ProblemEntry(now, reason))
                case None:  # gone since the scan
                    continue
        present = {stamp.name for stamp in loaded} | {problem.stamp.name for problem in problems}
        removed = [name for name in known if name not in present]
        if upserts or told or fresh or removed:
            self._index.update(upserts, [*told, *fresh], removed)
        return fresh

    def _tell_of_changes(self) -> None:
        """`listeners` hear, from whatever thread, that a note was written or deleted here."""
        has_changed = bool(self._written)
        self._index_changes()
        if has_changed:
            for listener in list(self.listeners):
                listener()

    def _index_changes(self) -> None:
        """Once a note is written or deleted, nothing about the index may make that look as if it failed."""
        written, self._written = self._written, {}
        if not written:
            return
        upserts = [item for item in written.values() if item is not None]
        try:
            self._index.update(upserts, [], [name for name, item in written.items() if item is None])
        except INDEX_FAULTS as error:
            self._give_up_kept_index(error)
            self.refresh()

    def _ask(self, question: Callable[[RecallIndex], _Answer]) -> _Answer:
        index = self._index
        try:
            return question(index)
        except INDEX_FAULTS as error:
            self.give_up_index(index, error)
            return question(self._index)

    def _give_up_kept_index(self, error: Exception) -> None:
        """Goes on with an index of this process alone; the next one makes a new file in place of a damaged one."""
        was_damaged = self._index.give_up(error)
        self._index = RecallIndex.in_memory()
        self._index_is_kept = self._index_is_kept and was_damaged


def entry_of(note: Note, stamp: FileStamp) -> NoteEntry:
    """What is kept of a note in memory and in the index."""
    return NoteEntry(
        stamp=stamp,
        id=note.id,
        summary=note.summary,
        type=note.type,
        tags=note.tags,
        created_at=note.created_at,
        updated_at=note.updated_at,
        hash=content_hash(note),
        body_bytes=body_bytes(note.body),
        links=linked_ids(note.body),
    )


def _may_be_note(name: str) -> bool:
    return name.endswith(FILE_SUFFIX) and not name.startswith(".")


def _differ(found: tuple[ProblemEntry, ...], known: list[ProblemEntry], loaded: tuple[FileStamp, ...]) -> bool:
    readable = {stamp.name for stamp in loaded}
    return set(found) != {problem for problem in known if problem.stamp.name not in readable}
