"""`login`, `logout` and `whoami` as far as they need no Cloud; with one they are in `journeys/test_live_sync.py`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from oharness.testing.plain_http import Answer, answering
from tests.cli.conftest import Call

pytestmark = pytest.mark.sync


@pytest.fixture
def service() -> Iterator[str]:
    """A sync service that has no page and knows no token."""
    body = b'{"error": {"code": "unauthorized", "message": ""}}'
    with answering(lambda method, path: Answer(404 if "well-known" in path else 401, body)) as here:
        yield here.url


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
