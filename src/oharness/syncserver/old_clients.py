"""What clients of protocol 1 are answered (section 8): project scope, versions told by hash, their shapes.

Notes with a type or with extra keys go out with their full hash and without either, so that an old client sees a
checksum error and stops until it is upgraded (P-51, P-53).
"""

from dataclasses import replace

from oharness.core.clock import Clock, Millis
from oharness.core.randomness import Randomness
from oharness.core.scopes import project_scope
from oharness.notes.hashing import content_hash
from oharness.notes.note import NOTHING_EXTRA, Note
from oharness.protocol.claims import Claims
from oharness.protocol.commit import Change, CommitRequest, Delete, Put
from oharness.protocol.values import Epoch, Revision
from oharness.protocol.version1 import (
    OldChange,
    OldCommitAnswer,
    OldCommitRequest,
    OldDelete,
    OldListedNote,
    OldListingAnswer,
    OldListingRequest,
    OldPut,
    OldTombstone,
)
from oharness.syncserver.bodies import BodyStore
from oharness.syncserver.commit import CommitService
from oharness.syncserver.erased import account_erased, refuse_erased_account
from oharness.syncserver.keys import manifest_key
from oharness.syncserver.manifest import Manifest, listed_note
from oharness.syncserver.manifest_store import ManifestStore
from oharness.syncserver.objects.base import ObjectStore
from oharness.syncserver.snapshot import SnapshotService
from oharness.syncserver.standing import Limits, standing_of


class OldClientService:
    """The old endpoints on top of the present ones."""

    def __init__(
        self,
        store: ObjectStore,
        manifests: ManifestStore,
        snapshots: SnapshotService,
        commits: CommitService,
        limits: Limits,
        clock: Clock,
        randomness: Randomness,
    ) -> None:
        self._store = store
        self._manifests = manifests
        self._snapshots = snapshots
        self._commits = commits
        self._limits = limits
        self._clock = clock
        self._randomness = randomness

    async def list(self, claims: Claims, request: OldListingRequest) -> OldListingAnswer:
        """Everything of one project.

        Raises: RequestRefused, StoreUnavailable, ManifestUnreadable.
        """
        scope = project_scope(request.project_id)
        await refuse_erased_account(self._store, claims.account)
        manifest = (await self._manifests.read(manifest_key(claims.account, scope))).manifest
        if manifest.erased:
            raise account_erased()
        bodies = BodyStore(self._store, self._clock, claims.account, scope)
        entries = tuple(listed_note(note_id, entry) for note_id, entry in manifest.notes.items())
        filled = await self._snapshots.with_bodies(bodies, entries, frozenset(request.have))
        return OldListingAnswer(
            standing=standing_of(claims, self._limits, scope),
            version=manifest.version,
            notes=tuple(
                OldListedNote(entry.id, entry.hash, None if entry.note is None else _as_old(entry.note))
                for entry in filled
            ),
            tombstones=tuple(
                OldTombstone(note_id, Millis(entry.deleted_at)) for note_id, entry in manifest.tombstones.items()
            ),
        )

    async def commit(self, claims: Claims, request: OldCommitRequest) -> OldCommitAnswer:
        """What became of each change.

        Raises: RequestRefused, StoreUnavailable, ManifestUnreadable.
        """
        scope = project_scope(request.project_id)
        standing = standing_of(claims, self._limits, scope)
        commit_id = self._randomness.uuid()
        present = CommitRequest(scope, Epoch(""), "", commit_id, ())

        def request_on(manifest: Manifest) -> CommitRequest:
            changes = tuple(_as_present(change, manifest) for change in request.changes)
            return replace(present, epoch=Epoch(manifest.epoch), changes=changes)

        outcome = await self._commits.submit(claims, standing, scope, request_on)
        return OldCommitAnswer(standing, outcome.version, outcome.results)


def _as_old(note: Note) -> Note:
    return replace(note, type=None, extra=NOTHING_EXTRA)


def _as_present(change: OldChange, manifest: Manifest) -> Change:
    """The change as a client of today would send it: its base hash stands for the revision that has it."""
    revision = _revision_with(manifest, change.id, change.base)
    match change:
        case OldPut():
            note = _as_old(change.note)
            return Put(change.id, revision, change.base, content_hash(note), note)
        case OldDelete():
            return Delete(change.id, revision, change.base)


def _revision_with(manifest: Manifest, note_id: str, base: str | None) -> Revision | None:
    """The present revision if it is what the change derives from.

    An old client cannot name a tombstone: a note edited against a deletion, or made anew, goes over it; an
    old copy is told by its hash all the same (P-32).
    """
    live, tombstone = manifest.notes.get(note_id), manifest.tombstones.get(note_id)
    if live is not None:
        return Revision(live.revision) if live.hash == base else None
    return None if tombstone is None else Revision(tombstone.revision)
