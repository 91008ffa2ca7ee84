"""The notes most related to a text or a note, and whether one of them says the same already."""

from collections.abc import Sequence
from dataclasses import dataclass

from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.recall.score import Candidate, Source, candidates
from oharness.recall.stems import stem_set

MOST_RELATED = 5
LIKELY_DUPLICATE = 0.6


@dataclass(frozen=True, slots=True)
class Related:
    """A note and how near it is."""

    scope: ScopeKind
    entry: NoteEntry
    score: float


def related_notes(summary: str, tags: Sequence[str], sources: Sequence[Source], limit: int) -> list[Related]:
    """The notes whose words are nearest to a summary and its tags, best first."""
    found = candidates(" ".join([summary, *tags]), sources)
    return [_related(one) for one in found if one.in_head][:limit]


def likely_duplicate(summary: str, tags: Sequence[str], related: Sequence[Related]) -> Related | None:
    """The related note that says the same, if there is one: by its summary alone, or by summary and tags."""
    best: Related | None = None
    most = 0.0
    for one in related:
        tagged = _shared([summary, *tags], [one.entry.summary, *one.entry.tags])
        shared = max(_shared([summary], [one.entry.summary]), tagged)
        if shared >= LIKELY_DUPLICATE and shared > most:
            best, most = one, shared
    return best


def _shared(some: Sequence[str], others: Sequence[str]) -> float:
    own, other = stem_set(" ".join(some)), stem_set(" ".join(others))
    return len(own & other) / max(len(own | other), 1)


def _related(candidate: Candidate) -> Related:
    return Related(candidate.scope, candidate.entry, candidate.score)
