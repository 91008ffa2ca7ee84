"""A service of protocol 1 behind the present transport: project notes without type or extra keys (P-50, P-53).

The hash of a note stands for its revision, every listing is complete, and nothing has an epoch. Notes that the old
service cannot hold are refused here, one by one, and stay on this machine.
"""

from dataclasses import dataclass, replace

from oharness.core.errors import Failed
from oharness.core.scopes import Scope, ScopeKind
from oharness.protocol.commit import (
    Change,
    ChangeResult,
    ChangeStatus,
    CommitAnswer,
    CommitRequest,
    CurrentEntry,
    Delete,
    Put,
)
from oharness.protocol.errors import ErrorCode
from oharness.protocol.identity import IdentityAnswer
from oharness.protocol.snapshot import (
    BodiesAnswer,
    BodiesRequest,
    Check,
    ListedNote,
    ListedTombstone,
    ListingAnswer,
    ListingRequest,
    PollAnswer,
    PollRequest,
    PollState,
    SentBody,
)
from oharness.protocol.values import NO_EPOCH, Revision
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
from oharness.reconcile.baseline import live_check
from oharness.sync.transport import SyncTransport, Traffic

_UNKNOWN_HASH = "0" * 64
_DELETED = Revision("deleted")
"""What stands for the revision of a tombstone, which the old service does not name."""


@dataclass(eq=False)
class ServerTooOld(Failed):
    """The sync service is older than what the scope needs: the user's own notes, or one that was in version 2."""

    scope: str


class OldService:
    """One project of one account at an old service."""

    def __init__(self, service: SyncTransport, scope: Scope) -> None:
        """Raises: ServerTooOld for the user's own notes."""
        if scope.kind is ScopeKind.USER:
            raise ServerTooOld(scope.key)
        self._service = service
        self._project_id = scope.project_id
        self._listed: frozenset[str] = frozenset()

    @property
    def traffic(self) -> Traffic:
        return self._service.traffic

    async def identity(self) -> IdentityAnswer:
        return await self._service.identity()

    async def poll(self, request: PollRequest) -> PollAnswer:
        answer = await self._ask(frozenset())
        states = tuple(
            PollState(query.scope, NO_EPOCH, answer.version, answer.version != query.since) for query in request.queries
        )
        return PollAnswer(answer.standing, states)

    async def listing(self, request: ListingRequest) -> ListingAnswer:
        answer = await self._ask(frozenset(request.have))
        notes = tuple(_listed(note) for note in answer.notes)
        check = live_check((note.id, note.hash) for note in notes)
        return ListingAnswer(
            standing=answer.standing,
            epoch=NO_EPOCH,
            version=answer.version,
            complete=True,
            horizon=0,
            notes=notes,
            tombstones=tuple(_tombstone(one) for one in answer.tombstones),
            check=Check(check.count, check.hex),
        )

    async def bodies(self, request: BodiesRequest) -> BodiesAnswer:
        """The old service sends bodies with its listing, and those that one does not claim to have."""
        wanted = {one.id: one.revision for one in request.wanted}
        answer = await self._ask(self._listed - set(wanted.values()))
        sent = tuple(
            SentBody(note.id, Revision(note.hash), note.hash, note.note)
            for note in answer.notes
            if note.note is not None and wanted.get(note.id) == note.hash
        )
        there = {note.id for note in answer.notes if wanted.get(note.id) == note.hash}
        return BodiesAnswer(answer.standing, sent, tuple(sorted(wanted.keys() - there)))

    async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
        """Sends what the old service can hold; nothing tells it a repeated commit from a new one."""
        sendable = [change for change in request.changes if _can_be_sent(change)]
        old = OldCommitRequest(self._project_id, tuple(_old_change(change) for change in sendable))
        answer = await self._service.old_commit(old)
        results = {change.id: _result(change, result) for change, result in zip(sendable, answer.results, strict=True)}
        return CommitAnswer(
            standing=answer.standing,
            epoch=NO_EPOCH,
            previous_version=answer.version,
            version=answer.version,
            results=tuple(
                results.get(change.id) or ChangeResult(change.id, ChangeStatus.REFUSED, code=ErrorCode.UPGRADE_REQUIRED)
                for change in request.changes
            ),
        )

    async def old_listing(self, request: OldListingRequest) -> OldListingAnswer:
        return await self._service.old_listing(request)

    async def old_commit(self, request: OldCommitRequest) -> OldCommitAnswer:
        return await self._service.old_commit(request)

    async def _ask(self, have: frozenset[str]) -> OldListingAnswer:
        request = OldListingRequest(self._project_id, tuple(sorted(have)))
        answer = await self._service.old_listing(request)
        self._listed = frozenset(note.hash for note in answer.notes)
        return answer


def _listed(note: OldListedNote) -> ListedNote:
    size = len(note.note.body.encode()) if note.note else 0
    return ListedNote(note.id, note.hash, Revision(note.hash), 0, size, note.note)


def _tombstone(one: OldTombstone) -> ListedTombstone:
    return ListedTombstone(one.id, 0, _DELETED, _UNKNOWN_HASH, (), one.deleted_at)


def _can_be_sent(change: Change) -> bool:
    return isinstance(change, Delete) or (change.note.type is None and not change.note.extra)


def _old_change(change: Change) -> OldChange:
    base = change.base if change.base != _UNKNOWN_HASH else None
    return OldPut(change.id, base, change.note) if isinstance(change, Put) else OldDelete(change.id, base)


def _result(change: Change, result: ChangeResult) -> ChangeResult:
    """An old result in present terms: hashes for revisions, and no sequence."""
    current = _current(result.current) if result.current else None
    accepted = result.status in (ChangeStatus.APPLIED, ChangeStatus.UNCHANGED)
    if accepted and isinstance(change, Put):
        return ChangeResult(change.id, result.status, change.hash, Revision(change.hash), 0)
    if accepted:
        return ChangeResult(change.id, result.status, _UNKNOWN_HASH, _DELETED, 0)
    return replace(result, current=current)


def _current(entry: CurrentEntry) -> CurrentEntry:
    if isinstance(entry, ListedNote):
        return replace(entry, revision=Revision(entry.hash), seq=0)
    return replace(entry, revision=_DELETED, hash=_UNKNOWN_HASH, prev=(), seq=0)
