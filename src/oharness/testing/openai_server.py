"""A scripted stand-in for a server that speaks OpenAI's chat completions, for tests and for trying things.

    python -m oharness.testing.openai_server --port 0 --script replies.json --log requests.jsonl

It listens on loopback only, prints `{"baseUrl": "http://127.0.0.1:PORT/v1"}` and then answers every
`POST /v1/chat/completions` by the script, streamed or whole as the request asks. What it is sent is checked
against the rules of the interface, recorded in the log (one JSON object a line) and answered with 400 when a
rule or an `expect` of the script is broken. Keys themselves are never written to the log.

The script is a JSON object:

    models    names that exist; other names answer 404 (default: every name exists)
    apiKey    the key that requests must carry; others answer 401 (default: none is needed)
    replies   a list of replies; one with `when` serves every request that it fits and is tried first, the
              others serve one request each, in order

A reply:

    when      {"user": R, "system": R, "afterTool": name, "offers": [tool names]}; R is a regular expression
              searched in the text; `user` is all text of the last user message, `afterTool` the tool whose
              result the request ends with (null: it ends with the user's message)
    expect    {"user": [R], "system": [R], "toolResult": [R], "offers": [names], "userParts": n, "stream": b,
              "schema": b}; one that does not hold is a problem in the log and a 400
    text      what the assistant says      pieces  in how many deltas it is streamed (default: by words)
    thoughts  what it thinks before, as `reasoning_content`
    tools     [{"name", "arguments", "id"}]; arguments as an object, or as a string sent as it is
    finish    finish_reason, where it should not follow from the rest
    status    with `error` (an object) and `headers`: an HTTP error
    raw       with `contentType` and `status`: a body sent as it is
    hang      true: nothing is answered; n: nothing more after n deltas
    cutAfter  n: the connection breaks after n deltas
"""

import argparse
import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

JSON = dict[str, Any]

_ROLES = ("system", "developer", "user", "assistant", "tool")


# What a request says


def texts_of(content: object) -> list[str]:
    """The text parts of a message's content, whether it is a string or a list of parts."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        return [part.get("text", "") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return []


def last_user_texts(body: JSON) -> list[str]:
    """The text parts of the last user message; adjoining user messages count as one."""
    parts: list[str] = []
    for message in reversed(body["messages"]):
        if message["role"] == "user":
            parts = texts_of(message.get("content")) + parts
        elif parts:
            break
    return parts


def system_text(body: JSON) -> str:
    """All that system and developer messages say."""
    return "\n".join(
        text
        for message in body["messages"]
        if message["role"] in ("system", "developer")
        for text in texts_of(message.get("content"))
    )


def offered_tools(body: JSON) -> list[str]:
    """Names of the tools that the model may call."""
    return [tool.get("function", {}).get("name", "") for tool in body.get("tools") or []]


def tool_results(body: JSON) -> list[tuple[str, str]]:
    """Name and text of the tool results that the request ends with."""
    names = {
        call["id"]: call["function"]["name"] for message in body["messages"] for call in message.get("tool_calls") or []
    }
    results: list[tuple[str, str]] = []
    for message in reversed(body["messages"]):
        if message["role"] != "tool":
            break
        text = "\n".join(texts_of(message.get("content")))
        results.insert(0, (names.get(message.get("tool_call_id"), ""), text))
    return results


# What is wrong with a request


def interface_problems(body: object) -> list[str]:
    """Where a request breaks the rules of chat completions; empty when it does not."""
    if not isinstance(body, dict):
        return ["the body is not a JSON object"]
    if not isinstance(body.get("model"), str):
        return ["model is missing"]
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return ["messages is missing or empty"]
    if any(not isinstance(message, dict) or message.get("role") not in _ROLES for message in messages):
        return ["a message has no known role"]
    return [*_message_problems(messages), *_tool_problems(body.get("tools"))]


def _message_problems(messages: list[JSON]) -> Iterator[str]:
    waiting: set[str] = set()
    for place, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            call_id = message.get("tool_call_id")
            if call_id not in waiting:
                yield f"messages[{place}] answers a call that was not made: {call_id}"
            waiting.discard(str(call_id))
            continue
        if waiting:
            yield f"messages[{place}] comes before the results of {', '.join(sorted(waiting))}"
            waiting.clear()
        if role == "assistant":
            calls = message.get("tool_calls") or []
            waiting.update(str(call.get("id")) for call in calls)
            if not calls and not "".join(texts_of(message.get("content"))):
                yield f"messages[{place}] of the assistant is empty"
            for call in calls:
                if not _is_json_object(call.get("function", {}).get("arguments")):
                    yield f"messages[{place}] has arguments that are no JSON object"
        elif not texts_of(message.get("content")):
            yield f"messages[{place}] ({role}) has no text"
    if waiting:
        yield f"the results of {', '.join(sorted(waiting))} are missing"
    if messages[-1]["role"] not in ("user", "tool"):
        yield f"the last message is from {messages[-1]['role']}"


def _is_json_object(text: object) -> bool:
    try:
        return isinstance(text, str) and isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _tool_problems(tools: object) -> Iterator[str]:
    if tools is None:
        return
    if not isinstance(tools, list) or not tools:
        yield "tools is not a list of tools"
        return
    for place, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not re.fullmatch(r"[\w-]{1,64}", str(function.get("name"))):
            yield f"tools[{place}] has no proper name"
        elif not isinstance(function.get("parameters"), dict) or function["parameters"].get("type") != "object":
            yield f"tools[{place}] has no object schema"


def unmet_expectations(expect: Mapping[str, Any], body: JSON) -> list[str]:
    """What the script wanted to see in this request and did not."""
    texts = {
        "user": "\n".join(last_user_texts(body)),
        "system": system_text(body),
        "toolResult": "\n".join(text for _, text in tool_results(body)),
    }
    unmet = [
        f"{name} does not match {pattern!r}"
        for name, text in texts.items()
        for pattern in expect.get(name, [])
        if not _found(pattern, text)
    ]
    missing = set(expect.get("offers", [])) - set(offered_tools(body))
    if missing:
        unmet.append(f"tools not offered: {', '.join(sorted(missing))}")
    actual = {
        "userParts": len(last_user_texts(body)),
        "stream": bool(body.get("stream")),
        "schema": (body.get("response_format") or {}).get("type") == "json_schema",
    }
    unmet += [f"{name} is {value!r}" for name, value in actual.items() if name in expect and expect[name] != value]
    return unmet


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.DOTALL) is not None


def fits(when: Mapping[str, Any], body: JSON) -> bool:
    """Whether a reply with this `when` serves this request."""
    results = tool_results(body)
    if "afterTool" in when and when["afterTool"] != (results[-1][0] if results else None):
        return False
    if not set(when.get("offers", [])) <= set(offered_tools(body)):
        return False
    user = "\n".join(last_user_texts(body))
    return _found(when.get("user", ""), user) and _found(when.get("system", ""), system_text(body))


# Which reply a request gets


@dataclass
class Script:
    """The script and how far its numbered replies have been used; shared by the server's threads."""

    models: list[str] | None
    api_key: str | None
    replies: list[JSON]
    used: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> "Script":
        unknown = set(value) - {"models", "apiKey", "replies"}
        if unknown:
            raise ValueError(f"the script has unknown keys: {', '.join(sorted(unknown))}")
        return cls(models=value.get("models"), api_key=value.get("apiKey"), replies=list(value["replies"]))

    def reply_to(self, body: JSON) -> JSON | None:
        """The reply for this request; a numbered one is used up by it."""
        for reply in self.replies:
            if "when" in reply and fits(reply["when"], body):
                return reply
        with self.lock:
            numbered = [reply for reply in self.replies if "when" not in reply]
            if self.used >= len(numbered):
                return None
            self.used += 1
            return numbered[self.used - 1]


# The reply as the wire has it


def _pieces(reply: Mapping[str, Any]) -> list[str]:
    text = reply.get("text", "")
    if "pieces" not in reply:
        return re.findall(r"\s*\S+\s*$|\s*\S+", text) or ([text] if text else [])
    size = max(1, -(-len(text) // reply["pieces"]))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _calls(reply: Mapping[str, Any], number: int) -> list[JSON]:
    return [
        {
            "id": tool.get("id", f"call_{number}_{place}"),
            "type": "function",
            "function": {
                "name": tool["name"],
                "arguments": tool["arguments"]
                if isinstance(tool["arguments"], str)
                else json.dumps(tool["arguments"], ensure_ascii=False),
            },
        }
        for place, tool in enumerate(reply.get("tools", []))
    ]


def _finish_reason(reply: Mapping[str, Any]) -> str:
    return str(reply.get("finish", "tool_calls" if reply.get("tools") else "stop"))


def _usage(body: JSON, reply: Mapping[str, Any]) -> JSON:
    sent = len(json.dumps(body["messages"])) // 4
    said = max(1, len(json.dumps(reply.get("text", ""))) // 4)
    return {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said}


def whole_answer(body: JSON, reply: Mapping[str, Any], number: int) -> JSON:
    """A `chat.completion` object."""
    message: JSON = {"role": "assistant", "content": reply.get("text")}
    if reply.get("thoughts"):
        message["reasoning_content"] = reply["thoughts"]
    if reply.get("tools"):
        message["tool_calls"] = _calls(reply, number)
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": _finish_reason(reply)}],
        "usage": _usage(body, reply),
    }


def streamed_answer(body: JSON, reply: Mapping[str, Any], number: int) -> Iterator[JSON]:
    """`chat.completion.chunk` objects: the role, text by pieces, calls with their arguments in two halves."""

    def chunk(delta: JSON, finish: str | None = None) -> JSON:
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }

    yield chunk({"role": "assistant", "content": ""})
    if reply.get("thoughts"):
        yield chunk({"reasoning_content": reply["thoughts"]})
    for piece in _pieces(reply):
        yield chunk({"content": piece})
    for place, call in enumerate(_calls(reply, number)):
        arguments = call["function"]["arguments"]
        half = len(arguments) // 2
        start = {**call, "index": place, "function": {**call["function"], "arguments": arguments[:half]}}
        yield chunk({"tool_calls": [start]})
        yield chunk({"tool_calls": [{"index": place, "function": {"arguments": arguments[half:]}}]})
    yield chunk({}, _finish_reason(reply))
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**chunk({}), "choices": [], "usage": _usage(body, reply)}


# The server


@dataclass
class Log:
    """One JSON object a line: each request when it arrives, and `{"n", "left": true}` when its client left early."""

    path: Path | None
    lock: threading.Lock = field(default_factory=threading.Lock)
    count: int = 0

    def next_number(self) -> int:
        with self.lock:
            self.count += 1
            return self.count

    def write(self, entry: JSON) -> None:
        if self.path is None:
            return
        with self.lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


class _ClientLeft(Exception):
    """The client closed the connection before it had everything."""


def _handler(script: Script, log: Log) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            if self.path.rstrip("/") == "/v1/models":
                names = script.models or []
                self._send_json(200, {"object": "list", "data": [{"id": n, "object": "model"} for n in names]})
            else:
                self._send_error_object(404, f"no such address: {self.path}")

        def do_POST(self) -> None:
            number = log.next_number()
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                body = json.loads(raw)
            except ValueError:
                body = None
            problems = interface_problems(body)
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            reply = script.reply_to(body) if not problems and self._may_pass(body, key) else None
            if reply is not None:
                problems += unmet_expectations(reply.get("expect", {}), body)
            right_key = script.api_key is None or key == script.api_key
            log.write(
                {"n": number, "path": self.path, "keySent": bool(key), "keyIsRight": right_key}
                | {"problems": problems, "reply": reply and script.replies.index(reply), "body": body}
            )
            try:
                self._answer(body, reply, problems, right_key, number)
            except (_ClientLeft, BrokenPipeError, ConnectionResetError):
                log.write({"n": number, "left": True})
                self.close_connection = True

        def _may_pass(self, body: JSON, key: str) -> bool:
            known = script.models is None or body["model"] in script.models
            return known and script.api_key in (None, key) and self.path == "/v1/chat/completions"

        def _answer(self, body: JSON, reply: JSON | None, problems: list[str], right_key: bool, number: int) -> None:
            if not right_key:
                self._send_error_object(401, "the key is not the right one", "invalid_api_key")
            elif self.path != "/v1/chat/completions":
                self._send_error_object(404, f"no such address: {self.path}")
            elif problems:
                self._send_error_object(400, "; ".join(problems), "invalid_request")
            elif script.models is not None and body["model"] not in script.models:
                self._send_error_object(404, f"no model named {body['model']}", "model_not_found")
            elif reply is None:
                self._send_error_object(500, "the script has no reply left", "script_ended")
            elif reply.get("hang") is True:
                self._wait_until_client_leaves()
            elif "raw" in reply:
                self._send(reply.get("status", 200), reply["raw"].encode(), reply.get("contentType", "text/plain"))
            elif "status" in reply:
                self._send_json(reply["status"], {"error": reply.get("error", {})}, reply.get("headers", {}))
            elif body.get("stream"):
                self._stream(body, reply, number)
            else:
                self._send_json(200, whole_answer(body, reply, number))

        def _stream(self, body: JSON, reply: JSON, number: int) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            # the first chunk only names the role, so n deltas end with chunk n
            for place, chunk in enumerate(streamed_answer(body, reply, number)):
                self._send_chunk(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode())
                if place == reply.get("hang"):
                    self._wait_until_client_leaves()
                if place == reply.get("cutAfter"):
                    self.connection.shutdown(socket.SHUT_RDWR)
                    raise _ClientLeft
            self._send_chunk(b"data: [DONE]\n\n")
            self.wfile.write(b"0\r\n\r\n")

        def _send_chunk(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

        def _wait_until_client_leaves(self) -> None:
            while self.connection.recv(4096):
                pass
            raise _ClientLeft

        def _send_error_object(self, status: int, message: str, code: str = "not_found") -> None:
            self._send_json(status, {"error": {"message": message, "type": "invalid_request_error", "code": code}})

        def _send_json(self, status: int, value: JSON, headers: Mapping[str, str] | None = None) -> None:
            self._send(status, json.dumps(value, ensure_ascii=False).encode(), "application/json", headers)

        def _send(self, status: int, data: bytes, content_type: str, headers: Mapping[str, str] | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(data)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    return Handler


class _LoopbackServer(ThreadingHTTPServer):
    daemon_threads = True


@dataclass
class RunningServer:
    """A server in a process of its own; `base_url` ends in `/v1`."""

    base_url: str
    log_path: Path
    process: "subprocess.Popen[str]"

    def requests(self) -> list[JSON]:
        """What it was sent so far, in order of arrival."""
        return [entry for entry in self._entries() if "path" in entry]

    def left_early(self) -> list[int]:
        """Numbers (`n`) of the requests whose client closed the connection before the end."""
        return [entry["n"] for entry in self._entries() if entry.get("left")]

    def _entries(self) -> list[JSON]:
        if not self.log_path.exists():
            return []
        return [json.loads(line) for line in self.log_path.read_text(encoding="utf-8").split("\n") if line]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=10)
        if self.process.stdout is not None:
            self.process.stdout.close()


def start_openai_server(script: Mapping[str, Any], folder: Path) -> RunningServer:
    """Starts the server as a process that reads the script from `folder` and keeps its log there."""
    Script.read(script)
    script_path, log_path = folder / "openai-script.json", folder / "openai-log.jsonl"
    script_path.write_text(json.dumps(script, ensure_ascii=False), encoding="utf-8")
    command = [sys.executable, "-m", "oharness.testing.openai_server", "--port", "0"]
    command += ["--script", str(script_path), "--log", str(log_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return RunningServer(json.loads(process.stdout.readline())["baseUrl"], log_path, process)


def main() -> None:
    """Runs until it is stopped."""
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible server on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--script", type=Path, required=True, help="JSON file; its shape is in this module's text")
    parser.add_argument("--log", type=Path, help="file that gets one JSON object per request")
    options = parser.parse_args()
    script = Script.read(json.loads(options.script.read_text(encoding="utf-8")))
    with _LoopbackServer(("127.0.0.1", options.port), _handler(script, Log(options.log))) as server:
        sys.stdout.write(json.dumps({"baseUrl": f"http://127.0.0.1:{server.server_port}/v1"}) + "\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
