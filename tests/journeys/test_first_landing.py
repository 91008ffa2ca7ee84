"""The main job from outside: the real program, a model server in another process, two sessions."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oharness.testing.openai_server import RunningServer, start_openai_server

pytestmark = pytest.mark.memory

SCRIPT = {
    "models": ["tiny"],
    "replies": [
        {
            "when": {"user": "remember that we deploy on Thursdays", "afterTool": None},
            "expect": {
                "offers": ["remember", "memory", "forget", "read", "write", "edit"],
                "system": ["# Memory", "No notes are kept yet"],
                "stream": True,
            },
            "tools": [
                {
                    "name": "remember",
                    "arguments": {"summary": "We deploy on Thursdays", "body": "Never on Fridays.", "tags": "release"},
                }
            ],
        },
        {
            "when": {"afterTool": "remember"},
            "expect": {"toolResult": ["Saved \\[we-deploy-on-thursdays-"]},
            "text": "Noted.",
        },
        {
            "when": {"user": "when do we deploy\\?"},
            "expect": {
                "system": ["<memory-index>", "- \\[we-deploy-on-thursdays-\\w{3}\\] We deploy on Thursdays"],
                "user": [
                    "^when do we deploy\\?",
                    "<recalled-memory>[\\s\\S]*Never on Fridays\\.[\\s\\S]*</recalled-memory>",
                ],
                "userParts": 2,
                "stream": True,
            },
            "text": "On Thursdays, never on Fridays.",
        },
    ],
}


class Program:
    """The command line in a project and home of its own, with a model server behind it."""

    def __init__(self, project: Path, home: Path, base_url: str) -> None:
        self.project = project
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home.parent),
            "OHARNESS_HOME": str(home),
            "OHARNESS_MODEL": "openai-compatible:tiny",
            "OPENAI_BASE_URL": base_url,
            "LANG": "C.UTF-8",
        }

    def __call__(self, *arguments: str) -> dict[str, Any]:
        """The JSON answer of one command that succeeds."""
        command = [sys.executable, "-m", "oharness.cli.main", "--json", *arguments]
        done = subprocess.run(
            command, cwd=self.project, env=self.environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr + done.stdout
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    running = start_openai_server(SCRIPT, tmp_path)
    yield running
    running.stop()


@pytest.fixture
def program(tmp_path: Path, home: Path, server: RunningServer) -> Program:
    project = tmp_path / "store"
    project.mkdir()
    program = Program(project, home, server.base_url)
    program("project", "init")
    return program


def test_an_agent_run_writes_a_note_and_a_later_session_gets_it_back(program: Program, server: RunningServer) -> None:
    first = program("run", "remember that we deploy on Thursdays")
    (note,) = (program.project / "MEMORY").glob("*.md")
    second = program("run", "when do we deploy?")

    assert first["toolCalls"] == [{"tool": "remember", "allowed": True}]
    assert first["session"] != second["session"]
    assert second["recalled"] == [{"scope": "project", "id": note.stem}]
    assert second["reply"] == "On Thursdays, never on Fridays."
    assert [request["problems"] for request in server.requests()] == [[], [], []]


def test_the_title_and_the_transcript_keep_the_users_own_words(program: Program) -> None:
    program("run", "remember that we deploy on Thursdays")
    second = program("run", "when do we deploy?")

    titles = {one["id"]: one["title"] for one in program("sessions", "list")["sessions"]}
    assert titles[second["session"]] == "when do we deploy?"
