"""Keeps the terminal from writing typed keys into what is being drawn.

Keys typed meanwhile are not lost: the next prompt gets them. On Windows, and without a terminal, nothing is done.
"""

import contextlib
import sys
from typing import Any


class TerminalEcho:
    """The echo of one terminal; `fd` is its input, None for none."""

    def __init__(self, fd: int | None) -> None:
        self._fd = fd
        self._before: list[Any] | None = None

    def off(self) -> None:
        """Until `on`; may be called twice."""
        if sys.platform == "win32" or self._fd is None or self._before is not None:
            return
        import termios

        with contextlib.suppress(termios.error, OSError):
            before = termios.tcgetattr(self._fd)
            quiet = [*before]
            quiet[3] &= ~termios.ECHO
            termios.tcsetattr(self._fd, termios.TCSADRAIN, quiet)
            self._before = before

    def on(self) -> None:
        """As it was before `off`; may be called twice."""
        if sys.platform == "win32" or self._fd is None or self._before is None:
            return
        import termios

        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)
        self._before = None


def echo_of_stdin() -> TerminalEcho:
    """The echo of the terminal that this program reads from."""
    try:
        return TerminalEcho(sys.stdin.fileno() if sys.stdin.isatty() else None)
    except (OSError, ValueError, AttributeError):
        return TerminalEcho(None)
