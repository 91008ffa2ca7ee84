"""Accounts and teams that are gone for good, and what the collector of leftovers may remove."""

import json
from dataclasses import replace

import httpx2
import pytest

from oharness.core.scopes import project_scope
from oharness.protocol.commit import COMMIT_PATH, encode_commit_request
from oharness.protocol.erase import EraseTeam, EraseUser, encode_erase_request
from oharness.protocol.errors import ErrorCode
from oharness.syncserver.app import SyncService
from oharness.syncserver.gc import collect_garbage
from oharness.syncserver.keys import erased_user_key
from oharness.syncserver.objects.base import Found, ObjectStore
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.store_faults import Fault, FaultyObjects, Plan, StoreCall
from oharness.testing.sync_caller import Caller, delete, error_of, note, put
from oharness.testing.sync_server import ADMIN_KEY, SyncServer

pytestmark = pytest.mark.sync

PROJECT = project_scope("p1")
HOUR_S = 3600


async def keys_under(store: ObjectStore, prefix: str) -> list[str]:
    return [one.key async for one in store.list_under(prefix)]


async def erase(http: httpx2.AsyncClient, request: EraseUser | EraseTeam) -> httpx2.Response:
    headers = {"authorization": f"Bearer {ADMIN_KEY}", "content-type": "application/json"}
    return await http.post("/v1/admin/erase", content=encode_erase_request(request), headers=headers)


async def test_an_erased_account_has_nothing_left_and_gets_no_more_in(
    server: SyncServer, http: httpx2.AsyncClient, ann: Caller, bob: Caller
) -> None:
    await ann.commit(put(note("a-1")), put(note("b-2")))
    await ann.commit(put(note("a-1")), scope=PROJECT)
    await bob.commit(put(note("a-1")))
    answer = await erase(http, EraseUser("ann"))
    assert answer.json() == {"erased": True, "objects": 3}
    assert await keys_under(server.store, "users/ann/") == [
        "users/ann/memory/manifest.json",
        "users/ann/projects/p1/memory/manifest.json",
    ]
    for key in await keys_under(server.store, "users/ann/"):
        kept = await server.store.read(key)
        assert isinstance(kept, Found)
        manifest = json.loads(kept.value)
        assert (manifest["erased"], manifest["notes"], manifest["tombstones"]) == (True, {}, {})
    request = ann.request(put(note("c-3")))
    bodies = [
        (COMMIT_PATH, encode_commit_request(request)),
        ("/v1/memory/snapshot", b'{"scope":{"kind":"user"}}'),
        ("/v1/memory/snapshot", b'{"scope":{"kind":"project","projectId":"new"}}'),
        ("/v1/memory/snapshot", b'{"poll":[]}'),
        ("/v1/memory/snapshot", b'{"scope":{"kind":"user"},"want":[]}'),
    ]
    for response in [await ann.get(), *[await ann.post(path, body) for path, body in bodies]]:
        assert (response.status_code, error_of(response).code) == (410, ErrorCode.ACCOUNT_ERASED)
    old = await http.post(
        "/v1/memory/snapshot",
        content=b'{"projectId":"p1","have":[]}',
        headers={name: value for name, value in server.headers().items() if name != "OHarness-Protocol"},
    )
    assert old.status_code == 410
    assert len((await bob.list()).notes) == 1


async def test_erasing_can_be_repeated(server: SyncServer, http: httpx2.AsyncClient, ann: Caller) -> None:
    await ann.commit(put(note()))
    assert (await erase(http, EraseUser("ann"))).json()["objects"] == 1
    late = "users/ann/memory/objects/a-1/late.md"
    await server.store.create(late, b"what a late write left")
    assert (await erase(http, EraseUser("ann"))).json() == {"erased": True, "objects": 1}
    assert (await erase(http, EraseUser("ann"))).json() == {"erased": True, "objects": 0}
    assert (await erase(http, EraseUser("nobody"))).json() == {"erased": True, "objects": 0}


async def test_feeds_of_an_account_and_of_a_team_go_and_others_stay(
    server: SyncServer, http: httpx2.AsyncClient
) -> None:
    names = ["feed/ann/s/1.json", "feed/team-t/s/1.json", "feed/team%2Dt/s/1.json", "feed/annabel/s/1.json"]
    for name in names:
        await server.store.create(name, b"{}")
    await erase(http, EraseUser("ann"))
    assert await keys_under(server.store, "feed/") == sorted(set(names) - {"feed/ann/s/1.json"})
    await erase(http, EraseTeam("t"))
    assert await keys_under(server.store, "feed/") == ["feed/annabel/s/1.json", "feed/team%2Dt/s/1.json"]
    await erase(http, EraseUser("team-t"))
    assert await keys_under(server.store, "feed/") == ["feed/annabel/s/1.json"]


async def test_an_account_is_never_a_path(server: SyncServer, http: httpx2.AsyncClient, ann: Caller) -> None:
    await ann.commit(put(note()))
    for account in ("../ann", "ann/memory", "..", "ann/", "/"):
        assert (await erase(http, EraseUser(account))).status_code == 200
    assert len((await ann.list()).notes) == 1


@pytest.mark.parametrize(
    "body", [b"{}", b'{"user":"a","team":"b"}', b'{"user":""}', b'{"user":7}', b"[]", b'{"user":null}']
)
async def test_erasing_names_one_user_or_one_team(body: bytes, http: httpx2.AsyncClient) -> None:
    headers = {"authorization": f"Bearer {ADMIN_KEY}", "content-type": "application/json"}
    answer = await http.post("/v1/admin/erase", content=body, headers=headers)
    assert (answer.status_code, error_of(answer).code) == (400, ErrorCode.INVALID_REQUEST)


@pytest.mark.parametrize("moment", ["create users/ann/memory/manifest.json", "read erased/users/ann.json"])
async def test_a_commit_that_an_erasure_overtakes_leaves_nothing(moment: str) -> None:
    clock = FakeClock()
    faults = FaultyObjects(RamObjects(clock))
    server = SyncServer(clock, SeededRandomness(1), store=faults)
    marked: list[StoreCall] = []

    async def somebody_erases(call: StoreCall) -> None:
        bodies = await keys_under(faults.inner, "users/ann/memory/objects/")
        if f"{call.name} {call.key}" == moment and bodies and not marked:
            marked.append(call)
            await faults.inner.put(erased_user_key("ann"), b"{}")

    async with server.client() as http:
        ann = Caller(server, http)
        faults.interlude = somebody_erases
        error = await ann.error(ann.request(put(note())))
    assert marked
    assert (error.status, error.code) == (410, ErrorCode.ACCOUNT_ERASED)
    assert await keys_under(faults.inner, "users/") == ["users/ann/memory/manifest.json"]
    kept = await faults.inner.read("users/ann/memory/manifest.json")
    assert isinstance(kept, Found)
    assert json.loads(kept.value)["erased"] is True


def failing(name: str) -> Plan:
    return lambda call: Fault.BEFORE if call.name == name else None


async def test_an_erasure_that_fails_half_way_is_finished_by_the_next(clock: FakeClock) -> None:
    faults = FaultyObjects(RamObjects(clock))
    server = SyncServer(clock, SeededRandomness(1), store=faults)
    async with server.client() as http:
        ann = Caller(server, http)
        await ann.commit(put(note()))
        for name in ("put", "list", "replace", "remove"):
            faults.plan = failing(name)
            assert (await erase(http, EraseUser("ann"))).status_code == 503
        faults.plan = lambda call: None
        assert (await erase(http, EraseUser("ann"))).json() == {"erased": True, "objects": 1}


async def test_without_a_key_nothing_is_erased(clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness(1))
    service = SyncService(replace(server.service.parts, admin_key=None))
    transport = httpx2.ASGITransport(app=service.app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://sync.test") as http:
        for key in ("", "None", ADMIN_KEY):
            headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
            answer = await http.post("/v1/admin/erase", content=b'{"user":"ann"}', headers=headers)
            assert (answer.status_code, error_of(answer).code) == (503, ErrorCode.NOT_CONFIGURED)


async def gc(server: SyncServer) -> dict[str, int]:
    report = await collect_garbage(server.store, server.clock, SeededRandomness("gc"))
    counts: dict[str, int] = json.loads(report.as_json())
    return counts


async def test_the_collector_removes_what_no_manifest_names_when_it_is_old(
    server: SyncServer, ann: Caller, clock: FakeClock
) -> None:
    first = await ann.commit(put(note("a-1", body="one")), put(note("b-2")), put(note("c-3")))
    await ann.commit(put(note("a-1", body="two"), first.results[0].revision), delete("b-2", first.results[1].revision))
    await server.store.create("users/ann/memory/objects/d-4/orphan.md", b"a commit that lost")
    assert (await gc(server))["removed"] == 0
    clock.advance(47 * HOUR_S)
    assert (await gc(server))["removed"] == 0
    clock.advance(2 * HOUR_S)
    await server.store.create("users/ann/memory/objects/e-5/young.md", b"a commit on its way")
    counts = await gc(server)
    assert (counts["scopes"], counts["objects"], counts["removed"]) == (1, 6, 3)
    listing = await ann.list()
    assert {one.id: one.note.body for one in listing.notes if one.note} == {"a-1": "two", "c-3": "body"}
    assert "users/ann/memory/objects/e-5/young.md" in await keys_under(server.store, "users/")
    assert (await gc(server))["removed"] == 0


async def test_the_collector_leaves_alone_what_it_cannot_understand(
    server: SyncServer, ann: Caller, clock: FakeClock
) -> None:
    await ann.commit(put(note("a-1")))
    await server.store.put("users/ann/memory/manifest.json", b"broken")
    clock.advance(100 * HOUR_S)
    counts = await gc(server)
    assert (counts["removed"], counts["unreadable"]) == (0, 1)


async def test_the_collector_does_not_take_a_lost_read_for_an_empty_scope(clock: FakeClock) -> None:
    faults = FaultyObjects(RamObjects(clock))
    server = SyncServer(clock, SeededRandomness(1), store=faults)
    async with server.client() as http:
        await Caller(server, http).commit(put(note("a-1")))
        clock.advance(100 * HOUR_S)
        # the first version of everything was "absent", which is what a stale read gives
        faults.plan = lambda call: Fault.STALE if call.key.endswith("manifest.json") else None
        counts = await gc(server)
        assert (counts["removed"], counts["unreadable"]) == (0, 1)
        faults.plan = lambda call: None
        assert len((await Caller(server, http).list()).notes) == 1


async def test_the_collector_sweeps_what_erased_accounts_and_teams_left(
    server: SyncServer, http: httpx2.AsyncClient, ann: Caller, bob: Caller
) -> None:
    await ann.commit(put(note()))
    await bob.commit(put(note()))
    await server.store.create("feed/team-t/s/1.json", b"{}")
    await server.store.put(erased_user_key("ann"), b"{}")
    await server.store.put("erased/teams/t.json", b"{}")
    assert (await gc(server))["erased"] == 2
    assert await keys_under(server.store, "users/ann/") == ["users/ann/memory/manifest.json"]
    assert await keys_under(server.store, "feed/") == []
    assert len((await bob.list()).notes) == 1


async def test_the_collector_sees_what_a_commit_names_while_it_looks(clock: FakeClock) -> None:
    """Objects are listed before manifests are read: a commit in between is seen."""
    faults = FaultyObjects(RamObjects(clock))
    server = SyncServer(clock, SeededRandomness(1), store=faults)
    async with server.client() as http:
        ann = Caller(server, http)
        await ann.commit(put(note("a-1")))
        await collect_garbage(server.store, clock, SeededRandomness("gc"))
        kinds = [call.name for call in faults.calls if call.key.startswith("users/ann/") or call.key == "users/"]
        assert kinds.index("list") < len(kinds) - 1 - kinds[::-1].index("read")
