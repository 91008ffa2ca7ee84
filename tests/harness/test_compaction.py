"""Shortening: what goes, what stays whole, and that nothing blocks the message."""

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.clock import Millis
from oharness.harness.compaction import (
    SOURCE,
    choose_cut,
    cut_in_half,
    cut_to_make_room,
    estimated_tokens,
    message_tokens,
    shortened,
)
from oharness.harness.descriptors import MessageAddition, RunContext, RunHook
from oharness.harness.events import Compacted, Compacting
from oharness.harness.host import PluginHost
from oharness.harness.messages import (
    AttachedBlock,
    Block,
    Message,
    Role,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    own_text,
    tool_calls,
)
from oharness.harness.model import ModelFailed, ModelFault, ModelRequest
from oharness.harness.pairing import cuts, paired
from oharness.harness.sessions import read_session, resume_session, start_session
from oharness.harness.tools import Arguments, ToolContext, ToolResult
from oharness.harness.transcript_json import Shortened, entry_of, live_messages, record_of
from oharness.testing.clock import FakeClock
from oharness.testing.desk import APlugin, Desk, a_tool, desk, finished
from oharness.testing.model import Fails, Hangs, Says, ScriptedModel, calls, says
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.plugins

AT = Millis(1)
STEADY = settings(derandomize=True, max_examples=200, deadline=None)


def user(text: str, **metadata: object) -> Message:
    return Message(Role.USER, (TextBlock(text),), AT, metadata)


def answer(text: str, *call_ids: str) -> Message:
    blocks: list[Block] = [TextBlock(text)]
    return Message(Role.ASSISTANT, (*blocks, *(ToolCallBlock(each, "look", {}) for each in call_ids)), AT)


def results(*call_ids: str, text: str = "seen") -> Message:
    return Message(Role.TOOL, tuple(ToolResultBlock(each, "look", text) for each in call_ids), AT)


# --- estimates and cuts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("我们每周四部署", 7),
        ("部署deploy", 4),
        ("학점인정", 4),
        ("😀", 1),
        ("𠀀𠀁", 2),
    ],
)
def test_tokens_are_a_quarter_of_the_letters_and_one_for_each_cjk_character(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_a_long_text_keeps_its_beginning_and_end() -> None:
    assert shortened("x" * 10, 10) == "x" * 10
    assert shortened("a" * 50 + "b" * 50, 30) == "a" * 20 + "\n[… 70 characters left out …]\n" + "b" * 10


def test_nothing_goes_while_all_fits() -> None:
    assert cut_to_make_room("system", (), [user("x" * 100), answer("y" * 100)], 1000) == 0


def test_the_oldest_go_and_what_stays_begins_with_a_persons_message() -> None:
    messages = [user("x" * 400), answer("y" * 400)] * 3
    cut = cut_to_make_room("", (), messages, 700)
    assert cut == 4
    assert messages[cut].role is Role.USER


def test_the_work_of_a_long_run_is_not_dropped_for_the_sake_of_the_turn() -> None:
    messages = [user("go")] + [answer("x" * 40, "a"), results("a")] * 10 + [user("and now?")]
    assert messages[choose_cut(messages, 100)].role is Role.ASSISTANT


def test_nothing_is_summarised_when_it_would_free_next_to_nothing() -> None:
    messages = [user("hi"), user("x" * 4000)]
    assert cut_to_make_room("", (), messages, 1000) == 0
    assert cut_in_half(messages) == 1


def test_a_single_message_cannot_be_cut() -> None:
    assert choose_cut([user("x" * 4000)], 10) == 0
    assert choose_cut([answer("", "a"), results("a")], 0) == 0


CALL_IDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3).map(tuple)
TEXTS = st.text(st.sampled_from("ab我 \n"), max_size=60)
MESSAGES = st.one_of(
    TEXTS.map(user),
    st.builds(lambda text, ids: answer(text, *ids), TEXTS, CALL_IDS),
    st.builds(lambda ids: results(*ids), CALL_IDS),
)
CONVERSATIONS = st.lists(MESSAGES, max_size=12)


def assert_paired(messages: tuple[Message, ...]) -> None:
    for index, message in enumerate(messages):
        ids = [call.call_id for call in tool_calls(message)]
        if ids:
            following = messages[index + 1]
            assert following.role is Role.TOOL
            assert [getattr(block, "call_id", "") for block in following.blocks] == ids
        if message.role is Role.TOOL:
            assert tool_calls(messages[index - 1])


@STEADY
@given(CONVERSATIONS)
def test_any_conversation_becomes_one_in_which_every_call_has_its_result(messages: list[Message]) -> None:
    whole = paired(messages)
    assert_paired(whole)
    assert paired(whole) == whole
    assert [each for each in whole if each.role is not Role.TOOL] == [
        each for each in messages if each.role is not Role.TOOL
    ]


@STEADY
@given(CONVERSATIONS, st.integers(0, 200))
def test_no_cut_parts_a_call_from_its_result(messages: list[Message], keep_tokens: int) -> None:
    whole = paired(messages)
    cut = choose_cut(whole, keep_tokens)
    assert_paired(whole[:cut])
    assert_paired(whole[cut:])
    possible = [at for at in range(1, len(whole)) if whole[at].role is not Role.TOOL]
    assert cut in possible or (cut == 0 and not possible)
    if cut and cut != possible[-1]:
        assert sum(map(message_tokens, whole[cut:])) <= keep_tokens


@STEADY
@given(st.lists(st.one_of(MESSAGES, st.integers(0, 5)), max_size=15))
def test_a_conversation_with_compactions_reads_back_as_it_was_lived(steps: list[Message | int]) -> None:
    """The file's entries give, after every step, what the session held in memory."""
    entries: list[Message | Shortened] = []
    live: tuple[Message, ...] = ()
    for step in steps:
        if isinstance(step, int):
            shorter = Shortened(user("so far"), [0, *cuts(live)][step % (len(cuts(live)) + 1)])
            live = (shorter.summary, *live[shorter.dropped :])
            entries.append(shorter)
        else:
            entries.append(step)
            live = live_messages(entries)
        assert live_messages(entries) == live
        assert_paired(live)
        read = [entry_of(record_of(each)) for each in entries]
        assert read == entries


# --- in a run --------------------------------------------------------------------------------------------------


def long_desk(script: list[Any], **options: Any) -> Desk:
    """A model of 1,000 tokens, whose fixed part takes about a fifth."""
    return desk(script, context_tokens=1_000, base_prompt="Be brief.", **options)


async def filled(at: Desk, times: int = 4) -> list[Any]:
    events = []
    for number in range(times):
        events += await at.say(f"message {number} " + "x" * 400)
    return events


SUMMARISED = "Be brief"


def answers_and_summaries(request: ModelRequest) -> Says:
    return says("y" * 400) if SUMMARISED in request.system else says("they spoke of x")


async def test_a_full_context_is_summarised_and_the_conversation_goes_on(tmp_path: Path) -> None:
    session = start_session(tmp_path, "p", FakeClock(), SeededRandomness(1))
    at = long_desk([answers_and_summaries] * 20, session=session)
    events = await filled(at)
    assert [type(event) for event in events if isinstance(event, Compacting | Compacted)] == [Compacting, Compacted]
    (compacted,) = [event for event in events if isinstance(event, Compacted)]
    assert compacted.summarised
    first = session.live[0]
    assert isinstance(first.blocks[0], AttachedBlock)
    assert first.blocks[0].source == SOURCE
    assert "they spoke of x" in first.blocks[0].text
    assert own_text(first) == ""
    await at.agent.close()
    stored = read_session(tmp_path, "latest")
    assert len([entry for entry in stored.entries if isinstance(entry, Message)]) == 8
    assert stored.title.startswith("message 0")
    again = resume_session(tmp_path, "latest")
    assert again.live == session.live
    again.close()


async def test_the_summary_is_made_by_the_small_model() -> None:
    small = ScriptedModel([says("short")], name="small")
    at = long_desk([says("y" * 400)] * 9, small_model=small)
    await filled(at)
    assert len(small.requests) == 1
    assert "message 0" in own_text(small.requests[0].messages[0])


async def test_hooks_get_what_is_about_to_go_before_it_goes() -> None:
    seen: list[tuple[int, list[str]]] = []

    async def last_look(run: RunContext, dropped: tuple[Message, ...]) -> None:
        seen.append((len(run.transcript), [own_text(message)[:9] for message in dropped if message.role is Role.USER]))

    host = PluginHost([APlugin("memory", [("run_hook", RunHook("extract", on_compaction=last_look))])])
    at = long_desk([answers_and_summaries] * 20, host=host)
    await filled(at)
    assert len(seen) == 1
    before, dropped = seen[0]
    assert dropped[0] == "message 0"
    assert before > len(at.agent.session.live) - 2


async def test_notes_whose_messages_went_are_free_again_before_the_next_recall() -> None:
    attached: list[set[str]] = []

    class Notes:
        async def recall(self, text: str, run: RunContext) -> MessageAddition:
            present = {each["id"] for message in run.transcript for each in message.metadata.get("recalled", ())}
            attached.append(present)
            if "a" in present:
                return MessageAddition()
            return MessageAddition((AttachedBlock("memory", "the note"),), {"recalled": [{"id": "a"}]})

    at = long_desk([answers_and_summaries] * 20, memory=Notes())
    await filled(at, 5)
    assert attached[:2] == [set(), {"a"}]
    assert set() in attached[2:]
    summaries = [request for request in at.model.requests if SUMMARISED not in request.system]
    assert summaries
    assert all("the note" not in own_text(request.messages[0]) for request in summaries)


@pytest.mark.parametrize("line", [Fails(), Hangs("half"), says("  ")])
async def test_without_a_summary_the_oldest_go_with_a_note_and_the_answer_comes(line: Any) -> None:
    def scripted(request: ModelRequest) -> Any:
        return says("y" * 400) if SUMMARISED in request.system else line

    at = long_desk([scripted] * 20, idle_seconds=0.05)
    events = await filled(at)
    assert [event.summarised for event in events if isinstance(event, Compacted)] == [False]
    assert finished(events).reply == "y" * 400
    first = at.agent.session.live[0].blocks[0]
    assert isinstance(first, AttachedBlock)
    assert "could not be summarised" in first.text


async def test_an_earlier_summary_is_kept_when_the_next_one_fails() -> None:
    made: list[int] = []

    def scripted(request: ModelRequest) -> Any:
        if SUMMARISED in request.system:
            return says("y" * 400)
        made.append(1)
        return says("the blue door") if len(made) == 1 else Fails()

    at = long_desk([scripted] * 40)
    await filled(at, 8)
    assert len(made) >= 2
    first = at.agent.session.live[0].blocks[0]
    assert isinstance(first, AttachedBlock)
    assert "the blue door" in first.text


async def test_a_provider_that_says_too_long_gets_a_shorter_conversation_once() -> None:
    too_long = Fails(ModelFault.CONTEXT_TOO_LONG)
    at = desk([says("one"), says("two"), too_long, says("so far: one, two"), says("three")])
    await at.say("first")
    await at.say("second")
    events = await at.say("third")
    assert finished(events).reply == "three"
    assert [type(event) for event in events if isinstance(event, Compacting | Compacted)] == [Compacting, Compacted]
    assert len(at.model.requests[-1].messages) < len(at.model.requests[2].messages)
    assert own_text(at.model.requests[-1].messages[-1]) == "third"


async def test_a_provider_that_says_too_long_twice_is_believed() -> None:
    too_long = Fails(ModelFault.CONTEXT_TOO_LONG)
    at = desk([says("one"), too_long, says("so far"), too_long, says("fine")])
    await at.say("first")
    with pytest.raises(ModelFailed) as caught:
        await at.say("second")
    assert caught.value.fault is ModelFault.CONTEXT_TOO_LONG
    async with aclosing(at.agent.retry()) as events:
        assert finished([event async for event in events]).reply == "fine"


async def test_a_single_message_that_is_too_long_fails_in_plain_words() -> None:
    at = desk([Fails(ModelFault.CONTEXT_TOO_LONG)])
    with pytest.raises(ModelFailed):
        await at.say("x" * 1000)


async def test_room_is_made_in_the_middle_of_a_long_run_too() -> None:
    def scripted(request: ModelRequest) -> Any:
        return calls("look") if SUMMARISED in request.system else says("looked often")

    async def look(arguments: Arguments, context: ToolContext) -> ToolResult:
        return ToolResult("seen " * 20)

    at = long_desk([scripted] * 60, tools=(a_tool("look", run=look),), step_limit=30)
    events = await at.say("look thirty times " + "x" * 300)
    assert [event for event in events if isinstance(event, Compacted)]
    assert_paired(at.agent.session.live)
    for request in at.model.requests:
        assert_paired(request.messages)


async def test_an_interrupted_compaction_drops_nothing() -> None:
    def scripted(request: ModelRequest) -> Any:
        return says("y" * 400) if SUMMARISED in request.system else Hangs()

    at = long_desk([scripted] * 20)
    await filled(at, 2)
    before = at.agent.session.live
    for number in range(3):
        run = asyncio.create_task(at.say(f"more {number} " + "x" * 400))
        for _ in range(60):
            await asyncio.sleep(0)
        if not run.done():
            run.cancel()
            await asyncio.wait((run,))
            break
    assert at.agent.session.live[: len(before)] == before
    assert at.model.running == 0
