"""What a tool is and what it is given when it runs."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from oharness.harness.messages import NO_DATA


class Effect(StrEnum):
    """What a tool does to the world; the permission modes go by it.

    `EDIT` changes files of the project, `COMMAND` starts programs, `WRITE` is every other change.
    """

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    COMMAND = "command"


RunSubagent = Callable[[str], Awaitable[str]]
"""Gives a task to a subagent and returns its last words."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a tool runs. `run_subagent` is None where no subagent may be started."""

    session_id: str
    project_root: Path
    is_subagent: bool = False
    run_subagent: RunSubagent | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`text` goes to the model; `data` to frontends and the transcript."""

    text: str
    data: Mapping[str, Any] = field(default_factory=lambda: NO_DATA, hash=False)
    is_error: bool = False


Arguments = Mapping[str, Any]
RunTool = Callable[[Arguments, ToolContext], Awaitable[ToolResult]]
PreviewTool = Callable[[Arguments, ToolContext], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a plugin. `preview` gives a person what would change (a unified diff or a sentence).

    A tool that `starts_subagents` is not offered to subagents themselves.
    """

    name: str
    description: str
    schema: Mapping[str, Any] = field(hash=False)
    effect: Effect
    run: RunTool
    preview: PreviewTool | None = None
    starts_subagents: bool = False


@dataclass(frozen=True, slots=True)
class RegisteredTool:
    """A tool and the plugin that registered it: permissions are keyed by both.

    `built_in` tells the shipped plugin `memory` from a foreign one of that name.
    """

    plugin: str
    tool: Tool
    built_in: bool = False
