"""Messages and answers as lines of standard input, for a pipe, a file, or a terminal without the `chat` extra."""

import asyncio
import threading
from typing import TextIO


class PlainInput:
    """One line after the other; a line that ends in a backslash goes on in the next one.

    A thread waits for the lines, since a run's background work goes on meanwhile; it does not outlive the process.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reader: threading.Thread | None = None

    async def message(self) -> str:
        """The next message.

        Raises: EOFError when there are no more.
        """
        parts: list[str] = []
        while True:
            line = await self._line()
            if line is None:
                if parts:
                    return "\n".join(parts)
                raise EOFError
            if not line.endswith("\\"):
                return "\n".join([*parts, line])
            parts.append(line.removesuffix("\\"))

    async def answer(self) -> str:
        """The next line, as it is.

        Raises: EOFError when there are no more.
        """
        line = await self._line()
        if line is None:
            raise EOFError
        return line

    async def _line(self) -> str | None:
        if self._reader is None:
            loop = asyncio.get_running_loop()
            self._reader = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._reader.start()
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
        return line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        line: str | None = ""
        while line is not None:
            try:
                read = self._stream.readline()
            except (OSError, ValueError):
                read = ""
            line = read.rstrip("\r\n") if read else None
            try:
                loop.call_soon_threadsafe(self._lines.put_nowait, line)
            except RuntimeError:  # the loop has ended, and nobody waits any more
                return
