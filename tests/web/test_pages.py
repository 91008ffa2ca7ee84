"""Pages of the host, asked in process: history, language, projects, problems, live changes."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from oharness.harness.model import ModelRequest
from oharness.harness.pages import PageDescriptor
from oharness.memory.remember import RememberRequest, remember
from oharness.system import SystemClock
from oharness.testing.clock import FakeClock
from oharness.testing.model import Line, ScriptedModel, calls, says
from oharness.web.asked import accepted
from oharness.web.chat.page import ChatPage
from oharness.web.events import CLAIM_S, Earshot, listening, told
from oharness.wiring.web import PortTaken, serve_web
from tests.web.conftest import Visitor, environment_of, served_site, visiting


async def say(site: Visitor, text: str, session: str = "") -> str:
    """Sends a message and waits for the answer; gives the id of the conversation."""
    answer = await site.post(f"/p/{site.key}/chat/do/send", {"text": text, "session": session})
    assert answer.status_code == 204, answer.text
    if not session:
        session = answer.headers["x-go"].partition("session=")[2]
    for _ in range(500):
        page = (await site.get(f"/p/{site.key}/chat?session={session}")).text
        if 'data-running="no"' in page:
            return session
        await SystemClock().sleep(0.02)
    raise AssertionError("no answer came")


async def test_history_shows_the_persons_own_words_and_never_what_was_attached(site: Visitor) -> None:
    memory = site.harness.open_memory
    assert memory is not None
    remember(memory, RememberRequest("We deploy on Tuesdays", body="A body to hide", id="deploy-day"))
    session = await say(site, "On which day <b>do</b> we deploy?")
    history = (await site.get(f"/p/{site.key}/history")).text
    assert "On which day &lt;b&gt;do&lt;/b&gt; we deploy?" in history
    transcript = (await site.get(f"/p/{site.key}/history?session={session}")).text
    assert "recalled 1 memories" in transcript
    assert f"/p/{site.key}/memory?note=deploy-day&amp;scope=project" in transcript
    for hidden in ("recalled-memory", "instructions"):
        assert hidden not in history + transcript


async def test_a_long_conversation_is_drawn_from_its_end(home: Path, tmp_path: Path) -> None:
    model = ScriptedModel([says("yes")] * 60)
    async with visiting(environment_of(tmp_path / "shop", home), model) as site:
        agent = await site.harness.start()
        for number in range(60):
            async for _ in agent.run(f"question-{number}-"):
                pass
        session = agent.session.session_id
        await agent.close()
        for page in ("chat", "history"):
            end = (await site.get(f"/p/{site.key}/{page}?session={session}")).text
            assert "question-59-" in end
            assert "question-10-" not in end
            assert "Show 40 earlier entries" in end
            whole = (await site.get(f"/p/{site.key}/{page}?session={session}&all=1")).text
            assert "question-10-" in whole
            assert "earlier entr" not in whole


async def test_history_is_searched_by_the_words_it_shows(site: Visitor) -> None:
    await say(site, "Remember that Ann likes tea")
    await say(site, "Remember that the door is green")
    found = (await site.part(f"/p/{site.key}/history/list?q=TEA+ann")).text
    assert "Ann likes tea" in found
    assert "door" not in found
    assert "No conversation begins" in (await site.part(f"/p/{site.key}/history/list?q=coffee")).text


async def test_a_conversation_is_gone_on_with(site: Visitor) -> None:
    session = await say(site, "Remember that Ann likes tea")
    await say(site, "And what does she like?", session)
    assert len(site.harness.listed().sessions) == 1
    assert site.harness.listed().sessions[0].message_count >= 4


async def test_a_conversation_that_nobody_looks_at_is_free_for_a_terminal(site: Visitor) -> None:
    session = await say(site, "Remember that Ann likes tea")
    room = await site.site._rooms.room(site.key)
    stop = room.conversations.watch(session, lambda _: None)
    await site.site._rooms.let_go()
    assert room.conversations.of(session) is not None
    stop()
    await site.site._rooms.let_go()
    agent = await site.harness.resume(session)
    await agent.close()


async def test_the_mode_of_a_conversation_is_switched_and_kept(site: Visitor) -> None:
    session = await say(site, "Remember that Ann likes tea")
    answer = await site.post(f"/p/{site.key}/chat/do/mode", {"mode": "plan", "session": session})
    assert 'data-mode="plan"' in answer.text
    await site.site._rooms.let_go()
    await say(site, "Remember that Bob likes coffee", session)
    page = (await site.get(f"/p/{site.key}/chat?session={session}")).text
    assert "not allowed" in page
    refused = await site.post(f"/p/{site.key}/chat/do/mode", {"mode": "yolo", "session": session})
    assert refused.status_code == 422
    assert "There is no permission mode yolo" in refused.text


async def test_what_is_missing_is_said_in_words(site: Visitor) -> None:
    for path in ("/p/nowhere/chat", f"/p/{site.key}/nothing", f"/p/{site.key}/chat?session=nope", "/what"):
        answer = await site.get(path)
        assert answer.status_code == 404, path
        assert 'class="empty"' in answer.text
    part = await site.part(f"/p/{site.key}/history/nothing")
    assert part.status_code == 404
    assert 'role="alert"' in part.text
    assert "<html" not in part.text


async def test_templates_of_the_host_are_no_parts(site: Visitor) -> None:
    for name in ("_note_links", "..", "page.html", "../templates/base", "item/../page"):
        assert (await site.part(f"/p/{site.key}/chat/{name}")).status_code in (404, 303, 307), name


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh_CN"),
        ("de-DE,de;q=0.9,fr-CA;q=0.7,en;q=0.5", "fr"),
        ("en;q=0.2, pt-PT;q=0.8", "pt_BR"),
        ("fr;q=0, en", "en"),
        ("de", "en"),
        ("fr;q=nonsense, pt", "pt_BR"),
    ],
)
def test_the_language_is_the_one_the_browser_likes_best(header: str, language: str) -> None:
    assert accepted(header) == language


async def test_a_language_in_the_settings_comes_before_the_browsers(home: Path, tmp_path: Path) -> None:
    home.mkdir(parents=True)
    (home / "config.json").write_text('{"language": "pt"}')
    async with served_site(environment_of(tmp_path / "shop", home)) as served:
        import httpx2

        async with httpx2.AsyncClient(follow_redirects=True) as client:
            page = await client.get(served.address("history"), headers={"Accept-Language": "fr"})
    assert 'lang="pt-BR"' in page.text


async def test_several_projects_are_open_at_once_with_one_coordinator(home: Path, tmp_path: Path) -> None:
    async with visiting(environment_of(tmp_path / "garden", home)):
        pass
    async with visiting(environment_of(tmp_path / "shop", home)) as site:
        page = (await site.get(f"/p/{site.key}/chat")).text
        other = page.partition('href="/p/garden-')[2].partition("/")[0]
        garden = await site.get(f"/p/garden-{other}/chat")
        assert garden.status_code == 200
        assert "<title>Chat · garden</title>" in garden.text
        harnesses = [site.harness, await site.shelf.opened(f"garden-{other}")]
        backgrounds: list[Any] = [one.host.provided("memory.sync") for one in harnesses]
        assert backgrounds[0].coordinator is backgrounds[1].coordinator is not None


async def test_nonsense_in_an_address_or_a_form_breaks_nothing(site: Visitor) -> None:
    nines = "9" * 5000
    for query in (
        f"from={nines}",
        "from=-1",
        "from=²",
        "q=%00&q=%ff",
        "session=%2e%2e%2f%2e%2e",
        "session=a&session=b",
    ):
        answer = await site.get(f"/p/{site.key}/history?{query}")
        assert answer.status_code in (200, 404), query
    assert (await site.post("/language", {"language": "x" * (5 * 1024 * 1024)})).status_code == 422
    too_much = await site.post(f"/p/{site.key}/chat/do/send", {"text": "x" * (5 * 1024 * 1024)})
    assert too_much.status_code == 422
    assert "too much" in too_much.text


async def test_a_list_of_projects_that_broke_meanwhile_is_said(site: Visitor, home: Path) -> None:
    (home / "projects.json").write_text("{broken")
    for path in ("/", f"/p/{site.key}/chat"):
        answer = await site.get(path)
        assert answer.status_code == 422
        assert "projects.json cannot be understood" in answer.text
        assert "mend or remove it" in answer.text


async def test_a_folder_that_is_gone_is_listed_and_not_opened(home: Path, tmp_path: Path) -> None:
    async with visiting(environment_of(tmp_path / "garden", home)) as gone:
        key = gone.key
    (tmp_path / "garden").rename(tmp_path / "moved")
    async with visiting(environment_of(tmp_path / "shop", home)) as site:
        assert "The folder is gone." in (await site.get(f"/p/{site.key}/chat")).text
        assert (await site.get(f"/p/{key}/chat")).status_code == 404


async def test_a_port_that_is_taken_is_said(home: Path, tmp_path: Path) -> None:
    environment = environment_of(tmp_path / "shop", home)
    async with served_site(environment) as served:
        port = int(served.url.rsplit(":", 1)[1])
        with pytest.raises(PortTaken):
            async with serve_web(environment, port):
                pass


async def test_two_apps_run_side_by_side_in_one_process(home: Path, tmp_path: Path) -> None:
    import httpx2

    async with (
        served_site(environment_of(tmp_path / "a", home)) as first,
        served_site(environment_of(tmp_path / "b", tmp_path / "other-home")) as second,
        httpx2.AsyncClient(follow_redirects=True) as client,
    ):
        for served in (first, second, first):
            page = await client.get(served.address("chat"))
            assert page.status_code == 200
            assert f'data-project="{served.key}"' in page.text
        again = await client.get(f"{first.url}/p/{first.key}/chat")
        assert again.status_code == 200


async def nothing(query: Mapping[str, Any]) -> Mapping[str, Any]:
    return {}


async def test_a_change_from_any_thread_reaches_an_open_page_and_counts_as_use() -> None:
    listeners: list[Any] = []
    opened: list[int] = []

    def changes(listener: Any) -> Any:
        listeners.append(listener)
        return lambda: listeners.remove(listener)

    page = PageDescriptor("notes", "Notes", "standard", nothing, {}, changes, lambda: opened.append(1))
    closing = asyncio.Event()
    stream: AsyncIterator[str] = told(
        page, listening(page), lambda mark: lambda: None, lambda _: None, SystemClock(), closing
    )
    assert "retry" in await anext(stream)
    following = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    for _ in range(5):
        await asyncio.to_thread(listeners[0])
    event = await following
    assert event.startswith("event: changed\n")
    assert json.loads(event.partition("data: ")[2]) == {"page": "notes"}
    assert opened
    closing.set()
    assert [each async for each in stream] == []
    assert listeners == []


async def test_saved_memories_are_announced_with_the_notes_behind_them(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    settings = {"memory": {"autoExtract": {"onStop": True, "minUserTurns": 1}}}
    (home / "config.json").write_text(json.dumps(settings))
    note = {"summary": "Tea is at four", "body": "Always.", "type": "project", "scope": "project", "tags": ["tea"]}

    def line(request: ModelRequest) -> Line:
        return says(json.dumps({"notes": [note], "updates": []}) if request.output_schema is not None else "yes")

    async with visiting(environment_of(tmp_path / "shop", home), ScriptedModel([line] * 20)) as site:
        session = await say(site, "In this house tea is at four")
        await site.site._rooms.let_go()
        await say(site, "And the cake?", session)
        page = (await site.get(f"/p/{site.key}/chat?session={session}")).text
    assert "saved 1 memories from this conversation" in page
    assert f"/p/{site.key}/memory?note=tea-is-at-four-" in page


async def test_the_rules_of_the_settings_go_before_the_person(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    rules = {"permissions": {"deny": ["write"], "ask": ["read"], "mode": "bypass"}}
    (home / "config.json").write_text(json.dumps(rules))
    model = ScriptedModel([calls("write", path="a.txt", content="x"), calls("read", path="b.txt"), says("done")])
    async with visiting(environment_of(tmp_path / "shop", home), model) as site:
        (tmp_path / "shop" / "b.txt").write_text("b")
        sent = await site.post(f"/p/{site.key}/chat/do/send", {"text": "Try", "session": ""})
        chat = sent.headers["x-go"]
        page = await until(site, chat, 'data-approval="open"')
        assert "not allowed" in page
        assert not (tmp_path / "shop" / "a.txt").exists()
        assert "Your rule <code>read</code> asks each time." in page
        assert 'value="session"' not in page
        session = chat.partition("session=")[2]
        call = page.partition('name="call" value="')[2].partition('"')[0]
        fields = {"session": session, "call": call, "answer": "once"}
        assert (await site.post(f"/p/{site.key}/chat/do/answer", fields)).status_code == 204
        await until(site, chat, "<p>done</p>")
        again = await site.post(f"/p/{site.key}/chat/do/answer", fields)
        assert again.status_code == 422
        assert "answered already" in again.text


async def until(site: Visitor, path: str, part: str) -> str:
    """A page as soon as it holds something."""
    for _ in range(500):
        page = (await site.get(path)).text
        if part in page:
            return page
        await SystemClock().sleep(0.02)
    raise AssertionError(f"{part} never came")


async def test_what_changes_while_a_page_is_drawn_is_told_afterwards(site: Visitor) -> None:
    session = await say(site, "Remember that Ann likes tea")
    room = await site.site._rooms.room(site.key)
    conversation = await room.conversations.opened(session)

    class Meanwhile:
        """The project, in which something is said while its conversations are listed."""

        def __getattr__(self, name: str) -> Any:
            return getattr(site.harness, name)

        def listed(self) -> Any:
            said = asyncio.run_coroutine_threadsafe(self.say(), loop)
            said.result(10)
            return site.harness.listed()

        async def say(self) -> None:
            conversation.tell("meanwhile")

    loop = asyncio.get_running_loop()
    page = ChatPage(Meanwhile(), room.conversations, room.chat.default_mode)
    drawn = await page.descriptor().data({"part": "page", "session": session})
    missing = set(conversation.items) - {"status"} - {item.id for item in drawn["items"]}
    assert len(missing) == 1
    marked: list[str] = []
    page.watch({"session": session, "since": str(drawn["revision"])}, marked.append)()
    assert missing <= set(marked)


async def test_ears_of_a_page_whose_tab_never_came_are_ended() -> None:
    listeners: list[Any] = []

    def changes(listener: Any) -> Any:
        listeners.append(listener)
        return lambda: listeners.remove(listener)

    clock = FakeClock()
    page = PageDescriptor("notes", "Notes", "standard", nothing, {}, changes)
    earshot = Earshot(clock)
    first, second = earshot.begin(page), earshot.begin(page)
    assert len(listeners) == 2
    earshot.claimed(first, page).leave()
    assert len(listeners) == 1
    clock.advance(CLAIM_S + 1)
    earshot.forget_old()
    assert listeners == []
    assert second != first
