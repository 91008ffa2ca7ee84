"""Blocking work beside the event loop that is never left half done."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


async def in_thread(
    work: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """What the work returns. When the caller is cancelled, the work is waited for before the cancellation goes on.

    A thread cannot be stopped: without the wait it would go on writing after its lock was given back.
    """
    async with in_thread_meanwhile(work, *args, **kwargs) as running:
        return await asyncio.shield(running)


@asynccontextmanager
async def in_thread_meanwhile(
    work: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> "AsyncIterator[asyncio.Future[_Result]]":
    """Work that goes on while the block waits for something else. It has ended when the block is left, however that is.

    Its result, or its error, is of the future; shield it to wait for it.
    """
    running = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        yield running
    finally:
        cancelled = None
        while not running.done():
            try:
                await asyncio.wait([running])
            except asyncio.CancelledError as again:
                cancelled = again
        if not running.cancelled():
            running.exception()  # seen
        if cancelled is not None:
            raise cancelled
