"""Extraction as a run hook: kept for later while the conversation goes on, done when the person has the answer.

What a compaction is about to drop, and what has accumulated at the end of a run, is written to disk first and read by
the small model after the reply. Whatever the process does not get to, the next one does.
"""

import asyncio
from collections.abc import Iterable, Sequence

from oharness.config.schema import AutoExtractSettings
from oharness.extract.announce import SavedNote, announcement
from oharness.extract.conversation import Speaker, Turn, said
from oharness.extract.prompt import SYSTEM
from oharness.extract.reply import SCHEMA
from oharness.extract.trigger import ReadUpTo, Stretch, due_at_compaction, due_at_stop, read_all
from oharness.harness.asking import whole_reply
from oharness.harness.descriptors import Notice, RunContext, RunHook
from oharness.harness.messages import Message, Role, TextBlock, own_text
from oharness.harness.model import PRACTICE_ASSISTANT, Model, ModelFailed, ModelRequest
from oharness.harness.permissions import Mode
from oharness.harness.to_the_end import to_the_end
from oharness.memory.extraction import Claimed, Extraction
from oharness.memory.scopes import Memory

_SPEAKERS = {Role.USER: Speaker.USER, Role.ASSISTANT: Speaker.ASSISTANT}


class ConversationExtraction:
    """Extraction for the sessions of one harness. Subagents have no hooks, so that nothing of theirs gets here."""

    def __init__(self, memory: Memory) -> None:
        self._extraction = Extraction(memory)
        self._settings: AutoExtractSettings = memory.settings.auto_extract
        self._read: dict[str, ReadUpTo] = {}
        self._one_at_a_time = asyncio.Lock()
        self._told_of_model = False
        self._asking = 0

    def doing(self) -> Notice | None:
        """That notes are being looked for, while the small model is asked."""
        return Notice("looking-for-notes") if self._asking else None

    @property
    def is_on(self) -> bool:
        """Whether anything is extracted at all."""
        return self._settings.on_stop or self._settings.on_compaction

    async def on_start(self, run: RunContext) -> tuple[Notice, ...]:
        """What was saved since the last message. A session starts counting where this process took it up."""
        first = run.session_id not in self._read
        self._read.setdefault(run.session_id, read_all(turns_of(run.transcript)))
        notices = await asyncio.to_thread(self._announcements, run.session_id, first)
        if self.is_on and _stands_in(run.small_model) and not self._told_of_model:
            self._told_of_model = True
            notices.append(Notice("extraction-needs-model", {"model": PRACTICE_ASSISTANT}))
        return tuple(notices)

    async def on_compaction(self, run: RunContext, dropped: tuple[Message, ...]) -> None:
        """Keeps what is about to be dropped and was not read yet, however short it is."""
        if not self.is_on or not _can_extract(run):
            return
        turns = turns_of(run.transcript)
        await self._take(run, due_at_compaction(turns, len(turns_of(dropped)), self._read_of(run)))

    async def on_stop(self, run: RunContext) -> None:
        """Keeps what has accumulated, if it is enough, and has the small model read all that waits."""
        if not self.is_on:
            await asyncio.to_thread(self._extraction.drop_waiting)
            return
        if not _can_extract(run) or run.small_model is None:
            return
        if self._settings.on_stop:
            least = self._settings.min_user_turns
            await self._take(run, due_at_stop(turns_of(run.transcript), self._read_of(run), least))
        async with self._one_at_a_time:
            await self._work_off(run.small_model)

    def _read_of(self, run: RunContext) -> ReadUpTo:
        return self._read.get(run.session_id, ReadUpTo())

    async def _take(self, run: RunContext, stretch: Stretch | None) -> None:
        if stretch is None:
            return
        await to_the_end(asyncio.to_thread(self._extraction.keep_for_later, run.session_id, stretch.turns))
        self._read[run.session_id] = stretch.read

    async def _work_off(self, model: Model) -> None:
        for name in await asyncio.to_thread(self._extraction.unfinished):
            claimed = await asyncio.to_thread(self._extraction.claim, name)
            if claimed is not None:
                try:
                    await self._pass(claimed, model)
                finally:
                    await asyncio.to_thread(self._extraction.let_go, claimed)

    async def _pass(self, claimed: Claimed, model: Model) -> None:
        """One call of the model. Interrupted before its answer, the job waits for the next process."""
        extraction = self._extraction
        prepared = await to_the_end(asyncio.to_thread(extraction.prepare, claimed))
        if prepared is None:
            return
        asked = Message(Role.USER, (TextBlock(prepared.prompt),), prepared.turns[-1].at)
        self._asking += 1
        try:
            reply = await whole_reply(model, ModelRequest(SYSTEM, (asked,), output_schema=SCHEMA))
        except ModelFailed:
            await asyncio.to_thread(extraction.ask_later, claimed)
            return
        finally:
            self._asking -= 1
        await to_the_end(asyncio.to_thread(extraction.save, prepared, own_text(reply.message)))

    def _announcements(self, session: str, first: bool) -> list[Notice]:
        notices = _notices("saved", self._extraction.announce(session, others=False))
        if first:
            known = frozenset(self._read)
            notices += _notices("saved-earlier", self._extraction.announce(session, others=True, but_not=known))
        return notices


def extraction_hook(memory: Memory) -> RunHook:
    """Extraction and its announcements for the plugin host."""
    extraction = ConversationExtraction(memory)
    return RunHook(
        "extraction",
        on_start=extraction.on_start,
        on_stop=extraction.on_stop,
        on_compaction=extraction.on_compaction,
        doing=extraction.doing,
    )


def turns_of(messages: Iterable[Message]) -> list[Turn]:
    """What people and the model said. Attached blocks, tool calls and their results are no material."""
    spoken = ((message, _SPEAKERS.get(message.role)) for message in messages)
    turns = (said(speaker, own_text(message), message.at) for message, speaker in spoken if speaker)
    return [turn for turn in turns if turn is not None]


def _can_extract(run: RunContext) -> bool:
    if run.mode is Mode.PLAN:  # it writes notes, and asks nobody
        return False
    return not run.is_subagent and run.small_model is not None and not _stands_in(run.small_model)


def _stands_in(model: Model | None) -> bool:
    """Whether this is the practice assistant, which is no language model."""
    return model is not None and model.name == PRACTICE_ASSISTANT


def _notices(key: str, saved: Sequence[SavedNote]) -> list[Notice]:
    return [Notice(key, announcement(saved))] if saved else []
