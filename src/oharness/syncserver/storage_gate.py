"""Whether requests may use the storage: not before it was probed, never when it is unfit (P-43)."""

import asyncio
import logging

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.protocol.errors import ErrorCode
from oharness.syncserver.objects.base import ObjectStore, StoreUnavailable
from oharness.syncserver.probe import StoreUnfit, probe_store
from oharness.syncserver.refusal import refused

_PAUSE_S = 2.0
_LOG = logging.getLogger("oharness.syncserver")


class StorageGate:
    """Opens after the first probe that the store passed; a store found unfit stays shut until a restart."""

    def __init__(self, store: ObjectStore, clock: Clock, randomness: Randomness) -> None:
        self._store = store
        self._clock = clock
        self._randomness = randomness
        self._probing = asyncio.Lock()
        self._is_open = False
        self._unfit: str | None = None
        self._failed: tuple[float, StoreUnavailable] | None = None

    async def pass_through(self) -> None:
        """Returns when the storage may be used; probes it first if nobody did.

        Raises: RequestRefused (503 not_configured) for an unfit store, StoreUnavailable.
        """
        if self._is_open:
            return
        async with self._probing:
            if self._unfit is None and not self._is_open:
                await self._probe()
        if self._unfit is not None:
            raise refused(
                ErrorCode.NOT_CONFIGURED,
                "The storage of this service does not do conditional writes right and was refused: "
                f"{self._unfit}. Notes would be lost on it.",
            )

    async def _probe(self) -> None:
        if self._failed is not None and self._clock.monotonic() - self._failed[0] < _PAUSE_S:
            raise self._failed[1]
        try:
            await self._store.start()
            await probe_store(self._store, self._clock, self._randomness)
        except StoreUnfit as error:
            self._unfit = error.fault
            _LOG.error("the storage was refused", extra={"fields": {"fault": error.fault}})
        except StoreUnavailable as error:
            _LOG.error("the storage does not answer", extra={"fields": {"reason": error.reason}})
            self._failed = self._clock.monotonic(), error
            raise
        else:
            self._is_open = True
