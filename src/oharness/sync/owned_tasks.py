"""Tasks that somebody owns: their faults are told as errors, and ending them waits until nothing of them runs."""

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from oharness.core.errors import Failed, OharnessError

_log = logging.getLogger(__name__)

_Result = TypeVar("_Result")


@dataclass(eq=False)
class PassBroke(Failed):
    """A pass ended by a fault of our own (`detail`); it is tried again later."""

    detail: str


async def unbroken(name: str, work: Awaitable[_Result]) -> _Result | OharnessError:
    """What the work gives, or the error that ended it.

    "Sync retries transient failures": a fault of our own is one of them, and never ends the loop.
    """
    try:
        return await work
    except OharnessError as error:
        return error
    except Exception as error:  # noqa: BLE001 - see above
        _log.warning("%s broke", name, exc_info=True)
        return PassBroke(f"{type(error).__name__}: {error}")


async def ended(tasks: "Iterable[asyncio.Future[Any]]") -> None:
    """Cancels them and waits until nothing of them runs any more."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
