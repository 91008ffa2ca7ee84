"""What lies on the desk during a pass: the directory's state as last kept, and what was learned since.

Everything here that touches a file is blocking and runs in a thread.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from oharness.core.errors import Failed, WaitsForPerson
from oharness.disk.note_dir import NoteFile
from oharness.disk.sync_shapes import Guard, KnownFile, LastPull, Progress
from oharness.notes.frontmatter import note_file_name
from oharness.notes.note import Note
from oharness.protocol.quotas import Standing
from oharness.reconcile.baseline import AgreedOn, Baseline, InCloud, Version, inherited, known_versions
from oharness.reconcile.conflict import Conflict
from oharness.reconcile.decide import NOT_HERE, Decision, DeletedHere, Download, Here, HoldBack
from oharness.reconcile.guards import Paused
from oharness.reconcile.plan import Refusal, ScopePlan, ScopeView, plan_scope
from oharness.reconcile.split import PART_BYTES
from oharness.reconcile.work import Bodies, NoteWork, needs, note_work
from oharness.sync.apply import apply_works
from oharness.sync.directory import Directory
from oharness.sync.folder_look import folder_now, look_at_folder
from oharness.sync.last_look import FolderLook
from oharness.sync.report import PassReport
from oharness.sync.undisturbed import undisturbed


@dataclass(eq=False)
class AccountChanged(WaitsForPerson):
    """The scope belongs to `pinned` and the service answers for `present`; nothing is read or applied."""

    scope: str
    pinned: str
    present: str


@dataclass(eq=False)
class CountsDiffer(Failed):
    """What the service lists and what it says it holds are not the same; nothing of it is applied (P-24)."""

    scope: str
    version: int


def _told_nobody(done: int, total: int) -> None:
    """Nobody watches."""


@dataclass(slots=True)
class Desk:
    """One pass over one directory.

    `kept_baseline` is the one that lies on disk. `bodies` came with the listing, by revision; `broken` are revisions
    whose bodies cannot be had or kept. `refused_now` are uploads that this pass saw refused.
    `tell` is called with notes done and notes to do.
    """

    directory: Directory
    user_id: str
    baseline: Baseline
    guard: Guard
    progress: Progress
    known: dict[str, KnownFile]
    conflicts: dict[str, Conflict]
    look: FolderLook
    report: PassReport
    kept_baseline: Baseline | None
    bodies: dict[str, Note] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    missing_once: set[str] = field(default_factory=set)
    refused_now: Mapping[str, Refusal] = field(default_factory=dict)
    view: ScopeView | None = None
    standing: Standing | None = None
    part_bytes: int = PART_BYTES
    tell: Callable[[int, int], None] = _told_nobody

    def take(self, standing: Standing) -> Standing:
        """The standing of an answer, which has to be the pinned account's (P-3).

        Raises: AccountChanged.
        """
        if standing.user_id != self.user_id:
            raise AccountChanged(self.directory.scope.key, self.user_id, standing.user_id)
        self.standing = self.report.standing = standing
        return standing

    @property
    def max_body_bytes(self) -> int:
        """What the body of a merged note may have, here and there."""
        limits = [self.directory.folder.max_note_bytes]
        if self.standing:
            limits.append(self.standing.quota.max_body_bytes)
            if self.standing.plan.limits:
                limits.append(self.standing.plan.limits.max_body_bytes)
        return min(limits)

    @property
    def ground(self) -> str:
        """What refusals of uploads rest on: limits and the number of notes (P-36)."""
        if not self.standing:
            return ""
        quota, limits = self.standing.quota, self.standing.plan.limits
        of_plan = f"{limits.max_notes}/{limits.max_body_bytes}" if limits else "none"
        return f"{quota.max_notes}/{quota.max_body_bytes} {of_plan} {self.baseline.check.count}"


def open_desk(directory: Directory, user_id: str) -> Desk:
    """The desk at the beginning of a pass; the caller holds the pass lock.

    Raises: StateFromNewerVersion, StorageFailed, DirectoryRedirected, BrokenFile.
    """
    known = directory.state.known_files()
    look = _look(directory, known)
    kept = directory.state.baseline()
    return Desk(
        directory=directory,
        user_id=user_id,
        baseline=kept or _first_baseline(directory, look),
        guard=directory.state.guard(),
        progress=directory.state.progress(),
        known=known,
        conflicts=directory.state.conflicts(),
        look=look,
        report=PassReport(directory.scope, files_opened=look.opened),
        kept_baseline=kept,
    )


def keep_baseline(desk: Desk) -> None:
    """Keeps the baseline if it is another one than was kept last.

    Raises: StorageFailed.
    """
    if desk.baseline is not desk.kept_baseline:
        desk.directory.state.save_baseline(desk.baseline)
        desk.kept_baseline = desk.baseline


def _first_baseline(directory: Directory, look: FolderLook) -> Baseline:
    """A new replica's: what another folder of the scope agreed on and this one holds unchanged, else nothing."""
    device = directory.randomness.uuid()
    others = directory.state.other_baselines()
    if not others:
        return Baseline(device)
    here = {note_id: side.hash for note_id, side in look.files.items() if isinstance(side, Here)}
    baseline = inherited(device, max(others, key=lambda other: other.version), here)
    read = read_files(directory, baseline.entries)
    directory.state.copies.save({here[note_id]: file.note for note_id, file in read.items()})
    return baseline


def look_again(desk: Desk) -> None:
    """Looks at the directory anew; opens only files that changed.

    Raises: StorageFailed, DirectoryRedirected, BrokenFile, FolderBusy.
    """
    directory = desk.directory
    _let_go_of_marks(desk)
    known = desk.look.known or desk.known
    desk.look = _look(directory, known)
    desk.report.files_opened += desk.look.opened


def _look(directory: Directory, known: Mapping[str, KnownFile]) -> FolderLook:
    marks = directory.marks.all()
    return look_at_folder(directory.folder, directory.last_look, known, marks, directory.max_notes)


def is_in_sync(desk: Desk, note_id: str) -> bool:
    """Whether directory and cloud say what they agreed on, as far as both were looked at."""
    entry, side = desk.baseline.entry(note_id), desk.look.files.get(note_id)
    return (
        isinstance(entry.agreed, AgreedOn)
        and isinstance(entry.seen, InCloud)
        and isinstance(side, Here)
        and entry.seen.version == entry.agreed.version
        and side.hash == entry.agreed.version.hash
    )


def _let_go_of_marks(desk: Desk) -> None:
    """Whoever brought a note back that is in sync now has what they wanted; the next deletion is about that note."""
    marked = desk.directory.last_look.marks
    desk.directory.marks.drop([note_id for note_id in marked if is_in_sync(desk, note_id)])


def plan(desk: Desk) -> ScopePlan | Paused:
    """What to do, or the question that comes first.

    Raises: StorageFailed, BrokenFile.
    """
    desk.view = _view(desk)
    with undisturbed():
        planned = plan_scope(desk.view)
    if isinstance(planned, ScopePlan) and planned.found_nothing:
        desk.directory.last_look.keep_in_step(desk.view.files, desk.view.baseline.entries)
    return planned


def _view(desk: Desk) -> ScopeView:
    directory = desk.directory
    folder, desk.guard = folder_now(directory, desk.look.state, desk.guard)
    intents = {one.note_id: DeletedHere(one.hash, one.revision, one.purge) for one in directory.intents.all()}
    return ScopeView(
        baseline=desk.baseline,
        files=desk.look.files,
        now_ms=directory.clock.now_ms(),
        folder=folder,
        history=desk.guard.history,
        deletions=intents,
        conflicts={note_id: conflict.opened() for note_id, conflict in desk.conflicts.items()},
        broken=desk.broken,
        refusals=desk.progress.refusals if desk.progress.refusal_ground == desk.ground else {},
        confirmed=desk.guard.confirmed,
        in_step=directory.last_look.is_in_step(desk.look.files, desk.baseline.entries),
    )


def begin(desk: Desk, planned: ScopePlan) -> None:
    """Keeps what the plan settles before any note is touched.

    Raises: StorageFailed, BrokenFile, FolderBusy.
    """
    state = desk.directory.state
    if not _is_same_place(desk.baseline, desk.kept_baseline) and not _is_kept_at_once(desk, planned):
        keep_baseline(desk)
    guard = replace(desk.guard, history=planned.history)
    if guard != desk.guard:
        state.save_guard(guard)
        desk.guard = guard
    if planned.settled_conflicts:
        state.close_conflicts(planned.settled_conflicts)
        for note_id in planned.settled_conflicts:
            desk.conflicts.pop(note_id, None)
    if planned.dead_intents:
        desk.directory.intents.drop(planned.dead_intents)


def _is_same_place(baseline: Baseline, kept: Baseline | None) -> bool:
    """Whether what was kept is of the same device and epoch: then what was seen since can wait for what is done."""
    return kept is not None and (kept.device, kept.epoch) == (baseline.device, baseline.epoch)


def _is_kept_at_once(desk: Desk, planned: ScopePlan) -> bool:
    """Whether a first baseline is kept with the very notes that this pass brings down, which all are at hand.

    Until then it says nothing that the next listing would not say again.
    """
    downloads = [decision for decision in planned.decisions.values() if isinstance(decision, Download)]
    all_are = len(downloads) == len(planned.decisions) and len(downloads) > 0
    return desk.kept_baseline is None and all_are and all(d.cloud.revision in desk.bodies for d in downloads)


def carry_out(desk: Desk, decisions: Mapping[str, Decision]) -> list[NoteWork]:
    """Carries out a batch of decisions whose bodies are at hand; gives the works that were done.

    Raises: BackupFailed, StorageFailed, FolderBusy, DirectoryRedirected, BrokenFile.
    """
    present = desk.view.files if desk.view else desk.look.files
    read = read_files(desk.directory, [n for n, d in decisions.items() if n in present and needs(d, None).mine])
    with undisturbed():
        works = works_for(desk, decisions, read)
        applied = apply_works(desk.directory, desk.baseline, works, read)
    if applied.baseline is not desk.baseline:  # it was kept with the batch
        desk.baseline = desk.kept_baseline = applied.baseline
    desk.report.held_back |= applied.held
    for work in applied.done:
        if work.conflict:
            desk.conflicts[work.id] = work.conflict
    return list(applied.done)


def works_for(desk: Desk, decisions: Mapping[str, Decision], read: Mapping[str, NoteFile]) -> list[NoteWork]:
    """The steps of decisions; those held back at the last moment are reported and left out.

    Raises: StorageFailed.
    """
    wanted = {note_id: needs(decision, _agreed(desk, note_id)) for note_id, decision in decisions.items()}
    copies = desk.directory.state.copies.find({want.base_hash for want in wanted.values() if want.base_hash})
    max_body_bytes, now_ms = desk.max_body_bytes, desk.directory.clock.now_ms()
    works: list[NoteWork] = []
    for note_id, want in wanted.items():
        bodies = Bodies(
            mine=read[note_id].note if note_id in read else None,
            cloud=desk.bodies.get(want.cloud.revision) if want.cloud else None,
            base=copies.get(want.base_hash) if want.base_hash else None,
        )
        local = desk.view.local(note_id) if desk.view else NOT_HERE
        entry = desk.baseline.entry(note_id)
        works.append(note_work(note_id, decisions[note_id], local, entry, bodies, max_body_bytes, now_ms))
    held = {work.id: work.decision.reason for work in works if isinstance(work.decision, HoldBack)}
    desk.report.held_back |= held
    return [work for work in works if work.id not in held]


def read_files(directory: Directory, note_ids: Iterable[str]) -> dict[str, NoteFile]:
    """The files of notes as they are now; those that are not there, or no notes, are left out."""
    found = {note_id: directory.folder.read(note_file_name(note_id)) for note_id in note_ids}
    return {note_id: file for note_id, file in found.items() if isinstance(file, NoteFile)}


def _agreed(desk: Desk, note_id: str) -> Version | None:
    agreed = desk.baseline.entry(note_id).agreed
    return agreed.version if isinstance(agreed, AgreedOn) else None


def close_desk(desk: Desk) -> None:
    """Keeps what the pass learned, once it went through.

    Raises: StorageFailed, BrokenFile, FolderBusy.
    """
    directory, report = desk.directory, desk.report
    keep_baseline(desk)
    _let_go_of_marks(desk)
    guard = replace(desk.guard, paused=report.paused, confirmed=desk.guard.confirmed if report.paused else ())
    if guard != directory.state.guard():
        directory.state.save_guard(guard)
    if desk.look.known != desk.known:
        directory.state.save_known_files(desk.look.known)
    if not report.changed_nothing and directory.state.copies.are_many():
        directory.state.copies.tidy(_hashes_in_use(desk.baseline))
    now_ms = directory.clock.now_ms()
    plan = desk.standing.plan if desk.standing else None
    pulled = bool(report.added or report.changed or report.removed)
    pull = LastPull(tuple(report.added), tuple(report.changed), tuple(report.removed), now_ms)
    directory.state.save_progress(
        replace(
            desk.progress,
            last_synced=desk.progress.last_synced if report.paused else now_ms,
            error="",
            error_at=None,
            pull=pull if pulled else desk.progress.pull,
            held_back=dict(report.held_back),
            plan=plan.name if plan else desk.progress.plan,
            paid=plan.paid if plan else desk.progress.paid,
            max_notes=plan.limits.max_notes if plan and plan.limits else None,
            max_body_bytes=plan.limits.max_body_bytes if plan and plan.limits else None,
        )
    )


def _hashes_in_use(baseline: Baseline) -> set[str]:
    return {version.hash for entry in baseline.entries.values() for version in known_versions(entry.agreed)[:1]}
