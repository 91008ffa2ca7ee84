"""Our messages and the library's are two spellings of one conversation."""

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai import messages as theirs

from oharness.core.clock import Millis
from oharness.harness.messages import AttachedBlock, Message, Role, TextBlock, ToolCallBlock, tool_calls
from oharness.harness.model import ModelRequest
from oharness.plugins.chat_model.conversion import BrokenArguments, our_message, their_history
from oharness.testing.clock import START_MS

pytestmark = pytest.mark.plugins

AT = Millis(START_MS)
MODEL = "anthropic:some-name"
USER = Message(Role.USER, (TextBlock("hello"),), AT)
THOUGHT = theirs.ModelResponse(
    parts=[
        theirs.ThinkingPart("hm", signature="signed", provider_name="anthropic"),
        theirs.TextPart("Hello."),
        theirs.ToolCallPart("remember", '{"summary":"x"}', "c1"),
    ],
    provider_name="anthropic",
)


def history_of(*messages: Message, model: str = MODEL) -> list[Any]:
    return their_history(ModelRequest("sys", messages), model)


def stored(message: Message) -> Message:
    """The message after its metadata went through a file."""
    return replace(message, metadata=json.loads(json.dumps(dict(message.metadata))))


def test_signed_reasoning_goes_back_to_the_model_that_wrote_it() -> None:
    message = stored(our_message(THOUGHT, MODEL, AT))
    assert message.blocks == (TextBlock("Hello."), ToolCallBlock("c1", "remember", {"summary": "x"}))
    _, response, _ = history_of(USER, message, USER)
    assert response.parts == THOUGHT.parts
    assert response.provider_name == "anthropic"


def test_calls_that_share_an_id_or_have_none_get_their_own() -> None:
    calls = [
        theirs.ToolCallPart("memory", {"query": word}, call_id)
        for word, call_id in zip("abcd", ("x", "x", "", ""), strict=True)
    ]
    message = our_message(theirs.ModelResponse(parts=[theirs.ThinkingPart("hm"), *calls]), MODEL, AT)
    ids = [block.call_id for block in tool_calls(message)]
    assert (len(set(ids)), ids[0], "" in ids) == (4, "x", False)
    sent = history_of(USER, stored(message), USER)[1]
    assert [part.tool_call_id for part in sent.parts if isinstance(part, theirs.ToolCallPart)] == ids


def test_another_model_is_sent_what_was_said_without_the_reasoning() -> None:
    message = stored(our_message(THOUGHT, MODEL, AT))
    _, response, _ = history_of(USER, message, USER, model="openai:other")
    assert [part.part_kind for part in response.parts] == ["text", "tool-call"]


@pytest.mark.parametrize("kept", [None, 7, {}, {"name": MODEL}, {"name": MODEL, "parts": [{"part_kind": "odd"}]}])
def test_metadata_that_is_no_longer_understood_is_passed_over(kept: object) -> None:
    message = Message(Role.ASSISTANT, (TextBlock("Hello."),), AT, {"model": kept})
    _, response, _ = history_of(USER, message, USER)
    assert [part.content for part in response.parts] == ["Hello."]


def test_plain_answers_keep_nothing_beside_their_text() -> None:
    assert our_message(theirs.ModelResponse(parts=[theirs.TextPart("x")]), MODEL, AT).metadata == {}


def test_adjoining_user_messages_are_one_request_with_every_part() -> None:
    summary = Message(Role.USER, (AttachedBlock("compaction", "In short: …"),), AT)
    (request,) = history_of(summary, USER)
    assert [part.content for part in request.parts] == ["In short: …", "hello"]
    assert request.instructions == "sys"


@pytest.mark.parametrize("arguments", ["{", "[]", "null", '"x"', '{"a":1,"a":2}', '{"a":NaN}'])
def test_arguments_that_are_no_json_object_are_broken(arguments: str) -> None:
    response = theirs.ModelResponse(parts=[theirs.ToolCallPart("remember", arguments, "c1")])
    with pytest.raises(BrokenArguments):
        our_message(response, MODEL, AT)
