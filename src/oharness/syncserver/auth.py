"""From the `Authorization` header to a verified account (decisions 10): algorithms pinned, nothing optional.

The key comes from a shared secret or a JWKS document. The clock is an argument; the JWKS document is fetched in a
thread by whoever wires the service.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import jwt

from oharness.core.clock import Clock
from oharness.protocol.claims import Claims, ClaimsUnusable, read_claims
from oharness.protocol.errors import ErrorCode
from oharness.syncserver.refusal import RequestRefused, refused

LEEWAY_S = 60
MAX_TOKEN_CHARS = 16_384
KEYS_FRESH_S = 600.0
REFRESH_AT_MOST_EVERY_S = 30.0
_REQUIRED = ("exp", "iat", "sub", "aud", "iss")
_SHARED_KEY_ALGORITHM = "HS256"
_ALGORITHM_OF_KEY = {
    ("OKP", "Ed25519"): "EdDSA",
    ("EC", "P-256"): "ES256",
    ("EC", "P-384"): "ES384",
    ("RSA", None): "RS256",
}


@dataclass(frozen=True, slots=True)
class VerificationKey:
    """A key and the one algorithm that it is used with."""

    key: Any
    algorithm: str


class KeySource(Protocol):
    """Where the keys of a token come from."""

    async def candidates(self, algorithm: str, key_id: str | None) -> list[VerificationKey]:
        """The keys that may have signed a token with this header.

        Raises: KeysUnavailable.
        """
        ...


class KeysUnavailable(Exception):
    """The key is not known, and the document that may name it cannot be had: nobody can tell what the token is."""


class SharedSecret:
    """One secret for everybody; only HS256."""

    def __init__(self, secret: str) -> None:
        self._key = VerificationKey(secret.encode(), _SHARED_KEY_ALGORITHM)

    async def candidates(self, algorithm: str, key_id: str | None) -> list[VerificationKey]:
        return [self._key] if algorithm == _SHARED_KEY_ALGORITHM else []


class PublishedKeys:
    """The keys of a JWKS document: fetched when stale or when a token names an unknown one, at a bounded rate.

    While the document cannot be fetched, the keys that were seen last stay in use.
    """

    def __init__(self, fetch: Callable[[], Awaitable[bytes]], clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: list[tuple[str | None, VerificationKey]] = []
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._fetching = asyncio.Lock()

    async def candidates(self, algorithm: str, key_id: str | None) -> list[VerificationKey]:
        if algorithm not in _ALGORITHM_OF_KEY.values():
            return []
        if self._is_stale():
            await self._refresh()
        found = self._matching(algorithm, key_id)
        if found:
            return found
        if not await self._refresh():
            raise KeysUnavailable
        return self._matching(algorithm, key_id)

    def _matching(self, algorithm: str, key_id: str | None) -> list[VerificationKey]:
        return [
            key
            for name, key in self._keys
            if key.algorithm == algorithm and (key_id is None or name is None or name == key_id)
        ][:8]

    def _is_stale(self) -> bool:
        return self._fetched_at is None or self._clock.monotonic() - self._fetched_at > KEYS_FRESH_S

    async def _refresh(self) -> bool:
        """Whether the keys are as fresh as they may be; those who come during a fetch wait for its outcome."""
        async with self._fetching:
            now = self._clock.monotonic()
            if self._tried_at is not None and now - self._tried_at < REFRESH_AT_MOST_EVERY_S:
                return self._fetched_at == self._tried_at
            self._tried_at = now
            try:
                self._keys = parse_key_document(await self._fetch())
            except (OSError, ValueError):
                return False
            self._fetched_at = now
            return True


class EitherSource:
    """Keys of a shared secret or of a JWKS document; the algorithm says which, so neither stands in for the other."""

    def __init__(self, sources: list[KeySource]) -> None:
        self._sources = sources

    async def candidates(self, algorithm: str, key_id: str | None) -> list[VerificationKey]:
        found: list[VerificationKey] = []
        for source in self._sources:
            found += await source.candidates(algorithm, key_id)
        return found


def parse_key_document(data: bytes) -> list[tuple[str | None, VerificationKey]]:
    """The usable keys of a JWKS document with their names; symmetric and encryption keys are passed over.

    Raises: ValueError.
    """
    try:
        document = json.loads(data)
        items = document["keys"]
        return [parsed for item in items if (parsed := _parse_key(item)) is not None]
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError("not a JWKS document") from error


def _parse_key(item: Any) -> tuple[str | None, VerificationKey] | None:
    if not isinstance(item, dict) or item.get("use", "sig") != "sig":
        return None
    kind = item.get("kty")
    algorithm = _ALGORITHM_OF_KEY.get((str(kind), None if kind == "RSA" else item.get("crv")))
    if algorithm is None or item.get("alg", algorithm) != algorithm:
        return None
    try:
        key = jwt.PyJWK.from_dict(item, algorithm=algorithm).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None
    name = item.get("kid")
    return (name if isinstance(name, str) else None), VerificationKey(key, algorithm)


class Verifier:
    """Turns a bearer token into verified claims."""

    def __init__(self, keys: KeySource, clock: Clock, audience: str, issuer: str | None) -> None:
        """An `issuer` with a final slash counts with and without it: our own gateway writes none, others do."""
        self._keys = keys
        self._clock = clock
        self._audience = audience
        self._issuers = None if issuer is None else {issuer, issuer.rstrip("/")}

    async def verify(self, authorization: str | None) -> Claims:
        """Who sent the request.

        Raises: RequestRefused: 401 for a token that is missing, broken, expired, not from this issuer or signed by
        nobody known, 403 for another audience, 503 when no keys could be fetched yet.
        """
        token = _bearer(authorization)
        algorithm, key_id = _header(token)
        try:
            candidates = await self._keys.candidates(algorithm, key_id)
        except KeysUnavailable:
            raise refused(
                ErrorCode.BUSY, "The keys that verify tokens cannot be fetched at the moment.", retry_after=30
            ) from None
        claims = _verified(token, candidates)
        self._check_times(claims)
        self._check_issuer_and_audience(claims)
        try:
            return read_claims(claims)
        except ClaimsUnusable as error:
            raise _unauthorized(f"The token's {error.reason} is not usable.") from error

    def _check_times(self, claims: Mapping[str, Any]) -> None:
        now = self._clock.now_ms() / 1000
        expires, issued = _moment(claims, "exp"), _moment(claims, "iat")
        not_before = _moment(claims, "nbf") if "nbf" in claims else issued
        if expires + LEEWAY_S <= now:
            raise _unauthorized("The token has expired.")
        if issued - LEEWAY_S > now or not_before - LEEWAY_S > now:
            raise _unauthorized("The token is not valid yet.")

    def _check_issuer_and_audience(self, claims: Mapping[str, Any]) -> None:
        if not isinstance(claims["iss"], str) or (self._issuers is not None and claims["iss"] not in self._issuers):
            raise _unauthorized("The token was issued by somebody else.")
        audience = claims["aud"]
        named = [audience] if isinstance(audience, str) else audience
        if not isinstance(named, list) or self._audience not in named:
            raise refused(ErrorCode.FORBIDDEN, "The token is meant for another service.")


def _bearer(authorization: str | None) -> str:
    scheme, _, token = (authorization or "").partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise _unauthorized("The request carries no bearer token.")
    if len(token) > MAX_TOKEN_CHARS:
        raise _unauthorized("The token is too long.")
    return token


def _header(token: str) -> tuple[str, str | None]:
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
        raise _unauthorized("The token is not a JWT.") from error
    algorithm, key_id = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str) or "crit" in header:
        raise _unauthorized("The token's header is not usable.")
    return algorithm, key_id if isinstance(key_id, str) else None


def _verified(token: str, candidates: list[VerificationKey]) -> dict[str, Any]:
    """The claims that one of the keys signed; times, issuer and audience are checked by our own clock and rules."""
    for candidate in candidates:
        try:
            return jwt.decode(
                token,
                key=candidate.key,
                algorithms=[candidate.algorithm],
                options={
                    "require": list(_REQUIRED),
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                    "verify_aud": False,
                    "verify_iss": False,
                    "verify_sub": False,
                    "verify_jti": False,
                },
            )
        except jwt.MissingRequiredClaimError as error:
            raise _unauthorized(f"The token lacks {error.claim}.") from error
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
            continue
    raise _unauthorized("The token's signature is not valid.")


def _moment(claims: Mapping[str, Any], name: str) -> float:
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        raise _unauthorized(f"The token's {name} is no time.")
    return float(value)


def _unauthorized(message: str) -> RequestRefused:
    return refused(ErrorCode.UNAUTHORIZED, message)
