"""What a subagent may and may not, and where its traces lie."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from oharness.harness.descriptors import (
    MessageAddition,
    MessageHook,
    PromptSection,
    RunContext,
    RunHook,
    ToolHook,
    ToolRecord,
)
from oharness.harness.events import (
    AllowForSession,
    AllowOnce,
    Approval,
    PermissionRequest,
    SubagentEvent,
    ToolStarted,
)
from oharness.harness.host import PluginHost
from oharness.harness.messages import AttachedBlock, Message, own_text
from oharness.harness.model import ModelRequest
from oharness.harness.sessions import list_sessions, read_session, start_session
from oharness.harness.subagents import task_tool
from oharness.harness.tools import Effect
from oharness.testing.clock import FakeClock
from oharness.testing.desk import APlugin, Desk, a_tool, desk, finished, result_texts
from oharness.testing.model import Fails, Says, calls, says
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.plugins


def told_by(*parts: tuple[str, Any]) -> PluginHost:
    return PluginHost([APlugin("tools", [("tool", task_tool()), *parts])])


def helper(request: ModelRequest) -> bool:
    return "given one task" in request.system


def working_desk(at_work: list[Any], host: PluginHost | None = None, **options: Any) -> Desk:
    """The main model starts one helper and is done; the helper follows `at_work`, then says "found it"."""
    script = iter([*at_work, says("found it")])
    main = iter([calls("task", task="look for it"), says("all done")])
    return desk([lambda request: next(script if helper(request) else main)] * 20, host=host or told_by(), **options)


async def test_a_subagent_does_its_task_and_its_last_words_are_the_result() -> None:
    at = working_desk([calls("look")], tools=(a_tool("look"),))
    events = await at.say("go")
    assert finished(events).reply == "all done"
    assert result_texts(at.agent.session.live[2]) == ["found it"]
    inner = [event.event for event in events if isinstance(event, SubagentEvent)]
    assert [event.tool for event in inner if isinstance(event, ToolStarted)] == ["look"]
    first = next(request for request in at.model.requests if helper(request))
    assert [own_text(message) for message in first.messages] == ["look for it"]


async def test_a_subagent_has_the_same_tools_but_cannot_start_another() -> None:
    at = working_desk([calls("task", task="deeper")], tools=(a_tool("look"),))
    await at.say("go")
    offered = [[tool.name for tool in request.tools] for request in at.model.requests]
    assert offered == [["task", "look"], ["look"], ["look"], ["task", "look"]]
    assert "no tool 'task'" in result_texts(at.model.requests[2].messages[-1])[0]


async def test_a_subagent_recalls_nothing_and_no_hook_hears_of_its_messages() -> None:
    heard: list[str] = []

    async def recall(text: str, run: RunContext) -> MessageAddition:
        heard.append(f"message {text}")
        return MessageAddition((AttachedBlock("memory", "a note"),), {"recalled": [{"id": "a"}]})

    async def start(run: RunContext) -> tuple[()]:
        heard.append("start")
        return ()

    async def stop(run: RunContext) -> None:
        heard.append("stop")

    class Notes:
        async def recall(self, text: str, run: RunContext) -> MessageAddition:
            heard.append(f"option {text}")
            return MessageAddition()

    host = told_by(("message_hook", MessageHook("recall", recall)), ("run_hook", RunHook("run", start, stop)))
    at = working_desk([], host, memory=Notes())
    await at.say("go")
    await at.agent.close()
    assert heard == ["start", "message go", "option go", "stop"]
    (first,) = [request for request in at.model.requests if helper(request)]
    assert len(first.messages[0].blocks) == 1


async def test_a_subagents_conversation_is_shortened_without_the_hooks() -> None:
    heard: list[int] = []

    async def dropped(run: RunContext, messages: tuple[Message, ...]) -> None:
        heard.append(len(messages))

    def scripted(request: ModelRequest) -> Says:
        if "You shorten conversations" in request.system:
            return says("so far")
        if not helper(request):
            return calls("task", task="x" * 200) if len(request.messages) == 1 else says("all done")
        return calls("look") if len(at.model.requests) < 40 else says("found it")

    at = desk(
        [scripted] * 60,
        host=told_by(("run_hook", RunHook("extract", on_compaction=dropped))),
        tools=(a_tool("look"),),
        context_tokens=700,
        base_prompt="",
    )
    await at.say("go")
    assert any("You shorten" in request.system for request in at.model.requests)
    assert heard == []


async def test_sections_are_told_whether_they_are_for_a_subagent() -> None:
    async def section(run: RunContext) -> str:
        return "for a helper" if run.is_subagent else "for the agent"

    at = working_desk([], told_by(("prompt_section", PromptSection("s", section))))
    await at.say("go")
    assert ["for a helper" in request.system for request in at.model.requests] == [False, True, False]


async def test_a_subagent_asks_the_same_person_and_shares_what_they_allowed() -> None:
    script = [calls("change"), calls("change")]
    at = working_desk(script, tools=(a_tool("change", Effect.WRITE),), answers=[AllowForSession()])
    await at.say("go")
    assert [(request.tool, request.is_subagent) for request in at.person.asked] == [("change", True)]


async def test_tool_hooks_hear_of_a_subagents_calls() -> None:
    heard: list[tuple[str, bool]] = []

    async def keep(record: ToolRecord, run: RunContext) -> None:
        heard.append((record.tool, run.is_subagent))

    at = working_desk([calls("look")], told_by(("tool_hook", ToolHook("log", keep))), tools=(a_tool("look"),))
    await at.say("go")
    assert heard == [("look", True), ("task", False)]


async def test_a_subagent_whose_model_fails_is_an_error_for_the_model() -> None:
    at = working_desk([Fails()])
    assert finished(await at.say("go")).reply == "all done"
    assert "ModelFailed" in result_texts(at.agent.session.live[2])[0]


async def test_a_subagent_has_a_transcript_of_its_own(tmp_path: Path) -> None:
    session = start_session(tmp_path, "p", FakeClock(), SeededRandomness(1))
    at = working_desk([calls("look")], tools=(a_tool("look"),), session=session)
    await at.say("go")
    await at.agent.close()
    assert len(list_sessions(tmp_path).sessions) == 1
    child = list_sessions(tmp_path / session.session_id).sessions[0]
    stored = read_session(tmp_path / session.session_id, child.session_id)
    texts = [own_text(entry) for entry in stored.entries if isinstance(entry, Message)]
    assert texts == ["look for it", "", "", "found it"]


async def test_subagents_side_by_side_ask_one_question_at_a_time() -> None:
    open_questions: list[int] = []

    class Slow:
        asking = 0

        async def approve(self, request: PermissionRequest) -> Approval:
            self.asking += 1
            open_questions.append(self.asking)
            for _ in range(20):
                await asyncio.sleep(0)
            self.asking -= 1
            return AllowOnce()

    def scripted(request: ModelRequest) -> Says:
        if helper(request):
            return calls("change") if len(request.messages) == 1 else says("found it")
        return (
            Says(calls=(("task", {"task": "a"}), ("task", {"task": "b"}))) if len(request.messages) == 1 else says("ok")
        )

    at = desk([scripted] * 20, host=told_by(), tools=(a_tool("change", Effect.WRITE),))
    at.agent._gate._frontend = Slow()
    await at.say("go")
    assert open_questions == [1, 1]
    assert result_texts(at.agent.session.live[2]) == ["found it", "found it"]
