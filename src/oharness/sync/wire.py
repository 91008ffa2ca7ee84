"""Between the wire's values and the planner's: listings in, changes out. No I/O."""

from oharness.protocol.commit import Change, Delete, Put
from oharness.protocol.snapshot import KnownRevision, ListedNote, ListedTombstone, ListingAnswer
from oharness.protocol.values import Revision
from oharness.reconcile.baseline import Baseline, DeletedInCloud, InCloud, Listing, Version, latest_seen
from oharness.reconcile.work import CloudChange, DeleteNote, PutNote


def listing_of(answer: ListingAnswer) -> Listing:
    """What a listing answer says about every entry, bodies apart."""
    return Listing(
        epoch=answer.epoch,
        version=answer.version,
        complete=answer.complete,
        horizon=answer.horizon,
        notes={note.id: live_entry(note) for note in answer.notes},
        tombstones={tombstone.id: deleted_entry(tombstone) for tombstone in answer.tombstones},
    )


def live_entry(note: ListedNote) -> InCloud:
    """A listed note as it is seen."""
    return InCloud(note.hash, note.revision, note.seq, note.bytes)


def deleted_entry(tombstone: ListedTombstone) -> DeletedInCloud:
    """A listed tombstone as it is seen."""
    return DeletedInCloud(tombstone.hash, tombstone.revision, tombstone.seq, tombstone.prev)


def seen_entry(current: ListedNote | ListedTombstone) -> InCloud | DeletedInCloud:
    """The current entry that a commit's answer carries."""
    return live_entry(current) if isinstance(current, ListedNote) else deleted_entry(current)


def known_revision(baseline: Baseline) -> KnownRevision | None:
    """What a question names beside the baseline's version."""
    latest = latest_seen(baseline)
    return None if latest is None else KnownRevision(latest[0], Revision(latest[1]))


def change_of(change: CloudChange) -> Change:
    """A planned change as it goes out (P-30)."""
    match change:
        case PutNote(note, content, base, fresh):
            return Put(note.id, _revision(base), base.hash if base else None, content, note, fresh)
        case DeleteNote(note_id, base, purge):
            return Delete(note_id, _revision(base), base.hash, purge)


def _revision(base: Version | None) -> Revision | None:
    return Revision(base.revision) if base else None
