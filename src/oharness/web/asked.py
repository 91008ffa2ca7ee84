"""What a request asks for: its query, its form, its language."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from oharness.core.errors import Refused
from oharness.language.catalogue import ENGLISH, language_named

LANGUAGE_COOKIE = "oharness_language"
MAX_FORM_BYTES = 4 * 1024 * 1024
_MAX_FIELDS = 20_000


@dataclass(eq=False)
class FormTooLarge(Refused):
    """More than `limit_bytes` were sent at once."""

    limit_bytes: int


def fields_of(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Each name's value; a list where it stands several times."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        before = found.get(name)
        if before is None:
            found[name] = value
        else:
            found[name] = [*before, value] if isinstance(before, list) else [before, value]
    return found


def query_of(request: Request) -> dict[str, Any]:
    """The query of the address."""
    return fields_of(request.query_params.multi_items())


async def form_of(request: Request) -> dict[str, Any]:
    """The fields of a form, sent as browsers do without files; anything else has none.

    Raises: FormTooLarge.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        return {}
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_FORM_BYTES:
            raise FormTooLarge(MAX_FORM_BYTES)
    try:
        pairs = parse_qsl(bytes(body).decode("ascii", "replace"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise FormTooLarge(MAX_FORM_BYTES) from None
    return fields_of((name, value.replace("\r\n", "\n")) for name, value in pairs)


def text(fields: Mapping[str, Any], name: str) -> str:
    """One value, the last where there are several; empty where there is none."""
    value = fields.get(name, "")
    return str(value[-1] if isinstance(value, list) else value)


def number(fields: Mapping[str, Any], name: str) -> int:
    """One value as a number; 0 for anything else."""
    value = text(fields, name)[:15]
    return int(value) if value.isdecimal() else 0


def language_of(request: Request, setting: str | None) -> str:
    """What was chosen on the page, else the setting, else what the browser asks for."""
    chosen = language_named(request.cookies.get(LANGUAGE_COOKIE, ""))
    return chosen or setting or accepted(request.headers.get("accept-language", ""))


def accepted(header: str) -> str:
    """The language of ours that an Accept-Language header likes best; English where it likes none."""
    liked: list[tuple[float, int, str]] = []
    for place, part in enumerate(header[:500].split(",")):
        name, _, rest = part.partition(";")
        known = language_named(name)
        if known and (weight := _weight(rest)) > 0:
            liked.append((-weight, place, known))
    return min(liked)[2] if liked else ENGLISH


def _weight(rest: str) -> float:
    name, _, value = rest.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
