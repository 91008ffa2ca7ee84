"""What a person is told, at the next message, of the notes that were saved from a conversation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oharness.core.scopes import ScopeKind


@dataclass(frozen=True, slots=True)
class SavedNote:
    """A note that extraction wrote; `created` is False for one that it updated."""

    scope: ScopeKind
    id: str
    summary: str
    created: bool


def announcement(saved: Sequence[SavedNote]) -> Mapping[str, Any]:
    """The fields of the notice: how many, and which."""
    notes = [{"scope": str(one.scope), "id": one.id, "summary": one.summary, "created": one.created} for one in saved]
    return {"count": len(notes), "notes": notes}
