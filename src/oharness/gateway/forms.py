"""The forms that browsers and devices send: bounded, one value for each name."""

import asyncio
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request

MAX_BYTES = 65_536
_MAX_FIELDS = 40
_BODY_S = 15.0
_FORM = "application/x-www-form-urlencoded"


class FormUnusable(Exception):
    """The body is no form; `status` is what HTTP calls it."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


async def read_form(request: Request) -> Mapping[str, str]:
    """The fields of the request's body.

    Raises: FormUnusable: 415 for another media type, 413 above 64 KiB, 400 for what is no form or names a field twice.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise FormUnusable(415, f"The body must be {_FORM}.")
    try:
        async with asyncio.timeout(_BODY_S):
            body = await _body(request)
    except TimeoutError:
        raise FormUnusable(400, "The body took too long to arrive.") from None
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="strict")
    except ValueError:
        raise FormUnusable(400, "The body is not a form.") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise FormUnusable(400, "A field is there twice.")
    if "\x00" in "".join(fields.values()):
        raise FormUnusable(400, "A field holds a NUL.")
    return fields


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BYTES:
            raise FormUnusable(413, f"A form may have {MAX_BYTES} bytes.")
    return body
