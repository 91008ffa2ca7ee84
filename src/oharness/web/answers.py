"""Answers: a page, a part of one, what comes of an action, a problem in words."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from oharness.core.errors import NotFound, OharnessError
from oharness.harness.pages import PageDescriptor
from oharness.web.asked import language_of
from oharness.web.chat.page import CHAT
from oharness.web.drawing import Drawing, Place, address
from oharness.web.events import Earshot
from oharness.web.projects import KnownProject, NoSuchPage
from oharness.web.renderers.registry import RENDERERS
from oharness.web.rooms import Room, Rooms

_PAGE = "page"


@dataclass(frozen=True, slots=True)
class Done:
    """What an action gives: a part to draw, a toast with what undoes the action, another page to go to."""

    part: str | None = None
    query: Mapping[str, Any] | None = None
    data: Mapping[str, Any] | None = None
    toast: Any = None
    undo: Mapping[str, Any] | None = None
    go: Mapping[str, Any] | None = None


def from_action(result: Mapping[str, Any] | None) -> Done:
    """The documented keys of what an action gave."""
    given = result or {}
    return Done(**{name: given[name] for name in Done.__slots__ if name in given})


class Answering:
    """Draws with what every page needs: the projects, the pages of the one at hand, the language."""

    def __init__(self, drawing: Drawing, rooms: Rooms, earshot: Earshot, language: str | None) -> None:
        self._drawing = drawing
        self._rooms = rooms
        self._earshot = earshot
        self._language = language

    async def page(self, request: Request, room: Room, page: PageDescriptor, query: Mapping[str, Any]) -> Response:
        """A whole page.

        Raises: whatever the data of the page raises.
        """
        around = await self._around(request, room, page)
        if page.renderer not in RENDERERS:
            return self._drawn(request, "templates/unknown_renderer.html", 501, **around, renderer=page.renderer)
        around["ears"] = self._earshot.begin(page)
        data = await page.data({**query, "part": _PAGE})
        return self._drawn(request, f"renderers/{page.renderer}/page.html", 200, **around, data=data)

    async def part(
        self, request: Request, room: Room, page: PageDescriptor, part: str, query: Mapping[str, Any]
    ) -> Response:
        """A part of a page.

        Raises: NoSuchPage, and whatever the data of the page raises.
        """
        return HTMLResponse(await self._part(request, room, page, part, query, None))

    async def after(self, request: Request, room: Room, page: PageDescriptor, done: Done) -> Response:
        """What a page shows after an action.

        Raises: as `part`.
        """
        if done.go is not None:
            place = Place(room.key, page.name)
            to = place.page_url(done.go.get("page"), **done.go.get("query", {}))
            said = self._toast(request, room, page, done)
            return HTMLResponse(said, 200 if said else 204, {"X-Go": to})
        html = ""
        if done.part is not None:
            html = await self._part(request, room, page, done.part, done.query or {}, done.data)
        html += self._toast(request, room, page, done)
        swap = {} if done.part is not None else {"HX-Reswap": "none"}
        return HTMLResponse(html, headers=swap) if html else Response(status_code=204)

    def _toast(self, request: Request, room: Room, page: PageDescriptor, done: Done) -> str:
        if done.toast is None:
            return ""
        fields = {**self._place(room, page), "toast": done.toast, "undo": done.undo}
        return self._drawing.draw("templates/toast.html", self.language(request), **fields)

    def piece(self, language: str, place: Place, room: Room, fields: Mapping[str, Any]) -> str:
        """One item of a conversation."""
        around = {"page_url": place.page_url, "action_url": place.action_url, "page_names": tuple(room.pages)}
        return self._drawing.draw("renderers/chat/_item.html", language, **around, **fields)

    async def problem(self, request: Request, error: OharnessError, status: int | None = None) -> Response:
        """What went wrong, on a page of its own or, for a part, in its place."""
        code = status or (404 if isinstance(error, NotFound) else 422)
        if request.headers.get("hx-request") == "true" or request.method == "POST":
            return self._drawn(request, "templates/problem_part.html", code, error=error)
        try:
            around = await self._around(request, None, None)
        except OharnessError:  # the list of projects itself is what cannot be read
            around = self._frame(request, (), None, None)
        return self._drawn(request, "templates/problem.html", code, **around, error=error, is_missing=code == 404)

    def language(self, request: Request) -> str:
        """The language of an answer."""
        return language_of(request, self._language)

    async def _part(
        self,
        request: Request,
        room: Room,
        page: PageDescriptor,
        part: str,
        query: Mapping[str, Any],
        data: Mapping[str, Any] | None,
    ) -> str:
        if page.renderer not in RENDERERS or not self._drawing.has_part(page.renderer, part):
            raise NoSuchPage(part)
        drawn = data if data is not None else await page.data({**query, "part": part})
        template = f"renderers/{page.renderer}/{part}.html"
        return self._drawing.draw(template, self.language(request), **self._place(room, page), data=drawn)

    def _place(self, room: Room, page: PageDescriptor) -> dict[str, Any]:
        place = Place(room.key, page.name)
        return {
            "page": page,
            "page_names": tuple(room.pages),
            "page_url": place.page_url,
            "part_url": place.part_url,
            "action_url": place.action_url,
        }

    async def _around(self, request: Request, room: Room | None, page: PageDescriptor | None) -> dict[str, Any]:
        known = await asyncio.to_thread(self._rooms.shelf.known)
        return self._frame(request, known, room, page)

    def _frame(
        self, request: Request, known: Sequence[KnownProject], room: Room | None, page: PageDescriptor | None
    ) -> dict[str, Any]:
        """What stands around every page."""
        query = f"?{request.url.query}" if request.url.query else ""
        frame: dict[str, Any] = {
            "projects": known,
            "project": next((one for one in known if room and one.key == room.key), None),
            "pages": tuple(room.pages.values()) if room else (),
            "page": page,
            "ears": "",
            "model": room.project.model_name if room else "",
            "here": request.url.path + query if page else "/",
            "project_url": lambda key: address(("p", key, page.name if page else CHAT), {}),
        }
        return {**frame, **self._place(room, page)} if room and page else frame

    def _drawn(self, request: Request, template: str, status: int, **fields: Any) -> Response:
        return HTMLResponse(self._drawing.draw(template, self.language(request), **fields), status)
