"""Deleting a note on purpose: set aside first, recorded for sync and against being learned again, then removed."""

from dataclasses import dataclass

from oharness.core.scopes import ScopeKind
from oharness.disk.backups import BackupReason, SetAside
from oharness.disk.note_dir import NoteFile
from oharness.memory.attempts import until_nobody_was_faster
from oharness.memory.finding import find_note
from oharness.memory.forgotten import keep_fingerprint
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService
from oharness.notes.hashing import content_hash


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The note that is gone, and the backup that `memory restore` brings it back from."""

    id: str
    scope: ScopeKind
    backup: str


def forget(
    memory: Memory, note_id: str, scope: ScopeKind | None, reason: BackupReason = BackupReason.FORGET
) -> Forgotten:
    """Deletes the note of exactly this id, in the project's scope before the user's unless one is given.

    Raises: NoteNotFound with ids that look like it; NotANote for a damaged file, which stays; NoProjectHere,
    UserNotesUnavailable, BackupFailed, StorageFailed, BrokenFile, FolderBusy; NoteChangedOnDisk after many
    attempts. Whenever it raises, the note is still there.
    """
    return until_nobody_was_faster(lambda: _forget(memory, note_id, scope, reason))


def _forget(memory: Memory, note_id: str, scope: ScopeKind | None, reason: BackupReason) -> Forgotten:
    service, _ = find_note(memory, note_id, scope)
    with service.changing():
        _, file = find_note(memory, note_id, service.kind)
        backup = memory.backups.save(_set_aside(service, file, reason))
        keep_fingerprint(memory, service.scope, file.note)
        service.changes.before_delete(note_id, content_hash(file.note))
        service.delete(note_id, file.expected)
    return Forgotten(note_id, service.kind, backup)


def _set_aside(service: MemoryService, file: NoteFile, reason: BackupReason) -> SetAside:
    return SetAside(service.scope, service.folder.path, file.note.id, file.data, reason)
