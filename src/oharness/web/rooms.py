"""The projects that are open in the browser, each with its pages."""

import asyncio
from dataclasses import dataclass, field

from oharness.harness.pages import PageDescriptor
from oharness.web.chat.conversations import Conversations
from oharness.web.chat.history import HistoryPage
from oharness.web.chat.page import ChatPage
from oharness.web.projects import NoSuchPage, OpenProject, ProjectShelf


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

    def __init__(self, shelf: ProjectShelf) -> None:
        self.shelf = shelf
        self._rooms: dict[str, Room] = {}

    async def room(self, key: str) -> Room:
        """The room of a project, opened if it was not.

        Raises: NoSuchProject, and whatever opening raises.
        """
        project = await self.shelf.opened(key)
        if key not in self._rooms:
            self._rooms[key] = _room(key, project)
        return self._rooms[key]

    async def let_go(self) -> None:
        """Closes conversations that nobody looks at."""
        for room in tuple(self._rooms.values()):
            await room.conversations.let_go()

    async def close(self) -> None:
        """Ends every conversation."""
        await asyncio.gather(*(room.conversations.close() for room in self._rooms.values()))
        self._rooms.clear()


def _room(key: str, project: OpenProject) -> Room:
    conversations = Conversations(project)
    chat = ChatPage(project, conversations, project.default_mode)
    own = (chat.descriptor(), HistoryPage(project).descriptor())
    pages = {page.name: page for page in own}
    for owned in project.host.pages:
        pages.setdefault(owned.value.name, owned.value)
    return Room(key, project, conversations, chat, pages)
