"""Session feeds: appended to in order, read in pages, gone with their account or team."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from oharness.protocol.erase import EraseTeam, EraseUser, encode_erase_request
from oharness.protocol.errors import ErrorCode
from oharness.protocol.feeds import (
    AppendRequest,
    EventsAnswer,
    decode_append_answer,
    decode_events_answer,
    decode_sessions_answer,
    encode_append_request,
)
from oharness.protocol.quotas import Quota
from oharness.syncserver.keys import erased_user_key
from oharness.syncserver.objects.base import Written
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.store_faults import Fault, FaultyObjects, StoreCall
from oharness.testing.sync_caller import error_of
from oharness.testing.sync_server import ADMIN_KEY, SyncServer

pytestmark = pytest.mark.sync


class Reader:
    """One account that appends to feeds and reads them."""

    def __init__(self, server: SyncServer, http: httpx2.AsyncClient, account: str, *teams: str) -> None:
        self.http = http
        self.headers = server.headers(account, teams=[(team, "paid") for team in teams])

    async def append(
        self, after: int, *events: dict[str, Any], feed: str = "me", session: str = "s1"
    ) -> httpx2.Response:
        body = encode_append_request(AppendRequest(events, after))
        return await self.http.post(f"/v1/feed/{feed}/{session}", content=body, headers=self.headers)

    async def stored(self, after: int, *events: dict[str, Any], **where: str) -> int:
        answer = await self.append(after, *events, **where)
        assert answer.status_code == 200, answer.text
        return decode_append_answer(answer.content).stored

    async def read(self, after: int = 0, feed: str = "me", session: str = "s1") -> EventsAnswer:
        answer = await self.http.get(f"/v1/feed/{feed}/{session}?after={after}", headers=self.headers)
        assert answer.status_code == 200, answer.text
        return decode_events_answer(answer.content)

    async def sessions(self, feed: str = "me") -> list[str]:
        answer = await self.http.get(f"/v1/feed/{feed}", headers=self.headers)
        assert answer.status_code == 200, answer.text
        return [one.session for one in decode_sessions_answer(answer.content).sessions]


@pytest.fixture
def ann(server: SyncServer, http: httpx2.AsyncClient) -> Reader:
    return Reader(server, http, "ann", "t1")


@pytest.fixture
def bob(server: SyncServer, http: httpx2.AsyncClient) -> Reader:
    return Reader(server, http, "bob", "t1", "t2")


def event(number: int) -> dict[str, Any]:
    return {"n": number, "text": "é猫"}


async def test_events_come_back_in_order_and_in_part(ann: Reader) -> None:
    assert await ann.stored(0, event(0), event(1)) == 2
    assert await ann.stored(2, event(2)) == 3
    whole = await ann.read()
    assert (whole.stored, whole.events) == (3, (event(0), event(1), event(2)))
    assert (await ann.read(1)).events == (event(1), event(2))
    assert (await ann.read(3)).events == ()
    assert (await ann.read(99)).stored == 3
    assert (await ann.read(session="nothing")).stored == 0


async def test_an_append_that_assumes_another_number_is_told_the_present_one(ann: Reader) -> None:
    await ann.stored(0, event(0), event(1))
    for after in (0, 1, 3):
        error = error_of(await ann.append(after, event(9)))
        assert (error.status, error.code) == (409, ErrorCode.FEED_MOVED)
        assert error.details == {"stored": 2}
    assert (await ann.read()).stored == 2


async def test_of_two_appends_at_once_one_is_stored(ann: Reader) -> None:
    answers = await asyncio.gather(*(ann.append(0, *[event(number)] * number) for number in (1, 2, 3)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    stored = next(answer.json()["stored"] for answer in answers if answer.status_code == 200)
    assert (await ann.read()).stored == stored


async def test_the_store_decides_when_two_appends_saw_the_same_end(clock: FakeClock) -> None:
    class Overtaken(RamObjects):
        async def create(self, key: str, value: bytes) -> Written:
            if key.startswith("feed/") and b"slow" in value:
                await super().create(key, b'{"nonce":"x","events":[{"quick":1},{"quick":2}]}')
            return await super().create(key, value)

    server = SyncServer(clock, SeededRandomness(1), store=Overtaken(clock))
    async with server.client() as http:
        error = error_of(await Reader(server, http, "ann").append(0, {"slow": 1}))
        assert (error.code, error.details) == (ErrorCode.FEED_MOVED, {"stored": 2})


@pytest.mark.parametrize("fault", [Fault.BEFORE, Fault.AFTER])
async def test_a_lost_answer_of_the_store_appends_once(clock: FakeClock, fault: Fault) -> None:
    faults = FaultyObjects(RamObjects(clock))
    server = SyncServer(clock, SeededRandomness(1), store=faults)
    async with server.client() as http:
        ann = Reader(server, http, "ann")
        await ann.sessions()
        left = [fault]
        faults.plan = lambda call: left.pop() if left and call.name == "create" else None
        assert await ann.stored(0, event(0)) == 1
        assert (await ann.read()).events == (event(0),)


async def test_a_teams_feed_is_for_those_on_it(ann: Reader, bob: Reader) -> None:
    await bob.stored(0, event(1), feed="team-t1")
    assert (await ann.read(feed="team-t1")).events == (event(1),)
    assert await ann.sessions("team-t1") == ["s1"]
    for answer in (
        await ann.append(0, event(0), feed="team-t2"),
        await ann.http.get("/v1/feed/team-t2", headers=ann.headers),
        await ann.http.get("/v1/feed/team-t2/s1", headers=ann.headers),
        await ann.http.delete("/v1/feed/team-t2/s1", headers=ann.headers),
        await ann.http.delete("/v1/feed/team-t1/s1", headers=ann.headers),
    ):
        assert (answer.status_code, error_of(answer).code) == (403, ErrorCode.FORBIDDEN)


async def test_feeds_of_accounts_are_apart(ann: Reader, bob: Reader, server: SyncServer) -> None:
    await ann.stored(0, event(1))
    assert await bob.sessions() == []
    impostor = Reader(server, ann.http, "team-t1")
    await impostor.stored(0, event(7))
    assert await ann.sessions("team-t1") == []


async def test_a_session_of_ones_own_can_be_removed(ann: Reader) -> None:
    await ann.stored(0, event(0))
    await ann.stored(1, event(1))
    await ann.stored(0, event(0), session="other")
    answer = await ann.http.delete("/v1/feed/me/s1", headers=ann.headers)
    assert answer.json()["stored"] == 0
    assert await ann.sessions() == ["other"]
    assert await ann.stored(0, event(5)) == 1


async def test_a_page_holds_what_fits_and_goes_on(clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness(1), quota=Quota(max_response_bytes=100))
    async with server.client() as http:
        ann = Reader(server, http, "ann")
        for number in range(6):
            await ann.stored(number, {"n": number, "x": "y" * 30})
        seen: list[int] = []
        while True:
            page = await ann.read(len(seen))
            if not page.events:
                break
            seen += [one["n"] for one in page.events]
        assert seen == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/feed/you", b""),
        ("GET", "/v1/feed/team-", b""),
        ("GET", "/v1/feed/me/..%2Fx", b""),
        ("GET", "/v1/feed/me/s1?after=-1", b""),
        ("GET", "/v1/feed/me/s1?after=x", b""),
        ("GET", "/v1/feed/me/s1?after=99999999999999999999", b""),
        ("POST", "/v1/feed/me/s1", b"{}"),
        ("POST", "/v1/feed/me/s1", b'{"events":[],"after":0}'),
        ("POST", "/v1/feed/me/s1", b'{"events":[1],"after":0}'),
        ("POST", "/v1/feed/me/s1", b'{"events":[{}],"after":-1}'),
        ("POST", "/v1/feed/me/s1", b'{"events":[{"a":"\\ud800"}],"after":0}'),
        ("POST", "/v1/feed/me/" + "a" * 129, b'{"events":[{}],"after":0}'),
        ("POST", "/v1/feed/me/s1", json.dumps({"events": [{}] * 1001, "after": 0}).encode()),
        ("POST", "/v1/feed/me/s1", b'{"events":[{"a":' + b"[" * 100 + b"]" * 100 + b'}],"after":0}'),
    ],
)
async def test_a_malformed_request_stores_nothing(
    method: str, path: str, body: bytes, ann: Reader, server: SyncServer
) -> None:
    answer = await ann.http.request(method, path, content=body or None, headers=ann.headers)
    assert answer.status_code in (400, 404)
    assert [one async for one in server.store.list_under("feed/")] == []


async def test_a_damaged_segment_is_said_and_not_written_over(ann: Reader, server: SyncServer) -> None:
    await ann.stored(0, event(0))
    await server.store.put("feed/ann/s1/000000000000.json", b"{")
    for answer in (await ann.append(1, event(1)), await ann.http.get("/v1/feed/me/s1", headers=ann.headers)):
        assert error_of(answer).code == ErrorCode.STORAGE_UNAVAILABLE


async def erase(http: httpx2.AsyncClient, request: EraseUser | EraseTeam) -> None:
    headers = {"authorization": f"Bearer {ADMIN_KEY}", "content-type": "application/json"}
    answer = await http.post("/v1/admin/erase", content=encode_erase_request(request), headers=headers)
    assert answer.status_code == 200


async def test_feeds_of_an_erased_team_and_account_stay_shut(ann: Reader, bob: Reader) -> None:
    await bob.stored(0, event(1), feed="team-t1")
    await bob.stored(0, event(1))
    await erase(ann.http, EraseTeam("t1"))
    for answer in (
        await ann.append(0, event(0), feed="team-t1"),
        await ann.http.get("/v1/feed/team-t1", headers=ann.headers),
        await ann.http.get("/v1/feed/team-t1/s1", headers=ann.headers),
    ):
        assert (answer.status_code, error_of(answer).code) == (410, ErrorCode.TEAM_ERASED)
    assert await bob.stored(0, event(1), feed="team-t2") == 1
    await erase(ann.http, EraseUser("bob"))
    for answer in (
        await bob.append(0, event(0)),
        await bob.append(1, event(0), feed="team-t2"),
        await bob.http.delete("/v1/feed/me/s1", headers=bob.headers),
    ):
        assert (answer.status_code, error_of(answer).code) == (410, ErrorCode.ACCOUNT_ERASED)
    assert await ann.sessions() == []


async def test_an_append_that_an_erasure_overtakes_is_taken_back(clock: FakeClock) -> None:
    faults = FaultyObjects(RamObjects(clock))
    server = SyncServer(clock, SeededRandomness(1), store=faults)

    async def somebody_erases(call: StoreCall) -> None:
        if call.name == "create" and call.key.startswith("feed/"):
            await faults.inner.put(erased_user_key("ann"), b"{}")

    async with server.client() as http:
        faults.interlude = somebody_erases
        error = error_of(await Reader(server, http, "ann").append(0, event(0)))
        assert error.code == ErrorCode.ACCOUNT_ERASED
    assert [one async for one in faults.inner.list_under("feed/")] == []
