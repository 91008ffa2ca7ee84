"""Every tool call has its result and every result its call: what providers demand of a conversation. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from oharness.harness.messages import Message, Role, ToolCallBlock, ToolResultBlock, tool_calls

INTERRUPTED = "Interrupted by the user before it was finished; it may have been carried out in part."
LOST = "No result was recorded, since the program ended too early; it may or may not have been carried out."


def interrupted_result(call: ToolCallBlock) -> ToolResultBlock:
    """The result of a call that the user stopped."""
    return ToolResultBlock(call.call_id, call.tool, INTERRUPTED, is_error=True)


def paired(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The same conversation with one tool message, complete and in order, right after each message with calls.

    A missing result is filled in as lost; a result that nobody asked for is left out.
    """
    whole: list[Message] = []
    for index, message in enumerate(messages):
        if message.role is Role.TOOL:
            continue
        whole.append(message)
        if calls := tool_calls(message):
            whole.append(_answers(calls, message, _tool_messages_after(messages, index)))
    return tuple(whole)


def cuts(messages: Sequence[Message]) -> tuple[int, ...]:
    """Where a paired conversation may be cut in two without parting a call from its result; never at its ends."""
    inner = range(1, len(messages))
    return tuple(index for index in inner if messages[index].role is not Role.TOOL)


def _tool_messages_after(messages: Sequence[Message], index: int) -> list[Message]:
    following = (messages[later] for later in range(index + 1, len(messages)))
    return list(takewhile(lambda message: message.role is Role.TOOL, following))


def _answers(calls: Sequence[ToolCallBlock], asked: Message, found: list[Message]) -> Message:
    results = [block for message in found for block in message.blocks if isinstance(block, ToolResultBlock)]
    blocks = tuple(_take_result(call, results) for call in calls)
    whole = found[0] if found else replace(asked, role=Role.TOOL, metadata={})
    return replace(whole, blocks=blocks)


def _take_result(call: ToolCallBlock, results: list[ToolResultBlock]) -> ToolResultBlock:
    """The first result of that call, taken out, since careless models use one id for several calls."""
    for index, result in enumerate(results):
        if result.call_id == call.call_id:
            return results.pop(index)
    return ToolResultBlock(call.call_id, call.tool, LOST, is_error=True)
