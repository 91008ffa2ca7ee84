"""Two homes and a real service, from the command line: what docs/user/sync.md tells a new user."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest

from oharness.cli.main import main

pytestmark = pytest.mark.sync

SECRET = "a shared secret for tests, long enough for HS256"


class Service:
    """`oharness sync-server` as a process, with a folder as its storage."""

    def __init__(self, storage: Path) -> None:
        self.storage = storage
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith("OHARNESS_")}
        variables = {
            "OHARNESS_SYNC_PORT": str(self.port),
            "OHARNESS_SYNC_STORAGE_URL": self.storage.as_uri(),
            "OHARNESS_SYNC_JWT_SECRET": SECRET,
            "OHARNESS_SYNC_RATE_PER_MINUTE": "100000",
        }
        command = [sys.executable, "-m", "oharness.cli.main", "sync-server"]
        self._process = subprocess.Popen(command, env=own | variables, stderr=subprocess.DEVNULL)
        for _ in range(600):
            with contextlib.suppress(httpx2.TransportError):
                if httpx2.get(f"{self.url}/readyz").status_code == 200:
                    return
            time.sleep(0.05)
        raise AssertionError("the service did not start")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Machine:
    """One home with a project, and the program used in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = root / "home"
        self.project = root / "shop"
        self.project.mkdir(parents=True)
        self._capsys = capsys

    def __call__(self, *arguments: str, code: int = 0) -> Any:
        """The JSON answer of a command that ends with that exit code."""
        self._capsys.readouterr()
        given = ["--home", str(self.home), "--project", str(self.project), "--json", *arguments]
        got = main(given)
        out = self._capsys.readouterr().out
        assert got == code, out
        return json.loads(out)

    def sync(self, code: int = 0) -> dict[str, Any]:
        """Each scope of one pass by its name."""
        return {one["scope"]: one for one in self("sync", "now", code=code)["scopes"]}

    def body(self, note_id: str) -> str:
        body: str = self("memory", "show", note_id)["body"]
        return body


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path / "storage")
    running.start()
    yield running
    running.stop()


@pytest.fixture
def machines(tmp_path: Path, service: Service, capsys: pytest.CaptureFixture[str]) -> tuple[Machine, Machine]:
    """Two machines of one person, with one project that both have, signed in."""
    laptop, desk = Machine(tmp_path / "laptop", capsys), Machine(tmp_path / "desk", capsys)
    laptop("project", "init")
    shutil.copytree(laptop.project, desk.project, dirs_exist_ok=True)
    for machine in (laptop, desk):
        answer = machine("login", "--cloud", service.url, "--token", token_for("ann"))
        assert answer == {"userId": "ann", "plan": "paid", "teams": [], "origin": service.url}
    return laptop, desk


def token_for(account: str) -> str:
    """A token that the service trusts."""
    now = int(time.time())
    claims = {"sub": account, "aud": "oharness-sync", "iss": "tests", "iat": now, "exp": now + 3600}
    claims["ent"] = {"plan": "paid", "teams": []}
    return jwt.encode(claims, SECRET, algorithm="HS256")


def in_conflict(laptop: Machine, desk: Machine, note_id: str) -> None:
    """The same line of one note edited on both, and noticed on the second."""
    laptop("memory", "remember", "--id", note_id, "--body", "the laptop's line")
    desk("memory", "remember", "--id", note_id, "--body", "the desk's line")
    laptop.sync()
    assert desk.sync(code=5)["project"]["conflicts"] == [note_id]


def test_two_hundred_notes_travel_and_a_pass_without_change_is_one_request(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    lines = [f'{{"id":"n-{n}","summary":"Note {n}","tags":[],"createdAt":1,"updatedAt":1}}' for n in range(200)]
    for number, line in enumerate(lines):
        (laptop.project / "MEMORY" / f"n-{number}.md").write_text(f"---\n{line}\n---\nbody {number}\n")
    laptop("memory", "remember", "--summary", "Ann likes tea", "--type", "user", "--id", "tea")

    up, down = laptop.sync(), desk.sync()

    assert len(up["project"]["pushed"]) == 200
    assert len(down["project"]["pulled"]["added"]) == 200
    assert down["user"]["pulled"]["added"] == ["tea"]
    assert desk.body("n-199") == "body 199"
    assert {one["requests"] for one in desk.sync().values()} == {1}


@pytest.mark.parametrize("keep", ["mine", "cloud", "both", "FILE"])
def test_a_conflict_is_answered_and_stays_answered_on_both(
    machines: tuple[Machine, Machine], tmp_path: Path, keep: str
) -> None:
    laptop, desk = machines
    laptop("memory", "remember", "--summary", "Deploys", "--body", "one line", "--id", "dep")
    laptop.sync()
    desk.sync()
    in_conflict(laptop, desk, "dep")
    (shown,) = desk("sync", "conflicts")["conflicts"]
    texts = [shown[side]["body"] for side in ("base", "mine", "cloud")]
    assert texts == ["one line", "the desk's line", "the laptop's line"]
    by_hand = tmp_path / "by-hand.md"
    by_hand.write_text("both lines in one")

    done = desk("sync", "resolve", "dep", "--keep", str(by_hand) if keep == "FILE" else keep)

    for machine in (desk, laptop, desk, laptop, desk):
        assert machine.sync()["project"]["conflicts"] == []
    expected = {"mine": "the desk's line", "cloud": "the laptop's line", "both": "the desk's line"}
    for machine in (laptop, desk):
        assert machine.body("dep") == expected.get(keep, "both lines in one")
        if keep == "both":
            assert machine.body(done["resolved"]["beside"]) == "the laptop's line"
    kept = {one["id"] for one in desk("memory", "backups")["backups"]}
    assert kept == {"dep"}


def test_edits_of_different_lines_are_merged(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    lines = [f"line {number}" for number in range(9)]
    laptop("memory", "remember", "--summary", "Many lines", "--body", "\n".join(lines), "--id", "many")
    laptop.sync()
    desk.sync()
    laptop("memory", "remember", "--id", "many", "--body", "\n".join(["first", *lines[1:]]))
    desk("memory", "remember", "--id", "many", "--body", "\n".join([*lines[:-1], "last"]))
    laptop.sync()

    assert desk.sync()["project"]["merged"] == ["many"]

    laptop.sync()
    assert laptop.body("many") == desk.body("many") == "\n".join(["first", *lines[1:-1], "last"])


def test_storage_that_was_wiped_costs_no_note(machines: tuple[Machine, Machine], service: Service) -> None:
    laptop, desk = machines
    for number in range(20):
        laptop("memory", "remember", "--summary", f"Note {number}", "--id", f"n-{number}")
    laptop.sync()
    desk.sync()
    service.stop()
    shutil.rmtree(service.storage)
    service.start()

    resets = [machine.sync()["project"]["cloudReset"] for machine in (laptop, desk, laptop)]

    assert resets == [True, True, False]
    for machine in (laptop, desk):
        assert len(machine("memory", "list")["notes"]) == 20


def test_a_deletion_travels_and_can_be_undone(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    for note_id in ("keep", "drop"):
        laptop("memory", "remember", "--summary", note_id, "--id", note_id)
    laptop.sync()
    desk.sync()
    laptop("memory", "forget", "drop")

    assert laptop.sync()["project"]["deleted"] == ["drop"]
    assert desk.sync()["project"]["pulled"]["removed"] == ["drop"]

    (backup,) = [one["backup"] for one in desk("memory", "backups")["backups"] if one["id"] == "drop"]
    desk("memory", "restore", backup)
    desk.sync()
    laptop.sync()
    assert {one["id"] for one in laptop("memory", "list")["notes"]} == {"keep", "drop"}


def test_off_blocks_every_request_until_it_is_on_again(machines: tuple[Machine, Machine], service: Service) -> None:
    laptop, _ = machines
    laptop.sync()
    assert laptop("sync", "off")["enabled"] is False
    service.stop()

    assert laptop("sync", "now", code=4)["error"]["code"] == "sync-is-off"
    laptop("memory", "remember", "--summary", "Local work goes on", "--id", "local")
    service.start()
    assert laptop("sync", "on")["enabled"] is True
    assert laptop.sync()["project"]["pushed"] == ["local"]


def test_on_in_one_folder_switches_on_what_was_switched_off_in_another(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    laptop, _ = machines
    laptop.sync()
    laptop("sync", "off")
    elsewhere, project = tmp_path / "elsewhere", laptop.project
    elsewhere.mkdir()

    laptop.project = elsewhere
    assert laptop("sync", "on")["enabled"] is True
    laptop.project = project
    assert laptop("sync", "status")["enabled"] is True
    assert laptop.sync()["project"]["status"] == "synced"


def test_while_sync_is_off_nothing_is_asked_for_also_where_nobody_is_signed_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(tmp_path, capsys)
    machine("sync", "off")
    assert machine("sync", "now", code=4)["error"]["code"] == "sync-is-off"
    machine("sync", "on")
    assert machine("sync", "now", code=1)["error"]["code"] == "signed-out"


@pytest.mark.parametrize("turned", ["off", "on"])
def test_the_switch_makes_no_project_of_the_folder_it_is_turned_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], turned: str
) -> None:
    machine = Machine(tmp_path, capsys)
    subprocess.run(["git", "init", "-q", str(machine.project)], check=True)
    status = machine("sync", turned)
    assert (status["enabled"], [one["scope"] for one in status["scopes"]]) == (turned == "on", ["user"])
    assert [found.name for found in machine.project.iterdir()] == [".git"]


def test_many_files_that_vanished_wait_for_a_person(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    for number in range(12):
        laptop("memory", "remember", "--summary", f"Note {number}", "--id", f"n-{number}")
    laptop.sync()
    desk.sync()
    shutil.rmtree(laptop.project / "MEMORY")

    paused = laptop.sync(code=5)["project"]
    assert paused["status"] == "paused"
    assert (len(paused["paused"]["notes"]), paused["paused"]["reason"]) == (12, "folder-gone")
    assert laptop("sync", "confirm", "--restore") == {"scope": "project", "done": True}
    laptop.sync()
    assert len(laptop("memory", "list")["notes"]) == 12
    assert desk.sync()["project"]["pulled"]["removed"] == []


def test_a_service_that_is_down_is_said_so_and_local_work_goes_on(
    machines: tuple[Machine, Machine], service: Service
) -> None:
    laptop, _ = machines
    service.stop()

    outcome = laptop.sync(code=1)["project"]

    assert outcome["status"] == "failed"
    assert outcome["error"]
    assert laptop("sync", "status")["scopes"][0]["error"] == "service-unreachable"
    laptop("memory", "remember", "--summary", "Still here")


def test_a_folder_that_is_gone_is_said_to_be_gone_and_not_made_again(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    laptop("memory", "remember", "--summary", "One", "--id", "one")
    laptop.sync()
    desk.sync()
    shutil.rmtree(laptop.project / "MEMORY")

    assert laptop.sync(code=5)["project"]["paused"] == {"reason": "folder-gone", "notes": ["one"]}
    assert not (laptop.project / "MEMORY").exists()
    assert laptop("sync", "confirm", "--mix", code=4)["error"]["message"].endswith("--delete, --restore.")
    assert laptop("sync", "confirm", "--restore")["done"] is True
    assert laptop.body("one") == ""
    assert desk.sync()["project"]["pulled"]["removed"] == []


def test_nothing_is_made_for_somebody_who_is_not_signed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stranger = Machine(tmp_path / "stranger", capsys)

    assert stranger("sync", "now", code=1)["error"]["code"] == "signed-out"

    assert list(stranger.project.iterdir()) == []
    assert not stranger.home.exists()
    assert stranger("sync", "mend", "n", code=3)["error"]["code"] == "no-file-to-mend"
    assert stranger("sync", "resolve", "n", "--keep", "mine", code=3)["error"]["code"] == "no-such-conflict"
    assert list(stranger.project.iterdir()) == []


def test_notes_of_another_account_are_shown_as_paused_with_the_reason(
    machines: tuple[Machine, Machine], service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    laptop, _ = machines
    laptop("memory", "remember", "--summary", "Ann's", "--id", "anns")
    laptop.sync()
    laptop("login", "--cloud", service.url, "--token", token_for("bob"))

    assert {one["error"] for one in laptop("sync", "status")["scopes"]} == {"pinned-elsewhere"}

    capsys.readouterr()
    assert main(["--home", str(laptop.home), "--project", str(laptop.project), "sync", "status"]) == 0
    told = capsys.readouterr().out
    assert told.count("paused: These notes belong to the account ann") == 2
    assert "bob" in told


def test_a_damaged_file_is_mended_when_asked(machines: tuple[Machine, Machine]) -> None:
    laptop, _ = machines
    laptop("memory", "remember", "--summary", "One", "--body", "the text", "--id", "one")
    laptop.sync()
    (laptop.project / "MEMORY" / "one.md").write_text("---\n{broken")
    assert laptop.sync()["project"]["heldBack"] == [{"id": "one", "reason": "unreadable"}]

    done = laptop("sync", "mend", "one")

    assert done["scope"] == "project"
    assert done["backup"] in {one["backup"] for one in laptop("memory", "backups")["backups"]}
    assert laptop.body("one") == "the text"
    assert laptop("sync", "mend", "one", code=4)["error"]["code"] == "not-damaged"
    assert laptop("sync", "mend", "two", code=3)["error"]["code"] == "no-file-to-mend"


def test_two_collections_that_do_not_know_each_other_are_mixed_by_hand(machines: tuple[Machine, Machine]) -> None:
    laptop, desk = machines
    laptop("memory", "remember", "--summary", "On the laptop", "--id", "from-laptop")
    laptop.sync()
    for note_id in ("from-desk", "other"):
        desk("memory", "remember", "--summary", note_id, "--id", note_id)

    asked = desk.sync(code=5)["project"]
    assert asked["paused"] == {"reason": "first-sync", "notes": ["from-desk", "other"]}
    assert desk("sync", "status")["scopes"][0]["error"] == "first-sync"
    assert {one["id"] for one in desk("memory", "list")["notes"]} == {"from-desk", "other"}

    assert desk("sync", "confirm", "--scope", "project", "--mix") == {"scope": "project", "done": True}
    laptop.sync()
    for machine in (desk, laptop):
        assert {one["id"] for one in machine("memory", "list")["notes"]} == {"from-laptop", "from-desk", "other"}
        assert machine.sync()["project"]["requests"] == 1
