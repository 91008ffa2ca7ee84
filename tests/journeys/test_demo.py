"""`oharness demo`: notes travel between two devices, and Ctrl-C leaves no process and no folder."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

pytestmark = [pytest.mark.sync, pytest.mark.skipif(sys.platform == "win32", reason="signals")]


def wait_for(happened: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def is_answered(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/healthz").status_code == 200
    except httpx2.TransportError:
        return False


@pytest.mark.parametrize("ends_with", [signal.SIGINT, signal.SIGTERM])
def test_the_demo_shows_notes_travelling_and_cleans_up(tmp_path: Path, ends_with: signal.Signals) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "oharness.cli.main", "demo", "--json"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as demo:
        try:
            assert demo.stdout is not None
            stage = json.loads(demo.stdout.readline())
            laptop, desk = (Path(device["project"]) / "MEMORY" for device in stage["devices"])
            try:
                wait_for(lambda: (desk / "deploy-day.md").exists())
            except AssertionError:
                demo.send_signal(signal.SIGINT)
                pytest.fail(demo.communicate(timeout=60)[1])
            text = (laptop / "deploy-day.md").read_text()
            (laptop / "coffee.md").write_text(text.replace("deploy-day", "coffee"))
            wait_for(lambda: (desk / "coffee.md").exists())
            assert is_answered(stage["cloud"])
            assert is_answered(stage["sync"])
            demo.send_signal(ends_with)
            out, err = demo.communicate(timeout=60)
            assert (demo.returncode, out) == (0, ""), err
            assert "Traceback" not in err
        finally:
            demo.kill()
    assert not is_answered(stage["cloud"])
    assert not is_answered(stage["sync"])
    assert list(tmp_path.glob("oharness-demo-*")) == []
    assert not any(_group_of(process) == demo.pid for process in Path("/proc").glob("[0-9]*"))


def _group_of(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[2])
    except (OSError, ValueError, IndexError):
        return 0
