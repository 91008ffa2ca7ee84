"""The web server that both services run behind: how it is set up, and what is said where it cannot listen."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from oharness.serving.variables import SettingUnusable

SERVER_OPTIONS: Mapping[str, Any] = MappingProxyType(
    {
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "date_header": True,
        "timeout_keep_alive": 75,
        "timeout_graceful_shutdown": 10,
        "h11_max_incomplete_event_size": 65_536,
    }
)
"""For uvicorn: log lines are the service's own, and a service that is stopped does not wait long for anybody."""


@contextmanager
def listening(prefix: str) -> Iterator[None]:
    """Around serving: that it could not begin is told of the two variables that say where.

    Raises: SettingUnusable.
    """
    try:
        yield
    except SystemExit as stopped:  # how uvicorn says so; its log has the reason
        expected = "an address of this machine that no other program uses"
        raise SettingUnusable(f"{prefix}HOST, {prefix}PORT", expected) from stopped
