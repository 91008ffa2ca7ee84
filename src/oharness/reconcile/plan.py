"""What to do about a whole scope: a decision for every note that needs one, or a question to a person.

Takes the directory, the baseline with the latest listing recorded, and what people asked for; gives a `ScopePlan`
or a `Paused`. `work.note_work` turns each decision into steps once its bodies are at hand. A conflict, a broken
body or a refused upload holds back its own note and no other. No I/O.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias, assert_never

from oharness.core.clock import Millis
from oharness.reconcile.baseline import (
    AgreedOn,
    Baseline,
    DeletedInCloud,
    InCloud,
    NothingAgreed,
    NotInCloud,
    PurgedFromCloud,
)
from oharness.reconcile.decide import (
    NOT_HERE,
    NOTHING,
    BrokenInCloud,
    CloudSide,
    Damaged,
    Decision,
    DeletedHere,
    DeleteHere,
    DeleteInCloud,
    DeletionGround,
    Download,
    Here,
    HoldBack,
    HoldReason,
    LocalSide,
    NotLoaded,
    OpenConflict,
    StillInConflict,
    Unreadable,
    Upload,
    Vanished,
    decide,
)
from oharness.reconcile.guards import (
    FOLDER_THERE,
    NO_HISTORY,
    Choice,
    Confirmed,
    FolderHistory,
    FolderNow,
    FolderState,
    MissingVerdict,
    Paused,
    PauseReason,
    after_pass,
    answer_to,
    head_moved,
    judge_first_sync,
    judge_missing,
    judge_removals,
    judge_returned,
)

FileSide: TypeAlias = Here | Damaged | Unreadable | NotLoaded

_NO_DELETIONS: Mapping[str, DeletedHere] = MappingProxyType({})
_NOT_BROKEN: Mapping[str, str] = MappingProxyType({})
_NO_CONFLICTS: Mapping[str, OpenConflict] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Refusal:
    """An upload that the service refused; this content is not sent again while the refusal stands."""

    hash: str
    code: str


_NO_REFUSALS: Mapping[str, Refusal] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ScopeView:
    """Everything a plan is made from.

    Shapes: `files` has every id with a file, loaded or not; `deletions` are intents, which count only where there
    is no file; `broken` are revisions whose bodies cannot be had or kept, and why; `refusals` are those that still
    stand; `confirmed` are a person's answers since the scope paused. `in_step`: with this very baseline and these very
    files there was nothing to decide before.
    """

    baseline: Baseline
    files: Mapping[str, FileSide]
    now_ms: Millis
    folder: FolderNow = FOLDER_THERE
    history: FolderHistory = NO_HISTORY
    deletions: Mapping[str, DeletedHere] = field(default_factory=lambda: _NO_DELETIONS)
    conflicts: Mapping[str, OpenConflict] = field(default_factory=lambda: _NO_CONFLICTS)
    broken: Mapping[str, str] = field(default_factory=lambda: _NOT_BROKEN)
    refusals: Mapping[str, Refusal] = field(default_factory=lambda: _NO_REFUSALS)
    confirmed: tuple[Confirmed, ...] = ()
    in_step: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether what has to be decided follows from baseline and files alone."""
        return not (self.deletions or self.conflicts or self.broken)

    def local(self, note_id: str) -> LocalSide:
        """This machine's side of one note."""
        return self.files.get(note_id) or self.deletions.get(note_id) or NOT_HERE

    def cloud(self, note_id: str) -> CloudSide:
        """The cloud's side of one note."""
        seen = self.baseline.entry(note_id).seen
        reason = self.broken.get(seen.revision) if isinstance(seen, InCloud) else None
        return BrokenInCloud(seen, reason) if isinstance(seen, InCloud) and reason else seen


@dataclass(frozen=True, slots=True)
class ScopePlan:
    """What a pass does.

    `decisions` are those that lead to work, in the order to do them in: what removes comes first, so that a note
    whose id changes in letter case never meets its old file. `held_back` are reported, with the reason.
    `settled_conflicts` are open no more; `dead_intents` are deletions whose note has its file. `history` is the
    next pass's. `found_nothing`: baseline and files alone, whatever else is the case, gave nothing to decide.
    """

    decisions: Mapping[str, Decision]
    held_back: Mapping[str, str]
    still_in_conflict: frozenset[str]
    settled_conflicts: frozenset[str]
    dead_intents: frozenset[str]
    history: FolderHistory
    found_nothing: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do; open conflicts and notes held back are nothing to do."""
        return not (self.decisions or self.settled_conflicts or self.dead_intents)


def plan_scope(view: ScopeView) -> ScopePlan | Paused:
    """The decision for every note that needs one, or the first question that is open.

    Source: decisions, "Sync on the client"; specification "Storage and reconciliation".
    """
    strangers = _strangers(view)
    if strangers and answer_to(strangers, view.confirmed) is None:
        return strangers

    decisions = dict(_decisions(view))
    found_nothing = view.is_plain and not decisions
    missing = {note_id: d for note_id, d in decisions.items() if isinstance(d, Vanished)}
    returned = set(_returned(view)) if head_moved(view.history, view.folder) else set()
    outside = _judge_outside(view, missing, returned)
    answered = isinstance(outside, Paused)
    if isinstance(outside, Paused):
        choice = answer_to(outside, view.confirmed)
        if choice is None:
            return outside
        decisions |= _answered_missing(view, missing, choice) | _answered_returned(view, returned, choice)
        outside = _NO_VERDICT
    else:
        decisions |= _judged_missing(missing, outside)

    removals = _removals(view, decisions)
    if removals:
        choice = answer_to(removals, view.confirmed)
        if choice is None:
            return removals
        if choice is Choice.RESTORE:
            decisions |= {note_id: _bring_back(view.cloud(note_id)) for note_id in removals.note_ids}

    decisions |= _refused(view, decisions)
    decisions |= _case_collisions(view, decisions)
    history = after_pass(view.history, view.folder, outside, answered=answered, now_ms=view.now_ms)
    return replace(_as_plan(view, decisions, history), found_nothing=found_nothing)


_NO_VERDICT = MissingVerdict(frozenset(), frozenset())


# --- decisions one by one


def _decisions(view: ScopeView) -> Iterator[tuple[str, Decision]]:
    """Every decision that is not to do nothing; notes that are as agreed cost one comparison."""
    if view.in_step and view.is_plain:
        return
    files, entries = view.files, view.baseline.entries
    for note_id, entry in entries.items():
        agreed, seen, file = entry.agreed, entry.seen, files.get(note_id)
        if type(agreed) is AgreedOn and type(seen) is InCloud and type(file) is Here:
            version = agreed.version
            if seen.revision == version.revision and file.hash == version.hash:
                continue
        yield from _decision(view, note_id)
    for note_id in files:
        if note_id not in entries:
            yield from _decision(view, note_id)
    for note_id in view.deletions:
        if note_id not in entries and note_id not in files:
            yield from _decision(view, note_id)


def _decision(view: ScopeView, note_id: str) -> Iterator[tuple[str, Decision]]:
    agreed = view.baseline.entry(note_id).agreed
    decision = decide(agreed, view.local(note_id), view.cloud(note_id), view.conflicts.get(note_id))
    if decision != NOTHING:
        yield note_id, decision


# --- questions


def _strangers(view: ScopeView) -> Paused | None:
    if view.history.met:
        return None
    known = [
        note_id for note_id, entry in view.baseline.entries.items() if isinstance(entry.seen, InCloud | DeletedInCloud)
    ]
    return judge_first_sync(view.files.keys(), known, view.history)


def _judge_outside(view: ScopeView, missing: Mapping[str, Vanished], returned: set[str]) -> Paused | MissingVerdict:
    """What changes from outside mean; after git moved HEAD, one question about all of them."""
    quiet = not missing and view.folder.state is FolderState.THERE
    synced = 0 if quiet else _synced(view, missing)
    verdict = judge_missing(missing, synced, view.history, view.folder, view.now_ms)
    if isinstance(verdict, Paused) and verdict.reason is PauseReason.HEAD_MOVED:
        return replace(verdict, note_ids=tuple(sorted({*verdict.note_ids, *returned})))
    if isinstance(verdict, Paused):
        return verdict
    return judge_returned(returned, view.history, view.folder) or verdict


def _synced(view: ScopeView, missing: Mapping[str, Vanished]) -> int:
    """How many notes in sync there are to go missing: one that comes down again, or is gone there too, is none."""
    if view.folder.state is not FolderState.THERE:
        return sum(isinstance(entry.agreed, AgreedOn) for entry in view.baseline.entries.values())
    return sum(
        isinstance(entry.agreed, AgreedOn)
        and (note_id in view.files or note_id in missing or note_id in view.deletions)
        for note_id, entry in view.baseline.entries.items()
    )


def _returned(view: ScopeView) -> Iterator[str]:
    """Notes that are here again although they were deleted, or that say what they said before they were changed."""
    for note_id, file in view.files.items():
        if not isinstance(file, Here) or file.made_on_purpose:
            continue
        entry = view.baseline.entry(note_id)
        match entry.agreed:
            case AgreedOn(version, older) if file.hash != version.hash:
                if any(known.hash == file.hash for known in older):
                    yield note_id
            case NothingAgreed() if isinstance(entry.seen, DeletedInCloud):
                yield note_id


def _removals(view: ScopeView, decisions: Mapping[str, Decision]) -> Paused | None:
    removed = {note_id: d for note_id, d in decisions.items() if isinstance(d, DeleteHere)}
    if not removed:
        return None
    old_copies = sum(d.ground is DeletionGround.OLD_COPY for d in removed.values())
    unchanged = sum(
        isinstance(file, Here)
        and isinstance(agreed := view.baseline.entry(note_id).agreed, AgreedOn)
        and file.hash == agreed.version.hash
        for note_id, file in view.files.items()
    )
    return judge_removals(removed, unchanged + old_copies)


# --- answers


def _judged_missing(missing: Mapping[str, Vanished], verdict: MissingVerdict) -> dict[str, Decision]:
    return {
        note_id: DeleteInCloud(decision.version) if note_id in verdict.deleted else HoldBack(HoldReason.MISSING)
        for note_id, decision in missing.items()
    }


def _answered_missing(view: ScopeView, missing: Mapping[str, Vanished], choice: Choice) -> dict[str, Decision]:
    if choice is Choice.DELETE:
        return {note_id: DeleteInCloud(decision.version) for note_id, decision in missing.items()}
    restored: dict[str, Decision] = {}
    for note_id in missing:
        cloud = view.cloud(note_id)
        restored[note_id] = Download(cloud) if isinstance(cloud, InCloud) else HoldBack(HoldReason.CHECKSUM)
    return restored


def _answered_returned(view: ScopeView, returned: set[str], choice: Choice) -> dict[str, Decision]:
    """To delete leaves deletions as they are, to mix takes the texts that are here; else the synced text comes back."""
    decisions: dict[str, Decision] = {}
    for note_id in returned:
        cloud = view.cloud(note_id)
        match cloud:
            case InCloud() if choice is not Choice.MIX:
                decisions[note_id] = Download(cloud)
            case DeletedInCloud() if choice is Choice.DELETE:
                decisions[note_id] = DeleteHere(DeletionGround.TOMBSTONE)
            case DeletedInCloud():
                decisions[note_id] = _bring_back(cloud)
            case InCloud() | NotInCloud() | PurgedFromCloud() | BrokenInCloud():
                pass
            case _:
                assert_never(cloud)
    return decisions


def _bring_back(cloud: CloudSide) -> Decision:
    return Upload(cloud.version if isinstance(cloud, DeletedInCloud) else None, fresh=True)


# --- what is held back


def _refused(view: ScopeView, decisions: Mapping[str, Decision]) -> dict[str, Decision]:
    held: dict[str, Decision] = {}
    for note_id, refusal in view.refusals.items():
        file = view.files.get(note_id)
        refused = isinstance(file, Here) and file.hash == refusal.hash
        if refused and isinstance(decisions.get(note_id), Upload):
            held[note_id] = HoldBack(refusal.code)
    return held


def _case_collisions(view: ScopeView, decisions: Mapping[str, Decision]) -> dict[str, Decision]:
    """Notes that would stand beside one whose id differs in letter case alone, here or in the cloud.

    What the same plan removes is no obstacle, since removals come first.
    """
    new_here = [n for n, d in decisions.items() if isinstance(d, Download) and n not in view.files]
    new_there = [
        n
        for n, d in decisions.items()
        if isinstance(d, Upload) and not isinstance(view.baseline.entry(n).seen, InCloud)
    ]
    held: dict[str, Decision] = {}
    if new_here:
        stay = (n for n in view.files if not isinstance(decisions.get(n), DeleteHere))
        held |= _colliding(new_here, stay)
    if new_there:
        live = (n for n, entry in view.baseline.entries.items() if isinstance(entry.seen, InCloud))
        stay = (n for n in live if not isinstance(decisions.get(n), DeleteInCloud))
        held |= _colliding(new_there, stay)
    return held


def _colliding(new: Iterable[str], present: Iterable[str]) -> dict[str, Decision]:
    by_folded = {note_id.lower(): note_id for note_id in present}
    return {
        note_id: HoldBack(HoldReason.CASE_COLLISION)
        for note_id in sorted(new)
        if by_folded.setdefault(note_id.lower(), note_id) != note_id
    }


# --- the whole


def _as_plan(view: ScopeView, decisions: Mapping[str, Decision], history: FolderHistory) -> ScopePlan:
    work = {n: d for n, d in decisions.items() if not isinstance(d, HoldBack | StillInConflict)}
    removing: dict[str, Decision] = {n: d for n, d in work.items() if isinstance(d, DeleteHere | DeleteInCloud)}
    still = frozenset(n for n, d in decisions.items() if isinstance(d, StillInConflict))
    held_back = {n: d.reason for n, d in decisions.items() if isinstance(d, HoldBack)}
    return ScopePlan(
        decisions=removing | work,
        held_back=held_back,
        still_in_conflict=still,
        settled_conflicts=frozenset(view.conflicts) - still - frozenset(held_back),
        dead_intents=frozenset(view.deletions) & frozenset(view.files),
        history=history,
    )
