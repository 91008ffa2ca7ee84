"""One conversation that is open in this process, whoever looks at it: its agent, its items, its open question."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, assert_never

from oharness.core.errors import OharnessError, WrongUsage
from oharness.harness.agent import Agent, RunInProgress
from oharness.harness.descriptors import Notice
from oharness.harness.events import (
    AllowForSession,
    AllowOnce,
    Approval,
    Compacted,
    Compacting,
    Decline,
    PermissionRequest,
    ReplyStored,
    RunEvent,
    RunFinished,
    SubagentEvent,
    ToolFinished,
    ToolStarted,
    UserMessageStored,
)
from oharness.harness.messages import own_text, tool_calls
from oharness.harness.model import ModelFailed, TextDelta
from oharness.web.chat.items import (
    Item,
    answer_item,
    approval_item,
    call_item,
    finished_call,
    user_item,
)

_log = logging.getLogger(__name__)

STATUS = "status"
"""The item that says whether something is going on."""

ANSWERS = ("once", "session", "decline")


@dataclass(eq=False)
class NothingAsked(WrongUsage):
    """No question is open any more: it was answered in another tab, or the run was stopped."""


class Conversation:
    """`mark` is told the id of each item that is new or has changed. Is the frontend of its own agent."""

    def __init__(self, items: Iterable[Item], mark: Callable[[str], None]) -> None:
        self.agent: Agent | None = None
        self.items: dict[str, Item] = {item.id: item for item in items}
        self.items[STATUS] = Item(STATUS, STATUS, {"running": False})
        self.revision = 0
        self._changed: dict[str, int] = {}
        self._mark = mark
        self._count = 0
        self._run: asyncio.Task[None] | None = None
        self._said: str | None = None
        self._sent: str | None = None
        self._calls: dict[str, str] = {}
        self._wanted: dict[str, Mapping[str, Any]] = {}
        self._asked: dict[str, asyncio.Future[Approval]] = {}

    @property
    def is_running(self) -> bool:
        return self._run is not None and not self._run.done()

    def changed_since(self, revision: int) -> list[str]:
        """The items that changed after that revision, oldest first."""
        return [item_id for item_id in self.items if self._changed.get(item_id, 0) > revision]

    def shown(self) -> list[Item]:
        """The items in their order, without the status."""
        return [item for item in self.items.values() if item.kind != STATUS]

    def send(self, text: str) -> None:
        """Begins to answer a message.

        Raises: RunInProgress.
        """
        agent = self._idle_agent()
        self._sent = self._add("user", {"text": text, "at": None, "state": "sending"})
        self._begin(agent.run(text))

    def retry(self) -> None:
        """Asks the model again for the last answer.

        Raises: RunInProgress.
        """
        agent = self._idle_agent()
        for item in self.shown():
            if item.kind == "problem" and item.fields["retry"]:
                self._put(item.with_fields(retry=False))
        self._begin(agent.retry())

    async def stop(self) -> None:
        """Ends the run, if one goes on; what was said so far is kept."""
        if self._run is not None and not self._run.done():
            self._run.cancel()
            await asyncio.wait((self._run,))

    def answer(self, call_id: str, answer: str, reason: str) -> None:
        """The person's answer to a question.

        Raises: NothingAsked.
        """
        waiting = self._asked.get(call_id)
        if waiting is None or waiting.done() or answer not in ANSWERS:
            raise NothingAsked
        waiting.set_result(_approval(answer, reason))

    def tell(self, text: str) -> None:
        """Puts the answer of a command into the list; it is not part of the transcript."""
        self._add("told", {"text": text})

    async def close(self) -> None:
        """Stops what goes on and lets others have the session."""
        await self.stop()
        if self.agent is not None:
            agent, self.agent = self.agent, None
            await agent.close()

    async def approve(self, request: PermissionRequest) -> Approval:
        """Asks in every tab that shows the conversation; the first answer counts."""
        item_id = self._add_item(approval_item(self._next_id(), request))
        waiting: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._asked[request.call_id] = waiting
        answer = "withdrawn"
        try:
            approval = await waiting
            answer = _answer_told(approval)
            return approval
        finally:
            del self._asked[request.call_id]
            self._put(self.items[item_id].with_fields(answer=answer))

    def _idle_agent(self) -> Agent:
        if self.agent is None or self.is_running:
            raise RunInProgress(self.agent.session.session_id if self.agent else "")
        return self.agent

    def _begin(self, events: AsyncGenerator[RunEvent, None]) -> None:
        self._put(Item(STATUS, STATUS, {"running": True}))
        self._run = asyncio.create_task(self._shown(events))

    async def _shown(self, events: AsyncGenerator[RunEvent, None]) -> None:
        try:
            async for event in events:
                self._take(event, "")
        except asyncio.CancelledError:
            self._add("stopped", {})
            raise
        except OharnessError as error:
            self._add("problem", {"error": error, "retry": isinstance(error, ModelFailed)})
        except Exception:  # noqa: BLE001  the request handler's promise: a fault is said, and the page goes on
            _log.exception("a run failed")
            self._add("problem", {"error": OharnessError(), "retry": True})
        finally:
            with suppress(Exception):
                await events.aclose()
            self._settle()
            self._put(Item(STATUS, STATUS, {"running": False}))

    def _settle(self) -> None:
        """Nothing may look as if it still went on."""
        self._end_answer(None)
        if self._sent is not None:
            self._put(self.items[self._sent].with_fields(state="unsent"))
            self._sent = None
        for item_id in self._calls.values():
            if self.items[item_id].fields["state"] == "running":
                self._put(self.items[item_id].with_fields(state="stopped"))
        self._calls.clear()
        self._wanted.clear()

    def _take(self, event: RunEvent, inside: str) -> None:
        match event:
            case TextDelta(text):
                if not inside:
                    self._stream(text)
            case UserMessageStored(message):
                if not inside:
                    item_id, self._sent = self._sent or self._next_id(), None
                    self._put(user_item(item_id, message))
            case ReplyStored(message):
                self._wanted |= {inside + call.call_id: call.arguments for call in tool_calls(message)}
                if not inside:
                    self._end_answer(answer_item(self._said or self._next_id(), message) if own_text(message) else None)
            case ToolStarted():
                item = call_item(self._next_id(), event.tool, event.plugin, event.arguments, bool(inside))
                self._calls[inside + event.call_id] = self._add_item(item)
            case ToolFinished():
                self._finish(event, inside)
            case Notice(key, fields):
                self._add("notice", {"key": key, "fields": dict(fields)})
            case Compacting(dropped):
                self._add("compacting", {"dropped": dropped})
            case Compacted(dropped, summarised):
                self._add("compacted", {"dropped": dropped, "summarised": summarised})
            case SubagentEvent(call_id, inner):
                self._take(inner, f"{inside}{call_id}/")
            case RunFinished():
                pass
            case _:
                assert_never(event)

    def _stream(self, text: str) -> None:
        if self._said is None:
            self._said = self._add("answer", {"text": "", "at": None, "broken_off": False, "live": True})
        item = self.items[self._said]
        self._put(item.with_fields(text=item.fields["text"] + text))

    def _end_answer(self, whole: Item | None) -> None:
        streamed, self._said = self._said, None
        if whole is not None:
            self._put(whole)
        elif streamed is not None:
            self._put(self.items[streamed].with_fields(live=False, broken_off=True))

    def _finish(self, event: ToolFinished, inside: str) -> None:
        """A call that was turned down was never started; what it wanted is known from the answer that asked for it."""
        call, result = inside + event.call_id, event.result
        item_id = self._calls.pop(call, None)
        if item_id is not None:
            item = self.items[item_id]
        else:
            item = call_item(self._next_id(), event.tool, event.plugin, self._wanted.get(call, {}), bool(inside))
        self._put(finished_call(item, result.text, allowed=event.allowed, is_error=result.is_error))

    def _next_id(self) -> str:
        self._count += 1
        return f"l{self._count}"

    def _add(self, kind: str, fields: Mapping[str, Any]) -> str:
        return self._add_item(Item(self._next_id(), kind, fields))

    def _add_item(self, item: Item) -> str:
        self._put(item)
        return item.id

    def _put(self, item: Item) -> None:
        self.items[item.id] = item
        self.revision += 1
        self._changed[item.id] = self.revision
        self._mark(item.id)


def _approval(answer: str, reason: str) -> Approval:
    if answer == "once":
        return AllowOnce()
    return AllowForSession() if answer == "session" else Decline(reason.strip())


def _answer_told(approval: Approval) -> str:
    match approval:
        case AllowOnce():
            return "once"
        case AllowForSession():
            return "session"
        case Decline():
            return "decline"
