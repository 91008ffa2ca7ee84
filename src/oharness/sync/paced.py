"""A transport whose every request waits for its turn, so that a process keeps to its number of requests."""

from collections.abc import Awaitable, Callable

from oharness.protocol.commit import CommitAnswer, CommitRequest
from oharness.protocol.identity import IdentityAnswer
from oharness.protocol.snapshot import (
    BodiesAnswer,
    BodiesRequest,
    ListingAnswer,
    ListingRequest,
    PollAnswer,
    PollRequest,
)
from oharness.protocol.version1 import OldCommitAnswer, OldCommitRequest, OldListingAnswer, OldListingRequest
from oharness.sync.transport import SyncTransport, Traffic


class Paced:
    """`turn` returns when the next request may be made, and counts it."""

    def __init__(self, through: SyncTransport, turn: Callable[[], Awaitable[None]]) -> None:
        self._through = through
        self._turn = turn

    @property
    def traffic(self) -> Traffic:
        return self._through.traffic

    async def identity(self) -> IdentityAnswer:
        await self._turn()
        return await self._through.identity()

    async def poll(self, request: PollRequest) -> PollAnswer:
        await self._turn()
        return await self._through.poll(request)

    async def listing(self, request: ListingRequest) -> ListingAnswer:
        await self._turn()
        return await self._through.listing(request)

    async def bodies(self, request: BodiesRequest) -> BodiesAnswer:
        await self._turn()
        return await self._through.bodies(request)

    async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
        await self._turn()
        return await self._through.commit(request, body)

    async def old_listing(self, request: OldListingRequest) -> OldListingAnswer:
        await self._turn()
        return await self._through.old_listing(request)

    async def old_commit(self, request: OldCommitRequest) -> OldCommitAnswer:
        await self._turn()
        return await self._through.old_commit(request)
