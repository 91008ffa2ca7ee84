"""Where recall looks: the open scopes with their words and recall counts."""

from oharness.core.scopes import ScopeKind
from oharness.memory.scopes import Memory
from oharness.notes.entry import NoteEntry
from oharness.recall.score import Source


def sources(memory: Memory, kind: ScopeKind | None = None) -> list[Source]:
    """Both scopes, the project's first, or only one of them."""
    return [Source(service.kind, service.index, service.uses()) for service in memory.services(kind)]


def resolve(memory: Memory, note_id: str) -> tuple[ScopeKind, NoteEntry] | None:
    """The note that a link means: the project's before the user's, whatever note the link stands in."""
    for service in memory.services():
        entry = service.entry(note_id)
        if entry is not None:
            return service.kind, entry
    return None
