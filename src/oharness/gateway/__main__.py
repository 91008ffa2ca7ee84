"""Puts the gateway together from its settings and runs it: the only place with the real clock and randomness."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import AsyncIterator

from oharness.core.errors import Failed, WrongUsage
from oharness.gateway.cloud import Cloud, open_cloud
from oharness.gateway.database import DatabaseUnavailable
from oharness.gateway.passwords import DEFAULT_COST, HashingCost
from oharness.gateway.settings import PREFIX, Settings, read_settings
from oharness.serving.json_log import log_to_stderr
from oharness.serving.web_server import SERVER_OPTIONS, listening
from oharness.system import SystemClock, SystemRandomness

_DATABASE_TRIES = 30
_BETWEEN_TRIES_S = 2.0
_LOG = logging.getLogger("oharness.gateway")


@contextlib.asynccontextmanager
async def opened_cloud(settings: Settings, cost: HashingCost = DEFAULT_COST) -> AsyncIterator[Cloud]:
    """The gateway's parts for the time of the block, without the pages.

    Raises: SettingUnusable, DatabaseUnavailable, DatabaseTooNew.
    """
    cloud = await open_cloud(settings, SystemClock(), SystemRandomness(), cost=cost)
    try:
        yield cloud
    finally:
        await cloud.database.close()


def serve(settings: Settings, cost: HashingCost = DEFAULT_COST) -> None:
    """Runs the gateway until it is told to stop.

    Raises: SettingUnusable, also when nobody can listen there; DatabaseUnavailable, DatabaseTooNew.
    """
    log_to_stderr()
    asyncio.run(_serve(settings, cost))


async def _wait_for_database(settings: Settings, cost: HashingCost) -> None:
    """A database that starts at the same moment is given a minute."""
    for _ in range(_DATABASE_TRIES):
        try:
            async with opened_cloud(settings, cost):
                return
        except DatabaseUnavailable as error:
            _LOG.warning("database failed", extra={"fields": {"reason": error.reason}})
            await SystemClock().sleep(_BETWEEN_TRIES_S)


async def _serve(settings: Settings, cost: HashingCost) -> None:
    import uvicorn

    from oharness.gateway.app import GatewayApp

    await _wait_for_database(settings, cost)
    async with opened_cloud(settings, cost) as cloud:
        config = uvicorn.Config(
            GatewayApp(cloud).app,
            host=settings.host,
            port=settings.port,
            proxy_headers=True,
            forwarded_allow_ips=settings.proxies,
            **SERVER_OPTIONS,
        )
        with listening(PREFIX):
            await uvicorn.Server(config).serve()


def main() -> int:
    """`python -m oharness.gateway`: serves; the exit code."""
    try:
        serve(read_settings(os.environ))
    except WrongUsage as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except Failed as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
