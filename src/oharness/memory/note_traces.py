"""What is kept of a note under its name: backups, counts, records, what a crash left; and who else says the same."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from oharness.core.scopes import Scope
from oharness.disk.atomic import is_temporary, storage_errors
from oharness.disk.background_merges import BackgroundMerges
from oharness.disk.backups import Backup, NoSuchBackup
from oharness.disk.dismissals import Dismissals
from oharness.disk.filesystem import FileSystem
from oharness.disk.lines_rewritten import files_below
from oharness.disk.purpose_marks import PurposeMarks
from oharness.disk.usage import DAMAGED, UsageFile
from oharness.extract.traces import Sought
from oharness.memory.scopes import Memory
from oharness.memory.sync_traces import replicas
from oharness.memory.trace_places import Store, Taken, Where, Why
from oharness.notes.frontmatter import note_file_name, parse_note
from oharness.notes.note import Note
from oharness.notes.problems import NotANote


def last_stores(memory: Memory, scope: Scope, folder: Path) -> list[Store]:
    """What goes last: as long as a backup is there, an interrupted forgetting knows what to look for."""
    around = memory.around
    return [
        CountStore(UsageFile(around.files, around.home, scope, around.clock)),
        RecordStore(memory, scope),
        LeftoverStore(around.files, around.home.root, folder),
        BackupStore(memory, scope),
    ]


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
        for state, _ in replicas(self.memory, self.scope):
            yield PurposeMarks(around.files, around.home, self.scope, state.folder.name)


def _names_note(group: str, note_id: str) -> bool:
    return note_id in (one.partition(":")[0] for one in group.split())


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


def texts_kept_of(memory: Memory, scope: Scope, note_id: str) -> list[Note]:
    """Every version of the note that backups, synced copies and conflicts still hold."""
    raw = [backup.data for backup in BackupStore(memory, scope).of_note(note_id)]
    notes: list[Note] = []
    for state, _ in replicas(memory, scope):
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
    for state, _ in replicas(memory, scope):
        copies = state.copies.of_others(sought.note_id)
        found |= {note_id for note_id, text in copies if sought.holds_its_words(text)}
    return sorted(found)
