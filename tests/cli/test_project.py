"""`oharness project`."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call

pytestmark = pytest.mark.memory

KEYS = ["id", "path", "name", "source"]


def test_init_makes_the_current_folder_a_project_once(outside: Path, oharness: Call) -> None:
    first = oharness("project", "init", "--json").json
    assert list(first) == KEYS
    assert (first["path"], first["name"], first["source"]) == (str(outside), "elsewhere", "random")
    assert (outside / "MEMORY").is_dir()
    assert (outside / "ARTIFACTS").is_dir()
    again = oharness("project", "init", "--json").json
    assert again == {**first, "source": "existing"}


def test_show_writes_nothing(project: Path, home: Path, oharness: Call) -> None:
    shown = oharness("project", "show", "--json").json
    assert shown == {"id": "store-id", "path": str(project), "name": "store", "source": "existing"}
    assert not home.exists()


def test_show_outside_any_project_says_how_to_make_one(outside: Path, oharness: Call) -> None:
    answer = oharness("project", "show", "--json")
    assert answer.code == 3
    assert "oharness project init" in answer.json["error"]["message"]


def test_a_folder_below_belongs_to_the_project_above(
    project: Path, oharness: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(project / "src" / "deep")
    assert oharness("project", "show", "--json").json["path"] == str(project)
    assert oharness("project", "init", "--json").json["path"] == str(project)


def test_the_option_names_exactly_that_folder(outside: Path, project: Path, oharness: Call) -> None:
    for arguments in (("--project", str(project), "project", "show"), ("project", "show", "--project", str(project))):
        assert oharness(*arguments, "--json").json["id"] == "store-id"
    missing = oharness("project", "show", "--project", str(project / "nope"), "--json")
    assert (missing.code, missing.json["error"]["code"]) == (3, "no-such-project-folder")


def test_the_home_option_moves_the_users_notes(project: Path, tmp_path: Path, oharness: Call) -> None:
    other = tmp_path / "other home"
    done = oharness("memory", "remember", "--summary", "S", "--type", "user", "--home", str(other), "--json").json
    assert Path(done["path"]).parent == other / "memory" / "user"


def test_a_random_id_is_said_to_be_one_and_why(tmp_path: Path, oharness: Call) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert "no git repository" in oharness("--project", str(plain), "project", "init").out
