"""Coming in with the printed address, from wherever it is shown."""

import pytest
from playwright.async_api import Browser

from tests.web.conftest import LiveSite

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
