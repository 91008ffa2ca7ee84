"""Signing in from a device (RFC 8628): a code that is shown there and approved in a browser, once."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Row
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from oharness.core.clock import Clock, Millis
from oharness.core.errors import Failed, NotFound, Refused
from oharness.core.randomness import Randomness
from oharness.gateway.accounts import Account, account_in_use
from oharness.gateway.database import DEVICE_CODES, Database
from oharness.gateway.plans import claims_of
from oharness.gateway.tokens import TokenPair, Tokens

LIFETIME_S = 600
INTERVAL_S = 5
SLOWER_BY_S = 5
_EARLY_MS = 1000
_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
_CODE_CHARS = 8
_TRIES = 5


class CodeState(StrEnum):
    """Where a code stands."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    REDEEMED = "redeemed"


class PollFault(StrEnum):
    """Why a poll got no tokens, as RFC 8628 and RFC 6749 spell it."""

    PENDING = "authorization_pending"
    SLOW_DOWN = "slow_down"
    DENIED = "access_denied"
    EXPIRED = "expired_token"
    UNKNOWN = "invalid_grant"


@dataclass(eq=False)
class NotYet(Refused):
    """A device that polls gets no tokens; `fault` says why."""

    fault: PollFault


@dataclass(eq=False)
class NoSuchUserCode(NotFound):
    """Nobody waits with this code: mistyped, too old, or answered already."""


@dataclass(eq=False)
class NoFreeUserCode(Failed):
    """Every code that was drawn is taken."""


@dataclass(frozen=True, slots=True)
class DeviceGrant:
    """What a device is told when it asks."""

    device_code: str
    user_code: str


@dataclass(frozen=True, slots=True)
class WaitingDevice:
    """A device that waits for an answer, as the person is shown it."""

    user_code: str
    label: str
    asked_from: str
    created_ms: Millis


class DeviceCodes:
    """Codes that wait, and what became of them."""

    def __init__(self, database: Database, tokens: Tokens, clock: Clock, randomness: Randomness) -> None:
        self._database = database
        self._tokens = tokens
        self._clock = clock
        self._randomness = randomness

    async def ask(self, label: str, asked_from: str) -> DeviceGrant:
        """A pair of codes for a device that wants to be signed in.

        Raises: NoFreeUserCode, DatabaseUnavailable.
        """
        now = self._clock.now_ms()
        for _ in range(_TRIES):
            drawn = self._randomness.text(_ALPHABET, _CODE_CHARS)
            grant = DeviceGrant(f"ohd.{self._randomness.token(32)}", f"{drawn[:4]}-{drawn[4:]}")
            row = {
                "code_hash": _hash(grant.device_code),
                "user_code": grant.user_code,
                "label": label,
                "asked_from": asked_from,
                "state": CodeState.PENDING,
                "interval_s": INTERVAL_S,
                "created_ms": now,
                "expires_ms": now + LIFETIME_S * 1000,
            }
            try:
                async with self._database.transaction() as connection:
                    await connection.execute(insert(DEVICE_CODES).values(row))
            except IntegrityError:
                continue
            return grant
        raise NoFreeUserCode

    async def waiting(self, user_code: str) -> WaitingDevice:
        """The device that shows a code.

        Raises: NoSuchUserCode, DatabaseUnavailable.
        """
        async with self._database.transaction() as connection:
            row = await self._pending(connection, user_code)
        return WaitingDevice(row.user_code, row.label, row.asked_from, Millis(row.created_ms))

    async def answer(self, user_code: str, account: Account, answer: CodeState) -> None:
        """Approves or denies; the first answer counts.

        Raises: NoSuchUserCode, DatabaseUnavailable.
        """
        async with self._database.transaction() as connection:
            row = await self._pending(connection, user_code)
            change = update(DEVICE_CODES).where(DEVICE_CODES.c.code_hash == row.code_hash)
            await connection.execute(change.values(state=answer, account_id=account.id))

    async def redeem(self, device_code: str) -> TokenPair:
        """The tokens of a device whose code was approved; each code gets them once.

        Raises: NotYet, DatabaseUnavailable.
        """
        now = self._clock.now_ms()
        async with self._database.transaction() as connection:
            found = select(DEVICE_CODES).where(DEVICE_CODES.c.code_hash == _hash(device_code)).with_for_update()
            row = (await connection.execute(found)).one_or_none()
            fault = _fault(row, now)
            if row is not None and fault is None:
                account = await account_in_use(connection, row.account_id)
                fault = PollFault.DENIED if account is None else None
                await self._change(connection, row, state=CodeState.REDEEMED)
                if account is not None:
                    claims = await claims_of(connection, account)
                    refresh_token = await self._tokens.add_device(connection, account, row.label)
            elif row is not None and fault is PollFault.PENDING:
                await self._change(connection, row, polled_ms=now)
            elif row is not None and fault is PollFault.SLOW_DOWN:
                await self._change(connection, row, polled_ms=now, interval_s=row.interval_s + SLOWER_BY_S)
        if fault is not None:
            raise NotYet(fault)
        return TokenPair(await self._tokens.access_token(claims), refresh_token.text)

    async def _pending(self, connection: AsyncConnection, user_code: str) -> Row[tuple[object, ...]]:
        found = select(DEVICE_CODES).where(
            DEVICE_CODES.c.user_code == normalised_user_code(user_code),
            DEVICE_CODES.c.state == CodeState.PENDING,
            DEVICE_CODES.c.expires_ms > self._clock.now_ms(),
        )
        row = (await connection.execute(found.with_for_update())).one_or_none()
        if row is None:
            raise NoSuchUserCode
        return row

    async def _change(self, connection: AsyncConnection, row: Row[tuple[object, ...]], **values: object) -> None:
        this = update(DEVICE_CODES).where(DEVICE_CODES.c.code_hash == row.code_hash)
        await connection.execute(this.values(**values))


def normalised_user_code(text: str) -> str:
    """A code as it is stored, whatever was typed between its letters."""
    letters = "".join(character for character in text.upper() if character.isascii() and character.isalnum())
    return f"{letters[:4]}-{letters[4:]}"


def _fault(row: Row[tuple[object, ...]] | None, now: Millis) -> PollFault | None:
    """Why a poll gets no tokens; None when it does."""
    if row is None or row.state == CodeState.REDEEMED:
        return PollFault.UNKNOWN
    if row.state == CodeState.DENIED:
        return PollFault.DENIED
    if row.expires_ms <= now:
        return PollFault.EXPIRED
    if row.state == CodeState.APPROVED:
        return None
    if row.polled_ms is not None and now - row.polled_ms < row.interval_s * 1000 - _EARLY_MS:
        return PollFault.SLOW_DOWN
    return PollFault.PENDING


def _hash(device_code: str) -> str:
    return hashlib.sha256(device_code.encode()).hexdigest()
