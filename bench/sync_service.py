"""Commits per second of the sync service, for one scope and for fifty at once, as scopes grow.

    python bench/sync_service.py [--sizes 1000,5000,20000] [--seconds 5]

The service runs as a process of its own on a folder store; clients speak HTTP on loopback over kept connections.
Scopes are laid down as manifests before the service starts; every commit puts one new note of about 1 KB.
Prints Markdown.
"""

import argparse
import asyncio
import contextlib
import hashlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import jwt

from oharness.core.clock import Millis
from oharness.core.scopes import Scope, project_scope
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.protocol.commit import COMMIT_PATH, CommitRequest, Put, encode_commit_request
from oharness.protocol.snapshot import (
    SNAPSHOT_PATH,
    ListingRequest,
    PollQuery,
    PollRequest,
    SnapshotRequest,
    encode_snapshot_request,
)
from oharness.protocol.values import Epoch
from oharness.syncserver.keys import manifest_key
from oharness.syncserver.manifest import FORMAT, Manifest, NoteEntry, Writer, encode_manifest
from oharness.system import SystemRandomness

SECRET = "a secret that only this bench knows, of 32 bytes"
ACCOUNT = "bench"
EPOCH = Epoch("bench-epoch")
SCOPES = 50
DEVICES = 16
BODY = "Some words of a note that somebody wrote. " * 24


@dataclass(frozen=True)
class Rate:
    """What clients saw: commits per second, and how long one took."""

    per_second: float
    p50_ms: float
    p95_ms: float


def laid_down(size: int) -> bytes:
    """A manifest of so many notes; their bodies are not needed to commit."""
    notes = {
        f"note-{number:06d}": NoteEntry(
            hash=hashlib.sha256(str(number).encode()).hexdigest(),
            revision=f"{number:032x}-0",
            seq=1 + number % 100,
            bytes=1000,
            updated_at=1_789_000_000_000,
            recent=(f"{number:032x}-0",),
        )
        for number in range(size)
    }
    return encode_manifest(Manifest(FORMAT, EPOCH, 100, "nonce", Writer("", ""), 0, {}, notes, {}))


def lay_down(folder: Path, size: int) -> None:
    data = laid_down(size)
    for number in range(SCOPES):
        path = folder / manifest_key(ACCOUNT, scope(number))
        path.parent.mkdir(parents=True)
        path.write_bytes(data)


def scope(number: int) -> Scope:
    return project_scope(f"project-{number}")


@contextlib.contextmanager
def running_service(folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    variables = {
        "STORAGE_URL": folder.as_uri(),
        "JWT_SECRET": SECRET,
        "RATE_PER_MINUTE": "0",
        "MAX_NOTES": "1000000",
        "PORT": str(port),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "oharness.syncserver"],
        env=os.environ | {f"OHARNESS_SYNC_{name}": value for name, value in variables.items()},
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(httpx2.TransportError):
                if httpx2.get(f"{url}/readyz").status_code == 200:
                    break
            time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait()


def headers() -> dict[str, str]:
    now = int(time.time())
    claims = {"iss": "bench", "aud": "oharness-sync", "sub": ACCOUNT, "iat": now, "exp": now + 3600}
    token = jwt.encode(claims | {"ent": {"plan": "paid"}}, SECRET, algorithm="HS256")
    return {
        "authorization": f"Bearer {token}",
        "content-type": "application/json",
        "oharness-protocol": "2",
        "accept-encoding": "identity",
    }


async def commit_for(http: httpx2.AsyncClient, where: Scope, device: str, until: float, times: list[float]) -> None:
    randomness = SystemRandomness()
    while time.monotonic() < until:
        note = Note(
            f"{device}-{randomness.token(6)}", "A note of the bench", BODY, updated_at=Millis(1_789_000_000_000)
        )
        put = Put(note.id, None, None, content_hash(note), note)
        request = CommitRequest(where, EPOCH, device, randomness.uuid(), (put,))
        started = time.monotonic()
        answer = await http.post(COMMIT_PATH, content=encode_commit_request(request))
        assert answer.status_code == 200, answer.text
        assert answer.json()["results"][0]["status"] == "applied", answer.text
        times.append(time.monotonic() - started)


async def measure(url: str, places: list[tuple[Scope, str]], seconds: float) -> Rate:
    times: list[float] = []
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=url, headers=headers(), limits=limits, timeout=60) as http:
        await http.get("/v1/memory/identity")
        started = time.monotonic()
        await asyncio.gather(*(commit_for(http, where, device, started + seconds, times) for where, device in places))
        took = time.monotonic() - started
    ordered = sorted(times)
    return Rate(len(times) / took, statistics.median(ordered) * 1000, ordered[int(len(ordered) * 0.95)] * 1000)


def one_request(url: str, request: SnapshotRequest, times: int) -> tuple[float, int]:
    """The median milliseconds of a request, and the bytes of its answer."""
    body = encode_snapshot_request(request)
    took: list[float] = []
    size = 0
    with httpx2.Client(base_url=url, headers=headers(), timeout=60) as http:
        for _ in range(times):
            started = time.monotonic()
            answer = http.post(SNAPSHOT_PATH, content=body)
            took.append(time.monotonic() - started)
            size = len(answer.content)
    return statistics.median(took) * 1000, size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,5000,20000")
    parser.add_argument("--seconds", type=float, default=5.0)
    chosen = parser.parse_args()
    print("| notes per scope | manifest | commits | per second | p50 ms | p95 ms |")
    print("|---|---|---|---|---|---|")
    polls: list[str] = []
    for size in (int(text) for text in chosen.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            lay_down(Path(folder), size)
            kib = len(laid_down(size)) // 1024
            with running_service(Path(folder)) as url:
                cases = {
                    "one device": [(scope(0), "d1")],
                    f"one scope, {DEVICES} devices at once": [(scope(1), f"d{number}") for number in range(DEVICES)],
                    f"{SCOPES} scopes at once": [(scope(number), f"e{number}") for number in range(SCOPES)],
                }
                for name, places in cases.items():
                    rate = asyncio.run(measure(url, places, chosen.seconds))
                    print(
                        f"| {size:,} | {kib:,} KiB | {name} | {rate.per_second:.0f} | {rate.p50_ms:.1f} | "
                        f"{rate.p95_ms:.1f} |",
                        flush=True,
                    )
                poll_ms, poll_bytes = one_request(url, PollRequest((PollQuery(scope(9), EPOCH, 100),)), 50)
                have = tuple(hashlib.sha256(str(number).encode()).hexdigest() for number in range(size))
                nothing_ms, _ = one_request(url, ListingRequest(scope(9), have=have), 3)
                polls.append(f"| {size:,} | {poll_ms:.1f} | {poll_bytes:,} | {nothing_ms:.1f} |")
    print("\n| notes per scope | poll, ms | poll, bytes | whole listing without bodies, ms |\n|---|---|---|---|")
    print("\n".join(polls))


if __name__ == "__main__":
    main()
