"""Ctrl-C: it ends a run that goes on, not the program; or the program, cleanly."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

_ENDS = ("SIGINT", "SIGTERM", "SIGHUP")


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


async def until_ended(work: Coroutine[Any, Any, None]) -> None:
    """Runs until Ctrl-C, or until the system ends this process; a second one does not disturb the cleaning up.

    A closed terminal ends it too, unless it was started with `nohup`.
    Raises: whatever the work raises.
    """
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for name in _ENDS:
        with contextlib.suppress(AttributeError, NotImplementedError, ValueError):  # Windows, or not the main thread
            number = getattr(signal, name)
            if name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, _cancelling_once(task))
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _cancelling_once(task: "asyncio.Future[None]") -> Callable[[], None]:
    asked: list[bool] = []

    def cancel() -> None:
        if not asked:
            task.cancel()
        asked.append(True)

    return cancel


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
