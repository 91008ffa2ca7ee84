"""The agent loop: one message of a person, answered by a model with tools.

    run hooks start -> room is made if needed -> message hooks (recall) -> the message is stored
    -> model, tools, model, tools, … -> the last answer -> run hooks stop, after everyone was answered

Whatever ends a run (Ctrl-C, a failing model, a full disk), the transcript stays one that can be gone on from:
the user's message is in it, what the model said before an interruption too, and every call has its result.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from oharness.core.errors import WrongUsage
from oharness.harness.asking import stream_reply
from oharness.harness.compaction import cut_in_half, cut_to_make_room, summary_of
from oharness.harness.descriptors import Notice, RunContext
from oharness.harness.events import (
    CallMade,
    Compacted,
    Compacting,
    Ending,
    Frontend,
    ReplyStored,
    RunEvent,
    RunFinished,
    SubagentEvent,
    UserMessageStored,
)
from oharness.harness.gate import Gate
from oharness.harness.hooks import additions
from oharness.harness.messages import Message, Role, TextBlock, own_text, tool_calls
from oharness.harness.model import ModelFailed, ModelFault, ModelReply, ModelRequest, TextDelta, ToolSpec
from oharness.harness.options import AgentOptions, all_message_hooks, all_tools, system_prompt
from oharness.harness.permissions import Mode
from oharness.harness.relay import Outlet, relayed
from oharness.harness.sessions import Session
from oharness.harness.subagents import subagent_options
from oharness.harness.to_the_end import to_the_end
from oharness.harness.tool_runs import Step, ToolRunner, step_of
from oharness.harness.transcript_json import Shortened

INTERRUPTED = "interrupted"
"""Metadata key of an answer that the user stopped."""


@dataclass(eq=False)
class RunInProgress(WrongUsage):
    """The session `session_id` is still answering a message."""

    session_id: str


@dataclass(slots=True)
class _Run:
    """One run under way: what an interruption has to leave behind, and what the end tells."""

    outlet: Outlet[RunEvent]
    system: str = ""
    said: str = ""
    step: Step | None = None
    calls: list[CallMade] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0


class Agent:
    """Answers messages in one session, one at a time. `mode` may be set at any time and counts from the next tool call.

    Close it when done. `gate` is given to subagents only.
    """

    def __init__(self, options: AgentOptions, session: Session, frontend: Frontend, gate: Gate | None = None) -> None:
        """Raises: NameClash when a tool of the options is called like a plugin's."""
        self.session = session
        self._options = options
        self._frontend = frontend
        self._gate = gate or Gate(frontend, options.mode, options.rules)
        tools = all_tools(options)
        self._specs = tuple(
            ToolSpec(each.tool.name, each.tool.description, each.tool.schema) for each in tools.values()
        )
        self._tools = ToolRunner(
            tools, self._gate, options.host, options.clock, options.model.context_tokens, self._run_subagent
        )
        self._running: asyncio.Task[Any] | None = None
        self._after_run: asyncio.Task[None] | None = None
        self._late_notices = _what_was_lost(session)
        self._told_not_kept = False
        self._subagents = 0

    @property
    def mode(self) -> Mode:
        """The permission mode, shared with subagents."""
        return self._gate.mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._gate.mode = mode

    @property
    def doing(self) -> tuple[Notice, ...]:
        """What `close` would wait for, as far as it is known; nothing when it would not."""
        if self._after_run is None or self._after_run.done():
            return ()
        return self._options.host.doing()

    def run(self, text: str) -> AsyncGenerator[RunEvent, None]:
        """Sends a message and gives what happens until it is answered; `RunFinished` comes last.

        Cancelling the caller, or closing the generator, interrupts the run.
        Raises: ModelFailed, RunInProgress. After each of them the session can go on.
        """
        return relayed(partial(self._whole_run, text))

    def retry(self) -> AsyncGenerator[RunEvent, None]:
        """Goes on from the transcript as it is, without a new message: after a model that failed, or a step limit."""
        return relayed(partial(self._whole_run, None))

    async def close(self) -> None:
        """Waits for what still looks at the last run (extraction), then lets others have the session.

        A run that is still going on is interrupted. Cancelled, it stops the waiting and that work at once.
        """
        try:
            if self._running is not None:
                self._running.cancel()
                await asyncio.wait((self._running,))
            if self._after_run is not None:
                await self._after_run
        finally:
            self.session.close()

    async def _whole_run(self, text: str | None, outlet: Outlet[RunEvent]) -> None:
        if self._running is not None:
            raise RunInProgress(self.session.session_id)
        self._running = asyncio.current_task()
        run = _Run(outlet)
        try:
            await self._begin(run)
            if text is not None:
                await self._take(text, run)
            outlet.show(await self._answer(run))
        except asyncio.CancelledError:
            await to_the_end(self._leave_whole(run))
            raise
        except Exception:
            run.said = ""  # a retry asks for the whole answer again
            await to_the_end(self._leave_whole(run))
            raise
        finally:
            self._running = None
            self._tell_of_the_end()

    async def _begin(self, run: _Run) -> None:
        """Announcements of plugins, the system prompt, and room in the conversation before anything is recalled."""
        self._show_all(run, self._late_notices)
        self._late_notices = []
        host = self._options.host
        if not self._options.is_subagent:
            self._show_all(run, await host.on_start(self._context()))
        sections, notices = await host.prompt_sections(self._context())
        self._show_all(run, notices)
        run.system = system_prompt(self._options, self.mode, sections, self._options.clock.now_ms())
        await self._make_room(run)

    async def _take(self, text: str, run: _Run) -> None:
        """Stores the user's message with what hooks attach to it, before any model is asked."""
        added = await additions(all_message_hooks(self._options), text, self._context())
        message = Message(Role.USER, (TextBlock(text), *added.blocks), self._options.clock.now_ms(), added.metadata)
        await self._store(message, run)
        run.outlet.show(UserMessageStored(message))
        self._show_all(run, added.notices)

    async def _answer(self, run: _Run) -> RunFinished:
        """Model and tools in turns, until the model asks for no tool or has had its steps."""
        for _ in range(self._options.step_limit):
            reply = await self._reply(run)
            if run.step is None:
                return _finished(run, reply, Ending.DONE)
            await self._tools.carry_out(run.step, self._context(), run.outlet)
            await self._store_results(run, run.step)
        run.outlet.show(Notice("step-limit", {"steps": self._options.step_limit}))
        return _finished(run, reply, Ending.STEP_LIMIT)

    async def _reply(self, run: _Run) -> Message:
        await self._make_room(run)
        try:
            reply = await self._streamed(run)
        except ModelFailed as failed:
            cut = cut_in_half(self.session.live)
            if failed.fault is not ModelFault.CONTEXT_TOO_LONG or not cut:
                raise
            await self._shorten(run, cut)
            reply = await self._streamed(run)
        run.input_tokens += reply.input_tokens
        run.output_tokens += reply.output_tokens
        message = replace(reply.message, role=Role.ASSISTANT, at=self._options.clock.now_ms())
        run.said, run.step = "", step_of(tool_calls(message)) if tool_calls(message) else None
        if message.blocks:
            await self._store(message, run)
        run.outlet.show(ReplyStored(message))
        return message

    async def _streamed(self, run: _Run) -> ModelReply:
        run.said = ""
        options = self._options
        request = ModelRequest(run.system, _to_be_answered(self.session.live), self._specs)
        async with aclosing(stream_reply(options.model, request, options.idle_seconds)) as parts:
            async for part in parts:
                match part:
                    case TextDelta():
                        run.said += part.text
                        if part.text:  # an empty piece is a sign of life from a model that thinks
                            run.outlet.show(part)
                    case ModelReply():
                        return part
        raise ModelFailed(ModelFault.NONSENSE, options.model.name)

    async def _store_results(self, run: _Run, step: Step) -> None:
        run.step = None
        run.calls += step.made
        await self._store(Message(Role.TOOL, step.all_results(), self._options.clock.now_ms()), run)

    async def _leave_whole(self, run: _Run) -> None:
        """After a run that did not end by itself: results for all calls, or what the model had said so far, marked."""
        if run.step is not None:
            await self._store_results(run, run.step)
        elif run.said:
            now, mark = self._options.clock.now_ms(), {INTERRUPTED: True}
            await self._store(Message(Role.ASSISTANT, (TextBlock(run.said),), now, mark), run)

    async def _store(self, message: Message, run: _Run) -> None:
        """Keeps a message; says once that the disk does not take it, and again only after it took some."""
        await self.session.store(message)
        failed = self.session.not_kept
        if failed is not None and not self._told_not_kept:
            run.outlet.show(Notice("session-not-kept-now", {"path": failed.path, "reason": failed.reason}))
        self._told_not_kept = failed is not None

    async def _make_room(self, run: _Run) -> None:
        live, context_tokens = self.session.live, self._options.model.context_tokens
        if cut := cut_to_make_room(run.system, self._specs, live, context_tokens):
            await self._shorten(run, cut)

    async def _shorten(self, run: _Run, cut: int) -> None:
        """Hands what is about to go to the hooks, then puts a summary in its place."""
        options, dropped = self._options, self.session.live[:cut]
        run.outlet.show(Compacting(cut))
        if not options.is_subagent:
            self._show_all(run, await options.host.on_compaction(self._context(), dropped))
        model = options.small_model or options.model
        summary, summarised = await summary_of(dropped, model, options.clock.now_ms(), options.idle_seconds)
        await self.session.shorten(Shortened(summary, cut))
        run.outlet.show(Compacted(cut, summarised))

    async def _run_subagent(self, call_id: str, task: str, outlet: Outlet[RunEvent]) -> str:
        """A subagent's last words. It has its own transcript, and the same gate and frontend."""
        self._subagents += 1
        now = self._options.clock.now_ms()
        session = self.session.child(f"task-{now}-{self._subagents}", now)
        subagent = Agent(subagent_options(self._options), session, self._frontend, self._gate)
        inner = _Inner(call_id, outlet)
        try:
            await subagent._whole_run(task, inner)
        finally:
            await subagent.close()
        return inner.reply

    def _tell_of_the_end(self) -> None:
        """Stop hooks run one after another when the person has the answer already, and never delay it."""
        if not self._options.is_subagent:
            self._after_run = asyncio.create_task(self._told_of_the_end(self._after_run, self._context()))

    async def _told_of_the_end(self, earlier: "asyncio.Task[None] | None", context: RunContext) -> None:
        if earlier is not None:
            await asyncio.wait((earlier,))
        self._late_notices += await self._options.host.on_stop(context)

    def _context(self) -> RunContext:
        options = self._options
        small_model = options.small_model or options.model
        return RunContext(
            self.session.session_id,
            options.project_root,
            self.session.live,
            options.is_subagent,
            small_model,
            self.mode,
        )

    @staticmethod
    def _show_all(run: _Run, notices: Iterable[Notice]) -> None:
        for notice in notices:
            run.outlet.show(notice)


@dataclass(slots=True)
class _Inner:
    """The outlet of a subagent: its events go to the calling run's frontend, its last words to the tool."""

    call_id: str
    outer: Outlet[RunEvent]
    reply: str = ""

    def show(self, event: RunEvent) -> None:
        if isinstance(event, RunFinished):
            self.reply = event.reply
        self.outer.show(SubagentEvent(self.call_id, event))

    async def all_shown(self) -> None:
        await self.outer.all_shown()


def _what_was_lost(session: Session) -> list[Notice]:
    """Lines of a resumed transcript that could not be read, told with the first message."""
    return [Notice("transcript-damaged", {"count": session.damaged})] if session.damaged else []


def _to_be_answered(live: tuple[Message, ...]) -> tuple[Message, ...]:
    """The conversation up to what waits for an answer: a retry asks again what was answered, wholly or in part."""
    end = len(live)
    while end > 1 and live[end - 1].role is Role.ASSISTANT:
        end -= 1
    return live[:end]


def _finished(run: _Run, reply: Message, ending: Ending) -> RunFinished:
    return RunFinished(own_text(reply), tuple(run.calls), ending, run.input_tokens, run.output_tokens)
