"""The backups people can choose from, and bringing one of them back to where it came from."""

from dataclasses import dataclass
from pathlib import Path

from oharness.core.errors import Refused
from oharness.core.scopes import ScopeKind
from oharness.disk.atomic import Absent
from oharness.disk.backups import LISTED, Backup, BackupReason, SetAside
from oharness.disk.note_dir import DamagedFile, NoteFile
from oharness.memory.attempts import until_nobody_was_faster
from oharness.memory.forgotten import lift_fingerprints
from oharness.memory.scopes import Memory, known_directories, service_for_directory
from oharness.memory.service import MemoryService
from oharness.notes.frontmatter import note_file_name, parse_note
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.notes.problems import NotANote, ProblemReason


@dataclass(eq=False)
class NotRestorable(Refused):
    """The backup cannot be brought back: its directory is unknown or gone, or what it holds is no note."""

    backup: str
    reason: str


@dataclass(frozen=True, slots=True)
class ListedBackup:
    """One backup, whether `restore_backup` can bring it back, and into which directory."""

    backup: Backup
    restorable: bool
    into: Path | None


@dataclass(frozen=True, slots=True)
class Restored:
    """The note that is back; `replaced` is the backup of the other version that was there."""

    id: str
    scope: ScopeKind
    path: Path
    replaced: str | None


def list_backups(memory: Memory, limit: int = LISTED) -> list[ListedBackup]:
    """The most recent backups of all notes directories, latest first.

    Raises: StorageFailed.
    """
    return [listed_backup(memory, backup) for backup in memory.backups.latest(limit)]


def versions_of(memory: Memory, service: MemoryService, note_id: str, limit: int = LISTED) -> list[ListedBackup]:
    """The most recent backups of one note that go back into this directory, latest first.

    Raises: StorageFailed.
    """
    found = (listed_backup(memory, one) for one in memory.backups.latest_of(service.scope, note_id, limit))
    return [one for one in found if one.into == service.folder.path]


def listed_backup(memory: Memory, backup: Backup) -> ListedBackup:
    """A backup as lists show it."""
    into = _destination(memory, backup, backup.directory) if backup.directory else None
    return ListedBackup(backup, _obstacle(memory, backup) is None, into)


def restore_backup(memory: Memory, name: str) -> Restored:
    """Brings the note back into the directory it came from; another version there is backed up first.

    Raises: NoSuchBackup; BrokenFile; NotRestorable; TooManyNotes; IdCaseCollision; BackupFailed; StorageFailed;
    FolderBusy; NoteChangedOnDisk after many attempts.
    """
    backup = memory.backups.get(name)
    note = _note_in(backup)
    place = _place(memory, backup)
    if isinstance(note, ProblemReason) or place is None:
        raise NotRestorable(name, _obstacle(memory, backup) or "")
    lift_fingerprints(memory, note)
    return until_nobody_was_faster(lambda: _restore(memory, place, note))


def _restore(memory: Memory, service: MemoryService, note: Note) -> Restored:
    path = service.folder.note_path(note.id)
    with service.changing():
        match service.read(note.id):
            case None:
                service.changes.before_return(note.id, content_hash(note))
                service.write(note, Absent())
                return Restored(note.id, service.kind, path, replaced=None)
            case NoteFile(note=present) if content_hash(present) == content_hash(note):
                return Restored(note.id, service.kind, path, replaced=None)
            case DamagedFile(reason=reason, data=b"") as unreadable if reason is not ProblemReason.EMPTY:
                raise unreadable.error
            case NoteFile() | DamagedFile() as found:
                version = SetAside(service.scope, service.folder.path, note.id, found.data, BackupReason.RESTORE)
                replaced = memory.backups.save(version)
                service.changes.before_return(note.id, content_hash(note))
                service.write(note, found.expected)
                return Restored(note.id, service.kind, path, replaced)


def _obstacle(memory: Memory, backup: Backup) -> str | None:
    note = _note_in(backup)
    if isinstance(note, ProblemReason):
        return note
    if backup.directory is None:
        return "directory-unknown"
    return None if _destination(memory, backup, backup.directory) else "directory-gone"


def _note_in(backup: Backup) -> Note | ProblemReason:
    try:
        return parse_note(backup.data, note_file_name(backup.note_id), file_time=backup.when)
    except NotANote as problem:
        return problem.reason


def _place(memory: Memory, backup: Backup) -> MemoryService | None:
    directory = _destination(memory, backup, backup.directory) if backup.directory else None
    if directory is None:
        return None
    return service_for_directory(memory, directory, backup.scope)


def _destination(memory: Memory, backup: Backup, recorded: Path) -> Path | None:
    """The recorded directory; where its project is now, if that was moved; None when both are gone."""
    files = memory.around.files
    if files.is_directory(recorded) or files.is_directory(recorded.parent):
        return files.real_path(recorded)
    if backup.scope is None:
        return None
    moved = [service.folder.path for service in memory.services() if service.scope == backup.scope]
    known = known_directories(memory.around).items()
    moved += [path for path, scope in known if scope == backup.scope and files.is_directory(path)]
    return moved[0] if moved else None
