"""Recall on each user message: the notes that fit are attached in a block of their own, once each."""

import asyncio
from collections.abc import Iterable

from oharness.harness.descriptors import MessageAddition, MessageHook, Notice, RunContext
from oharness.harness.messages import AttachedBlock, Message, Role
from oharness.memory.notices import MemoryNotice
from oharness.memory.recall import MessageRecall, count_recalled, recall_for_message
from oharness.memory.scopes import Memory
from oharness.plugins.memory.looks import LooksOfRuns
from oharness.recall.attachment import from_metadata
from oharness.recall.choose import NoteKey

SOURCE = "memory"


class NoteRecall:
    """Recall as a message hook, and as `AgentOptions.memory` for agents without a plugin host."""

    def __init__(self, memory: Memory, looks: LooksOfRuns | None = None) -> None:
        self._memory = memory
        self._looks = looks or LooksOfRuns()

    async def recall(self, text: str, run: RunContext) -> MessageAddition:
        """What goes with a message; a note that the transcript still carries is not attached again."""
        if not self._memory.settings.recall.enabled or run.is_subagent:
            return MessageAddition()
        just_looked = self._looks.was_just_looked(run)
        recalled = await asyncio.to_thread(self._recalled, text, attached_already(run.transcript), just_looked)
        return addition_of(recalled)

    def _recalled(self, text: str, already: frozenset[NoteKey], just_looked: bool) -> MessageRecall:
        recalled = recall_for_message(self._memory, text, already, just_looked=just_looked)
        count_recalled(self._memory, recalled)
        return recalled


def recall_hook(memory: Memory, looks: LooksOfRuns) -> MessageHook:
    """Per-message recall for the plugin host."""
    return MessageHook("recall", NoteRecall(memory, looks).recall)


def attached_already(transcript: Iterable[Message]) -> frozenset[NoteKey]:
    """The notes that messages still in the transcript carry, read back from their metadata."""
    return frozenset(
        (one.scope, one.id)
        for message in transcript
        if message.role is Role.USER
        for one in from_metadata(message.metadata)
    )


def addition_of(recalled: MessageRecall) -> MessageAddition:
    """Block, metadata and notices of what was recalled; nothing at all when nothing fits."""
    notices = tuple(notice_of(one) for one in recalled.notices)
    if not recalled.attached:
        return MessageAddition(notices=notices)
    told = [{"scope": str(one.scope), "id": one.note.id, "summary": one.note.summary} for one in recalled.attached]
    shown = Notice("recalled", {"count": len(told), "notes": told})
    return MessageAddition((AttachedBlock(SOURCE, recalled.block),), recalled.metadata, (shown, *notices))


def notice_of(notice: MemoryNotice) -> Notice:
    """A notice of the memory as the harness shows them."""
    return Notice(notice.key, notice.fields)
