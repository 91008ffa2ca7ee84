"""The real clock and the real chance; only entry points import this."""

import asyncio
import random
import secrets
import time
import uuid

from oharness.core.clock import Millis


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> Millis:
        return Millis(time.time_ns() // 1_000_000)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class SystemRandomness:
    """The machine's source of unpredictable bytes."""

    def text(self, alphabet: str, length: int) -> str:
        return "".join(secrets.choice(alphabet) for _ in range(length))

    def token(self, nbytes: int) -> str:
        return secrets.token_hex(nbytes)

    def uuid(self) -> str:
        return str(uuid.uuid4())

    def uniform(self, low: float, high: float) -> float:
        return random.SystemRandom().uniform(low, high)
