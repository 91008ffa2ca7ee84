"""Messages as records of a transcript file, and back. Pure.

A record's kind is the message's role, or `compaction` (see `Shortened`). Kinds and blocks that a later version
may add are passed over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from oharness.core.clock import Millis
from oharness.harness.messages import (
    AttachedBlock,
    Block,
    Message,
    Role,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from oharness.harness.pairing import paired
from oharness.harness.plain_data import plain_object

COMPACTION = "compaction"


@dataclass(frozen=True, slots=True)
class Shortened:
    """From here on the model is sent `summary` instead of the oldest `dropped` messages it was sent before."""

    summary: Message
    dropped: int


Entry = Message | Shortened


def record_of(entry: Entry) -> dict[str, Any]:
    """The JSON object of one entry.

    Raises: TypeError for arguments, data or metadata that JSON cannot hold.
    """
    match entry:
        case Message():
            record: dict[str, Any] = {"kind": str(entry.role), **_content(entry)}
        case Shortened():
            record = {"kind": COMPACTION, "dropped": entry.dropped, **_content(entry.summary)}
        case _:
            assert_never(entry)
    return record


def entry_of(record: Mapping[str, Any]) -> Entry | None:
    """The entry of a record; None for a kind that this version does not know.

    Raises: ValueError for a record of a known kind that is not as it should be.
    """
    kind = record.get("kind")
    if kind == COMPACTION:
        dropped = record.get("dropped")
        if not isinstance(dropped, int) or dropped < 0:
            raise ValueError("dropped is no count")
        return Shortened(_message(Role.USER, record), dropped)
    if kind in tuple(Role):
        return _message(Role(kind), record)
    return None


def live_messages(entries: Iterable[Entry]) -> tuple[Message, ...]:
    """What the model would be sent after all entries; every call in it has its result."""
    live: list[Message] = []
    for entry in entries:
        match entry:
            case Message():
                live.append(entry)
            case Shortened():
                live = list(after_shortening(live, entry))
            case _:
                assert_never(entry)
    return paired(live)


def after_shortening(live: Sequence[Message], entry: Shortened) -> tuple[Message, ...]:
    """The messages with their oldest replaced; `dropped` counts them as `paired` leaves them."""
    return (entry.summary, *paired(live)[entry.dropped :])


def _content(message: Message) -> dict[str, Any]:
    content: dict[str, Any] = {"at": message.at, "blocks": [_block_record(block) for block in message.blocks]}
    if message.metadata:
        content["metadata"] = plain_object(message.metadata)
    return content


def _block_record(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text}
        case AttachedBlock():
            return {"type": "attached", "source": block.source, "text": block.text}
        case ToolCallBlock():
            arguments = plain_object(block.arguments)
            return {"type": "call", "callId": block.call_id, "tool": block.tool, "arguments": arguments}
        case ToolResultBlock():
            result = {"type": "result", "callId": block.call_id, "tool": block.tool, "text": block.text}
            return {**result, "isError": block.is_error, "data": plain_object(block.data)}
        case _:
            assert_never(block)


def _message(role: Role, record: Mapping[str, Any]) -> Message:
    at, blocks, metadata = record.get("at"), record.get("blocks"), record.get("metadata", {})
    if not isinstance(at, int) or not isinstance(blocks, list) or not isinstance(metadata, dict):
        raise ValueError("no message")
    read = tuple(block for item in blocks if (block := _block(item)) is not None)
    return Message(role, read, Millis(at), metadata)


def _block(item: Any) -> Block | None:
    match item:
        case {"type": "text", "text": str(text)}:
            return TextBlock(text)
        case {"type": "attached", "source": str(source), "text": str(text)}:
            return AttachedBlock(source, text)
        case {"type": "call", "callId": str(call_id), "tool": str(tool), "arguments": dict(arguments)}:
            return ToolCallBlock(call_id, tool, arguments)
        case {"type": "result", "callId": str(call_id), "tool": str(tool), "text": str(text)}:
            data = item.get("data")
            data = data if isinstance(data, dict) else {}
            return ToolResultBlock(call_id, tool, text, item.get("isError") is True, data)
        case {"type": "text" | "attached" | "call" | "result"}:
            raise ValueError("no block")
        case _:
            return None
