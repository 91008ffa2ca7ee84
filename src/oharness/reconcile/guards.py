"""When a scope stops and asks before it deletes or mixes, in both directions: arithmetic over counts and history.

Files that vanish without anybody having asked for it, a cloud that would take away many notes here, and two
collections that hardly know each other. No I/O, no clock.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from oharness.core.clock import Millis
from oharness.core.errors import Refused

DAY_MS = 86_400_000
FEW_MISSING = 5
FEW_MISSING_PERCENT = 10
FEW_REMOVALS = 10
FEW_REMOVALS_PERCENT = 20


class FolderState(StrEnum):
    """Whether the notes directory can be listed."""

    THERE = "there"
    GONE = "gone"
    UNREADABLE = "unreadable"


class PauseReason(StrEnum):
    """What the question is about."""

    FOLDER_GONE = "folder-gone"
    FOLDER_UNREADABLE = "folder-unreadable"
    MANY_MISSING = "many-missing"
    ALL_MISSING = "all-missing"
    HEAD_MOVED = "head-moved"
    MANY_REMOVALS = "many-removals"
    FIRST_SYNC = "first-sync"


class Choice(StrEnum):
    """The answers of `sync confirm`."""

    DELETE = "delete"
    RESTORE = "restore"
    MIX = "mix"


@dataclass(eq=False)
class AnswerDoesNotFit(Refused):
    """`choice` is no answer to what the scope asks; `answers` are those that are."""

    choice: str
    answers: tuple[str, ...]


@dataclass(eq=False)
class NothingCanBeAnswered(Refused):
    """The scope waits for something that no answer brings: its directory cannot be read."""


@dataclass(frozen=True, slots=True)
class Paused:
    """The scope waits for a person. `note_ids` are what the question is about, sorted."""

    reason: PauseReason
    note_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What a person answered, and about which notes; others have to be asked about again."""

    choice: Choice
    note_ids: frozenset[str]


_NO_DELETIONS: Mapping[str, Millis] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FolderHistory:
    """What earlier passes saw of a directory.

    `missing_before`: ids whose files the last pass already saw missing. `deleted_outside`: notes whose deletion
    nobody asked oHarness for and that was taken for meant, and when. `head_when_whole`: git's HEAD when nothing
    was missing and the notes were tracked, None where they were not. `met`: whether the directory and its cloud
    scope have been reconciled once.
    """

    missing_before: frozenset[str] = frozenset()
    deleted_outside: Mapping[str, Millis] = field(default_factory=lambda: _NO_DELETIONS, hash=False)
    head_when_whole: str | None = None
    met: bool = False


@dataclass(frozen=True, slots=True)
class FolderNow:
    """The directory as this pass found it. `head` is git's HEAD; `tracked`, whether git has notes of it."""

    state: FolderState = FolderState.THERE
    head: str | None = None
    tracked: bool = False


NO_HISTORY = FolderHistory()
FOLDER_THERE = FolderNow()


@dataclass(frozen=True, slots=True)
class MissingVerdict:
    """Which missing files are taken for deletions, and which wait for the next pass to see them missing too."""

    deleted: frozenset[str]
    waiting: frozenset[str]


ANSWERS: dict[PauseReason, frozenset[Choice]] = {
    PauseReason.FOLDER_GONE: frozenset({Choice.DELETE, Choice.RESTORE}),
    PauseReason.FOLDER_UNREADABLE: frozenset(),
    PauseReason.MANY_MISSING: frozenset({Choice.DELETE, Choice.RESTORE}),
    PauseReason.ALL_MISSING: frozenset({Choice.DELETE, Choice.RESTORE}),
    PauseReason.HEAD_MOVED: frozenset({Choice.DELETE, Choice.RESTORE, Choice.MIX}),
    PauseReason.MANY_REMOVALS: frozenset({Choice.DELETE, Choice.RESTORE}),
    PauseReason.FIRST_SYNC: frozenset({Choice.MIX}),
}


def confirm(paused: Paused, choice: Choice) -> Confirmed:
    """The answer to a paused scope, about exactly the notes that the person was shown.

    Raises: AnswerDoesNotFit, NothingCanBeAnswered.
    """
    answers = ANSWERS[paused.reason]
    if not answers:
        raise NothingCanBeAnswered
    if choice not in answers:
        raise AnswerDoesNotFit(f"--{choice}", tuple(f"--{answer}" for answer in sorted(answers)))
    return Confirmed(choice, frozenset(paused.note_ids))


def answer_to(paused: Paused, confirmed: Collection[Confirmed]) -> Choice | None:
    """What a person answered to this question, for every note it is about; None while it is open."""
    asked = frozenset(paused.note_ids)
    fitting = ANSWERS[paused.reason]
    return next((one.choice for one in confirmed if one.choice in fitting and asked <= one.note_ids), None)


def head_moved(history: FolderHistory, folder: FolderNow) -> bool:
    """Whether git moved HEAD since the directory was last whole, while its notes were tracked."""
    return history.head_when_whole is not None and folder.head != history.head_when_whole


def judge_missing(
    missing: Collection[str], synced: int, history: FolderHistory, folder: FolderNow, now_ms: Millis
) -> Paused | MissingVerdict:
    """What missing files mean: deletions, nothing yet, or a question.

    Units: `synced` counts the notes in sync, the missing ones included.
    Source: decisions, "Sync on the client": few of them sync on the second pass that sees them missing.
    """
    ids = tuple(sorted(missing))
    if folder.state is FolderState.GONE:
        return Paused(PauseReason.FOLDER_GONE, ids) if synced else MissingVerdict(frozenset(), frozenset())
    if folder.state is FolderState.UNREADABLE:
        return Paused(PauseReason.FOLDER_UNREADABLE, ids)
    if not ids:
        return MissingVerdict(frozenset(), frozenset())
    if head_moved(history, folder):
        return Paused(PauseReason.HEAD_MOVED, ids)
    if len(ids) == synced:
        return Paused(PauseReason.ALL_MISSING, ids)
    recent = len(_within_a_day(history.deleted_outside, now_ms).keys() - set(ids))
    if _more_than(len(ids) + recent, FEW_MISSING, FEW_MISSING_PERCENT, synced + recent):
        return Paused(PauseReason.MANY_MISSING, ids)
    deleted = frozenset(ids) & history.missing_before
    return MissingVerdict(deleted, frozenset(ids) - deleted)


def judge_returned(returned: Collection[str], history: FolderHistory, folder: FolderNow) -> Paused | None:
    """Whether notes that reappeared or fell back to an older version are git's doing, and so a question."""
    if returned and head_moved(history, folder):
        return Paused(PauseReason.HEAD_MOVED, tuple(sorted(returned)))
    return None


def judge_removals(removals: Collection[str], unchanged: int) -> Paused | None:
    """Whether a pull would take away too many notes.

    Units: `unchanged` counts the notes here that nobody changed since the last sync, the removals included.
    """
    if _more_than(len(removals), FEW_REMOVALS, FEW_REMOVALS_PERCENT, unchanged):
        return Paused(PauseReason.MANY_REMOVALS, tuple(sorted(removals)))
    return None


def judge_first_sync(here: Collection[str], known_there: Collection[str], history: FolderHistory) -> Paused | None:
    """Whether two collections that never met look like strangers: fewer than half of the notes here are known.

    Shapes: ids; `known_there` are all ids of the cloud scope, deleted ones included. An empty side is no stranger.
    """
    if history.met or not here or not known_there:
        return None
    known = set(here).intersection(known_there)
    if 2 * len(known) < len(here):
        return Paused(PauseReason.FIRST_SYNC, tuple(sorted(set(here) - known)))
    return None


def after_pass(
    history: FolderHistory, folder: FolderNow, verdict: MissingVerdict, *, answered: bool, now_ms: Millis
) -> FolderHistory:
    """The history that the next pass starts from, when this one does not pause.

    It may be kept before the pass is carried out: a pass cut short is repeated with the same verdict.
    `answered`: a person has just said what the changes in the directory mean, so HEAD's present place counts.
    """
    recent = dict.fromkeys(verdict.deleted, now_ms) | _within_a_day(history.deleted_outside, now_ms)
    whole = answered or not (verdict.waiting or verdict.deleted)
    head_now = folder.head if folder.tracked else None
    return FolderHistory(
        missing_before=verdict.waiting | verdict.deleted,
        deleted_outside={} if answered else recent,
        head_when_whole=head_now if whole else history.head_when_whole,
        met=True,
    )


def _within_a_day(times: Mapping[str, Millis], now_ms: Millis) -> dict[str, Millis]:
    """What happened in the last 24 hours; a time in the future comes from a clock set back, and counts as now."""
    return {note_id: Millis(min(time, now_ms)) for note_id, time in times.items() if time > now_ms - DAY_MS}


def _more_than(count: int, few: int, percent: int, whole: int) -> bool:
    return count > few and 100 * count > percent * whole
