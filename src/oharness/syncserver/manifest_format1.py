"""Manifests as the old protocol kept them: read as if they had an epoch, written for `--protocol 1` (P-53). Pure.

Format 1 is `{"format": 1, "version", "notes": {id: {"hash","revision","bytes","updatedAt"}},
"tombstones": {id: {"hash","deletedAt"}}}`.
"""

import hashlib
from collections.abc import Mapping

import msgspec

from oharness.syncserver.manifest import (
    Manifest,
    ManifestUnreadable,
    NoteEntry,
    TombstoneEntry,
    Writer,
    decode_manifest,
    encode_manifest,
)

OLD_FORMAT = 1
_UNKNOWN_HASH = "0" * 64


class _OldNote(msgspec.Struct, rename="camel", frozen=True):
    hash: str
    revision: str
    bytes: int
    updated_at: int


class _OldTombstone(msgspec.Struct, rename="camel", frozen=True):
    deleted_at: int
    hash: str = _UNKNOWN_HASH


class _OldManifest(msgspec.Struct, rename="camel", frozen=True):
    version: int
    notes: Mapping[str, _OldNote]
    tombstones: Mapping[str, _OldTombstone]
    format: int = OLD_FORMAT


def old_epoch(key: str) -> str:
    """The epoch that a manifest of format 1 under this key has."""
    return "f1-" + hashlib.sha256(key.encode()).hexdigest()[:32]


def decode_any_manifest(data: bytes, key: str) -> Manifest:
    """The manifest of the bytes, whichever format they are in.

    Raises: ManifestUnreadable.
    """
    try:
        return decode_manifest(data)
    except ManifestUnreadable as unreadable:
        try:
            old = msgspec.json.decode(data, type=_OldManifest)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise unreadable from None
        if old.format != OLD_FORMAT:
            raise
        return _upgraded(old, key)


def encode_any_manifest(manifest: Manifest) -> bytes:
    """The bytes to store, in the format that the manifest names."""
    return _downgraded(manifest) if manifest.format == OLD_FORMAT else encode_manifest(manifest)


def _upgraded(old: _OldManifest, key: str) -> Manifest:
    return Manifest(
        format=OLD_FORMAT,
        epoch=old_epoch(key),
        version=old.version,
        nonce="",
        written_by=Writer("", ""),
        horizon=0,
        devices={},
        notes={
            note_id: NoteEntry(note.hash, note.revision, old.version, note.bytes, note.updated_at)
            for note_id, note in old.notes.items()
        },
        tombstones={
            note_id: TombstoneEntry(old.version, f"f1-{old.version}", stone.hash, (), stone.deleted_at)
            for note_id, stone in old.tombstones.items()
        },
    )


def _downgraded(manifest: Manifest) -> bytes:
    return msgspec.json.encode(
        _OldManifest(
            version=manifest.version,
            notes={
                note_id: _OldNote(entry.hash, entry.revision, entry.bytes, entry.updated_at)
                for note_id, entry in manifest.notes.items()
            },
            tombstones={
                note_id: _OldTombstone(entry.deleted_at, entry.hash) for note_id, entry in manifest.tombstones.items()
            },
        )
    )
