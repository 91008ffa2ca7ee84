"""Files whose names are no text, and files that are no notes, keep nothing else from working."""

import os
from typing import Any

import pytest

from oharness.disk.projects_file import known_projects
from oharness.extract.conversation import Speaker, Turn
from oharness.memory.extraction import Extraction
from oharness.memory.forget import forget
from oharness.memory.reading import list_notes
from oharness.memory.restoring import restore_backup
from oharness.notes.limits import TooManyNotes
from oharness.notes.problems import ProblemReason

pytestmark = pytest.mark.memory
World = Any


def put_bytes(world: World, name: bytes) -> None:
    world.notes.mkdir(parents=True, exist_ok=True)
    path = world.notes / os.fsdecode(name)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    except OSError:
        pytest.skip("this file system holds no names that are not UTF-8")


def test_a_name_that_is_not_utf8_is_reported_and_hides_nothing(world: World, write: Any) -> None:
    world.put("good")
    put_bytes(world, b"\xff\xfe.md")
    (world.notes / os.fsdecode(b"\xfd.md")).symlink_to("nowhere")
    for memory in (world.open(), world.open(), world.read()):
        listing = list_notes(memory)
        assert [one.entry.id for one in listing.notes] == ["good"]
        reasons = {os.fsencode(problem.path.name): problem.reason for problem in listing.problems}
        assert reasons == {b"\xff\xfe.md": ProblemReason.ID_INVALID, b"\xfd.md": ProblemReason.SYMBOLIC_LINK}
    memory = world.open()
    write(memory, "Another one")
    memory.refresh()
    assert len(memory.project.entries()) == 2


def test_a_project_in_a_folder_whose_name_is_no_text_is_one_like_any_other(world: World, write: Any) -> None:
    root = world.root.with_name(os.fsdecode(b"shop-\xff"))
    try:
        root.mkdir()
    except OSError:
        pytest.skip("this file system holds no names that are not UTF-8")
    memory = world.open(root=root)
    assert memory.warnings() == []
    write(memory, "Prices are in cents", id="prices-a1b")
    write(memory, "Prices are in cents", id="prices-a1b", body="Since the first invoice.")
    backup = forget(memory, "prices-a1b", None).backup
    assert restore_backup(memory, backup).path.parent == root / "MEMORY"
    assert [known.path for known in known_projects(memory.around.files, memory.around.home)] == [root]
    Extraction(memory).keep_for_later("s", [Turn(Speaker.USER, "We deploy on Thursdays", memory.around.clock.now_ms())])
    again = world.open(root=root)
    assert [one.entry.id for one in list_notes(again).notes] == ["prices-a1b"]
    assert len(Extraction(again).unfinished()) == 1


def test_files_that_are_no_notes_do_not_count_as_notes(world: World, write: Any) -> None:
    world.put("good")
    for number in range(5):
        path = world.put(f"bad{number}", text="no frontmatter")
        os.utime(path, (1_788_000_001, 1_788_000_001))
    memory = world.open(max_notes=2)
    assert [entry.id for entry in memory.project.entries()] == ["good"]
    assert (len(memory.project.problems()), memory.warnings()) == (5, [])
    write(memory, "Room for this one")
    with pytest.raises(TooManyNotes):
        write(memory, "But not for this one")
