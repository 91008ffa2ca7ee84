"""A conflict with its three versions, and what each of the four answers does.

An answer stays answered because the baseline then says that this machine's content derives from the cloud
version the person looked at (P-30: explicitly chosen over): what is left is an ordinary upload, or nothing. No I/O.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from oharness.core.clock import Millis
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.reconcile.baseline import InCloud, Version
from oharness.reconcile.decide import OpenConflict
from oharness.reconcile.merge_note import ConflictReason


@dataclass(frozen=True, slots=True)
class CloudVersion:
    """The cloud's version of a note in conflict."""

    note: Note
    listed: InCloud


@dataclass(frozen=True, slots=True)
class Conflict:
    """One note that a person has to decide about.

    `base` is the copy as last synced, where there is one. `cloud` is None when the note was deleted there so
    long ago that the tombstone is gone. `noticed_at` is when this machine noticed.
    """

    reasons: tuple[ConflictReason, ...]
    base: Note | None
    mine: Note
    cloud: CloudVersion | None
    noticed_at: Millis

    @property
    def id(self) -> str:
        """The note's id."""
        return self.mine.id

    def opened(self) -> OpenConflict:
        """What the planner needs to know: which two versions it was about."""
        return OpenConflict(content_hash(self.mine), self.cloud.listed.revision if self.cloud else None)


# --- the answers


@dataclass(frozen=True, slots=True)
class KeepMine:
    """This machine's version stays, and goes up over the cloud's."""


@dataclass(frozen=True, slots=True)
class TakeCloud:
    """The cloud's version replaces this machine's."""


@dataclass(frozen=True, slots=True)
class KeepBoth:
    """This machine's version stays under its id; the cloud's becomes a new note beside it."""

    new_id: str


@dataclass(frozen=True, slots=True)
class MergeByHand:
    """A text that somebody wrote from the versions takes the place of both."""

    note: Note


Answer: TypeAlias = KeepMine | TakeCloud | KeepBoth | MergeByHand


# --- what an answer does


@dataclass(frozen=True, slots=True)
class Resolution:
    """What to do for one answer, in this order: backups, files, baseline.

    `set_aside` are versions to back up, whichever side they came from. `writes` and `removes_mine` change files
    here. `derived_from` is what the baseline records as agreed (with `base_copy` as the copy last synced); None
    records nothing agreed. `made_on_purpose` are ids whose upload is marked fresh. `sends` says what the next
    pass has to put, and on which base; None where nothing is left to send for that id.
    """

    set_aside: tuple[Note, ...]
    writes: tuple[Note, ...]
    removes_mine: bool
    derived_from: Version | None
    base_copy: Note | None
    made_on_purpose: tuple[str, ...]
    sends: tuple["Send", ...]


@dataclass(frozen=True, slots=True)
class Send:
    """A note that the next pass puts, and the version it derives from."""

    note: Note
    base: Version | None


def resolve(conflict: Conflict, answer: Answer) -> Resolution:
    """What one of the four answers does. Links in other notes stay as they are."""
    match answer:
        case KeepMine():
            return _settle(conflict, conflict.mine)
        case MergeByHand(note):
            return _settle(conflict, replace(note, id=conflict.id))
        case TakeCloud():
            return _take_cloud(conflict)
        case KeepBoth(new_id):
            return _keep_both(conflict, new_id)
        case _:
            assert_never(answer)


def _settle(conflict: Conflict, chosen: Note) -> Resolution:
    """One text stays under the id; every other version is set aside."""
    cloud = conflict.cloud
    chosen_hash = content_hash(chosen)
    others = (conflict.mine, *([cloud.note] if cloud else []))
    up_to_date = cloud is not None and chosen_hash == cloud.listed.hash
    return Resolution(
        set_aside=tuple(other for other in others if content_hash(other) != chosen_hash),
        writes=() if chosen_hash == content_hash(conflict.mine) else (chosen,),
        removes_mine=False,
        derived_from=cloud.listed.version if cloud else None,
        base_copy=cloud.note if cloud else None,
        made_on_purpose=() if cloud else (conflict.id,),
        sends=() if up_to_date else (Send(chosen, cloud.listed.version if cloud else None),),
    )


def _take_cloud(conflict: Conflict) -> Resolution:
    cloud = conflict.cloud
    return Resolution(
        set_aside=(conflict.mine,),
        writes=(cloud.note,) if cloud else (),
        removes_mine=cloud is None,
        derived_from=cloud.listed.version if cloud else None,
        base_copy=cloud.note if cloud else None,
        made_on_purpose=(),
        sends=(),
    )


def _keep_both(conflict: Conflict, new_id: str) -> Resolution:
    """Without a cloud version there is nothing to stand beside this machine's: it is kept."""
    kept = _settle(conflict, conflict.mine)
    if conflict.cloud is None:
        return kept
    beside = replace(conflict.cloud.note, id=new_id)
    return replace(
        kept,
        set_aside=(),
        writes=(beside,),
        made_on_purpose=(new_id,),
        sends=(*kept.sends, Send(beside, None)),
    )
