"""Access tokens of fifteen minutes, and the refresh tokens that devices get new ones with."""

from dataclasses import dataclass

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from oharness.core.clock import Clock, Millis
from oharness.core.errors import Refused
from oharness.core.randomness import Randomness
from oharness.gateway.accounts import Account, account_in_use
from oharness.gateway.database import DEVICES, Database
from oharness.gateway.key_schedule import ACCESS_TOKEN_S
from oharness.gateway.plans import claims_of
from oharness.gateway.refresh import (
    LIFETIME_MS,
    Chain,
    EndChain,
    RefreshToken,
    Repeat,
    Rotate,
    Turned,
    Verdict,
    first_token,
    judge,
    read_token,
    token_hash,
)
from oharness.gateway.signing_keys import SigningKeys
from oharness.protocol.claims import AUDIENCE, Claims, write_claims


@dataclass(eq=False)
class RefreshRefused(Refused):
    """The refresh token gets nothing; `reused` when its whole chain ended because two hold copies of it."""

    reused: bool


@dataclass(frozen=True, slots=True)
class TokenPair:
    """What a device gets."""

    access_token: str
    refresh_token: str
    expires_in_s: int = ACCESS_TOKEN_S


class Tokens:
    """Issues tokens for accounts in use."""

    def __init__(
        self, database: Database, keys: SigningKeys, secret: bytes, issuer: str, clock: Clock, randomness: Randomness
    ) -> None:
        self._database = database
        self._keys = keys
        self._secret = secret
        self._issuer = issuer
        self._clock = clock
        self._randomness = randomness

    async def access_token(self, claims: Claims, minutes: float = ACCESS_TOKEN_S / 60) -> str:
        """A signed access token.

        Raises: DatabaseUnavailable.
        """
        now_s = self._clock.now_ms() // 1000
        expires_s = now_s + round(minutes * 60)
        times = {"iat": now_s, "exp": expires_s, "jti": self._randomness.token(16)}
        signed = {"iss": self._issuer, "aud": AUDIENCE, **write_claims(claims), **times}
        return await self._keys.sign(signed, Millis(expires_s * 1000))

    async def add_device(self, connection: AsyncConnection, account: Account, label: str) -> RefreshToken:
        """A device that is signed in from now on; its first refresh token."""
        now = self._clock.now_ms()
        token = first_token(self._secret, f"d_{self._randomness.token(12)}", self._randomness.token(32))
        row = {
            "id": token.device_id,
            "account_id": account.id,
            "label": label,
            "serial": token.serial,
            "token_hash": token_hash(token.text),
            "created_ms": now,
            "used_ms": now,
            "expires_ms": now + LIFETIME_MS,
        }
        await connection.execute(insert(DEVICES).values(row))
        return token

    async def refreshed(self, text: str, attempt: str | None) -> TokenPair:
        """A new pair for a refresh token; the old one is void from then on.

        Raises: RefreshRefused, DatabaseUnavailable.
        """
        shown = read_token(self._secret, text)
        if shown is None:
            raise RefreshRefused(reused=False)
        async with self._database.transaction() as connection:
            account = await self._holder(connection, shown.device_id)
            device = await _locked_device(connection, shown.device_id)
            if device is None or account is None:
                raise RefreshRefused(reused=False)
            claims = await claims_of(connection, account)
            verdict = judge(
                self._secret, shown, _chain(device), attempt, self._randomness.token(32), self._clock.now_ms()
            )
            await self._record(connection, shown.device_id, verdict)
        match verdict:
            case Rotate(successor) | Repeat(successor):
                return TokenPair(await self.access_token(claims), successor.text)
            case EndChain():
                raise RefreshRefused(reused=True)
            case Turned():
                raise RefreshRefused(reused=False)

    async def end(self, text: str) -> None:
        """Signs out the device that holds a refresh token; other texts do nothing (RFC 7009).

        Raises: DatabaseUnavailable.
        """
        shown = read_token(self._secret, text)
        if shown is None:
            return
        async with self._database.transaction() as connection:
            device = await _locked_device(connection, shown.device_id)
            if device is not None and device.ended_ms is None:
                await end_device(connection, shown.device_id, "signed-out", self._clock.now_ms())

    async def _holder(self, connection: AsyncConnection, device_id: str) -> Account | None:
        """The account of a device, locked before the device is, as everywhere."""
        held = select(DEVICES.c.account_id).where(DEVICES.c.id == device_id)
        account_id = (await connection.execute(held)).scalar_one_or_none()
        return None if account_id is None else await account_in_use(connection, account_id)

    async def _record(self, connection: AsyncConnection, device_id: str, verdict: Verdict) -> None:
        now = self._clock.now_ms()
        this = update(DEVICES).where(DEVICES.c.id == device_id)
        match verdict:
            case Rotate(successor, attempt_hash):
                values = {
                    "serial": successor.serial,
                    "token_hash": token_hash(successor.text),
                    "attempt_hash": attempt_hash,
                    "used_ms": now,
                    "expires_ms": now + LIFETIME_MS,
                }
                await connection.execute(this.values(values))
            case Repeat():
                await connection.execute(this.values(used_ms=now))
            case EndChain():
                await end_device(connection, device_id, "reused", now)
            case Turned():
                pass


async def end_device(connection: AsyncConnection, device_id: str, why: str, now: Millis) -> None:
    """No token of this device is worth anything any more; that it was there is shown for a while."""
    values = {"ended_why": why, "ended_ms": now, "token_hash": "", "attempt_hash": None}
    await connection.execute(update(DEVICES).where(DEVICES.c.id == device_id).values(values))


async def _locked_device(connection: AsyncConnection, device_id: str) -> Row[tuple[object, ...]] | None:
    """The device's row, locked, so that two who show the same token come one after the other."""
    return (await connection.execute(select(DEVICES).where(DEVICES.c.id == device_id).with_for_update())).one_or_none()


def _chain(device: Row[tuple[object, ...]]) -> Chain:
    return Chain(
        device.serial,
        device.token_hash,
        device.attempt_hash,
        Millis(device.expires_ms),
        device.ended_ms is not None,
    )
