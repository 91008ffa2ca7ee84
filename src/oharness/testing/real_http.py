"""The service behind a real web server on loopback, and a relay in front of it that loses answers."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import uvicorn

_CHUNK = 65_536


@contextlib.asynccontextmanager
async def serving(app: Any) -> AsyncIterator[str]:
    """The address of an ASGI application, for as long as it is served."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        running = asyncio.ensure_future(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running


@dataclass(slots=True)
class Relay:
    """Passes connections on to `port`; the next `losing` answers are swallowed and their connections closed.

    Only answers to requests whose path holds `about` are lost.
    """

    port: int
    about: bytes = b""
    losing: int = 0
    lost: int = 0
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection from a client."""
        upstream_reader, upstream = await asyncio.open_connection("127.0.0.1", self.port)
        self._open |= {writer, upstream}
        asked = [b""]
        try:
            await asyncio.gather(
                self._up(reader, upstream, asked), self._down(upstream_reader, writer, upstream, asked)
            )
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._open -= {writer, upstream}
            writer.close()
            upstream.close()

    async def _up(self, reader: asyncio.StreamReader, upstream: asyncio.StreamWriter, asked: list[bytes]) -> None:
        while data := await reader.read(_CHUNK):
            if data.split(b" ", 1)[0] in (b"GET", b"POST"):
                asked[0] = data.split(b"\r\n", 1)[0]
            upstream.write(data)
            await upstream.drain()
        upstream.close()

    async def _down(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        upstream: asyncio.StreamWriter,
        asked: list[bytes],
    ) -> None:
        while data := await reader.read(_CHUNK):
            if self.losing and self.about in asked[0]:
                self.losing -= 1
                self.lost += 1
                upstream.close()
                writer.close()
                return
            writer.write(data)
            await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def relaying(relay: Relay) -> AsyncIterator[str]:
    """The relay's address, for as long as it listens."""
    server = await asyncio.start_server(relay.connection, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
