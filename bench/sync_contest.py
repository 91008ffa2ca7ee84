"""What every contestant of the sync bench can do, and the processes that they are made of."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from bench.sync_notes import MadeUpNote

_START_SECONDS = 30.0


class Pair(Protocol):
    """Two devices with a folder each and a service between them, all new; notes lie in the first folder."""

    @property
    def first(self) -> Path:
        """The notes of the device that sends."""
        ...

    @property
    def second(self) -> Path:
        """The notes of the device that receives; need not exist before the first `receive`."""
        ...

    def record(self) -> None:
        """What the first device has to do with changed files before it can send; often nothing."""
        ...

    def send(self) -> None:
        """Everything that is new on the first device is on the service afterwards."""
        ...

    def receive(self) -> None:
        """Everything that is on the service is in the second folder afterwards."""
        ...

    def ask(self) -> None:
        """The first device learns that there is nothing new anywhere."""
        ...

    def close(self) -> None:
        """Ends the processes of the two devices."""
        ...


class Contestant(Protocol):
    """One way to keep two folders in step."""

    name: str

    def form(self, note: MadeUpNote) -> tuple[str, bytes]:
        """A note as the name and the bytes of a file."""
        ...

    def missing(self) -> str:
        """What would have to be installed first; empty when it can take part."""
        ...

    def start(self, place: Path) -> int:
        """Starts the service, which keeps its data below `place`, and gives its port on loopback."""
        ...

    def pair(self, place: Path, port: int) -> Pair:
        """Two new devices below `place` that reach the service at this port; `first` is there, without notes."""
        ...

    def stop(self) -> None:
        """Ends the service."""
        ...


class Service:
    """A server process of the bench; nothing of what it prints is kept but the end of it, for errors."""

    def __init__(self, command: Sequence[str | Path], port: int, log: Path, environment: Mapping[str, str]) -> None:
        self.port = port
        self._log = log
        with log.open("wb") as sink:
            self._process = subprocess.Popen(
                list(map(str, command)), env=dict(environment), stdout=sink, stderr=sink, cwd=log.parent
            )
        self._wait_until_it_answers()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)

    def _wait_until_it_answers(self) -> None:
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.05)
            else:
                return
        raise SystemExit(f"a server did not start:\n{self._log.read_text()[-2000:]}")


class WarmProcess:
    """A process of `bench.sync_child` that has everything loaded and does one thing each time it is asked."""

    def __init__(
        self, arguments: Sequence[str | Path], environment: Mapping[str, str], prefix: Sequence[str] = ()
    ) -> None:
        self._command = [*prefix, sys.executable, "-m", "bench.sync_child", *map(str, arguments)]
        root = Path(__file__).resolve().parents[1]
        self._process = subprocess.Popen(
            self._command, env=dict(environment), cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._wait()

    def do(self) -> None:
        """Does it; a failure there ends the bench."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._wait()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=20)

    def _wait(self) -> None:
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise SystemExit(f"a process that should stay has ended: {self._command}")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def clean_environment(home: Path, **more: str | Path) -> dict[str, str]:
    """Nothing of the person's own settings, and a home below the bench's folder."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "TEMP", "TMPDIR")}
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8", **{name: str(value) for name, value in more.items()}}


def run(command: Sequence[str | Path], environment: Mapping[str, str], where: Path, given: str = "") -> str:
    """What a command prints; a failure ends the bench with what it said."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=where,
        env=dict(environment),
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
