"""Chance as an argument. The real one is `oharness.system`; tests pass a seeded one."""

from typing import Protocol


class Randomness(Protocol):
    """Where ids and jitter come from."""

    def text(self, alphabet: str, length: int) -> str:
        """`length` characters, each drawn from `alphabet`."""
        ...

    def token(self, nbytes: int) -> str:
        """Lowercase hex of `nbytes` unpredictable bytes."""
        ...

    def uuid(self) -> str:
        """A version-4 UUID in its usual spelling."""
        ...

    def uniform(self, low: float, high: float) -> float:
        """A number between both, for jitter."""
        ...
