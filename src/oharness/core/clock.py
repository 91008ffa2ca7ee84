"""The time as an argument. The real clock is `oharness.system`, the test one `oharness.testing.clock`."""

from typing import NewType, Protocol

Millis = NewType("Millis", int)
"""Milliseconds since the epoch, UTC, as written in notes and state files."""


class Clock(Protocol):
    """Tells the time and waits."""

    def now_ms(self) -> Millis:
        """Wall-clock time; may jump in either direction when somebody sets the clock."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Returns after at least `seconds`; cancellation ends it early."""
        ...
