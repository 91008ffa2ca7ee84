"""`POST /v1/memory/snapshot`: where scopes stand, what changed, and the bodies asked for (section 4)."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from oharness.core.clock import Clock
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.protocol.claims import Claims
from oharness.protocol.errors import ErrorCode
from oharness.protocol.snapshot import (
    BodiesAnswer,
    BodiesRequest,
    EncodedNote,
    ListedNote,
    ListingAnswer,
    ListingRequest,
    PollAnswer,
    PollQuery,
    PollRequest,
    PollState,
    SentBody,
    WantedBody,
)
from oharness.protocol.values import Epoch
from oharness.syncserver.bodies import BodyStore, WantedObject
from oharness.syncserver.erased import account_erased, refuse_erased_account
from oharness.syncserver.keys import manifest_key
from oharness.syncserver.manifest import Manifest, has_lost, is_changed, list_changes
from oharness.syncserver.manifest_format1 import old_epoch
from oharness.syncserver.manifest_store import ManifestStore
from oharness.syncserver.objects.base import ObjectStore, StoreUnavailable
from oharness.syncserver.refusal import RequestRefused, refused
from oharness.syncserver.standing import Limits, refuse_other_account, standing_of
from oharness.syncserver.stored_note import outgoing_note


@dataclass(frozen=True, slots=True)
class Listed:
    """A listing: `answer` without its notes, the first of them, and `more` as they are read; None where that is all."""

    answer: ListingAnswer
    first: Sequence[EncodedNote]
    more: AsyncGenerator[Sequence[EncodedNote], None] | None = None


class SnapshotService:
    """Reads what the store holds; writes nothing."""

    def __init__(self, store: ObjectStore, manifests: ManifestStore, limits: Limits, clock: Clock) -> None:
        self._store = store
        self._manifests = manifests
        self._limits = limits
        self._clock = clock

    async def poll(self, claims: Claims, request: PollRequest) -> PollAnswer:
        """Where each polled scope stands (P-20).

        Raises: RequestRefused, StoreUnavailable, ManifestUnreadable.
        """
        refuse_other_account(claims, request.user_id)
        await refuse_erased_account(self._store, claims.account)
        states = await asyncio.gather(*(self._state(claims, query) for query in request.queries))
        return PollAnswer(standing_of(claims, self._limits), tuple(states))

    async def list(self, claims: Claims, request: ListingRequest) -> "Listed":
        """What changed after `since`, with the bodies that are not in `have` as far as they fit (P-21, P-22).

        Raises: RequestRefused, StoreUnavailable, ManifestUnreadable.
        """
        refuse_other_account(claims, request.user_id)
        await refuse_erased_account(self._store, claims.account)
        key = manifest_key(claims.account, request.scope)
        manifest = await self._manifest(key)
        if has_lost(manifest, request.epoch, request.since, old_epoch(key), request.latest):
            raise _was_restored(manifest)
        listing = list_changes(manifest, request.epoch, request.since, old_epoch(key))
        bodies = BodyStore(self._store, self._clock, claims.account, request.scope)
        parts = self._in_parts(bodies, listing.notes, frozenset(request.have))
        first = await anext(parts)
        answer = ListingAnswer(
            standing=standing_of(claims, self._limits, request.scope),
            epoch=Epoch(manifest.epoch),
            version=manifest.version,
            complete=listing.complete,
            horizon=manifest.horizon,
            notes=(),
            tombstones=listing.tombstones,
            check=self._manifests.check(key, manifest),
        )
        return Listed(answer, first, None if len(first) == len(listing.notes) else parts)

    async def bodies(self, claims: Claims, request: BodiesRequest) -> BodiesAnswer:
        """The bodies of revisions, whether or not they still are the latest (P-23).

        Raises: RequestRefused, StoreUnavailable, ManifestUnreadable.
        """
        refuse_other_account(claims, request.user_id)
        await refuse_erased_account(self._store, claims.account)
        manifest = await self._manifest(manifest_key(claims.account, request.scope))
        store = BodyStore(self._store, self._clock, claims.account, request.scope)
        wanted = [_wanted(manifest, one) for one in request.wanted]
        read = await store.read(wanted, self._limits.quota.max_response_bytes)
        revisions = {one.id: one.revision for one in request.wanted}
        sent = [
            SentBody(note_id, revisions[note_id], content_hash(note), note)
            for note_id, note in read.items()
            if note is not None and _is_intact(manifest, note_id, revisions[note_id], note)
        ]
        gone = read.keys() - {one.id for one in sent}
        return BodiesAnswer(standing_of(claims, self._limits, request.scope), tuple(sent), tuple(sorted(gone)))

    async def with_bodies(
        self, bodies: BodyStore, entries: tuple[ListedNote, ...], have: frozenset[str]
    ) -> tuple[ListedNote, ...]:
        """The entries, with their notes where the caller lacks them and the answer has room.

        Raises: StoreUnavailable.
        """
        read = await bodies.read(_lacking(entries, have), self._limits.quota.max_response_bytes)
        return tuple(entry if (note := read.get(entry.id)) is None else replace(entry, note=note) for entry in entries)

    async def _in_parts(
        self, bodies: BodyStore, entries: tuple[ListedNote, ...], have: frozenset[str]
    ) -> AsyncGenerator[Sequence[EncodedNote], None]:
        """The same in one part or more, as the bodies are read; when the store fails after the first, without them."""
        lacking, limit = _lacking(entries, have), self._limits.quota.max_response_bytes
        at = 0
        try:
            async for read in bodies.read_in_parts(lacking, limit, outgoing_note):
                end = _after_last(entries, at, read)
                yield [
                    EncodedNote(entry, note.json if (note := read.get(entry.id)) else None) for entry in entries[at:end]
                ]
                at = end
        except StoreUnavailable:
            if not at:
                raise
        if at < len(entries) or not at:
            yield [EncodedNote(entry, None) for entry in entries[at:]]

    async def _state(self, claims: Claims, query: PollQuery) -> PollState:
        key = manifest_key(claims.account, query.scope)
        manifest = await self._manifest(key)
        changed = is_changed(manifest, query.epoch, query.since, old_epoch(key), query.latest)
        return PollState(query.scope, Epoch(manifest.epoch), manifest.version, changed)

    async def _manifest(self, key: str) -> Manifest:
        manifest = (await self._manifests.read(key)).manifest
        if manifest.erased:
            raise account_erased()
        return manifest


def _lacking(entries: Iterable[ListedNote], have: Collection[str]) -> list[WantedObject]:
    return [WantedObject(entry.id, entry.revision, entry.bytes) for entry in entries if entry.hash not in have]


def _after_last(entries: Sequence[ListedNote], at: int, read: Mapping[str, object]) -> int:
    """The place behind the last entry whose body was read."""
    last = next(reversed(list(read)), None)
    while last is not None and entries[at].id != last:
        at += 1
    return at if last is None else at + 1


def _was_restored(manifest: Manifest) -> RequestRefused:
    message = "The cloud side was restored from an old copy; list all of it."
    return refused(ErrorCode.EPOCH_CHANGED, message, details={"epoch": manifest.epoch, "version": manifest.version})


def _wanted(manifest: Manifest, one: WantedBody) -> WantedObject:
    entry = manifest.notes.get(one.id)
    is_current = entry is not None and entry.revision == one.revision
    return WantedObject(one.id, one.revision, entry.bytes if entry is not None and is_current else 0)


def _is_intact(manifest: Manifest, note_id: str, revision: str, note: Note) -> bool:
    """Whether a current revision still is what the manifest says; of older ones nobody knows more than they say."""
    entry = manifest.notes.get(note_id)
    if entry is None or entry.revision != revision:
        return True
    return content_hash(note) == entry.hash
