"""The command line itself: help, version, global options, errors and exit codes."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oharness.cli.help import GLOBAL_OPTIONS
from oharness.cli.main import asks_for_root_help, main
from oharness.cli.memory import memory
from oharness.cli.project import project as project_group
from oharness.cli.sessions import sessions

HEAVY = ("asyncio", "rich", "prompt_toolkit", "pydantic_ai", "httpx2", "sqlite3", "click", "importlib.metadata")


def answer_of(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from oharness.cli.main import main; code = main(['--help']);"
        f"print(code, [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == "0 []"
    assert "oharness memory remember" in ran.stdout


@pytest.mark.parametrize("given", [["--help"], ["-h"], ["--project", "x", "--help"], ["--home=x", "-h"]])
def test_help_of_the_whole_is_answered_without_the_parser(given: list[str]) -> None:
    assert asks_for_root_help(given)


@pytest.mark.parametrize("given", [[], ["memory", "--help"], ["--project"], ["--json", "--help"], ["run", "-h"]])
def test_everything_else_goes_to_the_parser(given: list[str]) -> None:
    assert not asks_for_root_help(given)


def test_help_is_the_same_with_and_without_the_parser(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    page = capsys.readouterr().out.strip()
    assert main(["--json", "--help"]) == 0
    assert answer_of(capsys) == {"help": page}


def test_help_speaks_the_language_of_the_reader(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert main(["--help"]) == 0
    assert "Exemples" in capsys.readouterr().out


def test_the_version_exists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("oharness ")
    assert main(["--version", "--json"]) == 0
    assert list(answer_of(capsys)) == ["version"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (["memry"], "unknown-command"),
        (["memory", "lst"], "unknown-command"),
        (["memory"], "missing-command"),
        (["memory", "list", "--nope"], "unknown-option"),
        (["memory", "list", "--scope"], "missing-value"),
        (["memory", "list", "--scope", "team"], "unusable-value"),
        (["memory", "list", "more", "words"], "too-many-arguments"),
        (["memory", "show"], "missing-value"),
        (["memory", "remember"], "summary-missing"),
    ],
)
def test_wrong_usage_is_exit_2_and_one_json_document_and_leaves_nothing_behind(
    given: list[str],
    code: str,
    capsys: pytest.CaptureFixture[str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    assert main(["--json", *given]) == 2
    captured = capsys.readouterr()
    error = json.loads(captured.out)["error"]
    assert error["code"] == code
    assert error["message"]
    assert captured.err == ""
    assert main(given) == 2
    assert capsys.readouterr().out == ""
    assert list(place.iterdir()) == []
    assert not home.exists()


def test_a_name_that_is_nearly_right_is_met_with_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memry"]) == 2
    assert "memory" in capsys.readouterr().err


def test_a_name_that_a_group_does_not_know_points_to_the_page_of_the_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "nope"]) == 2
    assert "`oharness memory --help`" in capsys.readouterr().err
    assert main(["nope"]) == 2
    assert "`oharness --help`" in capsys.readouterr().err


def test_a_group_without_a_command_shows_its_page_to_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory"]) == 2
    assert "remember" in capsys.readouterr().err


def test_an_option_value_that_looks_like_json_mode_after_the_dashes_is_text() -> None:
    assert main(["memory", "show", "--", "--json"]) == 3


def test_a_reader_that_goes_away_ends_the_program_quietly() -> None:
    ran = subprocess.Popen(
        [sys.executable, "-m", "oharness.cli.main", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert ran.stdout is not None
    ran.stdout.close()
    _, told = ran.communicate(timeout=60)
    assert told == b""


def test_a_terminal_that_is_not_utf8_still_gets_an_answer() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "OHARNESS_LANGUAGE": "zh"}
    ran = subprocess.run(
        [sys.executable, "-m", "oharness.cli.main", "memry", "--json"], capture_output=True, env=environment
    )
    assert ran.returncode == 2
    assert "memry" in json.loads(ran.stdout.decode("ascii"))["error"]["message"]


def test_a_stream_without_a_terminal_has_no_colours(capsys: pytest.CaptureFixture[str]) -> None:
    main(["memry"])
    assert "\x1b" not in capsys.readouterr().err


class Closed(io.StringIO):
    def write(self, text: str) -> int:
        raise KeyboardInterrupt


def test_ctrl_c_is_exit_130(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Closed())
    assert main(["--help"]) == 130


def test_every_command_stands_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "user" / "commands.md").read_text(encoding="utf-8")
    ours = {"memory": memory, "project": project_group, "sessions": sessions}
    for name, group in ours.items():
        assert [one for one in group.commands if f"oharness {name} {one}" not in page] == []
    assert all(f"`{option.split()[0]}" in page for option, _ in GLOBAL_OPTIONS)


def test_completion_of_a_shell_knows_the_commands() -> None:
    environment = {**os.environ, "_OHARNESS_COMPLETE": "bash_complete", "COMP_WORDS": "oharness me", "COMP_CWORD": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "oharness.cli.main"], capture_output=True, text=True, env=environment, check=False
    )
    assert "memory" in ran.stdout


def test_help_speaks_the_language_of_the_settings(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / "config.json").write_text('{"language":"pt"}')
    assert main(["--help"]) == 0
    assert "Exemplos" in capsys.readouterr().out
    (home / "config.json").write_text("broken {")
    assert main(["--help"]) == 0
    assert "Examples" in capsys.readouterr().out


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_a_stream_that_is_closed_ends_nothing(closed: str, project: Path) -> None:
    command = f"{sys.executable} -m oharness.cli.main memory check {closed}"
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_bytes_that_are_no_text_do_not_end_a_chat(project: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "oharness.cli.main", "chat"],
        input=b"caf\xe9\nremember that we deploy on Thursdays\n",
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0
    assert len(list((project / "MEMORY").glob("*.md"))) == 1


def test_help_before_json_is_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help", "--json"]) == 0
    assert list(answer_of(capsys)) == ["help"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("given", [["--help"], ["--version", "--json"], ["memory", "list", "--json"]])
def test_an_answer_that_nobody_can_take_ends_without_a_traceback(tmp_path: Path, given: list[str]) -> None:
    program = [sys.executable, "-m", "oharness.cli.main", "--home", str(tmp_path / "home"), *given]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert "No space left" in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be removed there")
def test_a_current_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m oharness.cli.main memory remember --summary x"
    ran = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"oharness: {gone} ")
