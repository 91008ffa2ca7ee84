"""Where recall looks: the open scopes with their words and recall counts."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from oharness.core.scopes import ScopeKind
from oharness.memory.scopes import Memory
from oharness.notes.entry import NoteEntry

if TYPE_CHECKING:
    from oharness.recall.score import Source


@contextmanager
def searching(memory: Memory, kind: ScopeKind | None = None) -> Iterator["list[Source]"]:
    """Both scopes, the project's first, or only one; other processes change nothing of them meanwhile."""
    from oharness.recall.score import Source  # stemmers cost more to load than notes to list

    with ExitStack() as stack:
        sources = []
        for service in memory.services(kind):
            index = service.index
            stack.enter_context(index.reading())
            sources.append(Source(service.kind, index, service.uses()))
        yield sources


def resolve(memory: Memory, note_id: str) -> tuple[ScopeKind, NoteEntry] | None:
    """The note that a link means: the project's before the user's, whatever note the link stands in."""
    for service in memory.services():
        entry = service.entry(note_id)
        if entry is not None:
            return service.kind, entry
    return None
