"""The tool `run`: a command line, with a limit on its time and its output."""

import re

from oharness.harness.tools import Arguments, Effect, Tool, ToolContext, ToolResult
from oharness.plugins.file_tools.places import NotPossible
from oharness.plugins.file_tools.processes import run_shell
from oharness.plugins.file_tools.tool_making import answering, schema_of

_COMMAND_SECONDS = 120
_LONGEST_COMMAND_SECONDS = 600
_COMMAND_BYTES = 30_000
_TERMINAL_CODES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    seconds = min(max(1, arguments.get("seconds", _COMMAND_SECONDS)), _LONGEST_COMMAND_SECONDS)
    if "\0" in arguments["command"]:
        raise NotPossible("The command has a NUL character.")
    try:
        finished = await run_shell(arguments["command"], context.project_root, seconds, _COMMAND_BYTES)
    except OSError as error:
        raise NotPossible(f"The command could not be started: {error}.") from error
    output = _TERMINAL_CODES.sub("", finished.output.decode("utf-8", "replace")).strip("\n")
    if finished.exit_code is None:
        end = f"[stopped after {seconds} s]"
    else:
        end = f"[exit code {finished.exit_code}]" if finished.exit_code else ""
    text = "\n".join(part for part in (output, end) if part) or "(no output)"
    return ToolResult(text, {"exitCode": finished.exit_code}, is_error=finished.exit_code != 0)


async def _preview_run(arguments: Arguments, context: ToolContext) -> str:
    return str(arguments["command"])


RUN = Tool(
    name="run",
    description="Runs a command line in the system's shell, in the project's root, without input. Its output comes "
    "back when it ends; what it left running in the background is ended with it.",
    schema=schema_of(
        ("command",),
        command={"type": "string"},
        seconds={
            "type": "integer",
            "minimum": 1,
            "description": f"When to stop it; {_COMMAND_SECONDS} when left out, at most {_LONGEST_COMMAND_SECONDS}.",
        },
    ),
    effect=Effect.COMMAND,
    run=answering(_run),
    preview=_preview_run,
)
