"""Signing in by a code: in the Cloud's rhythm, through its troubles, until a person has answered."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from oharness.protocol.errors import ProtocolBroken
from oharness.sync.account import CloudPlaces
from oharness.sync.cloud_forms import CloudForms, FormRefused
from oharness.sync.device_login import (
    DeviceCodes,
    SignInDenied,
    SignInExpired,
    TokenNeeded,
    ask_for_codes,
    wait_for_approval,
)
from oharness.sync.transport import ServiceUnreachable
from oharness.testing.clock import FakeClock
from oharness.testing.gateway import ORIGIN, open_gateway
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.sync

PLACES = CloudPlaces(
    "https://cloud.example", "https://sync.example", "https://cloud.example/device", "https://cloud.example/token"
)
CODES = DeviceCodes("https://cloud.example/page", "https://cloud.example/page?c", "ABCD", "secret", 600.0, 5.0)
TOKENS = (200, {"access_token": "a", "refresh_token": "r", "expires_in": 900})


def refusal(error: str, status: int = 400) -> tuple[int, dict[str, Any]]:
    return status, {"error": error}


class ScriptedCloud:
    """Answers one after another, and keeps when it was asked."""

    def __init__(self, clock: FakeClock, *answers: tuple[int, dict[str, Any]] | Exception) -> None:
        self.asked_at: list[float] = []
        self.forms: list[bytes] = []
        self._clock = clock
        self._answers = list(answers)

    def open(self) -> CloudForms:
        return CloudForms(lambda: httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer)))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked_at.append(self._clock.monotonic())
        self.forms.append(request.read())
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx2.Response(answer[0], json=answer[1])


async def test_a_device_asks_in_the_rhythm_it_was_given(clock: FakeClock) -> None:
    pending = refusal("authorization_pending")
    cloud = ScriptedCloud(clock, pending, pending, TOKENS)
    granted = await wait_for_approval(cloud.open(), PLACES, CODES, clock)
    assert (granted.access_token, granted.refresh_token, granted.expires_in_s) == ("a", "r", 900)
    assert cloud.asked_at == [5, 10, 15]
    assert b"client_id=oharness" in cloud.forms[0]
    assert b"device_code=secret" in cloud.forms[0]


async def test_a_device_that_asked_too_fast_slows_down_for_good(clock: FakeClock) -> None:
    cloud = ScriptedCloud(clock, refusal("slow_down"), refusal("authorization_pending"), TOKENS)
    await wait_for_approval(cloud.open(), PLACES, CODES, clock)
    assert cloud.asked_at == [5, 15, 25]


async def test_a_rhythm_slower_than_a_minute_is_kept_and_can_slow_down_too(clock: FakeClock) -> None:
    codes = await ask_for_codes(ScriptedCloud(clock, (200, GIVEN | {"interval": 90})).open(), PLACES, "laptop")
    cloud = ScriptedCloud(clock, refusal("authorization_pending"), refusal("slow_down"), TOKENS)
    await wait_for_approval(cloud.open(), PLACES, codes, clock)
    assert cloud.asked_at == [90, 180, 275]  # RFC 8628, 3.5: five seconds more, for this and all later requests


async def test_a_cloud_that_cannot_be_reached_for_a_while_is_asked_again_more_slowly(clock: FakeClock) -> None:
    cloud = ScriptedCloud(clock, httpx2.ConnectError("down"), (503, {"error": "x"}), (502, {}), TOKENS)
    await wait_for_approval(cloud.open(), PLACES, CODES, clock)
    assert cloud.asked_at == [5, 15, 35, 75]


async def test_a_code_that_nobody_approves_runs_out_by_this_devices_own_patience(clock: FakeClock) -> None:
    cloud = ScriptedCloud(clock, refusal("authorization_pending"))
    with pytest.raises(SignInExpired):
        await wait_for_approval(cloud.open(), PLACES, CODES, clock)
    assert len(cloud.asked_at) == 120
    assert clock.monotonic() == 600


@pytest.mark.parametrize(
    ("error", "expected"),
    [("access_denied", SignInDenied), ("expired_token", SignInExpired), ("invalid_grant", FormRefused)],
)
async def test_an_answer_that_is_final_ends_the_waiting(
    clock: FakeClock, error: str, expected: type[Exception]
) -> None:
    cloud = ScriptedCloud(clock, refusal(error))
    with pytest.raises(expected):
        await wait_for_approval(cloud.open(), PLACES, CODES, clock)
    assert len(cloud.asked_at) == 1


async def test_an_answer_without_a_token_is_no_sign_in(clock: FakeClock) -> None:
    for answer in ({}, {"access_token": ""}, {"access_token": "a\nb"}, {"access_token": 1}):
        with pytest.raises(ProtocolBroken):
            await wait_for_approval(ScriptedCloud(clock, (200, answer)).open(), PLACES, CODES, clock)


async def test_a_sync_service_itself_needs_a_token(clock: FakeClock) -> None:
    cloud = ScriptedCloud(clock, TOKENS)
    with pytest.raises(TokenNeeded):
        await ask_for_codes(cloud.open(), CloudPlaces("https://s.example", "https://s.example"), "laptop")
    assert cloud.asked_at == []


GIVEN = {"device_code": "d", "user_code": "ABCD-EFGH", "verification_uri": "https://c.example/p", "expires_in": 600}


async def test_what_a_cloud_leaves_out_has_the_usual_values(clock: FakeClock) -> None:
    codes = await ask_for_codes(ScriptedCloud(clock, (200, GIVEN)).open(), PLACES, "laptop")
    assert codes == DeviceCodes("https://c.example/p", "https://c.example/p", "ABCD-EFGH", "d", 600, 5)


@pytest.mark.parametrize(
    "change",
    [
        {"verification_uri": "javascript:alert(1)"},
        {"verification_uri": "file:///etc/passwd"},
        {"verification_uri_complete": "http://elsewhere.example/"},
        {"user_code": "\x1b[2J"},
        {"user_code": ""},
        {"device_code": None},
    ],
)
async def test_a_page_that_must_not_be_opened_or_shown_is_refused(clock: FakeClock, change: dict[str, Any]) -> None:
    with pytest.raises(ProtocolBroken):
        await ask_for_codes(ScriptedCloud(clock, (200, GIVEN | change)).open(), PLACES, "laptop")


async def test_a_cloud_that_is_down_is_said_so_at_once(clock: FakeClock) -> None:
    with pytest.raises(ServiceUnreachable):
        await ask_for_codes(ScriptedCloud(clock, httpx2.ConnectError("down")).open(), PLACES, "laptop")


async def test_a_person_approves_a_device_at_the_real_gateway(tmp_path: Path, clock: FakeClock) -> None:
    randomness = SeededRandomness("g")
    async with open_gateway(f"sqlite:///{tmp_path / 'accounts.sqlite3'}", clock, randomness) as gateway:
        forms = CloudForms(lambda: httpx2.AsyncClient(transport=gateway.transport))
        places = CloudPlaces(ORIGIN, ORIGIN, f"{ORIGIN}/oauth/device_authorization", f"{ORIGIN}/oauth/token")
        codes = await ask_for_codes(forms, places, "ann's laptop")
        browser = gateway.browser()
        await browser.sign_up("ann@example.com")
        await browser.approve(codes.user_code)
        granted = await wait_for_approval(forms, places, codes, clock)
        claims = await gateway.claims(granted.access_token)
        await browser.http.aclose()
    assert claims["aud"] == "oharness-sync"
    assert granted.refresh_token
