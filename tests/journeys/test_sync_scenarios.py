"""Scenarios that broke other sync tools: those about HTTP, accounts, stores and answers to conflicts.

The others are in tests/sync/test_scenarios.py; docs/simulation.md names the test of every one. What is about HTTP
goes over real sockets to the real service behind a real web server.
"""

import gzip
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from oharness.core.scopes import project_scope
from oharness.disk.credentials_file import Credentials
from oharness.notes.hashing import content_hash
from oharness.protocol.commit import COMMIT_PATH, CommitRequest, Put, decode_commit_answer, encode_commit_request
from oharness.protocol.quotas import Quota
from oharness.protocol.snapshot import SNAPSHOT_PATH
from oharness.protocol.values import NO_EPOCH
from oharness.sync.http_transport import HttpTransport
from oharness.sync.pinning import PinnedElsewhere
from oharness.sync.syncing import sync_directory
from oharness.sync.transport import ServiceUnreachable, TooFrequent
from oharness.syncserver.objects.base import Found, Moved, StoreUnavailable, StoreVersion, Unknown, Written
from oharness.syncserver.objects.ram import RamObjects
from oharness.syncserver.objects.remote import open_bucket
from oharness.syncserver.probe import StoreUnfit, probe_store
from oharness.testing.clock import FakeClock
from oharness.testing.devices import Device, FixedTokens, settle_all
from oharness.testing.plain_http import Answer, answering
from oharness.testing.randomness import SeededRandomness
from oharness.testing.real_http import Relay, relaying, serving
from oharness.testing.store_faults import Fault, FaultyObjects, StoreCall
from oharness.testing.sync_caller import Caller, note, put
from oharness.testing.sync_server import SyncServer
from oharness.testing.world.lab import Lab, in_lab
from oharness.testing.world.people import Answered

pytestmark = pytest.mark.sync

Asgi = Callable[[Any, Any, Any], Awaitable[None]]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def server(clock: FakeClock) -> SyncServer:
    return SyncServer(clock, SeededRandomness("server"))


def over_http(device: Device, url: str, tokens: Any = None) -> HttpTransport:
    """The device speaks to a real address from now on."""
    device.transport = HttpTransport(url, tokens or FixedTokens(device.server, "ann", "paid"), device.clock)
    return device.transport


# --- conflicts


@pytest.mark.parametrize("answer", list(Answered))
def test_10_every_answer_to_a_conflict_stays_given_on_both_sides(answer: Answered) -> None:
    async def story(lab: Lab) -> None:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "one")
        await lab.settle()
        lab.writes(a, "n", "A's")
        lab.writes(b, "n", "B's")
        await lab.sync(a)
        assert (await lab.sync(b)).conflicts == ["n"]
        lab.answers(b, "n", answer)
        chosen = lab.bodies(b)["n"]
        await lab.settle()
        settled = lab.bodies(b)
        for _ in range(10):
            for replica in (b, a):
                assert (await lab.sync(replica)).changed_nothing
        assert lab.bodies(a) == lab.bodies(b) == lab.cloud() == settled
        assert lab.bodies(a)["n"] == chosen
        assert lab.conflicts(a) == lab.conflicts(b) == []
        assert lab.faults() == []

    in_lab(story)


def test_32_both_versions_are_kept_once_and_not_once_more_with_every_pass() -> None:
    async def story(lab: Lab) -> None:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "one")
        await lab.settle()
        lab.writes(a, "n", "A's")
        lab.writes(b, "n", "B's")
        await lab.sync(a)
        await lab.sync(b)
        lab.answers(b, "n", Answered.BOTH)
        for _ in range(10):
            assert (await lab.sync(b)).conflicts == []
            assert (await lab.sync(a)).conflicts == []
        assert sorted(lab.bodies(a).values()) == sorted(lab.bodies(b).values()) == ["A's", "B's"]

    in_lab(story)


def test_40_a_change_of_letter_case_ends_as_one_file_on_a_disk_that_ignores_case() -> None:
    async def story(lab: Lab) -> None:
        a, b, c = lab.machine("a"), lab.machine("b"), lab.machine("c", ignores_case=True)
        lab.writes(a, "Foo", "text")
        for number in range(3):
            lab.writes(a, f"n{number}", "text")
        await lab.settle()
        lab.forgets(a, "Foo")
        lab.writes(a, "foo", "other text")
        await lab.settle()
        for replica in (a, b, c):
            assert [note_id for note_id in replica.files() if note_id.lower() == "foo"] == ["foo"]
            assert lab.bodies(replica)["foo"] == "other text"
        assert lab.faults() == []

    in_lab(story)


# --- lost answers and repeated requests, over HTTP


async def test_25_a_commit_whose_answer_is_lost_three_times_is_done_once(server: SyncServer, tmp_path: Path) -> None:
    async with serving(server.app) as url:
        relay = Relay(int(url.rsplit(":", 1)[1]), about=COMMIT_PATH.encode(), losing=3)
        async with relaying(relay) as relayed:
            a = Device(tmp_path / "a", server)
            over_http(a, relayed)
            a.write("n", "text")
            for _ in range(3):
                with pytest.raises(ServiceUnreachable):
                    await a.sync()
            report = await a.sync()
            await a.transport.close()
    assert relay.lost == 3
    assert report.version == 1
    assert server.service.metrics.text().count("replayed_commits") > 0
    assert (await sent_listing(server))["version"] == 1


async def sent_listing(server: SyncServer) -> dict[str, Any]:
    async with server.client() as http:
        body = json.dumps({"scope": {"kind": "user"}})
        answer = await http.post(SNAPSHOT_PATH, content=body, headers=server.headers())
        return answer.json()  # type: ignore[no-any-return]


async def test_27_an_http_client_that_repeats_a_post_by_itself_gets_the_same_results(server: SyncServer) -> None:
    content = note("n", "text")
    change = Put("n", None, None, content_hash(content), content)
    request = CommitRequest(project_scope("p"), NO_EPOCH, "d1", SeededRandomness(1).uuid(), (change,))
    body = encode_commit_request(request)
    async with serving(server.app) as url, httpx2.AsyncClient() as http:
        first, second = [await http.post(url + COMMIT_PATH, content=body, headers=server.headers()) for _ in range(2)]
    answers = [decode_commit_answer(one.content, request) for one in (first, second)]
    assert answers[0].results == answers[1].results
    assert [answer.version for answer in answers] == [1, 1]
    assert [answer.replayed for answer in answers] == [False, True]


async def test_28_a_store_that_loses_the_answer_to_the_manifest_loses_no_commit(clock: FakeClock) -> None:
    store = FaultyObjects(RamObjects(clock), _lose_the_manifests_answer)
    server = SyncServer(clock, SeededRandomness("s"), store=store)
    async with server.client() as http:
        await http.get("/readyz")
        answer = await Caller(server, http).commit(put(note("n")), epoch=NO_EPOCH)
    assert [(result.status, answer.version) for result in answer.results] == [("applied", 1)]


def _lose_the_manifests_answer(call: StoreCall) -> Fault | None:
    return Fault.AFTER if call.name == "create" and call.key.endswith("manifest.json") else None


# --- proxies and rate limits, over HTTP


def meddling(app: Asgi, etag: str) -> Asgi:
    """A proxy that packs every answer and puts an ETag of its own on it."""

    async def proxied(scope: Any, receive: Any, send: Any) -> None:
        started: dict[str, Any] = {}
        parts: list[bytes] = []

        async def collect(message: Any) -> None:
            if message["type"] == "http.response.start":
                started.update(message)
            else:
                parts.append(message.get("body", b""))

        await app(scope, receive, collect)
        headers = dict(started["headers"])
        body = b"".join(parts)
        if b"content-encoding" not in headers:
            body = gzip.compress(body)
        kept = [(name, value) for name, value in headers.items() if name not in (b"content-length", b"etag")]
        kept = [*kept, (b"etag", etag.encode()), (b"content-length", str(len(body)).encode())]
        named = dict(kept) | {b"content-encoding": b"gzip"}
        await send(started | {"headers": list(named.items())})
        await send({"type": "http.response.body", "body": body})

    return proxied


@pytest.mark.parametrize("etag", ['W/"x"', '"x-gzip"', "nonsense"])
async def test_35_a_proxy_that_spoils_etags_and_packs_answers_hinders_nothing(
    server: SyncServer, tmp_path: Path, etag: str
) -> None:
    a, b = Device(tmp_path / "a", server), Device(tmp_path / "b", server)
    async with serving(meddling(server.app, etag)) as url:
        transports = [over_http(device, url) for device in (a, b)]
        for number in range(20):
            a.write(f"n-{number}", f"text {number}")
        await settle_all(a, b)
        a.write("n-1", "edited")
        await settle_all(a, b)
        reports = [await device.sync() for device in (a, b)]
        for transport in transports:
            await transport.close()
    assert b.bodies() == a.bodies()
    assert len(a.bodies()) == 20
    assert [report.requests for report in reports] == [1, 1]


async def test_36_a_429_is_told_with_its_time_and_not_asked_again_within_the_pass(
    server: SyncServer, tmp_path: Path
) -> None:
    """What the process does until then: test_coordinator, test_a_429_pauses_every_directory_until_its_time."""
    asked: list[str] = []

    async def busy(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])
        body = b'{"error":{"code":"rate_limited","message":"Too many requests from this account."}}'
        headers = [(b"content-type", b"application/json"), (b"retry-after", b"120")]
        await send({"type": "http.response.start", "status": 429, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    a = Device(tmp_path / "a", server)
    a.write("n")
    async with serving(busy) as url:
        transport = over_http(a, url)
        with pytest.raises(TooFrequent) as caught:
            await a.sync()
        await transport.close()
    assert len(asked) == 1
    assert caught.value.retry_after_s == 120


# --- accounts, over HTTP


async def test_45_the_notes_of_one_account_are_never_shown_to_another(server: SyncServer, tmp_path: Path) -> None:
    a, b = Device(tmp_path / "a", server), Device(tmp_path / "b", server)
    asked: list[str] = []

    async def counted(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])
        await server.app(scope, receive, send)

    async with serving(counted) as url:
        transports = [over_http(device, url) for device in (a, b)]
        ann = Credentials(url, url, "ann", "")
        a.write("n", "one")
        await sync_directory(a.directory, a.files, a.home, ann, a.transport)
        await b.sync()
        a.write("n", "A's")
        b.write("n", "B's")
        await b.sync()
        assert (await sync_directory(a.directory, a.files, a.home, ann, a.transport)).conflicts == ["n"]
        a.write("dirty", "not yet up")
        bob = Credentials(url, url, "bob", "")
        as_bob = HttpTransport(url, FixedTokens(server, "bob", "paid"), a.clock)
        before = len(asked)
        with pytest.raises(PinnedElsewhere):
            await sync_directory(a.directory, a.files, a.home, bob, as_bob)
        assert len(asked) == before
        for transport in (*transports, as_bob):
            await transport.close()
    assert list(a.conflicts()) == ["n"]
    assert a.bodies() == {"n": "A's", "dirty": "not yet up"}


class ExpiringTokens:
    """A token that is refused after a while, and how often another one was asked for."""

    def __init__(self, server: SyncServer) -> None:
        self._server = server
        self.refreshes = 0

    async def access_token(self) -> str | None:
        return self._server.token("ann", plan="paid", jti=f"token-{self.refreshes}")

    async def refreshed(self, refused: str) -> str | None:
        self.refreshes += 1
        return await self.access_token()


async def test_47_a_token_that_expires_on_the_third_page_is_refreshed_once_and_the_pass_goes_on(
    clock: FakeClock, tmp_path: Path
) -> None:
    server = SyncServer(clock, SeededRandomness("s"), quota=Quota(max_response_bytes=3000))
    a, b = Device(tmp_path / "a", server), Device(tmp_path / "b", server)
    for number in range(12):
        a.write(f"n-{number:02}", f"{number} " * 300)
    await a.sync()
    pages = [0]
    refused_at = 4  # the listing, then the third page of bodies

    async def expiring(scope: Any, receive: Any, send: Any) -> None:
        pages[0] += scope["path"] == SNAPSHOT_PATH
        if pages[0] == refused_at:
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await server.app(scope, receive, send)

    tokens = ExpiringTokens(server)
    async with serving(expiring) as url:
        transport = over_http(b, url, tokens)
        report = await b.sync()
        await transport.close()
    assert b.bodies() == a.bodies()
    assert len(report.added) == 12
    assert tokens.refreshes == 1
    assert pages[0] > refused_at + 1


# --- stores


class IgnoresConditionsOnMissingKeys(RamObjects):
    """`If-Match` is not looked at where there is nothing."""

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        if isinstance(await self.read(key), Found):
            return await super().replace(key, value, known)
        return await self.put(key, value)


async def test_48_a_store_that_ignores_a_condition_on_a_missing_key_is_refused(clock: FakeClock) -> None:
    with pytest.raises(StoreUnfit):
        await probe_store(IgnoresConditionsOnMissingKeys(clock), clock, SeededRandomness(1))


async def test_48_a_reading_that_is_behind_overwrites_nothing(clock: FakeClock) -> None:
    """No two manifests have equal bytes, so a write over what was read behind fails, and is judged again."""
    stale: list[bool] = []
    store = FaultyObjects(RamObjects(clock), lambda call: Fault.STALE if _is_due(call, stale) else None)
    server = SyncServer(clock, SeededRandomness("s"), store=store)
    async with server.client() as http:
        caller = Caller(server, http)
        await caller.commit(put(note("n", "one")), epoch=NO_EPOCH)
        first = await caller.list()
        await caller.commit(put(note("n", "two"), first.notes[0].revision, first.notes[0].hash), epoch=first.epoch)
        another = SyncServer(clock, SeededRandomness("t"), store=store)
        async with another.client() as other_http:
            other = Caller(another, other_http, device="d2")
            await other_http.get("/readyz")
            stale.append(True)
            answer = await other.send(other.request(put(note("m")), epoch=first.epoch))
        listing = await caller.list()
    assert [result.status for result in answer.results] == ["applied"]
    assert {entry.id: entry.note.body for entry in listing.notes if entry.note} == {"n": "two", "m": "body"}


def _is_due(call: StoreCall, stale: list[bool]) -> bool:
    if stale and call.name == "read" and call.key.endswith("manifest.json"):
        stale.clear()
        return True
    return False


class ChecksThenWrites(RamObjects):
    """Looks, waits a moment, and writes: of several writers at once all win."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self._waits = clock

    async def create(self, key: str, value: bytes) -> Written:
        if isinstance(await self.read(key), Found):
            return Moved()
        await self._waits.sleep(0.01)
        return await self.put(key, value)

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        found = await self.read(key)
        if not isinstance(found, Found) or found.version != known:
            return Moved()
        await self._waits.sleep(0.01)
        return await self.put(key, value)


async def test_49_a_store_that_checks_first_and_writes_then_is_refused(clock: FakeClock) -> None:
    with pytest.raises(StoreUnfit):
        await probe_store(ChecksThenWrites(clock), clock, SeededRandomness(1))


@contextmanager
def bucket_that_answers(status: int | None) -> Iterator[str]:
    """An S3 endpoint that answers every write with one status, or not at all."""
    with answering(lambda method, path: None if status is None else Answer(status)) as here:
        yield here.url


@pytest.mark.parametrize(
    ("status", "written"),
    [
        (409, Moved),
        (412, Moved),
        (404, (Moved, Unknown)),
        (429, Unknown),
        (500, Unknown),
        (503, Unknown),
        (None, Unknown),
    ],
)
async def test_50_whatever_a_store_answers_to_a_write_is_done_not_done_or_unknown(
    status: int | None, written: Any
) -> None:
    with bucket_that_answers(status) as endpoint:
        variables = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ACCESS_KEY_ID": "id",
            "AWS_SECRET_ACCESS_KEY": "key",
            "AWS_REGION": "auto",
        }
        store = open_bucket("s3://bucket", variables)
        try:
            assert isinstance(await store.create("a/b", b"x"), written)
            assert isinstance(await store.replace("a/b", b"x", StoreVersion('"v"')), written)
        except StoreUnavailable:
            pytest.fail("writing raises for nothing that a store says")
