"""`login`, `logout` and `whoami` as far as they need no Cloud; with one they are in `journeys/test_live_sync.py`."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.cli.conftest import Call

pytestmark = pytest.mark.sync


@pytest.fixture
def service() -> Iterator[str]:
    """A sync service that has no page and knows no token."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"error": {"code": "unauthorized", "message": ""}}'
            self.send_response(404 if "well-known" in self.path else 401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}"
    listening.shutdown()
    listening.server_close()
    thread.join()


def test_the_first_sign_in_needs_an_address(oharness: Call, project: Path, home: Path) -> None:
    answer = oharness("login", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (2, "missing-value")
    assert not home.exists()


def test_a_sync_service_itself_needs_a_token(oharness: Call, project: Path, home: Path, service: str) -> None:
    answer = oharness("login", "--cloud", service, "--json")
    assert (answer.code, answer.json["error"]["code"]) == (2, "token-needed")
    assert not home.exists()


def test_a_token_that_is_not_accepted_signs_nobody_in(oharness: Call, project: Path, home: Path, service: str) -> None:
    answer = oharness("login", "--cloud", service, "--token", "-", "--json", stdin="a.b.c\n")
    assert (answer.code, answer.json["error"]["code"]) == (1, "signed-out")
    assert not (home / "credentials.json").exists()
    assert "a.b.c" not in answer.out + answer.err


def test_an_address_that_is_not_secure_is_refused(oharness: Call, project: Path) -> None:
    answer = oharness("login", "--cloud", "http://cloud.example", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (2, "insecure-address")


def test_signing_out_twice_is_fine_and_makes_no_file(oharness: Call, project: Path, home: Path) -> None:
    answer = oharness("logout", "--json")
    assert (answer.code, answer.json) == (0, {"userId": None, "plan": None, "teams": [], "origin": None})
    assert not home.exists()


def test_nobody_is_somebody_only_after_a_sign_in(oharness: Call, project: Path, home: Path) -> None:
    answer = oharness("whoami", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (1, "signed-out")
    assert not home.exists()


def test_a_cloud_that_is_not_there_is_said_so(oharness: Call, project: Path) -> None:
    answer = oharness("login", "--cloud", "http://127.0.0.1:9", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (1, "service-unreachable")
