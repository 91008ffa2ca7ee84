"""How often something may be tried: guesses are counted in the database, so that a restart or a second process forgets
none. Who tried is stored as a hash, and only until the window ends.
"""

import hashlib
import ipaddress
from dataclasses import dataclass

from sqlalchemy import case, delete, update
from sqlalchemy.dialects import postgresql, sqlite

from oharness.core.clock import Clock
from oharness.core.errors import Refused
from oharness.gateway.database import ATTEMPTS, Database


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `tries` of a kind for each subject within `window_s` seconds."""

    name: str
    tries: int
    window_s: int


PASSWORD_OF_ACCOUNT = Limit("password-account", 10, 900)
PASSWORD_FROM_ADDRESS = Limit("password-address", 100, 900)
USER_CODE_OF_ACCOUNT = Limit("user-code-account", 10, 900)
USER_CODE_FROM_ADDRESS = Limit("user-code-address", 50, 900)
INVITATION_OF_ACCOUNT = Limit("invitation-account", 10, 900)
SIGN_UP_FROM_ADDRESS = Limit("sign-up-address", 60, 3600)
DEVICE_CODE_FROM_ADDRESS = Limit("device-code-address", 200, 600)


@dataclass(eq=False)
class TooManyAttempts(Refused):
    """It was tried too often; the next try counts in `retry_after_s` seconds."""

    retry_after_s: int


class Attempts:
    """Counts tries before they are made, so that tries at the same moment cannot pass together."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def count(self, limit: Limit, subject: str) -> None:
        """One more try.

        Raises: TooManyAttempts, DatabaseUnavailable.
        """
        now = self._clock.now_ms()
        insert = sqlite.insert if self._database.is_sqlite else postgresql.insert
        fresh = {"tries": 1, "window_ends_ms": now + limit.window_s * 1000}
        statement = insert(ATTEMPTS).values(subject_hash=_subject(limit, subject), **fresh)
        is_over = ATTEMPTS.c.window_ends_ms <= now
        counted = statement.on_conflict_do_update(
            index_elements=[ATTEMPTS.c.subject_hash],
            set_={
                "tries": case((is_over, 1), else_=ATTEMPTS.c.tries + 1),
                "window_ends_ms": case((is_over, fresh["window_ends_ms"]), else_=ATTEMPTS.c.window_ends_ms),
            },
        ).returning(ATTEMPTS.c.tries, ATTEMPTS.c.window_ends_ms)
        async with self._database.transaction() as connection:
            row = (await connection.execute(counted)).one()
        if row.tries > limit.tries:
            raise TooManyAttempts(max(1, -(-(row.window_ends_ms - now) // 1000)))

    async def forgive(self, limit: Limit, subject: str) -> None:
        """A try was no guess and does not count."""
        mine = ATTEMPTS.c.subject_hash == _subject(limit, subject)
        async with self._database.transaction() as connection:
            await connection.execute(update(ATTEMPTS).where(mine).values(tries=ATTEMPTS.c.tries - 1))

    async def forget(self, limit: Limit, subject: str) -> None:
        """The right answer was given: earlier tries no longer count."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.subject_hash == _subject(limit, subject)))


def address_group(address: str) -> str:
    """Who is counted together: one IPv4 address, or the /64 that one IPv6 customer has."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def _subject(limit: Limit, subject: str) -> str:
    return hashlib.sha256(f"{limit.name}\n{subject}".encode()).hexdigest()
