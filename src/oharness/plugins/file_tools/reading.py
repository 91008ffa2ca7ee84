"""The tools that only look: `read`, `list` and `search`."""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

from oharness.harness.tools import Arguments, Effect, Tool, ToolContext, ToolResult
from oharness.plugins.file_tools import tree_search
from oharness.plugins.file_tools.places import NotPossible, Place, place_in
from oharness.plugins.file_tools.processes import Finished, run_program
from oharness.plugins.file_tools.text_files import DEFAULT_LINES, content_of, folder_listing, numbered, text_in
from oharness.plugins.file_tools.tool_making import PATH, answering, schema_of

_LISTED = 500
_HITS = 200
_SEARCH_SECONDS = 20.0
_SEARCH_BYTES = 2_000_000


async def _read(arguments: Arguments, context: ToolContext) -> ToolResult:
    def read() -> str:
        place = place_in(context.project_root, arguments["path"])
        first = max(1, arguments.get("offset", 1))
        return numbered(text_in(place, content_of(place)), first, max(1, arguments.get("limit", DEFAULT_LINES)))

    return ToolResult(await asyncio.to_thread(read))


READ = Tool(
    name="read",
    description="Reads a text file of the project, each line after its number and a tab (not part of the file).",
    schema=schema_of(
        ("path",),
        path=PATH,
        offset={"type": "integer", "minimum": 1, "description": "The first line to show; 1 when left out."},
        limit={"type": "integer", "minimum": 1, "description": f"How many lines; {DEFAULT_LINES} when left out."},
    ),
    effect=Effect.READ,
    run=answering(_read),
)


async def _list(arguments: Arguments, context: ToolContext) -> ToolResult:
    def rows() -> list[str]:
        place = place_in(context.project_root, arguments.get("path", "."))
        pattern = arguments.get("files")
        return _found_files(context.project_root, place, pattern) if pattern else folder_listing(place)

    found = await asyncio.to_thread(rows)
    if not found:
        return ToolResult("Nothing found.")
    more = f"\n[{len(found) - _LISTED} more]" if len(found) > _LISTED else ""
    return ToolResult("\n".join(found[:_LISTED]) + more)


def _found_files(root: Path, place: Place, pattern: str) -> list[str]:
    if not place.path.is_dir():
        raise NotPossible(f"{place.name} is no folder.")
    fits = tree_search.glob_test(pattern)
    return [path for path in tree_search.walk(str(root.resolve()), str(place.path)) if fits(path)]


_FILES = {
    "type": "string",
    "description": "Only files like this: `*.py` anywhere below, `src/**/test_*.py` from the project's root.",
}
_SKIPPED = "Folders of version control, packages and caches are passed over."
LIST = Tool(
    name="list",
    description=f"Lists a folder of the project, or with `files` all files below it that fit. {_SKIPPED}",
    schema=schema_of((), path=PATH | {"description": "The folder; the project's root when left out."}, files=_FILES),
    effect=Effect.READ,
    run=answering(_list),
)


async def _search(arguments: Arguments, context: ToolContext) -> ToolResult:
    place = await asyncio.to_thread(place_in, context.project_root, arguments.get("path", "."))
    if not place.path.exists():
        raise NotPossible(f"There is no {place.name}.")
    order = {
        "root": str(context.project_root.resolve()),
        "start": str(place.path),
        "pattern": arguments["pattern"],
        "literal": arguments.get("literal", False),
        "ignoreCase": arguments.get("ignoreCase", False),
        "files": arguments.get("files"),
        "limit": _HITS,
    }
    if not order["literal"]:
        _check_expression(arguments["pattern"])
    program = (sys.executable, "-I", "-S", tree_search.__file__)
    try:
        finished = await run_program(program, json.dumps(order).encode(), _SEARCH_SECONDS, _SEARCH_BYTES)
    except OSError as error:
        raise NotPossible(f"The search could not be started: {error}.") from error
    return _search_result(finished)


def _check_expression(pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise NotPossible(f"That is no regular expression: {error}. With `literal` it is searched as it is.") from error


def _search_result(finished: Finished) -> ToolResult:
    told = [value for line in finished.output.split(b"\n") if (value := _told(line))]
    hits = [f"{one['path']}:{one['line']}: {one['text']}" for one in told if "path" in one]
    end = next((one for one in told if "more" in one), None)
    if end is None:
        why = f"after {_SEARCH_SECONDS:.0f} s" if finished.exit_code is None else "before its end"
        hits.append(f"[the search was stopped {why}; a simpler pattern or fewer files may help]")
        return ToolResult("\n".join(hits), is_error=len(hits) == 1)
    skipped = f", {end['skipped']} not text or too large" if end["skipped"] else ""
    if end["more"]:
        hits.append(f"[more than {_HITS} hits; search for something narrower]")
    if not hits:
        hits.append(f"Nothing found ({end['files']} files searched{skipped}).")
    return ToolResult("\n".join(hits), {"hits": sum("path" in one for one in told)})


def _told(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


SEARCH = Tool(
    name="search",
    description=f"Searches the lines of the project's text files for a regular expression. {_SKIPPED}",
    schema=schema_of(
        ("pattern",),
        pattern={"type": "string", "description": "A regular expression as Python knows them."},
        path=PATH | {"description": "A folder or file; the whole project when left out."},
        files=_FILES,
        literal={"type": "boolean", "description": "true: the pattern is plain text."},
        ignoreCase={"type": "boolean"},
    ),
    effect=Effect.READ,
    run=answering(_search),
)
