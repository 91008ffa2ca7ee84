"""Chance that comes out the same in every run."""

import random
import uuid


class SeededRandomness:
    """The same ids and jitter for the same seed."""

    def __init__(self, seed: int | str = 0) -> None:
        self._random = random.Random(seed)

    def text(self, alphabet: str, length: int) -> str:
        return "".join(self._random.choice(alphabet) for _ in range(length))

    def token(self, nbytes: int) -> str:
        return self._random.randbytes(nbytes).hex()

    def uuid(self) -> str:
        return str(uuid.UUID(bytes=self._random.randbytes(16), version=4))

    def uniform(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)
