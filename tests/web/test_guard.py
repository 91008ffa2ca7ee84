"""Nobody else gets in: other machines, other sites, other pages of this machine, readers of logs."""

import logging
import re
import socket
from pathlib import Path

import httpx2
import pytest

from tests.web.conftest import PORT, Visitor, client_of, environment_of, served_site

OWN = f"http://127.0.0.1:{PORT}"


async def test_every_request_needs_the_cookie_of_an_opened_address(site: Visitor) -> None:
    paths = ["/", f"/p/{site.key}/chat", f"/p/{site.key}/events?page=chat", "/static/app.js", "/here", "/nothing"]
    async with client_of(site.site) as stranger:
        for path in paths:
            assert (await stranger.get(path)).status_code == 401, path
        sent = await stranger.post(f"/p/{site.key}/chat/do/send", headers={"Origin": OWN}, content=b"text=hi")
        assert sent.status_code == 401
        assert (await stranger.get("/", headers={"Cookie": "oharness_4310=guess"})).status_code == 401


async def test_an_address_lets_one_browser_in_once(site: Visitor) -> None:
    address = site.site.address(site.key, "chat").removeprefix(site.site.url)
    async with client_of(site.site) as first, client_of(site.site) as second:
        entered = await first.get(address)
        assert entered.status_code == 303
        assert entered.headers["location"] == f"/p/{site.key}/chat"
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        assert (await first.get("/")).status_code == 303
        again = await second.get(address)
        assert again.status_code == 401
        assert "oharness web" in again.text
        assert (await first.get(address)).status_code == 303


@pytest.mark.parametrize("to", ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example"])
async def test_an_address_leads_nowhere_else(site: Visitor, to: str) -> None:
    token = site.site.address().split("token=")[1].split("&")[0]
    answer = await site.get("/open?" + str(httpx2.QueryParams({"token": token, "to": to})))
    assert answer.headers["location"] == "/"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:4310", "127.0.0.1", "127.0.0.1:80", "localhost:4311", ""]
)
async def test_a_name_that_was_rebound_to_this_machine_is_not_served(site: Visitor, host: str) -> None:
    assert (await site.get("/", Host=host)).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:4310", "localhost:4310"])
async def test_this_machine_is_served_under_its_own_names(site: Visitor, host: str) -> None:
    assert (await site.get("/", Host=host)).status_code == 303


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:4311", "https://127.0.0.1:4310", None]
)
async def test_a_form_or_plain_text_from_elsewhere_is_refused(site: Visitor, origin: str | None) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        headers = {"Content-Type": kind, **({"Origin": origin} if origin else {})}
        answer = await site.client.post(f"/p/{site.key}/chat/do/send", content=b"text=hi", headers=headers)
        assert answer.status_code == 403
    assert site.harness.listed().sessions == ()


async def test_plain_text_is_no_form_even_from_here(site: Visitor) -> None:
    headers = {"Content-Type": "text/plain", "Origin": OWN}
    await site.client.post(f"/p/{site.key}/chat/do/send", content=b"text=hi", headers=headers)
    assert site.harness.listed().sessions == ()


async def test_another_page_of_this_machine_may_link_here_but_not_embed_or_fetch(site: Visitor) -> None:
    path = f"/p/{site.key}/history"
    fetched = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    framed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    linked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert (await site.client.get(path, headers=fetched)).status_code == 403
    assert (await site.client.get(path, headers=framed)).status_code == 403
    assert (await site.client.get(path, headers=linked)).status_code == 200


async def test_every_answer_forbids_framing_foreign_script_and_telling_the_address(site: Visitor) -> None:
    async with client_of(site.site) as stranger:
        answers = [
            await site.get(f"/p/{site.key}/chat"),
            await site.get("/static/app.js"),
            await site.get("/nothing"),
            await site.get("/", Host="evil.example"),
            await stranger.get("/"),
        ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


async def test_no_page_holds_script_or_style_of_its_own(site: Visitor) -> None:
    for path in (f"/p/{site.key}/chat", f"/p/{site.key}/history", "/nothing"):
        html = (await site.get(path)).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", html)
        assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", html)
        assert "<style" not in html
        assert not re.search(r"""(?:src|href)="(?:https?:)?//""", html)


async def test_other_methods_are_refused(site: Visitor) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        assert (await site.client.request(method, "/")).status_code == 405


@pytest.mark.parametrize(
    ("wanted", "leads_to"),
    [
        ("//elsewhere.example", "/"),
        ("/\t/elsewhere.example", "/%09/elsewhere.example"),
        ("/\n/elsewhere.example", "/%0A/elsewhere.example"),
        ("/\\elsewhere.example", "/"),
        ("https://elsewhere.example", "/"),
        ("/open?token=x", "/"),
        ("/p/a/history?q=x", "/p/a/history?q=x"),
    ],
)
async def test_a_language_is_chosen_and_leads_nowhere_else(site: Visitor, wanted: str, leads_to: str) -> None:
    answer = await site.post("/language", {"language": "fr", "to": wanted})
    assert answer.headers["x-go"] == leads_to
    assert 'lang="fr"' in (await site.get(f"/p/{site.key}/history")).text


async def test_it_listens_on_this_machine_alone_and_logs_no_token(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    async with served_site(environment_of(tmp_path / "shop", home)) as served:
        address = served.address("chat")
        token = address.split("token=")[1].split("&")[0]
        async with httpx2.AsyncClient() as client:
            assert (await client.get(address)).status_code == 303
            assert (await client.get(address + "x")).status_code in (303, 401)
        port = int(served.url.rsplit(":", 1)[1])
        with socket.socket() as other:
            other.bind(("127.0.0.2", port))  # free, unless somebody listens on every address
    own = [record.getMessage() for record in caplog.records if record.name.startswith(("oharness", "uvicorn"))]
    assert token not in "\n".join(own)
    assert token not in "".join(capfd.readouterr())
