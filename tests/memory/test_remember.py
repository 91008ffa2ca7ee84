import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oharness.core.errors import StorageFailed
from oharness.core.scopes import ScopeKind
from oharness.disk.backups import BackupFailed
from oharness.disk.home import Home
from oharness.memory.credential_gate import CredentialFound
from oharness.memory.remember import Remembered, RememberRequest, remember
from oharness.memory.scopes import NoProjectHere, UserNotesUnavailable
from oharness.notes.frontmatter import note_text, parse_note
from oharness.notes.ids import BadNoteId, IdCaseCollision, ReservedNoteId
from oharness.notes.limits import NoteTooLarge, TooManyNotes
from oharness.notes.note import Note
from oharness.notes.problems import NotANote
from oharness.notes.valid import SummaryMissing, SummaryTooLong, UnknownNoteType
from oharness.testing.faults import FaultyFileSystem, full_disk_below, read_only_below

pytestmark = pytest.mark.memory
World = Any
Write = Callable[..., Remembered]


def on_disk(path: Path) -> Note:
    return parse_note(path.read_bytes(), path.name)


def test_a_new_note_becomes_one_file_with_its_frontmatter(world: World, write: Write) -> None:
    memory = world.open()
    done = write(memory, "Prices are in cents", body="Since May.\n", type="project", tags="money, API  money")
    assert done.created
    assert done.scope is ScopeKind.PROJECT
    assert done.path == world.notes / f"{done.id}.md"
    assert done.id.startswith("prices-are-in-cents-")
    now = world.clock.now_ms()
    expected = Note(done.id, "Prices are in cents", "Since May.", "project", ("money", "API"), now, now)
    assert done.path.read_text() == note_text(expected)
    assert [entry.id for entry in memory.project.entries()] == [done.id]


def test_only_user_notes_go_to_the_user_scope_by_default(world: World) -> None:
    memory = world.open()
    for note_type, scope in (("user", "user"), ("feedback", "project"), ("reference", "project"), (None, "project")):
        done = remember(memory, RememberRequest(summary=f"A {note_type} note", type=note_type))
        assert done.scope == scope
    on_purpose = remember(memory, RememberRequest(summary="Short answers", type="feedback", scope=ScopeKind.USER))
    assert on_purpose.path.parent == world.home / "memory/user"
    assert on_purpose.path.stat().st_mode & 0o777 == 0o600


def test_an_update_keeps_what_is_not_given_and_backs_up_the_version_it_replaces(world: World, write: Write) -> None:
    path = world.put("prices", body="In cents.", type="x-later", tags=("money",), extra={"color": "red"})
    before = path.read_bytes()
    memory = world.open()
    done = write(memory, None, id="prices", body="In euro.", scope=None)
    after = on_disk(path)
    assert not done.created
    assert after == Note(
        "prices",
        "About prices",
        "In euro.",
        "x-later",
        ("money",),
        on_disk(path).created_at,
        world.clock.now_ms(),
        {"color": "red"},
    )
    assert after.created_at == 1_788_000_000_000
    [backup] = memory.backups.latest()
    assert (backup.name, backup.data, backup.reason) == (done.backup, before, "update")


def test_unchanged_content_writes_nothing(world: World, write: Write) -> None:
    memory = world.open()
    first = write(memory, body="Same.", tags="a b", type="project")
    stamp = first.path.stat().st_mtime_ns
    world.clock.advance(60)
    again = write(memory, body="Same.\r\n\n", tags=["b", "a"], id=first.id)
    assert not again.changed
    assert first.path.stat().st_mtime_ns == stamp
    assert memory.backups.latest() == []


def test_an_id_that_is_not_there_creates_that_note(world: World, write: Write) -> None:
    assert write(world.open(), id="my-own-id").path == world.notes / "my-own-id.md"


def test_an_update_finds_the_note_in_the_other_scope(world: World, write: Write) -> None:
    world.put("habits", folder=world.home / "memory/user")
    memory = world.open()
    assert write(memory, "New", id="habits", type="feedback", scope=None).scope is ScopeKind.USER
    both = write(memory, "In the project", id="habits", scope=ScopeKind.PROJECT)
    assert both.created
    assert write(memory, "Project first", id="habits", scope=None).scope is ScopeKind.PROJECT


def test_a_summary_becomes_one_line(world: World, write: Write) -> None:
    done = write(world.open(), ' Re: "quotes" \\ back, tab\there,\nline\u2028break ')
    assert on_disk(done.path).summary == 'Re: "quotes" \\ back, tab here, line break'


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"summary": " \n "}, SummaryMissing),
        ({"summary": None}, SummaryMissing),
        ({"summary": "x" * 301}, SummaryTooLong),
        ({"body": "ä" * 65_537}, NoteTooLarge),
        ({"type": "gossip"}, UnknownNoteType),
        ({"id": "../../x"}, BadNoteId),
        ({"id": "con"}, ReservedNoteId),
        ({"id": "a:b"}, BadNoteId),
        ({"id": "end."}, BadNoteId),
        ({"id": "prices"}, IdCaseCollision),
    ],
)
def test_what_is_refused_writes_nothing(
    world: World, write: Write, fields: dict[str, Any], error: type[Exception]
) -> None:
    world.put("Prices")
    memory = world.open()
    with pytest.raises(error):
        write(memory, **fields)
    assert [path.name for path in world.notes.iterdir()] == ["Prices.md"]


def test_long_and_wordless_summaries_get_names_that_fit_and_differ(world: World, write: Write) -> None:
    memory = world.open()
    names = {write(memory, summary).path.name for summary in ("word " * 50 + "a", "word " * 50 + "b", "人" * 120)}
    assert len(names) == 3
    assert all(len(name.encode()) < 60 for name in names)


def test_past_the_limit_new_notes_are_refused_and_updates_are_not(world: World, write: Write) -> None:
    for number in range(3):
        world.put(f"n-{number}")
    memory = world.open(max_notes=3)
    with pytest.raises(TooManyNotes):
        write(memory, "One more")
    assert write(memory, "Changed", id="n-1").changed
    assert write(memory, "Another scope", scope=ScopeKind.USER).created


def test_a_damaged_file_is_neither_updated_nor_replaced(world: World, write: Write) -> None:
    path = world.put("broken", "---\n{not json\n---\n")
    memory = world.open()
    with pytest.raises(NotANote):
        write(memory, "New text", id="broken")
    assert path.read_text() == "---\n{not json\n---\n"


def test_a_file_emptied_behind_our_back_is_not_written_over(world: World, write: Write) -> None:
    memory = world.open()
    done = write(memory, id="a")
    done.path.write_bytes(b"")
    with pytest.raises(NotANote):
        write(memory, "New text", id="a")
    assert done.path.read_bytes() == b""


def test_an_edit_by_hand_is_what_the_next_update_starts_from(world: World, write: Write) -> None:
    memory = world.open()
    done = write(memory, id="a", body="first", tags="one")
    done.path.write_text(note_text(Note("a", "By hand", "first", tags=("two",))))
    write(memory, None, id="a", body="second")
    assert (on_disk(done.path).summary, on_disk(done.path).tags) == ("By hand", ("two",))
    assert b"By hand" in memory.backups.latest()[0].data


def test_an_edit_between_look_and_write_is_not_lost(world: World, write: Write) -> None:
    path = world.put("a", body="line one")
    edits = ["edited by hand"]

    class EditedAtTheWorstMoment(FaultyFileSystem):
        def flush_file(self, flushed: Path) -> None:
            super().flush_file(flushed)
            if flushed.parent == world.notes and edits:
                path.write_text(note_text(Note("a", edits.pop(), "line one")))

    memory = world.open(EditedAtTheWorstMoment())
    write(memory, None, id="a", body="line two")
    assert (on_disk(path).summary, on_disk(path).body) == ("edited by hand", "line two")


def test_related_notes_a_likely_duplicate_and_missing_links_are_told(world: World, write: Write) -> None:
    memory = world.open()
    first = write(memory, "Pricing cards use fills, not borders", tags="design")
    write(memory, "Deploys happen on Thursdays")
    write(memory, "Reads poems", scope=ScopeKind.USER, id="poems")
    done = write(memory, "Pricing cards use fills and not borders", tags="design", body="[[poems]] [[gone]] `[[x]]`")
    assert [one.entry.id for one in done.related] == [first.id]
    assert done.duplicate_of is not None
    assert done.duplicate_of.entry.id == first.id
    assert done.missing_links == ("gone",)


def test_outside_a_project_only_the_user_scope_takes_notes(world: World) -> None:
    memory = world.open_outside()
    assert remember(memory, RememberRequest(summary="Likes tea", type="user")).scope is ScopeKind.USER
    with pytest.raises(NoProjectHere):
        remember(memory, RememberRequest(summary="A decision"))


def test_the_first_note_in_a_repository_says_how_to_keep_notes_out_of_it(world: World, write: Write) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    memory = world.open()
    [notice] = write(memory, "First").notices
    assert (notice.key, notice.fields) == ("notes-in-repository", {"folder": str(world.notes), "line": "/MEMORY/"})
    assert write(memory, "Second").notices == ()
    assert write(memory, "First of the user", scope=ScopeKind.USER).notices == ()


def test_notes_that_the_repository_ignores_need_no_notice(world: World, write: Write) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    (world.root / ".gitignore").write_text("/MEMORY/\n")
    assert write(world.open(), "First").notices == ()


def test_twenty_threads_updating_one_note_lose_no_version(world: World, write: Write) -> None:
    memory = world.open()
    write(memory, id="a", body="start")
    threads = [
        threading.Thread(target=write, args=(memory,), kwargs={"id": "a", "body": f"text {number}"})
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = {parse_note(backup.data, "a.md").body for backup in memory.backups.latest()}
    texts.add(on_disk(world.notes / "a.md").body)
    assert texts == {"start", *(f"text {number}" for number in range(20))}
    assert [path.name for path in world.notes.iterdir()] == ["a.md"]


def test_a_full_disk_keeps_the_old_version(world: World, write: Write) -> None:
    path = world.put("a", body="old")
    memory = world.open(FaultyFileSystem(full_disk_below(world.notes)))
    with pytest.raises(StorageFailed):
        write(memory, "New", id="a")
    with pytest.raises(StorageFailed):
        write(memory, "Another")
    assert on_disk(path).body == "old"
    assert [name.name for name in world.notes.iterdir()] == ["a.md"]


def test_a_home_that_cannot_be_written_leaves_new_project_notes_and_refuses_what_needs_a_backup(
    world: World, write: Write
) -> None:
    path = world.put("a", body="old")
    memory = world.open(FaultyFileSystem(read_only_below(world.home)))
    assert [warning.key for warning in memory.warnings()] == ["user-notes-unavailable"]
    assert write(memory, "A new note").created
    with pytest.raises(BackupFailed):
        write(memory, "Changed", id="a")
    assert on_disk(path).body == "old"
    with pytest.raises(UserNotesUnavailable):
        write(memory, "Of the user", scope=ScopeKind.USER)


def test_a_broken_list_of_projects_is_told_of_with_its_place_and_left_as_it_is(world: World, write: Write) -> None:
    path = world.home / "projects.json"
    world.home.mkdir()
    path.write_text('{\n "projects": oops}')
    memory = world.open()
    (told,) = memory.warnings()
    assert told.key == "project-not-enrolled"
    assert told.fields == {"path": str(path), "reason": "not-json", "line": 2, "column": 14}
    assert write(memory, "A new note").created
    assert path.read_text() == '{\n "projects": oops}'


def test_a_home_that_is_a_file_leaves_project_notes_too(world: World, write: Write) -> None:
    world.home.write_text("not a folder")
    memory = world.open()
    assert write(memory, "A new note").created
    assert [warning.key for warning in memory.warnings()] == ["user-notes-unavailable"]
    assert Home(world.home).root.read_text() == "not a folder"


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        ("summary", {"summary": "The token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}),
        ("body", {"body": "first\nconnect to postgres://u:hunter2@db/x"}),
        ("body", {"body": "the password is Tr0ub4dor&3"}),
        ("tags", {"tags": "key ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}),
        ("id", {"id": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}),
    ],
)
def test_a_credential_is_refused_in_every_part_and_its_value_is_never_repeated(
    world: World, write: Write, part: str, fields: dict[str, Any]
) -> None:
    memory = world.open()
    with pytest.raises(CredentialFound) as caught:
        write(memory, **fields)
    assert caught.value.part == part
    assert "hunter2" not in str(caught.value)
    assert "a1B2c3" not in str(caught.value)
    assert list(world.notes.iterdir()) == []


def test_the_line_of_a_credential_is_told(world: World, write: Write) -> None:
    with pytest.raises(CredentialFound) as caught:
        write(world.open(), body="one\ntwo\nconnect to postgres://u:hunter2@db/x")
    assert (caught.value.line, caught.value.kind) == (3, "password-in-url")


def test_an_update_does_not_carry_on_a_credential_of_another_program_s_key(world: World, write: Write) -> None:
    world.put("a", extra={"AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMIK7MDENGbPxRfiCYzXq9LkT4vB2n"})
    with pytest.raises(CredentialFound) as caught:
        write(world.open(), "New", id="a")
    assert caught.value.part == "extra"
