"""A glance says that there are no notes only where the proper way says so too."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.core.errors import OharnessError
from oharness.disk.at_a_glance import NoNotes, no_notes
from oharness.memory.reading import list_notes
from oharness.wiring.environment import open_environment, open_memory_for_reading

pytestmark = pytest.mark.memory

Place = Callable[[Path, Path], None]


def registered(root: Path, home: Path) -> None:
    (root / ".oharness").mkdir()
    (root / ".oharness" / "project.json").write_text('{"id":"p1","name":"p","createdAt":1}')
    (root / "MEMORY").mkdir()


def repository(root: Path, home: Path) -> None:
    (root / ".git").mkdir()


def both_empty(root: Path, home: Path) -> None:
    registered(root, home)
    (home / "memory" / "user").mkdir(parents=True)
    (root / "MEMORY" / "README.txt").write_text("no note")
    (root / "MEMORY" / ".hidden.md").write_text("no note")


def note(root: Path, home: Path) -> None:
    registered(root, home)
    (root / "MEMORY" / "a.md").write_text('---\n{"id":"a","summary":"s"}\n---\n')


def user_note(root: Path, home: Path) -> None:
    (home / "memory" / "user").mkdir(parents=True)
    (home / "memory" / "user" / "a.md").write_text('---\n{"id":"a","summary":"s"}\n---\n')


def damaged_note(root: Path, home: Path) -> None:
    registered(root, home)
    (root / "MEMORY" / "A.MD").write_text("")


def own_settings(root: Path, home: Path) -> None:
    registered(root, home)
    home.mkdir()
    (home / "config.json").write_text("{")


def project_settings(root: Path, home: Path) -> None:
    note(root, home)
    (root / "MEMORY").rename(root / "notes")
    (root / ".oharness" / "config.json").write_text('{"memory":{"dir":"notes"}}')


def broken_marker(root: Path, home: Path) -> None:
    registered(root, home)
    (root / ".oharness" / "project.json").write_text('{"id":"../x"}')


def linked_notes(root: Path, home: Path) -> None:
    registered(root, home)
    (root / "MEMORY").rmdir()
    (root / "MEMORY").symlink_to(root.parent)


def worktree(root: Path, home: Path) -> None:
    (root / ".git").write_text("gitdir: /nowhere/at/all\n")


def file_as_home(root: Path, home: Path) -> None:
    home.write_text("")


CERTAIN = (lambda root, home: None, registered, repository, both_empty)
NOT_CERTAIN = (note, user_note, damaged_note, own_settings, project_settings, broken_marker, linked_notes, worktree)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "store"
    (place / "deep" / "below").mkdir(parents=True)
    monkeypatch.chdir(place / "deep" / "below")
    return place


@pytest.mark.parametrize("prepare", CERTAIN)
def test_nothing_is_nothing_for_the_proper_way_too(prepare: Place, root: Path, home: Path) -> None:
    prepare(root, home)
    glance = no_notes(os.environ)
    environment = open_environment(os.environ)
    listing = list_notes(open_memory_for_reading(environment))
    assert glance == NoNotes(in_project=environment.project is not None)
    assert (listing.notes, listing.problems, listing.warnings) == ((), (), ())


@pytest.mark.parametrize("prepare", [*NOT_CERTAIN, file_as_home])
def test_whatever_is_unusual_is_left_to_the_proper_way(prepare: Place, root: Path, home: Path) -> None:
    prepare(root, home)
    assert no_notes(os.environ) is None


@pytest.mark.parametrize("name", ["relative", "~/somewhere"])
def test_a_home_that_needs_working_out_is_left_to_the_proper_way(name: str, root: Path) -> None:
    assert no_notes(os.environ, name) is None


def test_a_glance_creates_nothing(root: Path, home: Path) -> None:
    no_notes(os.environ)
    assert not home.exists()
    assert sorted(path.name for path in root.rglob("*")) == ["below", "deep"]


def test_an_error_of_the_proper_way_is_not_hidden(root: Path, home: Path) -> None:
    own_settings(root, home)
    assert no_notes(os.environ) is None
    with pytest.raises(OharnessError):
        open_environment(os.environ)
