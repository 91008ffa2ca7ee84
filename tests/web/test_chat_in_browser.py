"""Talking in a real browser."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from oharness.harness.model import ModelFault
from oharness.memory.remember import RememberRequest, remember
from oharness.testing.model import Fails, Hangs, ScriptedModel, calls, says
from tests.web.conftest import (
    LiveSite,
    OpenPage,
    environment_of,
    serious_findings,
    served_site,
    shot,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    ("language", "told", "asked", "remembered", "recalled"),
    [
        ("en", "Remember that we deploy on Tuesdays", "When do we deploy?", "Remembered as", "recalled 1 memories"),
        ("zh-CN", "记住：周二发布新版本", "新版本什么时候发布？", "已记住", "召回了 1 条记忆"),
    ],
)
async def test_what_was_said_once_is_recalled_after_a_restart_with_the_notes_behind_it(
    home: Path,
    tmp_path: Path,
    open_page: OpenPage,
    language: str,
    told: str,
    asked: str,
    remembered: str,
    recalled: str,
) -> None:
    environment = environment_of(tmp_path / "shop", home)
    async with served_site(environment) as site:
        page = await open_page(site, language=language)
        await page.fill("#message", told)
        await page.press("#message", "Enter")
        await page.wait_for_url("**/chat?session=*")
        await page.wait_for_selector(".answer[data-live=no]")
        await shot(page, "chat-remember")
        assert remembered in await page.inner_text(".answer")
        assert await page.input_value("#message") == ""
        await page.context.close()
    async with served_site(environment) as site:
        page = await open_page(site, language=language)
        await page.fill("#message", asked)
        await page.press("#message", "Enter")
        await page.wait_for_selector(".answer[data-live=no]")
        notice = page.locator(".beside summary")
        assert await notice.inner_text() == recalled
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


async def test_a_tool_waits_for_the_person_who_sees_what_would_change(
    home: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    environment = environment_of(tmp_path / "shop", home)
    (tmp_path / "shop" / "prices.txt").write_text("coffee 3\ntea 2\n")
    edit = {"path": "prices.txt", "old": "tea 2", "new": "tea 4"}
    back = {"path": "prices.txt", "old": "tea 4", "new": "tea 2"}
    model = ScriptedModel(
        [calls("edit", **edit), says("Tea costs 4 now."), calls("edit", **back), says("As you wish.")]
    )
    async with served_site(environment, model) as site:
        page = await open_page(site)
        await page.fill("#message", "Tea shall cost 4")
        await page.press("#message", "Enter")
        await page.wait_for_selector("[data-approval=open]")
        assert "+tea 4" in await page.inner_text(".approval .diff .added")
        assert (tmp_path / "shop" / "prices.txt").read_text() == "coffee 3\ntea 2\n"
        await shot(page, "chat-approval")
        assert await serious_findings(page) == []
        await page.keyboard.press("y")
        await page.wait_for_selector(".answer[data-live=no]")
        assert (tmp_path / "shop" / "prices.txt").read_text() == "coffee 3\ntea 4\n"
        await page.fill("#message", "And back again")
        await page.press("#message", "Enter")
        await page.wait_for_selector("[data-approval=open]")
        await page.fill(".approval-form [name=reason]", "It was right")
        await page.click(".approval-form [value=decline]")
        await page.wait_for_selector(".call.is-refused")
        await page.wait_for_selector("text=As you wish.")
        assert "It was right" in str(model.requests[-1].messages[-1])
        await page.click(".call.is-refused summary")
        await shot(page, "chat-refused")


async def test_a_model_that_fails_is_said_in_plain_words_and_asked_again(
    home: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    model = ScriptedModel([Fails(ModelFault.UNREACHABLE), says("Here **I** am.")])
    async with served_site(environment_of(tmp_path / "shop", home), model) as site:
        page = await open_page(site)
        await page.fill("#message", "Are you there?")
        await page.press("#message", "Enter")
        problem = page.locator(".chat-log .problem")
        await problem.wait_for()
        assert "cannot be reached" in await problem.inner_text()
        await shot(page, "chat-problem")
        await page.click("text=Try again")
        await page.wait_for_selector(".answer[data-live=no]")
        assert await page.inner_text(".answer strong") == "I"
        assert await page.locator("text=Try again").count() == 0


async def test_a_message_without_an_answer_can_be_asked_again_later(
    home: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    environment = environment_of(tmp_path / "shop", home)
    async with served_site(environment, ScriptedModel([Fails(ModelFault.TIMED_OUT)])) as site:
        page = await open_page(site)
        await page.fill("#message", "Are you there?")
        await page.press("#message", "Enter")
        await page.wait_for_selector(".chat-log .problem")
        query = page.url.partition("?")[2]
    async with served_site(environment, ScriptedModel([says("Now I am.")])) as site:
        page = await open_page(site, query=query)
        await page.click("#i-unanswered button")
        await page.wait_for_selector("text=Now I am.")
        assert await page.locator("#i-unanswered").count() == 0


async def test_an_answer_is_stopped_and_what_was_said_is_kept(home: Path, tmp_path: Path, open_page: OpenPage) -> None:
    model = ScriptedModel([Hangs("Once upon a time")])
    async with served_site(environment_of(tmp_path / "shop", home), model) as site:
        page = await open_page(site)
        await page.fill("#message", "A story")
        await page.press("#message", "Enter")
        await page.wait_for_selector("text=Once upon a time")
        await page.click("#i-status button")
        await page.wait_for_selector("text=Stopped. What was said so far is kept.")
        assert await page.is_hidden("#i-status")
        await page.reload()
        assert "Once upon a time" in await page.inner_text(".answer")


async def test_two_tabs_show_one_conversation_and_the_second_message_waits_its_turn(
    home: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    model = ScriptedModel([Hangs("Thinking"), says("Second answer")])
    async with served_site(environment_of(tmp_path / "shop", home), model) as site:
        first = await open_page(site)
        await first.fill("#message", "Take your time")
        await first.press("#message", "Enter")
        await first.wait_for_selector("text=Thinking")
        second = await first.context.new_page()
        await second.goto(first.url)
        await second.wait_for_selector("text=Thinking")
        await second.fill("#message", "And this?")
        await second.press("#message", "Enter")
        await second.wait_for_selector(".chat-foot .problem")
        assert "still being answered" in await second.inner_text(".chat-foot .problem")
        assert await second.input_value("#message") == "And this?"
        await second.click("#i-status button")
        await first.wait_for_selector("text=Stopped. What was said so far is kept.")
        await second.press("#message", "Enter")
        await first.wait_for_selector("text=Second answer")


async def test_a_tab_that_was_away_catches_up(live_site: LiveSite, open_page: OpenPage) -> None:
    first = await open_page(live_site)
    await first.fill("#message", "Remember that tea is at four")
    await first.press("#message", "Enter")
    await first.wait_for_url("**/chat?session=*")
    await first.wait_for_selector(".answer[data-live=no]")
    second = await first.context.new_page()
    await second.goto(first.url)
    await second.evaluate("silence()")
    await first.fill("#message", "Remember that cake is at five")
    await first.press("#message", "Enter")
    await first.wait_for_selector(".answer[data-live=no] >> nth=1")
    assert await second.locator(".answer").count() == 1
    await second.evaluate("listen(); refresh()")
    await second.wait_for_selector("text=cake is at five")
    await second.wait_for_selector(".answer[data-live=no] >> nth=1")
    assert await second.locator(".said").count() == 4
    assert await second.locator("#log").count() == 1


async def test_a_conversation_that_a_terminal_holds_is_said_and_the_text_stays(
    home: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    async with served_site(environment_of(tmp_path / "shop", home)) as site:
        agent = await site.harness.start()
        async for _ in agent.run("Remember that tea is at four"):
            pass
        page = await open_page(site, query=f"session={agent.session.session_id}")
        assert "Remembered as" in await page.inner_text(".answer")
        await page.fill("#message", "When is tea?")
        await page.press("#message", "Enter")
        await page.wait_for_selector(".chat-foot .problem")
        assert "open in another oHarness" in await page.inner_text(".chat-foot .problem")
        await page.reload()
        assert await page.input_value("#message") == "When is tea?"
        await agent.close()
        await page.press("#message", "Enter")
        await page.wait_for_selector(".said.user >> nth=1")


async def test_everything_in_the_chat_is_done_without_a_mouse(home: Path, tmp_path: Path, open_page: OpenPage) -> None:
    model = ScriptedModel([calls("write", path="a.txt", content="hello\n"), says("Written.")])
    async with served_site(environment_of(tmp_path / "shop", home), model) as site:
        page = await open_page(site)
        await page.wait_for_selector("#message:focus")
        await page.keyboard.type("Write a file")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("[data-approval=open]")
        await page.wait_for_selector("[value=once]:focus")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("text=Written.")
        await page.keyboard.press("Escape")
        await page.keyboard.press("?")
        assert await page.is_visible("#keys")
        assert "New conversation" in await page.inner_text("#keys")
        await shot(page, "keys")
        await page.keyboard.press("Escape")
        await page.keyboard.press("m")
        assert await page.evaluate("document.activeElement.id") == "mode"
        await page.keyboard.press("ArrowDown")
        await page.wait_for_selector("[data-mode=acceptEdits]")
        await page.keyboard.press("Escape")
        await page.keyboard.press("g")
        await page.keyboard.press("2")
        await page.wait_for_url("**/history")
        await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/history?session=*")
        await page.keyboard.press("c")
        await page.wait_for_url("**/chat?session=*")
        await page.wait_for_selector("#message:focus")
        await page.keyboard.press("Escape")
        await page.keyboard.press("n")
        await page.wait_for_url("**/chat")
        await page.wait_for_selector("#message:focus")
        await page.keyboard.press("Escape")
        await page.keyboard.press("/")
        assert await page.evaluate("document.activeElement.id") == "message"


async def test_a_server_that_stops_is_said_and_what_is_typed_survives(
    home: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    environment = environment_of(tmp_path / "shop", home)
    async with served_site(environment) as site:
        page = await open_page(site)
        port = int(site.url.rsplit(":", 1)[1])
    await page.fill("#message", "Half a thought")
    await page.press("#message", "Enter")
    await page.wait_for_selector("#away:visible")
    await shot(page, "away")
    assert await page.input_value("#message") == "Half a thought"
    async with served_site(environment, port=port) as site:
        await page.wait_for_selector("#expired:visible", timeout=20_000)
        await page.reload()
        assert "oharness web" in await page.inner_text("main")
        await shot(page, "expired")
        await page.goto(site.address("chat"))
        assert await page.input_value("#message") == "Half a thought"


async def test_the_first_load_is_small(live_site: LiveSite, browser: Browser) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    sizes: list[int] = []
    page.on("response", lambda response: sizes.append(int(response.headers.get("content-length", 0))))
    await page.goto(live_site.address("chat"))
    await page.wait_for_load_state("load")
    await context.close()
    assert len(sizes) > 5
    assert sum(sizes) < 250 * 1024


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("language", ["en", "zh-CN"])
async def test_nothing_keeps_people_out(
    home: Path, tmp_path: Path, open_page: OpenPage, language: str, dark: bool
) -> None:
    """Axe-core on chat and history, narrow and wide; the pictures are for people."""
    environment = environment_of(tmp_path / "shop", home)
    (tmp_path / "shop" / "plan.md").write_text("# Plan\n\n- tea at four\n")
    model = ScriptedModel(
        [
            calls("read", path="plan.md"),
            says(_LONG),
            calls("write", path="plan.md", content="# Plan\n\n- tea at five\n"),
        ]
    )
    async with served_site(environment, model) as site:
        await remember_in(site, "Tea is at four", "tea-time")
        for width in (360, 1440):
            name = f"{language}-{width}-{'dark' if dark else 'light'}"
            page = await open_page(site, width=width, dark=dark, language=language)
            await shot(page, f"chat-empty-{name}")
            assert await serious_findings(page) == []
            if width == 360:
                await page.fill("#message", "When is tea? 什么时候喝茶？")
                await page.press("#message", "Enter")
                await page.wait_for_selector(".answer[data-live=no]")
                await page.fill("#message", "Move it to five, please.")
                await page.press("#message", "Enter")
                await page.wait_for_selector("[data-approval=open]")
                url = page.url
            await page.goto(url)
            await shot(page, f"chat-{name}")
            assert await serious_findings(page) == []
            assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            await page.goto(f"{site.url}/p/{site.key}/history")
            await shot(page, f"history-{name}")
            assert await serious_findings(page) == []
            await page.click(".history-rows a")
            await page.wait_for_selector(".chat-log")
            await shot(page, f"transcript-{name}")
            assert await serious_findings(page) == []
            await page.keyboard.press("?")
            assert await serious_findings(page) == []


async def remember_in(site: LiveSite, summary: str, note_id: str) -> None:
    """A note that a message can recall."""
    memory = site.harness.open_memory
    assert memory is not None
    remember(memory, RememberRequest(summary, id=note_id, tags=["喝茶"]))


_LONG = """Tea is at **four**, says `plan.md`:

1. The kettle goes on at half past three.
2. Cups are in the *left* cupboard.

| What | When |
| --- | ---: |
| Kettle | 15:30 |
| Tea | 16:00 |

```python
def tea(hour: int) -> bool:
    return hour == 16  # a comment that is long enough to need scrolling on a narrow screen, surely
```

> Nobody likes it cold.

See [the kettle's manual](https://kettle.example/manual) and AVeryLongWordWithoutAnySpaceThatDoesNotEndForAWhile.
"""


async def test_another_language_is_chosen_on_the_page_and_one_stays_where_one_was(
    live_site: LiveSite, open_page: OpenPage
) -> None:
    page = await open_page(live_site, "history", query="q=x")
    await page.locator(".side-foot summary").press("Enter")
    await page.get_by_role("button", name="Français").press("Enter")
    await expect(page.locator("h1")).to_have_text("Historique")
    assert page.url.endswith("/history?q=x")
