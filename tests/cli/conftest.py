"""The command line as a person or a script calls it, in a project of its own."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from oharness.cli.main import main


@dataclass(frozen=True)
class Answer:
    """What one call gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Answer]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registered project, and the current folder is in it."""
    root = tmp_path / "store"
    (root / ".oharness").mkdir(parents=True)
    (root / ".oharness" / "project.json").write_text('{"id":"store-id","name":"store","createdAt":1789000000000}')
    (root / "MEMORY").mkdir()
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder is in no project."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def oharness(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls the program in this process; `stdin` is what is piped into it."""

    def call(*arguments: str, stdin: str = "") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        code = main(arguments)
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call


def everything_below(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with what it holds."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()} if folder.exists() else {}
