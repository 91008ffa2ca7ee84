"""Leaving: erased, removed, erased again; a stop at any step goes on later; what is left is nothing."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from sqlalchemy import select

from oharness.core.randomness import Randomness
from oharness.gateway.database import DELETIONS, METADATA
from oharness.gateway.deletion import LATE_MS, Done, Kind, Step, Stopped, Subject
from oharness.testing.clock import FakeClock
from oharness.testing.gateway import PASSWORD, Browser, Gateway, open_gateway, words_of
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_caller import Caller, error_of, note, put
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync


class Unreliable(httpx2.AsyncBaseTransport):
    """The way to the sync service: down while `fails`; what was asked is counted."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self.inner = inner
        self.fails = False
        self.fails_after: int | None = None
        self.asked = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        if self.fails or (self.fails_after is not None and self.asked > self.fails_after):
            raise httpx2.ConnectError("down")
        return await self.inner.handle_async_request(request)


@pytest.fixture
def way(sync: SyncServer) -> Unreliable:
    return Unreliable(sync.transport())


@pytest.fixture
async def leaving(
    database_url: str, clock: FakeClock, randomness: Randomness, way: Unreliable
) -> AsyncIterator[Gateway]:
    async with open_gateway(database_url, clock, randomness, to_sync=way) as gateway:
        yield gateway


async def synced(sync: SyncServer, account_id: str) -> Caller:
    caller = Caller(sync, sync.client(), account=account_id)
    await caller.commit(put(note("a-1")), put(note("b-2")))
    return caller


async def rows_left(gateway: Gateway) -> dict[str, int]:
    """Rows by table, without the note that something is erased for the last time in a while."""
    left: dict[str, int] = {}
    async with gateway.cloud.database.transaction() as connection:
        for table in METADATA.sorted_tables:
            if table.name not in ("meta", "signing_keys", "attempts"):
                rows = (await connection.execute(select(table))).all()
                count = sum(getattr(row, "step", None) != Step.ERASE_LATE for row in rows)
                left |= {table.name: count} if count else {}
    return left


async def stored(sync: SyncServer, prefix: str) -> list[str]:
    return [one.key async for one in sync.store.list_under(prefix)]


async def test_an_account_leaves_nothing_behind_and_its_tokens_get_410(leaving: Gateway, sync: SyncServer) -> None:
    browser = leaving.browser()
    await browser.sign_up("ann@example.com")
    device = await leaving.signed_in_device(browser)
    await browser.send("/teams", name="Only me")
    account = await leaving.cloud.accounts.named("ann@example.com")
    caller = await synced(sync, account.id)
    page = words_of(await browser.get("/account/delete"))
    assert "Notes and sessions on your own machines are not touched" in page
    assert "The team Only me, which nobody else is on, is deleted" in page
    done = await browser.send("/account/delete", password=PASSWORD)
    assert done.status_code == 200
    assert "Your account is gone, and everything that it had synced was erased" in words_of(done)
    assert "2 stored objects were erased" in words_of(done)
    assert await rows_left(leaving) == {}
    left = await stored(sync, "")
    assert [key for key in left if not key.startswith(("erased/", "probe/"))] == [
        f"users/{account.id}/memory/manifest.json"
    ]
    answer = await caller.get()
    assert (answer.status_code, error_of(answer).code) == (410, "account_erased")
    assert await device.refresh() == "invalid_grant"
    assert (await browser.sign_in("ann@example.com")).status_code == 403


async def test_the_password_is_asked_for_and_nothing_happens_without_it(leaving: Gateway, way: Unreliable) -> None:
    browser = leaving.browser()
    await browser.sign_up("ann@example.com")
    device = await leaving.signed_in_device(browser)
    await browser.get("/account/delete")
    assert (await browser.send("/account/delete", password="a wrong password")).status_code == 403
    assert way.asked == 0
    assert await device.refresh() == ""


async def test_a_deletion_with_the_sync_service_down_stops_and_goes_on_when_it_is_up(
    leaving: Gateway, way: Unreliable, sync: SyncServer
) -> None:
    browser = leaving.browser()
    await browser.sign_up("ann@example.com")
    device = await leaving.signed_in_device(browser)
    account = await leaving.cloud.accounts.named("ann@example.com")
    caller = await synced(sync, account.id)
    way.fails = True
    stopped = await browser.send("/account/delete", password=PASSWORD)
    assert stopped.status_code == 202
    assert "nothing was removed yet" in words_of(stopped)
    assert await device.refresh() == "invalid_grant"
    page = await browser.sign_in("ann@example.com")
    assert page.url.path == "/account/leaving"
    assert (await caller.get()).status_code == 200, "a token of the last minutes still counts, and the page says so"
    assert "What a device still uploads until then is erased as well." in words_of(page)
    for path in ("/account", "/teams", "/device", "/account/export"):
        assert (await browser.get(path)).url.path == "/account/leaving"
    assert (await browser.send("/account/leaving")).status_code == 202
    way.fails = False
    await browser.sign_in("ann@example.com")
    done = await browser.send("/account/leaving")
    assert "Your account is gone" in words_of(done)
    assert await rows_left(leaving) == {}
    assert (await caller.get()).status_code == 410


async def test_housekeeping_finishes_what_stopped(leaving: Gateway, way: Unreliable) -> None:
    browser = leaving.browser()
    await browser.sign_up("ann@example.com")
    way.fails = True
    await browser.send("/account/delete", password=PASSWORD)
    await leaving.cloud.housekeeping.round()
    assert await rows_left(leaving) != {}
    way.fails = False
    await leaving.cloud.housekeeping.round()
    assert await rows_left(leaving) == {}


async def test_what_a_late_write_left_is_erased_a_while_later_and_then_nothing_is_known_any_more(
    leaving: Gateway, sync: SyncServer, clock: FakeClock, way: Unreliable
) -> None:
    browser = leaving.browser()
    await browser.sign_up("ann@example.com")
    account = await leaving.cloud.accounts.named("ann@example.com")
    await browser.get("/account/delete")
    assert "Your account is gone" in words_of(await browser.send("/account/delete", password=PASSWORD))
    late = f"users/{account.id}/memory/objects/a-1/late.md"
    await sync.store.create(late, b"a write that a store held back")
    await leaving.cloud.housekeeping.round()
    assert await stored(sync, f"users/{account.id}/") == [late]
    way.fails = True
    clock.advance(LATE_MS / 1000)
    await leaving.cloud.housekeeping.round()
    assert await stored(sync, f"users/{account.id}/") == [late]
    way.fails = False
    clock.advance(LATE_MS / 1000)
    await leaving.cloud.housekeeping.round()
    assert await stored(sync, f"users/{account.id}/") == []
    async with leaving.cloud.database.transaction() as connection:
        assert (await connection.execute(select(DELETIONS))).all() == []


async def test_a_stop_before_the_last_step_is_finished_without_the_account(leaving: Gateway, way: Unreliable) -> None:
    account = await leaving.cloud.accounts.add("ann@example.com", None)
    begun = await leaving.cloud.deletions.begin_account(account.id)
    way.fails_after = 1
    outcome = await leaving.cloud.deletions.carry_on(begun.subject)
    assert isinstance(outcome, Stopped)
    assert (outcome.step, outcome.rows_are_gone) == (Step.ERASE_AGAIN, True)
    assert set(await rows_left(leaving)) == {"deletions"}
    way.fails_after = None
    outcomes = await leaving.cloud.deletions.carry_on_with_all()
    assert outcomes == {Subject(Kind.USER, account.id): Done(0)}
    assert await rows_left(leaving) == {}


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(401, json={"error": {"code": "unauthorized", "message": ""}}),
        httpx2.Response(503, json={"error": {"code": "not_configured", "message": ""}}),
        httpx2.Response(200, content=b"<html>hello</html>"),
        httpx2.Response(200, json={"erased": False, "objects": 0}),
        httpx2.Response(302, headers={"location": "http://elsewhere.test/"}),
    ],
)
async def test_any_answer_but_a_yes_stops_the_deletion(
    sqlite_url: str, clock: FakeClock, randomness: Randomness, answer: httpx2.Response
) -> None:
    transport = httpx2.MockTransport(lambda request: answer)
    async with open_gateway(sqlite_url, clock, randomness, to_sync=transport) as gateway:
        account = await gateway.cloud.accounts.add("ann@example.com", None)
        begun = await gateway.cloud.deletions.begin_account(account.id)
        outcome = await gateway.cloud.deletions.carry_on(begun.subject)
        assert isinstance(outcome, Stopped)
        assert outcome.step is Step.ERASE
        assert (await gateway.cloud.accounts.named("ann@example.com")).id == account.id


async def test_without_a_key_nothing_is_begun(sqlite_url: str, clock: FakeClock) -> None:
    async with open_gateway(sqlite_url, clock, SeededRandomness("no key"), admin_key=None) as gateway:
        browser = gateway.browser()
        await browser.sign_up("ann@example.com")
        device = await gateway.signed_in_device(browser)
        await browser.get("/account/delete")
        answer = await browser.send("/account/delete", password=PASSWORD)
        assert answer.status_code == 503
        assert "OHARNESS_SYNC_ADMIN_KEY is not set" in words_of(answer)
        assert await device.refresh() == ""


async def with_team(gateway: Gateway) -> tuple[Browser, Browser, str]:
    ann, bob = gateway.browser(), gateway.browser()
    await ann.sign_up("ann@example.com")
    await bob.sign_up("bob@example.com")
    accounts, teams = gateway.cloud.accounts, gateway.cloud.teams
    team = await teams.add("Builders", await accounts.named("ann@example.com"))
    code = await teams.invite(team, await accounts.named("ann@example.com"), "bob@example.com")
    await teams.accept(await accounts.named("bob@example.com"), code)
    return ann, bob, team


async def test_a_team_with_others_on_it_goes_to_them(leaving: Gateway) -> None:
    ann, bob, team = await with_team(leaving)
    page = words_of(await ann.get("/account/delete"))
    assert "The team Builders goes on" in page
    await ann.send("/account/delete", password=PASSWORD)
    assert (await bob.get(f"/teams/{team}/delete")).status_code == 200


async def test_a_team_is_cancelled_erased_removed_and_erased_again(
    leaving: Gateway, sync: SyncServer, way: Unreliable
) -> None:
    ann, bob, team = await with_team(leaving)
    await leaving.cloud.teams.set_plan(team, "paid")
    feed = f"feed/team-{team}/s1/000001.jsonl"
    await sync.store.create(feed, b"{}\n")
    device = await leaving.signed_in_device(bob)
    assert (await leaving.claims(device.access_token))["ent"]["teams"]
    page = words_of(await ann.get(f"/teams/{team}/delete"))
    assert "Its subscription is cancelled" in page
    assert "2 people, whose accounts and notes stay" in page
    way.fails = True
    stopped = await ann.send(f"/teams/{team}/delete", password=PASSWORD)
    assert stopped.status_code == 202
    await device.refresh()
    assert (await leaving.claims(device.access_token))["ent"] == {"plan": "free", "teams": []}
    assert (await bob.get(f"/teams/{team}")).status_code == 404
    assert "(is being deleted)" in words_of(await bob.get("/teams"))
    way.fails, way.asked = False, 0
    await leaving.cloud.housekeeping.round()
    assert way.asked == 2
    assert await stored(sync, f"feed/team-{team}/") == []
    assert await stored(sync, "erased/teams/") == [f"erased/teams/{team}.json"]
    left = await rows_left(leaving)
    assert {"teams", "members", "deletions"}.isdisjoint(left)
    assert left["accounts"] == 2


async def test_leaving_twice_at_once_does_it_once(leaving: Gateway) -> None:
    account = await leaving.cloud.accounts.add("ann@example.com", None)
    await asyncio.gather(*(leaving.cloud.deletions.begin_account(account.id) for _ in range(3)))
    subject = Subject(Kind.USER, account.id)
    outcomes: list[Any] = await asyncio.gather(*(leaving.cloud.deletions.carry_on(subject) for _ in range(3)))
    assert all(isinstance(outcome, Done) for outcome in outcomes)
    assert await rows_left(leaving) == {}


async def test_no_order_of_leaving_refreshing_and_approving_leaves_a_way_in(leaving: Gateway) -> None:
    for seed in range(5):
        order = random.Random(seed)
        browser = leaving.browser()
        await browser.sign_up(f"person{seed}@example.com")
        device, waiting = await leaving.signed_in_device(browser), leaving.device()
        codes = await waiting.ask()
        await browser.approve(codes["user_code"])
        account = await leaving.cloud.accounts.named(f"person{seed}@example.com")
        work = [leaving.cloud.deletions.begin_account(account.id), device.refresh(), waiting.poll()]
        order.shuffle(work)
        await asyncio.gather(*work)
        assert await device.refresh() == "invalid_grant"
        assert await waiting.poll() in ("access_denied", "invalid_grant")
        assert not waiting.refresh_token or await waiting.refresh() == "invalid_grant"
        await leaving.cloud.deletions.carry_on(Subject(Kind.USER, account.id))
    assert await rows_left(leaving) == {}
