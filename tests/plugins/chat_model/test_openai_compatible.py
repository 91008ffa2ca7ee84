"""`openai-compatible:<name>` against a real server process on loopback: what is sent, what comes back, what fails."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.harness.messages import (
    AttachedBlock,
    Message,
    Role,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    own_text,
)
from oharness.harness.model import Model, ModelFailed, ModelFault, ModelReply, ModelRequest, TextDelta, ToolSpec
from oharness.plugins.chat_model.connection import Connection
from oharness.plugins.chat_model.library_model import LibraryModel
from oharness.testing.clock import START_MS, FakeClock
from oharness.testing.openai_server import RunningServer, start_openai_server

pytestmark = pytest.mark.plugins

KEY = "sk-practice-0123456789abcdef"
AT = Millis(START_MS)
REMEMBER = ToolSpec(
    "remember",
    "Keeps a note.",
    {"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"]},
)
SCHEMA = {"type": "object", "properties": {"keep": {"type": "boolean"}}, "required": ["keep"]}


def _error(user: str, status: int, code: str, message: str = "no", **more: Any) -> dict[str, Any]:
    body = {"message": message, "type": code, "code": code}
    return {"when": {"user": user}, "status": status, "error": body, **more}


SCRIPT: dict[str, Any] = {
    "models": ["small", "other"],
    "apiKey": KEY,
    "replies": [
        {"when": {"user": "recalled"}, "expect": {"userParts": 2, "stream": True}, "text": "Thursdays, says the note."},
        {"when": {"afterTool": "remember"}, "expect": {"toolResult": ["saved as x"]}, "text": "Done."},
        {
            "when": {"user": "keep this", "offers": ["remember"]},
            "expect": {"system": ["You are careful"]},
            "text": "I keep it.",
            "tools": [{"name": "remember", "arguments": {"summary": "ça — 部署"}}],
        },
        {"when": {"user": "two tools"}, "tools": [{"name": "remember", "arguments": {"summary": s}} for s in "ab"]},
        {"when": {"user": "no arguments"}, "tools": [{"name": "remember", "arguments": ""}]},
        {"when": {"user": "as schema"}, "expect": {"schema": True}, "text": '{"keep": true}'},
        {
            "when": {"user": "schema in words", "system": "JSON schema"},
            "expect": {"schema": False},
            "text": '{"keep": false}',
        },
        _error("schema in words", 400, "invalid_request_error", "response_format is not supported"),
        _error("wrong key", 401, "invalid_api_key", f"Incorrect key: {KEY}. Bearer {KEY}"),
        _error("forbidden", 403, "forbidden"),
        _error("no credit", 402, "payment_required"),
        _error("no quota", 429, "insufficient_quota", "You exceeded your current quota"),
        _error("too fast", 429, "rate_limit_exceeded", "Slow down", headers={"Retry-After": "7"}),
        _error("too long", 400, "context_length_exceeded", "maximum context length is 8192 tokens"),
        _error("llama long", 400, "invalid_request_error", "the request exceeds the available context size"),
        _error("rejected", 400, "invalid_request_error", "tool_choice is not allowed"),
        _error("crashed", 500, "server_error"),
        _error("overloaded", 503, "overloaded"),
        {"when": {"user": "proxy page"}, "status": 502, "raw": "<html>bad gateway</html>", "contentType": "text/html"},
        {"when": {"user": "web page"}, "raw": "<html>welcome</html>", "contentType": "text/html"},
        {"when": {"user": "not json"}, "raw": "data: {oops\n\n", "contentType": "text/event-stream"},
        {"when": {"user": "wrong shape"}, "raw": 'data: {"choices": 7}\n\n', "contentType": "text/event-stream"},
        {"when": {"user": "empty object"}, "raw": "{}", "contentType": "application/json"},
        {"when": {"user": "empty stream"}, "raw": "data: [DONE]\n\n", "contentType": "text/event-stream"},
        {"when": {"user": "broken arguments"}, "tools": [{"name": "remember", "arguments": '{"summary": '}]},
        {"when": {"user": "list arguments"}, "tools": [{"name": "remember", "arguments": "[1]"}]},
        {"when": {"user": "filtered"}, "text": "I", "finish": "content_filter"},
        {"when": {"user": "error in stream"}, "raw": 'data: {"error": {"message": "out of memory"}}\n\n',
         "contentType": "text/event-stream"},
        {"when": {"user": "breaks off"}, "text": "one two three four", "cutAfter": 2},
        {"when": {"user": "hangs at once"}, "hang": True},
        {"when": {"user": "hangs later"}, "text": "one two three four", "hang": 2},
        {"when": {"user": "say nothing"}, "text": ""},
        _error("moved", 307, "moved", headers={"Location": "/v1/chat/completions"}),
        {"when": {"user": "think"}, "thoughts": "Hm, well.", "text": "Yes."},
        {"when": {"user": "hello"}, "text": "Hello there, friend.", "pieces": 4},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    running = start_openai_server(SCRIPT, tmp_path_factory.mktemp("openai"))
    yield running
    running.stop()


@pytest.fixture
def model(server: RunningServer) -> Model:
    return model_at(Connection(server.base_url, KEY, idle_seconds=20))


def model_at(connection: Connection, name: str = "small") -> Model:
    return LibraryModel(f"openai-compatible:{name}", connection, FakeClock())


def user(text: str, *attached: str) -> Message:
    return Message(Role.USER, (TextBlock(text), *(AttachedBlock("memory", block) for block in attached)), AT)


def asked(*messages: Message, tools: tuple[ToolSpec, ...] = (REMEMBER,)) -> ModelRequest:
    return ModelRequest("You are careful.", messages, tools)


async def answer(model: Model, request: ModelRequest) -> tuple[list[str], ModelReply]:
    """The deltas, and the one reply after them."""
    events = [event async for event in model.stream(request)]
    *deltas, reply = events
    assert isinstance(reply, ModelReply)
    return [delta.text for delta in deltas if isinstance(delta, TextDelta) and delta.text], reply


async def failure(model: Model, request: ModelRequest) -> ModelFailed:
    with pytest.raises(ModelFailed) as failed:
        await answer(model, request)
    return failed.value


async def test_text_is_streamed_as_it_comes_and_counted(model: Model) -> None:
    deltas, reply = await answer(model, asked(user("hello")))
    assert len(deltas) == 4
    assert "".join(deltas) == own_text(reply.message) == "Hello there, friend."
    assert reply.message.role is Role.ASSISTANT
    assert reply.input_tokens > 0
    assert reply.output_tokens > 0


async def test_a_tool_call_comes_back_whole_and_the_round_trip_is_accepted(model: Model) -> None:
    first = user("keep this")
    _, reply = await answer(model, asked(first))
    text, call = reply.message.blocks
    assert text == TextBlock("I keep it.")
    assert isinstance(call, ToolCallBlock)
    assert dict(call.arguments) == {"summary": "ça — 部署"}
    result = Message(Role.TOOL, (ToolResultBlock(call.call_id, "remember", "saved as x"),), AT)
    _, last = await answer(model, asked(first, reply.message, result))
    assert own_text(last.message) == "Done."
    _, again = await answer(model, asked(first, reply.message, result, last.message, user("hello")))
    assert own_text(again.message) == "Hello there, friend."


async def test_what_is_sent_is_the_conversation_with_the_recalled_block_as_its_own_part(
    model: Model, server: RunningServer
) -> None:
    call = ToolCallBlock("c1", "remember", {"summary": "é"})
    history = (
        user("earlier"),
        Message(Role.ASSISTANT, (TextBlock("first"), call), AT),
        Message(Role.TOOL, (ToolResultBlock("c1", "remember", "Not allowed.", is_error=True),), AT),
        Message(Role.ASSISTANT, (), AT),
        Message(Role.ASSISTANT, (TextBlock("sorry"),), AT),
        user("recalled?", "<recalled-memory>…</recalled-memory>"),
    )
    await answer(model, asked(*history))
    sent = server.requests()[-1]["body"]
    assert sent["model"] == "small"
    assert sent["stream"] is True
    assert [message["role"] for message in sent["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert sent["messages"][0]["content"] == "You are careful."
    assert sent["messages"][1]["content"] == "earlier"
    assert sent["messages"][2]["tool_calls"][0]["function"] == {"name": "remember", "arguments": '{"summary":"é"}'}
    assert "Not allowed." in sent["messages"][3]["content"]
    assert [part["text"] for part in sent["messages"][5]["content"]] == [
        "recalled?",
        "<recalled-memory>…</recalled-memory>",
    ]
    (tool,) = sent["tools"]
    assert tool["function"]["name"] == "remember"
    assert tool["function"]["description"] == "Keeps a note."
    assert tool["function"]["parameters"]["required"] == ["summary"]


async def test_arguments_of_a_tool_are_signs_of_life_while_they_are_written(model: Model) -> None:
    events = [event async for event in model.stream(asked(user("two tools")))]
    assert len(events) > 2
    assert all(event == TextDelta("") for event in events[:-1])


async def test_thoughts_are_no_part_of_the_answer_and_go_back_to_the_model_alone(
    model: Model, server: RunningServer
) -> None:
    deltas, reply = await answer(model, asked(user("think")))
    assert deltas == ["Yes."]
    assert reply.message.blocks == (TextBlock("Yes."),)
    await answer(model, asked(user("think"), reply.message, user("hello")))
    said = server.requests()[-1]["body"]["messages"][2]
    assert (said["content"], said.get("reasoning_content")) == ("Yes.", "Hm, well.")
    await answer(
        model_at(Connection(server.base_url, KEY), "other"), asked(user("think"), reply.message, user("hello"))
    )
    assert "Hm" not in str(server.requests()[-1]["body"])


async def test_several_calls_and_calls_without_arguments_come_back(model: Model) -> None:
    _, reply = await answer(model, asked(user("two tools")))
    assert [dict(block.arguments) for block in reply.message.blocks if isinstance(block, ToolCallBlock)] == [
        {"summary": "a"},
        {"summary": "b"},
    ]
    _, reply = await answer(model, asked(user("no arguments")))
    (call,) = reply.message.blocks
    assert isinstance(call, ToolCallBlock)
    assert dict(call.arguments) == {}


async def test_an_answer_is_held_to_the_schema_by_the_server(model: Model) -> None:
    _, reply = await answer(model, replace(asked(user("as schema"), tools=()), output_schema=SCHEMA))
    assert own_text(reply.message) == '{"keep": true}'


async def test_a_server_that_refuses_schemas_is_asked_in_words(model: Model) -> None:
    _, reply = await answer(model, replace(asked(user("schema in words"), tools=()), output_schema=SCHEMA))
    assert own_text(reply.message) == '{"keep": false}'


async def test_a_silent_turn_after_a_tool_is_an_answer_and_otherwise_nonsense(model: Model) -> None:
    call = ToolCallBlock("c1", "other", {})
    silent = asked(
        user("say nothing"),
        Message(Role.ASSISTANT, (call,), AT),
        Message(Role.TOOL, (ToolResultBlock("c1", "other", "ok"),), AT),
    )
    _, reply = await answer(model, silent)
    assert reply.message.blocks == ()
    assert (await failure(model, asked(user("say nothing")))).fault is ModelFault.NONSENSE


@pytest.mark.parametrize(
    ("text", "fault", "detail"),
    [
        ("wrong key", ModelFault.UNAUTHORIZED, "Incorrect key"),
        ("forbidden", ModelFault.UNAUTHORIZED, "no"),
        ("no credit", ModelFault.OUT_OF_CREDIT, "no"),
        ("no quota", ModelFault.OUT_OF_CREDIT, "exceeded your current quota"),
        ("too fast", ModelFault.RATE_LIMITED, "Slow down (retry after 7 s)"),
        ("too long", ModelFault.CONTEXT_TOO_LONG, "8192"),
        ("llama long", ModelFault.CONTEXT_TOO_LONG, "context size"),
        ("rejected", ModelFault.REFUSED, "tool_choice"),
        ("crashed", ModelFault.BROKEN, "no"),
        ("overloaded", ModelFault.BROKEN, "no"),
        ("proxy page", ModelFault.BROKEN, "HTTP 502"),
        ("web page", ModelFault.NONSENSE, ""),
        ("not json", ModelFault.NONSENSE, ""),
        ("wrong shape", ModelFault.NONSENSE, ""),
        ("empty object", ModelFault.NONSENSE, ""),
        ("empty stream", ModelFault.NONSENSE, ""),
        ("broken arguments", ModelFault.NONSENSE, "remember"),
        ("list arguments", ModelFault.NONSENSE, "remember"),
        ("filtered", ModelFault.REFUSED, ""),
        ("error in stream", ModelFault.BROKEN, "out of memory"),
        ("breaks off", ModelFault.UNREACHABLE, ""),
        ("moved", ModelFault.BROKEN, ""),
    ],
)
async def test_each_failure_has_its_fault_and_keeps_the_key(
    model: Model, server: RunningServer, text: str, fault: ModelFault, detail: str
) -> None:
    before = len(server.requests())
    failed = await failure(model, asked(user(text)))
    assert failed.fault is fault
    assert failed.model == "openai-compatible:small"
    assert detail in failed.detail
    assert KEY not in f"{failed!r}{failed}{failed.__cause__!r}"
    assert failed.__suppress_context__
    assert "\n" not in failed.detail
    assert len(server.requests()) == before + 1, "a failed call is not repeated behind the caller's back"


async def test_an_unknown_model_and_a_wrong_key_of_ours_are_told_apart(server: RunningServer) -> None:
    unknown = await failure(model_at(Connection(server.base_url, KEY), "nobody"), asked(user("hello")))
    assert unknown.fault is ModelFault.UNKNOWN_MODEL
    wrong = await failure(model_at(Connection(server.base_url, "sk-wrong-000000")), asked(user("hello")))
    assert wrong.fault is ModelFault.UNAUTHORIZED


async def test_a_wrong_path_is_not_taken_for_an_answer(server: RunningServer) -> None:
    elsewhere = server.base_url.removesuffix("/v1") + "/nowhere"
    failed = await failure(model_at(Connection(elsewhere, KEY)), asked(user("hello")))
    assert failed.fault is ModelFault.UNKNOWN_MODEL


async def test_a_refused_connection_is_unreachable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        failed = await failure(model_at(Connection(address)), asked(user("hello")))
    assert failed.fault is ModelFault.UNREACHABLE


@pytest.mark.parametrize("text", ["hangs at once", "hangs later"])
async def test_a_server_that_falls_silent_is_given_up(server: RunningServer, text: str) -> None:
    impatient = model_at(Connection(server.base_url, KEY, idle_seconds=0.3))
    assert (await failure(impatient, asked(user(text)))).fault is ModelFault.TIMED_OUT


async def test_cancelling_the_consumer_ends_the_call_on_the_wire(model: Model, server: RunningServer) -> None:
    async def consume() -> None:
        async for event in model.stream(asked(user("hangs later"))):
            if isinstance(event, TextDelta):
                started.set()

    started = asyncio.Event()
    task = asyncio.create_task(consume())
    await asyncio.wait_for(started.wait(), 20)
    number = server.requests()[-1]["n"]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _until_left(server, number)


async def test_leaving_the_stream_early_ends_the_call_on_the_wire(model: Model, server: RunningServer) -> None:
    async with aclosing(model.stream(asked(user("hangs later")))) as events:  # type: ignore[type-var]
        await anext(events)
    await _until_left(server, server.requests()[-1]["n"])


async def _until_left(server: RunningServer, number: int) -> None:
    async with asyncio.timeout(20):
        while number not in server.left_early():  # noqa: ASYNC110 - another process cannot set an event
            await asyncio.sleep(0.01)


async def test_a_server_without_keys_needs_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    keyless = start_openai_server({"replies": [{"text": "Hi."}]}, tmp_path_factory.mktemp("keyless"))
    try:
        _, reply = await answer(model_at(Connection(keyless.base_url), "anything"), asked(user("hello")))
    finally:
        keyless.stop()
    assert own_text(reply.message) == "Hi."


@pytest.mark.parametrize("address", [None, "", "localhost:11434", "ftp://127.0.0.1/v1", "http://", "http://[::1"])
async def test_without_the_address_of_a_server_nothing_is_sent(address: str | None) -> None:
    failed = await failure(model_at(Connection(address, KEY)), asked(user("hello")))
    assert failed.fault is (ModelFault.BAD_ADDRESS if address else ModelFault.NO_ADDRESS)
    assert failed.detail == (address or "")


def test_how_much_fits_comes_from_the_settings() -> None:
    assert model_at(Connection(context_tokens=8192)).context_tokens == 8192
    assert model_at(Connection()).context_tokens == 128_000


async def test_every_request_kept_to_the_rules_of_the_interface(model: Model, server: RunningServer) -> None:
    await answer(model, asked(user("hello")))
    assert [request["problems"] for request in server.requests() if request["problems"]] == []
