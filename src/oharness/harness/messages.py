"""Messages of a session: who said what, in which parts, with which metadata. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from oharness.core.clock import Millis

NO_DATA: Mapping[str, Any] = MappingProxyType({})


class Role(StrEnum):
    """Who a message comes from; tool results are messages of the role `tool`."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A person's or the model's own words."""

    text: str


@dataclass(frozen=True, slots=True)
class AttachedBlock:
    """Text that a plugin attached to a user message: the model sees it, titles and history do not."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallBlock:
    """The model asks for a tool."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class ToolResultBlock:
    """What a tool answered: `text` for the model, `data` for frontends."""

    call_id: str
    tool: str
    text: str
    is_error: bool = False
    data: Mapping[str, Any] = field(default_factory=lambda: NO_DATA, hash=False)


Block = TextBlock | AttachedBlock | ToolCallBlock | ToolResultBlock


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `metadata` belongs to plugins, one key each (`recalled`, …)."""

    role: Role
    blocks: tuple[Block, ...]
    at: Millis
    metadata: Mapping[str, Any] = field(default_factory=lambda: NO_DATA, hash=False)


def own_text(message: Message) -> str:
    """The words of the person or the model alone, without what plugins attached."""
    return "\n".join(block.text for block in message.blocks if isinstance(block, TextBlock))


def tool_calls(message: Message) -> tuple[ToolCallBlock, ...]:
    """The tools that the model asks for in this message."""
    return tuple(block for block in message.blocks if isinstance(block, ToolCallBlock))
