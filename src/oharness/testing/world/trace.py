"""What happened in a world, line by line, and a hash by which two runs are compared."""

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Trace:
    """`counts` are the events and faults by kind; `now` gives the world's time in seconds."""

    now: Callable[[], float]
    lines: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def say(self, who: str, what: str) -> None:
        """Adds a line."""
        self.lines.append(f"{self.now():>14.3f} {who:<8} {what}")

    def event(self, kind: str, who: str, what: str = "") -> None:
        """Adds a line for an event that is counted."""
        self.counts[kind] += 1
        self.say(who, f"{kind} {what}".rstrip())

    @property
    def digest(self) -> str:
        """Equal for runs in which the same happened in the same order."""
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()
