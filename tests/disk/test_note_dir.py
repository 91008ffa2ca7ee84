import os
from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.core.errors import StorageFailed
from oharness.disk.atomic import Absent, Holding, digest_of
from oharness.disk.filesystem import FileSystem
from oharness.disk.note_dir import (
    DamagedFile,
    DirectoryRedirected,
    NoteChangedOnDisk,
    NoteDelete,
    NoteDir,
    NoteFile,
    NoteWrite,
)
from oharness.notes.frontmatter import note_text
from oharness.notes.ids import IdCaseCollision
from oharness.notes.note import Note
from oharness.notes.problems import ProblemReason
from oharness.testing.faults import FaultyFileSystem, full_disk_below

pytestmark = pytest.mark.memory
OpenDir = Callable[..., NoteDir]
MakeNote = Callable[..., Note]


def test_a_written_note_is_read_back_with_its_bytes(open_dir: OpenDir, note: MakeNote) -> None:
    stamp = open_dir().write(note(), Absent())
    read = open_dir().read(stamp.name)
    assert isinstance(read, NoteFile)
    assert read.note == note()
    assert read.data == note_text(note()).encode()
    assert read.stamp == stamp


def test_a_stamp_says_that_a_file_has_to_be_read_again_until_it_has_settled(
    open_dir: OpenDir, note: MakeNote, memory: Path
) -> None:
    folder = open_dir()
    assert folder.write(note(), Absent()) not in folder.scan().files
    os.utime(memory / "prices-3fa.md", (1_788_000_000, 1_788_000_000))
    read = folder.read("prices-3fa.md")
    assert read is not None
    assert folder.scan().files == (read.stamp,)


def test_an_edit_by_hand_is_never_overwritten(open_dir: OpenDir, note: MakeNote, memory: Path) -> None:
    folder = open_dir()
    folder.write(note(), Absent())
    read = folder.read("prices-3fa.md")
    assert isinstance(read, NoteFile)
    (memory / "prices-3fa.md").write_text(note_text(note(body="edited by hand")))
    with pytest.raises(NoteChangedOnDisk):
        folder.write(note(body="from an old reading"), read.expected)
    with pytest.raises(NoteChangedOnDisk):
        folder.delete("prices-3fa", read.expected)
    assert "edited by hand" in (memory / "prices-3fa.md").read_text()


def test_a_truncated_file_is_noticed_before_it_is_replaced(open_dir: OpenDir, note: MakeNote, memory: Path) -> None:
    folder = open_dir()
    folder.write(note("a"), Absent())
    read = folder.read("a.md")
    assert isinstance(read, NoteFile)
    (memory / "a.md").write_bytes(b"")
    with pytest.raises(NoteChangedOnDisk):
        folder.write(note("a", body="new"), read.expected)
    damaged = folder.read("a.md")
    assert isinstance(damaged, DamagedFile)
    assert damaged.reason is ProblemReason.EMPTY


def test_a_new_note_never_replaces_a_file_that_is_there(open_dir: OpenDir, note: MakeNote, memory: Path) -> None:
    (memory / "a.md").write_bytes(b"no note at all")
    with pytest.raises(NoteChangedOnDisk):
        open_dir().write(note("a"), Absent())
    assert (memory / "a.md").read_bytes() == b"no note at all"


def test_names_that_cannot_be_notes_are_reported_and_the_rest_is_listed(
    open_dir: OpenDir, note: MakeNote, memory: Path, tmp_path: Path
) -> None:
    open_dir(max_note_bytes=100).write(note("good"), Absent())
    (memory / "leak.md").symlink_to("/etc/hostname")
    (memory / "folder.md").mkdir()
    (memory / "zero.md").write_bytes(b"")
    (memory / "LOUD.MD").write_text(note_text(note("LOUD")))
    (memory / "huge.md").write_bytes(b"x" * 300_000)
    (memory / "readme.txt").write_text("not ours")
    (memory / ".hidden.md").write_text("not ours")
    (memory / FileSystem().temporary_name()).write_text("half a note")
    scan = open_dir(max_note_bytes=100).scan()
    assert [stamp.name for stamp in scan.files] == ["good.md"]
    assert {problem.stamp.name: problem.reason for problem in scan.problems} == {
        "leak.md": "symbolic-link",
        "folder.md": "unreadable",
        "zero.md": "empty",
        "LOUD.MD": "id-not-file-name",
        "huge.md": "too-large",
    }


def test_no_note_is_read_through_a_link(open_dir: OpenDir, note: MakeNote, memory: Path, tmp_path: Path) -> None:
    outside = tmp_path / "x.md"
    outside.write_text(note_text(note("x")))
    (memory / "x.md").symlink_to(outside)
    read = open_dir().read("x.md")
    assert isinstance(read, DamagedFile)
    assert read.reason is ProblemReason.SYMBOLIC_LINK
    assert read.data == b""


def test_a_pipe_in_the_folder_hangs_nobody(open_dir: OpenDir, memory: Path) -> None:
    os.mkfifo(memory / "pipe.md")
    read = open_dir().read("pipe.md")
    assert isinstance(read, DamagedFile)
    assert read.reason is ProblemReason.UNREADABLE


def test_a_folder_that_became_a_link_is_not_followed(
    open_dir: OpenDir, note: MakeNote, memory: Path, tmp_path: Path
) -> None:
    folder = open_dir()
    memory.rmdir()
    (tmp_path / "elsewhere").mkdir()
    memory.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DirectoryRedirected):
        folder.write(note(), Absent())
    with pytest.raises(DirectoryRedirected):
        folder.scan()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_missing_folder_is_told_from_an_empty_one(open_dir: OpenDir, memory: Path) -> None:
    assert open_dir().scan().exists
    memory.rmdir()
    assert not open_dir().scan().exists
    assert open_dir().read_id("a") is None
    memory.write_text("a file")
    with pytest.raises(StorageFailed):
        open_dir().scan()


def test_an_id_that_differs_in_letter_case_alone_is_refused(open_dir: OpenDir, note: MakeNote) -> None:
    folder = open_dir()
    folder.write(note("Prices"), Absent())
    with pytest.raises(IdCaseCollision) as caught:
        folder.write(note("prices"), Absent())
    assert (caught.value.note_id, caught.value.existing_id) == ("prices", "Prices")
    with pytest.raises(IdCaseCollision):
        folder.write_many([NoteWrite(note("x"), Absent()), NoteWrite(note("X"), Absent())])
    assert folder.names() == ["Prices.md"]


def test_the_directory_s_own_spelling_counts(open_dir: OpenDir, note: MakeNote) -> None:
    folder = open_dir()
    folder.write(note("Prices"), Absent())
    data = note_text(note("Prices")).encode()
    assert folder.read_id("prices") is None
    with pytest.raises(NoteChangedOnDisk):
        folder.delete("prices", Holding(digest_of(data)))
    assert folder.names() == ["Prices.md"]


def test_notes_of_both_spellings_that_are_there_can_still_be_edited(
    open_dir: OpenDir, note: MakeNote, memory: Path
) -> None:
    for note_id in ("A", "a"):
        (memory / f"{note_id}.md").write_text(note_text(note(note_id)))
    read = open_dir().read("a.md")
    assert isinstance(read, NoteFile)
    open_dir().write(note("a", body="edited"), read.expected)
    assert len(open_dir().scan().files) == 2


def test_a_batch_writes_and_deletes_what_was_expected_and_names_the_rest(
    open_dir: OpenDir, note: MakeNote, memory: Path
) -> None:
    folder = open_dir()
    folder.write_many([NoteWrite(note(note_id), Absent()) for note_id in ("a", "b", "c")])
    old = Holding(digest_of(note_text(note("b")).encode()))
    (memory / "b.md").write_text(note_text(note("b", body="edited")))
    assert folder.write_many([NoteWrite(note("b", body="mine"), old), NoteWrite(note("d"), Absent())]) == ["b"]
    expected = {name: Holding(digest_of(note_text(note(name)).encode())) for name in ("a", "b", "c", "gone")}
    assert folder.delete_many([NoteDelete(*item) for item in expected.items()]) == ["b", "gone"]
    assert sorted(folder.names()) == ["b.md", "d.md"]


def test_one_unreadable_file_does_not_hide_the_others(open_dir: OpenDir, note: MakeNote) -> None:
    open_dir().write_many([NoteWrite(note("a"), Absent()), NoteWrite(note("b"), Absent())])

    def fail(operation: str, path: Path) -> None:
        if operation == "read" and path.name == "a.md":
            raise OSError(5, "Input/output error")

    folder = open_dir(FaultyFileSystem(fail))
    first, second = folder.read("a.md"), folder.read("b.md")
    assert isinstance(first, DamagedFile)
    assert first.reason is ProblemReason.UNREADABLE
    assert isinstance(second, NoteFile)


def test_a_full_disk_keeps_the_note_that_was_there(open_dir: OpenDir, note: MakeNote, memory: Path) -> None:
    open_dir().write(note(), Absent())
    read = open_dir().read("prices-3fa.md")
    assert isinstance(read, NoteFile)
    with pytest.raises(StorageFailed):
        open_dir(FaultyFileSystem(full_disk_below(memory))).write(note(body="new"), read.expected)
    assert (memory / "prices-3fa.md").read_bytes() == read.data


def test_leftovers_of_a_crash_are_cleared_by_a_later_write(open_dir: OpenDir, note: MakeNote, memory: Path) -> None:
    leftover = memory / FileSystem().temporary_name()
    leftover.write_text("half a note")
    os.utime(leftover, (1_000_000, 1_000_000))
    open_dir().write(note(), Absent())
    assert open_dir().names() == ["prices-3fa.md"]


def test_reading_makes_no_file_and_no_folder(open_dir: OpenDir, memory: Path, tmp_path: Path) -> None:
    memory.rmdir()
    folder = open_dir()
    folder.scan()
    folder.read("a.md")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["shop"]
