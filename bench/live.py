"""How soon a note is elsewhere, and what a process costs that has nothing to do: real processes on this machine.

    python -m bench.live              # both tables, in Markdown
    python -m bench.live --rounds 20 --idle-seconds 60

Two `oharness web` processes are the devices, `oharness sync-server` on a folder is the Cloud. A note is written by
`oharness memory remember`; it is in the cloud when the manifest names it, and on a device when its file is there. The
idle process has 20 projects open.
"""

import argparse
import contextlib
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import jwt

SECRET = "a secret for measuring, long enough for HS256"
PROJECTS = 20
CHECK_S = 5
_POLL_S = 0.01
_PATIENCE_S = 120.0
_IDLE = """
import asyncio, os, sys
from contextlib import AsyncExitStack
from pathlib import Path
from oharness.wiring.environment import open_environment
from oharness.wiring.harness import Harness

async def main(home, projects):
    async with AsyncExitStack() as stack:
        for project in projects:
            environment = open_environment(dict(os.environ), Path(project), Path(home))
            await stack.enter_async_context(await Harness.in_environment(environment))
        print("open", flush=True)
        await asyncio.get_running_loop().create_future()

asyncio.run(main(sys.argv[1], sys.argv[2:]))
"""


class Machine:
    """A home with one project or several, signed in."""

    def __init__(self, folder: Path, sync_url: str, projects: Sequence[Path]) -> None:
        self.home, self.projects = folder / "home", projects
        self.home.mkdir(parents=True)
        settings = {"memory": {"sync": {"checkSeconds": CHECK_S}}}
        (self.home / "config.json").write_text(json.dumps(settings))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("OHARNESS_")} | {
            "OHARNESS_KEYRING": "off"
        }
        self.sync_url = sync_url
        self.run("login", "--cloud", sync_url, "--token", "-", given=_token())

    def command(self, *words: str) -> list[str]:
        here = ["--home", str(self.home), "--project", str(self.projects[0])]
        return [sys.executable, "-m", "oharness.cli.main", *here, *words]

    def run(self, *words: str, given: str = "") -> str:
        done = subprocess.run(
            self.command(*words), input=given, capture_output=True, text=True, env=self.environment, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"{words}: {done.stderr}{done.stdout}")
        return done.stdout

    def note(self, note_id: str) -> Path:
        return self.projects[0] / "MEMORY" / f"{note_id}.md"


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12, help="0: only the idle process")
    parser.add_argument("--settle-seconds", type=int, default=240, help="how long the idle process is left alone first")
    parser.add_argument("--idle-seconds", type=int, default=60, help="how long the idle process is watched")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="oharness-live-")).resolve()
    try:
        with _service(folder / "notes") as sync_url:
            travel = _travel(folder, sync_url, arguments.rounds) if arguments.rounds else []
            idle = _idle(folder, sync_url, arguments.settle_seconds, arguments.idle_seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join([*travel, "", *idle]))
    return 0


# --- a note travels


def _travel(folder: Path, sync_url: str, rounds: int) -> list[str]:
    laptop, desk, phone = (_device(folder, name, sync_url) for name in ("laptop", "desk", "phone"))
    to_cloud, to_desk, to_phone, loads = [], [], [], []
    with _open(laptop), _open(desk):
        for number in range(rounds):
            note_id = f"n-{number}"
            time.sleep(1 + number * 0.37 % CHECK_S)  # at another moment between two checks each time
            loads.append(os.getloadavg()[0])
            laptop.run("memory", "remember", "--id", note_id, "--summary", f"Note {number}")
            written = time.monotonic()
            in_cloud = _when(lambda name=note_id: _is_in_cloud(folder / "notes", name))
            there = _when(desk.note(note_id).exists)
            asked = time.monotonic()
            phone.run("sync", "now")
            fetched = _when(phone.note(note_id).exists)
            to_cloud.append(in_cloud - written)
            to_desk.append(there - in_cloud)
            to_phone.append(fetched - asked)
    load = f"load {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores"
    return [
        f"{rounds} rounds, {load}, checks every {CHECK_S} s",
        "",
        "| from, to | median | longest | bar |",
        "|---|---|---|---|",
        _row("written, in the cloud", to_cloud, "5 s"),
        _row(f"in the cloud, on a device that checks every {CHECK_S} s", to_desk, f"{CHECK_S} s and 5 s"),
        _row("`oharness sync now`, on that device", to_phone, "5 s"),
    ]


def _row(what: str, seconds: list[float], bar: str) -> str:
    return f"| {what} | {statistics.median(seconds):.1f} s | {max(seconds):.1f} s | {bar} |"


def _device(folder: Path, name: str, sync_url: str) -> Machine:
    project = folder / name / "shop"
    (project / ".oharness").mkdir(parents=True)
    marker = {"id": "shop-of-the-bench", "name": "shop", "createdAt": 1_789_000_000_000}
    (project / ".oharness" / "project.json").write_text(json.dumps(marker))
    (project / "MEMORY").mkdir()
    return Machine(folder / name, sync_url, [project])


def _is_in_cloud(notes: Path, note_id: str) -> bool:
    return any(
        note_id in json.loads(one.read_text())["notes"] for one in notes.glob("users/*/projects/*/memory/manifest.json")
    )


def _when(happened: Any) -> float:
    end = time.monotonic() + _PATIENCE_S
    while not happened():
        if time.monotonic() > end:
            raise RuntimeError("it did not happen")
        time.sleep(_POLL_S)
    return time.monotonic()


# --- nothing to do


def _idle(folder: Path, sync_url: str, settle_s: int, watch_s: int) -> list[str]:
    projects = [folder / "idle" / f"project-{number}" for number in range(PROJECTS)]
    for project in projects:
        project.mkdir(parents=True)
    machine = Machine(folder / "idle", sync_url, projects)
    for project in projects:
        at = [sys.executable, "-m", "oharness.cli.main", "--home", str(machine.home), "--project", str(project)]
        subprocess.run([*at, "project", "init"], env=machine.environment, check=True, capture_output=True)
        remember = [*at, "memory", "remember", "--summary", f"About {project.name}"]
        subprocess.run(remember, env=machine.environment, check=True, capture_output=True)
    machine.home.joinpath("config.json").unlink()  # the usual time between checks
    command = [sys.executable, "-c", _IDLE, str(machine.home), *map(str, projects)]
    with subprocess.Popen(command, env=machine.environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise RuntimeError("the idle process did not start")
            time.sleep(settle_s)
            requests, used_s, began = _requests(sync_url), _cpu_s(process.pid), time.monotonic()
            time.sleep(watch_s)
            seconds = time.monotonic() - began
            share = (_cpu_s(process.pid) - used_s) / seconds
            asked = _requests(sync_url) - requests
        finally:
            process.terminate()
            process.wait()
    return [
        f"A process with {PROJECTS} projects open and nothing to do, after {settle_s} s, load {os.getloadavg()[0]:.1f}",
        "",
        "| | measured | bar |",
        "|---|---|---|",
        f"| share of a core over {seconds:.0f} s | {share:.2%} | 1 % |",
        f"| requests in that time | {asked} | one check a minute before it backs off |",
    ]


def _requests(sync_url: str) -> int:
    text = httpx2.get(f"{sync_url}/metrics").text
    lines = [line for line in text.splitlines() if "_requests_total{" in line and "/metrics" not in line]
    return sum(round(float(line.rpartition(" ")[2])) for line in lines if "healthz" not in line)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- processes


@contextlib.contextmanager
def _service(notes: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    variables = os.environ | {
        "OHARNESS_SYNC_STORAGE_URL": notes.as_uri(),
        "OHARNESS_SYNC_JWT_SECRET": SECRET,
        "OHARNESS_SYNC_PORT": str(port),
        "OHARNESS_SYNC_RATE_PER_MINUTE": "0",
    }
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "oharness.cli.main", "sync-server"]
    with subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL) as process:
        try:
            _when(lambda: _answers(url))
            yield url
        finally:
            process.terminate()


@contextlib.contextmanager
def _open(machine: Machine) -> Iterator[None]:
    command = machine.command("web", "--no-open", "--port", "0", "--json")
    with subprocess.Popen(command, env=machine.environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.terminate()
            process.wait()


def _answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/readyz").status_code == 200
    except httpx2.TransportError:
        return False


def _token() -> str:
    now = int(time.time())
    claims = {"sub": "ann", "iss": "bench", "aud": "oharness-sync", "iat": now, "exp": now + 7200}
    return jwt.encode(claims | {"ent": {"plan": "paid", "teams": []}}, SECRET, "HS256")


if __name__ == "__main__":
    sys.exit(main())
