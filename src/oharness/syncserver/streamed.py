"""Answers that are sent as they come about: the caller reads the beginning while the rest is still looked up."""

import asyncio
import zlib
from collections.abc import AsyncIterator

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from oharness.protocol.snapshot import LISTING_END, encode_listed_notes, encode_listing_begin
from oharness.syncserver.snapshot import Listed

SECONDS_FOR_A_PART = 60.0


class Streamed(Response):
    """An answer in parts. One that cannot be ended breaks the connection, so that nobody takes it for whole."""

    def __init__(self, parts: AsyncIterator[bytes], headers: dict[str, str]) -> None:
        super().__init__(headers=headers)
        del self.headers["content-length"]
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        while (part := await self._next()) is not None:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _next(self) -> bytes | None:
        async with asyncio.timeout(SECONDS_FOR_A_PART):
            return await anext(self._parts, None)


def short_listing(listed: Listed) -> bytes:
    """The body of a listing's answer, of which there is no more than the first part."""
    return encode_listing_begin(listed.answer) + encode_listed_notes(listed.first) + LISTING_END


async def listing_parts(listed: Listed) -> AsyncIterator[bytes]:
    """The body of a listing's answer."""
    yield encode_listing_begin(listed.answer) + encode_listed_notes(listed.first)
    if listed.more is not None:
        async for notes in listed.more:
            yield b"," + encode_listed_notes(notes)
    yield LISTING_END


async def compressed(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same, compressed."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    async for part in parts:
        if data := packer.compress(part):
            yield data
    yield packer.flush()
