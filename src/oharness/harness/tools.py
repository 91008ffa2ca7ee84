"""What a tool is and what it is given when it runs."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from oharness.harness.messages import NO_DATA


class Effect(StrEnum):
    """What a tool does to the world; the permission modes go by it."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a tool runs."""

    session_id: str
    project_root: Path
    is_subagent: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`text` goes to the model; `data` to frontends and the transcript."""

    text: str
    data: Mapping[str, Any] = field(default=NO_DATA, hash=False)
    is_error: bool = False


Arguments = Mapping[str, Any]
RunTool = Callable[[Arguments, ToolContext], Awaitable[ToolResult]]
PreviewTool = Callable[[Arguments, ToolContext], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a plugin. `preview` gives a person what would change (a unified diff or a sentence)."""

    name: str
    description: str
    schema: Mapping[str, Any] = field(hash=False)
    effect: Effect
    run: RunTool
    preview: PreviewTool | None = None


@dataclass(frozen=True, slots=True)
class RegisteredTool:
    """A tool and the plugin that registered it: permissions are keyed by both."""

    plugin: str
    tool: Tool
