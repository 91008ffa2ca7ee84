"""What both sides last agreed on, per note, and what this machine has seen in the cloud since.

The two are kept apart (P-24): a note in conflict has been seen in the cloud and is not agreed on. Deletions that
somebody asked for are not here: they are intents, given to the planner separately. No I/O.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias, assert_never

REMEMBERED_VERSIONS = 8
"""How many superseded versions an entry remembers, as many as a tombstone does (P-40)."""


@dataclass(frozen=True, slots=True)
class Version:
    """One content of one note, and the revision under which the cloud held it."""

    hash: str
    revision: str


# --- what both sides agree on


@dataclass(frozen=True, slots=True)
class NothingAgreed:
    """This machine never had this note in sync, or the note is gone on both sides."""


@dataclass(frozen=True, slots=True)
class AgreedOn:
    """What this machine's content is derived from: synced, merged with, or explicitly chosen over (P-30).

    `older` are the versions before it, latest first.
    """

    version: Version
    older: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True)
class AgreedBeforeReset:
    """Held here when the cloud was reset (P-25): what was agreed counts no more, but is remembered as `older`."""

    older: tuple[Version, ...] = ()


Agreed: TypeAlias = NothingAgreed | AgreedOn | AgreedBeforeReset


# --- what was seen in the cloud


@dataclass(frozen=True, slots=True)
class NotInCloud:
    """The cloud has neither the note nor a tombstone; that alone says nothing (P-26)."""


@dataclass(frozen=True, slots=True)
class PurgedFromCloud:
    """Deleted so long ago that the tombstone is gone as well (P-26)."""


@dataclass(frozen=True, slots=True)
class InCloud:
    """A live note in the cloud. Units: `size_bytes` is the body's."""

    hash: str
    revision: str
    seq: int
    size_bytes: int

    @property
    def version(self) -> Version:
        """Its content and revision."""
        return Version(self.hash, self.revision)


@dataclass(frozen=True, slots=True)
class DeletedInCloud:
    """A tombstone: the deleted content's hash and those before it."""

    hash: str
    revision: str
    seq: int
    prev: tuple[str, ...] = ()

    @property
    def version(self) -> Version:
        """What a note that is made anew derives from (P-30)."""
        return Version(self.hash, self.revision)

    def knows(self, content: str) -> bool:
        """Whether this content was deleted, or replaced before that."""
        return content == self.hash or content in self.prev


Seen: TypeAlias = NotInCloud | PurgedFromCloud | InCloud | DeletedInCloud

NOTHING_AGREED = NothingAgreed()
NOT_IN_CLOUD = NotInCloud()
PURGED_FROM_CLOUD = PurgedFromCloud()


@dataclass(frozen=True, slots=True)
class Entry:
    """One note id: what is agreed, and what was seen."""

    agreed: Agreed = NOTHING_AGREED
    seen: Seen = NOT_IN_CLOUD


EMPTY_ENTRY = Entry()


# --- the whole scope


@dataclass(frozen=True, slots=True)
class Check:
    """Number of live notes seen and the XOR of the SHA-256 of their `"<id> <hash>"` (P-24)."""

    count: int = 0
    xor: int = 0

    @property
    def hex(self) -> str:
        """The XOR as it stands on the wire."""
        return f"{self.xor:064x}"


@dataclass(frozen=True, slots=True)
class Baseline:
    """All entries of one directory, as of `version` of `epoch`; both empty before a first sync.

    `horizon` is the listing's: tombstones up to it were let go.
    """

    device: str
    epoch: str = ""
    version: int = 0
    horizon: int = 0
    entries: Mapping[str, Entry] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    check: Check = Check()

    def entry(self, note_id: str) -> Entry:
        """What is known of an id; nothing, for most."""
        return self.entries.get(note_id, EMPTY_ENTRY)


@dataclass(frozen=True, slots=True)
class Listing:
    """The cloud side of a scope: whole, or what changed after the baseline's version."""

    epoch: str
    version: int
    complete: bool
    horizon: int
    notes: Mapping[str, InCloud] = field(hash=False)
    tombstones: Mapping[str, DeletedInCloud] = field(hash=False)


def with_entries(baseline: Baseline, changes: Mapping[str, Entry]) -> Baseline:
    """A baseline with some entries replaced; an empty entry is no entry."""
    entries = dict(baseline.entries)
    count, xor = baseline.check.count, baseline.check.xor
    for note_id, entry in changes.items():
        before = entries.get(note_id, EMPTY_ENTRY)
        if before.seen != entry.seen:
            count += _live(entry) - _live(before)
            xor ^= _mark(note_id, before) ^ _mark(note_id, entry)
        if entry == EMPTY_ENTRY:
            entries.pop(note_id, None)
        else:
            entries[note_id] = entry
    return Baseline(
        baseline.device,
        baseline.epoch,
        baseline.version,
        baseline.horizon,
        MappingProxyType(entries),
        Check(count, xor),
    )


def live_check(notes: Iterable[tuple[str, str]]) -> Check:
    """The check over live notes, by id and hash, computed from nothing else."""
    count, xor = 0, 0
    for note_id, content in notes:
        count += 1
        xor ^= _mark_of(note_id, content)
    return Check(count, xor)


def agree(entry: Entry, version: Version) -> Entry:
    """An entry after this machine's content became derived from `version`; what it replaces is remembered."""
    return Entry(AgreedOn(version, _remembered(entry.agreed, version)), entry.seen)


def forget(entry: Entry) -> Entry:
    """An entry after the note is gone on both sides."""
    return replace(entry, agreed=NOTHING_AGREED)


def after_put(entry: Entry, accepted: InCloud) -> Entry:
    """An entry after the service accepted this machine's content; a newer version seen meanwhile stays seen."""
    agreed = agree(entry, accepted.version)
    return replace(agreed, seen=accepted) if accepted.seq >= _seen_seq(entry.seen) else agreed


def after_delete(entry: Entry, accepted: DeletedInCloud) -> Entry:
    """An entry after the service accepted a deletion."""
    forgotten = forget(entry)
    return replace(forgotten, seen=accepted) if accepted.seq >= _seen_seq(entry.seen) else forgotten


def known_versions(agreed: Agreed) -> tuple[Version, ...]:
    """Every version of a note that this machine held in sync, latest first, as far as remembered."""
    match agreed:
        case AgreedOn(version, older):
            return (version, *older)
        case AgreedBeforeReset(older):
            return older
        case NothingAgreed():
            return ()


def was_reset(baseline: Baseline, listing: Listing) -> bool:
    """Whether the cloud side was wiped or restored from an old copy (P-25).

    A baseline without an epoch matches any (P-53): it is a first sync, or comes from an old service.
    """
    if baseline.epoch and listing.epoch != baseline.epoch:
        return True
    if listing.version < baseline.version:
        return True
    listed: Iterable[tuple[str, InCloud | DeletedInCloud]] = (
        *listing.notes.items(),
        *listing.tombstones.items(),
    )
    return any(_is_of_another_past(baseline, baseline.entry(note_id).seen, entry) for note_id, entry in listed)


def _is_of_another_past(baseline: Baseline, seen: Seen, listed: InCloud | DeletedInCloud) -> bool:
    """Whether an entry is older than what was seen of its note, or old enough to have been seen, and was not."""
    match seen:
        case InCloud(revision=revision, seq=seq) | DeletedInCloud(revision=revision, seq=seq):
            is_new = listed.seq > max(seq, baseline.version) or listed.revision == revision
            return listed.seq < seq or (baseline.epoch != "" and not is_new)
        case PurgedFromCloud() | NotInCloud():
            return False
        case _:
            assert_never(seen)


def latest_seen(baseline: Baseline) -> tuple[str, str] | None:
    """Id and revision of what changed last in the cloud as far as the baseline knows, by which a cloud that was
    restored and went on shows itself (P-25); None where what came with the baseline's version is not known any more.
    """
    known = [
        (entry.seen.seq, note_id, entry.seen.revision)
        for note_id, entry in baseline.entries.items()
        if isinstance(entry.seen, InCloud | DeletedInCloud) and entry.seen.seq >= baseline.version
    ]
    return max(known)[1:] if baseline.epoch and known else None


def after_reset(baseline: Baseline, held: Collection[str]) -> Baseline:
    """The baseline when the cloud was reset: nothing is agreed, nothing seen, and what is held here stays known.

    `held` are the ids of all note files here, also of those that never were in sync.
    """
    entries = {
        note_id: Entry(AgreedBeforeReset(known_versions(baseline.entry(note_id).agreed)))
        for note_id in sorted({*held, *_with_versions(baseline)})
    }
    return Baseline(baseline.device, entries=MappingProxyType(entries))


def inherited(device: str, other: Baseline, here: Mapping[str, str]) -> Baseline:
    """The first baseline of a new replica: what another folder of the scope held in sync and this one holds too.

    A version that the other folder has moved on from counts as well: a clone often lies behind.
    Shapes: `here` is id to content hash. The epoch comes along, so that a reset since then is noticed.
    Source: decisions, "Where things live": absence from another folder is no deletion here.
    """
    entries: dict[str, Entry] = {}
    for note_id, entry in other.entries.items():
        versions = known_versions(entry.agreed) if isinstance(entry.agreed, AgreedOn) else ()
        held = next((version for version in versions if version.hash == here.get(note_id)), None)
        if held:
            entries[note_id] = Entry(AgreedOn(held))
    return with_entries(Baseline(device, other.epoch if entries else ""), entries)


def after_listing(baseline: Baseline, listing: Listing) -> Baseline:
    """The baseline with everything seen that was listed; what is agreed does not change.

    The same object when the listing says nothing new.
    """
    seen: dict[str, Seen] = {**listing.notes, **listing.tombstones}
    if listing.complete or listing.horizon != baseline.horizon:
        for note_id in baseline.entries.keys() - seen.keys():
            entry = baseline.entries[note_id]
            state = _unlisted(entry, baseline, listing)
            if state != entry.seen:
                seen[note_id] = state
    changes = {note_id: Entry(baseline.entry(note_id).agreed, state) for note_id, state in seen.items()}
    place = (listing.epoch, listing.version, listing.horizon)
    if place != (baseline.epoch, baseline.version, baseline.horizon):
        baseline = replace(baseline, epoch=listing.epoch, version=listing.version, horizon=listing.horizon)
    return with_entries(baseline, changes) if changes else baseline


def _unlisted(entry: Entry, baseline: Baseline, listing: Listing) -> Seen:
    """What it means that a listing does not name an id.

    A live note counts as deleted only when a complete answer of the same epoch came after the horizon had passed
    the baseline (P-26). A tombstone goes when the horizon passes it; what it said about a note that is still
    held here stays known.
    """
    match entry.seen:
        case InCloud() if listing.complete:
            same_epoch = listing.epoch == baseline.epoch
            return PURGED_FROM_CLOUD if same_epoch and baseline.version < listing.horizon else NOT_IN_CLOUD
        case DeletedInCloud(seq=seq) if listing.complete or seq <= listing.horizon:
            return NOT_IN_CLOUD if isinstance(entry.agreed, NothingAgreed) else PURGED_FROM_CLOUD
        case PurgedFromCloud() if isinstance(entry.agreed, NothingAgreed):
            return NOT_IN_CLOUD
        case InCloud() | DeletedInCloud() | PurgedFromCloud() | NotInCloud():
            return entry.seen
        case _:
            assert_never(entry.seen)


def _remembered(agreed: Agreed, version: Version) -> tuple[Version, ...]:
    if isinstance(agreed, NothingAgreed):
        return ()
    older = tuple(known for known in known_versions(agreed) if known.revision != version.revision)
    return older[:REMEMBERED_VERSIONS]


def _with_versions(baseline: Baseline) -> Iterable[str]:
    return (note_id for note_id, entry in baseline.entries.items() if known_versions(entry.agreed))


def _seen_seq(seen: Seen) -> int:
    return seen.seq if isinstance(seen, InCloud | DeletedInCloud) else 0


def _live(entry: Entry) -> int:
    return 1 if isinstance(entry.seen, InCloud) else 0


def _mark(note_id: str, entry: Entry) -> int:
    if not isinstance(entry.seen, InCloud):
        return 0
    return _mark_of(note_id, entry.seen.hash)


def _mark_of(note_id: str, content: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{note_id} {content}".encode()).digest(), "big")
