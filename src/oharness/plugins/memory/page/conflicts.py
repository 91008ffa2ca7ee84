"""Conflicts with their three versions, and the four answers. Blocking."""

from dataclasses import dataclass, replace

from oharness.core.errors import Refused
from oharness.core.scopes import ScopeKind
from oharness.disk.note_dir import NoteFile
from oharness.memory.credential_gate import refuse_credentials
from oharness.memory.scopes import Memory
from oharness.notes.frontmatter import note_text
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.notes.valid import checked_note
from oharness.plugins.memory.page import asked
from oharness.plugins.memory.page.asked import Document, Fields
from oharness.plugins.memory.page.notes import version_document
from oharness.plugins.memory.page.syncing import Syncing
from oharness.reconcile.conflict import Conflict
from oharness.reconcile.merge_lines import CombinedLines, draft_text, merge_lines
from oharness.reconcile.merge_note import merge_tags
from oharness.sync.directory import Directory
from oharness.sync.resolve import NoSuchConflict, Resolved, keep_both, keep_mine, merge_by_hand, take_cloud

MINE_MARK = "this machine"
CLOUD_MARK = "cloud"
_ANSWERS = {"mine": keep_mine, "cloud": take_cloud, "both": keep_both}


@dataclass(eq=False)
class ConflictSeenOtherwise(Refused):
    """The versions of `note_id` are others than the person was shown; nothing was done."""

    note_id: str


@dataclass(eq=False)
class MarksLeft(Refused):
    """The merged text still holds the lines that mark the two sides (in line `line`)."""

    note_id: str
    line: int


def conflicts_document(syncing: Syncing) -> Document:
    """The open conflicts, the last noticed first."""
    found = [
        (directory, conflict) for directory in syncing.directories for conflict in directory.state.conflicts().values()
    ]
    found.sort(key=lambda one: (-one[1].noticed_at, one[1].id))
    return {"conflicts": [_row(directory, conflict) for directory, conflict in found]}


def conflict_document(syncing: Syncing, scope: ScopeKind, note_id: str) -> Document:
    """One conflict: the version last synced, this machine's as its file is now, and the cloud's; None where none is.

    Raises: NoSuchConflict.
    """
    directory, conflict = _conflict(syncing, scope, note_id)
    cloud = conflict.cloud.note if conflict.cloud else None
    return {
        **_row(directory, conflict),
        "seen": _seen(conflict),
        "base": version_document(conflict.base) if conflict.base else None,
        "mine": version_document(conflict.mine),
        "cloud": version_document(cloud) if cloud else None,
        "combined": _combined(conflict),
    }


def answer(memory: Memory, syncing: Syncing, fields: Fields) -> Resolved:
    """Carries out the answer `keep` (mine, cloud, both or text) to what the person was shown (`seen`).

    Raises: NoSuchConflict, ConflictSeenOtherwise, MarksLeft, as `checked_note`, CredentialFound; as `keep_mine`.
    """
    scope, note_id = asked.scope(fields) or ScopeKind.PROJECT, asked.text(fields, "id")
    directory, conflict = _conflict(syncing, scope, note_id)
    if asked.text(fields, "seen") != _seen(conflict):
        raise ConflictSeenOtherwise(note_id)
    keep = asked.text(fields, "keep")
    if keep in _ANSWERS:
        done = _ANSWERS[keep](directory, note_id)
    else:
        done = merge_by_hand(directory, note_id, note_text(_merged(memory, conflict, fields)).encode())
    for service in memory.services(scope):
        service.refresh()
        for listener in list(service.listeners):  # the answer went past the service to the files
            listener()
    return done


def _conflict(syncing: Syncing, scope: ScopeKind, note_id: str) -> tuple[Directory, Conflict]:
    directory = syncing.directory(scope)
    conflict = directory.state.conflicts().get(note_id) if directory else None
    if directory is None or conflict is None:
        raise NoSuchConflict(note_id)
    file = directory.folder.read_id(note_id)
    return directory, replace(conflict, mine=file.note) if isinstance(file, NoteFile) else conflict


def _row(directory: Directory, conflict: Conflict) -> Document:
    return {
        "id": conflict.id,
        "scope": str(directory.scope.kind),
        "summary": conflict.mine.summary,
        "reasons": [str(reason) for reason in conflict.reasons],
        "noticedAt": conflict.noticed_at,
    }


def _seen(conflict: Conflict) -> str:
    """Names the two versions that a person decides between."""
    return f"{content_hash(conflict.mine)} {content_hash(conflict.cloud.note) if conflict.cloud else ''}"


def _combined(conflict: Conflict) -> Document:
    """What merging by hand starts from: all that goes together, and both sides where they dispute."""
    mine, cloud = conflict.mine, conflict.cloud.note if conflict.cloud else None
    if cloud is None:
        return version_document(mine)
    base = conflict.base or Note(mine.id, "", "")
    lines = merge_lines(base.body, mine.body, cloud.body)
    body = lines.text if isinstance(lines, CombinedLines) else draft_text(lines, MINE_MARK, CLOUD_MARK)
    summary = cloud.summary if mine.summary == base.summary else mine.summary
    note_type = cloud.type if mine.type == base.type else mine.type
    tags = merge_tags(base.tags, mine.tags, cloud.tags)
    return version_document(replace(mine, summary=summary, type=note_type, tags=tags, body=body))


def _merged(memory: Memory, conflict: Conflict, fields: Fields) -> Note:
    body = asked.text(fields, "body").replace("\r\n", "\n")
    for number, line in enumerate(body.split("\n"), 1):
        if line in (f"<<<<<<< {MINE_MARK}", f">>>>>>> {CLOUD_MARK}"):
            raise MarksLeft(conflict.id, number)
    note = checked_note(
        note_id=conflict.id,
        summary=asked.text(fields, "summary"),
        body=body,
        max_body_bytes=memory.settings.max_note_bytes,
        note_type=asked.text(fields, "type") or None,
        tags=asked.text(fields, "tags"),
        created_at=conflict.mine.created_at,
        updated_at=conflict.mine.updated_at,
        extra=conflict.mine.extra,
    )
    refuse_credentials(note)
    return note
