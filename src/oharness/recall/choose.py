"""Which candidates are attached to a message, and why the others are not."""

from collections.abc import Callable, Collection, Sequence
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
    candidates: Sequence[Candidate], limits: RecallLimits, already_attached: Collection[NoteKey]
) -> list[Verdict]:
    """A verdict for each candidate, in their order."""
    verdicts = []
    taken = 0
    for candidate in candidates:
        reason = _reason(candidate, limits, already_attached, taken)
        taken += reason is Reason.ATTACHED
        verdicts.append(Verdict(candidate, reason))
    return verdicts


def attached(verdicts: Sequence[Verdict]) -> list[Candidate]:
    """The candidates that go with the message, best first."""
    return [verdict.candidate for verdict in verdicts if verdict.attached]


def _reason(candidate: Candidate, limits: RecallLimits, already_attached: Collection[NoteKey], taken: int) -> Reason:
    if not candidate.in_head:
        return Reason.BODY_ONLY
    if candidate.score < limits.min_score:
        return Reason.BELOW_MIN_SCORE
    if (candidate.scope, candidate.entry.id) in already_attached:
        return Reason.ALREADY_ATTACHED
    if taken >= limits.per_turn:
        return Reason.PER_TURN
    return Reason.ATTACHED
