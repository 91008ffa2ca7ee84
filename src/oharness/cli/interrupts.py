"""Ctrl-C while a run goes on: the run is cancelled cleanly, the program is not."""

import asyncio
import contextlib
import signal
from collections.abc import Coroutine, Iterator
from typing import Any


async def until_interrupted(work: Coroutine[Any, Any, None]) -> bool:
    """Waits for the work, or for Ctrl-C to end it; True when it was interrupted.

    Raises: whatever the work raises.
    """
    task = asyncio.ensure_future(work)
    with _cancelled_by_ctrl_c(task) as pressed:
        try:
            await task
        except asyncio.CancelledError:
            if not pressed:
                raise
    return bool(pressed)


@contextlib.contextmanager
def _cancelled_by_ctrl_c(task: "asyncio.Future[None]") -> Iterator[list[bool]]:
    """While this is open, Ctrl-C cancels the task; the list is no longer empty afterwards."""
    loop = asyncio.get_running_loop()
    pressed: list[bool] = []

    def cancel() -> None:
        pressed.append(True)
        task.cancel()

    before = signal.getsignal(signal.SIGINT)
    try:
        loop.add_signal_handler(signal.SIGINT, cancel)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(cancel))
    try:
        yield pressed
    finally:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)
        with contextlib.suppress(ValueError, TypeError):
            signal.signal(signal.SIGINT, before)
