"""What a conversation shows, one item after the other, as plain values; from a transcript or as it happens. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from oharness.harness.events import PermissionRequest
from oharness.harness.messages import Message, Role, ToolCallBlock, ToolResultBlock, own_text
from oharness.harness.previews import line_kinds
from oharness.harness.transcript_json import Entry, Shortened

RECALLED = "recalled"
"""Metadata key and notice of what a plugin attached to a message; its notes are linked to."""

SHOWN_AT_FIRST = 80
"""A long conversation is drawn from its end; what was before is one click away."""

_ARGUMENT_CHARS = 4000
_RESULT_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in the list; `kind` is how it is drawn, `fields` what is drawn."""

    id: str
    kind: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def with_fields(self, **changed: Any) -> "Item":
        """The same with other values in some fields."""
        return replace(self, fields={**self.fields, **changed})


def items_of(entries: Iterable[Entry]) -> list[Item]:
    """A whole transcript, what compaction dropped included."""
    known = list(entries)
    found: list[Item] = []
    for place, entry in enumerate(known):
        found += _items_of_one(f"t{place}", entry, _results_after(known, place))
    return found


def _results_after(entries: Sequence[Entry], place: int) -> list[ToolResultBlock]:
    """What came of the calls of one answer. Ids are no names beyond it: some models use the same in every answer."""
    tools = takewhile(lambda one: isinstance(one, Message) and one.role is Role.TOOL, entries[place + 1 :])
    blocks = (block for one in tools if isinstance(one, Message) for block in one.blocks)
    return [block for block in blocks if isinstance(block, ToolResultBlock)]


def latest(items: list[Item], *, whole: bool) -> list[Item]:
    """The end of a long conversation, unless all of it is wanted."""
    return items if whole else items[-SHOWN_AT_FIRST:]


def _items_of_one(item_id: str, entry: Entry, results: list[ToolResultBlock]) -> list[Item]:
    if isinstance(entry, Shortened):
        return [Item(item_id, "compacted", {"dropped": entry.dropped, "summarised": True})]
    if entry.role is Role.USER:
        return [user_item(item_id, entry), *recalled_items(f"{item_id}r", entry)]
    if entry.role is Role.TOOL:
        return []
    found = [answer_item(item_id, entry)] if own_text(entry) else []
    for place, block in enumerate(block for block in entry.blocks if isinstance(block, ToolCallBlock)):
        result = next((one for one in results if one.call_id == block.call_id), None)
        if result is not None:
            results.remove(result)
        found.append(_stored_call(f"{item_id}c{place}", block, result))
    return found


def user_item(item_id: str, message: Message) -> Item:
    """The person's own words."""
    return Item(item_id, "user", {"text": own_text(message), "at": message.at, "state": "sent"})


def recalled_items(item_id: str, message: Message) -> list[Item]:
    """What was recalled for a message, as its metadata keeps it."""
    notes = message.metadata.get(RECALLED)
    if not isinstance(notes, Sequence) or not notes:
        return []
    told = [
        {"id": str(one.get("id", "")), "scope": str(one.get("scope", "")), "summary": ""}
        for one in notes
        if isinstance(one, Mapping)
    ]
    return [Item(item_id, "notice", {"key": RECALLED, "fields": {"count": len(told), "notes": told}})]


def answer_item(item_id: str, message: Message) -> Item:
    """An answer that is complete, or was broken off."""
    broken_off = bool(message.metadata.get("interrupted"))
    return Item(
        item_id, "answer", {"text": own_text(message), "at": message.at, "broken_off": broken_off, "live": False}
    )


def call_item(item_id: str, tool: str, plugin: str, arguments: Mapping[str, Any], inner: bool) -> Item:
    """A tool that runs."""
    fields = {
        "tool": tool,
        "plugin": plugin,
        "arguments": told_arguments(arguments),
        "state": "running",
        "result": "",
        "inner": inner,
    }
    return Item(item_id, "call", fields)


def _stored_call(item_id: str, call: ToolCallBlock, result: ToolResultBlock | None) -> Item:
    item = call_item(item_id, call.tool, "", call.arguments, inner=False)
    if result is None:
        return item.with_fields(state="unknown")
    was_refused = "decidedBy" in result.data
    return finished_call(item, result.text, allowed=not was_refused, is_error=result.is_error)


def finished_call(item: Item, text: str, *, allowed: bool, is_error: bool) -> Item:
    """The same call with what came of it."""
    state = "refused" if not allowed else "failed" if is_error else "done"
    return item.with_fields(state=state, result=text[:_RESULT_CHARS])


def told_arguments(arguments: Mapping[str, Any]) -> list[dict[str, str]]:
    """Names and values to read."""
    return [
        {"name": name, "value": (value if isinstance(value, str) else repr(value))[:_ARGUMENT_CHARS]}
        for name, value in arguments.items()
    ]


def approval_item(item_id: str, request: PermissionRequest) -> Item:
    """A question to the person."""
    fields = {
        "call": request.call_id,
        "tool": request.tool,
        "plugin": request.plugin,
        "arguments": told_arguments(request.arguments),
        "preview": preview_lines(request.preview),
        "rule": request.rule,
        "inner": request.is_subagent,
        "answer": "",
    }
    return Item(item_id, "approval", fields)


def preview_lines(preview: str) -> list[dict[str, str]]:
    """Each line with what it does, if this is a diff: `added`, `removed`, `hunk`, `file`, or nothing."""
    lines = preview.rstrip("\n").split("\n") if preview.strip() else []
    return [{"text": line, "does": str(kind)} for line, kind in zip(lines, line_kinds(lines), strict=True)]
