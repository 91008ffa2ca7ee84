"""The Memory page as the host is told of it: parts that are drawn, actions that change things, and live news."""

import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from oharness.harness.pages import PageDescriptor
from oharness.language.catalogue import msg
from oharness.memory.scopes import Memory
from oharness.plugins.memory.background import BackgroundSync

if TYPE_CHECKING:
    from oharness.plugins.memory.page.page import MemoryPage
    from oharness.plugins.memory.tidying_desk import TidyingDesk

PAGE = "memory"
ACTIONS = (
    "create",
    "save",
    "delete",
    "forget-everywhere",
    "restore",
    "try",
    "preview",
    "sync-now",
    "switch",
    "confirm",
    "resolve",
    "mend",
    "dismiss",
    "draft",
    "merge",
    "unmerge",
)


def memory_page(
    memory: Memory, background: BackgroundSync | None, desk: "Callable[[], TidyingDesk] | None" = None
) -> PageDescriptor:
    """The page of an open memory, without a place for tidying where there is no `desk`.

    What it is made of is loaded when somebody opens it.
    """
    opened: list[MemoryPage] = []
    turn = threading.Lock()

    def page() -> "MemoryPage":
        from oharness.plugins.memory.page.page import MemoryPage

        with turn:  # it may be made ready in a thread while somebody opens it
            if not opened:
                opened.append(MemoryPage(memory, background, desk))
            return opened[0]

    async def data(query: Mapping[str, Any]) -> Mapping[str, Any]:
        return await page().data(query)

    def action(name: str) -> Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]:
        async def act(fields: Mapping[str, Any]) -> Mapping[str, Any]:
            return await page().act(name, fields)

        return act

    def changes(listener: Callable[[], None]) -> Callable[[], None]:
        return page().live.listen(listener)

    return PageDescriptor(
        name=PAGE,
        title=msg("Memory"),
        renderer="memory",
        data=data,
        actions={name: action(name) for name in ACTIONS},
        changes=changes,
        opened=lambda: page().live.opened(),
        icon="notes",
        warm=lambda: page().warm(),
    )
