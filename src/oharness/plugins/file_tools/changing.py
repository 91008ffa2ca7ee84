"""The tools that change files: `write` and `edit`; a person is shown the difference first."""

import asyncio
from pathlib import Path

from oharness.harness.to_the_end import to_the_end
from oharness.harness.tools import Arguments, Effect, Tool, ToolContext, ToolResult
from oharness.plugins.file_tools.places import place_to_change
from oharness.plugins.file_tools.text_files import content_of, difference, edited, replace_file, text_in
from oharness.plugins.file_tools.tool_making import PATH, answering, schema_of, showing


async def _write(arguments: Arguments, context: ToolContext) -> ToolResult:
    def write() -> ToolResult:
        place = place_to_change(context.project_root, arguments["path"])
        content = content_of(place)
        replace_file(place, content, arguments["content"])
        created = content.data is None
        text = f"{'Created' if created else 'Replaced'} {place.name} ({_lines(arguments['content'])})."
        return ToolResult(text, {"path": place.name, "created": created})

    return await to_the_end(asyncio.to_thread(write))


def _preview_write(arguments: Arguments, root: Path) -> str:
    place = place_to_change(root, arguments["path"])
    content = content_of(place)
    if content.data is not None and content.text is None:
        return f"{place.name} is not text ({len(content.data)} bytes) and would be replaced by text."
    return difference(content.text or "", arguments["content"], place.name) or f"{place.name} would stay as it is."


def _lines(text: str) -> str:
    count = text.count("\n") + (not text.endswith("\n") and text != "")
    return "1 line" if count == 1 else f"{count} lines"


WRITE = Tool(
    name="write",
    description="Writes a whole text file of the project: a new one, or over an old one. For changes, use `edit`.",
    schema=schema_of(("path", "content"), path=PATH, content={"type": "string", "description": "All of the file."}),
    effect=Effect.EDIT,
    run=answering(_write),
    preview=showing(_preview_write),
)


async def _edit(arguments: Arguments, context: ToolContext) -> ToolResult:
    def edit() -> ToolResult:
        place = place_to_change(context.project_root, arguments["path"])
        content = content_of(place)
        before = text_in(place, content)
        after = edited(before, arguments["old"], arguments["new"], place.name)
        replace_file(place, content, after)
        return ToolResult(f"Edited {place.name}.\n{difference(before, after, place.name)}", {"path": place.name})

    return await to_the_end(asyncio.to_thread(edit))


def _preview_edit(arguments: Arguments, root: Path) -> str:
    place = place_to_change(root, arguments["path"])
    before = text_in(place, content_of(place))
    return difference(before, edited(before, arguments["old"], arguments["new"], place.name), place.name)


EDIT = Tool(
    name="edit",
    description="Replaces one piece of a text file of the project. `old` must occur exactly once in it, as it stands "
    "there with its white space; take lines around it along until it does.",
    schema=schema_of(("path", "old", "new"), path=PATH, old={"type": "string"}, new={"type": "string"}),
    effect=Effect.EDIT,
    run=answering(_edit),
    preview=showing(_preview_edit),
)
