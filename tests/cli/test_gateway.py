"""`oharness gateway admin …` from the command line: one JSON document, exit codes, help."""

import json
from pathlib import Path
from typing import Any

import pytest

from oharness.cli.main import main

pytestmark = pytest.mark.sync


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["gateway", "admin", *arguments, "--json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, document


def test_accounts_and_tokens_are_managed_in_the_database_of_the_home(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    code, user = run(capsys, "user", "add", "ann@example.com")
    assert (code, set(user)) == (0, {"userId"})
    assert (home / "cloud-gateway/accounts.sqlite3").exists()
    code, team = run(capsys, "team", "add", "Builders", "--owner", "ann@example.com")
    assert (code, set(team)) == (0, {"teamId"})
    code, token = run(capsys, "token", "ann@example.com", "--minutes", "5")
    assert (code, set(token)) == (0, {"accessToken"})


def test_a_token_stands_alone_so_that_it_can_be_piped_into_a_sign_in(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "user", "add", "ann@example.com")
    assert main(["gateway", "admin", "token", "ann@example.com"]) == 0
    (token,) = capsys.readouterr().out.splitlines()
    assert (token.count("."), " " in token) == (2, False)


def test_what_goes_wrong_is_said_in_json_with_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "user", "add", "ann@example.com")[0] == 0
    code, document = run(capsys, "user", "add", "ann@example.com")
    assert (code, document["error"]["code"]) == (4, "account-exists")
    code, document = run(capsys, "user", "delete", "bob@example.com")
    assert (code, document["error"]["code"]) == (3, "no-such-account")
    code, document = run(capsys, "user", "plan", "ann@example.com", "gold")
    assert (code, document["error"]["code"]) == (2, "unusable-value")
    code, document = run(capsys, "user", "delete", "ann@example.com")
    assert (code, document["error"]["code"]) == (1, "erasing-not-configured")


def test_help_is_drawn_like_that_of_every_other_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gateway", "admin", "--help"]) == 0
    page = capsys.readouterr().out
    assert "Commands:" in page
    assert "user" in page
    assert main(["gateway", "admin", "token", "--help"]) == 0
    assert "--minutes" in capsys.readouterr().out
