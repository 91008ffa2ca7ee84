"""How often an account may ask, and when it may again."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from oharness.protocol.errors import ErrorCode
from oharness.syncserver.rate_limit import LocalLimit, SharedLimit
from oharness.system import SystemClock, SystemRandomness
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_caller import Caller, error_of
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync


async def test_a_minute_holds_so_many_requests_and_the_wait_is_told(clock: FakeClock) -> None:
    limit = LocalLimit(3, clock)
    assert [await limit.wait_for("ann") for _ in range(3)] == [0, 0, 0]
    clock.advance(20)
    assert await limit.wait_for("ann") == 40
    assert await limit.wait_for("bob") == 0
    clock.advance(39.5)
    assert await limit.wait_for("ann") == 1
    clock.advance(0.5)
    assert await limit.wait_for("ann") == 0


async def test_asking_while_turned_away_does_not_make_the_wait_longer(clock: FakeClock) -> None:
    limit = LocalLimit(1, clock)
    await limit.wait_for("ann")
    for _ in range(59):
        clock.advance(1)
        assert await limit.wait_for("ann") > 0
    clock.advance(1)
    assert await limit.wait_for("ann") == 0


async def test_a_client_is_told_when_to_come_back(clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness(1), rate_limit=LocalLimit(2, clock))
    async with server.client() as http:
        ann, bob = Caller(server, http), Caller(server, http, account="bob")
        assert [(await ann.get()).status_code for _ in range(2)] == [200, 200]
        answer = await ann.get()
        assert error_of(answer).code == ErrorCode.RATE_LIMITED
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")
        assert (await bob.get()).status_code == 200
        assert (await ann.get("/healthz")).status_code == 200
        clock.advance(60)
        assert (await ann.get()).status_code == 200


async def test_requests_without_a_token_count_for_nobody(clock: FakeClock) -> None:
    server = SyncServer(clock, SeededRandomness(1), rate_limit=LocalLimit(2, clock))
    async with server.client() as http:
        for _ in range(5):
            assert (await http.get("/v1/memory/identity", headers={"OHarness-Protocol": "2"})).status_code == 401
        assert (await Caller(server, http).get()).status_code == 200


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    program = shutil.which("valkey-server") or shutil.which("redis-server")
    if program is None:
        pytest.skip("no Redis or Valkey on this machine")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


async def test_replicas_count_together(redis_url: str) -> None:
    account = SystemRandomness().token(4)
    limits = [SharedLimit(4, redis_url, SystemClock()) for _ in range(2)]
    assert [await limits[number % 2].wait_for(account) for number in range(4)] == [0, 0, 0, 0]
    for limit in limits:
        assert 50 <= await limit.wait_for(account) <= 60
        await limit.close()


async def test_without_its_store_the_limit_lets_everybody_in() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    limit = SharedLimit(1, f"redis://127.0.0.1:{port}", SystemClock())
    assert [await limit.wait_for("ann") for _ in range(3)] == [0, 0, 0]
    await limit.close()
