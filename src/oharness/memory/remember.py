"""Writing a note: checked, compared with what is there, the replaced version set aside first."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oharness.core.scopes import ScopeKind
from oharness.disk.atomic import Absent
from oharness.disk.backups import BackupReason, SetAside
from oharness.disk.git import checkout_around
from oharness.disk.note_dir import NoteFile
from oharness.memory.attempts import until_nobody_was_faster
from oharness.memory.credential_gate import refuse_credentials
from oharness.memory.finding import look_up
from oharness.memory.forgotten import lift_fingerprints
from oharness.memory.notices import MemoryNotice, notes_in_repository
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService
from oharness.memory.sources import searched
from oharness.notes.hashing import content_hash
from oharness.notes.ids import check_note_id, new_note_id, taken_in_any_case
from oharness.notes.links import missing_links
from oharness.notes.note import Note, default_scope
from oharness.notes.valid import checked_note, checked_summary, note_type_named
from oharness.recall.related import MOST_RELATED, Related, likely_duplicate, related_notes


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """What to write. None means not given: an update keeps what is there, a new note does without.

    `tags` are a list or a text with commas and spaces; with an `id` that exists, that note is updated.
    """

    summary: str | None = None
    body: str | None = None
    type: str | None = None
    scope: ScopeKind | None = None
    tags: Any = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was written. `changed` is False when the note said all of it already, and nothing was written."""

    id: str
    scope: ScopeKind
    path: Path
    hash: str
    created: bool
    changed: bool
    backup: str | None
    related: tuple[Related, ...]
    duplicate_of: Related | None
    missing_links: tuple[str, ...]
    notices: tuple[MemoryNotice, ...]


@dataclass(frozen=True, slots=True)
class _Written:
    service: MemoryService
    note: Note
    created: bool
    changed: bool
    backup: str | None
    is_first: bool


def remember(memory: Memory, request: RememberRequest, reason: BackupReason = BackupReason.UPDATE) -> Remembered:
    """Writes or updates the note; the version an update replaces is backed up first.

    Raises: SummaryMissing, SummaryTooLong, NotPlainText, NoteTooLarge, UnknownNoteType, BadNoteId,
    IdCaseCollision, TooManyNotes, CredentialFound, NotANote (a damaged file has that id), NoProjectHere,
    UserNotesUnavailable, BackupFailed, StorageFailed, FolderBusy, NoteChangedOnDisk after many attempts.
    """
    written = until_nobody_was_faster(lambda: _write(memory, request, reason))
    lift_fingerprints(memory, written.note)
    return _told(memory, written)


def _write(memory: Memory, request: RememberRequest, reason: BackupReason) -> _Written:
    present = look_up(memory, check_note_id(request.id), request.scope) if request.id else None
    service = present[0] if present else memory.service(request.scope or default_scope(_type_of(request)))
    with service.changing():
        found = service.read(request.id) if request.id else None
        if isinstance(found, NoteFile):
            return _update(memory, service, found, request, reason)
        return _create(memory, service, request)


def _create(memory: Memory, service: MemoryService, request: RememberRequest) -> _Written:
    now = memory.around.clock.now_ms()
    is_first = not service.ids()
    note = checked_note(
        note_id=request.id or _new_id(memory, request),
        summary=request.summary or "",
        body=request.body or "",
        max_body_bytes=memory.settings.max_note_bytes,
        note_type=_type_of(request),
        tags=request.tags,
        created_at=now,
        updated_at=now,
    )
    refuse_credentials(note)
    if request.id:
        service.changes.before_return(note.id, content_hash(note))
    service.write(note, Absent())
    return _Written(service, note, created=True, changed=True, backup=None, is_first=is_first)


def _update(
    memory: Memory, service: MemoryService, found: NoteFile, request: RememberRequest, reason: BackupReason
) -> _Written:
    before = found.note
    after = checked_note(
        note_id=before.id,
        summary=before.summary if request.summary is None else checked_summary(before.id, request.summary),
        body=before.body if request.body is None else request.body,
        max_body_bytes=memory.settings.max_note_bytes,
        note_type=_type_of(request) or before.type,
        tags=before.tags if request.tags is None else request.tags,
        created_at=before.created_at,
        updated_at=max(memory.around.clock.now_ms(), before.updated_at),
        extra=before.extra,
    )
    refuse_credentials(after)
    if content_hash(after) == content_hash(before):
        return _Written(service, before, created=False, changed=False, backup=None, is_first=False)
    version = SetAside(service.scope, service.folder.path, before.id, found.data, reason)
    backup = memory.backups.save(version)
    service.write(after, found.expected)
    return _Written(service, after, created=False, changed=True, backup=backup, is_first=False)


def _type_of(request: RememberRequest) -> str | None:
    return None if request.type is None else note_type_named(request.type)


def _new_id(memory: Memory, request: RememberRequest) -> str:
    taken = [note_id for service in memory.services() for note_id in service.ids()]
    summary = checked_summary("", request.summary or "")
    return new_note_id(summary, _type_of(request), memory.around.randomness, taken_in_any_case(taken))


def _told(memory: Memory, written: _Written) -> Remembered:
    note, service = written.note, written.service
    found = searched(memory, lambda sources: related_notes(note.summary, note.tags, sources, MOST_RELATED + 1))
    others = _without(found, service.kind, note.id)
    related = tuple(others[:MOST_RELATED])
    ids = {kind: _ids(memory, kind) for kind in ScopeKind}
    return Remembered(
        id=note.id,
        scope=service.kind,
        path=service.folder.note_path(note.id),
        hash=content_hash(note),
        created=written.created,
        changed=written.changed,
        backup=written.backup,
        related=related,
        duplicate_of=likely_duplicate(note.summary, note.tags, related) if written.created else None,
        missing_links=missing_links(note.body, ids[ScopeKind.PROJECT], ids[ScopeKind.USER]),
        notices=tuple(_first_note_notices(memory, service)) if written.is_first else (),
    )


def _without(found: Iterable[Related], kind: ScopeKind, note_id: str) -> list[Related]:
    return [one for one in found if (one.scope, one.entry.id) != (kind, note_id)]


def _ids(memory: Memory, kind: ScopeKind) -> frozenset[str]:
    return frozenset(note_id for service in memory.services(kind) for note_id in service.ids())


def _first_note_notices(memory: Memory, service: MemoryService) -> list[MemoryNotice]:
    """Says once that project notes are part of the repository, unless its ignore rules keep them out."""
    folder = service.folder.path
    checkout = checkout_around(folder) if service.kind is ScopeKind.PROJECT else None
    if checkout is None or memory.around.git.ignores(checkout, folder / "x.md"):
        return []
    return [notes_in_repository(str(folder), f"/{folder.relative_to(checkout.root).as_posix()}/")]
