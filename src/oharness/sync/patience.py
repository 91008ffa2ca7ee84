"""How long an answer may take to come: a service that drips, or only says that it goes on, must not hold us."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from oharness.sync.transport import ServiceUnreachable


@asynccontextmanager
async def within(seconds: float, address: str) -> AsyncIterator[None]:
    """Ends what happens inside after so many seconds; a limit on silence alone is met by one byte now and then.

    Raises: ServiceUnreachable.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise ServiceUnreachable(address, f"no answer within {seconds:.0f} seconds") from error
