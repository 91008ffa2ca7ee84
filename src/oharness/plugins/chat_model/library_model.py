"""A model of some provider; the library behind it is imported when the model is first called."""

import asyncio
import importlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oharness.core.clock import Clock
from oharness.harness.model import ModelFailed, ModelFault, ModelReply, ModelRequest, TextDelta
from oharness.plugins.chat_model.connection import DEFAULT_CONTEXT_TOKENS, Connection
from oharness.plugins.chat_model.provider_names import OPENAI_COMPATIBLE

if TYPE_CHECKING:
    from types import ModuleType


@dataclass(frozen=True, slots=True)
class LibraryModel:
    """`provider:name` through pydantic-ai."""

    name: str
    connection: Connection
    clock: Clock

    @property
    def context_tokens(self) -> int:
        own = self.name.startswith(f"{OPENAI_COMPATIBLE}:")
        return self.connection.context_tokens if own else DEFAULT_CONTEXT_TOKENS

    async def stream(self, request: ModelRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        # seconds of work, which must not stop the clock of everybody else
        library_call = await asyncio.to_thread(_library_call, self.name)
        async with aclosing(library_call.call_model(self.name, self.connection, request, self.clock)) as events:
            async for event in events:
                yield event


def _library_call(model: str) -> "ModuleType":
    try:
        return importlib.import_module("oharness.plugins.chat_model.library_call")
    except ModuleNotFoundError as error:
        raise ModelFailed(ModelFault.PACKAGE_MISSING, model, "oharness[models]") from error
