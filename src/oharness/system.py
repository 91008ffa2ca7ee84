"""The real clock and the real chance; only entry points import this."""

import time

from oharness.core.clock import Millis


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> Millis:
        return Millis(time.time_ns() // 1_000_000)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        import asyncio  # slow to import, and only those who wait need it

        await asyncio.sleep(seconds)


class SystemRandomness:
    """The machine's source of unpredictable bytes."""

    def text(self, alphabet: str, length: int) -> str:
        import secrets

        return "".join(secrets.choice(alphabet) for _ in range(length))

    def token(self, nbytes: int) -> str:
        import secrets

        return secrets.token_hex(nbytes)

    def uuid(self) -> str:
        import uuid

        return str(uuid.uuid4())

    def uniform(self, low: float, high: float) -> float:
        import random

        return random.SystemRandom().uniform(low, high)
