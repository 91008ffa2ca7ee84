"""The conversations of one project that are open here, and the tabs that look at them."""

import asyncio
from collections.abc import Callable
from functools import partial

from oharness.harness.permissions import Mode
from oharness.web.chat.conversation import Conversation
from oharness.web.chat.items import Item, items_of
from oharness.web.projects import OpenProject

Watcher = Callable[[str], None]


class Conversations:
    """Each is opened when something is said in it, and stays open while somebody looks at it."""

    def __init__(self, project: OpenProject) -> None:
        self._project = project
        self._open: dict[str, Conversation] = {}
        self._watchers: dict[str, list[Watcher]] = {}
        self._opening = asyncio.Lock()
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._modes: dict[str, Mode] = {}

    def of(self, session_id: str) -> Conversation | None:
        """That conversation, if it is open here."""
        return self._open.get(session_id)

    async def begun(self, mode: Mode | None) -> tuple[str, Conversation]:
        """A new one and its id.

        Raises: StorageFailed.
        """
        session_ids: list[str] = []
        conversation = Conversation((), lambda item_id: self._mark(session_ids[0], item_id) if session_ids else None)
        agent = await self._project.start(conversation)
        conversation.agent = agent
        if mode is not None:
            agent.mode = mode
        session_ids.append(agent.session.session_id)
        self._open[agent.session.session_id] = conversation
        return agent.session.session_id, conversation

    async def opened(self, session_id: str) -> Conversation:
        """An earlier one, to go on with.

        Raises: NoSuchSession, SessionInUse, TranscriptUnreadable, StorageFailed.
        """
        async with self._opening:
            if (known := self._open.get(session_id)) is not None:
                return known
            if (closing := self._closing.get(session_id)) is not None:
                await asyncio.wait((closing,))
            items = await self.stored(session_id)
            conversation = Conversation(items, partial(self._mark, session_id))
            conversation.agent = await self._project.resume(session_id, conversation)
            conversation.agent.mode = self._modes.get(session_id, conversation.agent.mode)
            self._open[session_id] = conversation
            return conversation

    async def stored(self, session_id: str) -> list[Item]:
        """What lies on disk of a conversation.

        Raises: NoSuchSession, AmbiguousSession, TranscriptUnreadable, StorageFailed.
        """
        session = await asyncio.to_thread(self._project.read, session_id)
        return items_of(session.entries)

    def watch(self, session_id: str, watcher: Watcher) -> Callable[[], None]:
        """Tells `watcher` the id of each item that changes, until what is given back is called."""
        self._watchers.setdefault(session_id, []).append(watcher)

        def stop() -> None:
            self._watchers[session_id].remove(watcher)
            if not self._watchers[session_id]:
                del self._watchers[session_id]

        return stop

    async def let_go(self) -> None:
        """Closes what nobody looks at and where nothing goes on, so that a terminal can have it."""
        for session_id, conversation in list(self._open.items()):
            if session_id not in self._watchers and not conversation.is_running:
                del self._open[session_id]
                if conversation.agent is not None:
                    self._modes[session_id] = conversation.agent.mode
                closing = asyncio.create_task(conversation.close())
                self._closing[session_id] = closing
                await asyncio.wait((closing,))
                del self._closing[session_id]

    async def close(self) -> None:
        """Stops and closes all of them."""
        conversations, self._open = list(self._open.values()), {}
        closings = [*(each.close() for each in conversations), *self._closing.values()]
        await asyncio.gather(*closings, return_exceptions=True)

    def _mark(self, session_id: str, item_id: str) -> None:
        for watcher in tuple(self._watchers.get(session_id, ())):
            watcher(item_id)
