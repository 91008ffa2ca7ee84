"""What a scope holds: the manifest as a value, its bytes, and what it lists (protocol P-24 to P-26, P-40). Pure."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from oharness.core.clock import Millis
from oharness.core.errors import Failed
from oharness.protocol.commit import ResultShape
from oharness.protocol.snapshot import Check, KnownRevision, ListedNote, ListedTombstone
from oharness.protocol.values import NO_EPOCH, Epoch, Revision

FORMAT = 2
MAX_DEVICES = 50
MAX_PREV = 8
MAX_RECENT = 8
DEVICE_DAYS = 90
DAY_MS = 86_400_000


@dataclass(eq=False)
class ManifestUnreadable(Failed):
    """A manifest in the store that this version cannot read; nothing is written over it."""

    reason: str


class _Kept(msgspec.Struct, rename="camel", frozen=True, omit_defaults=True):
    """JSON in the manifest, camelCase keys; the values are used as they are decoded."""


class NoteEntry(_Kept, frozen=True):
    """A live note. `prev` are earlier hashes, `recent` the revisions that commits gave it, newest last (P-31)."""

    hash: str
    revision: str
    seq: int
    bytes: int
    updated_at: int
    prev: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()


class TombstoneEntry(_Kept, frozen=True):
    """A deleted note: `hash` is the deleted content's, `prev` the ones before it."""

    seq: int
    revision: str
    hash: str
    prev: tuple[str, ...]
    deleted_at: int
    recent: tuple[str, ...] = ()


class DeviceEntry(_Kept, frozen=True):
    """A device's last commit with its results, to be answered again (P-31)."""

    commit_id: str
    version: int
    previous_version: int
    results: tuple[ResultShape, ...]
    at: int


class Writer(_Kept, frozen=True):
    """Who wrote the manifest."""

    device: str
    commit_id: str


class Manifest(_Kept, frozen=True):
    """Everything about a scope but the bodies. Version 0 with an empty epoch stands for no manifest at all."""

    format: int
    epoch: str
    version: int
    nonce: str
    written_by: Writer
    horizon: int
    devices: Mapping[str, DeviceEntry]
    notes: Mapping[str, NoteEntry]
    tombstones: Mapping[str, TombstoneEntry]
    erased: bool = False


NO_MANIFEST = Manifest(
    format=FORMAT,
    epoch=NO_EPOCH,
    version=0,
    nonce="",
    written_by=Writer("", ""),
    horizon=0,
    devices={},
    notes={},
    tombstones={},
)


def encode_manifest(manifest: Manifest) -> bytes:
    """The bytes of `manifest.json`."""
    return msgspec.json.encode(manifest)


_DECODER = msgspec.json.Decoder(Manifest)


def decode_manifest(data: bytes) -> Manifest:
    """The manifest of the bytes.

    Raises: ManifestUnreadable.
    """
    try:
        manifest = _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ManifestUnreadable(str(error)) from error
    if manifest.format != FORMAT:
        raise ManifestUnreadable(f"format {manifest.format}")
    return manifest


def erased_manifest(epoch: str, nonce: str) -> Manifest:
    """What stands in for the manifest of an erased scope, so that a late conditional write fails."""
    return Manifest(FORMAT, epoch, 0, nonce, Writer("", ""), 0, {}, {}, {}, erased=True)


def check_of(manifest: Manifest) -> Check:
    """Count and XOR over the live notes (P-24)."""
    total = 0
    for note_id, entry in manifest.notes.items():
        total ^= _mark(note_id, entry)
    return Check(len(manifest.notes), f"{total:064x}")


def check_after(before: Manifest, check: Check, manifest: Manifest) -> Check:
    """The same as `check_of(manifest)`, from the check of another manifest that shares most entries with it."""
    total = int(check.xor, 16)
    for note_id, entry in manifest.notes.items():
        earlier = before.notes.get(note_id)
        if earlier is not entry and (earlier is None or earlier.hash != entry.hash):
            total ^= _mark(note_id, entry) ^ (_mark(note_id, earlier) if earlier else 0)
    for note_id in before.notes.keys() - manifest.notes.keys():
        total ^= _mark(note_id, before.notes[note_id])
    return Check(len(manifest.notes), f"{total:064x}")


def _mark(note_id: str, entry: NoteEntry) -> int:
    return int.from_bytes(hashlib.sha256(f"{note_id} {entry.hash}".encode()).digest(), "big")


def listed_note(note_id: str, entry: NoteEntry) -> ListedNote:
    """A live note as listings and mismatches name it."""
    return ListedNote(note_id, entry.hash, Revision(entry.revision), entry.seq, entry.bytes)


def listed_tombstone(note_id: str, entry: TombstoneEntry) -> ListedTombstone:
    """A deleted note as listings and mismatches name it."""
    return ListedTombstone(
        note_id, entry.seq, Revision(entry.revision), entry.hash, entry.prev, Millis(entry.deleted_at)
    )


@dataclass(frozen=True, slots=True)
class Listing:
    """The part of a manifest that a client has to hear of; `complete` when that is all of it."""

    complete: bool
    notes: tuple[ListedNote, ...]
    tombstones: tuple[ListedTombstone, ...]


def list_changes(manifest: Manifest, epoch: Epoch | None, since: int | None, old_epoch: str) -> Listing:
    """What changed after `since` when epoch and since are valid here, else everything (P-21, P-26).

    `old_epoch` is the epoch that a scope written by the old protocol has; a baseline without one matches it (P-53).
    """
    known = since is not None and same_epoch(manifest, epoch or NO_EPOCH, old_epoch)
    if since is None or not known or not manifest.horizon <= since <= manifest.version:
        since, complete = -1, True
    else:
        complete = False
    return Listing(
        complete=complete,
        notes=tuple(listed_note(i, e) for i, e in manifest.notes.items() if e.seq > since),
        tombstones=tuple(listed_tombstone(i, e) for i, e in manifest.tombstones.items() if e.seq > since),
    )


def is_changed(
    manifest: Manifest, epoch: Epoch, since: int, old_epoch: str, latest: KnownRevision | None = None
) -> bool:
    """Whether a baseline of that epoch and version has something to hear of."""
    is_there = manifest.version == since and same_epoch(manifest, epoch, old_epoch)
    return not is_there or has_lost(manifest, epoch, since, old_epoch, latest)


def has_lost(
    manifest: Manifest, epoch: Epoch | None, since: int | None, old_epoch: str, latest: KnownRevision | None
) -> bool:
    """Whether the storage was set back to before a revision, and went on past the version it was seen at (P-25).

    Only where epoch and version would say nothing. Unknown, and so not lost, is a revision of a note that changed more
    often than is remembered, or whose tombstone may be gone; and in a scope of the old protocol, which remembered none.
    """
    if latest is None or since is None or manifest.epoch != epoch or manifest.epoch == old_epoch:
        return False
    if not manifest.horizon < since <= manifest.version:
        return False
    entry = manifest.notes.get(latest.id) or manifest.tombstones.get(latest.id)
    return entry is None or (latest.revision not in entry.recent and len(entry.recent) < MAX_RECENT)


def same_epoch(manifest: Manifest, epoch: Epoch, old_epoch: str) -> bool:
    """Whether a client that names this epoch means this manifest."""
    if not epoch and manifest.epoch == old_epoch:
        return True
    return manifest.epoch == epoch
