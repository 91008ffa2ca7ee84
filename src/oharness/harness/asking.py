"""One call of a model, with a limit on silence: a server that hangs becomes an error that says so."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from oharness.harness.model import Model, ModelFailed, ModelFault, ModelReply, ModelRequest, TextDelta
from oharness.harness.transcript_json import record_of

IDLE_SECONDS = 120.0
"""How long a model may be silent before, or within, an answer."""


async def stream_reply(
    model: Model, request: ModelRequest, idle_seconds: float = IDLE_SECONDS
) -> AsyncGenerator[TextDelta | ModelReply, None]:
    """The pieces of an answer as they come, then the whole of it, always last.

    Raises: ModelFailed, also for a model that breaks its contract.
    """
    parts = model.stream(request)
    try:
        while True:
            part = await _next(model, parts, idle_seconds)
            yield part
            if isinstance(part, ModelReply):
                return
    finally:
        close = getattr(parts, "aclose", None)
        if close is not None:
            await close()


async def whole_reply(model: Model, request: ModelRequest, idle_seconds: float = IDLE_SECONDS) -> ModelReply:
    """The answer alone, for side jobs that show nothing while it is written.

    Raises: ModelFailed.
    """
    async with aclosing(stream_reply(model, request, idle_seconds)) as parts:
        async for part in parts:
            if isinstance(part, ModelReply):
                return part
    raise ModelFailed(ModelFault.NONSENSE, model.name, "the answer has no end")


async def _next(
    model: Model, parts: AsyncIterator[TextDelta | ModelReply], idle_seconds: float
) -> TextDelta | ModelReply:
    try:
        async with asyncio.timeout(idle_seconds):
            part = await anext(parts)
        if isinstance(part, ModelReply):
            record_of(part.message)
        return part
    except TimeoutError as error:
        raise ModelFailed(ModelFault.TIMED_OUT, model.name, f"silent for {idle_seconds:g} s") from error
    except StopAsyncIteration:
        raise ModelFailed(ModelFault.NONSENSE, model.name, "the answer has no end") from None
    except ModelFailed:
        raise
    except Exception as error:  # a provider's own code fails in plain words, also with data no transcript can hold
        raise ModelFailed(ModelFault.BROKEN, model.name, type(error).__name__) from error
