"""Coming in with the printed address, from wherever it is shown."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Request, Route

from oharness.testing.model import ScriptedModel, says
from tests.web.conftest import LiveSite, environment_of, served_site

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_address_that_is_clicked_on_another_site_lets_in(live_site: LiveSite, browser: Browser) -> None:
    """A terminal may itself be a page of some site; cookies are then not sent along a redirect."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.route("https://terminal.example/", lambda route: route.fulfill(body="", content_type="text/html"))
    await page.goto("https://terminal.example/")
    await page.set_content(f'<a href="{live_site.address("history")}">open</a>')
    await page.click("a")
    await page.wait_for_url(f"{live_site.url}/p/{live_site.key}/history")
    assert await page.inner_text("h1") == "History"
    assert "token" not in page.url
    await page.go_back()
    assert "token" not in page.url
    await context.close()


async def test_a_link_that_is_followed_tells_nothing_of_where_it_stood(
    home: Path, tmp_path: Path, browser: Browser
) -> None:
    model = ScriptedModel([says("See [there](https://elsewhere.example/x) ![pic](https://elsewhere.example/y.png)")])
    async with served_site(environment_of(tmp_path / "shop", home), model) as site:
        context = await browser.new_context()
        asked: list[Request] = []

        async def elsewhere(route: Route) -> None:
            asked.append(route.request)
            await route.fulfill(
                body="<script>document.title = String(window.opener)</script>", content_type="text/html"
            )

        await context.route("https://elsewhere.example/**", elsewhere)
        page = await context.new_page()
        await page.goto(site.address("chat"))
        await page.fill("#message", "Where?")
        await page.press("#message", "Enter")
        await page.wait_for_selector(".answer[data-live=no]")
        assert asked == [], "nothing is loaded by itself"
        async with context.expect_page() as opened:
            await page.click(".answer a >> nth=0")
        other = await opened.value
        await other.wait_for_load_state()
        headers = await asked[0].all_headers()
        assert "referer" not in headers
        assert "cookie" not in headers
        assert await other.title() == "null"
        await context.close()
