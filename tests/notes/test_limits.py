"""How large a note may be, and which notes are loaded."""

import pytest

from oharness.notes.entry import FileStamp
from oharness.notes.limits import (
    NoteTooLarge,
    TooManyNotes,
    body_bytes,
    check_body_size,
    check_room,
    choose_loaded,
    largest_file_bytes,
)

pytestmark = pytest.mark.memory


def stamp(name: str, mtime_ns: int) -> FileStamp:
    return FileStamp(name, mtime_ns, size=1, inode=1)


def test_past_the_limit_the_least_recently_modified_are_left_out() -> None:
    files = [stamp("old.md", 1), stamp("b-new.md", 9), stamp("older.md", 0), stamp("a-mid.md", 5)]
    choice = choose_loaded(files, 2)
    assert [file.name for file in choice.loaded] == ["a-mid.md", "b-new.md"]
    assert [file.name for file in choice.left_out] == ["old.md", "older.md"]


def test_files_of_the_same_moment_are_chosen_by_name_whatever_the_order() -> None:
    files = [stamp(f"{letter}.md", 7) for letter in "dbca"]
    assert choose_loaded(files, 2) == choose_loaded(reversed(files), 2)
    assert [file.name for file in choose_loaded(files, 2).loaded] == ["a.md", "b.md"]


def test_within_the_limit_everything_is_loaded() -> None:
    choice = choose_loaded([stamp("a.md", 1)], 1)
    assert (len(choice.loaded), choice.left_out) == (1, ())


def test_new_notes_are_refused_at_the_limit_and_updates_are_not() -> None:
    check_room(present=4999, added=1, max_notes=5000)
    check_room(present=6000, added=0, max_notes=5000)
    with pytest.raises(TooManyNotes) as caught:
        check_room(present=5000, added=1, max_notes=5000)
    assert (caught.value.count, caught.value.limit) == (5000, 5000)


def test_a_body_is_measured_in_bytes_of_the_text_that_is_kept() -> None:
    assert body_bytes("é\r\n\r\n") == 2
    check_body_size("a", "é" * 4 + "\n", 8)
    with pytest.raises(NoteTooLarge) as caught:
        check_body_size("a", "é" * 5, 8)
    assert (caught.value.note_id, caught.value.size_bytes, caught.value.limit_bytes) == ("a", 10, 8)


def test_the_largest_file_leaves_room_for_frontmatter() -> None:
    assert largest_file_bytes(131_072) > 131_072 * 2
