"""Our messages as the library's and back; imports the library, so only a model call may import this."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_ai import messages as theirs
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

from oharness.core.clock import Millis
from oharness.core.jsontext import one_line_json, parse_json
from oharness.harness.messages import (
    AttachedBlock,
    Block,
    Message,
    Role,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from oharness.harness.model import ModelRequest

METADATA_KEY = "model"
"""Where an assistant message keeps parts that only its own provider understands (signed reasoning)."""

_RESPONSE_PARTS: TypeAdapter[list[theirs.ModelResponsePart]] = TypeAdapter(list[theirs.ModelResponsePart])


@dataclass(eq=False)
class BrokenArguments(Exception):
    """A tool call whose arguments are no JSON object."""

    tool: str
    arguments: str


def their_history(request: ModelRequest, model: str) -> list[theirs.ModelMessage]:
    """The whole conversation; adjoining user and tool messages become one request, as providers want it."""
    history: list[theirs.ModelMessage] = []
    parts: list[theirs.ModelRequestPart] = []
    for message in request.messages:
        if message.role is not Role.ASSISTANT:
            parts.extend(_request_parts(message))
            continue
        response = _their_response(message, model)
        if response is None:
            continue
        if parts:
            history.append(_their_request(request, parts))
            parts = []
        history.append(response)
    history.append(_their_request(request, parts))
    return history


def _their_request(request: ModelRequest, parts: list[theirs.ModelRequestPart]) -> theirs.ModelRequest:
    return theirs.ModelRequest(parts=list(parts), instructions=request.system or None)


def _request_parts(message: Message) -> Iterator[theirs.ModelRequestPart]:
    at = datetime.fromtimestamp(message.at / 1000, UTC)
    texts = [block.text for block in message.blocks if isinstance(block, TextBlock | AttachedBlock)]
    for block in message.blocks:
        if isinstance(block, ToolResultBlock):
            yield theirs.ToolReturnPart(
                tool_name=block.tool,
                content=block.text,
                tool_call_id=block.call_id,
                timestamp=at,
                outcome="failed" if block.is_error else "success",
            )
    texts = [text for text in texts if text.strip()]
    if texts:
        yield theirs.UserPromptPart(content=texts[0] if len(texts) == 1 else texts, timestamp=at)


def _their_response(message: Message, model: str) -> theirs.ModelResponse | None:
    kept = message.metadata.get(METADATA_KEY)
    parts = _kept_parts(kept, model) or list(_response_parts(message.blocks))
    if not parts:
        return None
    timestamp = datetime.fromtimestamp(message.at / 1000, UTC)
    if isinstance(kept, dict) and kept.get("name") == model:
        return theirs.ModelResponse(parts=parts, timestamp=timestamp, provider_name=kept.get("provider"))
    return theirs.ModelResponse(parts=parts, timestamp=timestamp)


def _kept_parts(kept: Any, model: str) -> list[theirs.ModelResponsePart]:
    """The parts as the provider sent them, where the same model is asked again and they are still readable."""
    if not isinstance(kept, dict) or kept.get("name") != model:
        return []
    try:
        return _RESPONSE_PARTS.validate_python(kept.get("parts"))
    except ValidationError:
        return []


def _response_parts(blocks: Iterable[Block]) -> Iterator[theirs.ModelResponsePart]:
    for block in blocks:
        if isinstance(block, TextBlock) and block.text.strip():
            yield theirs.TextPart(content=block.text)
        elif isinstance(block, ToolCallBlock):
            yield theirs.ToolCallPart(
                tool_name=block.tool, args=one_line_json(dict(block.arguments)), tool_call_id=block.call_id
            )


def our_message(response: theirs.ModelResponse, model: str, at: Millis) -> Message:
    """What the model said, as a message of the assistant.

    Raises: BrokenArguments.
    """
    blocks: list[Block] = []
    parts = _with_calls_of_their_own(response.parts)
    for part in parts:
        if isinstance(part, theirs.TextPart) and part.content:
            blocks.append(TextBlock(part.content))
        elif isinstance(part, theirs.ToolCallPart):
            blocks.append(ToolCallBlock(part.tool_call_id, part.tool_name, _arguments(part)))
    if all(isinstance(part, theirs.TextPart | theirs.ToolCallPart) for part in parts):
        return Message(Role.ASSISTANT, tuple(blocks), at)
    kept = {
        "name": model,
        "provider": response.provider_name,
        "parts": _RESPONSE_PARTS.dump_python(parts, mode="json"),
    }
    return Message(Role.ASSISTANT, tuple(blocks), at, {METADATA_KEY: kept})


def _with_calls_of_their_own(parts: Iterable[theirs.ModelResponsePart]) -> list[theirs.ModelResponsePart]:
    """The parts, each call with an id that no other has: some local servers give all of an answer the same or none."""
    taken: set[str] = set()
    result: list[theirs.ModelResponsePart] = []
    for place, part in enumerate(parts):
        if isinstance(part, theirs.ToolCallPart):
            if not part.tool_call_id or part.tool_call_id in taken:
                part = replace(part, tool_call_id=f"{part.tool_call_id or 'call'}-{place}")
            taken.add(part.tool_call_id)
        result.append(part)
    return result


def _arguments(part: theirs.ToolCallPart) -> dict[str, Any]:
    if isinstance(part.args, dict):
        return dict(part.args)
    if not part.args:
        return {}
    try:
        value = parse_json(part.args)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise BrokenArguments(part.tool_name, part.args)
    return value


def their_parameters(request: ModelRequest) -> ModelRequestParameters:
    """The tools that the model may call; its answer is free text."""
    return ModelRequestParameters(function_tools=_their_tools(request))


def their_parameters_with_schema(request: ModelRequest) -> ModelRequestParameters:
    """Tools, and an answer that the provider itself holds to `output_schema`."""
    shape = OutputObjectDefinition(json_schema=dict(request.output_schema or {}), name="answer")
    return ModelRequestParameters(function_tools=_their_tools(request), output_mode="native", output_object=shape)


def _their_tools(request: ModelRequest) -> list[ToolDefinition]:
    return [
        ToolDefinition(
            name=tool.name, description=tool.description, parameters_json_schema=dict(tool.schema), strict=False
        )
        for tool in request.tools
    ]
