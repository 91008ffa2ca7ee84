"""`oharness gateway admin …`: names and answers as operators' scripts expect them, on the database directly."""

import base64
import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from oharness.core.errors import NotFound, OharnessError, Refused, WrongUsage
from oharness.gateway.accounts import AccountExists, NoSuchAccount
from oharness.gateway.commands import gateway, gateway_group
from oharness.gateway.deletion import DeletionStopped, ErasingNotConfigured
from oharness.testing.gateway import PASSWORD

pytestmark = pytest.mark.sync


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    return {"OHARNESS_CLOUD_DATABASE_URL": f"sqlite:///{tmp_path / 'accounts.sqlite3'}", "OHARNESS_SYNC_ADMIN_KEY": "k"}


def run(variables: dict[str, str], *arguments: str, typed: str | None = None) -> dict[str, Any]:
    result = CliRunner().invoke(gateway, ["admin", *arguments, "--json"], env=variables, input=typed)
    if result.exception is not None:
        raise result.exception
    document: dict[str, Any] = json.loads(result.output)
    return document


def test_users_teams_plans_and_tokens(variables: dict[str, str]) -> None:
    user = run(variables, "user", "add", "Ann@Example.com", "--password-stdin", typed=f"{PASSWORD}\n")
    assert set(user) == {"userId"}
    assert run(variables, "user", "plan", "ann@example.com", "paid") == {"userId": user["userId"], "plan": "paid"}
    team = run(variables, "team", "add", "Builders", "--owner", "ann@example.com")
    assert set(team) == {"teamId"}
    assert run(variables, "team", "plan", team["teamId"], "paid") == {"teamId": team["teamId"], "plan": "paid"}
    token = run(variables, "token", "ann@example.com", "--minutes", "60")
    assert set(token) == {"accessToken"}
    payload = token["accessToken"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert claims["sub"] == user["userId"]
    assert claims["exp"] - claims["iat"] == 3600
    assert claims["ent"] == {"plan": "paid", "teams": [{"id": team["teamId"], "plan": "paid"}]}


def test_what_is_not_there_or_there_already_is_told_by_its_error(variables: dict[str, str]) -> None:
    run(variables, "user", "add", "ann@example.com")
    with pytest.raises(AccountExists):
        run(variables, "user", "add", "ANN@example.com")
    for arguments in (
        ("user", "plan", "bob@example.com", "paid"),
        ("user", "delete", "bob@example.com"),
        ("token", "bob@example.com"),
        ("team", "add", "T", "--owner", "bob@example.com"),
    ):
        with pytest.raises(NoSuchAccount):
            run(variables, *arguments)
    for arguments in (("team", "plan", "t_none", "paid"), ("team", "delete", "t_none")):
        with pytest.raises(NotFound):
            run(variables, *arguments)
    for arguments in (("user", "add", "ann"), ("team", "add", "", "--owner", "ann@example.com")):
        with pytest.raises(WrongUsage):
            run(variables, *arguments)
    with pytest.raises(WrongUsage):
        run(variables, "user", "add", "cy@example.com", "--password-stdin", typed="short\n")


def test_deleting_with_the_sync_service_away_stops_and_can_be_resumed(variables: dict[str, str]) -> None:
    variables |= {"OHARNESS_CLOUD_SYNC_URL": "http://127.0.0.1:1"}
    user = run(variables, "user", "add", "ann@example.com")["userId"]
    with pytest.raises(DeletionStopped) as stopped:
        run(variables, "user", "delete", "ann@example.com")
    assert stopped.value.step == "erase"
    resumed = run(variables, "deletions", "resume")
    assert resumed["finished"] == []
    assert [(one["kind"], one["id"], one["step"]) for one in resumed["open"]] == [("user", user, "erase")]
    variables["OHARNESS_SYNC_ADMIN_KEY"] = ""
    run(variables, "user", "add", "bob@example.com")
    with pytest.raises(ErasingNotConfigured):
        run(variables, "user", "delete", "bob@example.com")
    run(variables, "token", "bob@example.com")


def test_keys_can_be_replaced(variables: dict[str, str]) -> None:
    assert run(variables, "keys", "replace")["keyId"] != run(variables, "keys", "replace")["keyId"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["admin"],
        ["admin", "user"],
        ["admin", "user", "plan", "a@b.c", "gold"],
        ["admin", "token", "a@b.c", "--minutes=0"],
    ],
)
def test_what_makes_no_sense_exits_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(gateway, arguments).exit_code == 2


class Output:
    """Where the command line's own answers go."""

    def __init__(self) -> None:
        self.document: Any = None
        self.told: list[str] = []

    def answer(self, document: Any, told: Any) -> None:
        self.document, self.told = document, list(told())


class Call:
    """What a command line gives its commands."""

    def __init__(self, environment: dict[str, str], home: str) -> None:
        self.environment = environment
        self.home = home
        self.output = Output()


def test_a_command_line_can_mount_the_group_with_classes_of_its_own(tmp_path: Path) -> None:
    class OwnCommand(click.Command):
        pass

    class OwnGroup(click.Group):
        command_class = OwnCommand

        def __init__(self, name: str | None, **options: Any) -> None:
            super().__init__(name, invoke_without_command=True, **options)

    mounted = gateway_group(OwnGroup)
    call = Call({}, str(tmp_path / "home"))
    result = CliRunner().invoke(mounted, ["admin", "user", "add", "ann@example.com"], obj=call)
    assert result.exception is None
    assert call.output.told == [f"userId: {call.output.document['userId']}"]
    assert (tmp_path / "home/cloud-gateway/accounts.sqlite3").exists()
    admin = mounted.commands["admin"]
    assert isinstance(admin, OwnGroup)
    assert isinstance(admin.commands["token"], OwnCommand)


def test_every_error_belongs_to_a_family_with_an_exit_code() -> None:
    for kind in (AccountExists, NoSuchAccount, DeletionStopped, ErasingNotConfigured):
        assert issubclass(kind, OharnessError)
    assert issubclass(AccountExists, Refused)
