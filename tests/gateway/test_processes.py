"""Gateway and sync service as two processes, as an operator starts them: from signing up to being gone."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from oharness.core.scopes import USER_SCOPE
from oharness.notes.hashing import content_hash
from oharness.protocol.commit import CommitRequest, Put, encode_commit_request
from oharness.protocol.errors import ErrorCode
from oharness.protocol.values import NO_EPOCH
from oharness.testing.gateway import PASSWORD, words_of
from oharness.testing.sync_caller import error_of, note

pytestmark = pytest.mark.sync

ADMIN_KEY = "the admin key of both"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@contextlib.contextmanager
def running(module: str, url: str, log: Path, variables: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("OHARNESS_")}
    with log.open("ab") as lines:
        process = subprocess.Popen(
            [sys.executable, "-m", module], env=own | variables, stdin=subprocess.DEVNULL, stdout=lines, stderr=lines
        )
    try:
        wait_until_up(process, url, log)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def wait_until_up(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    for _ in range(1200):
        assert process.poll() is None, log.read_text()
        with contextlib.suppress(httpx2.TransportError):
            if httpx2.get(f"{url}/healthz").status_code == 200:
                return
        time.sleep(0.05)
    raise AssertionError("it did not start")


def wait_until_counted(url: str, line: str) -> None:
    for _ in range(600):
        if line in httpx2.get(url).text:
            return
        time.sleep(0.05)
    raise AssertionError(line)


class Person:
    """Somebody with a browser and a device."""

    def __init__(self, url: str) -> None:
        self.browser = httpx2.Client(base_url=url, follow_redirects=True)

    def send(self, page: str, path: str, **fields: str) -> httpx2.Response:
        shown = self.browser.get(page).text
        token = shown.partition('name="form_token" value="')[2].partition('"')[0]
        return self.browser.post(path, data={"form_token": token} | fields)

    def sign_in(self) -> httpx2.Response:
        return self.send("/sign-in", "/sign-in", email="ann@example.com", password=PASSWORD)


def signed_in_device(url: str, person: Person) -> dict[str, str]:
    """A device that finds everything by the gateway's address alone."""
    places = httpx2.get(f"{url}/.well-known/oharness").json()
    client = {"client_id": "oharness"}
    codes = httpx2.post(places["deviceAuthorizationUrl"], data=client | {"device_name": "laptop"}).json()
    answer = person.send(codes["verification_uri_complete"], "/device/answer", **{"answer": "approve"} | pick(codes))
    assert answer.status_code == 200
    grant = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": codes["device_code"]}
    tokens = httpx2.post(places["tokenUrl"], data=client | grant)
    assert tokens.status_code == 200, tokens.text
    found: dict[str, str] = tokens.json() | {"syncUrl": places["syncUrl"]}
    return found


def pick(codes: dict[str, str]) -> dict[str, str]:
    return {"user_code": codes["user_code"]}


def commit(tokens: dict[str, str], number: int) -> httpx2.Response:
    content = note(f"n-{number}", body=f"body {number}")
    put = Put(content.id, None, None, content_hash(content), content)
    request = CommitRequest(USER_SCOPE, NO_EPOCH, "d1", f"00000000-0000-4000-8000-00000000000{number}", (put,))
    headers = {"authorization": f"Bearer {tokens['access_token']}", "content-type": "application/json"}
    return httpx2.post(
        f"{tokens['syncUrl']}/v1/memory/commit",
        content=encode_commit_request(request),
        headers=headers | {"OHarness-Protocol": "2"},
    )


def test_from_signing_up_to_being_gone(database_url: str, tmp_path: Path) -> None:
    gateway_url, sync_url = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    objects, log = tmp_path / "objects", tmp_path / "gateway.log"
    for_gateway = {
        "OHARNESS_CLOUD_DATABASE_URL": database_url,
        "OHARNESS_CLOUD_SYNC_URL": sync_url,
        "OHARNESS_CLOUD_PORT": gateway_url.rpartition(":")[2],
        "OHARNESS_SYNC_ADMIN_KEY": ADMIN_KEY,
    }
    for_sync = {
        "OHARNESS_SYNC_STORAGE_URL": objects.as_uri(),
        "OHARNESS_SYNC_JWKS_URL": f"{gateway_url}/.well-known/jwks.json",
        "OHARNESS_SYNC_ISSUER": gateway_url,
        "OHARNESS_SYNC_PORT": sync_url.rpartition(":")[2],
        "OHARNESS_SYNC_ADMIN_KEY": ADMIN_KEY,
    }
    person = Person(gateway_url)
    with person.browser:
        with running("oharness.gateway", gateway_url, log, for_gateway) as gateway:
            with running("oharness.syncserver", sync_url, tmp_path / "sync.log", for_sync):
                person.send("/sign-up", "/sign-up", email="ann@example.com", password=PASSWORD)
                assert person.sign_in().url.path == "/account"
                tokens = signed_in_device(gateway_url, person)
                assert commit(tokens, 1).status_code == 200
            stopped = person.send("/account/delete", "/account/delete", password=PASSWORD)
            assert stopped.status_code == 202
            assert "nothing was removed yet" in words_of(stopped)
            gateway.send_signal(signal.SIGTERM)
            assert gateway.wait(timeout=30) is not None
        with running("oharness.syncserver", sync_url, tmp_path / "sync.log", for_sync):
            with running("oharness.gateway", gateway_url, log, for_gateway):
                wait_until_counted(f"{gateway_url}/metrics", "oharness_cloud_erasures_total 2")
                assert person.sign_in().status_code == 403
                refused = commit(tokens, 2)
            assert (refused.status_code, error_of(refused).code) == (410, ErrorCode.ACCOUNT_ERASED)
    left = sorted(str(path.relative_to(objects)) for path in objects.rglob("*") if path.is_file())
    kept = [name for name in left if not name.startswith((".", "probe/", "erased/users/"))]
    assert [name for name in kept if "/objects/" in name] == []
    told = log.read_text()
    assert all(json.loads(line) for line in told.splitlines())
    secrets = ("ann@", PASSWORD, tokens["refresh_token"], tokens["access_token"], ADMIN_KEY)
    assert [secret for secret in secrets if secret in told] == []
