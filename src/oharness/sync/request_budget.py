"""How many requests a process may make: about twenty a minute, and none while the service says 429. No I/O."""

from dataclasses import dataclass, replace
from math import inf

PER_MINUTE = 20
KEPT_FOR_PASSES = 3
"""How many of these checks leave to passes: what somebody writes must not wait for questions that found nothing."""
WINDOW_S = 60.0
LONGEST_PAUSE_S = 3600.0


@dataclass(frozen=True, slots=True)
class RequestBudget:
    """The requests of the last minute, in seconds of a monotonic clock, and a pause of all directories."""

    made: tuple[float, ...] = ()
    paused_until: float = -inf

    def spent(self, now: float, requests: int = 1) -> "RequestBudget":
        """After that many requests; only the last minute is remembered."""
        recent = tuple(at for at in self.made if at > now - WINDOW_S)
        return replace(self, made=(*recent, *([now] * requests)))

    def paused(self, now: float, retry_after_s: float) -> "RequestBudget":
        """After a 429: nothing until then, for every directory of the process; an hour at most."""
        until = now + min(max(retry_after_s, 1.0), LONGEST_PAUSE_S)
        return replace(self, paused_until=max(self.paused_until, until))

    def free_at(self, now: float) -> float:
        """When the next automatic request may be made: `now`, or later."""
        return self._room_at(now, PER_MINUTE)

    def free_for_checks_at(self, now: float) -> float:
        """The same for a request that only asks whether something changed."""
        return self._room_at(now, PER_MINUTE - KEPT_FOR_PASSES)

    def _room_at(self, now: float, most: int) -> float:
        recent = [at for at in self.made if at > now - WINDOW_S]
        room_at = now if len(recent) < most else recent[-most] + WINDOW_S
        return max(now, room_at, self.paused_until)
