"""A model that says what a script tells it, and keeps what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, assert_never

from oharness.core.clock import Millis
from oharness.harness.messages import Block, Message, Role, TextBlock, ToolCallBlock
from oharness.harness.model import ModelFailed, ModelFault, ModelReply, ModelRequest, TextDelta


@dataclass(frozen=True, slots=True)
class Says:
    """An answer: text in pieces, then calls, each a tool's name and its arguments."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    piece: int = 8
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Fails:
    """The call fails after `text` was streamed."""

    fault: ModelFault = ModelFault.UNREACHABLE
    text: str = ""


@dataclass(frozen=True, slots=True)
class Raises:
    """The call breaks its contract with some other exception."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Hangs:
    """Nothing more comes after `text`, ever."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class StopsShort:
    """The stream ends without a reply."""

    text: str = ""


Line = Says | Fails | Raises | Hangs | StopsShort
Script = Line | Callable[[ModelRequest], Line]


def says(text: str) -> Says:
    """A plain answer."""
    return Says(text)


def calls(tool: str, **arguments: Any) -> Says:
    """An answer that only calls one tool."""
    return Says(calls=((tool, arguments),))


@dataclass(slots=True)
class ScriptedModel:
    """Each request gets the next line of the script, or what a function makes of it; `requests` keeps them.

    Behind the last line the model says "done", so that a test scripts only what it is about.
    """

    script: list[Script] = field(default_factory=list)
    name: str = "scripted:model"
    context_tokens: int = 100_000
    requests: list[ModelRequest] = field(default_factory=list)
    running: int = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        number = len(self.requests)
        self.requests.append(request)
        scripted = self.script[number] if number < len(self.script) else Says("done")
        line = scripted if isinstance(scripted, Says | Fails | Raises | Hangs | StopsShort) else scripted(request)
        self.running += 1
        try:
            async for part in self._spoken(line, number):
                yield part
        finally:
            self.running -= 1

    async def _spoken(self, line: Line, number: int) -> AsyncIterator[TextDelta | ModelReply]:
        match line:
            case Says():
                for start in range(0, len(line.text), line.piece):
                    await asyncio.sleep(0)
                    yield TextDelta(line.text[start : start + line.piece])
                yield ModelReply(_message(line, number), line.input_tokens, line.output_tokens)
            case Fails(fault=fault, text=text):
                if text:
                    yield TextDelta(text)
                raise ModelFailed(fault, self.name, "as scripted")
            case Raises(error=error):
                raise error
            case Hangs(text=text):
                if text:
                    yield TextDelta(text)
                await asyncio.Event().wait()
            case StopsShort(text=text):
                yield TextDelta(text)
            case _:
                assert_never(line)


def _message(line: Says, number: int) -> Message:
    blocks: list[Block] = [TextBlock(line.text)] if line.text else []
    for index, (tool, arguments) in enumerate(line.calls):
        blocks.append(ToolCallBlock(f"call-{number}-{index}", tool, arguments))
    return Message(Role.ASSISTANT, tuple(blocks), Millis(0))
