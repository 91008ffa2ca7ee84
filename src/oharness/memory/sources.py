"""Where recall looks: the open scopes with their words and recall counts."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeVar

from oharness.core.scopes import ScopeKind
from oharness.disk.recall_index import INDEX_FAULTS, RecallIndex
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService
from oharness.notes.entry import NoteEntry

if TYPE_CHECKING:
    from oharness.recall.score import Source


_Answer = TypeVar("_Answer")
_Asked = tuple[MemoryService, RecallIndex]


def searched(memory: Memory, question: "Callable[[list[Source]], _Answer]", kind: ScopeKind | None = None) -> _Answer:
    """What a question about the words of both scopes finds, the project's first, or of only one.

    Other processes change nothing of them meanwhile. An index that turns out to be damaged is made anew, and the
    question is asked again.
    """
    asked: list[_Asked] = []
    try:
        return _answer(memory, question, kind, asked)
    except INDEX_FAULTS as error:
        for service, index in asked:
            service.give_up_index(index, error)
        return _answer(memory, question, kind, [])


def _answer(
    memory: Memory, question: "Callable[[list[Source]], _Answer]", kind: ScopeKind | None, asked: list[_Asked]
) -> _Answer:
    """`asked` takes in whose words are asked for."""
    from oharness.recall.score import Source  # stemmers cost more to load than notes to list

    with ExitStack() as stack:
        sources = []
        for service in memory.services(kind):
            index = service.index
            asked.append((service, index))
            stack.enter_context(index.reading())
            sources.append(Source(service.kind, index, service.uses()))
        return question(sources)


def resolve(memory: Memory, note_id: str) -> tuple[ScopeKind, NoteEntry] | None:
    """The note that a link means: the project's before the user's, whatever note the link stands in."""
    for service in memory.services():
        entry = service.entry(note_id)
        if entry is not None:
            return service.kind, entry
    return None
