"""One request for a page: whose browser it is, who is signed in, which language is spoken."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request

from oharness.gateway.accounts import Account
from oharness.gateway.cloud import Cloud
from oharness.gateway.web_sessions import form_token
from oharness.language.catalogue import ENGLISH, LANGUAGES, Catalogue, language_named

LANGUAGE_COOKIE = "oharness-language"
LANGUAGE_FIELD = "language"
_SESSION_COOKIE = "oharness-cloud"
_MAX_COOKIE_CHARS = 200


@dataclass(frozen=True, slots=True)
class Visit:
    """What every page needs; `had_cookie` is False for a browser that was never here."""

    request: Request
    cookie: str
    had_cookie: bool
    account: Account | None
    words: Catalogue
    form_token: str


async def visit_of(request: Request, cloud: Cloud) -> Visit:
    """The visit that a request belongs to.

    Raises: DatabaseUnavailable.
    """
    given = request.cookies.get(session_cookie(cloud), "")
    cookie = given if 0 < len(given) <= _MAX_COOKIE_CHARS else cloud.sessions.new_cookie()
    account = await cloud.sessions.account(cookie) if cookie == given else None
    words = Catalogue(language_of(request))
    return Visit(request, cookie, cookie == given, account, words, form_token(cloud.secret, cookie))


def session_cookie(cloud: Cloud) -> str:
    """The cookie's name; over TLS one that no other host and no plain connection can set."""
    return f"__Host-{_SESSION_COOKIE}" if cloud.settings.is_https else _SESSION_COOKIE


def language_of(request: Request) -> str:
    """The language that was chosen on a page, else the first of the browser's that we speak, else English."""
    chosen = language_named(request.cookies.get(LANGUAGE_COOKIE, ""))
    if chosen is not None:
        return chosen
    return next(
        (known for wish in _wishes(request.headers) if (known := language_named(wish)) is not None),
        ENGLISH,
    )


def chosen_language(request: Request) -> str | None:
    """The language that a link on a page asks for."""
    asked = request.query_params.get(LANGUAGE_FIELD, "")
    return asked if asked in LANGUAGES else None


def _wishes(headers: Mapping[str, str]) -> list[str]:
    """The languages of `Accept-Language`, the most wanted first."""
    wishes: list[tuple[float, int, str]] = []
    for place, part in enumerate(headers.get("accept-language", "")[:500].split(",")):
        name, _, weight = part.partition(";")
        try:
            wanted = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if wanted > 0:
            wishes.append((-wanted, place, name.strip()))
    return [name for _, _, name in sorted(wishes)]
