"""An open page hears of every change, wherever it was made, and counts as use of the project."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.plugins.memory.page.page import MemoryPage
from oharness.wiring.harness import Harness
from tests.plugins.memory.page.conftest import OpenPage

pytestmark = pytest.mark.memory


def page_of(page: OpenPage) -> MemoryPage:
    """The page itself, to tell it what a coordinator would."""
    assert page.descriptor.changes is not None
    cell = dict(zip(page.descriptor.data.__code__.co_freevars, page.descriptor.data.__closure__ or (), strict=True))
    opened = cell["page"].cell_contents()
    assert isinstance(opened, MemoryPage)
    return opened


class News:
    """What a browser is told."""

    def __init__(self, page: OpenPage) -> None:
        assert page.descriptor.changes is not None
        self.heard = asyncio.Event()
        loop = asyncio.get_running_loop()

        def tell() -> None:
            loop.call_soon_threadsafe(self.heard.set)

        self.leave: Callable[[], None] = page.descriptor.changes(tell)

    async def until(self, page: OpenPage, summaries: list[str]) -> None:
        """Asks for the list after each piece of news, and for nothing in between, until it says this."""
        async with asyncio.timeout(20):
            while True:
                await self.heard.wait()
                self.heard.clear()
                if [one["summary"] for one in (await page.part("list", sort="summary"))["notes"]] == summaries:
                    return


async def test_a_note_written_in_this_process_is_told_at_once(page: OpenPage) -> None:
    news = News(page)
    await asyncio.to_thread(page.write, "New")
    await news.until(page, ["New"])
    news.leave()


async def test_what_another_process_writes_shows_without_a_question_asked(page: OpenPage, home: Path) -> None:
    page.write("First")
    news = News(page)
    other = await Harness.create(page.harness.project_root, home, "offline")
    assert other.open_memory is not None
    await asyncio.sleep(0.5)
    OpenPage(other).write("From another process")
    await news.until(page, ["First", "From another process"])
    news.leave()
    await other.close()


async def test_what_an_editor_saves_and_removes_shows(page: OpenPage) -> None:
    note_id = page.write("First", "text")
    news = News(page)
    await asyncio.sleep(0.5)
    page.file(note_id).write_text(page.text(note_id).replace("First", "Edited"), encoding="utf-8")
    await news.until(page, ["Edited"])
    page.file(note_id).unlink()
    await news.until(page, [])
    news.leave()


async def test_all_who_ask_after_a_pass_see_what_it_wrote(page: OpenPage) -> None:
    page.write("First")
    news = News(page)
    await page.part("list")
    await asyncio.sleep(0.3)
    for number in range(20):  # sync writes past the service, and tells when the pass is over
        page.file("first").with_name(f"pulled{number}.md").write_text(
            f'---\n{{"id":"pulled{number}","summary":"Pulled {number}"}}\n---\n'
        )
        page_of(page).live._passed()
        totals = await asyncio.gather(*(page.part("list") for _ in range(6)))
        assert [one["total"] for one in totals] == [number + 2] * 6
    news.leave()


async def test_nothing_runs_once_the_last_browser_has_left(page: OpenPage) -> None:
    first, second = News(page), News(page)
    first.leave()
    assert len([one for one in asyncio.all_tasks() if one.get_name() == "memory page watch"]) == 1
    second.leave()
    second.leave()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert [one for one in asyncio.all_tasks() if one.get_name() == "memory page watch" and not one.cancelling()] == []


async def test_an_open_page_is_a_use_of_the_project(page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []
    monkeypatch.setattr(page.background.coordinator, "used", used.append)
    assert page.descriptor.opened is not None
    page.descriptor.opened()
    assert used == list(page.background.keys)
