"""A plugin's page in a real browser: what is done shows at once, is told, and can be taken back."""

import asyncio
from importlib import import_module
from pathlib import Path

import pytest
from playwright.async_api import Route

from tests.web.conftest import OpenPage, environment_of, serious_findings, served_site, shot
from tests.web.test_standard_pages import plugin_file

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.plugins]

ASKS = """
def row(title):
    remove = {"name": "remove", "label": "Remove", "fields": {"title": title}, "style": "danger", "confirm": "Sure?"}
    return {"title": title, "text": "A book", "actions": [remove]}
plugin.row = row
"""


@pytest.mark.parametrize("dark", [False, True])
async def test_a_plugins_page_is_worked_with(
    home: Path, tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, dark: bool
) -> None:
    plugin_file(tmp_path, home, monkeypatch, f"books_in_a_browser_{dark}".lower(), ASKS)
    async with served_site(environment_of(tmp_path / "shop", home)) as site:
        page = await open_page(site, "books", dark=dark, width=360 if dark else 1280)
        await page.fill("[name=title] >> visible=true", "Emma")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".row-title:text-is('Emma')")
        await page.wait_for_selector(".toast:has-text('Added Emma.')")
        assert await page.input_value("[name=title] >> visible=true") == ""
        await shot(page, f"standard-{'dark' if dark else 'light'}")

        await page.click(".row:has-text('Middlemarch') button")
        await page.wait_for_selector("#confirm[open]")
        await page.click("#confirm [data-close]")
        assert await page.locator(".row-title:text-is('Middlemarch')").count() == 1
        await page.click(".row:has-text('Middlemarch') button")
        await page.click("#confirm [data-confirmed]")
        await page.wait_for_selector(".row-title:text-is('Middlemarch')", state="detached")
        await page.click(".toast:has-text('Removed.') button:has-text('Undo')")
        await page.wait_for_selector(".row-title:text-is('Middlemarch')")
        assert await serious_findings(page) == []  # last, since axe leaves marks that htmx would carry on


async def test_what_a_form_refuses_is_said_in_the_form_and_its_text_stays(
    home: Path, tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuses = """
async def refuse(fields):
    raise Refused
plugin.add = refuse
"""
    plugin_file(tmp_path, home, monkeypatch, "books_that_refuse", refuses)
    async with served_site(environment_of(tmp_path / "shop", home)) as site:
        page = await open_page(site, "books")
        await page.fill("[name=title] >> visible=true", "Emma")
        await page.keyboard.press("Enter")
        problem = page.locator("form [data-problem] .problem")
        await problem.wait_for()
        assert await problem.inner_text() == "That is not allowed."
        assert await page.input_value("[name=title] >> visible=true") == "Emma"
        await page.reload()
        assert await page.input_value("[name=title] >> visible=true") == "Emma"


async def test_what_changes_before_the_stream_is_there_is_not_missed(
    home: Path, tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing = """
listeners = []
def changes(listener):
    listeners.append(listener)
    return lambda: listeners.remove(listener)
Books.register = lambda self, registry: registry.page(
    PageDescriptor("books", "Books", "standard", self.data, {}, changes)
)
"""
    plugin_file(tmp_path, home, monkeypatch, "books_that_change", changing)
    async with served_site(environment_of(tmp_path / "shop", home)) as site:
        page = await open_page(site, "chat")
        may_come = asyncio.Event()

        async def late(route: Route) -> None:
            await may_come.wait()
            await route.continue_()

        await page.route("**/events?*", late)
        await page.goto(f"{site.url}/p/{site.key}/books", wait_until="domcontentloaded")
        books = import_module("books_that_change")
        books.plugin.titles.append("Emma")
        for listener in books.listeners:
            listener()
        may_come.set()
        await page.wait_for_selector("text=Emma")
