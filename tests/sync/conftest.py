"""Machines and a service for the tests of the sync client."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.testing.clock import FakeClock
from oharness.testing.devices import Device
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def server(clock: FakeClock) -> SyncServer:
    return SyncServer(clock, SeededRandomness("server"))


@pytest.fixture
def device(tmp_path: Path, server: SyncServer) -> Callable[[str], Device]:
    """Makes a machine of the one account, by name."""
    return lambda name: Device(tmp_path / name, server)
