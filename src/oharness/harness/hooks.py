"""Asking the hooks of plugins, each of which may fail alone.

The specification says "Recall failing never stops a message from being sent"; here that holds for every hook of every
plugin: one that raises or takes too long is logged, shown as a notice, and otherwise passed over.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from oharness.harness.descriptors import MessageAddition, MessageHook, Notice, RunContext
from oharness.harness.messages import AttachedBlock
from oharness.harness.plain_data import plain_object
from oharness.harness.to_the_end import was_cancelled

HOOK_SECONDS = 10.0
"""How long a message may wait for one hook or section of a plugin."""
COMPACTION_HOOK_SECONDS = 60.0
"""How long compaction waits for a hook that reads what is about to be dropped; such a hook may ask a model."""

_log = logging.getLogger(__name__)
_Value = TypeVar("_Value", covariant=True)
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Owned(Generic[_Value]):
    """Something registered, and the plugin it came from."""

    plugin: str
    value: _Value


async def asked(
    plugin: str,
    hook: str,
    question: Callable[[], Awaitable[_Answer]],
    notices: list[Notice],
    seconds: float | None = HOOK_SECONDS,
) -> _Answer | None:
    """A hook's answer, or None and one more notice."""
    try:
        async with asyncio.timeout(seconds):
            return await question()
    except Exception as error:
        if was_cancelled():
            raise asyncio.CancelledError from error
        _log.warning("%s of plugin %s failed", hook, plugin, exc_info=True)
        fields = {"plugin": plugin, "hook": hook, "error": type(error).__name__}
        notices.append(Notice("hook-failed", fields))
        return None


async def additions(hooks: Iterable[Owned[MessageHook]], text: str, run: RunContext) -> MessageAddition:
    """What all message hooks together add to a user message; the first to write a metadata key keeps it."""
    blocks: list[AttachedBlock] = []
    metadata: dict[str, Any] = {}
    notices: list[Notice] = []
    for owned in hooks:
        addition = await asked(owned.plugin, owned.value.name, _question(owned.value, text, run), notices)
        if addition is not None:
            blocks.extend(addition.blocks)
            metadata = {**addition.metadata, **metadata}
            notices.extend(addition.notices)
    return MessageAddition(tuple(blocks), MappingProxyType(metadata), tuple(notices))


def _question(hook: MessageHook, text: str, run: RunContext) -> Callable[[], Awaitable[MessageAddition]]:
    async def plain_addition() -> MessageAddition:
        addition = await hook.on_message(text, run)
        # The transcript keeps JSON; metadata that is none is the hook's fault and found here, not when it is stored.
        return MessageAddition(addition.blocks, plain_object(addition.metadata), addition.notices)

    return plain_addition
