import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oharness.core.scopes import ScopeKind
from oharness.disk.project import OutsideProject
from oharness.memory.reading import check, index_of, list_notes, search_notes, show_note
from oharness.memory.remember import Remembered
from oharness.memory.service import NoteNotFound
from oharness.notes.frontmatter import note_text
from oharness.notes.note import Note
from oharness.notes.problems import NotANote
from oharness.testing.faults import FaultyFileSystem, read_only_below

pytestmark = pytest.mark.memory
World = Any
Write = Callable[..., Remembered]


def reads(files: FaultyFileSystem) -> list[str]:
    return [path.name for operation, path in files.operations if operation == "read" and path.suffix == ".md"]


def everything_below(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*"))


def test_only_changed_files_are_read_again(world: World) -> None:
    for name in ("a", "b", "c"):
        world.put(name)
    world.open()
    files = FaultyFileSystem()
    memory = world.open(files)
    assert reads(files) == []
    assert [entry.id for entry in memory.project.entries()] == ["a", "b", "c"]
    world.put("b", summary="Changed now")
    (world.notes / "c.md").unlink()
    world.put("d")
    memory.refresh()
    assert sorted(reads(files)) == ["b.md", "d.md"]
    assert [entry.summary for entry in memory.project.entries()] == ["About a", "Changed now", "About d"]


def test_opening_five_thousand_unchanged_notes_reads_none_of_them(world: World) -> None:
    for number in range(5000):
        world.put(f"note-{number}", f'---\n{{"id":"note-{number}","summary":"Short {number}"}}\n---\n')
    world.open()
    files = FaultyFileSystem()
    memory = world.open(files)
    assert reads(files) == []
    assert len(memory.project.entries()) == 5000


def test_a_note_edited_in_the_instant_it_was_written_is_seen(world: World, write: Write) -> None:
    memory = world.open()
    done = write(memory, "Abcdef", id="a")
    looks = done.path.stat()
    with done.path.open("r+b") as file:
        file.write(done.path.read_bytes().replace(b"Abcdef", b"Fedcba"))
    os.utime(done.path, ns=(looks.st_atime_ns, looks.st_mtime_ns))
    memory.refresh()
    assert [entry.summary for entry in memory.project.entries()] == ["Fedcba"]
    reopened = world.open()
    assert [entry.summary for entry in reopened.project.entries()] == ["Fedcba"]


def test_reading_creates_no_file_and_no_folder(world: World) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    world.put("a")
    before = everything_below(world.root)
    memory = world.read()
    assert [note.entry.id for note in list_notes(memory).notes] == ["a"]
    show_note(memory, "a")
    search_notes(memory, "about")
    index_of(memory)
    check(memory)
    assert everything_below(world.root) == before
    assert not world.home.exists()


def test_reading_uses_the_index_that_writing_left(world: World) -> None:
    world.put("a")
    world.open()
    before = everything_below(world.root, world.home)
    files = FaultyFileSystem()
    assert [entry.id for entry in world.read(files=files).project.entries()] == ["a"]
    assert reads(files) == []
    assert everything_below(world.root, world.home) == before


def test_a_list_of_changed_notes_leaves_the_index_to_who_needs_words(world: World) -> None:
    world.put("a")
    world.open().close()
    world.put("b", summary="About herons")
    before = everything_below(world.home)
    memory = world.read()
    assert {note.entry.id for note in list_notes(memory).notes} == {"a", "b"}
    show_note(memory, "b")
    index_of(memory)
    assert everything_below(world.home) == before
    assert [one.entry.id for one in search_notes(memory, "herons")] == ["b"]


def test_outside_any_project_the_user_s_notes_are_read(world: World, tmp_path: Path) -> None:
    world.put("tea", folder=world.home / "memory/user")
    (tmp_path / "elsewhere").mkdir()
    memory = world.read(tmp_path / "elsewhere")
    assert memory.project is None
    assert [note.entry.id for note in list_notes(memory).notes] == ["tea"]
    assert list_notes(memory, ScopeKind.PROJECT).notes == ()


def test_bad_files_are_reported_and_hide_nothing(world: World, tmp_path: Path) -> None:
    world.put("good")
    kept = {
        "bad.md": b"no frontmatter",
        "zero.md": b"",
        "nul.md": b"---\n\0",
        "latin.md": b"---\n\xff\n---\n",
        "json.md": b'---\n{"id":"json",}\n---\n',
        "other.md": b'---\n{"id":"another","summary":"S"}\n---\n',
        "up.md": b'---\n{"id":"../../x","summary":"S"}\n---\n',
        "large.md": b'---\n{"id":"large","summary":"S"}\n---\n' + b"x" * 1001,
    }
    for name, data in kept.items():
        (world.notes / name).write_bytes(data)
    (world.notes / "leak.md").symlink_to("/etc/hostname")
    memory = world.read(max_note_bytes=1000)
    listing = list_notes(memory)
    assert [note.entry.id for note in listing.notes] == ["good"]
    assert {problem.path.name: problem.reason for problem in listing.problems} == {
        "bad.md": "no-frontmatter",
        "zero.md": "empty",
        "nul.md": "nul-bytes",
        "latin.md": "not-utf8",
        "json.md": "broken-json",
        "other.md": "id-not-file-name",
        "up.md": "id-invalid",
        "large.md": "too-large",
        "leak.md": "symbolic-link",
    }
    world.open(max_note_bytes=1000).refresh()
    assert {name: (world.notes / name).read_bytes() for name in kept} == kept


def test_a_mended_file_is_a_note_again_and_a_broken_one_no_longer(world: World) -> None:
    world.put("a", "broken")
    world.put("b")
    memory = world.open()
    assert [problem.path.name for problem in check(memory)] == ["a.md"]
    world.put("a")
    world.put("b", "broken now")
    memory.refresh()
    assert [entry.id for entry in memory.project.entries()] == ["a"]
    assert [problem.path.name for problem in check(memory)] == ["b.md"]
    (world.notes / "b.md").unlink()
    memory.refresh()
    assert check(memory) == []


def test_the_size_limit_decides_anew_what_is_a_note(world: World) -> None:
    world.put("a", body="x" * 2000)
    assert [entry.id for entry in world.open().project.entries()] == ["a"]
    assert [problem.reason for problem in world.open(max_note_bytes=1000).project.problems()] == ["too-large"]
    assert [entry.id for entry in world.open().project.entries()] == ["a"]


def test_past_max_notes_the_least_recently_modified_are_left_out_and_counted(world: World) -> None:
    for age, name in enumerate(("newest", "middle", "oldest")):
        path = world.put(name)
        os.utime(path, (1_788_000_000 - age, 1_788_000_000 - age))
    memory = world.open(max_notes=2)
    assert [entry.id for entry in memory.project.entries()] == ["middle", "newest"]
    [warning] = memory.warnings()
    assert (warning.key, dict(warning.fields)) == ("notes-not-loaded", {"scope": "project", "count": 1, "limit": 2})
    assert memory.project.get("oldest").summary == "About oldest"
    assert world.open().warnings() == []


def test_one_note_is_read_from_its_file(world: World) -> None:
    path = world.put("a", body="one")
    memory = world.open()
    path.write_text(note_text(Note("a", "S", "two")))
    assert memory.project.get("a").body == "two"
    with pytest.raises(NoteNotFound):
        memory.project.get("A")
    path.write_text("broken")
    with pytest.raises(NotANote):
        memory.project.get("a")


def test_a_note_is_shown_with_its_links_both_ways(world: World) -> None:
    world.put("a", body="See [[b]] and [[gone]].")
    world.put("b", body="Back to [[a]], and [[tea]].")
    world.put("tea", body="[[a]]", folder=world.home / "memory/user")
    memory = world.read()
    shown = show_note(memory, "a")
    assert shown.entry.links == ("b", "gone")
    assert shown.linked_from == ((ScopeKind.PROJECT, "b"), (ScopeKind.USER, "tea"))
    assert show_note(memory, "tea").linked_from == ((ScopeKind.PROJECT, "b"),)


def test_links_mean_the_project_s_note_before_the_user_s(world: World) -> None:
    world.put("both")
    world.put("both", folder=world.home / "memory/user")
    world.put("a", body="[[both]]", folder=world.home / "memory/user")
    memory = world.read()
    assert show_note(memory, "both", ScopeKind.PROJECT).linked_from == ((ScopeKind.USER, "a"),)
    assert show_note(memory, "both", ScopeKind.USER).linked_from == ()


def test_worktrees_keep_notes_of_their_own_under_one_id(world: World, tmp_path: Path, write: Write) -> None:
    author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for arguments in (
        ["init", "-q"],
        [*author, "commit", "-q", "--allow-empty", "-m", "one"],
        ["worktree", "add", "-q", "../wt", "-b", "b"],
    ):
        subprocess.run(["git", "-C", str(world.root), *arguments], check=True)
    main, worktree = world.open(), world.open(root=tmp_path / "wt")
    done = write(worktree, "Written in the worktree")
    assert done.path.parent == tmp_path / "wt/MEMORY"
    assert worktree.project.scope == main.project.scope
    main.refresh()
    assert main.project.entries() == []
    assert [note.entry.id for note in list_notes(world.read(tmp_path / "wt")).notes] == [done.id]


def test_a_renamed_project_keeps_its_recall_counts(world: World, tmp_path: Path) -> None:
    world.put("a")
    world.open().project.usage.count_recalls(["a"])
    world.root.rename(tmp_path / "store")
    assert world.open(root=tmp_path / "store").project.uses() == {"a": 1}


def test_a_project_opened_through_a_link_is_the_same(world: World, tmp_path: Path, write: Write) -> None:
    (tmp_path / "link").symlink_to(world.root)
    done = write(world.open(root=tmp_path / "link"), "Written through the link")
    assert done.path.parent == world.notes
    assert [note.entry.id for note in list_notes(world.read(tmp_path / "link")).notes] == [done.id]


def test_a_memory_folder_that_leads_outside_is_refused(world: World, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    world.notes.symlink_to(tmp_path / "outside")
    with pytest.raises(OutsideProject):
        world.open()
    with pytest.raises(OutsideProject):
        world.read()


def test_a_configured_folder_takes_the_place_of_memory(world: World, write: Write) -> None:
    memory = world.open(dir="docs/notes")
    assert write(memory).path.parent == world.root / "docs/notes"


def test_a_home_that_cannot_be_written_is_read(world: World) -> None:
    world.put("tea", folder=world.home / "memory/user")
    world.put("a")
    files = FaultyFileSystem(read_only_below(world.home))
    assert [note.entry.id for note in list_notes(world.read(files=files)).notes] == ["a", "tea"]


def test_everything_made_under_the_home_is_private(world: World, write: Write) -> None:
    memory = world.open()
    write(memory, id="a")
    write(memory, "Changed", id="a")
    write(memory, scope=ScopeKind.USER)
    memory.project.usage.count_recalls(["a"])
    made = [world.home, *(path for path in world.home.rglob("*") if path.is_dir())]
    assert {path.stat().st_mode & 0o077 for path in made} == {0}


def test_an_index_that_is_destroyed_while_open_is_made_anew(world: World, write: Write) -> None:
    world.put("a")
    memory = world.open()
    for path in (world.home / "memory-index").iterdir():
        path.write_bytes(b"not a database at all" * 500)
    write(memory, id="b")
    memory.refresh()
    assert [entry.id for entry in memory.project.entries()] == ["a", "b"]
    assert [entry.id for entry in world.open().project.entries()] == ["a", "b"]


def test_a_search_takes_any_text_and_finds_words_of_the_body(world: World) -> None:
    world.put("a", body="The word is zyxwordle.")
    memory = world.read()
    assert [one.entry.id for one in search_notes(memory, "zyxwordle")] == ["a"]
    for text in ('don\'t pre-edit C++ GB/s "x" a:b (c) ^d* OR NOT', "", "   ", "\0"):
        search_notes(memory, text)
    assert search_notes(memory, "zyxwordle", scope=ScopeKind.USER) == []


def test_the_index_shows_no_line_with_a_credential(world: World) -> None:
    world.put("fine", summary="Prices are in cents")
    world.put("leak", summary="the password is Tr0ub4dor&3")
    text = index_of(world.read()).text
    assert "fine" in text
    assert "Tr0ub4dor" not in text
