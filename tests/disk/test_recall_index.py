import sqlite3
from pathlib import Path

import pytest

from oharness.core.clock import Millis
from oharness.disk.recall_index import RecallIndex
from oharness.notes.entry import FileStamp, NoteEntry, ProblemEntry

pytestmark = pytest.mark.memory


def entry(note_id: str, summary: str = "A summary", size: int = 10) -> NoteEntry:
    stamp = FileStamp(f"{note_id}.md", 1_789_000_000_000_000_000, size, 42)
    return NoteEntry(stamp, note_id, summary, "project", ("a", "b"), Millis(1), Millis(2), "h", 4, ("other",))


def test_what_was_put_in_is_there_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "memory-index" / "x.sqlite"
    index = RecallIndex.open(path)
    broken = ProblemEntry(FileStamp("bad.md", 5, 6, 7), "not UTF-8")
    index.update([(entry("one"), "body"), (entry("two"), "")], [broken], [])
    index.close()
    again = RecallIndex.open(path)
    assert again.entries() == [entry("one"), entry("two")]
    assert again.entry("two") == entry("two")
    assert again.entry("three") is None
    assert again.problems() == [broken]
    assert again.stamps() == {e.stamp.name: e.stamp for e in (entry("one"), entry("two"), broken)}
    again.close()


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"not a database, but long enough to look like a file of some kind" * 50)
    index = RecallIndex.open(path)
    index.update([(entry("one"), "")], [], [])
    assert index.entries() == [entry("one")]
    index.close()


def test_another_version_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    index = RecallIndex.open(path)
    index.update([(entry("one"), "")], [], [])
    index.close()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE meta SET value = '0'")
    database.close()
    again = RecallIndex.open(path)
    assert again.entries() == []
    again.close()


def test_looking_creates_nothing(tmp_path: Path) -> None:
    index = RecallIndex.open_existing(tmp_path / "home" / "x.sqlite")
    index.update([(entry("one"), "")], [], [])
    assert index.entries() == [entry("one")]
    index.close()
    assert list(tmp_path.iterdir()) == []


def test_a_changed_note_replaces_the_old_one_and_a_removed_one_is_gone(tmp_path: Path) -> None:
    index = RecallIndex.open(tmp_path / "x.sqlite")
    index.update([(entry("one", "About walruses"), "")], [], [])
    index.update([(entry("one", "About herons"), "")], [], [])
    assert set(index.postings_of(["en:heron", "en:walrus", "en:walrus"])) == {"en:heron"}
    index.update([], [], ["one.md"])
    assert index.entries() == []
    assert index.postings_of(["en:heron"]) == {}
    index.close()


def test_what_another_process_wrote_is_seen(tmp_path: Path) -> None:
    mine = RecallIndex.open(tmp_path / "x.sqlite")
    assert mine.note_count() == 0
    theirs = RecallIndex.open(tmp_path / "x.sqlite")
    theirs.update([(entry("one", "About herons"), "")], [], [])
    theirs.close()
    assert mine.note_count() == 1
    assert mine.postings_of(["en:heron"])["en:heron"].count == 1
    mine.close()
