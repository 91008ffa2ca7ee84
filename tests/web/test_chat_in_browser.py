"""Talking in a real browser."""

from pathlib import Path

import pytest

from tests.web.conftest import (
    LiveSite,
    OpenPage,
    environment_of,
    serious_findings,
    served_site,
    shot,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_was_said_once_is_recalled_after_a_restart_with_the_notes_behind_it(
    home: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    environment = environment_of(tmp_path / "shop", home)
    async with served_site(environment) as site:
        page = await open_page(site)
        await page.fill("#message", "Remember that we deploy on Tuesdays")
        await page.press("#message", "Enter")
        await page.wait_for_url("**/chat?session=*")
        await page.wait_for_selector(".answer[data-live=no]")
        await shot(page, "chat-remember")
        assert "Remembered as" in await page.inner_text(".answer")
        assert await page.input_value("#message") == ""
        await page.context.close()
    async with served_site(environment) as site:
        page = await open_page(site)
        await page.fill("#message", "When do we deploy?")
        await page.press("#message", "Enter")
        await page.wait_for_selector(".answer[data-live=no]")
        notice = page.locator(".beside summary")
        assert await notice.inner_text() == "recalled 1 memories"
        await notice.click()
        link = page.locator(".note-links a")
        assert "/memory?note=" in str(await link.get_attribute("href"))
        await shot(page, "chat-recall")
        assert await serious_findings(page) == []


async def test_an_empty_chat_says_that_this_is_no_language_model(live_site: LiveSite, open_page: OpenPage) -> None:
    page = await open_page(live_site)
    await shot(page, "chat-empty")
    assert "no language model" in await page.inner_text(".side-foot")
    page = await open_page(live_site, "history")
    await shot(page, "history-empty")
