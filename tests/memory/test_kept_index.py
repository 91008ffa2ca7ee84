"""The kept index may be damaged, deleted, of another version or in use by another process: nobody hears of it."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from oharness.core.scopes import ScopeKind
from oharness.disk.recall_index import RecallIndex
from oharness.memory.reading import search_notes
from oharness.memory.recall import explain_recall, recall_for_message
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.scopes import Memory
from oharness.recall.score import Source, candidates

pytestmark = pytest.mark.memory
World = Any
MESSAGE = "When do we deploy on Thursdays?"
WRITER = """
import sys
from pathlib import Path
from oharness.disk.recall_index import RecallIndex
from oharness.testing.note_store import entry_of
index = RecallIndex.open(Path(sys.argv[1]))
for number in range(60):
    notes = [(entry_of(f"n{at}", f"Herons at weir {number}"), f"round {number}") for at in range(20)]
    index.update(notes, [], [])
index.close()
"""


def recalled(memory: Memory) -> list[str]:
    found = recall_for_message(memory, MESSAGE)
    assert [notice.key for notice in found.notices] == []
    return [one.note.id for one in found.attached]


def index_files(world: World) -> list[Path]:
    return sorted((world.home / "memory-index").glob("*.sqlite"))


def spoil(path: Path, how: str) -> None:
    if how == "deleted":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "not a database":
        path.write_bytes(b"\x00not a database at all\xff" * 500)
    elif how == "torn":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    elif how == "zeroed inside":
        data = bytearray(path.read_bytes())
        data[4096:] = bytes(len(data) - 4096)
        path.write_bytes(data)
    elif how == "names that are no text":
        path.write_bytes(path.read_bytes().replace(b"CREATE TABLE meta", b"CREATE TAB\xbb\xff meta"))
    elif how == "zeroed among the words":
        with closing(sqlite3.connect(path)) as database:
            [(page,)] = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'word'")
            [(size,)] = database.execute("PRAGMA page_size")
        data = bytearray(path.read_bytes())
        data[(page - 1) * size : page * size] = bytes(size)
        path.write_bytes(data)
    elif how == "a value that is no text":
        with closing(sqlite3.connect(path)) as database:
            database.execute("UPDATE stamp SET name = CAST(x'6dff' AS TEXT)")
            database.commit()
    elif how == "a table that is gone":
        with closing(sqlite3.connect(path)) as database:
            database.execute("DROP TABLE word")
            database.commit()
    elif how == "values of other kinds":
        with closing(sqlite3.connect(path)) as database:
            database.execute("UPDATE note SET tags = 7, links = NULL")
            database.execute("UPDATE word SET every = NULL, notes = 'text'")
            database.commit()
    else:
        with closing(sqlite3.connect(path)) as database:
            database.execute("UPDATE meta SET value = 'of another version' WHERE key = 'version'")
            database.commit()


WAYS = (
    "deleted",
    "empty",
    "not a database",
    "torn",
    "zeroed inside",
    "zeroed among the words",
    "values of other kinds",
    "a value that is no text",
    "a table that is gone",
    "names that are no text",
    "another version",
)


@pytest.mark.parametrize("how", WAYS)
def test_a_spoilt_index_is_made_anew_without_a_word(world: World, how: str) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    world.open().close()
    for path in index_files(world):
        spoil(path, how)
    memory = world.open()
    assert recalled(memory) == ["deploys"]
    assert memory.warnings() == []
    memory.close()
    again = world.open()
    assert recalled(again) == ["deploys"]


@pytest.mark.parametrize("how", WAYS)
def test_reading_with_a_spoilt_index_answers(world: World, how: str) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    world.open().close()
    for path in index_files(world):
        spoil(path, how)
    assert recalled(world.read()) == ["deploys"]


def test_an_index_spoilt_while_it_is_open_is_made_anew(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    memory = world.open()
    assert recalled(memory) == ["deploys"]
    for path in index_files(world):
        spoil(path, "zeroed inside")
    world.put("other", summary="Herons fish at the weir")
    assert recalled(memory) == ["deploys"]


def test_damage_among_the_words_is_not_found_again_by_the_next_process(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    world.open().close()
    for path in index_files(world):
        spoil(path, "zeroed among the words")
    assert recalled(world.open()) == ["deploys"]
    memory = world.open()
    assert recalled(memory) == ["deploys"]
    for path in index_files(world):
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert memory.warnings() == []


def test_whoever_asks_for_words_hears_nothing_of_a_spoilt_index(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    for ask in (explain_words, find_words, write_words):
        world.open().close()
        for path in index_files(world):
            spoil(path, "zeroed among the words")
        assert ask(world.open()) == ["deploys"], ask


def test_an_entry_of_other_kinds_is_damage_before_anybody_uses_it(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    world.open().close()
    for path in index_files(world):
        with closing(sqlite3.connect(path)) as database:
            database.execute("UPDATE note SET updated_at = 'never', summary = 5")
            database.commit()
    service = world.open().service(ScopeKind.PROJECT)
    assert [(one.summary, type(one.updated_at)) for one in service.entries()] == [("We deploy on Thursdays", int)]


def explain_words(memory: Memory) -> list[str]:
    return [one.candidate.entry.id for one in explain_recall(memory, MESSAGE).verdicts]


def find_words(memory: Memory) -> list[str]:
    return [one.entry.id for one in search_notes(memory, "deploy")]


def write_words(memory: Memory) -> list[str]:
    return [one.entry.id for one in remember(memory, RememberRequest(summary="Deploys on Thursdays")).related]


def test_while_another_process_writes_every_look_is_of_one_state(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    index = RecallIndex.open(path)
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) as writer:
        looks = 0
        while writer.poll() is None or looks == 0:
            with index.reading():
                found = candidates("herons at the weir", [Source(ScopeKind.PROJECT, index, {})])
            rounds = {one.entry.summary for one in found}
            assert len(found) in (0, 20)
            assert len(rounds) <= 1
            looks += 1
        assert writer.returncode == 0
    with index.reading():
        found = candidates("herons at the weir", [Source(ScopeKind.PROJECT, index, {})])
    assert {one.entry.summary for one in found} == {"Herons at weir 59"}
    index.close()
    assert looks > 1


def test_an_index_that_fills_the_disk_gives_its_room_back_and_recall_goes_on(world: World) -> None:
    memory = world.open()
    service = memory.service(ScopeKind.PROJECT)
    path = service._index._path
    assert path is not None
    service._index._database.execute("PRAGMA max_page_count = 12")  # what a full disk answers
    world.put("deploys", summary="We deploy on Thursdays")
    for number in range(60):
        world.put(
            f"long-{number}", summary=f"Herons at weir {number}", body=" ".join(f"w{number}x{n}" for n in range(99))
        )
    assert recalled(memory) == ["deploys"]
    assert not list(path.parent.glob(f"{path.name}*"))
    assert [one.key for one in memory.warnings()] == ["index-not-kept"]
    memory.close()
    assert recalled(world.open()) == ["deploys"]
    assert path.exists(), "there is room again"


def test_an_index_folder_that_may_not_be_looked_into_counts_as_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.put("deploys", summary="We deploy on Thursdays")
    world.open().close()

    def is_file(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", is_file)
    index = RecallIndex.open_existing(index_files(world)[0])
    assert index.note_count() == 0
    index.close()
