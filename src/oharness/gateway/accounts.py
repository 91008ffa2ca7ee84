"""Accounts: making one, finding it, and whether somebody is who they say.

An unknown address and a wrong password cost the same work and get the same answer.
"""

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import delete, insert, select, update
from sqlalchemy.engine import Row
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from oharness.core.clock import Clock, Millis
from oharness.core.errors import NotFound, Refused
from oharness.core.randomness import Randomness
from oharness.gateway.attempts import PASSWORD_FROM_ADDRESS, PASSWORD_OF_ACCOUNT, Attempts
from oharness.gateway.database import ACCOUNTS, DEVICES, WEB_SESSIONS, Database
from oharness.gateway.emails import NotAnEmail, normalised_email
from oharness.gateway.passwords import Passwords, check_password

FREE = "free"
PAID = "paid"
PLANS = (FREE, PAID)


class Standing(StrEnum):
    """Whether an account or a team is in use, or on its way out."""

    ACTIVE = "active"
    LEAVING = "leaving"


@dataclass(eq=False)
class AccountExists(Refused):
    """There is an account with this e-mail address already."""


@dataclass(eq=False)
class NoSuchAccount(NotFound):
    """There is no account with this e-mail address."""


@dataclass(eq=False)
class WrongPassword(Refused):
    """The e-mail address or the password is wrong; which one is not told."""


@dataclass(frozen=True, slots=True)
class Account:
    """One person's account."""

    id: str
    email: str
    plan: str
    standing: Standing
    created_ms: Millis


class Accounts:
    """All accounts of one database."""

    def __init__(
        self, database: Database, passwords: Passwords, attempts: Attempts, clock: Clock, randomness: Randomness
    ) -> None:
        self._database = database
        self._passwords = passwords
        self._attempts = attempts
        self._clock = clock
        self._randomness = randomness

    async def add(self, email: str, password: str | None) -> Account:
        """A new account on the free plan; without a password nobody can sign in to it.

        Raises: NotAnEmail, PasswordTooShort, PasswordTooLong, PasswordIsEmail, AccountExists, DatabaseUnavailable.
        """
        address = normalised_email(email)
        stored = None
        if password is not None:
            check_password(password, address)
            stored = await self._passwords.hash(password)
        account = Account(
            f"u_{self._randomness.token(12)}", address, FREE, Standing.ACTIVE, Millis(self._clock.now_ms())
        )
        row = {
            "id": account.id,
            "email": address,
            "password_hash": stored,
            "plan": FREE,
            "state": Standing.ACTIVE,
            "created_ms": account.created_ms,
        }
        try:
            async with self._database.transaction() as connection:
                await connection.execute(insert(ACCOUNTS).values(row))
        except IntegrityError:
            raise AccountExists from None
        return account

    async def signed_in(self, email: str, password: str, address: str) -> Account:
        """The account, if the password is right.

        Raises: WrongPassword, TooManyAttempts, DatabaseUnavailable.
        """
        try:
            known = normalised_email(email)
        except NotAnEmail:
            known = ""
        await self._attempts.count(PASSWORD_FROM_ADDRESS, address)
        await self._attempts.count(PASSWORD_OF_ACCOUNT, known)
        async with self._database.transaction() as connection:
            row = (await connection.execute(select(ACCOUNTS).where(ACCOUNTS.c.email == known))).one_or_none()
        stored = row.password_hash if row else None
        if not await self._passwords.matches(password, stored) or row is None or stored is None:
            raise WrongPassword
        await self._attempts.forget(PASSWORD_OF_ACCOUNT, known)
        await self._attempts.forgive(PASSWORD_FROM_ADDRESS, address)
        if self._passwords.is_outdated(stored):
            await self._store_password(row.id, password, instead_of=stored)
        return account_of(row)

    async def confirm_password(self, account: Account, password: str, address: str) -> None:
        """Asks again for the password of somebody who is signed in.

        Raises: as `signed_in`.
        """
        await self.signed_in(account.email, password, address)

    async def change_password(self, account: Account, old: str, new: str, address: str) -> None:
        """Another password; web sessions end, devices go on.

        Raises: as `signed_in` and `check_password`.
        """
        check_password(new, account.email)
        await self.confirm_password(account, old, address)
        await self._store_password(account.id, new)
        async with self._database.transaction() as connection:
            await connection.execute(delete(WEB_SESSIONS).where(WEB_SESSIONS.c.account_id == account.id))

    async def set_plan(self, email: str, plan: str) -> Account:
        """Puts the account on a plan; tokens say so from the next one on.

        Raises: NoSuchAccount, DatabaseUnavailable.
        """
        account = await self.named(email)
        async with self._database.transaction() as connection:
            await connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == account.id).values(plan=plan))
        return Account(account.id, account.email, plan, account.standing, account.created_ms)

    async def named(self, email: str) -> Account:
        """The account of an address, for operators.

        Raises: NoSuchAccount, DatabaseUnavailable.
        """
        try:
            known = normalised_email(email)
        except NotAnEmail:
            raise NoSuchAccount from None
        async with self._database.transaction() as connection:
            row = (await connection.execute(select(ACCOUNTS).where(ACCOUNTS.c.email == known))).one_or_none()
        if row is None:
            raise NoSuchAccount
        return account_of(row)

    async def _store_password(self, account_id: str, password: str, *, instead_of: str | None = None) -> None:
        stored = await self._passwords.hash(password)
        change = update(ACCOUNTS).where(ACCOUNTS.c.id == account_id).values(password_hash=stored)
        if instead_of is not None:
            change = change.where(ACCOUNTS.c.password_hash == instead_of)
        async with self._database.transaction() as connection:
            await connection.execute(change)


def account_of(row: Row[tuple[object, ...]]) -> Account:
    """The account in a row of its table."""
    return Account(row.id, row.email, row.plan, Standing(row.state), Millis(row.created_ms))


async def account_in_use(connection: AsyncConnection, account_id: str) -> Account | None:
    """The account if it is there and not leaving, locked until the transaction ends."""
    found = select(ACCOUNTS).where(ACCOUNTS.c.id == account_id, ACCOUNTS.c.state == Standing.ACTIVE)
    row = (await connection.execute(found.with_for_update())).one_or_none()
    return None if row is None else account_of(row)


async def end_every_session(connection: AsyncConnection, account_id: str) -> None:
    """Nobody is signed in to the account any more: neither in a browser nor on a device."""
    await connection.execute(delete(WEB_SESSIONS).where(WEB_SESSIONS.c.account_id == account_id))
    await connection.execute(delete(DEVICES).where(DEVICES.c.account_id == account_id))
