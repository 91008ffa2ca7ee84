"""What the tools here have in common: their schemas, and answers in words where something is not possible."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from oharness.harness.tools import Arguments, PreviewTool, RunTool, ToolContext, ToolResult
from oharness.plugins.file_tools.places import NotPossible

PATH: dict[str, Any] = {"type": "string", "description": "Relative to the project's root."}


def schema_of(required: tuple[str, ...], **properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def answering(step: Callable[[Arguments, ToolContext], Awaitable[ToolResult]]) -> RunTool:
    """The same step; what is not possible becomes a result that tells the model so."""

    async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
        try:
            return await step(arguments, context)
        except NotPossible as why:
            return ToolResult(why.text, is_error=True)

    return run


def showing(step: Callable[[Arguments, Path], str]) -> PreviewTool:
    """A preview by a blocking function of arguments and project root: what would change, or why nothing would."""

    async def preview(arguments: Arguments, context: ToolContext) -> str:
        try:
            return await asyncio.to_thread(step, arguments, context.project_root)
        except NotPossible as why:
            return why.text

    return preview
