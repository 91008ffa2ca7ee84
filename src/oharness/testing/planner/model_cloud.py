"""A cloud scope in memory that judges changes as the protocol says, written from P-24 to P-32 and nothing else."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from oharness.notes.note import Note
from oharness.reconcile.baseline import DeletedInCloud, InCloud, Listing
from oharness.reconcile.work import CloudChange, DeleteNote, PutNote
from oharness.testing.planner.hashes import content_hash


@dataclass(slots=True)
class Live:
    """A live note and how it got here; `prev` are the contents before."""

    note: Note
    hash: str
    revision: str
    seq: int
    prev: tuple[str, ...] = ()

    def listed(self) -> InCloud:
        return InCloud(self.hash, self.revision, self.seq, len(self.note.body.encode()))


@dataclass(frozen=True, slots=True)
class PutAccepted:
    """The content is the current one."""

    entry: InCloud


@dataclass(frozen=True, slots=True)
class DeleteAccepted:
    """The note is gone; `entry` is None where there never was one."""

    entry: DeletedInCloud | None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The base was not the current revision; `entry` is what is there now."""

    entry: InCloud | DeletedInCloud | None


@dataclass(frozen=True, slots=True)
class StaleDeleted:
    """An old copy of a deleted note was put."""

    entry: DeletedInCloud


@dataclass(frozen=True, slots=True)
class CaseCollision:
    """Another live id differs in letter case alone."""


Outcome: TypeAlias = PutAccepted | DeleteAccepted | Mismatch | StaleDeleted | CaseCollision


@dataclass(slots=True)
class ModelCloud:
    """One scope's manifest with its bodies; those of `unreadable` ids cannot be had."""

    epoch: str = "e1"
    version: int = 0
    horizon: int = 0
    live: dict[str, Live] = field(default_factory=dict)
    gone: dict[str, DeletedInCloud] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    revisions: int = 0

    def listing(self, epoch: str, since: int) -> Listing:
        """What changed after `since` of `epoch`, or everything where those are not valid."""
        complete = epoch != self.epoch or since > self.version or since < self.horizon
        floor = -1 if complete else since
        return Listing(
            self.epoch,
            self.version,
            complete,
            self.horizon,
            {note_id: one.listed() for note_id, one in self.live.items() if one.seq > floor},
            {note_id: one for note_id, one in self.gone.items() if one.seq > floor},
        )

    def body(self, note_id: str, revision: str) -> Note | None:
        """The note at that revision; None where it cannot be had or was replaced."""
        one = self.live.get(note_id)
        return one.note if one and one.revision == revision and note_id not in self.unreadable else None

    def check(self) -> tuple[int, str]:
        """P-24, from the live notes."""
        xor = 0
        for note_id, one in self.live.items():
            xor ^= int.from_bytes(hashlib.sha256(f"{note_id} {one.hash}".encode()).digest(), "big")
        return len(self.live), f"{xor:064x}"

    def commit(self, changes: Iterable[CloudChange]) -> list[Outcome]:
        """Judges each change alone, in order; one version for all that changed something."""
        seq, before = self.version + 1, self.revisions
        outcomes = [self._judge(change, seq) for change in changes]
        if self.revisions > before:
            self.version = seq
        return outcomes

    def put_elsewhere(self, note: Note) -> None:
        """Another device's edit of the current version."""
        self.version += 1
        self._put(note, content_hash(note), self.version)

    def delete_elsewhere(self, note_id: str) -> None:
        """Another device's deletion of the current version."""
        self.version += 1
        self._delete(note_id, self.version)

    def purge(self, note_id: str) -> None:
        """The window passes and the tombstone goes."""
        self.horizon = max(self.horizon, self.gone.pop(note_id).seq)

    def _judge(self, change: CloudChange, seq: int) -> Outcome:
        match change:
            case DeleteNote():
                return self._judge_delete(change, seq)
            case PutNote():
                return self._judge_put(change, seq)

    def _judge_delete(self, change: DeleteNote, seq: int) -> Outcome:
        live = self.live.get(change.id)
        if live is None:
            return DeleteAccepted(self.gone.get(change.id))
        if live.revision != change.base.revision:
            return Mismatch(live.listed())
        return DeleteAccepted(self._delete(change.id, seq))

    def _judge_put(self, change: PutNote, seq: int) -> Outcome:
        live, gone = self.live.get(change.id), self.gone.get(change.id)
        if live and live.hash == change.hash:
            return PutAccepted(live.listed())
        if gone and change.base is None and not change.fresh and gone.knows(change.hash):
            return StaleDeleted(gone)
        current = live.listed() if live else gone
        if (current.revision if current else None) != (change.base.revision if change.base else None):
            return Mismatch(current)
        if any(other != change.id and other.lower() == change.id.lower() for other in self.live):
            return CaseCollision()
        return PutAccepted(self._put(change.note, change.hash, seq))

    def _put(self, note: Note, content: str, seq: int) -> InCloud:
        before = self.live.get(note.id) or self.gone.pop(note.id, None)
        prev = (before.hash, *before.prev)[:8] if before else ()
        self.live[note.id] = Live(note, content, self._revision(), seq, prev)
        return self.live[note.id].listed()

    def _delete(self, note_id: str, seq: int) -> DeletedInCloud:
        one = self.live.pop(note_id)
        self.gone[note_id] = DeletedInCloud(one.hash, self._revision(), seq, one.prev)
        return self.gone[note_id]

    def _revision(self) -> str:
        self.revisions += 1
        return f"{self.epoch}-r{self.revisions}"
