"""The backups people can choose from, and what the present version says instead. Blocking."""

from oharness.core.errors import OharnessError
from oharness.disk.backups import Backup
from oharness.disk.note_dir import NoteFile
from oharness.memory.restoring import ListedBackup, list_backups
from oharness.memory.scopes import Memory, service_for_directory
from oharness.notes.frontmatter import note_file_name, parse_note
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.notes.problems import NotANote
from oharness.plugins.memory.page.asked import Document
from oharness.plugins.memory.page.notes import version_document

_MOST_TEXT = 200_000


def backups_document(memory: Memory) -> Document:
    """The fifty latest with when, why and from where.

    Raises: StorageFailed.
    """
    return {"backups": [_row(memory, one) for one in list_backups(memory)]}


def backup_document(memory: Memory, name: str) -> Document:
    """One backup, and the note as it is now; None where there is none.

    Raises: NoSuchBackup; BrokenFile; StorageFailed.
    """
    backup = memory.backups.get(name)
    restorable = any(one.restorable for one in list_backups(memory) if one.backup.name == name)
    note, present = _note_in(backup), _present(memory, backup)
    return {
        **_row(memory, ListedBackup(backup, restorable)),
        "version": version_document(note) if note else None,
        "raw": "" if note else backup.data[:_MOST_TEXT].decode("utf-8", "replace"),
        "present": version_document(present) if present else None,
        "same": bool(note and present and content_hash(note) == content_hash(present)),
    }


def _row(memory: Memory, one: ListedBackup) -> Document:
    backup = one.backup
    note = _note_in(backup)
    here = [service.folder.path for service in memory.services()]
    return {
        "backup": backup.name,
        "id": backup.note_id,
        "scope": str(backup.scope.kind) if backup.scope else "",
        "when": backup.when,
        "reason": str(backup.reason),
        "summary": note.summary if note else "",
        "directory": str(backup.directory) if backup.directory and backup.directory not in here else "",
        "restorable": one.restorable,
        "old": "/" in backup.name,
    }


def _note_in(backup: Backup) -> Note | None:
    try:
        return parse_note(backup.data, note_file_name(backup.note_id), file_time=backup.when)
    except NotANote:
        return None


def _present(memory: Memory, backup: Backup) -> Note | None:
    if backup.directory is None:
        return None
    try:
        file = service_for_directory(memory, backup.directory, backup.scope).read(backup.note_id)
    except OharnessError:
        return None
    return file.note if isinstance(file, NoteFile) else None
