"""Answers that are sent as they come about: the caller reads the beginning while the rest is still looked up."""

import asyncio
import zlib
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from oharness.protocol.snapshot import LISTING_END, encode_listed_notes, encode_listing_begin
from oharness.syncserver.snapshot import Listed

SECONDS_FOR_A_PART = 60.0


class Offload(Protocol):
    """Runs long computations where they do not hold up other requests."""

    async def __call__(self, function: Callable[..., Any], /, *args: Any) -> Any: ...


class Streamed(Response):
    """An answer in parts. One that cannot be ended breaks the connection, so that nobody takes it for whole."""

    def __init__(self, parts: AsyncGenerator[bytes, None], headers: dict[str, str]) -> None:
        super().__init__(headers=headers)
        del self.headers["content-length"]
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._parts):
            while (part := await self._next()) is not None:
                await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _next(self) -> bytes | None:
        async with asyncio.timeout(SECONDS_FOR_A_PART):
            return await _next_of(self._parts)


def short_listing(listed: Listed) -> bytes:
    """The body of a listing's answer, of which there is no more than the first part."""
    return encode_listing_begin(listed.answer) + encode_listed_notes(listed.first) + LISTING_END


async def listing_parts(listed: Listed) -> AsyncGenerator[bytes, None]:
    """The body of a listing's answer."""
    yield encode_listing_begin(listed.answer) + encode_listed_notes(listed.first)
    if listed.more is not None:
        async with aclosing(listed.more) as more:
            async for notes in more:
                yield b"," + encode_listed_notes(notes)
    yield LISTING_END


async def compressed(parts: AsyncGenerator[bytes, None], offload: Offload) -> AsyncGenerator[bytes, None]:
    """The same, compressed; each part while the next one is being read."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    async with aclosing(parts), aclosing(_one_ahead(parts)) as ahead:
        async for part in ahead:
            if data := await offload(packer.compress, part):
                yield data
    yield packer.flush()


async def _one_ahead(parts: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    upcoming = asyncio.create_task(_next_of(parts))
    try:
        while (part := await upcoming) is not None:
            upcoming = asyncio.create_task(_next_of(parts))
            yield part
    finally:
        upcoming.cancel()
        await asyncio.gather(upcoming, return_exceptions=True)


async def _next_of(parts: AsyncGenerator[bytes, None]) -> bytes | None:
    return await anext(parts, None)
