"""How sync's state files look inside, and their way to our values and back. No I/O.

Every file is one JSON object with camelCase keys and a `version`; keys that say nothing are left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import msgspec

from oharness.core.clock import Millis
from oharness.disk.encoded_once import EncodedOnce
from oharness.notes.entry import FileStamp
from oharness.notes.frontmatter import note_file_name, note_text, parse_note
from oharness.notes.note import Note
from oharness.notes.problems import ProblemReason
from oharness.reconcile.baseline import (
    NOT_IN_CLOUD,
    NOTHING_AGREED,
    PURGED_FROM_CLOUD,
    Agreed,
    AgreedBeforeReset,
    AgreedOn,
    Baseline,
    Check,
    DeletedInCloud,
    Entry,
    InCloud,
    NothingAgreed,
    NotInCloud,
    PurgedFromCloud,
    Seen,
    Version,
)
from oharness.reconcile.conflict import CloudVersion, Conflict
from oharness.reconcile.guards import NO_HISTORY, Choice, Confirmed, FolderHistory, Paused, PauseReason
from oharness.reconcile.merge_note import ConflictReason
from oharness.reconcile.plan import Refusal

STATE_VERSION = 1


class StateShape(msgspec.Struct, rename="camel", omit_defaults=True):
    """A state file, of which only the version is known yet."""

    version: int = msgspec.field(default_factory=lambda: 0)


# --- baseline.json


class _SeenShape(msgspec.Struct, rename="camel", omit_defaults=True):
    """A live note without `deleted` and `purged`; without hash and revision it is the agreed one."""

    seq: int = 0
    hash: str = ""
    revision: str = ""
    bytes: int = 0
    deleted: bool = False
    purged: bool = False
    prev: list[str] = []


class _EntryShape(msgspec.Struct, rename="camel", omit_defaults=True):
    hash: str = ""
    revision: str = ""
    older: list[tuple[str, str]] = []
    before_reset: bool = False
    seen: _SeenShape | None = None


class _BaselineHead(StateShape):
    """Everything of `baseline.json` but its entries."""

    device: str = ""
    epoch: str = ""
    since: int = 0
    horizon: int = 0
    count: int = 0
    xor: str = "0"


class BaselineShape(_BaselineHead):
    """`baseline.json`."""

    entries: dict[str, _EntryShape] = {}


class _EncodedBaselineShape(_BaselineHead):
    entries: dict[str, msgspec.Raw] = {}


def encoded_entries() -> EncodedOnce[Entry]:
    """What is kept between two saves of one baseline."""
    return EncodedOnce(lambda entry: msgspec.json.encode(_entry_shape(entry)))


def baseline_shape(baseline: Baseline, encoded: EncodedOnce[Entry]) -> StateShape:
    """A baseline as it is kept."""
    return _EncodedBaselineShape(
        version=STATE_VERSION,
        device=baseline.device,
        epoch=baseline.epoch,
        since=baseline.version,
        horizon=baseline.horizon,
        count=baseline.check.count,
        xor=baseline.check.hex,
        entries=encoded.members(baseline.entries),
    )


def read_baseline(shape: BaselineShape) -> Baseline:
    """The baseline that was kept.

    Raises: ValueError.
    """
    entries = {note_id: _read_entry(entry) for note_id, entry in shape.entries.items()}
    check = Check(shape.count, int(shape.xor, 16))
    return Baseline(shape.device, shape.epoch, shape.since, shape.horizon, MappingProxyType(entries), check)


def _entry_shape(entry: Entry) -> _EntryShape:
    match entry.agreed:
        case AgreedOn(version, older):
            seen = _seen_shape(entry.seen, version)
            return _EntryShape(version.hash, version.revision, _pairs(older), seen=seen)
        case AgreedBeforeReset(older):
            return _EntryShape(older=_pairs(older), before_reset=True, seen=_seen_shape(entry.seen, None))
        case NothingAgreed():
            return _EntryShape(seen=_seen_shape(entry.seen, None))


def _seen_shape(seen: Seen, agreed: Version | None) -> _SeenShape | None:
    match seen:
        case InCloud(seq=seq, size_bytes=size) if seen.version == agreed:
            return _SeenShape(seq, bytes=size)
        case InCloud(content, revision, seq, size):
            return _SeenShape(seq, content, revision, size)
        case DeletedInCloud(content, revision, seq, prev):
            return _SeenShape(seq, content, revision, deleted=True, prev=list(prev))
        case PurgedFromCloud():
            return _SeenShape(purged=True)
        case NotInCloud():
            return None


def _read_entry(shape: _EntryShape) -> Entry:
    agreed: Agreed = NOTHING_AGREED
    version = Version(shape.hash, shape.revision)
    if shape.before_reset:
        agreed = AgreedBeforeReset(_versions(shape.older))
    elif shape.hash:
        agreed = AgreedOn(version, _versions(shape.older))
    return Entry(agreed, _read_seen(shape.seen, version))


def _read_seen(shape: _SeenShape | None, agreed: Version) -> Seen:
    if shape is None:
        return NOT_IN_CLOUD
    if shape.purged:
        return PURGED_FROM_CLOUD
    if shape.deleted:
        return DeletedInCloud(shape.hash, shape.revision, shape.seq, tuple(shape.prev))
    if shape.hash:
        return InCloud(shape.hash, shape.revision, shape.seq, shape.bytes)
    if not agreed.hash:
        raise ValueError("an entry is seen as agreed, and nothing is agreed")
    return InCloud(agreed.hash, agreed.revision, shape.seq, shape.bytes)


def _pairs(versions: tuple[Version, ...]) -> list[tuple[str, str]]:
    return [(version.hash, version.revision) for version in versions]


def _versions(pairs: list[tuple[str, str]]) -> tuple[Version, ...]:
    return tuple(Version(content, revision) for content, revision in pairs)


# --- files.json


@dataclass(frozen=True, slots=True)
class KnownFile:
    """How a note file looked when it was read: the note's hash, or why it is none."""

    stamp: FileStamp
    hash: str = ""
    reason: ProblemReason | None = None


class _FileShape(msgspec.Struct, array_like=True):
    name: str
    mtime_ns: int
    size: int
    inode: int
    hash: str
    reason: str = ""


class FilesShape(StateShape):
    """`files.json`."""

    files: list[_FileShape] = []


class _EncodedFilesShape(StateShape):
    files: list[msgspec.Raw] = []


def encoded_files() -> EncodedOnce[KnownFile]:
    """What is kept between two saves of the files of one directory."""
    return EncodedOnce(lambda known: msgspec.json.encode(_file_shape(known)))


def files_shape(files: Mapping[str, KnownFile], encoded: EncodedOnce[KnownFile]) -> StateShape:
    """Known files as they are kept."""
    return _EncodedFilesShape(version=STATE_VERSION, files=list(encoded.members(files).values()))


def _file_shape(known: KnownFile) -> _FileShape:
    stamp = known.stamp
    return _FileShape(stamp.name, stamp.mtime_ns, stamp.size, stamp.inode, known.hash, known.reason or "")


def read_files(shape: FilesShape) -> dict[str, KnownFile]:
    """The known files, by name.

    Raises: ValueError.
    """
    return {
        one.name: KnownFile(
            FileStamp(one.name, one.mtime_ns, one.size, one.inode),
            one.hash,
            ProblemReason(one.reason) if one.reason else None,
        )
        for one in shape.files
    }


# --- conflicts/<id>.json


class _CloudShape(msgspec.Struct, rename="camel"):
    note: str
    hash: str
    revision: str
    seq: int
    bytes: int


class ConflictShape(StateShape):
    """One open conflict; notes stand in it as their files would."""

    id: str = ""
    reasons: list[str] = []
    noticed_at: int = 0
    mine: str = ""
    base: str | None = None
    cloud: _CloudShape | None = None


def conflict_shape(conflict: Conflict) -> ConflictShape:
    """A conflict as it is kept."""
    cloud = conflict.cloud
    return ConflictShape(
        version=STATE_VERSION,
        id=conflict.id,
        reasons=list(conflict.reasons),
        noticed_at=conflict.noticed_at,
        mine=note_text(conflict.mine),
        base=note_text(conflict.base) if conflict.base else None,
        cloud=_CloudShape(
            note_text(cloud.note),
            cloud.listed.hash,
            cloud.listed.revision,
            cloud.listed.seq,
            cloud.listed.size_bytes,
        )
        if cloud
        else None,
    )


def read_conflict(shape: ConflictShape) -> Conflict:
    """The conflict that was kept.

    Raises: ValueError; NotANote.
    """
    cloud = None
    if shape.cloud:
        listed = InCloud(shape.cloud.hash, shape.cloud.revision, shape.cloud.seq, shape.cloud.bytes)
        cloud = CloudVersion(kept_note(shape.cloud.note, shape.id), listed)
    return Conflict(
        reasons=tuple(ConflictReason(reason) for reason in shape.reasons),
        base=kept_note(shape.base, shape.id) if shape.base is not None else None,
        mine=kept_note(shape.mine, shape.id),
        cloud=cloud,
        noticed_at=Millis(shape.noticed_at),
    )


def kept_note(text: str, note_id: str) -> Note:
    """A note that a state file holds as text.

    Raises: NotANote.
    """
    return parse_note(text.encode(), note_file_name(note_id))


# --- guard.json


@dataclass(frozen=True, slots=True)
class Guard:
    """What earlier passes saw, what they asked, and what was answered since.

    `head_looked_at` and `head_tracks`: git's HEAD when somebody last asked git whether it has notes of the
    directory, and the answer.
    """

    history: FolderHistory = NO_HISTORY
    paused: Paused | None = None
    confirmed: tuple[Confirmed, ...] = ()
    head_looked_at: str | None = None
    head_tracks: bool = False


class _PausedShape(msgspec.Struct, rename="camel"):
    reason: str
    notes: list[str]


class _ConfirmedShape(msgspec.Struct, rename="camel"):
    choice: str
    notes: list[str]


class GuardShape(StateShape):
    """`guard.json`."""

    missing: list[str] = []
    deleted_outside: dict[str, int] = {}
    head_when_whole: str | None = None
    met: bool = False
    paused: _PausedShape | None = None
    confirmed: list[_ConfirmedShape] = []
    head_looked_at: str | None = None
    head_tracks: bool = False


def guard_shape(guard: Guard) -> GuardShape:
    """A guard's memory as it is kept."""
    history = guard.history
    return GuardShape(
        version=STATE_VERSION,
        missing=sorted(history.missing_before),
        deleted_outside=dict(history.deleted_outside),
        head_when_whole=history.head_when_whole,
        met=history.met,
        paused=_PausedShape(guard.paused.reason, list(guard.paused.note_ids)) if guard.paused else None,
        confirmed=[_ConfirmedShape(one.choice, sorted(one.note_ids)) for one in guard.confirmed],
        head_looked_at=guard.head_looked_at,
        head_tracks=guard.head_tracks,
    )


def read_guard(shape: GuardShape) -> Guard:
    """The guard's memory that was kept.

    Raises: ValueError.
    """
    history = FolderHistory(
        missing_before=frozenset(shape.missing),
        deleted_outside={note_id: Millis(time) for note_id, time in shape.deleted_outside.items()},
        head_when_whole=shape.head_when_whole,
        met=shape.met,
    )
    return Guard(
        history=history,
        paused=Paused(PauseReason(shape.paused.reason), tuple(shape.paused.notes)) if shape.paused else None,
        confirmed=tuple(Confirmed(Choice(one.choice), frozenset(one.notes)) for one in shape.confirmed),
        head_looked_at=shape.head_looked_at,
        head_tracks=shape.head_tracks,
    )


# --- progress.json


@dataclass(frozen=True, slots=True)
class LastPull:
    """What the last pass that brought anything down brought."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    at: Millis | None = None


NO_PULL = LastPull()
_NO_REFUSALS: Mapping[str, Refusal] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LastDone:
    """What of `Progress` tells people about the last pass, and nothing rests on."""

    last_synced: Millis | None = None
    pull: LastPull = NO_PULL


@dataclass(frozen=True, slots=True)
class Progress:
    """Small facts of the last passes, for the next one and for people.

    `spoke_current`: a pass in the present protocol went through, so that the scope never falls back (P-53).
    `committed` are hashes accepted since the listing that the baseline stands at (P-21). `refusals` hold while
    `refusal_ground` (limits and number of notes) stays. `check_failed_at` is epoch and version at which counts
    differed and everything was listed again (P-24). `error` is the class of the last pass's error.
    """

    spoke_current: bool = False
    committed: tuple[str, ...] = ()
    refusals: Mapping[str, Refusal] = field(default_factory=lambda: _NO_REFUSALS)
    refusal_ground: str = ""
    check_failed_at: tuple[str, int] | None = None
    cloud_was_reset_at: Millis | None = None
    last_synced: Millis | None = None
    error: str = ""
    error_at: Millis | None = None
    pull: LastPull = NO_PULL
    held_back: Mapping[str, str] = field(default_factory=dict)
    plan: str = ""
    paid: bool | None = None
    max_notes: int | None = None
    max_body_bytes: int | None = None


class _RefusalShape(msgspec.Struct, rename="camel"):
    hash: str
    code: str


class _PullShape(msgspec.Struct, rename="camel", omit_defaults=True):
    added: list[str] = []
    changed: list[str] = []
    removed: list[str] = []
    at: int | None = None


class ProgressShape(StateShape):
    """`progress.json`; what the last pass did stands in `synced.json`."""

    spoke_current: bool = False
    committed: list[str] = []
    refusals: dict[str, _RefusalShape] = {}
    refusal_ground: str = ""
    check_failed_at: tuple[str, int] | None = None
    cloud_was_reset_at: int | None = None
    error: str = ""
    error_at: int | None = None
    held_back: dict[str, str] = {}
    plan: str = ""
    paid: bool | None = None
    max_notes: int | None = None
    max_body_bytes: int | None = None


def progress_shape(progress: Progress) -> ProgressShape:
    """Progress as it is kept."""
    return ProgressShape(
        version=STATE_VERSION,
        spoke_current=progress.spoke_current,
        committed=list(progress.committed),
        refusals={note_id: _RefusalShape(one.hash, one.code) for note_id, one in progress.refusals.items()},
        refusal_ground=progress.refusal_ground,
        check_failed_at=progress.check_failed_at,
        cloud_was_reset_at=progress.cloud_was_reset_at,
        error=progress.error,
        error_at=progress.error_at,
        held_back=dict(progress.held_back),
        plan=progress.plan,
        paid=progress.paid,
        max_notes=progress.max_notes,
        max_body_bytes=progress.max_body_bytes,
    )


def read_progress(shape: ProgressShape) -> Progress:
    """The progress that was kept, without what the last pass did."""
    return Progress(
        spoke_current=shape.spoke_current,
        committed=tuple(shape.committed),
        refusals={note_id: Refusal(one.hash, one.code) for note_id, one in shape.refusals.items()},
        refusal_ground=shape.refusal_ground,
        check_failed_at=shape.check_failed_at,
        cloud_was_reset_at=_moment(shape.cloud_was_reset_at),
        error=shape.error,
        error_at=_moment(shape.error_at),
        held_back=dict(shape.held_back),
        plan=shape.plan,
        paid=shape.paid,
        max_notes=shape.max_notes,
        max_body_bytes=shape.max_body_bytes,
    )


class SyncedShape(StateShape):
    """`synced.json`."""

    last_synced: int | None = None
    pull: _PullShape = msgspec.field(default_factory=_PullShape)


def synced_shape(done: LastDone) -> SyncedShape:
    """What the last pass did, as it is kept."""
    pull = done.pull
    shape = _PullShape(list(pull.added), list(pull.changed), list(pull.removed), pull.at)
    return SyncedShape(version=STATE_VERSION, last_synced=done.last_synced, pull=shape)


def read_synced(shape: SyncedShape) -> LastDone:
    """What the last pass did."""
    pull = shape.pull
    last = LastPull(tuple(pull.added), tuple(pull.changed), tuple(pull.removed), _moment(pull.at))
    return LastDone(_moment(shape.last_synced), last)


def _moment(value: int | None) -> Millis | None:
    return None if value is None else Millis(value)
