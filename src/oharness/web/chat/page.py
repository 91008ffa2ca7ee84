"""The page `chat`: a conversation, and what a person can do in it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oharness.harness.descriptors import Notice
from oharness.harness.model import PRACTICE_ASSISTANT
from oharness.harness.pages import PageDescriptor
from oharness.harness.permissions import Mode, mode_named
from oharness.harness.sessions import TITLE_CHARS
from oharness.language.catalogue import msg
from oharness.web.asked import number, text
from oharness.web.chat.conversation import Conversation, NothingAsked
from oharness.web.chat.conversations import Conversations
from oharness.web.chat.items import Item, latest
from oharness.web.projects import OpenProject

CHAT = "chat"
_RECENT = 8


@dataclass(frozen=True, slots=True)
class ChatPage:
    """The chat of one project."""

    project: OpenProject
    conversations: Conversations
    default_mode: Mode

    def descriptor(self) -> PageDescriptor:
        """The page as the host draws it."""
        actions = {
            "send": self._send,
            "retry": self._retry,
            "stop": self._stop,
            "answer": self._answer,
            "mode": self._mode,
        }
        return PageDescriptor(CHAT, msg("Chat"), CHAT, self._data, actions, icon="chat")

    def watch(self, query: Mapping[str, Any], mark: Callable[[str], None]) -> Callable[[], None]:
        """Marks each item of the conversation that changes; those that changed since the page was drawn at once."""
        session_id = text(query, "session")
        if not session_id:
            return lambda: None
        stop = self.conversations.watch(session_id, mark)
        conversation = self.conversations.of(session_id)
        if conversation is not None:
            for item_id in conversation.changed_since(number(query, "since")):
                mark(item_id)
        return stop

    def item(self, query: Mapping[str, Any], item_id: str) -> Item | None:
        """An item as it is now."""
        conversation = self.conversations.of(text(query, "session"))
        return conversation.items.get(item_id) if conversation else None

    async def _data(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        session_id = text(query, "session")
        conversation = self.conversations.of(session_id) if session_id else None
        items: list[Item] = []
        revision, running = 0, False
        if conversation is not None:  # all of it at one moment: what changes from now on is told to the page
            items, revision, running = conversation.shown(), conversation.revision, conversation.is_running
        elif session_id:
            items = await self.conversations.stored(session_id)
            if items and items[-1].kind in ("user", "notice"):
                items.append(Item("unanswered", "unanswered"))
        shown = latest(items, whole=bool(text(query, "all")))
        is_whole = query["part"] == "page"
        sessions = (await asyncio.to_thread(self.project.listed)).sessions if is_whole else ()
        mode = conversation.agent.mode if conversation and conversation.agent else self.default_mode
        return {
            "session": session_id,
            "title": next((one.title for one in sessions if one.session_id == session_id), _first_words(items)),
            "items": shown,
            "earlier": len(items) - len(shown),
            "all": text(query, "all"),
            "revision": revision,
            "running": running,
            "mode": str(mode),
            "modes": [str(one) for one in Mode],
            "model": self.project.model_name,
            "is_offline": self.project.model_name == PRACTICE_ASSISTANT,
            "notices": _told_once(self.project.notices),
            "recent": [
                {"id": one.session_id, "title": one.title, "at": one.last_at, "is_here": one.session_id == session_id}
                for one in sessions[:_RECENT]
            ],
            "commands": [{"name": one.name, "help": one.help} for one in self.project.commands],
        }

    async def _send(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """A message. In a new conversation the browser goes on at its address."""
        told = text(fields, "text")
        if not told.strip():
            return {}
        session_id = text(fields, "session")
        if session_id:
            conversation = await self.conversations.opened(session_id)
            await self._say(conversation, told)
            return {}
        mode = text(fields, "mode")
        session_id, conversation = await self.conversations.begun(mode_named(mode) if mode else None)
        await self._say(conversation, told)
        return {"go": {"page": CHAT, "query": {"session": session_id}}}

    async def _say(self, conversation: Conversation, told: str) -> None:
        name, _, rest = told[1:].strip().partition(" ")
        command = next((one for one in self.project.commands if one.name == name), None)
        if command is None or not told.startswith("/") or conversation.agent is None:
            conversation.send(told)
        else:
            conversation.tell(await command.run(rest.strip(), self.project.context(conversation.agent)))

    async def _retry(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        (await self.conversations.opened(text(fields, "session"))).retry()
        return {}

    async def _stop(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        if (conversation := self.conversations.of(text(fields, "session"))) is not None:
            await conversation.stop()
        return {}

    async def _answer(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        conversation = self.conversations.of(text(fields, "session"))
        if conversation is None:
            raise NothingAsked
        conversation.answer(text(fields, "call"), text(fields, "answer"), text(fields, "reason"))
        return {}

    async def _mode(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        mode, session_id = mode_named(text(fields, "mode")), text(fields, "session")
        if session_id:
            agent = (await self.conversations.opened(session_id)).agent
            if agent is not None:
                agent.mode = mode
        return {"part": "mode", "data": {"mode": str(mode), "modes": [str(one) for one in Mode], "session": session_id}}


def _told_once(notices: Sequence[Notice]) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    for notice in notices:
        if (one := {"key": notice.key, "fields": dict(notice.fields)}) not in told:
            told.append(one)
    return told


def _first_words(items: list[Item]) -> str:
    """The title of a conversation that is not on disk yet."""
    text = next((str(item.fields["text"]) for item in items if item.kind == "user"), "")
    words = " ".join(text.split())
    return words if len(words) <= TITLE_CHARS else words[: TITLE_CHARS - 1] + "…"
