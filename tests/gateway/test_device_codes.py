"""Signing in from a device, as RFC 8628 says."""

import re

import pytest

from oharness.gateway.device_codes import INTERVAL_S, LIFETIME_S, normalised_user_code
from oharness.gateway.oauth import DEVICE_GRANT, TOKEN_PATH
from oharness.testing.clock import FakeClock
from oharness.testing.gateway import ORIGIN, Gateway, words_of

pytestmark = pytest.mark.sync


async def test_a_device_gets_tokens_once_its_code_is_approved(gateway: Gateway) -> None:
    browser, device = gateway.browser(), gateway.device()
    await browser.sign_up("ann@example.com")
    codes = await device.ask("Ann's laptop")
    assert codes["verification_uri"] == f"{ORIGIN}/device"
    assert codes["verification_uri_complete"] == f"{ORIGIN}/device?user_code={codes['user_code']}"
    assert (codes["expires_in"], codes["interval"]) == (LIFETIME_S, INTERVAL_S)
    assert await device.poll() == "authorization_pending"
    compared = await browser.get(codes["verification_uri_complete"])
    assert codes["user_code"] in words_of(compared)
    assert "Ann's laptop" in words_of(compared)
    done = await browser.send("/device/answer", user_code=codes["user_code"], answer="approve")
    assert "Signed in" in words_of(done)
    assert await device.poll() == ""
    claims = await gateway.claims(device.access_token)
    assert set(claims) == {"iss", "aud", "sub", "exp", "iat", "jti", "ent"}
    assert (claims["iss"], claims["aud"]) == (ORIGIN, "oharness-sync")
    assert claims["exp"] - claims["iat"] == 15 * 60
    assert claims["ent"] == {"plan": "free", "teams": []}
    assert "Ann's laptop" in words_of(await browser.get("/account"))


async def test_codes_have_no_letters_that_look_alike_and_may_be_typed_in_any_way(on_sqlite: Gateway) -> None:
    codes = [(await on_sqlite.device().ask())["user_code"] for _ in range(20)]
    assert all(re.fullmatch(r"[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}", code) for code in codes)
    assert normalised_user_code(" bcdf ghjk") == normalised_user_code("BCDFGHJK") == "BCDF-GHJK"


async def test_a_code_is_exchanged_once(gateway: Gateway) -> None:
    browser = gateway.browser()
    await browser.sign_up("ann@example.com")
    device = await gateway.signed_in_device(browser)
    assert await device.poll() == "invalid_grant"
    assert await device.refresh() == ""


async def test_the_first_answer_to_a_code_counts(gateway: Gateway) -> None:
    ann, eve = gateway.browser(), gateway.browser()
    await ann.sign_up("ann@example.com")
    await eve.sign_up("eve@example.com")
    device = gateway.device()
    codes = await device.ask()
    await ann.approve(codes["user_code"])
    again = await eve.approve(codes["user_code"])
    assert again.status_code == 404
    assert (await ann.approve(codes["user_code"], "deny")).status_code == 404
    assert await device.poll() == ""
    name = await gateway.cloud.accounts.named("ann@example.com")
    assert (await gateway.claims(device.access_token))["sub"] == name.id


async def test_a_code_approved_twice_signs_one_device_in_once(gateway: Gateway) -> None:
    ann, device = gateway.browser(), gateway.device()
    await ann.sign_up("ann@example.com")
    codes = await device.ask()
    assert (await ann.approve(codes["user_code"])).status_code == 200
    again = await ann.approve(codes["user_code"])
    assert again.status_code == 404
    assert "answered already" in words_of(again)
    assert await device.poll() == ""
    assert (await ann.approve(codes["user_code"])).status_code == 404
    assert await device.poll() == "invalid_grant"
    assert await device.refresh() == "", "the second approval took nothing from the first"


async def test_a_device_that_is_turned_away_gets_nothing(gateway: Gateway) -> None:
    browser, device = gateway.browser(), gateway.device()
    await browser.sign_up("ann@example.com")
    codes = await device.ask()
    assert "Turned away" in words_of(await browser.approve(codes["user_code"], "deny"))
    assert await device.poll() == "access_denied"


async def test_who_polls_too_fast_is_slowed_down_and_still_gets_the_tokens(gateway: Gateway, clock: FakeClock) -> None:
    browser, device = gateway.browser(), gateway.device()
    await browser.sign_up("ann@example.com")
    codes = await device.ask()
    assert await device.poll() == "authorization_pending"
    clock.advance(1)
    assert await device.poll() == "slow_down"
    clock.advance(INTERVAL_S)
    assert await device.poll() == "slow_down"
    clock.advance(INTERVAL_S + 10)
    assert await device.poll() == "authorization_pending"
    await browser.approve(codes["user_code"])
    assert await device.poll() == ""


async def test_a_code_expires_for_the_device_and_for_the_person(gateway: Gateway, clock: FakeClock) -> None:
    browser, device = gateway.browser(), gateway.device()
    await browser.sign_up("ann@example.com")
    codes = await device.ask()
    clock.advance(LIFETIME_S)
    assert await device.poll() == "expired_token"
    assert (await browser.approve(codes["user_code"])).status_code == 404
    approved = gateway.device()
    codes = await approved.ask()
    await browser.approve(codes["user_code"])
    clock.advance(LIFETIME_S)
    assert await approved.poll() == "expired_token"


async def test_guessing_codes_is_stopped_for_an_account_and_right_ones_do_not_count(on_sqlite: Gateway) -> None:
    browser = on_sqlite.browser()
    await browser.sign_up("ann@example.com")
    for _ in range(12):
        codes = await on_sqlite.device().ask()
        assert (await browser.send("/device", user_code=codes["user_code"])).status_code == 200
    for _ in range(10):
        assert (await browser.send("/device", user_code="BBBB-BBBB")).status_code == 404
    stopped = await browser.send("/device", user_code="BBBB-BBBB")
    assert stopped.status_code == 429
    assert int(stopped.headers["retry-after"]) <= 900
    device = on_sqlite.device()
    codes = await device.ask()
    assert (await browser.approve(codes["user_code"])).status_code == 429


@pytest.mark.parametrize(
    ("fields", "error", "status"),
    [
        ({}, "invalid_request", 400),
        ({"grant_type": "password"}, "unsupported_grant_type", 400),
        ({"grant_type": DEVICE_GRANT}, "invalid_request", 400),
        ({"grant_type": DEVICE_GRANT, "device_code": "ohd.nobody"}, "invalid_grant", 400),
        ({"grant_type": DEVICE_GRANT, "device_code": "x", "client_id": "other"}, "invalid_client", 401),
        ({"grant_type": "refresh_token"}, "invalid_request", 400),
        ({"grant_type": "refresh_token", "refresh_token": "ohr.x"}, "invalid_grant", 400),
        ({"grant_type": "refresh_token", "refresh_token": "ohr.x", "attempt": ""}, "invalid_request", 400),
    ],
)
async def test_what_is_no_grant_gets_the_error_that_the_standard_names(
    on_sqlite: Gateway, fields: dict[str, str], error: str, status: int
) -> None:
    answer = await on_sqlite.device().post(TOKEN_PATH, **fields)
    assert (answer.json()["error"], answer.status_code) == (error, status)
    assert answer.headers["cache-control"] == "no-store"


async def test_bodies_that_are_no_forms_are_refused(on_sqlite: Gateway) -> None:
    http = on_sqlite.device().http
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert (await http.post(TOKEN_PATH, json={"grant_type": "refresh_token"})).status_code == 415
    assert (await http.post(TOKEN_PATH, content=b"a=" + b"x" * 70_000, headers=form)).status_code == 413
    assert (await http.post(TOKEN_PATH, content=b"client_id=a&client_id=b", headers=form)).status_code == 400
    assert (await http.post(TOKEN_PATH, content=b"client_id=%ff%fe", headers=form)).status_code == 400


async def test_a_device_whose_account_left_meanwhile_gets_nothing(gateway: Gateway) -> None:
    browser, device = gateway.browser(), gateway.device()
    await browser.sign_up("ann@example.com")
    codes = await device.ask()
    await browser.approve(codes["user_code"])
    account = await gateway.cloud.accounts.named("ann@example.com")
    await gateway.cloud.deletions.begin_account(account.id)
    assert await device.poll() == "access_denied"
