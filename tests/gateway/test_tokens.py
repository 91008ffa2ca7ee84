"""Tokens over HTTP: rotation, theft, concurrency, signing out, plans and teams in `ent`."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from oharness.gateway.refresh import LIFETIME_MS
from oharness.protocol.claims import read_claims
from oharness.testing.clock import FakeClock
from oharness.testing.gateway import DeviceClient, Gateway, words_of

pytestmark = pytest.mark.sync


@pytest.fixture
async def device(gateway: Gateway) -> DeviceClient:
    browser = gateway.browser()
    await browser.sign_up("ann@example.com")
    return await gateway.signed_in_device(browser)


async def test_a_refresh_token_is_exchanged_for_a_new_pair(device: DeviceClient, gateway: Gateway) -> None:
    before = (device.access_token, device.refresh_token)
    assert await device.refresh() == ""
    assert device.access_token != before[0]
    assert device.refresh_token != before[1]
    assert read_claims(await gateway.claims(device.access_token)).plan == "free"


async def test_a_replayed_token_signs_the_device_out_and_the_page_says_so(
    device: DeviceClient, gateway: Gateway
) -> None:
    stolen = device.refresh_token
    assert await device.refresh() == ""
    assert (await device.exchange(stolen)).json()["error"] == "invalid_grant"
    assert await device.refresh() == "invalid_grant"
    browser = gateway.browser()
    await browser.sign_in("ann@example.com")
    page = words_of(await browser.get("/account"))
    assert "laptop was signed out: its sign-in was used from two places" in page
    assert "refresh_reused_total 1" in gateway.cloud.metrics.text()


async def test_a_lost_answer_is_given_again_to_who_named_the_attempt(device: DeviceClient) -> None:
    lost = await device.exchange(device.refresh_token, "attempt 1")
    assert lost.status_code == 200
    assert await device.refresh(attempt="attempt 1") == ""
    assert device.refresh_token == lost.json()["refresh_token"]
    assert await device.refresh(attempt="attempt 2") == ""


async def test_of_two_exchanges_at_once_one_wins_and_the_chain_ends(device: DeviceClient) -> None:
    answers = await asyncio.gather(*(device.exchange(device.refresh_token) for _ in range(4)))
    won = [answer for answer in answers if answer.status_code == 200]
    assert len(won) == 1
    assert (await device.exchange(won[0].json()["refresh_token"])).json()["error"] == "invalid_grant"


async def test_two_processes_with_one_attempt_get_the_same_token(device: DeviceClient) -> None:
    answers = await asyncio.gather(*(device.exchange(device.refresh_token, "shared") for _ in range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["refresh_token"] for answer in answers}) == 1


async def test_another_devices_token_says_nothing_about_mine(gateway: Gateway) -> None:
    ann, bob = gateway.browser(), gateway.browser()
    await ann.sign_up("ann@example.com")
    await bob.sign_up("bob@example.com")
    of_ann, of_bob = await gateway.signed_in_device(ann), await gateway.signed_in_device(bob)
    head, _, tail = of_bob.refresh_token.partition(".")
    forged = f"{head}.{of_ann.refresh_token.split('.')[1]}.{tail.partition('.')[2]}"
    assert await of_bob.refresh(forged) == "invalid_grant"
    assert await of_ann.refresh() == ""
    assert await of_bob.refresh() == ""


async def test_a_device_that_was_away_for_too_long_signs_in_again(device: DeviceClient, clock: FakeClock) -> None:
    clock.advance(LIFETIME_MS / 1000)
    assert await device.refresh() == "invalid_grant"


async def test_signing_out_ends_the_device_and_unknown_tokens_are_answered_alike(device: DeviceClient) -> None:
    assert (await device.revoke()).status_code == 200
    assert await device.refresh() == "invalid_grant"
    device.refresh_token = "anything"
    assert (await device.revoke()).status_code == 200


async def test_a_device_can_be_signed_out_on_the_page_and_only_by_its_owner(gateway: Gateway) -> None:
    ann, eve = gateway.browser(), gateway.browser()
    await ann.sign_up("ann@example.com")
    await eve.sign_up("eve@example.com")
    device = await gateway.signed_in_device(ann)
    device_id = device.refresh_token.split(".")[1]
    assert (await eve.send("/account/devices", device=device_id)).status_code == 404
    assert await device.refresh() == ""
    assert "The device is signed out." in words_of(await ann.send("/account/devices", device=device_id))
    assert await device.refresh() == "invalid_grant"


async def test_plans_and_teams_are_in_the_next_token(device: DeviceClient, gateway: Gateway) -> None:
    cloud = gateway.cloud
    ann = await cloud.accounts.named("ann@example.com")
    bob = await cloud.accounts.add("bob@example.com", None)
    team = await cloud.teams.add("Builders", ann)
    other = await cloud.teams.add("Others", bob)
    await cloud.teams.set_plan(team, "paid")
    await device.refresh()
    claims = await gateway.claims(device.access_token)
    assert claims["ent"] == {"plan": "free", "teams": [{"id": team, "plan": "paid"}]}
    assert read_claims(claims).paid
    assert not read_claims(claims).is_on_team(other)
    await cloud.accounts.set_plan("ann@example.com", "paid")
    await cloud.deletions.begin_team(team)
    await device.refresh()
    assert (await gateway.claims(device.access_token))["ent"] == {"plan": "paid", "teams": []}


async def test_nothing_that_signs_in_is_stored_as_it_is(on_sqlite: Gateway, tmp_path: Path) -> None:
    browser = on_sqlite.browser()
    await browser.sign_up("ann@example.com", "a very private password")
    device = await on_sqlite.signed_in_device(browser)
    waiting = on_sqlite.device()
    await waiting.ask()
    team = await on_sqlite.cloud.teams.add("T", await on_sqlite.cloud.accounts.named("ann@example.com"))
    invitation = await browser.send(f"/teams/{team}/invite", email="bob@example.com")
    with sqlite3.connect(tmp_path / "accounts.sqlite3") as connection:
        stored = "\n".join(connection.iterdump())
    connection.close()
    code = words_of(invitation).partition("not shown again. ")[2].partition(" ")[0]
    assert len(code) == 32
    secrets = [device.refresh_token, device.codes["device_code"], waiting.codes["device_code"], code]
    secrets += ["a very private password", *browser.http.cookies.values()]
    assert [secret for secret in secrets if secret in stored] == []
