"""The page `history`: the conversations of a project by the person's own words, and what was said in one."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oharness.harness.pages import PageDescriptor
from oharness.harness.sessions import SessionSummary
from oharness.language.catalogue import msg
from oharness.web.asked import number, text
from oharness.web.chat.items import items_of, latest
from oharness.web.projects import OpenProject

HISTORY = "history"
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """The history of one project."""

    project: OpenProject

    def descriptor(self) -> PageDescriptor:
        """The page as the host draws it."""
        return PageDescriptor(HISTORY, msg("History"), HISTORY, self._data, icon="history")

    async def _data(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        if (name := text(query, "session")) and query["part"] == "page":
            session = await asyncio.to_thread(self.project.read, name)
            items = items_of(session.entries)
            shown = latest(items, whole=bool(text(query, "all")))
            return {
                "session": session.session_id,
                "title": session.title,
                "started_at": session.started_at,
                "damaged": session.damaged,
                "items": shown,
                "earlier": len(items) - len(shown),
            }
        return {"session": "", **(await self._found(text(query, "q"), number(query, "from")))}

    async def _found(self, wanted: str, first: int) -> dict[str, Any]:
        listed = await asyncio.to_thread(self.project.listed)
        fitting = [one for one in listed.sessions if _fits(one, wanted)]
        shown = fitting[first : first + _AT_ONCE]
        return {
            "q": wanted,
            "sessions": [
                {"id": one.session_id, "title": one.title, "at": one.last_at, "messages": one.message_count}
                for one in shown
            ],
            "count": len(fitting),
            "all": len(listed.sessions),
            "next": first + _AT_ONCE if len(fitting) > first + _AT_ONCE else None,
            "unreadable": [str(path) for path in listed.unreadable],
        }


def _fits(session: SessionSummary, wanted: str) -> bool:
    title = session.title.casefold()
    return all(word in title for word in wanted.casefold().split())
