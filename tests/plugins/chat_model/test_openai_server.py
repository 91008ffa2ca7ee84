"""The scripted server itself: it checks and records what it is sent, and answers by the script."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from oharness.testing.openai_server import RunningServer, Script, interface_problems, start_openai_server

pytestmark = pytest.mark.plugins

USER = {"role": "user", "content": "hello"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "ok"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    script = {
        "replies": [
            {"text": "first"},
            {"text": "second"},
            {"when": {"user": "strict"}, "expect": {"offers": ["remember"], "system": ["careful"]}, "text": "never"},
        ]
    }
    running = start_openai_server(script, tmp_path_factory.mktemp("server"))
    yield running
    running.stop()


def post(server: RunningServer, *messages: dict[str, Any], **more: Any) -> tuple[int, Any]:
    body = json.dumps({"model": "m", "messages": list(messages), **more}).encode()
    request = urllib.request.Request(f"{server.base_url}/chat/completions", body)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_replies_without_a_condition_are_used_once_in_order_and_whole_answers_are_served(server: RunningServer) -> None:
    texts = [post(server, USER)[1]["choices"][0]["message"]["content"] for _ in range(2)]
    assert texts == ["first", "second"]
    assert post(server, USER)[0] == 500


def test_an_unmet_expectation_is_refused_and_recorded(server: RunningServer) -> None:
    status, answer = post(server, {"role": "user", "content": "strict"})
    assert status == 400
    assert "remember" in answer["error"]["message"]
    assert server.requests()[-1]["problems"] == ["system does not match 'careful'", "tools not offered: remember"]


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([], "messages is missing or empty"),
        ([{"role": "robot", "content": "x"}], "no known role"),
        ([USER, {"role": "assistant", "content": "x"}], "the last message is from assistant"),
        ([USER, {"role": "assistant", "content": ""}, USER], "is empty"),
        ([USER, CALLING, USER], "before the results of c1"),
        ([USER, CALLING], "the results of c1 are missing"),
        ([USER, RESULT], "a call that was not made"),
        ([{"role": "user", "content": []}], "has no text"),
    ],
)
def test_broken_conversations_are_named(messages: list[dict[str, Any]], problem: str) -> None:
    assert problem in "; ".join(interface_problems({"model": "m", "messages": messages}))


def test_a_proper_conversation_has_no_problems() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    assert interface_problems({"model": "m", "messages": [USER, CALLING, RESULT], "tools": tools}) == []
    tools[0]["function"]["name"] = "no good"  # type: ignore[index]
    assert interface_problems({"model": "m", "messages": [USER], "tools": tools}) == ["tools[0] has no proper name"]


def test_a_misspelt_script_is_refused() -> None:
    with pytest.raises(ValueError, match="reply"):
        Script.read({"reply": []})
