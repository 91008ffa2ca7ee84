"""Real processes on a bad day: the gateway dies in mid-pass, two processes share a home, the home takes no writes."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oharness.syncserver.objects.folder import FolderObjects
from oharness.system import SystemClock, SystemRandomness
from tests.journeys.test_live_sync import Cloud, Machine, wait_for

pytestmark = pytest.mark.sync

NOTES = 150


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[Cloud]:
    running = Cloud(tmp_path / "cloud")
    running.start()
    running.add_account()
    yield running
    running.stop()


@pytest.fixture
def laptop(cloud: Cloud, tmp_path: Path) -> Machine:
    machine = Machine(tmp_path / "laptop")
    machine("project", "init")
    machine.sign_in(cloud)
    return machine


def sync_now(machine: Machine) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        machine.command("sync", "now", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def told(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def let_the_token_run_out(machine: Machine) -> None:
    """The service refuses the access token, as after fifteen minutes; the refresh token is as good as before."""
    file = machine.home / "credentials.json"
    kept = json.loads(file.read_text())
    file.write_text(json.dumps(kept | {"accessToken": "too.old.now", "expiresAt": 1}))


def bodies(cloud: Cloud) -> list[str]:
    """The notes that the store holds bodies of, each as often as it does."""

    async def keys() -> list[str]:
        store = FolderObjects(cloud.storage, SystemClock(), SystemRandomness())
        return [one.key async for one in store.list_under("users/")]

    return sorted(key.split("/")[-2] for key in asyncio.run(keys()) if "/objects/" in key)


def test_a_gateway_that_goes_down_in_mid_pass_stops_nothing_and_later_costs_nothing(
    cloud: Cloud, laptop: Machine
) -> None:
    names = [f"note-{number:03}" for number in range(NOTES)]
    for name in names:
        laptop.write(name, f"The body of {name}.")
    under_way = sync_now(laptop)
    wait_for(lambda: bool(bodies(cloud)) or under_way.poll() is not None, 60)
    cloud.gateway.stop()
    code, out, err = told(under_way)
    assert (code, bodies(cloud)) == (0, names), out + err

    let_the_token_run_out(laptop)
    laptop.write("note-late", "Written while nobody could sign in.")
    code, out, err = told(sync_now(laptop))
    assert code == 1, out + err
    assert "cannot be reached" in out + err
    assert "note-late" in laptop.notes()
    assert bodies(cloud) == names

    cloud.gateway.start(cloud.url)
    code, out, err = told(sync_now(laptop))
    assert (code, bodies(cloud)) == (0, sorted([*names, "note-late"])), out + err


def test_two_processes_of_one_home_sync_at_once_and_share_one_sign_in(cloud: Cloud, laptop: Machine) -> None:
    names = [f"note-{number:03}" for number in range(NOTES)]
    for name in names:
        laptop.write(name, f"The body of {name}.")
    let_the_token_run_out(laptop)
    both = [told(one) for one in [sync_now(laptop), sync_now(laptop)]]
    assert [code for code, _, _ in both] == [0, 0], both
    assert bodies(cloud) == names, "each note went up once"
    assert laptop.notes() == set(names)
    assert json.loads(laptop("sync", "status", "--json"))["scopes"][0]["conflicts"] == 0
    let_the_token_run_out(laptop)
    assert told(sync_now(laptop))[0] == 0, "the chain of refresh tokens was not broken"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_that_takes_no_writes_is_said_and_loses_nothing(cloud: Cloud, laptop: Machine) -> None:
    laptop.write("a-note", "text")
    for path in [laptop.home, *laptop.home.rglob("*")]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    code, out, err = told(sync_now(laptop))
    for path in [laptop.home, *laptop.home.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert code == 1, out + err
    assert "could not be read or written" in out + err
    assert laptop.notes() == {"a-note"}
    assert told(sync_now(laptop))[0] == 0
    assert bodies(cloud) == ["a-note"]
