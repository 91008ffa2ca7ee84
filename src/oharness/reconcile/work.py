"""One decision and the bodies it needs to the steps that carry it out: backups, file, baseline, cloud.

The steps of one note are done in that order. A merge leaves a state whose plan is a plain upload, so that a pass
cut short after any step is finished by the next one. No I/O.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, assert_never

from oharness.core.clock import Millis
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.reconcile.baseline import Entry, InCloud, Version, agree, forget
from oharness.reconcile.conflict import CloudVersion, Conflict
from oharness.reconcile.decide import (
    Adopt,
    Decision,
    DeletedHere,
    DeleteHere,
    DeleteInCloud,
    Download,
    Forget,
    Here,
    HoldBack,
    HoldConflict,
    HoldReason,
    LocalSide,
    Merge,
    NotADownload,
    Nothing,
    Refetch,
    RestoreCopy,
    StillInConflict,
    Upload,
    Vanished,
)
from oharness.reconcile.merge_note import CannotMerge, ConflictReason, merge_note


class SetAsideReason(StrEnum):
    """Why a pass backs up a version, in the words of `memory backups`."""

    PULL = "pull"
    MERGE = "merge"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class SetAside:
    """A version to back up before anything else is done."""

    note: Note
    reason: SetAsideReason


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Write this note over exactly what the plan saw under its id."""

    note: Note
    over: LocalSide


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """Remove the note's file if it still is what the plan saw."""

    over: LocalSide


FileStep: TypeAlias = WriteFile | RemoveFile


@dataclass(frozen=True, slots=True)
class PutNote:
    """Send this content, derived from `base`."""

    note: Note
    hash: str
    base: Version | None
    fresh: bool = False

    @property
    def id(self) -> str:
        """The note's id."""
        return self.note.id


@dataclass(frozen=True, slots=True)
class DeleteNote:
    """Delete the note whose current version is `base`."""

    id: str
    base: Version
    purge: bool = False


CloudChange: TypeAlias = PutNote | DeleteNote


@dataclass(frozen=True, slots=True)
class NoteWork:
    """Everything to do for one note, in the order of the fields.

    `copy` is kept as last synced before `entry` names it; `entry` is the baseline's once the file is done, None
    where it stays. `conflict` is opened. `intent_done`: the deletion somebody asked for is carried out, or an
    edit beat it. `change` goes up, and the baseline follows when the service accepted it.
    """

    id: str
    decision: Decision
    set_aside: tuple[SetAside, ...] = ()
    file: FileStep | None = None
    copy: Note | None = None
    entry: Entry | None = None
    conflict: Conflict | None = None
    intent_done: bool = False
    change: CloudChange | None = None


@dataclass(frozen=True, slots=True)
class Bodies:
    """The versions of one note that a decision needs; None where it needs none, or none can be had."""

    mine: Note | None = None
    cloud: Note | None = None
    base: Note | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """Which bodies a decision needs: this machine's, the cloud's at a version, a copy as last synced by hash."""

    mine: bool = False
    cloud: InCloud | None = None
    base_hash: str | None = None


def needs(decision: Decision, agreed: Version | None) -> Needs:
    """Which bodies have to be at hand before the decision can be carried out.

    `agreed` is the version in sync, whose copy a conflict shows beside the two others.
    """
    match decision:
        case Download(cloud):
            return Needs(mine=True, cloud=cloud)
        case Adopt() | Upload() | DeleteHere():
            return _MINE_ONLY
        case Refetch(cloud):
            return Needs(cloud=cloud)
        case RestoreCopy(copy_hash):
            return Needs(base_hash=copy_hash)
        case Merge(base, cloud):
            return Needs(mine=True, cloud=cloud, base_hash=base.hash)
        case HoldConflict(_, cloud):
            return Needs(mine=True, cloud=cloud, base_hash=agreed.hash if agreed else None)
        case Nothing() | Forget() | StillInConflict() | DeleteInCloud() | Vanished() | HoldBack():
            return _NOTHING
        case _:
            assert_never(decision)


_MINE_ONLY = Needs(mine=True)
_NOTHING = Needs()


def cloud_needed(decision: Decision) -> InCloud | None:
    """The `cloud` of `needs`, for thousands of decisions."""
    return decision.cloud if isinstance(decision, Download | Refetch | Merge | HoldConflict) else None


def note_work(
    note_id: str,
    decision: Decision,
    local: LocalSide,
    entry: Entry,
    bodies: Bodies,
    max_body_bytes: int,
    now_ms: Millis,
) -> NoteWork:
    """The steps that carry out one decision; a note whose bodies are not there any more is held back.

    Units: `max_body_bytes` is what a merged body may have, by the settings, the quota and the plan.
    """
    if isinstance(local, Here) and needs(decision, None).mine and not _is(bodies.mine, local.hash):
        return NoteWork(note_id, HoldBack(HoldReason.CHANGED))
    cloud = cloud_needed(decision)
    if cloud and not _is(bodies.cloud, cloud.hash):
        return NoteWork(note_id, HoldBack(HoldReason.CHECKSUM))
    if isinstance(decision, Download | Refetch):
        return _downloaded(note_id, decision, local, entry, bodies)
    return _Desk(note_id, decision, local, entry, bodies, max_body_bytes, now_ms).work()


def _is(note: Note | None, content: str) -> bool:
    return note is not None and content_hash(note) == content


def _downloaded(note_id: str, decision: Download | Refetch, local: LocalSide, entry: Entry, bodies: Bodies) -> NoteWork:
    note = _present(bodies.cloud)
    return NoteWork(
        note_id,
        decision,
        set_aside=(SetAside(bodies.mine, SetAsideReason.PULL),) if bodies.mine else (),
        file=WriteFile(note, local),
        copy=note,
        entry=agree(entry, decision.cloud.version),
        intent_done=isinstance(local, DeletedHere),
    )


@dataclass(frozen=True, slots=True)
class _Desk:
    """One note with everything known about it, when it is not just the cloud's that comes down."""

    id: str
    decision: NotADownload
    local: LocalSide
    entry: Entry
    bodies: Bodies
    max_body_bytes: int
    now_ms: Millis

    def work(self) -> NoteWork:
        decision = self.decision
        match decision:
            case Adopt(version):
                return NoteWork(self.id, decision, copy=self.bodies.mine, entry=agree(self.entry, version))
            case Forget():
                done = isinstance(self.local, DeletedHere)
                return NoteWork(self.id, decision, entry=forget(self.entry), intent_done=done)
            case Upload(base, fresh):
                return NoteWork(self.id, decision, change=PutNote(self.mine, self._mine_hash(), base, fresh))
            case RestoreCopy(content):
                return self._restore_copy(content)
            case Merge(base, cloud):
                return self._merge(base, cloud)
            case HoldConflict(reason, cloud):
                return self._conflict((reason,), cloud)
            case DeleteHere():
                return NoteWork(
                    self.id,
                    decision,
                    set_aside=self._aside(SetAsideReason.PULL, self.bodies.mine),
                    file=RemoveFile(self.local),
                    entry=forget(self.entry),
                )
            case DeleteInCloud(base, purge):
                return NoteWork(self.id, decision, change=DeleteNote(self.id, base, purge))
            case Nothing() | StillInConflict() | Vanished() | HoldBack():
                return NoteWork(self.id, decision)
            case _:
                assert_never(decision)

    @property
    def mine(self) -> Note:
        return _present(self.bodies.mine)

    def _mine_hash(self) -> str:
        return self.local.hash if isinstance(self.local, Here) else content_hash(self.mine)

    def _aside(self, reason: SetAsideReason, *notes: Note | None) -> tuple[SetAside, ...]:
        return tuple(SetAside(note, reason) for note in notes if note)

    def _restore_copy(self, content: str) -> NoteWork:
        if not _is(self.bodies.base, content):
            return NoteWork(self.id, HoldBack(HoldReason.DAMAGED))
        return NoteWork(self.id, self.decision, file=WriteFile(_present(self.bodies.base), self.local))

    def _merge(self, base: Version, cloud: InCloud) -> NoteWork:
        there = _present(self.bodies.cloud)
        if self.bodies.base is None or not _is(self.bodies.base, base.hash):
            return self._conflict((ConflictReason.NO_BASE,), cloud)
        merged = merge_note(self.bodies.base, self.mine, there, self.max_body_bytes)
        if isinstance(merged, CannotMerge):
            return self._conflict(merged.reasons, cloud)
        change = PutNote(merged, content_hash(merged), cloud.version)
        return NoteWork(
            self.id,
            self.decision,
            set_aside=self._aside(SetAsideReason.MERGE, self.mine, there),
            file=None if change.hash == self._mine_hash() else WriteFile(merged, self.local),
            copy=there,
            entry=agree(self.entry, cloud.version),
            change=None if change.hash == cloud.hash else change,
        )

    def _conflict(self, reasons: tuple[ConflictReason, ...], cloud: InCloud | None) -> NoteWork:
        theirs = CloudVersion(_present(self.bodies.cloud), cloud) if cloud else None
        return NoteWork(
            self.id,
            self.decision,
            set_aside=self._aside(SetAsideReason.CONFLICT, self.mine, theirs.note if theirs else None),
            conflict=Conflict(reasons, self.bodies.base, self.mine, theirs, self.now_ms),
        )


def _present(note: Note | None) -> Note:
    """A body that `note_work` made sure of."""
    if note is None:
        raise ValueError("a decision is carried out without a body it needs")
    return note
