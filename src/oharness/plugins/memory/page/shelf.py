"""All notes without their bodies, sorted and linked, kept between two looks at the folders.

A list of 5,000 notes is asked for with every letter somebody types, so it is made anew only when something changed.
Blocking; may be used from any thread.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from oharness.core.scopes import ScopeKind
from oharness.memory.reading import Problem, check
from oharness.memory.scopes import Memory
from oharness.notes.entry import NoteEntry

Key = tuple[ScopeKind, str]

_ORDERS: Mapping[str, Callable[["Shelved"], tuple[object, ...]]] = {
    "updated": lambda one: (-one.entry.updated_at, one.scope, one.entry.id),
    "created": lambda one: (-one.entry.created_at, one.scope, one.entry.id),
    "summary": lambda one: (one.entry.summary.casefold(), one.scope, one.entry.id),
    "id": lambda one: (one.entry.id, one.scope),
}
ORDERS = tuple(_ORDERS)
LOOK_AGAIN_S = 2.0
"""How old a look may be where nobody watches the folders."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A note of a scope, and its id, summary and tags as one text in small letters."""

    scope: ScopeKind
    entry: NoteEntry
    head: str

    @property
    def key(self) -> Key:
        """Scope and id."""
        return self.scope, self.entry.id


@dataclass(slots=True)
class Shelf:
    """The notes as of one look. `notes` stand in no order of their own."""

    notes: Mapping[Key, Shelved]
    problems: tuple[Problem, ...]
    _sorted: dict[str, list[Shelved]] = field(default_factory=dict)
    _linked_from: dict[str, list[Key]] | None = None

    def sorted_by(self, order: str) -> list[Shelved]:
        """All notes in one of `ORDERS`, the first for any other name."""
        order = order if order in _ORDERS else ORDERS[0]
        if order not in self._sorted:
            self._sorted[order] = sorted(self.notes.values(), key=_ORDERS[order])
        return self._sorted[order]

    def meant_by(self, note_id: str) -> Shelved | None:
        """The note that a link means: the project's before the user's."""
        for scope in (ScopeKind.PROJECT, ScopeKind.USER):
            if found := self.notes.get((scope, note_id)):
                return found
        return None

    def linking_to(self, key: Key) -> list[Shelved]:
        """The notes whose links mean this one, by id."""
        meant = self.meant_by(key[1])
        if meant is None or meant.key != key:
            return []
        if self._linked_from is None:
            linked: dict[str, list[Key]] = {}
            for one in self.sorted_by("id"):
                for link in one.entry.links:
                    linked.setdefault(link, []).append(one.key)
            self._linked_from = linked
        return [self.notes[other] for other in self._linked_from.get(key[1], []) if other != key]


class Shelves:
    """The shelf of an open memory, made anew when it is stale."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._turn = threading.RLock()
        self._shelf: Shelf | None = None
        self._is_stale = False
        self._looked_at = float("-inf")
        self._must_look = False
        self.is_watched = False
        self.revision = 0
        """Goes up whenever something may have changed, for a page that was drawn before it could be told."""
        for service in memory.services():
            service.listeners.append(self.make_stale)

    def make_stale(self) -> None:
        """A note was written or deleted in this process."""
        self._is_stale = True
        self.revision += 1

    def make_unseen(self) -> None:
        """The files may have changed without this process's memory having been told."""
        self._must_look = True
        self.revision += 1

    def look(self) -> bool:
        """Looks at the folders; whether anything there is another than it was.

        Raises: StorageFailed; DirectoryRedirected.
        """
        with self._turn:  # whoever asks meanwhile waits for what is found
            self._must_look = False
            self._memory.refresh()
            before = self._shelf
            found = self._made()
            differs = before is not None and (before.notes, before.problems) != (found.notes, found.problems)
            self.revision += differs
            return differs

    def shelf(self) -> Shelf:
        """The notes as they are now; as of a moment ago where nobody watches the folders.

        Raises: StorageFailed; DirectoryRedirected.
        """
        with self._turn:
            if self._must_look or (not self.is_watched and self._age_s() > LOOK_AGAIN_S):
                self.look()
            return self._made() if self._shelf is None or self._is_stale else self._shelf

    def _age_s(self) -> float:
        return self._memory.around.clock.monotonic() - self._looked_at

    def _made(self) -> Shelf:
        self._is_stale = False
        self._looked_at = self._memory.around.clock.monotonic()
        notes = {
            (service.kind, entry.id): Shelved(service.kind, entry, _head(entry))
            for service in self._memory.services()
            for entry in service.entries()
        }
        self._shelf = Shelf(notes, tuple(check(self._memory)))
        return self._shelf


def _head(entry: NoteEntry) -> str:
    return " ".join((entry.id, entry.summary, *entry.tags)).casefold()
