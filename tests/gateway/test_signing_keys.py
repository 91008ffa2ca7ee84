"""Keys change without a token ever being without its key."""

import json

import pytest

from oharness.core.clock import Millis
from oharness.gateway.admin import access_token
from oharness.gateway.key_schedule import (
    LEAD_MS,
    PERIOD_MS,
    KeyTimes,
    NewKey,
    key_to_make,
    keys_to_drop,
    signing_key,
)
from oharness.protocol.claims import AUDIENCE
from oharness.syncserver.auth import PublishedKeys, Verifier
from oharness.testing.clock import FakeClock
from oharness.testing.gateway import ORIGIN, Gateway

pytestmark = pytest.mark.sync

HOUR_MS = 3600 * 1000


def test_over_a_year_there_is_always_a_key_that_signs_and_it_was_published_in_time() -> None:
    keys: list[KeyTimes] = []
    published_at: dict[str, int] = {}
    for hour in range(365 * 24):
        now = Millis(hour * HOUR_MS)
        if (wanted := key_to_make(keys, now)) is not None:
            keys.append(KeyTimes(f"k{len(published_at)}", wanted.signs_from, wanted.signs_until, Millis(0)))
            published_at[keys[-1].id] = now
        gone = keys_to_drop(keys, now)
        keys = [key for key in keys if key.id not in gone]
        signs = signing_key(keys, now)
        assert signs is not None
        assert signs.signs_from - published_at[signs.id] >= LEAD_MS - HOUR_MS or signs.id == "k0"
        assert len(keys) <= 2
    assert len(published_at) == 365 * 24 * HOUR_MS // PERIOD_MS + 1


def test_a_gateway_that_was_off_for_long_signs_at_once() -> None:
    old = KeyTimes("old", Millis(0), Millis(PERIOD_MS), Millis(0))
    now = Millis(PERIOD_MS * 5)
    assert signing_key([old], now) is None
    assert key_to_make([old], now) == NewKey(now, Millis(now + PERIOD_MS))


def test_a_key_stays_for_the_longest_lived_token_it_signed() -> None:
    key = KeyTimes("k", Millis(0), Millis(PERIOD_MS), Millis(PERIOD_MS * 2))
    assert keys_to_drop([key], Millis(PERIOD_MS * 2)) == []
    assert keys_to_drop([key], Millis(PERIOD_MS * 2 + HOUR_MS)) == ["k"]


async def test_a_token_can_be_verified_until_it_expires_across_a_change_of_keys(
    gateway: Gateway, clock: FakeClock
) -> None:
    browser = gateway.browser()
    await browser.sign_up("ann@example.com")
    await gateway.cloud.housekeeping.round()
    first = (await gateway.signed_in_device(browser)).access_token
    clock.advance((PERIOD_MS - LEAD_MS) / 1000)
    await gateway.cloud.housekeeping.round()
    published = (await gateway.cloud.keys.published())["keys"]
    assert len(published) == 2
    assert all(set(key) == {"kty", "crv", "x", "kid", "alg", "use"} for key in published)
    long_lived = (await access_token(gateway.cloud, "ann@example.com", 7 * 24 * 60))["accessToken"]
    clock.advance(LEAD_MS / 1000)
    await gateway.cloud.housekeeping.round()
    await browser.sign_in("ann@example.com")
    second = (await gateway.signed_in_device(browser)).access_token
    for token in (first, second, long_lived):
        assert (await gateway.claims(token))["sub"]
    clock.advance(6 * 24 * 3600)
    await gateway.cloud.housekeeping.round()
    assert (await gateway.claims(long_lived))["sub"]
    clock.advance(2 * 24 * 3600)
    await gateway.cloud.housekeeping.round()
    with pytest.raises(KeyError):
        await gateway.claims(long_lived)


async def test_the_sync_service_follows_a_change_of_keys_and_fetches_seldom(
    on_sqlite: Gateway, clock: FakeClock
) -> None:
    fetched = 0

    async def fetch() -> bytes:
        nonlocal fetched
        fetched += 1
        return json.dumps(await on_sqlite.cloud.keys.published()).encode()

    verifier = Verifier(PublishedKeys(fetch, clock), clock, AUDIENCE, ORIGIN)
    account = await on_sqlite.cloud.accounts.add("ann@example.com", None)
    around_the_change = [PERIOD_MS // 1000 - 2 * 24 * 3600] + 18 * [4 * 3600]
    for seconds in around_the_change:
        await on_sqlite.cloud.housekeeping.round()
        token = (await access_token(on_sqlite.cloud, "ann@example.com", 15))["accessToken"]
        assert (await verifier.verify(f"Bearer {token}")).account == account.id
        clock.advance(seconds)
    assert fetched == len(around_the_change)
    await on_sqlite.cloud.keys.replace_all()
    token = (await access_token(on_sqlite.cloud, "ann@example.com", 15))["accessToken"]
    assert (await verifier.verify(f"Bearer {token}")).account == account.id


async def test_all_keys_can_be_replaced_at_once(gateway: Gateway) -> None:
    await gateway.cloud.accounts.add("ann@example.com", None)
    before = (await access_token(gateway.cloud, "ann@example.com", 15))["accessToken"]
    key_id = await gateway.cloud.keys.replace_all()
    assert [key["kid"] for key in (await gateway.cloud.keys.published())["keys"]] == [key_id]
    with pytest.raises(KeyError):
        await gateway.claims(before)
    after = (await access_token(gateway.cloud, "ann@example.com", 15))["accessToken"]
    assert (await gateway.claims(after))["aud"] == "oharness-sync"
