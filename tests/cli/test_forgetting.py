"""`memory forget --everywhere` and `memory verify-forgotten` as a person or a script calls them."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call, everything_below
from tests.cli.test_sync import signed_in
from tests.syncserver.test_service_process import SECRET, running

pytestmark = pytest.mark.memory
ID = "door-code-x1f"


@pytest.fixture
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bucket")


@pytest.fixture
def service(bucket: Path) -> Iterator[str]:
    with running(STORAGE_URL=bucket.as_uri(), JWT_SECRET=SECRET) as one:
        yield one.url


def remember(oharness: Call, *more: str) -> None:
    given = ("--summary", "The code of the back door is zyxwordle", "--body", "Since spring.", "--id", ID)
    assert oharness("memory", "remember", *given, *more).code == 0


def holding(*folders: Path) -> list[str]:
    return [path for folder in folders for path, data in everything_below(folder).items() if b"zyxwordle" in data]


def test_without_a_terminal_it_needs_yes_and_nothing_happens(project: Path, oharness: Call, home: Path) -> None:
    remember(oharness)
    answer = oharness("memory", "forget", ID, "--everywhere", "--json")
    assert answer.code == 2
    assert answer.json["error"]["code"] == "nobody-to-ask"
    assert "--yes" in answer.json["error"]["message"]
    assert (project / "MEMORY" / f"{ID}.md").exists()


def test_the_receipt_says_what_went_and_what_stays(project: Path, oharness: Call, home: Path) -> None:
    remember(oharness)
    remember(oharness, "--tags", "door")
    receipt = oharness("memory", "forget", ID, "--everywhere", "--yes", "--json").json
    assert list(receipt) == ["id", "scope", "removed", "kept"]
    assert (receipt["id"], receipt["scope"], receipt["kept"]) == (ID, "project", [])
    assert {"where": "note", "count": 1} in receipt["removed"]
    assert {"where": "backups", "count": 1} in receipt["removed"]
    assert holding(project, home) == []


def test_a_person_reads_the_receipt(project: Path, oharness: Call) -> None:
    remember(oharness)
    answer = oharness("memory", "forget", ID, "--everywhere", "--yes")
    assert f"Forgot {ID} everywhere." in answer.out
    assert "the note itself" in answer.out


def test_verify_says_nothing_is_left_or_where(project: Path, oharness: Call) -> None:
    remember(oharness)
    before = oharness("memory", "verify-forgotten", ID, "--json")
    assert before.code == 1
    assert {"where": "note", "count": 1} in before.json["left"]
    oharness("memory", "forget", ID)
    plain = oharness("memory", "verify-forgotten", ID, "--json")
    left = [{"where": "records", "count": 1}, {"where": "backups", "count": 1}]
    assert (plain.code, plain.json["left"]) == (1, left)
    oharness("memory", "forget", ID, "--everywhere", "--yes")
    after = oharness("memory", "verify-forgotten", ID, "--json")
    assert after.code == 0
    assert after.json == {"id": ID, "scope": "project", "left": [], "kept": []}


def test_verify_creates_no_file(project: Path, oharness: Call, home: Path) -> None:
    before = everything_below(project) | everything_below(home)
    assert oharness("memory", "verify-forgotten", ID).code == 0
    assert everything_below(project) | everything_below(home) == before


def test_an_unknown_id_is_not_found(project: Path, oharness: Call) -> None:
    remember(oharness)
    answer = oharness("memory", "forget", "door-code-x1g", "--everywhere", "--yes", "--json")
    assert answer.code == 3
    assert (project / "MEMORY" / f"{ID}.md").exists()


def test_the_cloud_is_purged_at_once_and_the_other_device_by_its_own_command(
    outside: Path, service: str, bucket: Path, oharness: Call, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for home in (one, two):
        signed_in(oharness, service, "ann", home)
    summary = "The code of the back door is zyxwordle"
    oharness("--home", str(one), "memory", "remember", "--scope", "user", "--summary", summary, "--id", ID)
    for home in (one, two):
        assert oharness("--home", str(home), "sync", "now").code == 0
    assert holding(bucket)

    receipt = oharness("--home", str(one), "memory", "forget", ID, "--everywhere", "--yes", "--json").json
    assert {"where": "cloud", "count": 1} in receipt["removed"]
    assert receipt["kept"] == [{"where": "other-devices", "why": "out-of-reach"}]
    assert holding(bucket, one) == []
    assert oharness("--home", str(two), "sync", "now").code == 0
    assert oharness("--home", str(two), "memory", "verify-forgotten", ID).code == 1
    assert oharness("--home", str(two), "memory", "forget", ID, "--everywhere", "--yes").code == 0
    assert holding(bucket, one, two) == []
    for home in (one, two):
        assert oharness("--home", str(home), "memory", "verify-forgotten", ID).code == 0


def test_signed_out_the_purge_waits_and_is_said(
    outside: Path, service: str, bucket: Path, oharness: Call, tmp_path: Path
) -> None:
    home = str(tmp_path / "one")
    signed_in(oharness, service, "bob", Path(home))
    summary = "The code of the back door is zyxwordle"
    oharness("--home", home, "memory", "remember", "--scope", "user", "--summary", summary, "--id", ID)
    oharness("--home", home, "sync", "now")
    oharness("--home", home, "sync", "off")
    receipt = oharness("--home", home, "memory", "forget", ID, "--everywhere", "--yes", "--json").json
    assert {"where": "cloud", "why": "waits-for-sync"} in receipt["kept"]
    left = oharness("--home", home, "memory", "verify-forgotten", ID, "--json")
    assert (left.code, left.json["kept"]) == (1, [{"where": "cloud", "why": "waits-for-sync"}])
    oharness("--home", home, "sync", "on")
    oharness("--home", home, "sync", "now")
    assert holding(bucket) == []
    assert oharness("--home", home, "memory", "verify-forgotten", ID).code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix")
@pytest.mark.parametrize(("answer", "code"), [("n", 4), ("y", 0)])
def test_in_a_terminal_it_shows_what_there_is_and_asks(
    project: Path, oharness: Call, home: Path, answer: str, code: int
) -> None:
    from tests.cli.test_terminal import Terminal

    remember(oharness)
    terminal = Terminal("memory", "forget", ID, "--everywhere")
    try:
        shown = terminal.wait_for("[y/n]")
        assert "the note itself" in shown
        terminal.press(f"{answer}\r")
        assert terminal.wait_for_the_end() == code
    finally:
        terminal.close()
    assert bool(holding(project, home)) is (answer == "n")


def test_the_document_is_one_json_object(project: Path, oharness: Call) -> None:
    remember(oharness)
    assert isinstance(json.loads(oharness("memory", "forget", ID, "--everywhere", "--yes", "--json").out), dict)
