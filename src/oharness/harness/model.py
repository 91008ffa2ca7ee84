"""What the agent loop asks of a language model; the providers are in `plugins/chat_model`."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from oharness.core.errors import Failed
from oharness.harness.messages import Message

PRACTICE_ASSISTANT = "offline"
"""The name of the built-in model that is no language model: it keeps notes, deletes them and quotes them."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it; `schema` is a JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call: everything the model may know. `output_schema` asks for a JSON answer of that shape."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    output_schema: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer while it is being written; an empty one says that the model is still at work."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The whole answer: an assistant message with text and tool calls. Token counts are 0 when not told."""

    message: Message
    input_tokens: int = 0
    output_tokens: int = 0


class ModelFault(StrEnum):
    """Why a model call failed; each has a sentence of its own in the catalogue."""

    UNREACHABLE = "unreachable"
    TIMED_OUT = "timed-out"
    UNAUTHORIZED = "unauthorized"
    RATE_LIMITED = "rate-limited"
    OUT_OF_CREDIT = "out-of-credit"
    CONTEXT_TOO_LONG = "context-too-long"
    UNKNOWN_MODEL = "unknown-model"
    NONSENSE = "nonsense"
    REFUSED = "refused"
    BROKEN = "broken"
    PACKAGE_MISSING = "package-missing"
    NO_ADDRESS = "no-address"
    BAD_ADDRESS = "bad-address"
    NO_LANGUAGE_MODEL = "no-language-model"


@dataclass(eq=False)
class ModelFailed(Failed):
    """`model` did not answer; `detail` is the provider's own word, shortened and without keys.

    For PACKAGE_MISSING it is the package as pip is given it, for BAD_ADDRESS the address that is none.
    """

    fault: ModelFault
    model: str
    detail: str = ""


class Model(Protocol):
    """A language model, or something that stands in for one."""

    @property
    def name(self) -> str:
        """As in settings: `provider:name`, or `offline`."""
        ...

    @property
    def context_tokens(self) -> int:
        """How much fits; compaction starts well below it."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        """Any number of deltas, then exactly one reply.

        Raises: ModelFailed. Cancelling the consumer ends the call.
        """
        ...
