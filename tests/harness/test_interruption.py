"""Ctrl-C anywhere leaves a transcript that can be gone on from, and nothing running."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from oharness.harness.agent import INTERRUPTED
from oharness.harness.descriptors import MessageAddition, MessageHook, RunContext, RunHook, ToolHook, ToolRecord
from oharness.harness.events import RunEvent, RunFinished, SubagentEvent, ToolStarted
from oharness.harness.host import PluginHost
from oharness.harness.messages import AttachedBlock, Message, Role, ToolResultBlock, own_text, tool_calls
from oharness.harness.model import TextDelta
from oharness.harness.pairing import INTERRUPTED as INTERRUPTED_TEXT
from oharness.harness.sessions import Session, read_session, resume_session, start_session
from oharness.harness.subagents import task_tool
from oharness.harness.tools import Arguments, Effect, ToolContext, ToolResult
from oharness.testing.clock import FakeClock
from oharness.testing.desk import APlugin, Desk, a_tool, desk, finished, result_texts
from oharness.testing.model import Hangs, Says, calls, says
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.plugins


def new_session(folder: Path) -> Session:
    return start_session(folder, "project-1", FakeClock(), SeededRandomness(1))


async def slow(arguments: Arguments, context: ToolContext) -> ToolResult:
    for _ in range(3):
        await asyncio.sleep(0)
    return ToolResult("slow ran")


async def recall(text: str, run: RunContext) -> MessageAddition:
    await asyncio.sleep(0)
    return MessageAddition((AttachedBlock("memory", "a note"),), {"recalled": [{"id": "a"}]})


async def look_on(*_: object) -> tuple[()]:
    await asyncio.sleep(0)
    return ()


def busy_desk(session: Session) -> Desk:
    """A run that goes through everything: hooks, streaming, reads together, a write that is asked for, a subagent."""
    parts = [
        ("message_hook", MessageHook("recall", recall)),
        ("run_hook", RunHook("all", look_on, None, None)),
        ("tool_hook", ToolHook("audit", look_on)),  # type: ignore[arg-type]
        ("tool", task_tool()),
    ]
    script = [
        Says("let me see what there is", calls=(("read", {}), ("read", {}), ("write", {}))),
        calls("task", task="look deeper"),
        calls("read"),
        says("the subagent says this"),
        says("and that is all"),
    ]
    tools = (a_tool("read", run=slow), a_tool("write", Effect.WRITE, run=slow))
    return desk(script, session=session, tools=tools, host=PluginHost([APlugin("p", parts)]))


def assert_whole(messages: tuple[Message, ...]) -> None:
    """Every call has its result, right behind it and in order, and no result is without its call."""
    for index, message in enumerate(messages):
        if calls_made := tool_calls(message):
            results = messages[index + 1]
            assert results.role is Role.TOOL
            assert [getattr(block, "call_id", None) for block in results.blocks] == [
                call.call_id for call in calls_made
            ]
        if message.role is Role.TOOL:
            assert tool_calls(messages[index - 1])


def has_transcript(folder: Path) -> bool:
    return any(folder.glob("*.jsonl"))


def messages_in(folder: Path) -> tuple[Message, ...]:
    """As they lie in the file, where nothing is mended."""
    if not has_transcript(folder):
        return ()
    return tuple(entry for entry in read_session(folder, "latest").entries if isinstance(entry, Message))


async def interrupted_after(steps: int, folder: Path, times: int) -> bool:
    """Cancels a run after so many turns of the event loop; whether it was still going on then."""
    session = new_session(folder)
    at = busy_desk(session)
    run = asyncio.create_task(at.say("do it all"))
    for _ in range(steps):
        await asyncio.sleep(0)
    going = not run.done()
    for _ in range(times):
        run.cancel()
        await asyncio.sleep(0)
    await asyncio.wait((run,))
    await at.agent.close()
    assert {task for task in asyncio.all_tasks() if task is not asyncio.current_task()} == set()
    assert at.model.running == 0
    if not has_transcript(folder):
        assert session.live == ()
        return going
    stored = read_session(folder, "latest")
    assert stored.damaged == 0
    assert_whole(messages_in(folder))
    again = resume_session(folder, "latest")
    assert again.live == session.live
    after = desk([says("on we go")], session=again)
    assert finished(await after.say("go on")).reply == "on we go"
    assert_whole(after.model.requests[0].messages)
    again.close()
    return going


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_run_can_be_cancelled_at_every_turn_of_the_event_loop(times: int, tmp_path: Path) -> None:
    steps, late = 0, 0
    while late < 3:
        late += not await interrupted_after(steps, tmp_path / str(steps), times)
        steps += 1
        assert steps < 1000
    assert steps > 40  # threads of the disk make the exact number differ from run to run


async def test_a_run_can_be_closed_after_every_event(tmp_path: Path) -> None:
    number = 0
    while True:
        session = new_session(tmp_path / str(number))
        at = busy_desk(session)
        async with aclosing(at.agent.run("do it all")) as events:
            seen = [event async for event in first(events, number)]
        await at.agent.close()
        assert_whole(messages_in(tmp_path / str(number)))
        assert at.model.running == 0
        if seen and isinstance(seen[-1], RunFinished):
            break
        number += 1
    assert number > 20


async def first(events: AsyncIterator[RunEvent], number: int) -> AsyncIterator[RunEvent]:
    for _ in range(number + 1):
        yield await anext(events)


async def test_what_the_model_had_said_is_kept_and_marked() -> None:
    at = desk([Hangs("half a sent"), says("whole")])
    async with aclosing(at.agent.run("hi")) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                break
    last = at.agent.session.live[-1]
    assert (own_text(last), dict(last.metadata)) == ("half a sent", {INTERRUPTED: True})
    assert finished(await at.say("go on")).reply == "whole"


async def test_interrupted_calls_have_results_that_say_so_and_finished_ones_their_own() -> None:
    async def forever(arguments: Arguments, context: ToolContext) -> ToolResult:
        await asyncio.Event().wait()
        raise AssertionError

    tools = (a_tool("a", Effect.EDIT), a_tool("b", Effect.COMMAND, run=forever), a_tool("c", Effect.EDIT))
    at = desk([Says(calls=(("a", {}), ("b", {}), ("c", {})))], tools=tools)
    async with aclosing(at.agent.run("go")) as events:
        async for event in events:
            if isinstance(event, ToolStarted) and event.tool == "b":
                break
    results = at.agent.session.live[-1]
    assert result_texts(results) == ["a ran", INTERRUPTED_TEXT, INTERRUPTED_TEXT]
    assert [block.is_error for block in results.blocks if isinstance(block, ToolResultBlock)] == [False, True, True]


async def test_a_tool_that_hides_the_cancellation_does_not_keep_the_run_alive() -> None:
    started = asyncio.Event()

    async def stubborn(arguments: Arguments, context: ToolContext) -> ToolResult:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise RuntimeError("cleaning up went wrong") from None
        raise AssertionError

    at = desk([calls("stubborn"), says("never")], tools=(a_tool("stubborn", Effect.READ, run=stubborn),))
    run = asyncio.create_task(at.say("go"))
    await started.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert len(at.model.requests) == 1


@pytest.mark.parametrize("kind", ["message_hook", "tool_hook", "preview"])
async def test_a_hook_that_hides_the_cancellation_does_not_keep_the_run_alive(kind: str) -> None:
    started = asyncio.Event()

    async def stubborn(*_: object) -> MessageAddition:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise RuntimeError("cleaning up went wrong") from None
        raise AssertionError

    parts = {
        "message_hook": ("message_hook", MessageHook("x", stubborn)),
        "tool_hook": ("tool_hook", ToolHook("x", stubborn)),  # type: ignore[arg-type]
        "preview": ("tool", a_tool("other", Effect.WRITE, preview=stubborn)),
    }
    host = PluginHost([APlugin("p", [parts[kind]])])
    script = [calls("other" if kind == "preview" else "look"), says("never")]
    at = desk(script, host=host, tools=(a_tool("look"),))
    run = asyncio.create_task(at.say("go"))
    await started.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert len(at.model.requests) == (0 if kind == "message_hook" else 1)


async def test_a_frontend_that_breaks_leaves_a_whole_transcript(tmp_path: Path) -> None:
    class Broken:
        async def approve(self, request: object) -> None:
            raise EOFError("the terminal is gone")

    at = desk([calls("x")], session=new_session(tmp_path), tools=(a_tool("x", Effect.WRITE),))
    at.agent._gate._frontend = Broken()  # type: ignore[assignment]
    with pytest.raises(EOFError):
        await at.say("go")
    await at.agent.close()
    assert_whole(messages_in(tmp_path))
    assert len(messages_in(tmp_path)) == 3


async def test_the_audit_hears_of_an_interrupted_command() -> None:
    records: list[ToolRecord] = []
    started = asyncio.Event()

    async def keep(record: ToolRecord, run: RunContext) -> None:
        await asyncio.sleep(0)
        records.append(record)

    async def forever(arguments: Arguments, context: ToolContext) -> ToolResult:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    host = PluginHost([APlugin("audit", [("tool_hook", ToolHook("log", keep))])])
    at = desk([calls("x")], tools=(a_tool("x", Effect.COMMAND, run=forever),), host=host)
    run = asyncio.create_task(at.say("go"))
    await started.wait()
    run.cancel()
    await asyncio.wait((run,))
    assert [(record.allowed, record.result and record.result.is_error) for record in records] == [(True, True)]


async def test_an_interrupted_question_is_withdrawn_and_nothing_runs() -> None:
    ran: list[str] = []
    asked = asyncio.Event()

    class Thinking:
        async def approve(self, request: object) -> None:
            asked.set()
            await asyncio.Event().wait()

    async def run_it(arguments: Arguments, context: ToolContext) -> ToolResult:
        ran.append("ran")
        return ToolResult("")

    at = desk([calls("x")], tools=(a_tool("x", Effect.WRITE, run=run_it),))
    at.agent._gate._frontend = Thinking()  # type: ignore[assignment]
    run = asyncio.create_task(at.say("go"))
    await asked.wait()
    run.cancel()
    await asyncio.wait((run,))
    assert ran == []
    assert result_texts(at.agent.session.live[-1]) == [INTERRUPTED_TEXT]


async def test_closing_while_a_stop_hook_works_can_be_interrupted_too() -> None:
    async def forever(run: RunContext) -> None:
        await asyncio.Event().wait()

    host = PluginHost([APlugin("p", [("run_hook", RunHook("slow", None, forever, None))])])
    at = desk(host=host)
    await at.say("hi")
    closing = asyncio.create_task(at.agent.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait((closing,))
    assert len(asyncio.all_tasks()) == 1


async def test_events_of_a_subagent_come_wrapped(tmp_path: Path) -> None:
    at = busy_desk(new_session(tmp_path))
    events = await at.say("do it all")
    inner = [event.event for event in events if isinstance(event, SubagentEvent)]
    assert finished(inner).reply == "the subagent says this"
    assert finished(events).reply == "and that is all"
    await at.agent.close()
