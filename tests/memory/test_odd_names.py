"""Files whose names are no text, and files that are no notes, keep nothing else from working."""

import os
from typing import Any

import pytest

from oharness.memory.reading import list_notes
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
