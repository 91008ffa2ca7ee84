"""How many requests an account may make in a minute, and how long it has to wait for the next one."""

import logging
import math
from collections import deque
from typing import Any, Protocol

from oharness.core.clock import Clock

WINDOW_S = 60.0
_STORE_SECONDS = 1.0
_MOST_ACCOUNTS = 50_000
_LOG = logging.getLogger("oharness.syncserver")


class RateLimit(Protocol):
    """Counts the requests of accounts."""

    async def wait_for(self, account: str) -> int:
        """Counts one request and gives 0, or gives the whole seconds until one would be let in, counting nothing."""
        ...

    async def close(self) -> None:
        """Lets go of connections; the limit is not used after."""
        ...


class NoLimit:
    """Everybody may, always."""

    async def wait_for(self, account: str) -> int:
        return 0

    async def close(self) -> None:
        return None


class LocalLimit:
    """A moving window in this process, for a service of one replica."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._times: dict[str, deque[float]] = {}

    async def wait_for(self, account: str) -> int:
        now = self._clock.monotonic()
        times = self._times.setdefault(account, deque())
        while times and times[0] <= now - WINDOW_S:
            times.popleft()
        if len(times) >= self._per_minute:
            return max(1, math.ceil(times[0] + WINDOW_S - now))
        times.append(now)
        if len(self._times) > _MOST_ACCOUNTS:
            self._forget_idle(now)
        return 0

    async def close(self) -> None:
        self._times.clear()

    def _forget_idle(self, now: float) -> None:
        idle = [account for account, times in self._times.items() if not times or times[-1] <= now - WINDOW_S]
        for account in idle:
            del self._times[account]


class SharedLimit:
    """A moving window in Redis or Valkey, for several replicas. While that does not answer, everybody may."""

    def __init__(self, per_minute: int, url: str, clock: Clock) -> None:
        from limits import RateLimitItemPerMinute
        from limits.aio.strategies import MovingWindowRateLimiter
        from limits.storage import storage_from_string
        from redis.asyncio import ConnectionPool

        address = url.replace("valkey", "redis", 1) if url.startswith("valkey") else url  # the same protocol
        self._pool = ConnectionPool.from_url(
            address, socket_timeout=_STORE_SECONDS, socket_connect_timeout=_STORE_SECONDS
        )
        options: dict[str, Any] = {"implementation": "redispy", "connection_pool": self._pool}
        storage = storage_from_string(f"async+{address}", wrap_exceptions=True, **options)
        self._item = RateLimitItemPerMinute(per_minute)
        self._limiter = MovingWindowRateLimiter(storage)
        self._clock = clock

    async def wait_for(self, account: str) -> int:
        from limits.errors import StorageError

        try:
            if await self._limiter.hit(self._item, "oharness-sync", account):
                return 0
            stats = await self._limiter.get_window_stats(self._item, "oharness-sync", account)
        except StorageError:
            _LOG.warning("rate limit store does not answer")
            return 0
        return max(1, math.ceil(stats.reset_time - self._clock.now_ms() / 1000))

    async def close(self) -> None:
        await self._pool.aclose()
