"""A coroutine that reports events, as an async generator that owns it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, Generic, Protocol, TypeVar

_Event = TypeVar("_Event")
_Shown = TypeVar("_Shown", contravariant=True)


class Outlet(Protocol[_Shown]):
    """Where a coroutine puts its events."""

    def show(self, event: _Shown) -> None:
        """Hands an event on; never waits."""
        ...

    async def all_shown(self) -> None:
        """Returns when every event so far was dealt with, so that a question to the person comes after them."""
        ...


async def relayed(work: Callable[[Outlet[_Event]], Coroutine[Any, Any, None]]) -> AsyncGenerator[_Event, None]:
    """The events of `work` while it runs, then what it raises.

    The work ends with the iteration: cancelling the caller or closing the generator cancels it and waits for it.
    """
    queue: _Queue[_Event] = _Queue()
    task = asyncio.create_task(work(queue))
    task.add_done_callback(lambda _: queue.end())
    try:
        while (event := await queue.next()) is not None:
            yield event
            queue.dealt_with()
        await task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait((task,))


class _Queue(Generic[_Event]):
    def __init__(self) -> None:
        self._events: asyncio.Queue[_Event | None] = asyncio.Queue()

    def show(self, event: _Event) -> None:
        self._events.put_nowait(event)

    async def all_shown(self) -> None:
        await self._events.join()

    async def next(self) -> _Event | None:
        return await self._events.get()

    def dealt_with(self) -> None:
        self._events.task_done()

    def end(self) -> None:
        self._events.put_nowait(None)
