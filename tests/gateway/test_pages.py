"""The pages: forms that only we can send, headers, nothing that tells who has an account, limits, languages."""

import re

import httpx2
import pytest

from oharness.gateway.web_sessions import LIFETIME_S
from oharness.testing.clock import FakeClock
from oharness.testing.gateway import PASSWORD, Browser, Gateway, open_gateway, words_of
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.sync


@pytest.fixture
async def ann(on_sqlite: Gateway) -> Browser:
    browser = on_sqlite.browser()
    await browser.sign_up("ann@example.com")
    return browser


FORMS = (
    "/sign-in",
    "/sign-up",
    "/sign-out",
    "/device",
    "/device/answer",
    "/account/devices",
    "/account/password",
    "/account/delete",
    "/account/leaving",
    "/teams",
    "/teams/join",
    "/teams/t_1/invite",
    "/teams/t_1/withdraw",
    "/teams/t_1/member",
    "/teams/t_1/leave",
    "/teams/t_1/delete",
)


@pytest.mark.parametrize("path", FORMS)
async def test_a_form_counts_only_with_the_token_of_its_own_browser(
    on_sqlite: Gateway, ann: Browser, path: str
) -> None:
    other = on_sqlite.browser()
    await other.get("/sign-in")
    for token in ("", "0" * 64, other.form_token):
        answer = await ann.http.post(path, data={"form_token": token, "email": "x@example.com", "password": PASSWORD})
        assert answer.status_code == 403, token
        assert "open for too long" in words_of(answer)
    without_cookie = await httpx2.AsyncClient(transport=on_sqlite.transport, base_url=str(ann.http.base_url)).post(
        path, data={"form_token": ann.form_token}
    )
    assert without_cookie.status_code == 403


async def test_a_form_that_the_browser_says_comes_from_elsewhere_does_not_count(ann: Browser) -> None:
    await ann.get("/account")
    data = {"form_token": ann.form_token}
    answer = await ann.http.post("/sign-out", data=data, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403
    assert (await ann.get("/account")).url.path == "/account"


async def test_every_answer_carries_the_headers_that_keep_others_out(on_sqlite: Gateway, ann: Browser) -> None:
    answers = [
        await ann.http.get(path)
        for path in ("/", "/sign-in", "/account", "/teams", "/nothing", "/oauth/token", "/.well-known/oharness")
    ]
    answers.append(await ann.http.post("/oauth/token", data={}))
    answers.append(await ann.http.post("/sign-in", data={}))
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'self';")
        assert "frame-ancestors 'none'" in policy
        assert "form-action 'self'" in policy
        assert "unsafe" not in policy
        assert "script" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "strict-transport-security" not in answer.headers


async def test_pages_hold_no_script_and_no_style_of_their_own(ann: Browser) -> None:
    for path in ("/sign-up", "/account", "/teams", "/device", "/account/delete"):
        page = (await ann.get(path)).text
        assert not re.search(r"<script|<style|style=|\son\w+=", page), path


async def test_cookies_are_out_of_reach_for_scripts_and_over_tls_for_other_hosts(
    sqlite_url: str, clock: FakeClock
) -> None:
    randomness = SeededRandomness("cookies")
    async with open_gateway(sqlite_url, clock, randomness, public_url="https://cloud.example") as gateway:
        answer = await gateway.browser().get("/sign-in")
        assert answer.headers["set-cookie"].startswith("__Host-oharness-cloud=")
        given = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]}
        assert given == {f"max-age={LIFETIME_S}", "path=/", "httponly", "samesite=lax", "secure"}
        assert answer.headers["strict-transport-security"].startswith("max-age=")


async def test_signing_in_gives_a_new_cookie_and_signing_out_ends_the_old_one(on_sqlite: Gateway) -> None:
    browser = on_sqlite.browser()
    await browser.get("/sign-in")
    before = browser.http.cookies["oharness-cloud"]
    await browser.sign_up("ann@example.com")
    signed_in = browser.http.cookies["oharness-cloud"]
    assert signed_in != before
    await browser.get("/account")
    await browser.send("/sign-out")
    stolen = on_sqlite.browser()
    stolen.http.cookies.set("oharness-cloud", signed_in)
    assert (await stolen.get("/account")).url.path == "/sign-in"


async def test_a_session_ends_by_itself(on_sqlite: Gateway, ann: Browser, clock: FakeClock) -> None:
    clock.advance(LIFETIME_S - 1)
    assert (await ann.get("/account")).url.path == "/account"
    clock.advance(1)
    assert (await ann.get("/account")).url.path == "/sign-in"


def without_echo(answer: httpx2.Response) -> str:
    """A page without what the visitor typed and without the token of the form."""
    return re.sub(r'value="[^"]*"', "", answer.text)


async def test_signing_in_says_the_same_after_the_same_work_for_known_and_unknown_addresses(
    on_sqlite: Gateway, ann: Browser
) -> None:
    nobody = await on_sqlite.cloud.accounts.add("without@example.com", None)
    answers, work = [], []
    for email in ("ann@example.com", "nobody@example.com", nobody.email, "no address"):
        before = on_sqlite.cloud.passwords.calls
        answer = await on_sqlite.browser().sign_in(email, "a wrong password")
        answers.append((answer.status_code, without_echo(answer)))
        work.append(on_sqlite.cloud.passwords.calls - before)
    assert len(set(answers)) == 1
    assert answers[0][0] == 403
    assert work == [1, 1, 1, 1]


async def test_signing_up_says_the_same_after_the_same_work_for_free_and_taken_addresses(
    on_sqlite: Gateway, ann: Browser
) -> None:
    answers, work = [], []
    for email in ("ann@example.com", "free@example.com", " ANN@Example.com "):
        before = on_sqlite.cloud.passwords.calls
        answer = await on_sqlite.browser().send("/sign-up", email=email, password="another password")
        answers.append((answer.status_code, str(answer.url), without_echo(answer)))
        work.append(on_sqlite.cloud.passwords.calls - before)
    assert len(set(answers)) == 1
    assert work == [1, 1, 1]
    assert (await on_sqlite.browser().sign_in("ann@example.com", "another password")).status_code == 403
    assert (await on_sqlite.browser().sign_in("ann@example.com")).status_code == 200


async def test_guessing_a_password_is_stopped_for_the_account_whether_there_is_one_or_not(
    gateway: Gateway, clock: FakeClock
) -> None:
    await gateway.browser().sign_up("ann@example.com")
    for email in ("ann@example.com", "nobody@example.com"):
        for number in range(10):
            browser = gateway.from_elsewhere(f"198.51.100.{number}")
            assert (await browser.sign_in(email, "a wrong password")).status_code == 403
        stopped = await gateway.from_elsewhere("198.51.100.99").sign_in(email)
        assert stopped.status_code == 429
        assert 0 < int(stopped.headers["retry-after"]) <= 900
    clock.advance(900)
    assert (await gateway.browser().sign_in("ann@example.com")).status_code == 200


async def test_guessing_from_one_address_is_stopped_and_other_addresses_go_on(on_sqlite: Gateway, ann: Browser) -> None:
    guesser = on_sqlite.from_elsewhere("2001:db8:1:2::1")
    for number in range(100):
        await guesser.sign_in(f"person{number}@example.com", "a wrong password")
    neighbour = on_sqlite.from_elsewhere("2001:db8:1:2:ffff::9")
    assert (await neighbour.sign_in("ann@example.com")).status_code == 429
    assert (await on_sqlite.from_elsewhere("2001:db8:1:3::1").sign_in("ann@example.com")).status_code == 200


async def test_right_passwords_are_never_counted_together(on_sqlite: Gateway, ann: Browser) -> None:
    for _ in range(12):
        assert (await on_sqlite.browser().sign_in("ann@example.com")).url.path == "/account"


@pytest.mark.parametrize(
    ("email", "password", "told"),
    [
        ("ann", PASSWORD, "That is no e-mail address"),
        ("ann@", PASSWORD, "That is no e-mail address"),
        ("an n@example.com", PASSWORD, "That is no e-mail address"),
        ("new@example.com", "short", "Use at least 10 characters"),
        ("new@example.com", "aaaaaaaaaaaaa", "not all the same"),
        ("new@example.com", "x" * 999 + "yz", "too long"),
        ("new@example.com", "new@example.com", "The password is the e-mail address"),
    ],
)
async def test_what_cannot_be_an_account_is_told_at_the_form(
    on_sqlite: Gateway, email: str, password: str, told: str
) -> None:
    answer = await on_sqlite.browser().send("/sign-up", email=email, password=password)
    assert answer.status_code == 400
    assert told in words_of(answer)
    assert password not in answer.text or password == email


async def test_a_closed_gateway_makes_no_accounts(sqlite_url: str, clock: FakeClock) -> None:
    async with open_gateway(sqlite_url, clock, SeededRandomness("closed"), sign_up=False) as gateway:
        browser = gateway.browser()
        assert "Whoever runs this Cloud makes the accounts" in words_of(await browser.get("/sign-up"))
        answer = await browser.send("/sign-up", email="ann@example.com", password=PASSWORD)
        assert answer.status_code == 403
        assert (await browser.sign_in("ann@example.com")).status_code == 403


async def test_a_password_can_be_changed_with_the_present_one(on_sqlite: Gateway, ann: Browser) -> None:
    elsewhere = on_sqlite.browser()
    await elsewhere.sign_in("ann@example.com")
    device = await on_sqlite.signed_in_device(ann)
    await ann.get("/account")
    wrong = await ann.send("/account/password", password="a wrong password", new_password="some new words")
    assert wrong.status_code == 403
    changed = await ann.send("/account/password", password=PASSWORD, new_password="some new words")
    assert "Your password is changed" in words_of(changed)
    assert (await elsewhere.get("/account")).url.path == "/sign-in"
    assert await device.refresh() == ""
    assert (await ann.sign_in("ann@example.com")).status_code == 403
    assert (await ann.sign_in("ann@example.com", "some new words")).status_code == 200
    await ann.send("/account/password", password="some new words", new_password=PASSWORD, devices="sign-out")
    assert await device.refresh() == "invalid_grant"


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "/account/../x", "javascript:alert(1)"]
)
async def test_signing_in_leads_to_our_own_pages_only(on_sqlite: Gateway, ann: Browser, elsewhere: str) -> None:
    browser = on_sqlite.browser()
    await browser.get("/sign-in")
    answer = await browser.send("/sign-in", email="ann@example.com", password=PASSWORD, next=elsewhere, follow=False)
    assert answer.headers["location"] == "/account"


async def test_a_link_with_a_code_survives_signing_in_and_signing_up(on_sqlite: Gateway) -> None:
    browser, device = on_sqlite.browser(), on_sqlite.device()
    codes = await device.ask()
    page = await browser.get(codes["verification_uri_complete"])
    assert page.url.path == "/sign-in"
    wanted = page.url.params["next"]
    await browser.get(f"/sign-up?next={wanted}")
    page = await browser.send("/sign-up", email="ann@example.com", password=PASSWORD, next=wanted)
    page = await browser.send("/sign-in", email="ann@example.com", password=PASSWORD, next=page.url.params["next"])
    assert codes["user_code"] in words_of(page)


async def test_what_was_typed_comes_back_as_text(on_sqlite: Gateway, ann: Browser) -> None:
    answer = await on_sqlite.browser().sign_in('"><b>x</b>@example.com')
    assert "<b>x</b>" not in answer.text
    team = await ann.send("/teams", name="<i>T</i> & co")
    assert "<i>" not in team.text
    assert "<i>T</i> & co" in words_of(team).replace("< i >", "<i>") or "&lt;i&gt;T&lt;/i&gt; &amp; co" in team.text


async def test_the_account_can_be_downloaded_and_holds_no_secret(on_sqlite: Gateway, ann: Browser) -> None:
    device = await on_sqlite.signed_in_device(ann, "work laptop")
    answer = await ann.get("/account/export")
    assert answer.headers["content-disposition"].startswith("attachment")
    document = answer.json()
    assert document["email"] == "ann@example.com"
    assert [one["name"] for one in document["devices"]] == ["work laptop"]
    assert device.refresh_token not in answer.text
    assert "argon2" not in answer.text


@pytest.mark.parametrize(
    ("wish", "html_language"),
    [("fr-CA,fr;q=0.9", "fr"), ("zh-CN", "zh-Hans"), ("de;q=0.9,pt;q=0.8", "pt-BR"), ("xx,*;q=0.1", "en"), ("", "en")],
)
async def test_pages_speak_the_browsers_language(on_sqlite: Gateway, wish: str, html_language: str) -> None:
    browser = on_sqlite.browser(**{"accept-language": wish})
    assert f'<html lang="{html_language}">' in (await browser.get("/sign-in")).text


async def test_another_language_can_be_chosen_and_stays(on_sqlite: Gateway) -> None:
    browser = on_sqlite.browser(**{"accept-language": "fr"})
    page = await browser.get("/sign-in?next=/teams&language=zh_CN")
    assert page.url.params["next"] == "/teams"
    assert '<html lang="zh-Hans">' in page.text
    assert '<html lang="zh-Hans">' in (await browser.get("/sign-up")).text


async def test_a_page_that_a_form_showed_can_be_loaded_again(ann: Browser) -> None:
    assert (await ann.get("/device/answer")).url.path == "/device"
    assert (await ann.get("/teams/join?language=fr")).url.path == "/teams"
    assert (await ann.get("/sign-out")).url.path == "/account"


async def test_pages_for_people_who_are_signed_in_ask_others_to_sign_in(on_sqlite: Gateway) -> None:
    for path in ("/account", "/teams", "/device", "/account/delete", "/account/export", "/teams/t_1"):
        assert (await on_sqlite.browser().get(path)).url.path == "/sign-in", path


async def test_the_log_and_the_numbers_name_nobody(on_sqlite: Gateway, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    browser = on_sqlite.browser()
    await browser.sign_up("ann@example.com")
    device = await on_sqlite.signed_in_device(browser, "a private name")
    await device.refresh()
    await browser.get(device.codes["verification_uri_complete"])
    metrics = await browser.get("/metrics")
    told = metrics.text + "\n".join(str(vars(record)) for record in caplog.records if record.name == "oharness.gateway")
    assert 'oharness_cloud_requests_total{endpoint="token",status="200"} 2' in metrics.text
    assert "oharness_cloud_devices_signed_in_total 1" in metrics.text
    secrets = ["ann@", PASSWORD, "private name", device.refresh_token, device.access_token, device.codes["user_code"]]
    assert [secret for secret in secrets if secret in told] == []
