"""Extraction from outside: the real program, a model server in another process, a program that is killed meanwhile."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oharness.testing.openai_server import RunningServer, start_openai_server
from tests.cli.test_terminal import Terminal
from tests.journeys.test_first_landing import Program

pytestmark = pytest.mark.memory
PORT: dict[str, Any] = {
    "summary": "The staging server listens on port 8081",
    "body": "The proxy took 8080.",
    "type": "project",
    "scope": "project",
    "tags": ["staging"],
}
SAID = "the staging server listens on port 8081, because the proxy took 8080"
ANSWER = json.dumps({"notes": [PORT], "updates": []})
EXTRACTOR: dict[str, Any] = {"when": {"system": "worth a note"}, "expect": {"schema": True}, "text": ANSWER}


@pytest.fixture
def make_program(tmp_path: Path, home: Path) -> Iterator[Any]:
    home.mkdir(exist_ok=True)
    (home / "config.json").write_text('{"memory": {"autoExtract": {"onStop": true, "minUserTurns": 1}}}')
    (tmp_path / "store").mkdir()
    servers: list[RunningServer] = []

    def make(*extractor: dict[str, Any]) -> Program:
        script = {"models": ["tiny"], "replies": [*extractor, {"when": {"user": "."}, "text": "Understood."}]}
        server = start_openai_server(script, tmp_path)
        servers.append(server)
        return Program(tmp_path / "store", home, server.base_url)

    yield make
    for server in servers:
        server.stop()


def notes(program: Program) -> list[str]:
    return [path.read_text() for path in (program.project / "MEMORY").glob("*.md")]


def test_a_conversation_becomes_a_note_that_is_announced_and_recalled(make_program: Any) -> None:
    program = make_program(EXTRACTOR)
    program("project", "init")
    first = program("run", SAID)
    assert first["saved"] == 0, "it is saved after the reply"
    (note,) = notes(program)
    assert PORT["summary"] in note
    second = program("run", "--session", "latest", "thanks")
    assert second["saved"] == 1
    third = program("run", "on which port does the staging server listen?")
    assert (third["saved"], len(third["recalled"])) == (0, 1)


def test_a_server_that_knows_no_schemas_is_told_in_words(make_program: Any) -> None:
    answered = {"when": {"system": "must follow this JSON schema"}, "text": ANSWER}
    refused = {
        "when": {"system": "worth a note"},
        "status": 400,
        "error": {"message": "response_format is not supported", "type": "invalid_request_error"},
    }
    program = make_program(answered, refused)
    program("project", "init")
    program("run", SAID)
    assert len(notes(program)) == 1


def test_the_answer_is_there_while_the_extractor_is_still_asked_and_a_kill_loses_nothing(make_program: Any) -> None:
    hanging = make_program({"when": {"system": "worth a note"}, "hang": True})
    hanging("project", "init")
    command = [sys.executable, "-m", "oharness.cli.main", "--json", "run", SAID]
    process = subprocess.Popen(command, cwd=hanging.project, env=hanging.environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        told = ""
        while not told.endswith("}\n"):
            told += process.stdout.readline()
        assert json.loads(told)["reply"] == "Understood."
        waiting = Path(hanging.environment["OHARNESS_HOME"]) / "memory-extraction"
        until = time.monotonic() + 60
        while not list(waiting.rglob("*.json")) and time.monotonic() < until:
            time.sleep(0.05)
    finally:
        process.kill()
        process.communicate()
    assert notes(hanging) == []
    assert list(waiting.rglob("*.json"))

    program = make_program(EXTRACTOR)
    program("run", "hello")
    assert len(notes(program)) == 1
    assert program("run", "hello again")["saved"] == 1
    assert len(notes(program)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix")
@pytest.mark.parametrize("command", ["run", "chat"])
def test_whoever_waits_at_the_end_is_told_why_and_ctrl_c_leaves_it_for_later(make_program: Any, command: str) -> None:
    hanging = make_program({"when": {"system": "worth a note"}, "hang": True})
    hanging("project", "init")
    place = ("--project", str(hanging.project))
    told = "Looking for notes in this conversation"
    terminal = Terminal(*place, command, *([SAID] if command == "run" else []), **hanging.environment)
    try:
        if command == "chat":
            terminal.type(SAID + "\r")
        terminal.wait_for("Understood.")
        if command == "chat":
            terminal.type("\x04")
        terminal.wait_for(told)
        terminal.press("\x03")
        assert terminal.wait_for_the_end() == 0
    finally:
        terminal.close()
    assert terminal.seen.count(told) == 1
    assert notes(hanging) == []
    program = make_program(EXTRACTOR)
    assert told not in str(program("run", "hello"))
    assert len(notes(program)) == 1
