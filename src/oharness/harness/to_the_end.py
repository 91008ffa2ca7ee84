"""Cancellation: finishing a step that must not be left half done, and seeing one that other code has hidden."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def was_cancelled() -> bool:
    """Whether somebody wants this task to end. Plugins' code may have caught that and raised something else."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def to_the_end(step: Coroutine[Any, Any, _Result]) -> _Result:
    """The step's result. Cancelled meanwhile, it still waits for the step and only then passes the cancellation on.

    Raises: what the step raises; for steps that end soon, such as one write to a file.
    """
    task = asyncio.ensure_future(step)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait((task,))
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            task.exception()  # retrieved: the cancellation is what the caller hears of
        raise
