"""The loop: from a person's message to the last answer, and what plugins add on the way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from oharness.core.errors import StorageFailed
from oharness.harness.agent import Agent, RunInProgress
from oharness.harness.descriptors import (
    MessageAddition,
    MessageHook,
    Notice,
    PromptSection,
    RunContext,
    RunHook,
    ToolHook,
    ToolRecord,
)
from oharness.harness.events import (
    CallMade,
    Decline,
    Ending,
    RunFinished,
    ToolFinished,
    ToolStarted,
    Unattended,
    UserMessageStored,
)
from oharness.harness.host import NameClash, PluginHost
from oharness.harness.messages import AttachedBlock, Message, Role, own_text
from oharness.harness.model import ModelFailed, ModelFault, ModelReply, ModelRequest, TextDelta
from oharness.harness.options import AgentOptions
from oharness.harness.sessions import unsaved_session
from oharness.harness.tools import Arguments, Effect, ToolContext, ToolResult
from oharness.testing.clock import FakeClock
from oharness.testing.desk import APlugin, a_tool, desk, finished, result_texts
from oharness.testing.model import Fails, Hangs, Line, Raises, Says, ScriptedModel, StopsShort, calls, says

pytestmark = pytest.mark.plugins


def roles(messages: tuple[Message, ...]) -> list[str]:
    return [str(message.role) for message in messages]


async def test_an_answer_is_streamed_and_stored() -> None:
    at = desk([Says("hello there, person", input_tokens=7, output_tokens=3)])
    events = await at.say("hi")
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "hello there, person"
    assert events[-1] == RunFinished("hello there, person", input_tokens=7, output_tokens=3)
    assert [(message.role, own_text(message)) for message in at.agent.session.live] == [
        (Role.USER, "hi"),
        (Role.ASSISTANT, "hello there, person"),
    ]


async def test_a_model_that_thinks_for_long_stays_alive_by_empty_pieces() -> None:
    class Thinker(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
            for _ in range(8):
                await asyncio.sleep(0.03)
                yield TextDelta("")
            async for part in ScriptedModel.stream(self, request):
                yield part

    options = AgentOptions(Thinker([says("42")]), Path("project"), FakeClock(), idle_seconds=0.1)
    async with aclosing(Agent(options, unsaved_session(), Unattended()).run("why?")) as events:
        seen = [event async for event in events]
    assert finished(seen).reply == "42"
    assert TextDelta("") not in seen


async def test_a_tool_runs_and_the_model_sees_its_result() -> None:
    at = desk([calls("look"), says("seen")], tools=(a_tool("look"),))
    events = await at.say("look at it")
    assert events[-1] == RunFinished("seen", (CallMade("embedder", "look", True),))
    told = [type(event) for event in events if isinstance(event, ToolStarted | ToolFinished)]
    assert told == [ToolStarted, ToolFinished]
    assert result_texts(at.model.requests[1].messages[-1]) == ["look ran"]
    assert roles(at.agent.session.live) == ["user", "assistant", "tool", "assistant"]


async def test_the_person_is_asked_before_a_write_and_only_then() -> None:
    tools = (a_tool("look"), a_tool("change", Effect.WRITE))
    at = desk([Says(calls=(("look", {}), ("change", {})))], tools=tools)
    await at.say("change it")
    assert [request.tool for request in at.person.asked] == ["change"]


async def test_a_question_comes_after_everything_that_was_said_before_it() -> None:
    seen: list[str] = []

    class Watching:
        async def approve(self, request: object) -> Decline:
            seen.append("asked")
            return Decline()

    model = ScriptedModel([Says("I will change it", calls=(("change", {}),)), says("ok")])
    options = AgentOptions(model, Path("project"), FakeClock(), tools=(a_tool("change", Effect.WRITE),))
    async with aclosing(Agent(options, unsaved_session(), Watching()).run("go")) as events:
        async for event in events:
            await asyncio.sleep(0)
            seen.append(type(event).__name__)
    assert seen.index("asked") == seen.index("ReplyStored") + 1


async def test_reads_side_by_side_run_together_and_keep_their_order() -> None:
    both = asyncio.Barrier(2)

    async def meet(arguments: Arguments, context: ToolContext) -> ToolResult:
        await both.wait()
        return ToolResult("met")

    at = desk([Says(calls=(("a", {}), ("b", {}))), says("ok")], tools=(a_tool("a", run=meet), a_tool("b", run=meet)))
    await at.say("go")
    results = at.agent.session.live[2]
    assert [getattr(block, "tool", "") for block in results.blocks] == ["a", "b"]
    assert result_texts(results) == ["met", "met"]


async def test_writes_never_run_beside_anything_else() -> None:
    running: list[str] = []
    most: list[int] = []

    async def note(arguments: Arguments, context: ToolContext) -> ToolResult:
        running.append("x")
        most.append(len(running))
        await asyncio.sleep(0)
        running.pop()
        return ToolResult("ok")

    tools = (a_tool("r", run=note), a_tool("w", Effect.WRITE, run=note))
    at = desk([Says(calls=(("w", {}), ("w", {}), ("r", {}), ("w", {})))], tools=tools)
    await at.say("go")
    assert most == [1, 1, 1, 1]


async def test_a_tool_that_raises_is_an_error_for_the_model_and_no_more() -> None:
    async def fall(arguments: Arguments, context: ToolContext) -> ToolResult:
        raise RuntimeError("no such thing")

    at = desk([calls("fall"), says("I see")], tools=(a_tool("fall", run=fall),))
    events = await at.say("go")
    assert finished(events).reply == "I see"
    assert result_texts(at.agent.session.live[2]) == ["The tool failed: RuntimeError: no such thing"]


async def test_an_unknown_tool_and_wrong_arguments_are_explained_to_the_model() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    wrong = Says(calls=(("lok", {}), ("look", {}), ("look", {"path": 3}), ("look", {"path": "a", "pth": "b"})))
    at = desk([wrong, says("ok")], tools=(a_tool("look", schema=schema),))
    events = await at.say("go")
    texts = result_texts(at.agent.session.live[2])
    assert "no tool 'lok'" in texts[0]
    assert "look" in texts[0]
    assert "path is missing" in texts[1]
    assert "path must be of the type string" in texts[2]
    assert "pth is unknown" in texts[3]
    assert finished(events).calls == ()


async def test_data_that_no_transcript_can_hold_is_the_tools_fault() -> None:
    async def odd(arguments: Arguments, context: ToolContext) -> ToolResult:
        return ToolResult("text", {"set": {1, 2}})

    at = desk([calls("odd"), says("ok")], tools=(a_tool("odd", run=odd),))
    assert finished(await at.say("go")).reply == "ok"
    assert "TypeError" in result_texts(at.agent.session.live[2])[0]


async def test_a_huge_result_is_shortened_in_the_middle() -> None:
    async def flood(arguments: Arguments, context: ToolContext) -> ToolResult:
        return ToolResult("begin" + "x" * 50_000 + "end")

    at = desk([calls("flood"), says("ok")], tools=(a_tool("flood", run=flood),), context_tokens=4_000)
    await at.say("go")
    (text,) = result_texts(at.agent.session.live[2])
    assert len(text) < 4_100
    assert text.startswith("begin")
    assert text.endswith("end")
    assert "46008 characters left out" in text


async def test_a_run_ends_at_the_step_limit_and_can_go_on() -> None:
    at = desk([calls("look")] * 3 + [says("done at last")], tools=(a_tool("look"),), step_limit=3)
    events = await at.say("go")
    assert finished(events).ending is Ending.STEP_LIMIT
    assert Notice("step-limit", {"steps": 3}) in events
    async with aclosing(at.agent.retry()) as more:
        assert finished([event async for event in more]).reply == "done at last"
    assert roles(at.agent.session.live).count("user") == 1


async def test_without_a_person_what_needs_asking_is_turned_down() -> None:
    model = ScriptedModel([calls("change"), says("ok")])
    options = AgentOptions(model, Path("project"), FakeClock(), tools=(a_tool("change", Effect.WRITE),))
    agent = Agent(options, unsaved_session(), Unattended())
    async with aclosing(agent.run("go")) as events:
        assert finished([event async for event in events]).calls == (CallMade("embedder", "change", False),)


async def test_one_run_at_a_time() -> None:
    at = desk([Hangs("thinking")])
    async with aclosing(at.agent.run("first")) as events:
        await anext(events)
        with pytest.raises(RunInProgress):
            await at.say("second")
    assert finished(await at.say("third")).reply == "done"


def test_two_tools_of_one_name_are_refused_with_both_owners_named() -> None:
    host = PluginHost([APlugin("tools", [("tool", a_tool("look"))])])
    with pytest.raises(NameClash) as caught:
        desk(host=host, tools=(a_tool("look"),))
    assert (caught.value.name, caught.value.plugin, caught.value.other) == ("look", "embedder", "tools")


# --- models that fail ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (Fails(ModelFault.UNAUTHORIZED), ModelFault.UNAUTHORIZED),
        (Fails(ModelFault.OUT_OF_CREDIT, text="half an"), ModelFault.OUT_OF_CREDIT),
        (Raises(KeyError("choices")), ModelFault.BROKEN),
        (StopsShort("half an"), ModelFault.NONSENSE),
        (Says("odd", calls=(("look", {"set": {1}}),)), ModelFault.BROKEN),
        (Hangs(), ModelFault.TIMED_OUT),
        (Hangs("half an"), ModelFault.TIMED_OUT),
    ],
)
async def test_a_failing_model_leaves_the_message_for_a_retry(line: Line, fault: ModelFault) -> None:
    at = desk([line, says("here you are")], idle_seconds=0.05)
    with pytest.raises(ModelFailed) as caught:
        await at.say("please")
    assert caught.value.fault is fault
    assert [own_text(message) for message in at.agent.session.live] == ["please"]
    assert at.model.running == 0
    async with aclosing(at.agent.retry()) as events:
        assert finished([event async for event in events]).reply == "here you are"
    assert roles(at.agent.session.live) == ["user", "assistant"]


async def test_a_retry_asks_again_what_was_answered() -> None:
    at = desk([says("one answer"), says("another")])
    await at.say("please")
    async with aclosing(at.agent.retry()) as events:
        assert finished([event async for event in events]).reply == "another"
    assert [message.role for message in at.model.requests[-1].messages] == [Role.USER]
    assert roles(at.agent.session.live) == ["user", "assistant", "assistant"]


async def test_a_conversation_goes_on_with_the_next_message_after_a_failure() -> None:
    at = desk([Fails(), says("both")])
    with pytest.raises(ModelFailed):
        await at.say("one")
    await at.say("two")
    assert [own_text(message) for message in at.model.requests[1].messages] == ["one", "two"]


# --- hooks ---------------------------------------------------------------------------------------------------


async def test_what_hooks_attach_stands_in_its_own_block_with_metadata_and_notice() -> None:
    async def recall(text: str, run: RunContext) -> MessageAddition:
        block = AttachedBlock("memory", f"note on {text}")
        return MessageAddition((block,), {"recalled": [{"id": "a"}]}, (Notice("recalled", {"count": 1}),))

    host = PluginHost([APlugin("memory", [("message_hook", MessageHook("recall", recall))])])
    at = desk(host=host)
    events = await at.say("colours")
    stored = next(event.message for event in events if isinstance(event, UserMessageStored))
    assert stored.metadata == {"recalled": [{"id": "a"}]}
    assert own_text(stored) == "colours"
    assert at.model.requests[0].messages[0].blocks[1] == AttachedBlock("memory", "note on colours")
    assert Notice("recalled", {"count": 1}) in events


async def test_options_with_a_memory_recall_without_a_plugin_host() -> None:
    class Notes:
        async def recall(self, text: str, run: RunContext) -> MessageAddition:
            return MessageAddition((AttachedBlock("memory", "note"),), {"recalled": [{"id": "a"}]})

    at = desk(memory=Notes())
    await at.say("colours")
    assert at.agent.session.live[0].metadata == {"recalled": [{"id": "a"}]}


async def test_recall_that_fails_never_stops_a_message() -> None:
    class Broken:
        async def recall(self, text: str, run: RunContext) -> MessageAddition:
            raise OSError("index gone")

    at = desk([says("hello")], memory=Broken())
    events = await at.say("hi")
    assert finished(events).reply == "hello"
    assert Notice("hook-failed", {"plugin": "embedder", "hook": "recall", "error": "OSError"}) in events


async def test_every_kind_of_hook_may_raise_and_the_answer_still_comes() -> None:
    async def fall(*_: object) -> None:
        raise ValueError("broken plugin")

    def broken(name: str) -> APlugin:
        parts = [
            ("prompt_section", PromptSection(f"section-{name}", fall)),  # type: ignore[arg-type]
            ("message_hook", MessageHook(f"message-{name}", fall)),  # type: ignore[arg-type]
            ("run_hook", RunHook(f"run-{name}", fall, fall, fall)),  # type: ignore[arg-type]
            ("tool_hook", ToolHook(f"tool-{name}", fall)),
        ]
        return APlugin(name, parts)

    at = desk([calls("look"), says("fine")], tools=(a_tool("look"),), host=PluginHost([broken("x")]))
    events = await at.say("hi")
    await at.agent.close()
    assert finished(events).reply == "fine"
    failed = [event.fields["hook"] for event in events if isinstance(event, Notice)]
    assert failed == ["run-x", "section-x", "message-x", "tool-x"]
    later = [event.fields["hook"] for event in await at.say("again") if isinstance(event, Notice)]
    assert later == ["run-x", "run-x", "section-x", "message-x"]  # the first is the stop hook of the run before


async def test_sections_are_made_anew_for_each_run_and_stand_in_the_system_prompt() -> None:
    async def count(run: RunContext) -> str:
        return f"{len(run.transcript)} messages so far" if run.transcript else ""

    host = PluginHost([APlugin("p", [("prompt_section", PromptSection("count", count))])])
    at = desk(host=host)
    await at.say("one")
    await at.say("two")
    assert "so far" not in at.model.requests[0].system
    assert "2 messages so far" in at.model.requests[1].system


async def test_start_hooks_speak_first_and_stop_hooks_do_not_delay_the_answer() -> None:
    told: list[str] = []
    let_go = asyncio.Event()

    async def start(run: RunContext) -> tuple[Notice, ...]:
        return (Notice("saved", {"count": 2}),)

    async def stop(run: RunContext) -> None:
        await let_go.wait()
        told.append(own_text(run.transcript[-1]))

    host = PluginHost([APlugin("memory", [("run_hook", RunHook("extract", start, stop))])])
    at = desk([says("one"), says("two")], host=host)
    events = await at.say("hi")
    assert events[0] == Notice("saved", {"count": 2})
    await at.say("again")
    assert told == []
    let_go.set()
    await at.agent.close()
    assert told == ["one", "two"]


async def test_tool_hooks_learn_what_was_done_and_who_allowed_it() -> None:
    records: list[ToolRecord] = []

    async def keep(record: ToolRecord, run: RunContext) -> None:
        records.append(record)

    host = PluginHost([APlugin("audit", [("tool_hook", ToolHook("log", keep))])])
    tools = (a_tool("look"), a_tool("change", Effect.WRITE))
    script = [Says(calls=(("look", {}), ("change", {}))), calls("change"), says("ok")]
    at = desk(script, tools=tools, host=host, answers=[Decline("no")])
    await at.say("go")
    told = [(record.tool, record.allowed, record.asked, record.decided_by, record.result) for record in records]
    assert told == [
        ("look", True, False, "mode", ToolResult("look ran")),
        ("change", False, True, "person", None),
        ("change", True, True, "person", ToolResult("change ran")),
    ]


async def test_hooks_see_what_the_model_would_be_sent() -> None:
    seen: list[RunContext] = []

    async def look(text: str, run: RunContext) -> MessageAddition:
        seen.append(run)
        return MessageAddition()

    host = PluginHost([APlugin("p", [("message_hook", MessageHook("look", look))])])
    at = desk(host=host)
    await at.say("one")
    await at.say("two")
    assert [roles(run.transcript) for run in seen] == [[], ["user", "assistant"]]
    assert seen[0].small_model is at.model


async def test_a_full_disk_is_said_once_and_costs_nobody_the_answer(tmp_path: Path) -> None:
    class FullLog:
        def append(self, *records: object) -> None:
            raise StorageFailed("sessions/x.jsonl", "No space left on device")

    session = unsaved_session()
    session._log = FullLog()  # type: ignore[assignment]
    at = desk([says("hello"), says("again")], session=session)
    told = [event for event in [*await at.say("hi"), *await at.say("hi")] if isinstance(event, Notice)]
    assert told == [Notice("session-not-kept-now", {"path": "sessions/x.jsonl", "reason": "No space left on device"})]
    assert [own_text(message) for message in session.live] == ["hi", "hello", "hi", "again"]
