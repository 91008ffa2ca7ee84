"""Forgetting a note everywhere: what there is of it, and the receipt of what went and what stays. Blocking."""

from collections.abc import Iterable

from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.disk.note_dir import NoteFile
from oharness.memory.everywhere import Found, Receipt, Stays, check_known, look_everywhere
from oharness.memory.scopes import Memory
from oharness.memory.trace_places import Where
from oharness.plugins.memory.page.asked import Document


def traces_document(memory: Memory, note_id: str, scope: ScopeKind) -> Document:
    """Every place that has something of the note, and what cannot be removed from here.

    Raises: NoteNotFound where there neither is nor was such a note; as `look_everywhere`.
    """
    look = look_everywhere(memory, note_id, scope)
    check_known(memory, look)
    return {
        "id": note_id,
        "scope": str(look.scope),
        "summary": _summary(memory, note_id, scope),
        "found": _found(look.found),
        "stays": _stays(look.stays),
    }


def receipt_document(receipt: Receipt) -> Document:
    """What was removed, and what stays."""
    return {
        "id": receipt.id,
        "scope": str(receipt.scope),
        "removed": _found(receipt.removed),
        "stays": _stays(receipt.kept),
    }


def waits_for_the_cloud(receipt: Receipt) -> bool:
    """Whether a pass of sync would remove more."""
    return any(one.where is Where.CLOUD for one in receipt.kept)


def _found(found: Iterable[Found]) -> list[Document]:
    return [{"where": str(one.where), "count": one.count} for one in found]


def _stays(stays: Iterable[Stays]) -> list[Document]:
    return [{"where": str(one.where), "why": str(one.why), "detail": one.detail} for one in stays]


def _summary(memory: Memory, note_id: str, scope: ScopeKind) -> str:
    """Empty for a note that is deleted already."""
    try:
        file = memory.service(scope).read(note_id)
    except OharnessError:
        return ""
    return file.note.summary if isinstance(file, NoteFile) else ""
