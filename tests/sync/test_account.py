import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from oharness.disk.credentials_file import Credentials, forget_credentials, read_credentials, write_credentials
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.sync.account import CloudPlaces, NotACloud, find_cloud
from oharness.sync.http_transport import InsecureAddress, checked_origin
from oharness.sync.transport import ServiceUnreachable
from oharness.testing.plain_http import Answer, answering

pytestmark = pytest.mark.sync

FILES = FileSystem()
SOMEBODY = Credentials(
    "https://cloud.example", "https://sync.example", "u1", "access", "refresh", "https://c.example/t"
)


@pytest.fixture
def answers() -> dict[str, tuple[int, bytes]]:
    """Path to status and body of the server."""
    return {}


@pytest.fixture
def server(answers: dict[str, tuple[int, bytes]]) -> Iterator[str]:
    with answering(lambda method, path: Answer(*answers.get(path, (404, b"not here")))) as here:
        yield here.url


def test_credentials_come_back_and_nobody_else_can_read_them(home: Path) -> None:
    place = Home(home)
    assert read_credentials(FILES, place) is None
    home.mkdir()
    place.credentials_file.write_text("{}")
    place.credentials_file.chmod(0o644)

    write_credentials(FILES, place, SOMEBODY)

    assert read_credentials(FILES, place) == SOMEBODY
    assert stat.S_IMODE(place.credentials_file.stat().st_mode) == 0o600
    assert forget_credentials(FILES, place)
    assert not forget_credentials(FILES, place)
    assert read_credentials(FILES, place) is None


def test_tokens_are_in_no_printed_form() -> None:
    assert "access" not in repr(SOMEBODY)
    assert "refresh" not in repr(SOMEBODY)


async def test_an_address_without_the_document_is_a_sync_service_itself(server: str) -> None:
    assert await find_cloud(server + "/") == CloudPlaces(server, server)


async def test_a_cloud_names_its_services(server: str, answers: dict[str, tuple[int, bytes]]) -> None:
    document = {"syncUrl": "https://sync.example/", "tokenUrl": "https://c.example/token", "more": 1}
    answers["/.well-known/oharness"] = (200, json.dumps(document).encode())

    assert await find_cloud(server) == CloudPlaces(server, "https://sync.example", "", "https://c.example/token")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<html>welcome</html>"),
        (200, b"[]"),
        (200, b'{"syncUrl": 1}'),
        (200, b"[" * 50_000),
        (200, b" " * 70_000),
        (302, b""),
        (500, b"oops"),
    ],
)
async def test_what_is_no_cloud_is_said_so(
    server: str, answers: dict[str, tuple[int, bytes]], status: int, body: bytes
) -> None:
    answers["/.well-known/oharness"] = (status, body)
    with pytest.raises(NotACloud):
        await find_cloud(server)


async def test_a_cloud_cannot_send_tokens_to_an_insecure_place(
    server: str, answers: dict[str, tuple[int, bytes]]
) -> None:
    answers["/.well-known/oharness"] = (200, b'{"syncUrl": "http://sync.example"}')
    with pytest.raises(InsecureAddress):
        await find_cloud(server)


async def test_nobody_there_is_unreachable() -> None:
    with pytest.raises(ServiceUnreachable):
        await find_cloud("http://127.0.0.1:9")


@pytest.mark.parametrize(
    "address",
    [
        "http://cloud.example",
        "ftp://127.0.0.1",
        "cloud.example",
        "",
        "https://user:pw@cloud.example",
        "https://[",
        "https://a?b",
    ],
)
def test_a_token_goes_only_to_https_or_this_machine(address: str) -> None:
    with pytest.raises(InsecureAddress):
        checked_origin(address)


def test_an_address_is_written_one_way() -> None:
    assert checked_origin(" https://Cloud.example/api/ ") == "https://cloud.example/api"
    assert checked_origin("http://[::1]:4322") == "http://[::1]:4322"
