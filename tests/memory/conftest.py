"""What tests of the running memory share: a home, a project and the memory opened in them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from oharness.config.schema import default_settings
from oharness.core.scopes import ScopeKind
from oharness.disk.filesystem import FileSystem
from oharness.disk.git import Git
from oharness.disk.home import Home
from oharness.disk.project import Registration, find_project, project_at, register_project
from oharness.memory.remember import Remembered, RememberRequest, remember
from oharness.memory.scopes import Memory, Surroundings, open_for_reading, open_for_writing
from oharness.notes.frontmatter import note_text
from oharness.notes.note import Note
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness


@dataclass
class World:
    """One machine: a home and a project called shop."""

    home: Path
    root: Path
    clock: FakeClock = field(default_factory=FakeClock)
    randomness: SeededRandomness = field(default_factory=SeededRandomness)
    opened: list[Memory] = field(default_factory=list)

    @property
    def notes(self) -> Path:
        return self.root / "MEMORY"

    def around(self, files: FileSystem | None = None, **settings: Any) -> Surroundings:
        return Surroundings(
            files or FileSystem(),
            Home(self.home),
            replace(default_settings().memory, **settings),
            self.clock,
            self.randomness,
            Git({"PATH": os.environ["PATH"]}),
        )

    def register(self, files: FileSystem | None = None, root: Path | None = None) -> Registration:
        around = self.around(files)
        project = project_at(around.files, root or self.root)
        return register_project(around.files, project, around.home, around.git, self.clock, self.randomness)

    def open(self, files: FileSystem | None = None, root: Path | None = None, **settings: Any) -> Memory:
        memory = open_for_writing(self.around(files, **settings), self.register(files, root))
        self.opened.append(memory)
        return memory

    def open_outside(self) -> Memory:
        memory = open_for_writing(self.around(), None)
        self.opened.append(memory)
        return memory

    def read(self, start: Path | None = None, files: FileSystem | None = None, **settings: Any) -> Memory:
        around = self.around(files, **settings)
        found = find_project(around.files, start, self.home.parent) if start else project_at(around.files, self.root)
        memory = open_for_reading(around, found)
        self.opened.append(memory)
        return memory

    def put(self, note_id: str, text: str | None = None, folder: Path | None = None, **fields: Any) -> Path:
        """Drops a note file in by hand, long ago."""
        path = (folder or self.notes) / f"{note_id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        values: dict[str, Any] = {"summary": f"About {note_id}", "body": "", "created_at": 1_788_000_000_000}
        note = Note(id=note_id, **(values | {"updated_at": 1_788_000_000_000} | fields))
        path.write_text(note_text(note) if text is None else text)
        os.utime(path, (1_788_000_000, 1_788_000_000))
        return path


@pytest.fixture
def world(home: Path, tmp_path: Path) -> Iterator[World]:
    (tmp_path / "shop").mkdir()
    world = World(home, tmp_path / "shop")
    yield world
    for memory in world.opened:
        memory.close()


def write(memory: Memory, summary: str = "Prices are in cents", **fields: Any) -> Remembered:
    """Remembers in the project unless told otherwise."""
    return remember(memory, RememberRequest(**({"summary": summary, "scope": ScopeKind.PROJECT} | fields)))


@pytest.fixture(name="write")
def write_fixture() -> Any:
    return write
