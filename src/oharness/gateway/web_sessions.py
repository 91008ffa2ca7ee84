"""Who is signed in to the pages: a random cookie, of which the database knows the hash."""

import hashlib
import hmac

from sqlalchemy import delete, insert, select

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.gateway.accounts import Account, account_of
from oharness.gateway.database import ACCOUNTS, WEB_SESSIONS, Database

LIFETIME_S = 14 * 24 * 3600


class WebSessions:
    """Begins, finds and ends sessions of browsers."""

    def __init__(self, database: Database, clock: Clock, randomness: Randomness) -> None:
        self._database = database
        self._clock = clock
        self._randomness = randomness

    def new_cookie(self) -> str:
        """A cookie that nobody is signed in with."""
        return self._randomness.token(32)

    async def begin(self, account: Account) -> str:
        """The cookie of a browser that is signed in from now on; never one that it had before.

        Raises: DatabaseUnavailable.
        """
        cookie, now = self.new_cookie(), self._clock.now_ms()
        row = {
            "token_hash": _hash(cookie),
            "account_id": account.id,
            "created_ms": now,
            "expires_ms": now + LIFETIME_S * 1000,
        }
        async with self._database.transaction() as connection:
            await connection.execute(insert(WEB_SESSIONS).values(row))
        return cookie

    async def account(self, cookie: str) -> Account | None:
        """Who is signed in with a cookie.

        Raises: DatabaseUnavailable.
        """
        signed_in = (
            select(ACCOUNTS)
            .join(WEB_SESSIONS, WEB_SESSIONS.c.account_id == ACCOUNTS.c.id)
            .where(WEB_SESSIONS.c.token_hash == _hash(cookie), WEB_SESSIONS.c.expires_ms > self._clock.now_ms())
        )
        async with self._database.transaction() as connection:
            row = (await connection.execute(signed_in)).one_or_none()
        return None if row is None else account_of(row)

    async def end(self, cookie: str) -> None:
        """Nobody is signed in with that cookie any more."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(WEB_SESSIONS).where(WEB_SESSIONS.c.token_hash == _hash(cookie)))


def form_token(secret: bytes, cookie: str) -> str:
    """What a form has to send with a cookie; who cannot read our pages cannot know it."""
    return hmac.new(secret, f"form\n{cookie}".encode(), hashlib.sha256).hexdigest()


def is_form_token(secret: bytes, cookie: str, given: str) -> bool:
    """Whether a form came from a page that we gave to the holder of the cookie."""
    return bool(cookie) and hmac.compare_digest(form_token(secret, cookie).encode(), given.encode())


def _hash(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()
