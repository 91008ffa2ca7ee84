"""What a stored conversation shows: each call with its own result."""

from pathlib import Path

import pytest

from oharness.core.clock import Millis
from oharness.harness.messages import Message, Role, TextBlock, ToolCallBlock, ToolResultBlock
from oharness.testing.model import Says, ScriptedModel, calls, says
from oharness.web.chat.items import items_of
from tests.web.conftest import environment_of, visiting
from tests.web.test_pages import say

pytestmark = pytest.mark.plugins


def asks(*calls: tuple[str, str]) -> Message:
    blocks = tuple(ToolCallBlock(call_id, "read", {"path": path}) for call_id, path in calls)
    return Message(Role.ASSISTANT, blocks, Millis(1))


def gets(*results: ToolResultBlock) -> Message:
    return Message(Role.TOOL, results, Millis(2))


def result(call_id: str, text: str, **more: object) -> ToolResultBlock:
    return ToolResultBlock(call_id, "read", text, bool(more), more)


def test_a_model_that_uses_one_id_for_many_calls_gets_each_its_own_result() -> None:
    entries = [
        Message(Role.USER, (TextBlock("look"),), Millis(0)),
        asks(("call", "a")),
        gets(result("call", "text of a")),
        asks(("call", "b"), ("call", "c")),
        gets(result("call", "text of b"), result("call", "text of c")),
        asks(("call", "d")),
    ]
    found = [(item.fields["arguments"][0]["value"], item.fields["result"]) for item in items_of(entries)[1:]]
    assert found == [("a", "text of a"), ("b", "text of b"), ("c", "text of c"), ("d", "")]


def test_what_was_refused_is_shown_as_refused_later_too() -> None:
    entries = [asks(("1", "a"), ("2", "b")), gets(result("1", "no", decidedBy="person"), result("2", "yes"))]
    assert [item.fields["state"] for item in items_of(entries)] == ["refused", "done"]


async def test_what_was_refused_while_a_subagent_worked_says_what_was_wanted(home: Path, tmp_path: Path) -> None:
    both = Says(calls=(("task", {"task": "look around"}), ("write", {"path": "wanted.md", "content": "x"})))
    model = ScriptedModel([says("hello"), both, calls("list", path="."), says("nothing here"), says("done")])
    async with visiting(environment_of(tmp_path / "shop", home), model) as site:
        session = await say(site, "hello")
        await site.post(f"/p/{site.key}/chat/do/mode", {"mode": "plan", "session": session})
        await say(site, "look around", session)
        page = (await site.get(f"/p/{site.key}/chat?session={session}")).text
    assert "wanted.md" in page
