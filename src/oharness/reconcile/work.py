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
    DeleteHere,
    DeleteInCloud,
    Download,
    Forget,
    HoldBack,
    HoldConflict,
    LocalSide,
    Merge,
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

    `entry` is the baseline entry once the file is done, None where it stays; `copy` is kept as last synced with
    it. `conflict` is opened. `change` goes up, and the baseline follows when the service accepted it.
    """

    id: str
    decision: Decision
    set_aside: tuple[SetAside, ...] = ()
    file: FileStep | None = None
    entry: Entry | None = None
    copy: Note | None = None
    conflict: Conflict | None = None
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


class BodyMissing(ValueError):
    """A decision was to be carried out without a body it needs: a fault of the caller."""


def needs(decision: Decision, agreed: Version | None) -> Needs:
    """Which bodies have to be at hand before the decision can be carried out.

    `agreed` is the version in sync, whose copy a conflict shows beside the two others.
    """
    base_hash = agreed.hash if agreed else None
    match decision:
        case Adopt() | Upload() | DeleteHere():
            return Needs(mine=True)
        case Download(cloud):
            return Needs(mine=True, cloud=cloud)
        case Refetch(cloud):
            return Needs(cloud=cloud)
        case RestoreCopy(copy_hash):
            return Needs(base_hash=copy_hash)
        case Merge(base, cloud):
            return Needs(mine=True, cloud=cloud, base_hash=base.hash)
        case HoldConflict(_, cloud):
            return Needs(mine=True, cloud=cloud, base_hash=base_hash)
        case Nothing() | Forget() | StillInConflict() | DeleteInCloud() | Vanished() | HoldBack():
            return Needs()
        case _:
            assert_never(decision)


def note_work(
    note_id: str,
    decision: Decision,
    local: LocalSide,
    entry: Entry,
    bodies: Bodies,
    max_body_bytes: int,
    now_ms: Millis,
) -> NoteWork:
    """The steps that carry out one decision.

    Units: `max_body_bytes` is what a merged body may have, by the settings, the quota and the plan.
    Raises: BodyMissing.
    """
    match decision:
        case Adopt(version):
            return NoteWork(note_id, decision, entry=agree(entry, version), copy=_present(bodies.mine))
        case Forget():
            return NoteWork(note_id, decision, entry=forget(entry))
        case Upload(base, fresh):
            mine = _present(bodies.mine)
            return NoteWork(note_id, decision, change=PutNote(mine, content_hash(mine), base, fresh))
        case Download(cloud):
            return _download(note_id, decision, local, entry, bodies, cloud)
        case Refetch(cloud):
            return _download(note_id, decision, local, entry, bodies, cloud)
        case RestoreCopy():
            return NoteWork(note_id, decision, file=WriteFile(_present(bodies.base), local))
        case Merge(base, cloud):
            return _merge(note_id, decision, local, entry, bodies, base, cloud, max_body_bytes, now_ms)
        case HoldConflict(reason, cloud):
            return _conflict(note_id, decision, bodies, (reason,), cloud, now_ms)
        case DeleteHere():
            aside = tuple(SetAside(note, SetAsideReason.PULL) for note in [bodies.mine] if note)
            return NoteWork(note_id, decision, aside, file=RemoveFile(local), entry=forget(entry))
        case DeleteInCloud(base, purge):
            return NoteWork(note_id, decision, change=DeleteNote(note_id, base, purge))
        case Nothing() | StillInConflict() | Vanished() | HoldBack():
            return NoteWork(note_id, decision)
        case _:
            assert_never(decision)


def _download(
    note_id: str, decision: Decision, local: LocalSide, entry: Entry, bodies: Bodies, cloud: InCloud
) -> NoteWork:
    note = _present(bodies.cloud)
    return NoteWork(
        note_id,
        decision,
        set_aside=tuple(SetAside(mine, SetAsideReason.PULL) for mine in [bodies.mine] if mine),
        file=WriteFile(note, local),
        entry=agree(entry, cloud.version),
        copy=note,
    )


def _merge(
    note_id: str,
    decision: Decision,
    local: LocalSide,
    entry: Entry,
    bodies: Bodies,
    base: Version,
    cloud: InCloud,
    max_body_bytes: int,
    now_ms: Millis,
) -> NoteWork:
    mine, there = _present(bodies.mine), _present(bodies.cloud)
    if bodies.base is None or content_hash(bodies.base) != base.hash:
        return _conflict(note_id, decision, bodies, (ConflictReason.NO_BASE,), cloud, now_ms)
    merged = merge_note(bodies.base, mine, there, max_body_bytes)
    if isinstance(merged, CannotMerge):
        return _conflict(note_id, decision, bodies, merged.reasons, cloud, now_ms)
    merged_hash = content_hash(merged)
    return NoteWork(
        note_id,
        decision,
        set_aside=(SetAside(mine, SetAsideReason.MERGE), SetAside(there, SetAsideReason.MERGE)),
        file=None if merged_hash == content_hash(mine) else WriteFile(merged, local),
        entry=agree(entry, cloud.version),
        copy=there,
        change=None if merged_hash == cloud.hash else PutNote(merged, merged_hash, cloud.version),
    )


def _conflict(
    note_id: str,
    decision: Decision,
    bodies: Bodies,
    reasons: tuple[ConflictReason, ...],
    cloud: InCloud | None,
    now_ms: Millis,
) -> NoteWork:
    mine = _present(bodies.mine)
    theirs = CloudVersion(_present(bodies.cloud), cloud) if cloud else None
    versions = (mine, *([theirs.note] if theirs else []))
    return NoteWork(
        note_id,
        decision,
        set_aside=tuple(SetAside(note, SetAsideReason.CONFLICT) for note in versions),
        conflict=Conflict(reasons, bodies.base, mine, theirs, now_ms),
    )


def _present(note: Note | None) -> Note:
    if note is None:
        raise BodyMissing
    return note
