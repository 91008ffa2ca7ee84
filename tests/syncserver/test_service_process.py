"""The service as a process: started as an operator starts it, killed, started again, asked over real HTTP."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from jwt.algorithms import OKPAlgorithm

from oharness.core.scopes import USER_SCOPE
from oharness.notes.hashing import content_hash
from oharness.protocol.commit import CommitRequest, Put, decode_commit_answer, encode_commit_request
from oharness.protocol.errors import ErrorCode
from oharness.protocol.snapshot import ListingRequest, decode_listing_answer, encode_snapshot_request
from oharness.protocol.values import NO_EPOCH, Epoch
from oharness.system import SystemClock, SystemRandomness
from oharness.testing.plain_http import Answer, answering
from oharness.testing.sync_caller import error_of, note

pytestmark = pytest.mark.sync

SECRET = "a shared secret for tests, long enough for HS256"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def environment(port: int, **variables: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OHARNESS_", "AWS_"))}
    named = {f"OHARNESS_SYNC_{name}": value for name, value in variables.items()}
    return own | {"OHARNESS_SYNC_PORT": str(port)} | named


@dataclass
class Service:
    """A running service; `log` gets its lines when it has ended."""

    process: subprocess.Popen[str]
    url: str

    def wait_until_up(self) -> None:
        for _ in range(400):
            if self.process.poll() is not None:
                raise AssertionError(self.process.communicate()[1])
            with contextlib.suppress(httpx2.TransportError):
                if httpx2.get(f"{self.url}/healthz").status_code == 200:
                    return
            time.sleep(0.05)
        raise AssertionError("the service did not start")

    def stop(self) -> str:
        self.process.terminate()
        _, errors = self.process.communicate(timeout=20)
        return errors


@contextlib.contextmanager
def running(*arguments: str, **variables: str) -> Iterator[Service]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "oharness.syncserver", *arguments],
        env=environment(port, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    service = Service(process, f"http://127.0.0.1:{port}")
    try:
        service.wait_until_up()
        yield service
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def token(account: str = "ann", key: Any = SECRET, algorithm: str = "HS256", **headers: str) -> str:
    now = SystemClock().now_ms() // 1000
    claims = {
        "iss": "https://cloud.example",
        "aud": "oharness-sync",
        "sub": account,
        "iat": now,
        "exp": now + 600,
        "ent": {"plan": "paid", "teams": []},
    }
    return jwt.encode(claims, key, algorithm=algorithm, headers=headers or None)


def headers(bearer: str) -> dict[str, str]:
    return {"authorization": f"Bearer {bearer}", "content-type": "application/json", "OHarness-Protocol": "2"}


def commit(url: str, number: int, epoch: Epoch) -> Epoch:
    content = note(f"n-{number}", body=f"body {number}")
    request = CommitRequest(
        USER_SCOPE,
        epoch,
        "d1",
        SystemRandomness().uuid(),
        (Put(content.id, None, None, content_hash(content), content),),
    )
    answer = httpx2.post(f"{url}/v1/memory/commit", content=encode_commit_request(request), headers=headers(token()))
    assert answer.status_code == 200, answer.text
    return decode_commit_answer(answer.content, request).epoch


def listed(url: str) -> dict[str, str]:
    body = encode_snapshot_request(ListingRequest(USER_SCOPE))
    answer = httpx2.post(f"{url}/v1/memory/snapshot", content=body, headers=headers(token()))
    assert answer.status_code == 200, answer.text
    return {one.id: one.note.body for one in decode_listing_answer(answer.content).notes if one.note}


def test_what_was_answered_is_there_after_kill_9(tmp_path: Path) -> None:
    storage = (tmp_path / "objects").as_uri()
    expected: dict[str, str] = {}
    epoch = NO_EPOCH
    for start in (0, 5):
        with running(STORAGE_URL=storage, JWT_SECRET=SECRET) as service:
            assert listed(service.url) == expected
            for number in range(start, start + 5):
                epoch = commit(service.url, number, epoch)
                expected[f"n-{number}"] = f"body {number}"
            service.process.kill()
            service.process.wait()
    with running(STORAGE_URL=storage, JWT_SECRET=SECRET) as service:
        assert listed(service.url) == expected


@pytest.mark.parametrize(
    ("variables", "missing"),
    [
        ({}, "OHARNESS_SYNC_STORAGE_URL"),
        ({"JWT_SECRET": SECRET}, "OHARNESS_SYNC_STORAGE_URL"),
        ({"STORAGE_URL": "memory://"}, "OHARNESS_SYNC_JWKS_URL or OHARNESS_SYNC_JWT_SECRET"),
    ],
)
def test_a_service_without_settings_starts_and_says_what_to_set(variables: dict[str, str], missing: str) -> None:
    with running(**variables) as service:
        assert httpx2.get(f"{service.url}/healthz").json() == {"status": "ok"}
        for answer in (
            httpx2.get(f"{service.url}/v1/memory/identity", headers=headers(token())),
            httpx2.post(f"{service.url}/v1/memory/snapshot", content=b"{}", headers=headers(token())),
            httpx2.post(f"{service.url}/v1/memory/commit", content=b"{}"),
            httpx2.get(f"{service.url}/readyz"),
        ):
            error = error_of(answer)
            assert (error.status, error.code) == (503, ErrorCode.NOT_CONFIGURED)
            assert missing in error.message


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_a_short_shared_secret_is_warned_of_and_the_log_stays_json_lines(tmp_path: Path) -> None:
    short = "too short"
    with running(STORAGE_URL=(tmp_path / "objects").as_uri(), JWT_SECRET=short) as service:
        mine = headers(token(key=short))
        assert httpx2.get(f"{service.url}/v1/memory/identity", headers=mine).status_code == 200
        log = service.stop()
    lines = [json.loads(line) for line in log.splitlines()]
    (warned,) = [line for line in lines if line["event"] == "the shared secret is short"]
    assert (warned["level"], warned["bytes"], warned["atLeast"]) == ("warning", 9, 32)
    assert short not in log


def test_readiness_metrics_and_the_openapi_document_are_served(tmp_path: Path) -> None:
    with running(STORAGE_URL=(tmp_path / "objects").as_uri(), JWT_SECRET=SECRET) as service:
        assert httpx2.get(f"{service.url}/readyz").json() == {"status": "ready"}
        httpx2.get(f"{service.url}/v1/memory/identity", headers=headers(token()))
        metrics = httpx2.get(f"{service.url}/metrics")
        assert metrics.headers["content-type"].startswith("text/plain")
        assert 'oharness_sync_requests_total{endpoint="identity",status="200"} 1' in metrics.text
        assert httpx2.get(f"{service.url}/openapi.json").json()["openapi"] == "3.1.0"


def test_the_log_is_json_and_holds_neither_notes_nor_tokens_nor_names(tmp_path: Path) -> None:
    with running(STORAGE_URL=(tmp_path / "objects").as_uri(), JWT_SECRET=SECRET) as service:
        bearer = token("somebody@example.com")
        content = note("very-private-id", body="very private body", summary="very private summary")
        request = CommitRequest(
            USER_SCOPE,
            NO_EPOCH,
            "d1",
            SystemRandomness().uuid(),
            (Put(content.id, None, None, content_hash(content), content),),
        )
        url = f"{service.url}/v1/memory/commit"
        httpx2.post(url, content=encode_commit_request(request), headers=headers(bearer))
        httpx2.post(url, content=b'{"very private": "body"', headers=headers(bearer))
        httpx2.post(url, content=b"{}", headers=headers(bearer + "x"))
        log = service.stop()
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["status"] for line in lines if line["event"] == "request"] == [200, 400, 401]
    for secret in ("private", bearer, SECRET, "somebody"):
        assert secret not in log


def test_keys_are_fetched_from_their_address(tmp_path: Path) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    document = json.dumps({"keys": [dict(json.loads(OKPAlgorithm.to_jwk(key.public_key()))) | {"kid": "k"}]})
    with (
        answering(lambda method, path: Answer(200, document.encode())) as keys,
        running(STORAGE_URL="memory://", JWKS_URL=f"{keys.url}/jwks.json", ISSUER="https://cloud.example") as service,
    ):
        good = headers(token(key=key, algorithm="EdDSA", kid="k"))
        assert httpx2.get(f"{service.url}/v1/memory/identity", headers=good).json()["userId"] == "ann"
        assert httpx2.get(f"{service.url}/v1/memory/identity", headers=headers(token())).status_code == 401


def test_the_old_protocol_can_be_served_alone() -> None:
    with running("--protocol", "1", STORAGE_URL="memory://", JWT_SECRET=SECRET) as service:
        answer = httpx2.get(f"{service.url}/v1/memory/identity", headers=headers(token()))
        assert "protocol" not in answer.json()
        assert "oharness-protocol" not in answer.headers


def test_the_collector_runs_from_the_command_line(tmp_path: Path) -> None:
    storage = (tmp_path / "objects").as_uri()
    with running(STORAGE_URL=storage, JWT_SECRET=SECRET) as service:
        commit(service.url, 1, NO_EPOCH)
    orphan = tmp_path / "objects/users/ann/memory/objects/x/orphan.md"
    orphan.parent.mkdir()
    orphan.write_bytes(b"x")
    os.utime(orphan, (1_000_000, 1_000_000))
    done = subprocess.run(
        [sys.executable, "-m", "oharness.syncserver", "gc"],
        env=environment(0, STORAGE_URL=storage),
        capture_output=True,
        text=True,
        check=True,
    )
    counts = json.loads(done.stdout)
    assert counts == {"scopes": 1, "objects": 2, "removed": 1, "unreadable": 0, "erased": 0}
    assert not orphan.exists()


def test_a_slow_or_broken_connection_does_not_hold_up_others(tmp_path: Path) -> None:
    with running(STORAGE_URL="memory://", JWT_SECRET=SECRET) as service:
        port = int(service.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as slow:
            lines = [
                "POST /v1/memory/commit HTTP/1.1",
                "host: x",
                f"authorization: Bearer {token()}",
                "content-type: application/json",
                "oharness-protocol: 2",
                "content-length: 1000",
                "",
                '{"scope',
            ]
            slow.sendall("\r\n".join(lines).encode())
            assert httpx2.get(f"{service.url}/v1/memory/identity", headers=headers(token())).status_code == 200
        with socket.create_connection(("127.0.0.1", port)) as broken:
            broken.sendall(b"\x00\x01\x02 not http\r\n\r\n")
            assert broken.recv(100).startswith(b"HTTP/1.1 400")
        assert httpx2.get(f"{service.url}/healthz").status_code == 200
        log = service.stop()
    assert "internal error" not in log
