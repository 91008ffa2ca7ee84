"""The gateway's parts, put together on one database."""

from collections.abc import Mapping
from dataclasses import dataclass

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.gateway.accounts import Accounts
from oharness.gateway.attempts import Attempts
from oharness.gateway.database import Database, open_database
from oharness.gateway.deletion import Deletions
from oharness.gateway.device_codes import DeviceCodes
from oharness.gateway.devices import Devices
from oharness.gateway.erase_client import EraseClient
from oharness.gateway.housekeeping import Housekeeping
from oharness.gateway.passwords import DEFAULT_COST, HashingCost, Passwords
from oharness.gateway.settings import Settings
from oharness.gateway.signing_keys import SigningKeys
from oharness.gateway.teams import Teams
from oharness.gateway.tokens import Tokens
from oharness.gateway.web_sessions import WebSessions
from oharness.serving.metrics import Metrics

_COUNTED: Mapping[str, str] = {
    "sign_ups": "Accounts made on the page.",
    "sign_ins": "Sign-ins on the page.",
    "sign_in_failures": "Sign-ins on the page with a wrong e-mail address or password.",
    "devices_approved": "Devices that a person approved.",
    "devices_signed_in": "Devices that got their first tokens.",
    "refreshes": "Refresh tokens exchanged.",
    "refresh_refused": "Refresh tokens that were worth nothing.",
    "refresh_reused": "Devices signed out because two held copies of their tokens.",
    "throttled": "Requests turned away because of too many tries.",
    "erasures": "Times the sync service erased for us.",
    "erase_failures": "Times the sync service did not say that it erased.",
    "database_errors": "Requests that ended because the database did not answer.",
    "internal_errors": "Requests that ended with a fault of the gateway.",
}


@dataclass(frozen=True, slots=True)
class Cloud:
    """Everything that the pages, the endpoints and the admin commands work with."""

    settings: Settings
    clock: Clock
    randomness: Randomness
    secret: bytes
    database: Database
    metrics: Metrics
    attempts: Attempts
    passwords: Passwords
    accounts: Accounts
    sessions: WebSessions
    keys: SigningKeys
    tokens: Tokens
    device_codes: DeviceCodes
    devices: Devices
    teams: Teams
    deletions: Deletions
    housekeeping: Housekeeping


async def open_cloud(
    settings: Settings,
    clock: Clock,
    randomness: Randomness,
    *,
    cost: HashingCost = DEFAULT_COST,
    eraser: EraseClient | None = None,
    database: Database | None = None,
) -> Cloud:
    """The parts on the database of the settings, its tables made; `close` the database when done.

    Raises: SettingUnusable, DatabaseUnavailable, DatabaseTooNew.
    """
    database = database or open_database(settings.database_url)
    try:
        secret = await database.prepare(randomness)
    except BaseException:
        await database.close()
        raise
    metrics = Metrics("oharness_cloud", _COUNTED)
    attempts, passwords = Attempts(database, clock), Passwords(cost)
    keys = SigningKeys(database, clock, randomness)
    tokens = Tokens(database, keys, secret, settings.public_url, clock, randomness)
    asked = eraser or EraseClient(settings.sync_internal_url, settings.admin_key)
    deletions = Deletions(database, asked, metrics, clock)
    return Cloud(
        settings=settings,
        clock=clock,
        randomness=randomness,
        secret=secret,
        database=database,
        metrics=metrics,
        attempts=attempts,
        passwords=passwords,
        accounts=Accounts(database, passwords, attempts, clock, randomness),
        sessions=WebSessions(database, clock, randomness),
        keys=keys,
        tokens=tokens,
        device_codes=DeviceCodes(database, tokens, clock, randomness),
        devices=Devices(database, clock),
        teams=Teams(database, clock, randomness),
        deletions=deletions,
        housekeeping=Housekeeping(database, keys, deletions, clock),
    )
