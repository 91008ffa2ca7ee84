"""The backups people can choose from, and what the present version says instead. Blocking."""

from oharness.core.errors import OharnessError
from oharness.disk.backups import Backup
from oharness.disk.note_dir import NoteFile
from oharness.memory.restoring import ListedBackup, list_backups, listed_backup, versions_of
from oharness.memory.scopes import Memory, service_for_directory
from oharness.memory.service import MemoryService
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
    one = listed_backup(memory, backup)
    note, present = _note_in(backup), _present(memory, one)
    return {
        **_row(memory, one),
        "version": version_document(note) if note else None,
        "raw": "" if note else backup.data[:_MOST_TEXT].decode("utf-8", "replace"),
        "present": version_document(present) if present else None,
        "same": bool(note and present and content_hash(note) == content_hash(present)),
    }


def versions_document(memory: Memory, service: MemoryService, note_id: str, summary: str) -> Document:
    """The fifty latest versions of a note that were replaced or removed; `summary` where it was another than now.

    Raises: StorageFailed.
    """
    rows = [_row(memory, one) for one in versions_of(memory, service, note_id)]
    return {"versions": [{**row, "summary": row["summary"] if row["summary"] != summary else ""} for row in rows]}


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
        "directory": str(one.into or backup.directory or "") if one.into not in here else "",
        "restorable": one.restorable,
        "old": "/" in backup.name,
    }


def _note_in(backup: Backup) -> Note | None:
    try:
        return parse_note(backup.data, note_file_name(backup.note_id), file_time=backup.when)
    except NotANote:
        return None


def _present(memory: Memory, one: ListedBackup) -> Note | None:
    """The note as it is where the backup goes back to."""
    if one.into is None:
        return None
    try:
        file = service_for_directory(memory, one.into, one.backup.scope).read(one.backup.note_id)
    except OharnessError:
        return None
    return file.note if isinstance(file, NoteFile) else None
