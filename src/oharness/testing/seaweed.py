"""A real S3-compatible server on loopback for tests: SeaweedFS, as its Python package brings it."""

import asyncio
import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from oharness.syncserver.objects.base import StoreUnavailable
from oharness.syncserver.objects.remote import RemoteObjects, open_bucket

BUCKET = "oharness-test"
KEY_ID, KEY = "a-test-key", "a-test-secret"
_START_S = 90.0


class Seaweed:
    """The server as a process that can be killed and started again on the same folder and ports."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        names = ("master", "master.grpc", "volume", "volume.grpc", "filer", "filer.grpc", "s3", "s3.grpc")
        self._ports = dict(zip(names, _free_ports(len(names)), strict=True))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that a service on this server is started with."""
        return {
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": KEY,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._ports['s3']}",
        }

    @property
    def url(self) -> str:
        return f"s3://{BUCKET}"

    def start(self) -> None:
        """Returns when the server takes connections."""
        data = self._folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        config = self._folder / "s3.json"
        credentials = [{"accessKey": KEY_ID, "secretKey": KEY}]
        actions = ["Admin", "Read", "Write", "List", "Tagging"]
        config.write_text(
            json.dumps({"identities": [{"name": "test", "credentials": credentials, "actions": actions}]})
        )
        ports = [
            f"-{name.replace('.grpc', '.port.grpc') if '.' in name else name + '.port'}={port}"
            for name, port in self._ports.items()
        ]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    _program(),
                    "server",
                    f"-dir={data}",
                    "-ip=127.0.0.1",
                    "-ip.bind=127.0.0.1",
                    "-filer",
                    "-s3",
                    f"-s3.config={config}",
                    "-s3.port.iceberg=0",
                    "-s3.port.lance=0",
                    "-master.telemetry=false",
                    "-master.volumeSizeLimitMB=64",
                    "-volume.max=0",
                    *ports,
                ],
                stdout=log,
                stderr=log,
                cwd=self._folder,
            )
        self._wait()

    def kill(self) -> None:
        """Ends the process at once, as kill -9 does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _wait(self) -> None:
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._ports["s3"]), 1):
                return
            time.sleep(0.05)
        raise RuntimeError(f"SeaweedFS did not start: {(self._folder / 'log').read_text()[-2000:]}")


async def open_when_ready(url: str, environment: dict[str, str]) -> RemoteObjects:
    """The bucket, once the server can write to it."""
    store = open_bucket(url, environment)
    deadline = time.monotonic() + _START_S
    while True:
        try:
            await store.remove(["ready"])
            written = await store.put("ready", b"1")
            if written == await store.put("ready", b"1"):
                return store
        except StoreUnavailable:
            pass
        if time.monotonic() > deadline:
            raise RuntimeError("the bucket did not become ready")
        await asyncio.sleep(0.1)


@contextlib.contextmanager
def running_seaweed(folder: Path) -> Iterator[Seaweed]:
    """A server for the length of the block."""
    server = Seaweed(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def _program() -> str:
    beside = Path(sys.executable).parent / "weed"
    return str(beside) if beside.exists() else shutil.which("weed") or "weed"


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
