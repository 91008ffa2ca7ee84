"""What a pass asks of the sync service, whatever carries it; `http_transport` is the real one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from oharness.core.errors import Failed
from oharness.protocol.commit import CommitAnswer, CommitRequest
from oharness.protocol.errors import ErrorAnswer, ErrorCode
from oharness.protocol.identity import IdentityAnswer
from oharness.protocol.snapshot import (
    BodiesAnswer,
    BodiesRequest,
    ListingAnswer,
    ListingRequest,
    PollAnswer,
    PollRequest,
)
from oharness.protocol.version1 import (
    OldCommitAnswer,
    OldCommitRequest,
    OldListingAnswer,
    OldListingRequest,
)


@dataclass(eq=False)
class ServiceUnreachable(Failed):
    """No answer came: whether the service did what it was asked is not known. May be asked again."""

    origin: str
    reason: str


def no_answer(origin: str, error: Exception) -> ServiceUnreachable:
    """The error for what a connection raised; some say nothing but their name, and some end their sentence."""
    said = str(error).rstrip(". ")
    return ServiceUnreachable(origin, f"{type(error).__name__}: {said}"[:300] if said else type(error).__name__)


@dataclass(eq=False)
class ServiceRefused(Failed):
    """The service answered with an error; `code` is None for an error of another program on the way."""

    code: ErrorCode | None
    status: int
    message: str = ""
    retry_after_s: float | None = None


@dataclass(eq=False)
class TooFrequent(ServiceRefused):
    """There were too many requests (429): nothing is asked for `retry_after_s` seconds, in any directory."""


@dataclass(eq=False)
class AccountErased(ServiceRefused):
    """The account was deleted at the Cloud (410), with everything that it had synced; notes here stay."""


@dataclass(eq=False)
class SignedOut(Failed):
    """Nobody is signed in, or the token was refused after one refresh (P-5, 401).

    `token_is_new`: the Cloud has just given the token that the service refused; signing in again would not help.
    """

    origin: str
    token_is_new: bool = False


def refusal(answer: ErrorAnswer) -> ServiceRefused:
    """An error answer as what a pass raises; too many requests wait a minute where it says nothing else."""
    kind = _KINDS.get(answer.code, ServiceRefused) if answer.code else ServiceRefused
    wait = 60.0 if kind is TooFrequent and answer.retry_after is None else answer.retry_after
    return kind(answer.code, answer.status, answer.message, wait)


_KINDS: Mapping[ErrorCode, type[ServiceRefused]] = {
    ErrorCode.RATE_LIMITED: TooFrequent,
    ErrorCode.ACCOUNT_ERASED: AccountErased,
}


@dataclass(slots=True)
class Traffic:
    """What went over the wire so far. Units: bytes of bodies as sent and received, compressed where they were."""

    requests: int = 0
    bytes_up: int = 0
    bytes_down: int = 0


class SyncTransport(Protocol):
    """One account at one service.

    Every method raises ServiceUnreachable, ServiceRefused, SignedOut or ProtocolBroken (the answer is no answer), and
    may be cancelled; then, as after ServiceUnreachable, the service may have done what it was asked. Nothing is sent
    twice by the transport itself, but for the same request once more after a refreshed token.
    """

    @property
    def traffic(self) -> Traffic:
        """Grows with each request."""
        ...

    async def identity(self) -> IdentityAnswer:
        """Who the service takes the caller for."""
        ...

    async def poll(self, request: PollRequest) -> PollAnswer:
        """Which scopes have changed."""
        ...

    async def listing(self, request: ListingRequest) -> ListingAnswer:
        """What is in a scope, or what changed in it."""
        ...

    async def bodies(self, request: BodiesRequest) -> BodiesAnswer:
        """Bodies by revision, as many as fit."""
        ...

    async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
        """Sends exactly `body`, the encoding of `request` that lies in the outbox."""
        ...

    async def old_listing(self, request: OldListingRequest) -> OldListingAnswer:
        """Snapshot of an old service (protocol 1)."""
        ...

    async def old_commit(self, request: OldCommitRequest) -> OldCommitAnswer:
        """Commit to an old service (protocol 1)."""
        ...
