"""What to do about one note: base, this machine's side and the cloud's side to exactly one decision.

Works on hashes and revisions alone; bodies are fetched and merged only where a decision says so. The whole table
is in `docs/protocol/vectors/reconcile.json`. No I/O.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, assert_never

from oharness.reconcile.baseline import (
    Agreed,
    AgreedBeforeReset,
    AgreedOn,
    DeletedInCloud,
    InCloud,
    NothingAgreed,
    NotInCloud,
    PurgedFromCloud,
    Version,
)
from oharness.reconcile.merge_note import ConflictReason

# --- this machine's side


@dataclass(frozen=True, slots=True)
class NotHere:
    """No file, and nobody here asked for a deletion."""


@dataclass(frozen=True, slots=True)
class DeletedHere:
    """Somebody deleted the note here: its content then, and the revision agreed on then where it was recorded.

    `purge` asks for the note's objects to go as well (forget everywhere).
    """

    hash: str
    revision: str | None = None
    purge: bool = False


@dataclass(frozen=True, slots=True)
class Here:
    """A note. `made_on_purpose`: a person or tool created or restored it here since it was last in sync."""

    hash: str
    made_on_purpose: bool = False


@dataclass(frozen=True, slots=True)
class Damaged:
    """A file of zero bytes or of NULs only: damage, not an edit."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be a note; it stays as it is, and is never taken for a deletion."""


@dataclass(frozen=True, slots=True)
class NotLoaded:
    """A note past `memory.maxNotes`: there, and nothing more is known."""


LocalSide: TypeAlias = NotHere | DeletedHere | Here | Damaged | Unreadable | NotLoaded

NOT_HERE = NotHere()
DAMAGED = Damaged()
UNREADABLE = Unreadable()
NOT_LOADED = NotLoaded()


class HoldReason(StrEnum):
    """Why nothing is done about a note for now, as `sync now` reports it.

    `missing`: the next pass decides; `changed`: its file changed while the pass ran.
    """

    DAMAGED = "damaged"
    UNREADABLE = "unreadable"
    NOT_LOADED = "not-loaded"
    CHECKSUM = "checksum"
    MISSING = "missing"
    CHANGED = "changed"
    CASE_COLLISION = "id_case_collision"


# --- the cloud's side: as seen, or with a body that cannot be trusted


@dataclass(frozen=True, slots=True)
class BrokenInCloud:
    """A live note whose body is not what its hash says, cannot be had, or cannot be kept here (P-14, P-23)."""

    listed: InCloud
    reason: str = HoldReason.CHECKSUM


CloudSide: TypeAlias = NotInCloud | PurgedFromCloud | InCloud | DeletedInCloud | BrokenInCloud


@dataclass(frozen=True, slots=True)
class OpenConflict:
    """What an open conflict was about; the same two sides again are the same conflict.

    `cloud_revision` is None where the cloud had nothing any more.
    """

    mine_hash: str
    cloud_revision: str | None


# --- the decisions


class DeletionGround(StrEnum):
    """Why a note that this machine did not change is deleted here."""

    TOMBSTONE = "tombstone"
    PURGED = "purged"
    OLD_COPY = "old-copy"


@dataclass(frozen=True, slots=True)
class Nothing:
    """Both sides are as agreed."""


@dataclass(frozen=True, slots=True)
class Adopt:
    """Both sides say the same: agree on it, no file is touched."""

    version: Version


@dataclass(frozen=True, slots=True)
class Forget:
    """Gone on both sides: nothing is agreed any more."""


@dataclass(frozen=True, slots=True)
class Upload:
    """This machine's content goes up. `base` is what it derives from; `fresh` as in P-30."""

    base: Version | None
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Download:
    """The cloud's content comes down, over this machine's unchanged or missing one."""

    cloud: InCloud


@dataclass(frozen=True, slots=True)
class Refetch:
    """The cloud's content replaces a damaged file."""

    cloud: InCloud


@dataclass(frozen=True, slots=True)
class RestoreCopy:
    """A damaged file is replaced by the copy as last synced, since the cloud has nothing."""

    hash: str


@dataclass(frozen=True, slots=True)
class Merge:
    """Changed on both sides since `base`: combine, or else a conflict."""

    base: Version
    cloud: InCloud


@dataclass(frozen=True, slots=True)
class HoldConflict:
    """A person has to choose; `cloud` is None where the cloud has nothing any more."""

    reason: ConflictReason
    cloud: InCloud | None


@dataclass(frozen=True, slots=True)
class StillInConflict:
    """An open conflict, and neither side moved since."""


@dataclass(frozen=True, slots=True)
class DeleteHere:
    """Deleted in the cloud and not changed here."""

    ground: DeletionGround


@dataclass(frozen=True, slots=True)
class DeleteInCloud:
    """Deleted here and not changed in the cloud."""

    base: Version
    purge: bool = False


@dataclass(frozen=True, slots=True)
class Vanished:
    """The file is missing and nobody said why; the guards decide. `version` is what a deletion would name."""

    version: Version


@dataclass(frozen=True, slots=True)
class HoldBack:
    """Nothing is done about this note, and it is reported."""

    reason: str


NotADownload: TypeAlias = (
    Nothing
    | Adopt
    | Forget
    | Upload
    | RestoreCopy
    | Merge
    | HoldConflict
    | StillInConflict
    | DeleteHere
    | DeleteInCloud
    | Vanished
    | HoldBack
)
Decision: TypeAlias = NotADownload | Download | Refetch

NOTHING = Nothing()
FORGET = Forget()
STILL_IN_CONFLICT = StillInConflict()


def decide(agreed: Agreed, local: LocalSide, cloud: CloudSide, conflict: OpenConflict | None = None) -> Decision:
    """The one thing to do about a note.

    Source: P-24 to P-26, P-30, P-32; specification "Storage and reconciliation"; an edit beats a deletion.
    """
    if isinstance(cloud, BrokenInCloud):
        return _without_its_body(decide(agreed, local, cloud.listed, conflict), cloud.reason)
    match local:
        case Here():
            if conflict is not None and _unmoved(conflict, local, cloud):
                return STILL_IN_CONFLICT
            return _decide_present(agreed, local, cloud)
        case NotHere():
            return _decide_missing(agreed, cloud)
        case DeletedHere():
            return _decide_deleted(agreed, local, cloud)
        case Damaged():
            return _decide_damaged(agreed, cloud)
        case Unreadable():
            return _leave_alone(agreed, cloud, HoldReason.UNREADABLE)
        case NotLoaded():
            return _leave_alone(agreed, cloud, HoldReason.NOT_LOADED)
        case _:
            assert_never(local)


def _decide_present(
    agreed: Agreed, local: Here, cloud: NotInCloud | PurgedFromCloud | InCloud | DeletedInCloud
) -> Decision:
    match cloud:
        case InCloud():
            return _decide_both_present(agreed, local, cloud)
        case DeletedInCloud():
            return _decide_against_tombstone(agreed, local, cloud)
        case PurgedFromCloud() if isinstance(agreed, AgreedOn):
            if local.hash == agreed.version.hash:
                return DeleteHere(DeletionGround.PURGED)
            return HoldConflict(ConflictReason.DELETED_THERE, None)
        case PurgedFromCloud() | NotInCloud():
            return Upload(None, local.made_on_purpose)
        case _:
            assert_never(cloud)


def _decide_both_present(agreed: Agreed, local: Here, cloud: InCloud) -> Decision:
    match agreed:
        case AgreedOn(version) if cloud.revision == version.revision:
            return NOTHING if local.hash == version.hash else Upload(version)
        case _ if local.hash == cloud.hash:
            return Adopt(cloud.version)
        case AgreedOn(version) if local.hash == version.hash:
            return Download(cloud)
        case AgreedOn(version) if cloud.hash == version.hash:
            return Upload(cloud.version)
        case AgreedOn(version):
            return Merge(version, cloud)
        case AgreedBeforeReset(older) if any(known.hash == cloud.hash for known in older):
            return Upload(cloud.version)  # the cloud is back at what this machine had seen and moved on from
        case AgreedBeforeReset() | NothingAgreed():
            return HoldConflict(ConflictReason.NO_BASE, cloud)
        case _:
            assert_never(agreed)


def _decide_against_tombstone(agreed: Agreed, local: Here, cloud: DeletedInCloud) -> Decision:
    if local.made_on_purpose:
        return Upload(cloud.version, fresh=True)
    match agreed:
        case AgreedOn(version) if local.hash == version.hash:
            return DeleteHere(DeletionGround.TOMBSTONE)
        case NothingAgreed() if cloud.knows(local.hash):
            return DeleteHere(DeletionGround.OLD_COPY)
        case AgreedOn() | NothingAgreed() | AgreedBeforeReset():
            return Upload(cloud.version)
        case _:
            assert_never(agreed)


def _decide_missing(agreed: Agreed, cloud: NotInCloud | PurgedFromCloud | InCloud | DeletedInCloud) -> Decision:
    match cloud:
        case InCloud() if isinstance(agreed, AgreedOn) and cloud.revision == agreed.version.revision:
            return Vanished(agreed.version)
        case InCloud():
            return Download(cloud)
        case DeletedInCloud() | PurgedFromCloud() | NotInCloud():
            return NOTHING if isinstance(agreed, NothingAgreed) else FORGET
        case _:
            assert_never(cloud)


def _decide_deleted(
    agreed: Agreed, local: DeletedHere, cloud: NotInCloud | PurgedFromCloud | InCloud | DeletedInCloud
) -> Decision:
    match cloud:
        case InCloud() if _was_deleted(agreed, local, cloud):
            return DeleteInCloud(cloud.version, local.purge)
        case InCloud():
            return Download(cloud)
        case DeletedInCloud() if local.purge:
            return DeleteInCloud(cloud.version, purge=True)
        case DeletedInCloud() | PurgedFromCloud() | NotInCloud():
            return FORGET
        case _:
            assert_never(cloud)


def _was_deleted(agreed: Agreed, local: DeletedHere, cloud: InCloud) -> bool:
    """Whether the cloud still has what was deleted here: by revision, after a reset also by content (P-25)."""
    match agreed:
        case AgreedOn(version, older) if (
            local.revision is None
            or local.revision == version.revision
            or local.hash == version.hash
            or any(known.revision == local.revision for known in older)
        ):
            # What is agreed moves on past a deletion only by an upload of this machine's own earlier text.
            return cloud.revision == version.revision
        case AgreedBeforeReset() if cloud.hash == local.hash:
            return True
        case AgreedOn() | AgreedBeforeReset() | NothingAgreed():
            return cloud.revision == local.revision
        case _:
            assert_never(agreed)


def _decide_damaged(agreed: Agreed, cloud: NotInCloud | PurgedFromCloud | InCloud | DeletedInCloud) -> Decision:
    match cloud:
        case InCloud():
            return Refetch(cloud)
        case DeletedInCloud() | PurgedFromCloud() if isinstance(agreed, AgreedOn):
            ground = DeletionGround.TOMBSTONE if isinstance(cloud, DeletedInCloud) else DeletionGround.PURGED
            return DeleteHere(ground)
        case DeletedInCloud() | PurgedFromCloud() | NotInCloud():
            match agreed:
                case AgreedOn(version) | AgreedBeforeReset((version, *_)):
                    return RestoreCopy(version.hash)
                case AgreedBeforeReset() | NothingAgreed():
                    return HoldBack(HoldReason.DAMAGED)
                case _:
                    assert_never(agreed)
        case _:
            assert_never(cloud)


def _leave_alone(
    agreed: Agreed, cloud: NotInCloud | PurgedFromCloud | InCloud | DeletedInCloud, reason: HoldReason
) -> Decision:
    """A file nobody can read stays as it is; it is reported when the cloud has to do with it."""
    match cloud:
        case InCloud() if isinstance(agreed, AgreedOn) and cloud.revision == agreed.version.revision:
            return NOTHING if reason is HoldReason.NOT_LOADED else HoldBack(reason)
        case NotInCloud() if isinstance(agreed, NothingAgreed):
            return NOTHING
        case InCloud() | DeletedInCloud() | PurgedFromCloud() | NotInCloud():
            return HoldBack(reason)
        case _:
            assert_never(cloud)


def _unmoved(
    conflict: OpenConflict, local: Here, cloud: NotInCloud | PurgedFromCloud | InCloud | DeletedInCloud
) -> bool:
    revision = cloud.revision if isinstance(cloud, InCloud) else None
    gone = isinstance(cloud, PurgedFromCloud) and conflict.cloud_revision is None
    return conflict.mine_hash == local.hash and (gone or (revision is not None and revision == conflict.cloud_revision))


def _without_its_body(decision: Decision, reason: str) -> Decision:
    """The decision about a note whose body cannot be had: what needs it waits."""
    match decision:
        case Download() | Refetch() | Merge() | HoldConflict():
            return HoldBack(reason)
        case _:
            return decision
