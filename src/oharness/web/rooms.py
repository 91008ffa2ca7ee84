"""The projects that are open in the browser, each with its pages."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from oharness.harness.pages import PageDescriptor
from oharness.web.chat.conversations import Conversations
from oharness.web.chat.history import HistoryPage
from oharness.web.chat.page import ChatPage
from oharness.web.projects import NoSuchPage, OpenProject, ProjectShelf
from oharness.web.renderers.registry import RENDERERS

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Room:
    """One open project. Pages of the host come first; a plugin's page of the same name is not shown."""

    key: str
    project: OpenProject
    conversations: Conversations
    chat: ChatPage
    pages: dict[str, PageDescriptor] = field(default_factory=dict)

    def page(self, name: str) -> PageDescriptor:
        """The page of that name.

        Raises: NoSuchPage.
        """
        if name not in self.pages:
            raise NoSuchPage(name)
        return self.pages[name]


class Rooms:
    """Every room that somebody has looked into."""

    def __init__(self, shelf: ProjectShelf, warm_renderer: Callable[[str], None]) -> None:
        self.shelf = shelf
        self._rooms: dict[str, Room] = {}
        self._warm_renderer = warm_renderer
        self._warming: set[asyncio.Task[None]] = set()

    async def room(self, key: str) -> Room:
        """The room of a project, opened if it was not.

        Raises: NoSuchProject, and whatever opening raises.
        """
        project = await self.shelf.opened(key)
        if key not in self._rooms:
            self._rooms[key] = room = _room(key, project)
            warming = asyncio.create_task(asyncio.to_thread(self._warm, tuple(room.pages.values())), name="web: warm")
            self._warming.add(warming)
            warming.add_done_callback(self._warming.discard)
        return self._rooms[key]

    def _warm(self, pages: tuple[PageDescriptor, ...]) -> None:
        """Loads what the pages need before somebody waits for it; a page that cannot is told of when it is opened."""
        for page in pages:
            try:
                if page.warm is not None:
                    page.warm()
                if page.renderer in RENDERERS:
                    self._warm_renderer(page.renderer)
            except Exception:  # noqa: BLE001  a plugin's fault, which its page shows
                _log.exception("the page %s could not be made ready", page.name)

    async def let_go(self) -> None:
        """Closes conversations that nobody looks at."""
        for room in tuple(self._rooms.values()):
            await room.conversations.let_go()

    async def close(self) -> None:
        """Ends every conversation."""
        await asyncio.gather(*self._warming, *(room.conversations.close() for room in self._rooms.values()))
        self._rooms.clear()


def _room(key: str, project: OpenProject) -> Room:
    conversations = Conversations(project)
    chat = ChatPage(project, conversations, project.default_mode)
    own = (chat.descriptor(), HistoryPage(project).descriptor())
    pages = {page.name: page for page in own}
    for owned in project.host.pages:
        pages.setdefault(owned.value.name, owned.value)
    return Room(key, project, conversations, chat, pages)
