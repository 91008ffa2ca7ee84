"""The web app: its addresses, and what each answers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from oharness.core.clock import Clock
from oharness.core.errors import OharnessError
from oharness.core.randomness import Randomness
from oharness.harness.pages import PageDescriptor
from oharness.language.catalogue import language_named
from oharness.web.answers import Answering, from_action
from oharness.web.asked import LANGUAGE_COOKIE, form_of, language_of, query_of, text
from oharness.web.chat.page import CHAT
from oharness.web.drawing import Drawing, Place, address
from oharness.web.entry import Entry
from oharness.web.events import Earshot, told
from oharness.web.guard import CLOSED_STYLE_PATH, OPEN_PATH, Guard
from oharness.web.projects import NoSuchPage, NoSuchProject, ProjectShelf
from oharness.web.rooms import Room, Rooms

_log = logging.getLogger(__name__)
_A_YEAR_S = 365 * 24 * 3600
_LET_GO_S = 60.0


class Site:
    """The pages of one home on one port of this machine. `app` is what a server runs; close it at the end.

    `language` is the setting, None where the browser decides.
    """

    def __init__(
        self, shelf: ProjectShelf, clock: Clock, randomness: Randomness, port: int, language: str | None = None
    ) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._clock = clock
        self._language = language
        self._entry = Entry(randomness)
        self._cookie = f"oharness_{port}"
        self._drawing = Drawing(clock)
        self._rooms = Rooms(shelf, self._drawing.warm)
        self._earshot = Earshot(clock)
        self._answering = Answering(self._drawing, self._rooms, self._earshot, language)
        self._closing = asyncio.Event()
        names = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
        self.app: ASGIApp = Guard(self._routes(), self._entry, names, self._cookie, self._closed)

    def address(self, key: str | None = None, page: str | None = None) -> str:
        """An address that lets one browser in, once, and goes on to a page."""
        steps = ("p", key, page or CHAT) if key else ()
        return self.url + address(("open",), {"token": self._entry.new_token(), "to": address(steps, {})})

    def end_streams(self) -> None:
        """Lets every open page know that nothing more comes, so that a server can stop."""
        self._closing.set()

    async def close(self) -> None:
        """Ends what goes on in conversations."""
        self.end_streams()
        self._earshot.close()
        await self._rooms.close()

    async def make_ready(self, key: str) -> None:
        """Opens a project and loads what its pages need, before a browser asks."""
        with suppress(OharnessError):  # whoever opens it is told
            await self._rooms.room(key)

    async def tidy_up(self) -> None:
        """Closes conversations that nobody looks at, now and then, until cancelled."""
        while True:
            await self._clock.sleep(_LET_GO_S)
            self._earshot.forget_old()
            await self._rooms.let_go()

    def _routes(self) -> Starlette:
        get, post = ["GET"], ["POST"]
        return Starlette(
            routes=[
                Route(OPEN_PATH, self._open, methods=get),
                Route(CLOSED_STYLE_PATH, self._closed_style, methods=get),
                Route("/", self._start, methods=get),
                Route("/language", self._choose_language, methods=post),
                Route("/here", self._here, methods=get),
                Route("/static/{name:path}", self._static, methods=get),
                Route("/p/{key}/events", self._events, methods=get),
                Route("/p/{key}", self._project, methods=get),
                Route("/p/{key}/{page}", self._full_page, methods=get),
                Route("/p/{key}/{page}/do/{action}", self._action, methods=post),
                Route("/p/{key}/{page}/{part}", self._part, methods=get),
                Route("/{rest:path}", self._nothing, methods=get),
            ]
        )

    async def _open(self, request: Request) -> Response:
        """Takes a token for a cookie, and goes on where no address shows the token any more."""
        cookie = self._entry.admit(request.query_params.get("token", ""))
        to = _own(request.query_params.get("to", "/"))
        if cookie is None:
            if self._entry.knows(request.cookies.get(self._cookie, "")):
                return self._onwards(request, to)
            return self._session_ended(request)
        response = self._onwards(request, to)
        response.set_cookie(self._cookie, cookie, httponly=True, samesite="strict", path="/")
        return response

    def _onwards(self, request: Request, to: str) -> Response:
        """The page that was meant. A browser that comes from another site sends no cookie along a redirect, so it is
        given a page of ours that goes on by itself.
        """
        if request.headers.get("sec-fetch-site") != "cross-site":
            return RedirectResponse(to, 303)
        fields = {"to": to, "style": CLOSED_STYLE_PATH}
        return HTMLResponse(
            self._drawing.draw("templates/entered.html", language_of(request, self._language), **fields)
        )

    async def _closed(self, scope: Any, receive: Any, send: Any) -> None:
        await self._session_ended(Request(scope))(scope, receive, send)

    def _session_ended(self, request: Request) -> Response:
        template = "templates/closed_part.html" if _is_part(request) else "templates/closed.html"
        html = self._drawing.draw(template, language_of(request, self._language), style=CLOSED_STYLE_PATH)
        return HTMLResponse(html, 401)

    async def _closed_style(self, request: Request) -> Response:
        return Response(self._drawing.static.content["closed.css"][0], media_type="text/css")

    async def _start(self, request: Request) -> Response:
        """The project that was used last."""
        try:
            known = await asyncio.to_thread(self._rooms.shelf.known)
        except OharnessError as error:
            return await self._answering.problem(request, error)
        key = next((one.key for one in known if one.is_here), None)
        if key is None:
            return await self._answering.problem(request, NoSuchProject("-"))
        return RedirectResponse(address(("p", key, CHAT), {}), 303)

    async def _project(self, request: Request) -> Response:
        return RedirectResponse(address(("p", request.path_params["key"], CHAT), {}), 303)

    async def _nothing(self, request: Request) -> Response:
        return await self._answering.problem(request, NoSuchPage(request.url.path))

    async def _choose_language(self, request: Request) -> Response:
        try:
            fields = await form_of(request)
        except OharnessError as error:
            return await self._answering.problem(request, error)
        response = Response(status_code=204, headers={"X-Go": _own(text(fields, "to"))})
        chosen = language_named(text(fields, "language"))
        if chosen is not None:
            response.set_cookie(LANGUAGE_COOKIE, chosen, _A_YEAR_S, httponly=True, samesite="strict", path="/")
        return response

    async def _here(self, request: Request) -> Response:
        """Asked by tabs in the background, instead of holding a stream: an open page is a use of the project."""
        key, name = request.query_params.get("project", ""), request.query_params.get("page", "")

        async def looked(room: Room, page: PageDescriptor) -> Response:
            if page.opened is not None:
                page.opened()
            return Response(status_code=204)

        return await self._in_room(request, key, name, looked)

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        static = self._drawing.static
        if name not in static.content:
            return Response(status_code=404)
        content, kind = static.content[name]
        current = static.is_current(name, request.query_params.get("v", ""))
        cache = "private, max-age=31536000, immutable" if current else "no-cache"
        return Response(content, media_type=kind, headers={"Cache-Control": cache})

    async def _full_page(self, request: Request) -> Response:
        async def drawn(room: Room, page: PageDescriptor) -> Response:
            return await self._answering.page(request, room, page, query_of(request))

        return await self._in_room(request, request.path_params["key"], request.path_params["page"], drawn)

    async def _part(self, request: Request) -> Response:
        async def drawn(room: Room, page: PageDescriptor) -> Response:
            return await self._answering.part(request, room, page, request.path_params["part"], query_of(request))

        return await self._in_room(request, request.path_params["key"], request.path_params["page"], drawn)

    async def _action(self, request: Request) -> Response:
        async def done(room: Room, page: PageDescriptor) -> Response:
            action = page.actions.get(request.path_params["action"])
            if action is None:
                raise NoSuchPage(request.path_params["action"])
            result = await action(await form_of(request))
            return await self._answering.after(request, room, page, from_action(result))

        return await self._in_room(request, request.path_params["key"], request.path_params["page"], done)

    async def _events(self, request: Request) -> Response:
        async def stream(room: Room, page: PageDescriptor) -> Response:
            query = query_of(request)
            language, place = language_of(request, self._language), Place(room.key, page.name)
            is_chat = page.name == CHAT

            def watch(mark: Callable[[str], None]) -> Callable[[], None]:
                return room.chat.watch(query, mark) if is_chat else lambda: None

            def piece(item_id: str) -> Mapping[str, Any] | None:
                item = room.chat.item(query, item_id)
                if item is None:
                    return None
                fields = {"item": item, "session": text(query, "session")}
                return {"id": item.id, "kind": item.kind, "html": self._answering.piece(language, place, room, fields)}

            kept = self._earshot.claimed(text(query, "ears"), page)
            events = told(page, kept, watch, piece, self._clock, self._closing)
            headers = {"X-Accel-Buffering": "no"}
            return StreamingResponse(events, media_type="text/event-stream", headers=headers)

        return await self._in_room(request, request.path_params["key"], request.query_params.get("page", ""), stream)

    async def _in_room(
        self, request: Request, key: str, page: str, then: Callable[[Room, PageDescriptor], Awaitable[Response]]
    ) -> Response:
        """Whatever goes wrong is said in words where it happened; nothing takes the server down."""
        try:
            room = await self._rooms.room(key)
            return await then(room, room.page(page))
        except OharnessError as error:
            return await self._answering.problem(request, error)
        except Exception:  # noqa: BLE001  the request handler's promise: a fault of a page is that page's alone
            _log.exception("a request failed: %s %s", request.method, request.url.path)
            return await self._answering.problem(request, OharnessError(), 500)


def _own(wanted: str) -> str:
    """An address of these pages; the start for any other. Browsers drop tabs and line ends from one."""
    path = quote(wanted, safe="/?&=%+,:;@!$'()*~-._#[]")
    is_own = path.startswith("/") and not path.startswith(("//", OPEN_PATH)) and "\\" not in wanted
    return path if is_own else "/"


def _is_part(request: Request) -> bool:
    return request.headers.get("hx-request") == "true" or request.url.path.endswith("/events")
