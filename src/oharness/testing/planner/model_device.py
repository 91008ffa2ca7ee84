"""A device in memory that carries out plans in the order of the real one: backup, file, baseline, cloud."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from oharness.core.clock import Millis
from oharness.notes.note import Note
from oharness.reconcile.baseline import (
    NOT_IN_CLOUD,
    AgreedOn,
    Baseline,
    Entry,
    after_delete,
    after_listing,
    after_put,
    after_reset,
    agree,
    forget,
    was_reset,
    with_entries,
)
from oharness.reconcile.conflict import Answer, Conflict, resolve
from oharness.reconcile.decide import (
    NOT_HERE,
    Decision,
    DeletedHere,
    DeleteHere,
    DeletionGround,
    Here,
    HoldBack,
    HoldReason,
    LocalSide,
    NotHere,
)
from oharness.reconcile.guards import Confirmed, FolderHistory, Paused
from oharness.reconcile.plan import FileSide, ScopePlan, ScopeView, plan_scope
from oharness.reconcile.split import split_changes
from oharness.reconcile.work import (
    Bodies,
    CloudChange,
    DeleteNote,
    NoteWork,
    PutNote,
    RemoveFile,
    WriteFile,
    needs,
    note_work,
)
from oharness.testing.planner.hashes import content_hash
from oharness.testing.planner.model_cloud import (
    CaseCollision,
    DeleteAccepted,
    Mismatch,
    ModelCloud,
    Outcome,
    PutAccepted,
    StaleDeleted,
)

Planner: TypeAlias = Callable[[ScopeView], ScopePlan | Paused]
Asked: TypeAlias = Callable[[Paused], Confirmed]
NOW = Millis(1_800_000_000_000)
ROOMY = 131_072
CHANGES_IN_A_PART = 3


class PlanNotCarriedOut(AssertionError):
    """A step did not find what the plan said it would."""


@dataclass(slots=True)
class ModelDevice:
    """One directory with its sync state.

    `files` are notes, or what the planner is told of files that give no note. `backups` are all versions ever set
    aside, `sent` the ids of all changes sent, `touched` counts files written or removed by sync.
    """

    planner: Planner = plan_scope
    files: dict[str, Note | FileSide] = field(default_factory=dict)
    made_on_purpose: set[str] = field(default_factory=set)
    baseline: Baseline = field(default_factory=lambda: Baseline("device"))
    copies: dict[str, Note] = field(default_factory=dict)
    intents: dict[str, DeletedHere] = field(default_factory=dict)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    history: FolderHistory = field(default_factory=lambda: FolderHistory(met=True))
    backups: list[Note] = field(default_factory=list)
    held_back: dict[str, str] = field(default_factory=dict)
    sent: list[str] = field(default_factory=list)
    touched: int = 0

    def forget(self, note_id: str) -> None:
        """A person deletes a note through the product: backup, intent, file."""
        note = self.files.pop(note_id)
        if isinstance(note, Note):
            self.backups.append(note)
            self.intents[note_id] = DeletedHere(content_hash(note))

    def side(self, note_id: str) -> LocalSide:
        """What the planner is told of this machine's side."""
        file = self.files.get(note_id)
        if isinstance(file, Note):
            return Here(content_hash(file), note_id in self.made_on_purpose)
        return file or self.intents.get(note_id) or NOT_HERE

    def view(self, cloud: ModelCloud, confirmed: tuple[Confirmed, ...]) -> ScopeView:
        """Everything the planner is given."""
        sides = {note_id: self.side(note_id) for note_id in self.files}
        return ScopeView(
            baseline=self.baseline,
            files={n: side for n, side in sides.items() if not isinstance(side, NotHere | DeletedHere)},
            now_ms=NOW,
            history=self.history,
            deletions=self.intents,
            conflicts={note_id: conflict.opened() for note_id, conflict in self.conflicts.items()},
            broken={one.revision: "checksum" for n, one in cloud.live.items() if n in cloud.unreadable},
            confirmed=confirmed,
        )

    def sync(self, cloud: ModelCloud, asked: Asked) -> bool:
        """One pass; gives whether anything was done, or is left for the next one."""
        self._record_listing(cloud)
        plan = self._plan(cloud, asked)
        self.history = plan.history
        self.held_back = dict(plan.held_back)
        for note_id in plan.settled_conflicts:
            del self.conflicts[note_id]
        for note_id in plan.dead_intents:
            del self.intents[note_id]
        works = [self._carry_out(cloud, note_id, decision) for note_id, decision in plan.decisions.items()]
        deletes = [work.change for work in works if isinstance(work.change, DeleteNote)]
        puts = [work.change for work in works if isinstance(work.change, PutNote)]
        for part in split_changes(deletes, puts, CHANGES_IN_A_PART):
            self._commit(cloud, part)
        waiting = HoldReason.MISSING in self.held_back.values()
        done = any(not isinstance(work.decision, HoldBack) for work in works)
        return bool(waiting or done or plan.settled_conflicts or plan.dead_intents)

    def answer(self, note_id: str, answer: Answer) -> None:
        """A person answers a conflict."""
        outcome = resolve(self.conflicts.pop(note_id), answer)
        self.backups += outcome.set_aside
        for note in outcome.writes:
            self.files[note.id] = note
        if outcome.removes_mine:
            del self.files[note_id]
        self.made_on_purpose.update(outcome.made_on_purpose)
        if outcome.base_copy:
            self.copies[content_hash(outcome.base_copy)] = outcome.base_copy
        entry = self.baseline.entry(note_id)
        entry = agree(entry, outcome.derived_from) if outcome.derived_from else forget(entry)
        self.baseline = with_entries(self.baseline, {note_id: entry})

    def _record_listing(self, cloud: ModelCloud) -> None:
        listing = cloud.listing(self.baseline.epoch, self.baseline.version)
        if was_reset(self.baseline, listing):
            self.baseline = after_reset(self.baseline, self.files.keys())
            listing = cloud.listing("", 0)
        self.baseline = after_listing(self.baseline, listing)
        if (self.baseline.check.count, self.baseline.check.hex) != cloud.check():
            self.baseline = after_listing(self.baseline, cloud.listing("", 0))

    def _plan(self, cloud: ModelCloud, asked: Asked) -> ScopePlan:
        confirmed: tuple[Confirmed, ...] = ()
        while isinstance(plan := self.planner(self.view(cloud, confirmed)), Paused):
            confirmed = (*confirmed, asked(plan))
        return plan

    def _carry_out(self, cloud: ModelCloud, note_id: str, decision: Decision) -> NoteWork:
        work = self._work(cloud, note_id, decision)
        if isinstance(work.decision, HoldBack):
            self.held_back[note_id] = work.decision.reason
        self.backups += [aside.note for aside in work.set_aside]
        match work.file:
            case WriteFile(note, over):
                self._touch(note_id, over)
                self.files[note_id] = note
            case RemoveFile(over):
                self._touch(note_id, over)
                del self.files[note_id]
            case None:
                pass
            case _:
                assert_never(work.file)
        if work.copy:
            self.copies[content_hash(work.copy)] = work.copy
        if work.entry:
            self.baseline = with_entries(self.baseline, {note_id: work.entry})
            if isinstance(work.entry.agreed, AgreedOn):
                self.made_on_purpose.discard(note_id)
        if work.conflict:
            self.conflicts[note_id] = work.conflict
        if work.intent_done:
            self.intents.pop(note_id)
        return work

    def _work(self, cloud: ModelCloud, note_id: str, decision: Decision) -> NoteWork:
        entry = self.baseline.entry(note_id)
        agreed = entry.agreed.version if isinstance(entry.agreed, AgreedOn) else None
        wanted = needs(decision, agreed)
        mine = self.files.get(note_id)
        bodies = Bodies(
            mine=mine if isinstance(mine, Note) and wanted.mine else None,
            cloud=cloud.body(note_id, wanted.cloud.revision) if wanted.cloud else None,
            base=self.copies.get(wanted.base_hash) if wanted.base_hash else None,
        )
        return note_work(note_id, decision, self.side(note_id), entry, bodies, ROOMY, NOW)

    def _touch(self, note_id: str, over: LocalSide) -> None:
        if self.side(note_id) != over:
            raise PlanNotCarriedOut(f"{note_id} is {self.side(note_id)} and not {over}")
        self.touched += 1
        self.made_on_purpose.discard(note_id)

    def _commit(self, cloud: ModelCloud, part: tuple[CloudChange, ...]) -> None:
        before = cloud.version
        for change, outcome in zip(part, cloud.commit(part), strict=True):
            self.sent.append(change.id)
            entry = self._recorded(change, outcome)
            self.baseline = with_entries(self.baseline, {change.id: entry})
            if isinstance(outcome, StaleDeleted):
                self._carry_out(cloud, change.id, DeleteHere(DeletionGround.OLD_COPY))
        if before == self.baseline.version:
            self.baseline = replace(self.baseline, version=cloud.version, epoch=cloud.epoch)

    def _recorded(self, change: CloudChange, outcome: Outcome) -> Entry:
        entry = self.baseline.entry(change.id)
        match outcome:
            case PutAccepted(accepted):
                if isinstance(change, PutNote):
                    self.copies[change.hash] = change.note
                self.made_on_purpose.discard(change.id)
                return after_put(entry, accepted)
            case DeleteAccepted(accepted):
                self.intents.pop(change.id, None)
                return after_delete(entry, accepted) if accepted else forget(replace(entry, seen=NOT_IN_CLOUD))
            case Mismatch(current) | StaleDeleted(current):
                return replace(entry, seen=current or NOT_IN_CLOUD)
            case CaseCollision():
                self.held_back[change.id] = "id_case_collision"
                return entry
            case _:
                assert_never(outcome)
