"""Which candidates are attached to a message, and why the others are not."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.recall.score import Candidate, Match

NoteKey = tuple[ScopeKind, str]
MOST_LINKED = 10


@dataclass(frozen=True, slots=True)
class RecallLimits:
    """The settings `memory.recall.*`; `budget_chars` counts characters of the attached notes."""

    per_turn: int
    budget_chars: int
    min_score: float


class Reason(StrEnum):
    """What kept a note out, in the order in which it is asked."""

    ATTACHED = ""
    BODY_ONLY = "body-only"
    BELOW_MIN_SCORE = "below-min-score"
    CREDENTIAL = "credential"
    UNREADABLE = "unreadable"
    ALREADY_ATTACHED = "already-attached"
    PER_TURN = "per-turn"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One candidate and what became of it."""

    candidate: Candidate
    reason: Reason

    @property
    def attached(self) -> bool:
        """Whether the note goes with the message."""
        return self.reason is Reason.ATTACHED

    @property
    def matches(self) -> tuple[Match, ...]:
        """The words that met."""
        return self.candidate.matches


def choose(
    candidates: Sequence[Candidate],
    limits: RecallLimits,
    already_attached: Collection[NoteKey],
    withheld: Mapping[NoteKey, Reason] | None = None,
) -> list[Verdict]:
    """A verdict for each candidate, in their order; `withheld` are notes that must not be shown, with the reason."""
    verdicts = []
    taken = 0
    for candidate in candidates:
        reason = _reason(candidate, limits, already_attached, withheld or {}, taken)
        taken += reason is Reason.ATTACHED
        verdicts.append(Verdict(candidate, reason))
    return verdicts


def attached(verdicts: Sequence[Verdict]) -> list[Candidate]:
    """The candidates that go with the message, best first."""
    return [verdict.candidate for verdict in verdicts if verdict.attached]


def linked_notes(
    attached: Sequence[Candidate], resolve: Callable[[ScopeKind, str], tuple[ScopeKind, NoteEntry] | None]
) -> list[tuple[ScopeKind, NoteEntry]]:
    """The notes that the attached ones link to, followed once; those attached themselves are left out.

    `resolve` finds the note a link means, given the scope of the note it stands in, or None for a missing one.
    """
    seen = {(one.scope, one.entry.id) for one in attached}
    linked: list[tuple[ScopeKind, NoteEntry]] = []
    for one in attached:
        for link in one.entry.links:
            found = resolve(one.scope, link)
            if found and (found[0], found[1].id) not in seen:
                seen.add((found[0], found[1].id))
                linked.append(found)
    return linked[:MOST_LINKED]


def _reason(
    candidate: Candidate,
    limits: RecallLimits,
    already_attached: Collection[NoteKey],
    withheld: Mapping[NoteKey, Reason],
    taken: int,
) -> Reason:
    key = (candidate.scope, candidate.entry.id)
    if not candidate.in_head:
        return Reason.BODY_ONLY
    if candidate.score < limits.min_score:
        return Reason.BELOW_MIN_SCORE
    if key in withheld:
        return withheld[key]
    if key in already_attached:
        return Reason.ALREADY_ATTACHED
    if taken >= limits.per_turn:
        return Reason.PER_TURN
    return Reason.ATTACHED
