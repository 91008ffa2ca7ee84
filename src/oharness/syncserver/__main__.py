"""Puts the service together from its settings and runs it: the only place that chooses a store."""

import argparse
import asyncio
import gc
import logging
import os
import sys
import urllib.request
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from oharness.core.clock import Clock
from oharness.core.errors import WrongUsage
from oharness.core.randomness import Randomness
from oharness.serving.json_log import log_to_stderr
from oharness.serving.variables import SettingUnusable
from oharness.serving.web_server import SERVER_OPTIONS, listening
from oharness.syncserver.app import Parts, SyncService
from oharness.syncserver.auth import EitherSource, KeySource, PublishedKeys, SharedSecret, Verifier
from oharness.syncserver.entitlements import Entitlements, read_entitlements
from oharness.syncserver.gc import GcReport, collect_garbage
from oharness.syncserver.objects.base import ObjectStore
from oharness.syncserver.objects.folder import FolderObjects
from oharness.syncserver.objects.ram import RamObjects
from oharness.syncserver.rate_limit import LocalLimit, NoLimit, RateLimit, SharedLimit
from oharness.syncserver.settings import PREFIX, Settings, read_settings
from oharness.syncserver.standing import Limits
from oharness.system import SystemClock, SystemRandomness

_LOG = logging.getLogger("oharness.syncserver")
_KEYS_TIMEOUT_S = 5.0
_SHORTEST_SECRET = 32
_LARGEST_KEY_DOCUMENT = 1 << 20
_OBJECTS_UNTIL_COLLECTION = 20_000
"""A commit of 500 notes makes some ten thousand objects that go by themselves."""
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def build_service(
    settings: Settings, environment: Mapping[str, str], *, only_old_protocol: bool = False
) -> SyncService:
    """The service as it is configured; what is missing is said by its endpoints.

    Raises: SettingUnusable, EntitlementsBroken.
    """
    clock, randomness = SystemClock(), SystemRandomness()
    missing = [name for name, is_set in _needed(settings).items() if not is_set]
    return SyncService(
        Parts(
            store=None
            if settings.storage_url is None
            else open_store(settings.storage_url, environment, clock, randomness),
            verifier=_verifier(settings, clock),
            missing=missing[0] if missing else "",
            limits=Limits(settings.quota, load_entitlements(settings.entitlements)),
            rate_limit=_rate_limit(settings, clock),
            clock=clock,
            randomness=randomness,
            offload=_in_a_thread,
            only_old_protocol=only_old_protocol,
            admin_key=settings.admin_key,
        )
    )


def serve(settings: Settings, *, only_old_protocol: bool = False) -> None:
    """Runs the service until it is told to stop.

    Raises: SettingUnusable, also when nobody can listen there; EntitlementsBroken.
    """
    import uvicorn

    log_to_stderr()
    _warn_of_short_secret(settings)
    service = build_service(settings, os.environ, only_old_protocol=only_old_protocol)
    gc.freeze()  # what starting made stays for good, and is not looked through again with every request
    gc.freeze()  # what the program consists of stays: there is nothing to find in it, commit after commit
    gc.set_threshold(_OBJECTS_UNTIL_COLLECTION)
    with listening(PREFIX):
        uvicorn.run(service.app, host=settings.host, port=settings.port, **SERVER_OPTIONS)


def run_gc(settings: Settings) -> GcReport:
    """Removes what no manifest names and is older than 48 hours, and what erased accounts and teams left (P-42).

    Raises: SettingUnusable, StoreUnavailable, ManifestUnreadable.
    """
    if settings.storage_url is None:
        raise SettingUnusable(PREFIX + "STORAGE_URL", "the address of the storage")
    clock, randomness = SystemClock(), SystemRandomness()
    store = open_store(settings.storage_url, os.environ, clock, randomness)
    return asyncio.run(collect_garbage(store, clock, randomness))


def open_store(url: str, environment: Mapping[str, str], clock: Clock, randomness: Randomness) -> ObjectStore:
    """The store of a URL.

    Raises: SettingUnusable.
    """
    parts = urlsplit(url)
    if parts.scheme == "memory":
        return RamObjects(clock)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path.strip("/"):
        return FolderObjects(Path(_local_path(parts.path)), clock, randomness)
    if parts.scheme in ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "https"):
        from oharness.syncserver.objects.remote import open_bucket

        try:
            return open_bucket(url, environment)
        except ValueError as error:
            raise SettingUnusable(PREFIX + "STORAGE_URL", f"a bucket that can be opened ({error})") from error
    raise SettingUnusable(PREFIX + "STORAGE_URL", "file:///…, memory://, s3://…, gs://… or az://…")


def load_entitlements(path: str | None) -> Entitlements:
    """The limits of the free plan: from a file, or the ones that come with the package.

    Raises: SettingUnusable, EntitlementsBroken.
    """
    if path is None:
        built_in = resources.files("oharness.syncserver") / "memory_entitlements.json"
        return read_entitlements(built_in.read_bytes())
    try:
        return read_entitlements(Path(path).read_bytes())
    except OSError as error:
        raise SettingUnusable(PREFIX + "ENTITLEMENTS", "the path of a readable file") from error


def main(arguments: list[str] | None = None) -> int:
    """`python -m oharness.syncserver`: serves, or with `gc` cleans up; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m oharness.syncserver", description=__doc__)
    parser.add_argument("action", nargs="?", choices=["serve", "gc"], default="serve")
    parser.add_argument("--protocol", type=int, choices=[1, 2], default=2)
    chosen = parser.parse_args(arguments)
    try:
        settings = read_settings(os.environ)
        if chosen.action == "gc":
            sys.stdout.write(run_gc(settings).as_json() + "\n")
        else:
            serve(settings, only_old_protocol=chosen.protocol == 1)
    except WrongUsage as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _warn_of_short_secret(settings: Settings) -> None:
    """A secret of fewer bytes than its hash can be guessed from one token (RFC 7518, 3.2)."""
    size = len((settings.jwt_secret or "").encode())
    if 0 < size < _SHORTEST_SECRET:
        fields = {"setting": f"{PREFIX}JWT_SECRET", "bytes": size, "atLeast": _SHORTEST_SECRET}
        _LOG.warning("the shared secret is short", extra={"fields": fields})


def _needed(settings: Settings) -> dict[str, bool]:
    return {
        PREFIX + "STORAGE_URL": settings.storage_url is not None,
        f"{PREFIX}JWKS_URL or {PREFIX}JWT_SECRET": settings.jwks_url is not None or settings.jwt_secret is not None,
    }


def _verifier(settings: Settings, clock: Clock) -> Verifier | None:
    sources: list[KeySource] = []
    if settings.jwt_secret is not None:
        sources.append(SharedSecret(settings.jwt_secret))
    if settings.jwks_url is not None:
        fetch = _key_fetcher(settings.jwks_url)
        sources.append(PublishedKeys(lambda: asyncio.to_thread(fetch), clock))
    if not sources:
        return None
    return Verifier(EitherSource(sources), clock, settings.audience, settings.issuer)


def _key_fetcher(url: str) -> Callable[[], bytes]:
    """A function that gets the key document. Raises: SettingUnusable for a URL that anybody could answer."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise SettingUnusable(PREFIX + "JWKS_URL", "an https:// address (http:// on loopback only)")

    def fetch() -> bytes:
        with urllib.request.urlopen(url, timeout=_KEYS_TIMEOUT_S) as answer:  # noqa: S310 - checked above
            data: bytes = answer.read(_LARGEST_KEY_DOCUMENT + 1)
        if len(data) > _LARGEST_KEY_DOCUMENT:
            raise ValueError("the key document is too large")
        return data

    return fetch


def _rate_limit(settings: Settings, clock: Clock) -> RateLimit:
    if settings.rate_per_minute == 0:
        return NoLimit()
    if settings.rate_store_url is not None:
        return _shared_limit(settings.rate_per_minute, settings.rate_store_url, clock)
    return LocalLimit(settings.rate_per_minute, clock)


def _shared_limit(per_minute: int, url: str, clock: Clock) -> RateLimit:
    try:
        return SharedLimit(per_minute, url, clock)
    except ImportError as error:
        expected = "used with the redis extra: pip install 'oharness[redis]'"
        raise SettingUnusable(PREFIX + "RATE_STORE_URL", expected) from error
    except ValueError as error:
        raise SettingUnusable(PREFIX + "RATE_STORE_URL", "redis://… or valkey://…") from error


async def _in_a_thread(function: Callable[..., Any], /, *args: Any) -> Any:
    return await asyncio.to_thread(function, *args)


def _local_path(path: str) -> str:
    plain = unquote(path)
    return plain[1:] if os.name == "nt" and len(plain) > 2 and plain[2] == ":" else plain


if __name__ == "__main__":
    sys.exit(main())
