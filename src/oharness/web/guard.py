"""What stands before every request: host, origin and session are checked, and every answer carries strict headers.

A page elsewhere can make a browser send requests to this machine, under a name that it controls (DNS rebinding), as
a form or as plain text. None of that gets further than here.
"""

from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oharness.web.entry import Entry

OPEN_PATH = "/open"
CLOSED_STYLE_PATH = "/closed.css"
_FREE = (OPEN_PATH, CLOSED_STYLE_PATH)
_STATIC = "/static/"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """ASGI middleware. `closed` answers who has no session; `names` are the Host headers that mean this machine."""

    def __init__(self, app: ASGIApp, entry: Entry, names: frozenset[str], cookie: str, closed: ASGIApp) -> None:
        self._app = app
        self._entry = entry
        self._names = names
        self._cookie = cookie
        self._closed = closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        app = self._turned_away(scope, headers) or (self._app if self._is_inside(scope, headers) else self._closed)
        await app(scope, receive, _with_headers(send, scope["path"]))

    def _turned_away(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or host not in self._names:
            return PlainTextResponse("This address is not served here.", 421)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Not allowed.", 405, {"Allow": "GET, HEAD, POST"})
        if scope["method"] == "POST" and headers.get("origin") != f"http://{host}":
            return PlainTextResponse("This request does not come from a page of oHarness.", 403)
        if not _is_from_here(headers):
            return PlainTextResponse("This request does not come from a page of oHarness.", 403)
        return None

    def _is_inside(self, scope: Scope, headers: Headers) -> bool:
        if scope["path"] in _FREE and scope["method"] != "POST":
            return True
        return self._entry.knows(cookie_named(headers.get("cookie", ""), self._cookie))


def cookie_named(header: str, name: str) -> str:
    """The value of a cookie; empty where there is none."""
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def _is_from_here(headers: Headers) -> bool:
    """Another site may link to a page, and nothing else."""
    site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "")
    return site in ("none", "same-origin") or (mode == "navigate" and headers.get("sec-fetch-dest") == "document")


def _with_headers(send: Send, path: str) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            if not path.startswith(_STATIC):
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sent
