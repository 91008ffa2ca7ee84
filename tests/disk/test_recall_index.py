import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from oharness.core.clock import Millis
from oharness.disk.recall_index import RecallIndex
from oharness.disk.recall_places import NOTES_PER_CHUNK
from oharness.notes.entry import FileStamp, NoteEntry, ProblemEntry
from oharness.recall.index import note_terms
from oharness.recall.postings import Postings

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
    assert set(held(index, "en:heron", "en:walrus", "en:walrus")) == {"en:heron"}
    index.update([], [], ["one.md"])
    assert index.entries() == []
    assert held(index, "en:heron") == {}
    index.close()


def test_what_another_process_wrote_is_seen(tmp_path: Path) -> None:
    mine = RecallIndex.open(tmp_path / "x.sqlite")
    assert mine.note_count() == 0
    theirs = RecallIndex.open(tmp_path / "x.sqlite")
    theirs.update([(entry("one", "About herons"), "")], [], [])
    theirs.close()
    assert mine.note_count() == 1
    assert held(mine, "en:heron")["en:heron"].count == 1
    mine.close()


WORDS = "heron walrus otter lynx badger falcon vole marten stoat newt adder toad".split()  # noqa: SIM905


class Key(NamedTuple):
    """One key as a word that is looked for."""

    keys: tuple[str, ...]
    beginning: str = ""


def held(index: RecallIndex, *keys: str) -> dict[str, Postings]:
    """The notes of every key that any note holds."""
    found = index.held([Key((key,)) for key in keys])
    return {key: one.places[0] for key, one in zip(keys, found, strict=True) if one.places}


def places(index: RecallIndex, notes: dict[str, tuple[NoteEntry, str]]) -> dict[str, dict[str, int]]:
    """The notes of every key that could be in the index, by id, with their marks."""
    keys = {key for one, body in notes.values() for key in note_terms(one.summary, one.tags, body).marks}
    found = {}
    for key, postings in held(index, *keys, *(f"en:{word}" for word in WORDS)).items():
        numbers, marks = postings.numbers_and_marks()
        assert list(numbers) == sorted(set(numbers))
        assert [postings.mark(number) for number in numbers] == list(marks)
        assert postings.count == len(numbers)
        entries = [index.entry_at(number) for number in numbers]
        found[key] = {one.id: mark for one, mark in zip(entries, marks, strict=True) if one}
        assert len(found[key]) == len(numbers)
    return found


def test_an_index_that_changed_note_by_note_holds_what_one_made_at_once_does() -> None:
    dice = random.Random(5)
    notes: dict[str, tuple[NoteEntry, str]] = {}
    changed = RecallIndex.in_memory()

    def made(note_id: str) -> tuple[NoteEntry, str]:
        return entry(note_id, " ".join(dice.choices(WORDS, k=2))), " ".join(dice.choices(WORDS, k=3))

    for size in (NOTES_PER_CHUNK - 2, 1, 1, 1, 40, 3, 25):  # over the edge of a chunk, new notes and old ones
        known = [f"n{number}" for number in range(NOTES_PER_CHUNK + 60)]
        ids = known[:size] if not notes else dice.sample(known, k=size)
        upserts = [made(note_id) for note_id in ids]
        removed = dice.sample(sorted(notes), k=3) if notes else []
        gone = [note_id for note_id in removed if note_id not in ids]
        changed.update(upserts, [], [f"{note_id}.md" for note_id in gone])
        notes.update((one.id, (one, body)) for one, body in upserts)
        for note_id in gone:
            del notes[note_id]
    at_once = RecallIndex.in_memory()
    at_once.update(notes.values(), [], [])
    assert places(changed, notes) == places(at_once, notes)
    assert changed.entries() == at_once.entries()
    assert changed.note_count() == len(notes)
    changed.close()
    at_once.close()


def test_the_last_of_two_words_on_one_file_counts() -> None:
    index = RecallIndex.in_memory()
    index.update([(entry("one", "A heron"), ""), (entry("one", "A walrus"), "")], [], [])
    assert set(held(index, "en:heron", "en:walrus")) == {"en:walrus"}
    index.close()


def test_what_changed_since_is_listed_without_being_written_until_words_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    kept = RecallIndex.open(path)
    kept.update([(entry("one"), ""), (entry("two"), ""), (entry("bad"), "")], [], [])
    kept.close()
    before = path.read_bytes()
    looked = RecallIndex.open_existing(path)
    broken = ProblemEntry(FileStamp("bad.md", 5, 6, 7), "not UTF-8")
    looked.update([(entry("two", "About herons"), ""), (entry("three"), "")], [broken], ["one.md"])
    assert looked.entries() == [entry("three"), entry("two", "About herons")]
    assert looked.entry("one") is None
    assert looked.entry("two") == entry("two", "About herons")
    assert looked.problems() == [broken]
    assert looked.stamps() == {"bad.md": broken.stamp, "two.md": entry("two").stamp, "three.md": entry("three").stamp}
    assert path.read_bytes() == before
    assert held(looked, "en:heron")["en:heron"].count == 1
    assert looked.note_count() == 2
    assert looked.problems() == [broken]
    looked.close()
    again = RecallIndex.open(path)
    assert again.entries() == [entry("three"), entry("two", "About herons")]
    again.close()


KILLED_WHILE_IT_WRITES = """
import os, signal, sys
from pathlib import Path
from oharness.core.clock import Millis
from oharness.disk.recall_index import RecallIndex
from oharness.notes.entry import FileStamp, NoteEntry

def notes():
    for number in range(2200):
        stamp = FileStamp(f"n{number}.md", 1, 1, number)
        note = (f"n{number}", f"About herons {number}", None, (), Millis(1), Millis(2), "h", 4, ())
        yield NoteEntry(stamp, *note), "text"
    sys.stdout.write("writing")
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)

RecallIndex.open(Path(sys.argv[1])).update(notes(), [], [])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing kills so on this system")
def test_a_process_killed_while_it_writes_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    index = RecallIndex.open(path)
    index.update([(entry("one", "About walruses"), "")], [], [])
    index.close()
    command = [sys.executable, "-c", KILLED_WHILE_IT_WRITES, str(path)]
    killed = subprocess.run(command, capture_output=True, check=False)
    assert killed.stdout == b"writing"
    assert killed.returncode == -signal.SIGKILL
    again = RecallIndex.open(path)
    assert again.entries() == [entry("one", "About walruses")]
    assert set(held(again, "en:heron", "en:walrus")) == {"en:walrus"}
    again.update([(entry("two", "About herons"), "")], [], [])
    assert again.note_count() == 2
    again.close()


def test_an_index_is_opened_without_loading_a_stemmer(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    RecallIndex.open(path).close()
    code = (
        "import sys; from pathlib import Path; from oharness.disk.recall_index import RecallIndex; "
        "index = RecallIndex.open(Path(sys.argv[1])); index.stamps(); index.entries(); print('Stemmer' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"
