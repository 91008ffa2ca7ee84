"""The sync service over HTTP. Trusts nothing that comes back: sizes are capped, shapes are checked, no redirects.

One request is sent once. Only a 401 sends the same bytes again, after the token was refreshed (P-5).
"""

import zlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import urlsplit

from oharness.core.clock import Clock
from oharness.core.errors import WrongUsage
from oharness.protocol.commit import COMMIT_PATH, CommitAnswer, CommitRequest, decode_commit_answer
from oharness.protocol.errors import ProtocolBroken, decode_error
from oharness.protocol.identity import IDENTITY_PATH, IdentityAnswer, decode_identity_answer
from oharness.protocol.listing_reader import ListingReader
from oharness.protocol.snapshot import (
    SNAPSHOT_PATH,
    BodiesAnswer,
    BodiesRequest,
    ListingAnswer,
    ListingRequest,
    PollAnswer,
    PollRequest,
    decode_bodies_answer,
    decode_poll_answer,
    encode_snapshot_request,
)
from oharness.protocol.version1 import (
    OldCommitAnswer,
    OldCommitRequest,
    OldListingAnswer,
    OldListingRequest,
    decode_old_commit_answer,
    decode_old_listing_answer,
    encode_old_commit_request,
    encode_old_listing_request,
)
from oharness.protocol.versions import CURRENT, OLD, PROTOCOL_HEADER
from oharness.sync.patience import within
from oharness.sync.transport import ServiceUnreachable, SignedOut, Traffic, no_answer, refusal
from oharness.sync.undisturbed import undisturbed

if TYPE_CHECKING:
    import httpx2

MAX_ANSWER_BYTES = 100_663_296
"""96 MiB after decompression: more than any answer of a service that keeps to its own quota."""
_MAX_ERROR_BYTES = 65_536
_COMPRESS_FROM_BYTES = 4096
_CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 60.0
_HEADERS_SECONDS = 120.0
_SLOWEST = 1024
"""Bytes in a second, on average, that a request has to go out with, and an answer to come in with once it has taken
longer than it may be idle."""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")

_Answer = TypeVar("_Answer")


@dataclass(eq=False)
class InsecureAddress(WrongUsage):
    """The address is neither https nor this machine: a token must not go there (P-1)."""

    address: str


class Tokens(Protocol):
    """Where access tokens come from."""

    async def access_token(self) -> str | None:
        """The present one; None when nobody is signed in."""
        ...

    async def refreshed(self, refused: str) -> str | None:
        """A new one after `refused` was not accepted; None when there is none to be had."""
        ...


class HttpTransport:
    """One service for one account, over one kept connection. Close it when done."""

    def __init__(self, origin: str, tokens: Tokens, clock: Clock, client: "httpx2.AsyncClient | None" = None) -> None:
        """`client` is for tests that carry requests in some other way.

        Raises: InsecureAddress.
        """
        self.origin = checked_origin(origin)
        self._tokens = tokens
        self._clock = clock
        self._client = client
        self._traffic = Traffic()

    @property
    def traffic(self) -> Traffic:
        return self._traffic

    async def close(self) -> None:
        """Lets go of the connection."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def identity(self) -> IdentityAnswer:
        return await self._ask(IDENTITY_PATH, None, CURRENT, decode_identity_answer)

    async def poll(self, request: PollRequest) -> PollAnswer:
        body = encode_snapshot_request(request)
        return await self._ask(SNAPSHOT_PATH, body, CURRENT, decode_poll_answer)

    async def listing(self, request: ListingRequest) -> ListingAnswer:
        reader = ListingReader()
        body = encode_snapshot_request(request)
        return await self._ask(SNAPSHOT_PATH, body, CURRENT, reader.whole, reader.feed)

    async def bodies(self, request: BodiesRequest) -> BodiesAnswer:
        body = encode_snapshot_request(request)
        return await self._ask(SNAPSHOT_PATH, body, CURRENT, decode_bodies_answer)

    async def commit(self, request: CommitRequest, body: bytes) -> CommitAnswer:
        return await self._ask(COMMIT_PATH, body, CURRENT, lambda answer: decode_commit_answer(answer, request))

    async def old_listing(self, request: OldListingRequest) -> OldListingAnswer:
        return await self._ask(SNAPSHOT_PATH, encode_old_listing_request(request), OLD, decode_old_listing_answer)

    async def old_commit(self, request: OldCommitRequest) -> OldCommitAnswer:
        body = encode_old_commit_request(request)
        return await self._ask(COMMIT_PATH, body, OLD, lambda answer: decode_old_commit_answer(answer, request))

    async def _ask(
        self,
        path: str,
        body: bytes | None,
        protocol: int,
        decode: Callable[[bytes], _Answer],
        feed: Callable[[bytes], None] = lambda part: None,
    ) -> _Answer:
        """The answer; `feed` is given the bytes of a success as they arrive."""
        token = await self._tokens.access_token()
        if token is None:
            raise SignedOut(self.origin)
        status, headers, answer = await self._send(path, body, protocol, token, feed)
        if status == 401:
            token = await self._tokens.refreshed(token)
            if token is None:
                raise SignedOut(self.origin)
            status, headers, answer = await self._send(path, body, protocol, token, feed)
            if status == 401:
                raise SignedOut(self.origin, token_is_new=True)
        if status == 200:
            return decode(answer)
        if status < 400:
            raise ProtocolBroken(f"status {status}")
        raise refusal(decode_error(status, answer, headers.get("retry-after"), self._clock.now_ms()))

    async def _send(
        self, path: str, body: bytes | None, protocol: int, token: str, feed: Callable[[bytes], None]
    ) -> "tuple[int, httpx2.Headers, bytes]":
        import httpx2  # slow to import, and only sync needs it

        headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "gzip"}
        if protocol == CURRENT:
            headers[PROTOCOL_HEADER] = str(CURRENT)
        sent = b""
        if body is not None:
            headers["Content-Type"] = "application/json"
            sent = _gzipped(body) if len(body) >= _COMPRESS_FROM_BYTES else body
            if sent is not body:
                headers["Content-Encoding"] = "gzip"
        self._traffic.requests += 1
        self._traffic.bytes_up += len(sent)
        method = "GET" if body is None else "POST"
        try:
            stream = self._connected().stream(method, self.origin + path, headers=headers, content=sent or None)
            async with AsyncExitStack() as opened:
                async with within(_HEADERS_SECONDS + len(sent) / _SLOWEST, self.origin):
                    response = await opened.enter_async_context(stream)
                limit = MAX_ANSWER_BYTES if response.status_code == 200 else _MAX_ERROR_BYTES
                answer = await self._read(response, limit, feed if response.status_code == 200 else lambda part: None)
                return response.status_code, response.headers, answer
        except (httpx2.TransportError, httpx2.DecodingError, httpx2.InvalidURL) as error:
            raise no_answer(self.origin, error) from error

    async def _read(self, response: "httpx2.Response", limit: int, feed: Callable[[bytes], None]) -> bytes:
        """The decompressed body; an answer that is over the limit, or drips, is dropped before all of it is read."""
        parts: list[bytes] = []
        size = 0
        begun = self._clock.monotonic()
        async for part in response.aiter_bytes():
            size += len(part)
            taken = self._clock.monotonic() - begun
            if taken > _IDLE_SECONDS and response.num_bytes_downloaded < taken * _SLOWEST:
                raise ServiceUnreachable(self.origin, f"less than {_SLOWEST} bytes in a second")
            if size > limit:
                raise ProtocolBroken(f"an answer of more than {limit} bytes")
            parts.append(part)
            with undisturbed():
                feed(part)
        self._traffic.bytes_down += response.num_bytes_downloaded
        return b"".join(parts)

    def _connected(self) -> "httpx2.AsyncClient":
        if self._client is None:
            import httpx2

            timeout = httpx2.Timeout(_IDLE_SECONDS, connect=_CONNECT_SECONDS)
            self._client = httpx2.AsyncClient(timeout=timeout, follow_redirects=False)
        return self._client


def checked_origin(address: str) -> str:
    """Scheme, host and port of an address, without a final slash.

    Raises: InsecureAddress.
    """
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InsecureAddress(address) from None
    secure = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    if not host or not secure or parts.username or parts.query or parts.fragment:
        raise InsecureAddress(address)
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


def _gzipped(body: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return packer.compress(body) + packer.flush()
