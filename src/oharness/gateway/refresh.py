"""Refresh tokens: their form, and what a device that shows one gets (RFC 9700, 4.14). Pure.

A token names its device and its place in the device's chain, so that one row per device is enough to know every token
that was ever replaced: whoever shows one of those again holds a copy, and the whole chain ends. ADR 0041 says why a
lost answer does not count as that.
"""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import TypeAlias

from oharness.core.clock import Millis

LIFETIME_MS = 90 * 24 * 3600 * 1000
MAX_ATTEMPT_CHARS = 200
_FORM = re.compile(r"ohr\.(d_[0-9a-f]{24})\.([1-9][0-9]{0,9})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{22})")
_TAG_BYTES = 16


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A token that this gateway made, current or not."""

    text: str
    device_id: str
    serial: int


@dataclass(frozen=True, slots=True)
class Chain:
    """What is known of a device's chain: the newest token, and which attempt made it from the one before."""

    serial: int
    token_hash: str
    attempt_hash: str | None
    expires_ms: Millis
    ended: bool


@dataclass(frozen=True, slots=True)
class Rotate:
    """The next token is made, and the one shown is void."""

    successor: RefreshToken
    attempt_hash: str | None


@dataclass(frozen=True, slots=True)
class Repeat:
    """The answer that was lost is given again, the same one."""

    successor: RefreshToken


@dataclass(frozen=True, slots=True)
class EndChain:
    """Two hold tokens of this chain: neither gets another."""


@dataclass(frozen=True, slots=True)
class Turned:
    """The token is worth nothing, and nothing follows from it."""


Verdict: TypeAlias = Rotate | Repeat | EndChain | Turned


def first_token(secret: bytes, device_id: str, seed: str) -> RefreshToken:
    """The first token of a chain, from a seed that nobody can guess."""
    return _made(secret, device_id, 1, f"first\n{seed}")


def read_token(secret: bytes, text: str) -> RefreshToken | None:
    """The token, if this gateway made it."""
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    device_id, serial, unique, tag = match[1], int(match[2]), match[3], match[4]
    if not hmac.compare_digest(_tag(secret, device_id, serial, unique), tag):
        return None
    return RefreshToken(text, device_id, serial)


def judge(secret: bytes, shown: RefreshToken, chain: Chain, attempt: str | None, seed: str, now: Millis) -> Verdict:
    """What follows when a device shows a token of its chain.

    `attempt` is the name that the client gave to this exchange and keeps until it has the answer; `seed` makes the
    successor of a client that gave none.
    """
    if chain.ended or chain.expires_ms <= now:
        return Turned()
    if shown.serial == chain.serial:
        if not hmac.compare_digest(token_hash(shown.text), chain.token_hash):
            return Turned()
        return Rotate(_successor(secret, shown, attempt or seed), None if attempt is None else _attempt_hash(attempt))
    if shown.serial == chain.serial - 1 and attempt is not None and _attempt_hash(attempt) == chain.attempt_hash:
        again = _successor(secret, shown, attempt)
        if token_hash(again.text) == chain.token_hash:
            return Repeat(again)
    return EndChain() if shown.serial < chain.serial else Turned()


def token_hash(text: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(text.encode()).hexdigest()


def _successor(secret: bytes, shown: RefreshToken, attempt: str) -> RefreshToken:
    return _made(secret, shown.device_id, shown.serial + 1, f"next\n{shown.text}\n{attempt}")


def _made(secret: bytes, device_id: str, serial: int, source: str) -> RefreshToken:
    unique = _base64(hmac.new(secret, f"refresh\n{source}".encode(), hashlib.sha256).digest())
    tag = _tag(secret, device_id, serial, unique)
    return RefreshToken(f"ohr.{device_id}.{serial}.{unique}.{tag}", device_id, serial)


def _tag(secret: bytes, device_id: str, serial: int, unique: str) -> str:
    text = f"tag\n{device_id}\n{serial}\n{unique}"
    return _base64(hmac.new(secret, text.encode(), hashlib.sha256).digest()[:_TAG_BYTES])


def _attempt_hash(attempt: str) -> str:
    return hashlib.sha256(f"attempt\n{attempt}".encode()).hexdigest()


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
