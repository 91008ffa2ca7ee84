"""Carrying out a merge in one notes directory: backups, journal, the kept note, links, and only then the deletions.

Interrupted anywhere, the notes are as before or as planned, and the next run that opens them for writing finishes it.
"""

from contextlib import suppress

from oharness.core.errors import StorageFailed
from oharness.disk.backups import BackupReason, Backups, SetAside
from oharness.disk.folder_lock import FolderBusy
from oharness.disk.json_files import BrokenFile
from oharness.disk.merge_journal import MergeJournal
from oharness.disk.note_dir import NoteChangedOnDisk, NoteFile
from oharness.memory.service import MemoryService
from oharness.notes.batch import NoteBatch, NotesChanged, PlannedDelete, PlannedWrite
from oharness.notes.hashing import content_hash


def merge_here(service: MemoryService, batch: NoteBatch, backups: Backups, journal: MergeJournal) -> tuple[str, ...]:
    """Carries out the batch, whose first write is the kept note, and gives the backups of all it replaced.

    Raises: NotesChanged, BackupFailed with nothing done; StorageFailed, FolderBusy, BrokenFile.
    """
    with service.changing():
        finish_merge(service, journal)
        files = _as_planned(service, batch)
        saved = backups.save_many([_aside(service, file) for file in files])
        journal.begin(batch)
        try:
            _carry_out(service, batch)
        except NoteChangedOnDisk as error:
            journal.end()
            raise NotesChanged((error.note_id,)) from error
        journal.end()
    return tuple(saved)


def finish_merge(service: MemoryService, journal: MergeJournal) -> None:
    """Finishes a merge that was interrupted; one whose kept note somebody has taken over since is given up.

    Raises: StorageFailed, FolderBusy, BrokenFile.
    """
    batch = journal.unfinished()
    if batch is None:
        return
    with service.changing():
        if _can_be_finished(service, batch):
            _carry_out(service, batch)
        journal.end()


def finish_what_was_interrupted(service: MemoryService, journal: MergeJournal) -> None:
    """The same when a scope is opened: what keeps it from being finished now is met again by the next merge."""
    try:
        finish_merge(service, journal)
    except (StorageFailed, FolderBusy, BrokenFile, NoteChangedOnDisk):
        return


def _as_planned(service: MemoryService, batch: NoteBatch) -> list[NoteFile]:
    files: list[NoteFile] = []
    changed: list[str] = []
    for note_id, planned in batch.planned_from().items():
        found = service.read(note_id)
        if isinstance(found, NoteFile) and content_hash(found.note) == planned:
            files.append(found)
        else:
            changed.append(note_id)
    if changed:
        raise NotesChanged(tuple(changed))
    return files


def _can_be_finished(service: MemoryService, batch: NoteBatch) -> bool:
    """Whether the merged text is in place, or can still be put there.

    A kept note that says something else was edited since: after it was written, if anything later was done too.
    """
    kept, *relinked = batch.writes
    present = _hash_of(service, kept.note.id)
    if present in (content_hash(kept.note), kept.planned_from):
        return True
    if present is None:
        return False
    return any(_hash_of(service, one.note.id) == content_hash(one.note) for one in relinked) or any(
        _hash_of(service, one.note_id) is None for one in batch.deletes
    )


def _carry_out(service: MemoryService, batch: NoteBatch) -> None:
    """Writes and deletes what is still as it was planned from; what somebody has edited since stays.

    Raises: NoteChangedOnDisk for the kept note, with nothing done.
    """
    kept, *relinked = batch.writes
    _write(service, kept)
    for write in relinked:
        with suppress(NoteChangedOnDisk):
            _write(service, write)
    for delete in batch.deletes:
        with suppress(NoteChangedOnDisk):
            _delete(service, delete)


def _write(service: MemoryService, write: PlannedWrite) -> None:
    found = service.read(write.note.id)
    if isinstance(found, NoteFile) and content_hash(found.note) == write.planned_from:
        service.write(write.note, found.expected)


def _delete(service: MemoryService, delete: PlannedDelete) -> None:
    found = service.read(delete.note_id)
    if isinstance(found, NoteFile) and content_hash(found.note) == delete.planned_from:
        service.changes.before_delete(delete.note_id, delete.planned_from)
        service.delete(delete.note_id, found.expected)


def _hash_of(service: MemoryService, note_id: str) -> str | None:
    found = service.read(note_id)
    return content_hash(found.note) if isinstance(found, NoteFile) else None


def _aside(service: MemoryService, file: NoteFile) -> SetAside:
    return SetAside(service.scope, service.folder.path, file.note.id, file.data, BackupReason.MERGE)
