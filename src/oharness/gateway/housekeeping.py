"""What the gateway does without being asked: keys in time, old rows out, stopped deletions on."""

import logging

from sqlalchemy import delete

from oharness.core.clock import Clock
from oharness.gateway.database import (
    ATTEMPTS,
    DEVICE_CODES,
    DEVICES,
    INVITATIONS,
    WEB_SESSIONS,
    Database,
    DatabaseUnavailable,
)
from oharness.gateway.deletion import Deletions
from oharness.gateway.devices import SHOWN_AFTER_END_MS
from oharness.gateway.signing_keys import SigningKeys

EVERY_S = 300.0
_DAY_MS = 24 * 3600 * 1000
_LOG = logging.getLogger("oharness.gateway")


class Housekeeping:
    """One round now and then; a round that fails is tried again with the next."""

    def __init__(self, database: Database, keys: SigningKeys, deletions: Deletions, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._deletions = deletions
        self._clock = clock

    async def run(self) -> None:
        """Rounds until it is cancelled; the first one at once."""
        while True:
            await self.round()
            await self._clock.sleep(EVERY_S)

    async def round(self) -> None:
        """One round. Raises: nothing; a gateway goes on without its housekeeping."""
        for work in (self._keys.keep, self.sweep, self._deletions.carry_on_with_all, self._deletions.erase_late):
            try:
                await work()
            except DatabaseUnavailable as error:
                _LOG.warning("database failed", extra={"fields": {"reason": error.reason}})
            except Exception:  # noqa: BLE001 - deletions of some must not stop because of one fault
                _LOG.error("internal error", exc_info=True, extra={"fields": {"endpoint": "housekeeping"}})

    async def sweep(self) -> None:
        """Removes what nobody can use any more.

        Raises: DatabaseUnavailable.
        """
        now = self._clock.now_ms()
        old = [
            delete(ATTEMPTS).where(ATTEMPTS.c.window_ends_ms <= now),
            delete(WEB_SESSIONS).where(WEB_SESSIONS.c.expires_ms <= now),
            delete(INVITATIONS).where(INVITATIONS.c.expires_ms <= now),
            delete(DEVICE_CODES).where(DEVICE_CODES.c.expires_ms <= now - _DAY_MS),
            delete(DEVICES).where(DEVICES.c.expires_ms <= now),
            delete(DEVICES).where(DEVICES.c.ended_ms <= now - SHOWN_AFTER_END_MS),
        ]
        async with self._database.transaction() as connection:
            for statement in old:
                await connection.execute(statement)
