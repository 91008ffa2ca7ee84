"""Which existing notes the extractor is shown: the best whole, so that they may be updated, others by their summary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oharness.core.scopes import ScopeKind
from oharness.extract.conversation import Speaker, Turn
from oharness.notes.links import linked_ids
from oharness.notes.note import Note
from oharness.recall.score import Candidate, Source, candidates

MOST_WHOLE = 5
MOST_LISTED = 40
BODY_BUDGET_CHARS = 8_000
"""Characters of all bodies that are shown together."""

_MOST_FOR_ONE_TURN = 20
_MOST_TURNS_ASKED = 40


@dataclass(frozen=True, slots=True)
class WholeNote:
    """A note that is shown with its body, with the content hash that an update is planned from."""

    scope: ScopeKind
    note: Note
    hash: str


@dataclass(frozen=True, slots=True)
class NamedNote:
    """A note that is shown by its summary, for linking."""

    scope: ScopeKind
    id: str
    summary: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """All that the extractor knows of the notes; no id stands in it twice."""

    whole: tuple[WholeNote, ...] = ()
    listed: tuple[NamedNote, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """Every id that was shown as a note."""
        return frozenset([*(one.note.id for one in self.whole), *(one.id for one in self.listed)])

    def whole_note(self, note_id: str) -> WholeNote | None:
        """The note of that id, if it may be updated."""
        return next((one for one in self.whole if one.note.id == note_id), None)

    def linkable_from(self, updated: WholeNote | None) -> frozenset[str]:
        """The ids that a body may link to: all that were shown, and what the note linked to before."""
        return self.ids | (frozenset(linked_ids(updated.note.body)) if updated else frozenset())


def most_related(turns: Sequence[Turn], sources: Sequence[Source]) -> list[Candidate]:
    """The notes nearest to what was said, each by the turn that it fits best; the project's of two with one id."""
    asked = [turn.text for turn in turns if turn.speaker is Speaker.USER][-_MOST_TURNS_ASKED:]
    asked += [turn.text for turn in turns if turn.speaker is Speaker.ASSISTANT][-_MOST_TURNS_ASKED // 2 :]
    best: dict[tuple[ScopeKind, str], Candidate] = {}
    for text in asked:
        for one in candidates(text, sources, _MOST_FOR_ONE_TURN):
            key = (one.scope, one.entry.id)
            if key not in best or one.score > best[key].score:
                best[key] = one
    in_project = {note_id for scope, note_id in best if scope is ScopeKind.PROJECT}
    kept = [one for one in best.values() if one.scope is ScopeKind.PROJECT or one.entry.id not in in_project]
    return sorted(kept, key=lambda one: (not one.in_head, -one.score, one.scope, one.entry.id))


def choose_view(
    ranked: Sequence[Candidate],
    read: Callable[[Candidate], WholeNote | None],
    may_be_named: Callable[[Candidate], bool],
    budget_chars: int = BODY_BUDGET_CHARS,
) -> View:
    """The view: bodies from the best note on as far as the budget goes, then summaries.

    `read` gives a note as it is now, or None for one that must not be shown; `may_be_named` says that of a summary.
    """
    whole: list[WholeNote] = []
    listed: list[NamedNote] = []
    left = budget_chars
    for one in ranked:
        if len(listed) == MOST_LISTED:
            break
        found = read(one) if len(whole) < MOST_WHOLE and one.in_head else None
        if found is not None and len(found.note.body) <= left:
            whole.append(found)
            left -= len(found.note.body)
        elif may_be_named(one):
            listed.append(NamedNote(one.scope, one.entry.id, one.entry.summary, one.entry.tags))
    return View(tuple(whole), tuple(listed))
