"""One streamed call through pydantic-ai; imports the library, so only a model call may import this.

Nothing is retried behind the caller's back, nothing is measured or reported to anybody, and the HTTP client
lives as long as the call, so that no connection outlives it.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace

from pydantic_ai import messages as theirs
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.models import Model as TheirModel
from pydantic_ai.models import ModelRequestParameters, StreamedResponse, infer_model
from pydantic_ai.settings import ModelSettings

from oharness.core.clock import Clock
from oharness.core.jsontext import one_line_json
from oharness.harness.messages import Role
from oharness.harness.model import ModelFailed, ModelFault, ModelReply, ModelRequest, TextDelta
from oharness.plugins.chat_model.connection import Connection, is_server_address
from oharness.plugins.chat_model.conversion import (
    our_message,
    their_history,
    their_parameters,
    their_parameters_with_schema,
)
from oharness.plugins.chat_model.faults import model_failed
from oharness.plugins.chat_model.provider_names import OPENAI_COMPATIBLE
from oharness.plugins.chat_model.redaction import shown_detail

_ANSWER_LIMIT_CHARS = 4_000_000
"""A server that never stops is given up here; no model's longest answer comes near."""

_SETTINGS = ModelSettings(max_retries=0)


async def call_model(
    name: str, connection: Connection, request: ModelRequest, clock: Clock
) -> AsyncGenerator[TextDelta | ModelReply, None]:
    """Deltas and then the reply, as `Model.stream` promises.

    Raises: ModelFailed.
    """
    model = _model_named(name, connection)
    if request.output_schema is not None and model.profile.get("supports_json_schema_output"):
        begun = False
        parameters = their_parameters_with_schema(request)
        try:
            async with aclosing(_stream(model, name, connection, request, parameters, clock)) as events:
                async for event in events:
                    begun = True
                    yield event
            return
        except ModelFailed as error:
            # the library takes every server that speaks chat completions for one that knows schemas; some do not
            if begun or error.fault is not ModelFault.REFUSED:
                raise
    asked = request if request.output_schema is None else _with_schema_in_words(request)
    async with aclosing(_stream(model, name, connection, asked, their_parameters(asked), clock)) as events:
        async for event in events:
            yield event


def _with_schema_in_words(request: ModelRequest) -> ModelRequest:
    schema = one_line_json(dict(request.output_schema or {}))
    words = f"Answer with one JSON value and nothing around it. It must follow this JSON schema:\n{schema}"
    return replace(request, system=f"{request.system}\n\n{words}".strip(), output_schema=None)


def _model_named(name: str, connection: Connection) -> TheirModel:
    provider, _, rest = name.partition(":")
    try:
        return _compatible_model(name, rest, connection) if provider == OPENAI_COMPATIBLE else infer_model(name)
    except Exception as error:  # noqa: BLE001 - each provider's constructor fails in its own way
        raise _as_ours(error, name, connection.api_key) from None


def _compatible_model(name: str, rest: str, connection: Connection) -> TheirModel:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if not connection.base_url:
        raise ModelFailed(ModelFault.NO_ADDRESS, name)
    if not is_server_address(connection.base_url):
        raise ModelFailed(ModelFault.BAD_ADDRESS, name, shown_detail(connection.base_url))
    provider = OpenAICompatibleProvider(
        OPENAI_COMPATIBLE, base_url=connection.base_url, api_key=connection.api_key or None
    )
    return OpenAIChatModel(rest, provider=provider)


def _as_ours(error: Exception, name: str, *keys: object) -> ModelFailed:
    if isinstance(error, ModelFailed):
        return error
    return model_failed(error, name, tuple(key for key in keys if isinstance(key, str)))


async def _stream(
    model: TheirModel,
    name: str,
    connection: Connection,
    request: ModelRequest,
    parameters: ModelRequestParameters,
    clock: Clock,
) -> AsyncGenerator[TextDelta | ModelReply, None]:
    client_key = getattr(getattr(model, "client", None), "api_key", None)
    try:
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(connection.idle_seconds):
                await stack.enter_async_context(model)
                stream = await stack.enter_async_context(
                    model_request_stream(
                        model,
                        their_history(request, name),
                        model_settings=_SETTINGS,
                        model_request_parameters=parameters,
                        instrument=False,
                    )
                )
            async with aclosing(_texts(stream, connection.idle_seconds)) as texts:
                async for text in texts:
                    yield TextDelta(text)
            reply = _reply(stream.get(), request, name, clock)
    except Exception as error:  # noqa: BLE001 - whatever a provider's package raises becomes one of our faults
        # without its cause: a provider may repeat the request's headers, and tracebacks end up in logs
        raise _as_ours(error, name, connection.api_key, client_key) from None
    yield reply


async def _texts(stream: StreamedResponse, idle_seconds: float) -> AsyncGenerator[str, None]:
    events = aiter(stream)
    received = 0
    while True:
        try:
            async with asyncio.timeout(idle_seconds):
                event = await anext(events)
        except StopAsyncIteration:
            return
        text = _text_of(event)
        received += len(text)
        if received > _ANSWER_LIMIT_CHARS:
            raise UnexpectedModelBehavior("the answer does not end")
        yield text if _is_said(event) else ""


def _text_of(event: object) -> str:
    match event:
        case theirs.PartStartEvent(part=theirs.TextPart(content=text) | theirs.ThinkingPart(content=text)):
            return text
        case theirs.PartDeltaEvent(delta=theirs.TextPartDelta(content_delta=text)):
            return text
        case theirs.PartDeltaEvent(delta=theirs.ThinkingPartDelta(content_delta=text)):
            return text or ""
        case theirs.PartDeltaEvent(delta=theirs.ToolCallPartDelta(args_delta=str(text))):
            return text
        case _:
            return ""


def _is_said(event: object) -> bool:
    """Whether the event's text is part of the answer; thoughts and arguments of tools are only signs of life."""
    match event:
        case theirs.PartStartEvent(part=theirs.TextPart()) | theirs.PartDeltaEvent(delta=theirs.TextPartDelta()):
            return True
        case _:
            return False


def _reply(response: theirs.ModelResponse, request: ModelRequest, name: str, clock: Clock) -> ModelReply:
    if response.finish_reason == "content_filter":
        raise ModelFailed(ModelFault.REFUSED, name)
    message = our_message(response, name, clock.now_ms())
    # after a tool's result, a model that ends its turn without a word has answered properly
    if not message.blocks and request.messages[-1].role is not Role.TOOL:
        raise UnexpectedModelBehavior(f"an empty answer ({response.finish_reason})")
    return ModelReply(message, response.usage.input_tokens, response.usage.output_tokens)
