"""The service as an ASGI application: routes, what each request has to pass, and errors as answers."""

import asyncio
import contextlib
import hmac
import logging
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.protocol.claims import Claims
from oharness.protocol.commit import COMMIT_PATH, decode_commit_request, encode_commit_answer
from oharness.protocol.erase import ERASE_PATH, decode_erase_request, encode_erase_answer
from oharness.protocol.errors import (
    DEFAULT_RETRY_AFTER_S,
    ErrorAnswer,
    ErrorCode,
    InvalidRequest,
    encode_error,
    error_answer,
)
from oharness.protocol.feeds import (
    FEED_PATH,
    AppendAnswer,
    Feed,
    decode_append_request,
    encode_append_answer,
    encode_events_answer,
    encode_sessions_answer,
    read_after,
    read_feed,
    read_session,
)
from oharness.protocol.identity import IDENTITY_PATH, IdentityAnswer, encode_identity_answer
from oharness.protocol.snapshot import (
    SNAPSHOT_PATH,
    BodiesRequest,
    ListingRequest,
    PollRequest,
    SnapshotRequest,
    decode_snapshot_request,
    encode_bodies_answer,
    encode_poll_answer,
)
from oharness.protocol.version1 import (
    decode_old_commit_request,
    decode_old_listing_request,
    encode_old_commit_answer,
    encode_old_listing_answer,
)
from oharness.protocol.versions import CURRENT, OLD, PROTOCOL_HEADER, spoken_version
from oharness.syncserver.auth import Verifier
from oharness.syncserver.commit import CommitService
from oharness.syncserver.erase import EraseService
from oharness.syncserver.erased import refuse_erased_account
from oharness.syncserver.feeds import FeedService
from oharness.syncserver.manifest import FORMAT, ManifestUnreadable
from oharness.syncserver.manifest_format1 import OLD_FORMAT
from oharness.syncserver.manifest_store import ManifestStore
from oharness.syncserver.metrics import Metrics
from oharness.syncserver.objects.base import ObjectStore, StoreUnavailable
from oharness.syncserver.old_clients import OldClientService
from oharness.syncserver.openapi import openapi_document
from oharness.syncserver.rate_limit import RateLimit
from oharness.syncserver.refusal import RequestRefused, refused
from oharness.syncserver.request_body import read_json_body
from oharness.syncserver.snapshot import Listed, SnapshotService
from oharness.syncserver.standing import Limits, standing_of
from oharness.syncserver.storage_gate import StorageGate
from oharness.syncserver.streamed import Offload, Streamed, compressed, listing_parts, short_listing

REQUEST_SECONDS = 60.0
_COMPRESS_FROM_BYTES = 1024
_ELSEWHERE_FROM_BYTES = 1 << 20
_LOG = logging.getLogger("oharness.syncserver")
_JSON_HEADERS = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
}
_NO_ENDPOINT = {
    404: (ErrorCode.NOT_FOUND, "There is nothing here."),
    405: (ErrorCode.METHOD_NOT_ALLOWED, "This address takes another method."),
}


async def run_here(function: Callable[..., Any], /, *args: Any) -> Any:
    """An `Offload` that computes on the spot, for tests whose order of events has to be the same every time."""
    return function(*args)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a service is put together from.

    `store` or `verifier` are None when they are not configured; `missing` says which variable to set.
    `only_old_protocol` makes the service one from before version 2.
    """

    store: ObjectStore | None
    verifier: Verifier | None
    missing: str
    limits: Limits
    rate_limit: RateLimit
    clock: Clock
    randomness: Randomness
    offload: Offload
    only_old_protocol: bool = False
    admin_key: str | None = None


class SyncService:
    """The endpoints; `app` is what a web server runs."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.metrics = Metrics()
        self._storage = None if parts.store is None else _Storage(parts, parts.store, self.metrics)
        self.app = Starlette(
            routes=[
                Route(IDENTITY_PATH, self._endpoint("identity", self._identity), methods=["GET"]),
                Route(SNAPSHOT_PATH, self._endpoint("snapshot", self._snapshot), methods=["POST"]),
                Route(COMMIT_PATH, self._endpoint("commit", self._commit), methods=["POST"]),
                Route(ERASE_PATH, self._endpoint("erase", self._erase), methods=["POST"]),
                Route(f"{FEED_PATH}/{{feed}}", self._endpoint("feed", self._feed), methods=["GET"]),
                Route(
                    f"{FEED_PATH}/{{feed}}/{{session}}",
                    self._endpoint("feed_session", self._feed_session),
                    methods=["GET", "POST", "DELETE"],
                ),
                Route("/healthz", self._healthz, methods=["GET"]),
                Route("/readyz", self._endpoint("readyz", self._readyz), methods=["GET"]),
                Route("/metrics", self._metrics, methods=["GET"]),
                Route("/openapi.json", self._openapi, methods=["GET"]),
            ],
            exception_handlers={HTTPException: self._http_error},
            lifespan=self._lifespan,
        )

    # --- the endpoints

    async def _identity(self, request: Request) -> Response:
        version = self._version(request)
        claims = await self._verified(request)
        storage = await self._open_storage()
        await refuse_erased_account(storage.store, claims.account)
        answer = IdentityAnswer(
            standing=standing_of(claims, self.parts.limits),
            protocol=version,
            teams=claims.teams,
            server_time_ms=self.parts.clock.now_ms(),
        )
        return _json(encode_identity_answer(answer))

    async def _snapshot(self, request: Request) -> Response:
        version = self._version(request)
        claims = await self._verified(request)
        storage = await self._open_storage()
        body = await self._body(request)
        if version == OLD:
            old_request = await self._compute(body, decode_old_listing_request, body)
            old_answer = await storage.old_clients.list(claims, old_request)
            return await self._packed(request, encode_old_listing_answer, old_answer)
        wanted: SnapshotRequest = await self._compute(body, decode_snapshot_request, body)
        match wanted:
            case PollRequest():
                return await self._packed(request, encode_poll_answer, await storage.snapshots.poll(claims, wanted))
            case ListingRequest():
                return await self._listed(request, await storage.snapshots.list(claims, wanted))
            case BodiesRequest():
                return await self._packed(request, encode_bodies_answer, await storage.snapshots.bodies(claims, wanted))

    async def _commit(self, request: Request) -> Response:
        version = self._version(request)
        claims = await self._verified(request)
        storage = await self._open_storage()
        body = await self._body(request)
        if version == OLD:
            old_request = await self._compute(body, decode_old_commit_request, body)
            old_answer = await storage.old_clients.commit(claims, old_request)
            return await self._packed(request, encode_old_commit_answer, old_answer)
        commit = await self._compute(body, decode_commit_request, body)
        answer = await storage.commits.commit(claims, commit)
        if answer.replayed:
            self.metrics.count("replayed_commits")
        return await self._packed(request, encode_commit_answer, answer)

    async def _feed(self, request: Request) -> Response:
        claims, storage, feed = await self._feed_of(request)
        return await self._packed(request, encode_sessions_answer, await storage.feeds.sessions(claims, feed))

    async def _feed_session(self, request: Request) -> Response:
        claims, storage, feed = await self._feed_of(request)
        session = read_session(request.path_params["session"])
        if request.method == "POST":
            body = await self._body(request)
            wanted = await self._compute(body, decode_append_request, body)
            return _json(encode_append_answer(await storage.feeds.append(claims, feed, session, wanted)))
        if request.method == "DELETE":
            standing = await storage.feeds.delete(claims, feed, session)
            return _json(encode_append_answer(AppendAnswer(standing, 0)))
        after = read_after(request.query_params.get("after"))
        answer = await storage.feeds.read(claims, feed, session, after)
        return await self._packed(request, encode_events_answer, answer)

    async def _feed_of(self, request: Request) -> "tuple[Claims, _Storage, Feed]":
        self._version(request)
        claims = await self._verified(request)
        storage = await self._open_storage()
        return claims, storage, read_feed(request.path_params["feed"])

    async def _erase(self, request: Request) -> Response:
        if not self.parts.admin_key or self._storage is None:
            missing = "OHARNESS_SYNC_ADMIN_KEY" if self._storage is not None else self.parts.missing
            raise refused(ErrorCode.NOT_CONFIGURED, f"Erasing is not configured: {missing} is not set.")
        if not _is_key(request.headers.get("authorization", ""), self.parts.admin_key):
            raise refused(ErrorCode.UNAUTHORIZED, "The admin key is missing or wrong.")
        await self._storage.gate.pass_through()
        wanted = decode_erase_request(await self._body(request))
        return _json(encode_erase_answer(await self._storage.eraser.erase(wanted)))

    async def _healthz(self, request: Request) -> Response:
        return _json(b'{"status":"ok"}')

    async def _readyz(self, request: Request) -> Response:
        storage = await self._open_storage()
        await storage.store.read("probe/readiness.json")
        return _json(b'{"status":"ready"}')

    async def _metrics(self, request: Request) -> Response:
        return Response(self.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _openapi(self, request: Request) -> Response:
        return _json(openapi_document())

    # --- what requests have to pass

    def _version(self, request: Request) -> int:
        if self.parts.only_old_protocol:
            return OLD
        version = spoken_version(request.headers.get(PROTOCOL_HEADER))
        if version is None:
            raise refused(
                ErrorCode.UPGRADE_REQUIRED,
                f"This service speaks protocol {CURRENT} and {OLD}.",
                details={"protocols": [OLD, CURRENT]},
            )
        return version

    def _configured(self) -> "tuple[Verifier, _Storage]":
        verifier, storage = self.parts.verifier, self._storage
        if verifier is None or storage is None:
            raise refused(
                ErrorCode.NOT_CONFIGURED,
                f"The sync service is not configured: {self.parts.missing} is not set.",
                details={"missing": self.parts.missing},
            )
        return verifier, storage

    async def _verified(self, request: Request) -> Claims:
        verifier, _ = self._configured()
        claims = await verifier.verify(request.headers.get("authorization"))
        wait_s = await self.parts.rate_limit.wait_for(claims.account)
        if wait_s:
            self.metrics.count("rate_limited")
            raise refused(ErrorCode.RATE_LIMITED, "Too many requests from this account.", retry_after=float(wait_s))
        return claims

    async def _open_storage(self) -> "_Storage":
        _, storage = self._configured()
        await storage.gate.pass_through()
        return storage

    async def _body(self, request: Request) -> bytes:
        return await read_json_body(request.headers, _chunks(request))

    # --- long computations, answers, errors

    async def _compute(self, body: bytes, function: Callable[..., Any], *args: Any) -> Any:
        if len(body) < _ELSEWHERE_FROM_BYTES:
            return function(*args)
        return await self.parts.offload(function, *args)

    async def _packed(self, request: Request, encode: Callable[[Any], bytes], answer: Any) -> Response:
        data = encode(answer)
        if len(data) < _COMPRESS_FROM_BYTES or not _takes_gzip(request.headers.get("accept-encoding", "")):
            return _json(data)
        packed = await self._compute(data, _gzip, data)
        response = _json(packed)
        response.headers["content-encoding"] = "gzip"
        return response

    async def _listed(self, request: Request, listed: Listed) -> Response:
        if listed.more is None:
            return await self._packed(request, short_listing, listed)
        if not _takes_gzip(request.headers.get("accept-encoding", "")):
            return Streamed(listing_parts(listed), _JSON_HEADERS)
        return Streamed(
            compressed(listing_parts(listed), self.parts.offload), {**_JSON_HEADERS, "content-encoding": "gzip"}
        )

    def _endpoint(
        self, name: str, handle: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            started = self.parts.clock.monotonic()
            response = self._with_version(await self._answered(name, handle, request))
            response.headers["vary"] = "Accept-Encoding"
            seconds = self.parts.clock.monotonic() - started
            self.metrics.request(name, response.status_code, seconds)
            fields = {"endpoint": name, "status": response.status_code, "ms": round(seconds * 1000, 1)}
            _LOG.info("request", extra={"fields": fields})
            return response

        return endpoint

    async def _answered(
        self, name: str, handle: Callable[[Request], Awaitable[Response]], request: Request
    ) -> Response:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                return await handle(request)
        except RequestRefused as error:
            return _error(error.answer)
        except InvalidRequest as error:
            return _error(error_answer(ErrorCode.INVALID_REQUEST, error.reason[:300]))
        except (StoreUnavailable, ManifestUnreadable) as error:
            self.metrics.count("store_errors")
            _LOG.warning("storage failed", extra={"fields": {"endpoint": name, "reason": error.reason}})
            return _error(_unavailable())
        except TimeoutError:
            return _error(error_answer(ErrorCode.BUSY, "The request took too long.", retry_after=5))
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception:  # noqa: BLE001 - a fault of ours must not show the caller anything but that
            self.metrics.count("internal_errors")
            _LOG.error("internal error", exc_info=True, extra={"fields": {"endpoint": name}})
            return _error(error_answer(ErrorCode.INTERNAL, "The service has a fault; it was logged."))

    async def _http_error(self, request: Request, error: Exception) -> Response:
        """Where no endpoint is, or none for this method: the router says so before any of them is asked."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        code, message = _NO_ENDPOINT.get(status, (ErrorCode.INVALID_REQUEST, "The request cannot be answered."))
        response = _json(encode_error(ErrorAnswer(status, code, message)), status)
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        return self._with_version(response)

    def _with_version(self, response: Response) -> Response:
        if not self.parts.only_old_protocol:
            response.headers[PROTOCOL_HEADER] = str(CURRENT)
        return response

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        if self._storage is None or self.parts.verifier is None:
            _LOG.warning("not configured", extra={"fields": {"missing": self.parts.missing}})
        if self._storage is not None:
            with contextlib.suppress(StoreUnavailable, RequestRefused):  # logged there; requests say so
                await self._storage.gate.pass_through()
        try:
            yield
        finally:
            await self.parts.rate_limit.close()


class _Storage:
    """Everything that needs the object store."""

    def __init__(self, parts: Parts, store: ObjectStore, metrics: Metrics) -> None:
        clock, randomness, limits = parts.clock, parts.randomness, parts.limits
        self.store = store
        self.gate = StorageGate(store, clock, randomness)
        manifests = ManifestStore(store, clock)
        self.snapshots = SnapshotService(store, manifests, limits, clock)
        self.commits = CommitService(
            store,
            manifests,
            limits,
            clock,
            randomness,
            metrics,
            OLD_FORMAT if parts.only_old_protocol else FORMAT,
        )
        self.feeds = FeedService(store, limits, clock, randomness)
        self.eraser = EraseService(store, manifests, clock, randomness)
        self.old_clients = OldClientService(store, manifests, self.snapshots, self.commits, limits, clock, randomness)


def _is_key(authorization: str, key: str) -> bool:
    scheme, _, given = authorization.partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), key.encode())


def _unavailable() -> ErrorAnswer:
    return error_answer(
        ErrorCode.STORAGE_UNAVAILABLE,
        "The storage does not answer; nothing is lost, try again later.",
        retry_after=DEFAULT_RETRY_AFTER_S,
    )


def _json(data: bytes, status: int = 200) -> Response:
    return Response(
        data,
        status_code=status,
        headers=_JSON_HEADERS,
    )


def _error(answer: ErrorAnswer) -> Response:
    response = _json(encode_error(answer), answer.status)
    if answer.retry_after is not None:
        response.headers["retry-after"] = str(max(1, round(answer.retry_after)))
    if answer.code is ErrorCode.UNAUTHORIZED:
        response.headers["www-authenticate"] = "Bearer"
    return response


def _takes_gzip(accepted: str) -> bool:
    for part in accepted.split(","):
        name, _, weight = part.partition(";")
        if name.strip().lower() == "gzip":
            return weight.replace(" ", "").lower() not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _gzip(data: bytes) -> bytes:
    packer = zlib.compressobj(level=1, wbits=16 + zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


async def _chunks(request: Request) -> AsyncIterator[bytes]:
    async for chunk in request.stream():
        yield chunk
