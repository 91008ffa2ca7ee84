"""What people and models read of the memory: the list, one note with its links, problems, a search."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oharness.core.scopes import ScopeKind
from oharness.memory.finding import find_note
from oharness.memory.notices import MemoryNotice
from oharness.memory.scopes import Memory
from oharness.memory.service import entry_of
from oharness.memory.sources import resolve, searched
from oharness.notes.entry import NoteEntry
from oharness.notes.note import Note
from oharness.recall.prompt_index import PromptIndex, prompt_index

if TYPE_CHECKING:
    from oharness.recall.score import Candidate

FOUND_BY_DEFAULT = 10


@dataclass(frozen=True, slots=True)
class Listed:
    """A note of a scope without its body."""

    scope: ScopeKind
    entry: NoteEntry


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that cannot be a note."""

    scope: ScopeKind
    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """All notes, most recently updated first, what cannot be a note, and what else people should know."""

    notes: tuple[Listed, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[MemoryNotice, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """One note with the ids it links to and the notes that link to it."""

    scope: ScopeKind
    note: Note
    entry: NoteEntry
    path: Path
    linked_from: tuple[tuple[ScopeKind, str], ...]


def list_notes(memory: Memory, scope: ScopeKind | None = None) -> Listing:
    """The notes of one scope or both, as of the last look."""
    notes = [Listed(service.kind, entry) for service in memory.services(scope) for entry in service.entries()]
    notes.sort(key=lambda one: (-one.entry.updated_at, one.scope, one.entry.id))
    return Listing(tuple(notes), tuple(check(memory, scope)), tuple(memory.warnings()))


def show_note(memory: Memory, note_id: str, scope: ScopeKind | None = None) -> Shown:
    """The note of exactly this id, in the project's scope before the user's unless one is given.

    Raises: as `find_note`.
    """
    service, file = find_note(memory, note_id, scope)
    entry = entry_of(file.note, file.stamp)
    return Shown(
        service.kind, file.note, entry, service.folder.note_path(note_id), _linked_from(memory, service.kind, note_id)
    )


def check(memory: Memory, scope: ScopeKind | None = None) -> list[Problem]:
    """The files that cannot be notes, by path."""
    found = [
        Problem(service.kind, service.folder.path / problem.stamp.name, problem.reason)
        for service in memory.services(scope)
        for problem in service.problems()
    ]
    return sorted(found, key=lambda problem: str(problem.path))


def search_notes(
    memory: Memory, query: str, limit: int = FOUND_BY_DEFAULT, scope: ScopeKind | None = None
) -> "list[Candidate]":
    """The notes that share words with the query, bodies included, best first; any text is a query."""
    from oharness.recall.score import candidates  # as in `memory.sources`

    return searched(memory, lambda sources: candidates(query, sources), scope)[:limit]


def index_of(memory: Memory) -> PromptIndex:
    """The lines of the system prompt; notes whose line holds a credential are left out of them."""
    from oharness.memory.credential_gate import without_credentials  # its patterns cost more than listing does

    entries = [(service.kind, entry) for service in memory.services() for entry in service.entries()]
    return prompt_index(without_credentials(entries, memory.settings.index_chars), memory.settings.index_chars)


def _linked_from(memory: Memory, kind: ScopeKind, note_id: str) -> tuple[tuple[ScopeKind, str], ...]:
    found = resolve(memory, note_id)
    if found is None or found[0] is not kind:  # links to this id mean the project's note of the same id
        return ()
    return tuple(
        (service.kind, entry.id)
        for service in memory.services()
        for entry in service.entries()
        if note_id in entry.links and (service.kind, entry.id) != (kind, note_id)
    )
