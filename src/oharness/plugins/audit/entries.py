"""A finished tool call as a line of the audit log: what was done and who allowed it, not what was written. Pure.

Of arguments only their names and sizes are kept, apart from a few that say what was touched (a path, an id, a
command); those are shortened, and what looks like a credential in them is blacked out.
"""

from collections.abc import Mapping
from typing import Any

from oharness.harness.descriptors import RunContext, ToolRecord
from oharness.notes.credentials import redact

VERSION = 1
_TELLING = ("path", "files", "id", "scope", "type", "query", "pattern", "command", "offset", "limit", "seconds")
_TELLING_CHARS = 300
_LONGEST_CHECKED = 10_000


def entry_of(record: ToolRecord, run: RunContext) -> dict[str, Any]:
    """The line's object: keys in camelCase, times in milliseconds."""
    result = record.result
    return {
        "version": VERSION,
        "at": record.started_at,
        "session": run.session_id,
        "project": str(run.project_root),
        "subagent": run.is_subagent,
        "plugin": record.plugin,
        "tool": record.tool,
        "call": record.call_id,
        "allowed": record.allowed,
        "asked": record.asked,
        "decidedBy": record.decided_by,
        "arguments": {name: _argument(name, value) for name, value in record.arguments.items()},
        "durationMs": record.duration_ms,
        "outcome": "not-run" if result is None else "error" if result.is_error else "done",
        "resultChars": 0 if result is None else len(result.text),
    }


def _argument(name: str, value: Any) -> Mapping[str, Any]:
    telling = name in _TELLING
    match value:
        case str():
            return {"type": "string", "chars": len(value)} | ({"value": _shown(value)} if telling else {})
        case bool() | int() | float() | None:
            return {"type": type(value).__name__} | ({"value": value} if telling else {})
        case Mapping():
            return {"type": "object", "keys": len(value)}
        case list() | tuple():
            return {"type": "array", "items": len(value)}
        case _:
            return {"type": type(value).__name__}


def _shown(text: str) -> str:
    """A credential is looked for in the whole text before it is shortened, so that half of one is not kept."""
    if len(text) > _LONGEST_CHECKED:
        return f"[{len(text)} characters]"
    redacted = redact(text)
    return redacted if len(redacted) <= _TELLING_CHARS else redacted[: _TELLING_CHARS - 1] + "…"
