"""The one way of a process to the service: a connection that is kept, and no more requests than the process may make.

A 429 closes it for every directory until the service wants requests again.
"""

from collections.abc import Callable
from math import ceil
from typing import Protocol

from oharness.core.clock import Clock
from oharness.disk.credentials_file import Credentials
from oharness.protocol.errors import ErrorCode
from oharness.sync.paced import Paced
from oharness.sync.request_budget import RequestBudget
from oharness.sync.transport import SyncTransport, TooFrequent


class Connection(SyncTransport, Protocol):
    """A transport that is kept and closed when it is not needed any more."""

    async def close(self) -> None: ...


Connect = Callable[[Credentials], Connection]


class Line:
    """Every request of the process goes through here and is counted."""

    def __init__(self, connect: Connect, clock: Clock) -> None:
        self.budget = RequestBudget()
        self._connect = connect
        self._clock = clock
        self._connection: Connection | None = None

    def transport(self, credentials: Credentials, is_hurried: Callable[[], bool] = lambda: False) -> SyncTransport:
        """The service, each request in its turn; at once while somebody waits for it (`is_hurried`)."""
        if self._connection is None:
            self._connection = self._connect(credentials)
        return Paced(self._connection, lambda: self._turn(is_hurried))

    @property
    def paused_for_s(self) -> float:
        """How long the service wants no requests, 0 when it takes them."""
        return max(0.0, self.budget.paused_until - self._clock.monotonic())

    def pause(self, seconds: float) -> None:
        """Nothing for so many seconds, in no directory."""
        self.budget = self.budget.paused(self._clock.monotonic(), seconds)

    def check_pause(self) -> None:
        """Returns when the service takes requests.

        Raises: TooFrequent.
        """
        if self.paused_for_s > 0:
            raise TooFrequent(ErrorCode.RATE_LIMITED, 429, "", float(ceil(self.paused_for_s)))

    async def disconnect(self) -> None:
        """Lets go of the connection; the next request makes another."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.close()

    async def _turn(self, is_hurried: Callable[[], bool]) -> None:
        """Returns when the next request may be made.

        Raises: TooFrequent.
        """
        while True:
            self.check_pause()
            now = self._clock.monotonic()
            wait_s = self.budget.free_at(now) - now
            if wait_s <= 0 or is_hurried():
                break
            await self._clock.sleep(wait_s)
        self.budget = self.budget.spent(self._clock.monotonic())
