"""A note file that is no note any more is replaced by its last good version, when a person asks for it.

Sync leaves such a file exactly as it is: it cannot know whether somebody is in the middle of writing it.
"""

from dataclasses import dataclass

from oharness.core.errors import NotFound, Refused
from oharness.disk.backups import BackupReason, SetAside
from oharness.disk.note_dir import DamagedFile, NoteFile
from oharness.notes.note import Note
from oharness.notes.problems import ProblemReason
from oharness.reconcile.baseline import AgreedOn
from oharness.sync.directory import Directory

_LOCK_WAIT_SECONDS = 20.0
_NOT_READ_WHOLE = frozenset({ProblemReason.TOO_LARGE, ProblemReason.SYMBOLIC_LINK, ProblemReason.UNREADABLE})


@dataclass(eq=False)
class NotDamaged(Refused):
    """The file is a good note; there is nothing to mend."""

    note_id: str


@dataclass(eq=False)
class NoFileToMend(NotFound):
    """There is no file of that note."""

    note_id: str


@dataclass(eq=False)
class NothingToMendWith(Refused):
    """No good version of the note is kept here: it never was in sync."""

    note_id: str


@dataclass(eq=False)
class CannotBeSetAside(Refused):
    """The file cannot be read whole (`reason`), so that no backup of it could be made; it is left alone."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mended:
    """The file is a note again; what it held before lies in `backup`."""

    id: str
    backup: str


def mend(directory: Directory, note_id: str) -> Mended:
    """Puts the version last synced in the place of a damaged file, after a backup of the file's bytes.

    Where a conflict is open, it is this machine's version of it. Blocking.
    Raises: NotDamaged, NoFileToMend, NothingToMendWith, CannotBeSetAside; SyncBusy, BackupFailed, StorageFailed,
    FolderBusy, NoteChangedOnDisk.
    """
    lock = directory.state.lock(_LOCK_WAIT_SECONDS)
    try:
        file = _damaged(directory, note_id)
        good = _last_good(directory, note_id)
        if good is None:
            raise NothingToMendWith(note_id)
        path = directory.folder.path
        backup = directory.backups.save(SetAside(directory.scope, path, note_id, file.data, BackupReason.DAMAGE))
        directory.folder.write(good, file.expected)
        return Mended(note_id, backup)
    finally:
        lock.release()


def _damaged(directory: Directory, note_id: str) -> DamagedFile:
    match directory.folder.read_id(note_id):
        case None:
            raise NoFileToMend(note_id)
        case NoteFile():
            raise NotDamaged(note_id)
        case DamagedFile(reason=reason) as file:
            if reason in _NOT_READ_WHOLE:
                raise CannotBeSetAside(str(directory.folder.note_path(note_id)), reason)
            return file


def _last_good(directory: Directory, note_id: str) -> Note | None:
    conflict = directory.state.conflicts().get(note_id)
    if conflict is not None:
        return conflict.mine
    baseline = directory.state.baseline()
    agreed = baseline.entry(note_id).agreed if baseline else None
    if not isinstance(agreed, AgreedOn):
        return None
    content = agreed.version.hash
    return directory.state.copies.find([content]).get(content)
