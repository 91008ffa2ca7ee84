"""Writing, changing and deleting notes as a person does it: over what was read, or not at all. Blocking."""

from dataclasses import dataclass

from oharness.core.errors import Refused
from oharness.core.scopes import ScopeKind
from oharness.disk.atomic import Absent
from oharness.disk.backups import BackupReason, SetAside
from oharness.disk.note_dir import DamagedFile, NoteFile
from oharness.memory.credential_gate import refuse_credentials
from oharness.memory.forget import Forgotten, forget
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note, default_scope
from oharness.notes.valid import checked_note, note_type_named
from oharness.plugins.memory.page import asked
from oharness.plugins.memory.page.asked import Fields


@dataclass(eq=False)
class IdTakenThere(Refused):
    """A note cannot move to the other scope, since a note of the same id is there already."""

    note_id: str
    scope: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wrote in the editor. An empty type is none."""

    summary: str
    body: str
    type: str
    tags: str
    scope: ScopeKind

    @classmethod
    def of(cls, fields: Fields) -> "Draft":
        """The draft in the fields of a form."""
        note_type = asked.text(fields, "type")
        return cls(
            summary=asked.text(fields, "summary"),
            body=asked.text(fields, "body").replace("\r\n", "\n"),
            type=note_type,
            tags=asked.text(fields, "tags"),
            scope=asked.scope(fields, "to") or default_scope(note_type or None),
        )


@dataclass(frozen=True, slots=True)
class Saved:
    """The note says what the draft said. `duplicate_of` is a note that a new one seems to repeat."""

    id: str
    scope: ScopeKind
    duplicate_of: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """The note is not what the person saw; nothing was written. `theirs` is what it says now, None when it is gone."""

    theirs: Note | None


def create(memory: Memory, draft: Draft, note_id: str = "") -> Saved | Moved:
    """Writes a new note, under the id that links to it have already where one is given.

    Raises: as `remember`.
    """
    if note_id:
        return save(memory, note_id, draft.scope, "", draft)
    done = remember(
        memory,
        RememberRequest(
            summary=draft.summary, body=draft.body, type=draft.type or None, scope=draft.scope, tags=draft.tags
        ),
    )
    return Saved(done.id, done.scope, done.duplicate_of.entry.id if done.duplicate_of else "")


def save(memory: Memory, note_id: str, scope: ScopeKind, expected: str, draft: Draft) -> Saved | Moved:
    """Writes over the note whose content had the hash `expected`; the version it replaces is backed up first.

    With `expected` empty a note that is gone is written anew. Another scope in the draft moves the note there.
    Raises: as `remember`; IdTakenThere; NotANote for a damaged file; NoteChangedOnDisk.
    """
    service = memory.service(scope)
    with service.changing():
        file = _present(service, note_id)
        if (content_hash(file.note) if file else "") != expected:
            return Moved(file.note if file else None)
        after = _written(memory, file.note if file else None, note_id, draft)
        if file is None:
            service.changes.before_return(note_id, content_hash(after))
            service.write(after, Absent())
        elif draft.scope is not scope:
            _move(memory, service, after, draft.scope)
            return Saved(note_id, draft.scope)
        elif content_hash(after) != expected:
            memory.backups.save(_set_aside(service, file))
            service.write(after, file.expected)
        return Saved(note_id, scope)


def delete(memory: Memory, note_id: str, scope: ScopeKind, expected: str) -> Forgotten | Moved:
    """Deletes the note if it still says what the person saw; a backup is written first.

    Raises: as `forget`.
    """
    service = memory.service(scope)
    with service.changing():
        file = _present(service, note_id)
        if file is not None and expected and content_hash(file.note) != expected:
            return Moved(file.note)
        return forget(memory, note_id, scope, BackupReason.DELETE)


def _written(memory: Memory, before: Note | None, note_id: str, draft: Draft) -> Note:
    """The note as the draft wants it; what the editor does not show stays."""
    kept = before or Note(note_id, "", "")
    now = memory.around.clock.now_ms()
    note_type = draft.type if draft.type == (kept.type or "") else note_type_named(draft.type) if draft.type else ""
    note = checked_note(
        note_id=note_id,
        summary=draft.summary,
        body=draft.body,
        max_body_bytes=memory.settings.max_note_bytes,
        note_type=note_type or None,
        tags=draft.tags,
        created_at=kept.created_at or now,
        updated_at=max(now, kept.updated_at),
        extra=kept.extra,
    )
    refuse_credentials(note)
    return note


def _move(memory: Memory, source: MemoryService, note: Note, scope: ScopeKind) -> None:
    """The note in the other scope first, then the old one goes, so that a crash leaves both."""
    target = memory.service(scope)
    with target.changing():
        if target.read(note.id) is not None:
            raise IdTakenThere(note.id, str(scope))
        target.changes.before_return(note.id, content_hash(note))
        target.write(note, Absent())
    forget(memory, note.id, source.kind, BackupReason.UPDATE)


def _present(service: MemoryService, note_id: str) -> NoteFile | None:
    match service.read(note_id):
        case NoteFile() as file:
            return file
        case DamagedFile() as damaged:
            raise damaged.error
        case None:
            return None


def _set_aside(service: MemoryService, file: NoteFile) -> SetAside:
    return SetAside(service.scope, service.folder.path, file.note.id, file.data, BackupReason.UPDATE)
