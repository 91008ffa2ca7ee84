"""The devices that are signed in to an account, as its owner sees them."""

from dataclasses import dataclass

from sqlalchemy import select, update

from oharness.core.clock import Clock, Millis
from oharness.core.errors import NotFound
from oharness.gateway.accounts import Account
from oharness.gateway.database import DEVICES, Database
from oharness.gateway.tokens import end_device

SHOWN_AFTER_END_MS = 30 * 24 * 3600 * 1000


@dataclass(eq=False)
class NoSuchDevice(NotFound):
    """No such device is signed in to the account."""


@dataclass(frozen=True, slots=True)
class Device:
    """One device; `ended_why` is None while it is signed in."""

    id: str
    label: str
    created_ms: Millis
    used_ms: Millis
    ended_why: str | None


class Devices:
    """Lists and signs out."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def of(self, account: Account) -> list[Device]:
        """The devices that are signed in, the latest used first, then those that were signed out for misuse lately."""
        now = self._clock.now_ms()
        found = select(DEVICES).where(DEVICES.c.account_id == account.id).order_by(DEVICES.c.used_ms.desc())
        async with self._database.transaction() as connection:
            rows = (await connection.execute(found)).all()
        shown = [
            row
            for row in rows
            if (row.ended_ms is None and row.expires_ms > now)
            or (row.ended_why == "reused" and row.ended_ms > now - SHOWN_AFTER_END_MS)
        ]
        return [Device(row.id, row.label, row.created_ms, row.used_ms, row.ended_why) for row in shown]

    async def sign_out(self, account: Account, device_id: str) -> None:
        """Signs out one device; its present access token goes on for fifteen minutes at most.

        Raises: NoSuchDevice, DatabaseUnavailable.
        """
        mine = select(DEVICES.c.id).where(
            DEVICES.c.id == device_id, DEVICES.c.account_id == account.id, DEVICES.c.ended_ms.is_(None)
        )
        async with self._database.transaction() as connection:
            if (await connection.execute(mine.with_for_update())).one_or_none() is None:
                raise NoSuchDevice
            await end_device(connection, device_id, "signed-out", self._clock.now_ms())

    async def sign_out_all(self, account: Account) -> None:
        """Signs out every device of the account."""
        values = {"ended_why": "signed-out", "ended_ms": self._clock.now_ms(), "token_hash": "", "attempt_hash": None}
        all_of_them = update(DEVICES).where(DEVICES.c.account_id == account.id, DEVICES.c.ended_ms.is_(None))
        async with self._database.transaction() as connection:
            await connection.execute(all_of_them.values(values))
