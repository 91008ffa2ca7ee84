"""The keys that sign access tokens: Ed25519, kept in the database, published at `/.well-known/jwks.json`."""

import json
from typing import Any, cast

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import OKPAlgorithm
from sqlalchemy import delete, insert, select, update
from sqlalchemy.engine import Row
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from oharness.core.clock import Clock, Millis
from oharness.core.randomness import Randomness
from oharness.gateway.database import SIGNING_KEYS, Database
from oharness.gateway.key_schedule import PERIOD_MS, KeyTimes, NewKey, key_to_make, keys_to_drop, signing_key

ALGORITHM = "EdDSA"


class SigningKeys:
    """Signs, publishes and rotates."""

    def __init__(self, database: Database, clock: Clock, randomness: Randomness) -> None:
        self._database = database
        self._clock = clock
        self._randomness = randomness

    async def keep(self) -> None:
        """Makes the key that is due and drops those that nothing needs; may be called at any time.

        Raises: DatabaseUnavailable.
        """
        now = self._clock.now_ms()
        try:
            async with self._database.transaction() as connection:
                keys = [_times(row) for row in await connection.execute(select(SIGNING_KEYS))]
                if (wanted := key_to_make(keys, now)) is not None:
                    await self._make(connection, wanted)
                gone = keys_to_drop(keys, now)
                await connection.execute(delete(SIGNING_KEYS).where(SIGNING_KEYS.c.id.in_(gone)))
        except IntegrityError:
            return  # another process made the same key at the same moment

    async def replace_all(self) -> str:
        """A new key that signs at once; every earlier key is dropped, and with it every token that it signed.

        Raises: DatabaseUnavailable.
        """
        now = self._clock.now_ms()
        async with self._database.transaction() as connection:
            await connection.execute(delete(SIGNING_KEYS))
            return await self._make(connection, NewKey(now, Millis(now + PERIOD_MS)))

    async def sign(self, claims: dict[str, Any], expires_ms: Millis) -> str:
        """The signed token.

        Raises: DatabaseUnavailable.
        """
        now = self._clock.now_ms()
        async with self._database.transaction() as connection:
            row = await self._due(connection, now)
            if expires_ms > _times(row).needed_until:
                longer = update(SIGNING_KEYS).where(SIGNING_KEYS.c.id == row.id).values(last_expiry_ms=expires_ms)
                await connection.execute(longer)
        return jwt.encode(claims, _private_key(row), algorithm=ALGORITHM, headers={"kid": row.id})

    async def published(self) -> dict[str, Any]:
        """The JWKS document: every key that signs, will sign, or signed a token that may still be valid.

        Raises: DatabaseUnavailable.
        """
        now = self._clock.now_ms()
        async with self._database.transaction() as connection:
            rows = (await connection.execute(select(SIGNING_KEYS).order_by(SIGNING_KEYS.c.signs_from_ms))).all()
        return {"keys": [_public(row) for row in rows if _times(row).needed_until > now]}

    async def _due(self, connection: AsyncConnection, now: Millis) -> Row[Any]:
        """The key to sign with; one that signs at once is made where housekeeping did not get to it."""
        rows = (await connection.execute(select(SIGNING_KEYS))).all()
        due = signing_key([_times(row) for row in rows], now)
        key_id = await self._make(connection, NewKey(now, Millis(now + PERIOD_MS))) if due is None else due.id
        return (await connection.execute(select(SIGNING_KEYS).where(SIGNING_KEYS.c.id == key_id))).one()

    async def _make(self, connection: AsyncConnection, wanted: NewKey) -> str:
        key_id = f"k_{self._randomness.token(8)}"
        private = Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        row = {
            "id": key_id,
            "private_key": private.decode("ascii"),
            "signs_from_ms": wanted.signs_from,
            "signs_until_ms": wanted.signs_until,
            "last_expiry_ms": 0,
        }
        await connection.execute(insert(SIGNING_KEYS).values(row))
        return key_id


def _private_key(row: Row[Any]) -> Ed25519PrivateKey:
    return cast(Ed25519PrivateKey, serialization.load_pem_private_key(row.private_key.encode(), None))


def _times(row: Row[Any]) -> KeyTimes:
    return KeyTimes(row.id, Millis(row.signs_from_ms), Millis(row.signs_until_ms), Millis(row.last_expiry_ms))


def _public(row: Row[Any]) -> dict[str, Any]:
    public: dict[str, Any] = json.loads(OKPAlgorithm.to_jwk(_private_key(row).public_key()))
    return {**public, "kid": row.id, "alg": ALGORITHM, "use": "sig"}
