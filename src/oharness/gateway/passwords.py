"""Passwords: hashed with argon2 in threads, a bounded number at a time, with the same work for unknown accounts."""

import asyncio
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from oharness.core.errors import WrongUsage

MIN_CHARS = 10
MAX_CHARS = 1000
_AT_ONCE = 4
_ResultT = TypeVar("_ResultT")


@dataclass(frozen=True, slots=True)
class HashingCost:
    """What one hash costs; the defaults are argon2-cffi's (RFC 9106, the low-memory profile)."""

    time: int = 3
    memory_kib: int = 65_536
    parallelism: int = 4


DEFAULT_COST = HashingCost()


@dataclass(eq=False)
class PasswordTooShort(WrongUsage):
    """A password has to have at least `minimum` characters."""

    minimum: int = MIN_CHARS


@dataclass(eq=False)
class PasswordTooLong(WrongUsage):
    """A password may have at most `maximum` characters."""

    maximum: int = MAX_CHARS


@dataclass(eq=False)
class PasswordIsEmail(WrongUsage):
    """The password is the e-mail address."""


def check_password(password: str, email: str) -> None:
    """Refuses a new password that is easily guessed.

    Raises: PasswordTooShort, PasswordTooLong, PasswordIsEmail.
    """
    if len(password) < MIN_CHARS or len(set(password)) < 2:
        raise PasswordTooShort
    if len(password) > MAX_CHARS:
        raise PasswordTooLong
    if password.strip().lower() == email:
        raise PasswordIsEmail


class Passwords:
    """Hashes and verifies. `calls` counts the argon2 computations, which is what a caller could measure by time."""

    def __init__(self, cost: HashingCost = DEFAULT_COST) -> None:
        self._hasher = PasswordHasher(cost.time, cost.memory_kib, cost.parallelism)
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._nobodys: str | None = None
        self.calls = 0

    async def prepare(self) -> None:
        """Makes the hash that stands in for unknown accounts, so that the first of them costs no more than others."""
        if self._nobodys is None:
            self._nobodys = await self._in_thread(self._hasher.hash, "nobody has this password")

    async def hash(self, password: str) -> str:
        """What is stored of a password."""
        return await self._in_thread(self._hasher.hash, _composed(password))

    async def matches(self, password: str, stored: str | None) -> bool:
        """Whether it is the password; without a stored hash the same work is done and the answer is no."""
        await self.prepare()
        return await self._in_thread(self._verify, stored or self._nobodys or "", _composed(password)) and bool(stored)

    def is_outdated(self, stored: str) -> bool:
        """Whether a stored hash was made at another cost than today's."""
        return self._hasher.check_needs_rehash(stored)

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _in_thread(self, function: Callable[..., _ResultT], *arguments: str) -> _ResultT:
        self.calls += 1
        async with self._room:
            return await asyncio.to_thread(function, *arguments)


def _composed(password: str) -> str:
    return unicodedata.normalize("NFC", password)[: MAX_CHARS + 1]
