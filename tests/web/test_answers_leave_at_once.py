"""Small answers are not held back: with them every click would cost forty milliseconds more."""

import asyncio
import socket

from oharness.wiring.web import _listening


async def test_a_connection_sends_an_answer_without_waiting_for_the_browser_to_acknowledge_its_head() -> None:
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with _listening(0) as listening:
        async with await asyncio.start_server(connected, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname()[:2])
            assert await accepted
            writer.close()
            await writer.wait_closed()
