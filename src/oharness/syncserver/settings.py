"""The service's settings: one table of environment variables, read once at the start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from oharness.protocol.claims import AUDIENCE
from oharness.protocol.quotas import Quota
from oharness.serving.variables import Setting, number_between, optional_text, read_table

PREFIX = "OHARNESS_SYNC_"


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
    return Settings(**read_table(SETTINGS, environment))


def _row(name: str, default: str, help_: str, read: Callable[[str], Any], expected: str = "a text") -> Setting:
    return Setting(PREFIX + name, name.lower(), default, help_, read, expected)


_QUOTA = Quota()
_COUNT = number_between(1, 10_000_000)

SETTINGS = (
    _row(
        "STORAGE_URL",
        "",
        "where objects are kept: file:///…, memory://, s3://…, gs://…, az://…",
        optional_text,
    ),
    _row("JWKS_URL", "", "address of the keys that sign access tokens (EdDSA, ES256, RS256)", optional_text),
    _row(
        "JWT_SECRET",
        "",
        "shared secret of access tokens (HS256), at least 32 bytes, instead of or beside the keys",
        optional_text,
    ),
    _row(
        "ISSUER", "", "the only issuer (`iss`) whose tokens count; unset: any that signs with these keys", optional_text
    ),
    _row("AUDIENCE", AUDIENCE, "the audience (`aud`) that tokens must name", str),
    _row("ADMIN_KEY", "", "key of POST /v1/admin/erase, which the gateway has too", optional_text),
    _row("MAX_NOTES", str(_QUOTA.max_notes), "live notes per project and per user", _COUNT, "a number above 0"),
    _row(
        "MAX_CHANGES",
        str(_QUOTA.max_changes),
        "changes per commit",
        number_between(1, 100_000),
        "a number, 1 to 100000",
    ),
    _row(
        "MAX_BODY_BYTES",
        str(_QUOTA.max_body_bytes),
        "UTF-8 bytes of one note's body",
        number_between(1, 16_777_216),
        "a number, 1 to 16777216",
    ),
    _row(
        "MAX_RESPONSE_BYTES",
        str(_QUOTA.max_response_bytes),
        "bytes of bodies per answer",
        number_between(1, 268_435_456),
        "a number, 1 to 268435456",
    ),
    _row(
        "TOMBSTONE_DAYS",
        str(_QUOTA.tombstone_days),
        "days a deleted note is remembered",
        number_between(1, 36_500),
        "a number of days, 1 to 36500",
    ),
    _row(
        "RATE_PER_MINUTE",
        "120",
        "requests per account and minute; 0: no limit",
        number_between(0, 1_000_000),
        "a number, 0 for no limit",
    ),
    _row("RATE_STORE_URL", "", "redis://… or valkey://… that several replicas count in", optional_text),
    _row("ENTITLEMENTS", "", "path of a file with the free plan's limits, instead of the built-in one", optional_text),
    _row("HOST", "127.0.0.1", "address to listen on", str),
    _row("PORT", "4321", "port to listen on; 0: any free one", number_between(0, 65_535), "a port, 0 to 65535"),
)
