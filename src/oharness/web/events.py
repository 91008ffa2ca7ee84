"""What a page that is open is told: one stream of server-sent events for each tab."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack
from typing import Any

from oharness.core.clock import Clock
from oharness.harness.pages import PageDescriptor

GATHER_S = 0.06
"""Changes that come together are told together."""
DRAWING_SHARE = 8
"""A long answer that grows is drawn again and again: it is told as many times more rarely as drawing it takes."""
QUIET_S = 20.0
"""How often a tab that hears nothing is told that the server is there, which counts as looking at the page."""

PAGE = "page"


class Ears:
    """What one tab has still to be told; marks come from any thread, each once."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._marked: dict[str, None] = {}
        self._wake = asyncio.Event()

    def mark(self, name: str) -> None:
        """An item, or the page, has changed."""
        try:
            here: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if here is self._loop:
            self._add(name)
        else:
            self._loop.call_soon_threadsafe(self._add, name)

    def _add(self, name: str) -> None:
        self._marked[name] = None
        self._wake.set()

    async def heard(self, clock: Clock, gather_s: float) -> list[str]:
        """What was marked since, in that order; nothing after a while of silence."""
        try:
            async with asyncio.timeout(QUIET_S):
                await self._wake.wait()
        except TimeoutError:
            return []
        await clock.sleep(gather_s)
        marked, self._marked = list(self._marked), {}
        self._wake.clear()
        return marked


async def told(
    page: PageDescriptor,
    watch: Callable[[Callable[[str], None]], Callable[[], None]],
    piece: Callable[[str], Mapping[str, Any] | None],
    clock: Clock,
    closing: asyncio.Event,
) -> AsyncIterator[str]:
    """The stream of one tab until it, or the server, closes.

    `watch` is given what marks items of the page, `piece` gives one as it is now.
    """
    ears = Ears()
    with ExitStack() as stack:
        if page.changes is not None:
            stack.callback(page.changes(lambda: ears.mark(PAGE)))
        stack.callback(watch(ears.mark))
        yield "retry: 1500\n\n"
        gather_s = GATHER_S
        while not closing.is_set():
            if page.opened is not None:
                page.opened()
            names = await _or_closing(ears.heard(clock, gather_s), closing)
            if not names:
                yield ": here\n\n"
            began = clock.monotonic()
            for name in names:
                if name == PAGE:
                    yield event("changed", {"page": page.name})
                elif (content := piece(name)) is not None:
                    yield event("piece", content)
            gather_s = max(GATHER_S, DRAWING_SHARE * (clock.monotonic() - began))


def event(name: str, content: Mapping[str, Any]) -> str:
    """One event with a JSON object in it."""
    return f"event: {name}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"


async def _or_closing(hearing: Any, closing: asyncio.Event) -> list[str]:
    heard = asyncio.ensure_future(hearing)
    end = asyncio.ensure_future(closing.wait())
    try:
        await asyncio.wait((heard, end), return_when=asyncio.FIRST_COMPLETED)
        return list(heard.result()) if heard.done() else []
    finally:
        for task in (heard, end):
            task.cancel()
        await asyncio.gather(heard, end, return_exceptions=True)
