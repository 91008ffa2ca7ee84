"""The service's settings: one table of environment variables, read once at the start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from oharness.core.errors import WrongUsage
from oharness.protocol.quotas import Quota

PREFIX = "OHARNESS_SYNC_"
DEFAULT_AUDIENCE = "oharness-sync"


@dataclass(eq=False)
class SettingUnusable(WrongUsage):
    """`variable` holds something that is not `expected`; its value may be a secret and is not kept."""

    variable: str
    expected: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One variable; `field` is where it goes in `Settings`."""

    variable: str
    field: str
    default: str
    help: str
    read: Callable[[str], Any]
    expected: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a service is started with; None or "" where nothing was set."""

    storage_url: str | None
    jwks_url: str | None
    jwt_secret: str | None
    issuer: str | None
    audience: str
    admin_key: str | None
    max_notes: int
    max_changes: int
    max_body_bytes: int
    max_response_bytes: int
    tombstone_days: int
    rate_per_minute: int
    rate_store_url: str | None
    entitlements: str | None
    host: str
    port: int

    @property
    def quota(self) -> Quota:
        """The limits that are announced."""
        return Quota(
            self.max_notes,
            self.max_changes,
            self.max_body_bytes,
            self.max_response_bytes,
            self.tombstone_days,
        )


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in the environment; empty variables count as not set.

    Raises: SettingUnusable.
    """
    values = {row.field: _read(row, environment.get(row.variable, "").strip()) for row in SETTINGS}
    return Settings(**values)


def _read(row: Setting, text: str) -> Any:
    try:
        return row.read(text or row.default)
    except ValueError as error:
        raise SettingUnusable(row.variable, row.expected) from error


def _optional(text: str) -> str | None:
    return text or None


def _issuer(text: str) -> str | None:
    return text.rstrip("/") or None


def _number(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return read


def _row(name: str, default: str, help_: str, read: Callable[[str], Any], expected: str = "a text") -> Setting:
    return Setting(PREFIX + name, name.lower(), default, help_, read, expected)


_QUOTA = Quota()
_COUNT = _number(1, 10_000_000)

SETTINGS = (
    _row(
        "STORAGE_URL",
        "",
        "where objects are kept: file:///…, memory://, s3://…, gs://…, az://…",
        _optional,
    ),
    _row("JWKS_URL", "", "address of the keys that sign access tokens (EdDSA, ES256, RS256)", _optional),
    _row("JWT_SECRET", "", "shared secret of access tokens (HS256), instead of or beside the keys", _optional),
    _row("ISSUER", "", "the only issuer (`iss`) whose tokens count; unset: any that signs with these keys", _issuer),
    _row("AUDIENCE", DEFAULT_AUDIENCE, "the audience (`aud`) that tokens must name", str),
    _row("ADMIN_KEY", "", "key of POST /v1/admin/erase, which the gateway has too", _optional),
    _row("MAX_NOTES", str(_QUOTA.max_notes), "live notes per project and per user", _COUNT, "a number above 0"),
    _row("MAX_CHANGES", str(_QUOTA.max_changes), "changes per commit", _number(1, 100_000), "a number, 1 to 100000"),
    _row(
        "MAX_BODY_BYTES",
        str(_QUOTA.max_body_bytes),
        "UTF-8 bytes of one note's body",
        _number(1, 16_777_216),
        "a number, 1 to 16777216",
    ),
    _row(
        "MAX_RESPONSE_BYTES",
        str(_QUOTA.max_response_bytes),
        "bytes of bodies per answer",
        _number(1, 268_435_456),
        "a number, 1 to 268435456",
    ),
    _row(
        "TOMBSTONE_DAYS",
        str(_QUOTA.tombstone_days),
        "days a deleted note is remembered",
        _number(1, 36_500),
        "a number of days, 1 to 36500",
    ),
    _row(
        "RATE_PER_MINUTE",
        "120",
        "requests per account and minute; 0: no limit",
        _number(0, 1_000_000),
        "a number, 0 for no limit",
    ),
    _row("RATE_STORE_URL", "", "redis://… or valkey://… that several replicas count in", _optional),
    _row("ENTITLEMENTS", "", "path of a file with the free plan's limits, instead of the built-in one", _optional),
    _row("HOST", "127.0.0.1", "address to listen on", str),
    _row("PORT", "4321", "port to listen on; 0: any free one", _number(0, 65_535), "a port, 0 to 65535"),
)
