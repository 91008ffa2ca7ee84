"""`oharness sync` against a running service, with two homes."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import jwt
import pytest

from oharness.language.catalogue import Catalogue
from oharness.language.sentences import REASONS, reason_phrase
from oharness.notes.problems import ProblemReason
from oharness.protocol.commit import REFUSALS
from oharness.protocol.errors import ErrorCode
from oharness.reconcile.decide import HoldReason
from oharness.reconcile.merge_note import ConflictReason
from oharness.system import SystemClock
from oharness.testing.plain_http import Answer, answering
from tests.cli.conftest import Call
from tests.syncserver.test_service_process import SECRET, running

pytestmark = pytest.mark.sync

LONG_AGO = 1_700_000_000
NOTE = '---\n{"id":"%s","summary":"The staging database","tags":[],"createdAt":1,"updatedAt":1}\n---\n%s\n'
SCOPE_KEYS = ["scope", "status", "pulled", "pushed", "deleted", "merged", "conflicts", "heldBack", "requests"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service over a folder of its own."""
    place = tmp_path_factory.mktemp("service")
    with running(STORAGE_URL=place.as_uri(), JWT_SECRET=SECRET) as one:
        yield one.url


def token(account: str, expires: int | None = None) -> str:
    now = SystemClock().now_ms() // 1000
    claims = {"sub": account, "iss": "tests", "aud": "oharness-sync", "iat": now, "exp": expires or now + 600}
    return jwt.encode(claims, SECRET, algorithm="HS256")


def signed_in(oharness: Call, service: str, account: str, home: Path) -> None:
    answer = oharness("--home", str(home), "login", "--cloud", service, "--token", "-", stdin=token(account))
    assert answer.code == 0


def write(home: Path, note_id: str, body: str) -> None:
    folder = home / "memory" / "user"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{note_id}.md").write_text(NOTE % (note_id, body))


def in_conflict(oharness: Call, service: str, account: str, tmp_path: Path) -> tuple[Path, Path]:
    """Two homes that changed the same line of `staging`; the conflict is open in the second."""
    one, two = tmp_path / "one", tmp_path / "two"
    for home in (one, two):
        signed_in(oharness, service, account, home)
    for home, body in ((one, "is wiped"), (two, None), (one, "is wiped on Sundays"), (two, "is wiped on Fridays")):
        if body:
            write(home, "staging", body)
        answer = oharness("--home", str(home), "sync", "now")
    assert answer.code == 5
    return one, two


def test_sync_that_is_off_says_how_to_switch_it_on(outside: Path, service: str, oharness: Call, home: Path) -> None:
    signed_in(oharness, service, "ann", home)
    assert oharness("sync", "off").code == 0
    answer = oharness("sync", "now", "--json")
    assert answer.code == 4
    assert answer.json["error"]["code"] == "sync-is-off"
    assert "oharness sync on" in answer.json["error"]["message"]


def test_nobody_signed_in_is_said_without_an_address(outside: Path, oharness: Call) -> None:
    answer = oharness("sync", "now")
    assert answer.code == 1
    assert "oharness login" in answer.err
    assert " ." not in answer.err


@pytest.mark.parametrize("given", ["", " \n", "two words", "é", "a\nb"])
def test_what_cannot_be_a_token_is_wrong_usage(given: str, outside: Path, service: str, oharness: Call) -> None:
    answer = oharness("login", "--cloud", service, "--token", "-", "--json", stdin=given)
    assert answer.code == 2
    assert "--token" in answer.json["error"]["message"]


def test_an_expired_token_signs_nobody_in(outside: Path, service: str, oharness: Call) -> None:
    answer = oharness("login", "--cloud", service, "--token", "-", stdin=token("ann", LONG_AGO))
    assert answer.code == 1
    assert "not accepted" in answer.err
    assert oharness("whoami").code == 1


def test_a_token_given_by_hand_to_a_cloud_is_a_sign_in_too(
    outside: Path, service: str, oharness: Call, home: Path
) -> None:
    places = {
        "syncUrl": service,
        "deviceAuthorizationUrl": "https://c.example/d",
        "tokenUrl": "https://c.example/token",
    }
    with answering(lambda method, path: Answer(200, json.dumps(places).encode())) as cloud:
        signed_in(oharness, cloud.url, "ida", home)
    assert oharness("sync", "now").code == 0
    assert "Sync is on." in oharness("sync", "status").out


def test_another_account_is_told_whose_notes_these_are(outside: Path, service: str, oharness: Call, home: Path) -> None:
    signed_in(oharness, service, "ann", home)
    write(home, "a-note", "text")
    assert oharness("sync", "now").code == 0
    signed_in(oharness, service, "bob", home)
    answer = oharness("sync", "now")
    assert answer.code == 5
    assert "ann" in answer.out
    assert "bob" in answer.out


def test_status_names_the_last_error_by_its_code(outside: Path, service: str, oharness: Call, home: Path) -> None:
    signed_in(oharness, service, "gus", home)
    (home / "memory" / "user").mkdir(parents=True)
    cloud = home / "credentials.json"
    cloud.write_text(cloud.read_text().replace(service, "http://127.0.0.1:1"))
    assert oharness("sync", "now").code == 1
    (scope,) = oharness("sync", "status", "--json").json["scopes"]
    assert scope["error"] == "service-unreachable"


@pytest.mark.parametrize(
    ("status", "code", "name"),
    [
        (429, "rate_limited", "too-frequent"),
        (410, "account_erased", "account-erased"),
        (401, "unauthorized", "signed-out"),
    ],
)
def test_what_holds_for_every_scope_is_asked_once_and_said_of_each(
    status: int, code: str, name: str, project: Path, service: str, oharness: Call, home: Path
) -> None:
    signed_in(oharness, service, "hal", home)
    assert oharness("project", "init").code == 0
    body = json.dumps({"error": {"code": code, "message": "", "retryAfter": 90}}).encode()
    with answering(lambda method, path: Answer(status, body)) as here:
        cloud = home / "credentials.json"
        cloud.write_text(cloud.read_text().replace(service, here.url))
        answer = oharness("sync", "now", "--json")
        assert len(here.asked) == 1
    assert answer.code == 1
    assert [one["scope"] for one in answer.json["scopes"]] == ["project", "user"]
    assert len({one["error"] for one in answer.json["scopes"]}) == 1
    known = {one["scope"]: one["error"] for one in oharness("sync", "status", "--json").json["scopes"]}
    assert known["project"] == name


def test_now_answers_with_all_keys_and_sorted_ids(outside: Path, service: str, oharness: Call, home: Path) -> None:
    signed_in(oharness, service, "carol", home)
    for note_id in ("c", "a", "d", "b"):
        write(home, note_id, note_id)
    (scope,) = oharness("sync", "now", "--json").json["scopes"]
    assert list(scope)[: len(SCOPE_KEYS)] == SCOPE_KEYS
    assert scope["pushed"] == ["a", "b", "c", "d"]


def test_an_answer_to_a_conflict_lists_what_is_still_open(
    outside: Path, service: str, oharness: Call, tmp_path: Path
) -> None:
    _, two = in_conflict(oharness, service, "dora", tmp_path)
    shown = oharness("--home", str(two), "sync", "conflicts")
    assert "both changed the same lines" in shown.out
    (conflict,) = oharness("--home", str(two), "sync", "conflicts", "--json").json["conflicts"]
    assert list(conflict) == ["id", "scope", "reason", "base", "mine", "cloud"]
    answer = oharness("--home", str(two), "sync", "resolve", "staging", "--keep", "mine", "--json").json
    assert answer["conflicts"] == []
    assert answer["resolved"]["id"] == "staging"


def test_every_reason_to_hold_a_note_back_and_of_a_conflict_has_words() -> None:
    named = {f"held-{reason}" for reason in [*HoldReason, *REFUSALS, ErrorCode.UPGRADE_REQUIRED]}
    named |= {f"conflict-{reason}" for reason in ConflictReason}
    assert named <= set(REASONS)
    words = Catalogue("en")
    for problem in ProblemReason:  # what a note from the cloud can be held back for as well
        assert reason_phrase(f"held-{problem}", words) not in (problem, f"held-{problem}")


def test_what_is_held_back_is_said_by_status_too(outside: Path, service: str, oharness: Call, home: Path) -> None:
    signed_in(oharness, service, "emil", home)
    write(home, "large", "x" * 17_000)
    assert oharness("sync", "now").code == 0
    shown = oharness("sync", "status").out
    assert re.search(r"large \(it is larger than the free plan allows\)", shown)


@pytest.mark.parametrize("command", [("now",), ("confirm", "--delete"), ("resolve", "a-note", "--keep", "mine")])
def test_the_projects_notes_outside_any_project_are_not_found(
    command: tuple[str, ...], outside: Path, service: str, oharness: Call, home: Path
) -> None:
    signed_in(oharness, service, "fay", home)
    answer = oharness("sync", *command, "--scope", "project", "--json")
    assert answer.code == 3
    assert "oharness project init" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("command", "variable"), [("sync-server", "OHARNESS_SYNC_PORT"), ("gateway", "OHARNESS_CLOUD_PORT")]
)
def test_a_port_that_is_taken_is_said_and_is_no_answer_of_its_own(
    command: str, variable: str, service: str, tmp_path: Path
) -> None:
    port = service.rpartition(":")[2]
    ended = subprocess.run(
        [sys.executable, "-m", "oharness.cli.main", "--home", str(tmp_path), command],
        env={**os.environ, variable: port},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 2
    assert variable in ended.stderr
    assert "Traceback" not in ended.stderr


def test_status_says_first_that_nothing_syncs_any_more(outside: Path, oharness: Call, home: Path) -> None:
    said = oharness("sync", "status")
    assert said.out.splitlines()[0] == ("Sync is paused: nobody is signed in. `oharness login` signs you in.")
    with running(STORAGE_URL="memory://", JWT_SECRET=SECRET, ADMIN_KEY="the key") as one:
        signed_in(oharness, one.url, "ann", home)
        write(home, "a-note", "text")
        assert oharness("sync", "now").code == 0
        assert oharness("sync", "status").out.splitlines()[0] == "Sync is on."
        kept = (home / "credentials.json").read_text()
        (home / "credentials.json").write_text(json.dumps(json.loads(kept) | {"tokenUrl": f"{one.url}/oauth/token"}))
        assert "nobody is signed in" in oharness("sync", "status").out.splitlines()[0], "its refresh token is used up"
        (home / "credentials.json").write_text(kept)
        erase = httpx2.post(
            f"{one.url}/v1/admin/erase", json={"user": "ann"}, headers={"authorization": "Bearer the key"}
        )
        assert erase.status_code == 200, erase.text
        assert oharness("sync", "now").code == 1
    first, *_ = oharness("sync", "status").out.splitlines()
    assert first == "Sync is paused: the account was deleted at the Cloud. Your notes stay here."
    assert oharness("sync", "status", "--json").json["enabled"] is True
