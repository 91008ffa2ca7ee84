"""What a page that is open is told: one stream of server-sent events for each tab."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from typing import Any

from oharness.core.clock import Clock
from oharness.harness.pages import PageDescriptor

GATHER_S = 0.06
"""Changes that come together are told together."""
DRAWING_SHARE = 8
"""A long answer that grows is drawn again and again: it is told as many times more rarely as drawing it takes."""
CLAIM_S = 30.0
"""How long a page that was drawn may take to open its stream."""
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


@dataclass(frozen=True, slots=True)
class Kept:
    """Ears that listen already, until when they wait for their tab, and what ends the listening."""

    ears: Ears
    leave: Callable[[], None]
    until: float = 0.0


def listening(page: PageDescriptor, until: float = 0.0) -> Kept:
    """Ears for a page from now on."""
    ears = Ears()
    leave = page.changes(lambda: ears.mark(PAGE)) if page.changes is not None else lambda: None
    return Kept(ears, leave, until)


class Earshot:
    """Ears of pages that are being drawn, kept until the tab's stream comes: no change between is missed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[str, Kept] = {}
        self._names = count(1)

    def begin(self, page: PageDescriptor) -> str:
        """The name under which the tab will ask for them; empty for a page that never tells of changes."""
        self.forget_old()
        if page.changes is None:
            return ""
        name = str(next(self._names))
        self._kept[name] = listening(page, self._clock.monotonic() + CLAIM_S)
        return name

    def claimed(self, name: str, page: PageDescriptor) -> Kept:
        """Those of that name; new ones where they were claimed before, or too late."""
        return self._kept.pop(name, None) or listening(page)

    def forget_old(self) -> None:
        """Ends what no tab came for."""
        now = self._clock.monotonic()
        for name in [name for name, kept in self._kept.items() if kept.until < now]:
            self._kept.pop(name).leave()

    def close(self) -> None:
        """Ends all of them."""
        while self._kept:
            self._kept.popitem()[1].leave()


async def told(
    page: PageDescriptor,
    kept: Kept,
    watch: Callable[[Callable[[str], None]], Callable[[], None]],
    piece: Callable[[str], Mapping[str, Any] | None],
    clock: Clock,
    closing: asyncio.Event,
) -> AsyncIterator[str]:
    """The stream of one tab until it, or the server, closes.

    `watch` is given what marks items of the page, `piece` gives one as it is now.
    """
    ears = kept.ears
    with ExitStack() as stack:
        stack.callback(kept.leave)
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
