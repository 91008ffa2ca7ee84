"""The stores in which the text of one note may still lie, each with how to count it there and how to take it out.

What a store cannot take out is said by a reason (`Why`), which the frontends turn into what a person can do.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from oharness.core.jsontext import one_line_json
from oharness.core.scopes import Scope
from oharness.disk.atomic import is_temporary, storage_errors
from oharness.disk.background_merges import BackgroundMerges
from oharness.disk.backups import Backup, NoSuchBackup
from oharness.disk.deletion_intents import DeletionIntents
from oharness.disk.dismissals import Dismissals
from oharness.disk.extraction_jobs import ExtractionJobs, Job, Saved, Saving, Waiting
from oharness.disk.filesystem import FileSystem
from oharness.disk.lines_rewritten import Change, changed_lines, files_below, rewrite_lines
from oharness.disk.outbox import Outbox
from oharness.disk.purpose_marks import PurposeMarks
from oharness.disk.session_log import SessionInUse, SessionLock
from oharness.disk.sync_state import SyncBusy, SyncState
from oharness.disk.usage import DAMAGED, UsageFile
from oharness.extract.traces import Sought, calls_about, cleaned, cleaned_record, parsed
from oharness.memory.scopes import Memory
from oharness.notes.frontmatter import note_file_name, parse_note
from oharness.notes.note import Note
from oharness.notes.problems import NotANote

PASS_WAIT_S = 20.0
"""How long a pass of sync that is going on is waited for."""


class Where(StrEnum):
    """A place where the text may be, as the JSON answers name it."""

    NOTE = "note"
    BACKUPS = "backups"
    SYNCED_COPIES = "synced-copies"
    OUTBOX = "outbox"
    CONFLICTS = "conflicts"
    RECALL_INDEX = "recall-index"
    RECALL_COUNTS = "recall-counts"
    RECORDS = "records"
    EXTRACTION = "extraction"
    TRANSCRIPTS = "transcripts"
    AUDIT_LOG = "audit-log"
    CHAT_HISTORY = "chat-history"
    LEFTOVERS = "leftovers"
    CLOUD = "cloud"
    GIT_HISTORY = "git-history"
    OTHER_NOTES = "other-notes"
    OTHER_VERSIONS = "other-versions"
    OTHER_DEVICES = "other-devices"


class Why(StrEnum):
    """Why something stays."""

    IN_USE = "in-use"
    SYNC_RUNNING = "sync-running"
    NOT_A_NOTE = "not-a-note"
    IN_COMMITS = "in-commits"
    SAID_IN_ANOTHER_NOTE = "said-in-another-note"
    SAID_IN_EARLIER_VERSION = "said-in-earlier-version"
    WAITS_FOR_SYNC = "waits-for-sync"
    OUT_OF_REACH = "out-of-reach"


@dataclass(frozen=True, slots=True)
class Taken:
    """How much was taken out of a store, and why something stayed, if anything did."""

    count: int
    stays: Why | None = None


class Store(Protocol):
    """One place that may hold the text."""

    @property
    def where(self) -> Where:
        """Its name in answers."""
        ...

    def count(self, sought: Sought) -> int:
        """How much of it holds the note.

        Raises: StorageFailed.
        """
        ...

    def take_out(self, sought: Sought) -> Taken:
        """Removes it for good; may be repeated.

        Raises: StorageFailed; what was taken out until then stays so.
        """
        ...


@dataclass(frozen=True, slots=True)
class BackupStore:
    """Backups of the note; those of other notes stay."""

    memory: Memory
    scope: Scope
    where: Where = Where.BACKUPS

    def count(self, sought: Sought) -> int:
        return len(self.of_note(sought.note_id))

    def take_out(self, sought: Sought) -> Taken:
        found = self.of_note(sought.note_id)
        for backup in found:
            with contextlib.suppress(NoSuchBackup):
                self.memory.backups.remove(backup.name)
        return Taken(len(found))

    def of_note(self, note_id: str) -> list[Backup]:
        """Every readable backup of it, also where an old folder tells no scope."""
        return [one for one in self.memory.backups.readable_of(note_id) if one.scope in (None, self.scope)]


@dataclass(frozen=True, slots=True)
class SyncStore:
    """What sync keeps of the scope in every directory that it was synced in from here."""

    memory: Memory
    scope: Scope
    where: Where
    held: Callable[[SyncState, Outbox, Sought], int]
    remove: Callable[[SyncState, Outbox, Sought], None]
    wait_s: float

    def count(self, sought: Sought) -> int:
        return sum(self.held(state, outbox, sought) for state, outbox in _replicas(self.memory, self.scope))

    def take_out(self, sought: Sought) -> Taken:
        taken = 0
        for state, outbox in _replicas(self.memory, self.scope):
            if not (held := self.held(state, outbox, sought)):
                continue
            try:
                lock = state.lock(self.wait_s)
            except SyncBusy:
                return Taken(taken, Why.SYNC_RUNNING)
            try:
                self.remove(state, outbox, sought)
            finally:
                lock.release()
            taken += held
        return Taken(taken)


@dataclass(frozen=True, slots=True)
class CountStore:
    """How often the note was recalled."""

    usage: UsageFile
    where: Where = Where.RECALL_COUNTS

    def count(self, sought: Sought) -> int:
        return int(sought.note_id in self.usage.counts())

    def take_out(self, sought: Sought) -> Taken:
        return Taken(int(self.usage.forget(sought.note_id) > 0))


@dataclass(frozen=True, slots=True)
class RecordStore:
    """What tidying and sync keep under the note's name: dismissed findings, groups tried in vain, marks of purpose."""

    memory: Memory
    scope: Scope
    where: Where = Where.RECORDS

    def count(self, sought: Sought) -> int:
        marks = sum(sought.note_id in one.all() for one in self._marks())
        return marks + len(self._dismissals().about(sought.note_id)) + self._tried_with(sought.note_id)

    def take_out(self, sought: Sought) -> Taken:
        taken = self._dismissals().forget(sought.note_id)
        for marks in self._marks():
            taken += sought.note_id in marks.all()
            marks.drop([sought.note_id])
        if not self._tried_with(sought.note_id):
            return Taken(taken)
        merges = self._merges()
        lock = merges.lock()
        if lock is None:
            return Taken(taken, Why.IN_USE)
        try:
            known = merges.of(self.scope)
            tried = tuple(one for one in known.tried if not _names_note(one, sought.note_id))
            merges.keep(self.scope, replace(known, tried=tried))
        finally:
            lock.release()
        return Taken(taken + len(known.tried) - len(tried))

    def _tried_with(self, note_id: str) -> int:
        return sum(_names_note(one, note_id) for one in self._merges().of(self.scope).tried)

    def _dismissals(self) -> Dismissals:
        return Dismissals(self.memory.around.files, self.memory.around.home, self.scope)

    def _merges(self) -> BackgroundMerges:
        return BackgroundMerges(self.memory.around.files, self.memory.around.home)

    def _marks(self) -> Iterator[PurposeMarks]:
        around = self.memory.around
        for state, _ in _replicas(self.memory, self.scope):
            yield PurposeMarks(around.files, around.home, self.scope, state.folder.name)


def _names_note(group: str, note_id: str) -> bool:
    return note_id in (one.partition(":")[0] for one in group.split())


@dataclass(frozen=True, slots=True)
class JobStore:
    """Conversations that wait for the extractor, and what it has not announced yet."""

    memory: Memory
    where: Where = Where.EXTRACTION

    def count(self, sought: Sought) -> int:
        return sum(_without(job, sought) != job for _, job in self._jobs())

    def take_out(self, sought: Sought) -> Taken:
        taken = 0
        for jobs, job in self._jobs():
            left = _without(job, sought)
            if left == job:
                continue
            lock = jobs.claim(job.name)
            if lock is None:
                return Taken(taken, Why.IN_USE)
            try:
                jobs.keep(left) if _holds_anything(left) else jobs.remove(job.name)
            finally:
                jobs.unclaim(job.name, lock)
            taken += 1
        return Taken(taken)

    def _jobs(self) -> Iterator[tuple[ExtractionJobs, Job]]:
        around = self.memory.around
        for jobs in ExtractionJobs.all_folders(around.files, around.home, around.clock, around.randomness):
            for job in jobs.all():
                yield jobs, job


@dataclass(frozen=True, slots=True)
class LinesStore:
    """Files of lines below a folder, or one file."""

    files: FileSystem
    place: Path
    where: Where
    change: Callable[[Sought], Change]
    has_sessions: bool = False

    def count(self, sought: Sought) -> int:
        return sum(changed_lines(self.files, path, self.change(sought)) for path in self._paths())

    def take_out(self, sought: Sought) -> Taken:
        taken, stays = 0, None
        for path in self._paths():
            if not changed_lines(self.files, path, self.change(sought)):
                continue
            try:
                with self._kept_to_us(path):
                    taken += rewrite_lines(self.files, path, self.change(sought))
            except SessionInUse:
                stays = Why.IN_USE
        return Taken(taken, stays)

    def _paths(self) -> list[Path]:
        if self.place.is_file():
            return [self.place]
        return list(files_below(self.place, ".jsonl")) if self.place.is_dir() else []

    @contextlib.contextmanager
    def _kept_to_us(self, path: Path) -> Iterator[None]:
        if not self.has_sessions:
            yield
            return
        is_subagents = len(path.relative_to(self.place).parts) > 2
        folder = path.parent.parent if is_subagents else path.parent
        lock = SessionLock(folder, path.parent.name if is_subagents else path.stem)
        try:
            yield
        finally:
            lock.release()


@dataclass(frozen=True, slots=True)
class LeftoverStore:
    """What a crash left: temporary files, and state files that were put aside as broken, anywhere in two folders."""

    files: FileSystem
    home: Path
    notes: Path
    where: Where = Where.LEFTOVERS

    def count(self, sought: Sought) -> int:
        return len(self._found(sought))

    def take_out(self, sought: Sought) -> Taken:
        found = self._found(sought)
        for path in found:
            with storage_errors(path), contextlib.suppress(FileNotFoundError):
                self.files.remove(path)
        return Taken(len(found))

    def _found(self, sought: Sought) -> list[Path]:
        found = []
        paths = {path for folder in (self.home, self.notes) if folder.is_dir() for path in files_below(folder, "")}
        for path in sorted(path for path in paths if _is_leftover(path.name)):
            with storage_errors(path):
                text = self.files.read(path).decode("utf-8", "replace")
            if sought.is_told_by(text) or sought.is_told_by(text.replace("\\n", "\n").replace('\\"', '"')):
                found.append(path)
        return found


def _is_leftover(name: str) -> bool:
    return is_temporary(name) or name.endswith(".broken") or DAMAGED in name


def text_stores(memory: Memory) -> list[Store]:
    """Where conversations may carry it: these go first, while the versions tell what to look for."""
    files, home = memory.around.files, memory.around.home
    return [
        LinesStore(files, home.sessions, Where.TRANSCRIPTS, _transcript_change, has_sessions=True),
        LinesStore(files, home.audit, Where.AUDIT_LOG, _json_change),
        LinesStore(files, home.root / "chat-history", Where.CHAT_HISTORY, _plain_change),
        JobStore(memory),
    ]


def sync_stores(memory: Memory, scope: Scope, wait_s: float = PASS_WAIT_S) -> list[Store]:
    """What sync keeps beside the notes."""
    return [
        SyncStore(
            memory, scope, Where.CONFLICTS, _in_conflicts, lambda s, o, n: s.close_conflicts([n.note_id]), wait_s
        ),
        SyncStore(memory, scope, Where.OUTBOX, _in_outbox, lambda s, o, n: o.clear(), wait_s),
        SyncStore(memory, scope, Where.SYNCED_COPIES, _in_copies, lambda s, o, n: _drop_copies(s, n.note_id), wait_s),
    ]


def last_stores(memory: Memory, scope: Scope, folder: Path) -> list[Store]:
    """What goes last: as long as a backup is there, an interrupted forgetting knows what to look for."""
    around = memory.around
    return [
        CountStore(UsageFile(around.files, around.home, scope, around.clock)),
        RecordStore(memory, scope),
        LeftoverStore(around.files, around.home.root, folder),
        BackupStore(memory, scope),
    ]


def texts_kept_of(memory: Memory, scope: Scope, note_id: str) -> list[Note]:
    """Every version of the note that backups, synced copies and conflicts still hold."""
    raw = [backup.data for backup in BackupStore(memory, scope).of_note(note_id)]
    notes: list[Note] = []
    for state, _ in _replicas(memory, scope):
        raw += [text.encode() for text in state.copies.of_note(note_id)]
        if conflict := state.conflicts().get(note_id):
            cloud = conflict.cloud.note if conflict.cloud else None
            notes += [one for one in (conflict.mine, conflict.base, cloud) if one is not None]
    for data in raw:
        with contextlib.suppress(NotANote):
            notes.append(parse_note(data, note_file_name(note_id)))
    return notes


def other_notes_that_said_it(memory: Memory, scope: Scope, sought: Sought) -> list[str]:
    """The ids of other notes of which a backup or a synced copy says the same, as a merge leaves them.

    They stay: a backup may be all that is left of a note that nobody asked to forget.
    Raises: StorageFailed.
    """
    found = set()
    for backup in memory.backups.readable():
        is_of_note = backup.note_id == sought.note_id and backup.scope in (None, scope)
        if is_of_note or backup.note_id in found:
            continue
        if sought.holds_its_words(backup.data.decode("utf-8", "replace")):
            found.add(backup.note_id)
    for state, _ in _replicas(memory, scope):
        copies = state.copies.of_others(sought.note_id)
        found |= {note_id for note_id, text in copies if sought.holds_its_words(text)}
    return sorted(found)


def is_known_to_sync(memory: Memory, scope: Scope, note_id: str) -> bool:
    """Whether a pass ever saw the note in the cloud, so that other devices may have it."""
    for state, _ in _replicas(memory, scope):
        baseline = state.baseline()
        if baseline is not None and note_id in baseline.entries:
            return True
    return False


def purge_waits(memory: Memory, scope: Scope, note_id: str) -> bool:
    """Whether the cloud has still to be asked to remove the note's objects."""
    files, home = memory.around.files, memory.around.home
    names = [state.folder.name for state, _ in _replicas(memory, scope)]
    intents = [one for name in names for one in DeletionIntents(files, home, scope, name).all()]
    return any(one.note_id == note_id and one.purge for one in intents)


def _replicas(memory: Memory, scope: Scope) -> Iterator[tuple[SyncState, Outbox]]:
    files, home = memory.around.files, memory.around.home
    folder = home.sync_state / scope.digest
    with storage_errors(folder):
        try:
            names = sorted(files.list_names(folder))
        except (FileNotFoundError, NotADirectoryError):
            return
    for name in names:
        if files.is_directory(folder / name):
            yield SyncState(files, home, scope, name), Outbox(files, home, scope, name)


def _in_conflicts(state: SyncState, outbox: Outbox, sought: Sought) -> int:
    return int(sought.note_id in state.conflicts())


def _in_outbox(state: SyncState, outbox: Outbox, sought: Sought) -> int:
    """Whether a commit that waits for its answer carries the text; what it wanted to send is planned anew."""
    waiting = outbox.waiting()
    commit = parsed(waiting.decode("utf-8", "replace")) if waiting else None
    changes = commit.get("changes") if isinstance(commit, dict) else None
    listed = changes if isinstance(changes, list) else []
    return sum(isinstance(one, dict) and one.get("id") == sought.note_id and "note" in one for one in listed)


def _in_copies(state: SyncState, outbox: Outbox, sought: Sought) -> int:
    return len(state.copies.of_note(sought.note_id))


def _drop_copies(state: SyncState, note_id: str) -> None:
    state.copies.drop(note_id)


def _transcript_change(sought: Sought) -> Change:
    def change(lines: list[str]) -> list[str]:
        values = [parsed(line) if line else None for line in lines]
        calls = calls_about(values, sought.note_id)
        cleaned_values = (cleaned_record(value, sought, calls) for value in values)
        return [
            _json_line(line, value, after, sought)
            for line, value, after in zip(lines, values, cleaned_values, strict=True)
        ]

    return change


def _json_change(sought: Sought) -> Change:
    def change(lines: list[str]) -> list[str]:
        values = [parsed(line) if line else None for line in lines]
        return [
            _json_line(line, value, cleaned(value, sought), sought) for line, value in zip(lines, values, strict=True)
        ]

    return change


def _plain_change(sought: Sought) -> Change:
    return lambda lines: [sought.without(line) for line in lines]


def _json_line(line: str, before: object, after: object, sought: Sought) -> str:
    """The line as it was unless something was taken out; one that cannot be read is treated as plain text."""
    if not isinstance(before, dict | list):
        return sought.without(line)
    if before == after:
        return line
    written = one_line_json(after) if isinstance(after, dict) else line
    return written.encode("utf-8", "backslashreplace").decode()


def _without(job: Job, sought: Sought) -> Job:
    match job.step:
        case Waiting(turns=turns):
            clean = tuple(replace(turn, text=sought.without(turn.text)) for turn in turns)
            return replace(job, step=replace(job.step, turns=clean))
        case Saving(notes=notes):
            kept = tuple(one for one in notes if one.note_id != sought.note_id and not sought.holds_its_words(one.text))
            return replace(job, step=Saving(kept))
        case Saved(notes=written):
            return replace(job, step=Saved(tuple(one for one in written if one.note_id != sought.note_id)))


def _holds_anything(job: Job) -> bool:
    return bool(job.step.turns if isinstance(job.step, Waiting) else job.step.notes)
