"""The gateway's settings: one table of environment variables, read once at the start."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from oharness.serving.variables import Setting, number_between, optional_text, read_table

PREFIX = "OHARNESS_CLOUD_"
ADMIN_KEY = "OHARNESS_SYNC_ADMIN_KEY"
DEFAULT_DATABASE = "HOME/cloud-gateway/accounts.sqlite3"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a gateway is started with; addresses have no final slash."""

    database_url: str
    sync_url: str
    sync_internal_url: str
    public_url: str
    host: str
    port: int
    admin_key: str | None
    sign_up: bool
    proxies: str

    @property
    def is_https(self) -> bool:
        """Whether people reach the gateway over TLS, so that cookies may be kept to it."""
        return self.public_url.startswith("https://")


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in the environment; what depends on other settings is filled in.

    Raises: SettingUnusable.
    """
    values = read_table(SETTINGS, environment)
    values["database_url"] = values["database_url"] or default_database_url(environment)
    values["sync_internal_url"] = values["sync_internal_url"] or values["sync_url"]
    values["public_url"] = values["public_url"] or _own_address(values["host"], values["port"])
    return Settings(**values)


def default_database_url(environment: Mapping[str, str]) -> str:
    """The SQLite file in the home (`OHARNESS_HOME`, else `~/.oharness`)."""
    home = environment.get("OHARNESS_HOME") or "~/.oharness"
    return f"sqlite:///{(Path(home).expanduser() / 'cloud-gateway' / 'accounts.sqlite3').as_posix()}"


def _own_address(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host  # noqa: S104 - compared, not bound
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def _public_address(text: str) -> str:
    if not text:
        return ""
    parts = urlsplit(text)
    named = parts.hostname and not (parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
    secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    if not (named and secure):
        raise ValueError(text)
    return text.rstrip("/")


def _any_address(text: str) -> str:
    if text and not (urlsplit(text).scheme in ("http", "https") and urlsplit(text).hostname):
        raise ValueError(text)
    return text.rstrip("/")


def _open_or_closed(text: str) -> bool:
    if text not in ("open", "closed"):
        raise ValueError(text)
    return text == "open"


def _row(name: str, default: str, help_: str, read: Any, expected: str = "a text") -> Setting:
    return Setting(PREFIX + name, name.lower(), default, help_, read, expected)


_ADDRESS = "an https:// address without a path (http:// on loopback only)"

SETTINGS = (
    _row(
        "DATABASE_URL",
        "",
        f"where accounts are kept: sqlite:///path or postgresql://user:password@host/name; unset: the SQLite file "
        f"{DEFAULT_DATABASE}, where HOME is OHARNESS_HOME or ~/.oharness",
        optional_text,
    ),
    _row("SYNC_URL", "http://127.0.0.1:4321", "where devices reach the sync service", _public_address, _ADDRESS),
    _row(
        "SYNC_INTERNAL_URL",
        "",
        "where the gateway itself reaches the sync service, if that is another address (a container's name)",
        _any_address,
        "an address with http:// or https://",
    ),
    _row(
        "PUBLIC_URL",
        "",
        "where people and devices reach the gateway; the issuer (`iss`) of its tokens; unset: http://HOST:PORT",
        _public_address,
        _ADDRESS,
    ),
    _row("HOST", "127.0.0.1", "address to listen on", str),
    _row("PORT", "4322", "port to listen on", number_between(1, 65_535), "a port, 1 to 65535"),
    _row(
        "SIGN_UP",
        "open",
        "`closed`: only `oharness gateway admin user add` makes accounts",
        _open_or_closed,
        "open or closed",
    ),
    _row(
        "PROXIES",
        "127.0.0.1,::1",
        "addresses of reverse proxies whose X-Forwarded-For says who is calling",
        str,
        "addresses with commas between them",
    ),
    Setting(
        ADMIN_KEY,
        "admin_key",
        "",
        "key of the sync service's POST /v1/admin/erase; the same on both; without it nobody can be deleted",
        optional_text,
        "a text",
    ),
)
