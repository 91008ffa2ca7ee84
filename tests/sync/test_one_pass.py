"""One pass brings a directory and its cloud scope together, whatever happened on both sides."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from oharness.disk.filesystem import FileRead, FileSystem
from oharness.notes.frontmatter import note_text
from oharness.notes.note import Note
from oharness.testing.devices import Device, settle_all
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync
Machine = Callable[[str], Device]
LONG_AGO_NS = 1_789_000_000_000_000_000


async def test_a_note_written_here_is_there_after_a_pass_on_each_machine(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "hello")
    up = await a.sync()
    down = await b.sync()
    assert (up.pushed, down.added) == (["n"], ["n"])
    assert b.bodies() == {"n": "hello"}
    assert b.path("n").read_bytes() == a.path("n").read_bytes()


async def test_a_pass_that_changes_nothing_is_one_request_and_opens_no_file(device: Machine) -> None:
    a = device("a")
    for number in range(30):
        a.write(f"n-{number}")
        os.utime(a.path(f"n-{number}"), ns=(LONG_AGO_NS, LONG_AGO_NS))  # not just now: such files are read twice
    await a.sync()
    await a.sync()
    report = await a.sync()
    assert report.changed_nothing
    assert (report.requests, report.files_opened) == (1, 0)


class _CountsReading(FileSystem):
    def __init__(self) -> None:
        self.read_names: list[str] = []

    def read_plain(self, path: Path, limit: int) -> FileRead:
        self.read_names.append(path.name)
        return super().read_plain(path, limit)


class _SavesMeanwhile(FileSystem):
    """Another program saves a note when ours has written its own under other names."""

    def write_all_new(self, folder: Path, files: Sequence[tuple[str, bytes]], mode: int) -> None:
        super().write_all_new(folder, files, mode)
        if len(files) > 100:
            (folder / "n-7.md").write_bytes(note_text(Note("n-7", "S", "theirs")).encode())


async def test_what_somebody_saves_while_hundreds_come_down_stays_and_is_not_taken_for_in_sync(
    tmp_path: Path, server: SyncServer
) -> None:
    a, b = Device(tmp_path / "a", server), Device(tmp_path / "b", server, files=_SavesMeanwhile())
    for number in range(300):
        a.write(f"n-{number}", f"text {number}")
    await a.sync()
    report = await b.sync()
    assert (len(report.added), report.held_back) == (299, {"n-7": "changed"})
    assert b.bodies() == {f"n-{number}": f"text {number}" for number in range(300)} | {"n-7": "theirs"}
    report = await b.sync()
    assert (report.conflicts, report.added, report.changed, report.pushed) == (["n-7"], [], [], [])
    a.write("n-8", "edited")
    await a.sync()
    assert (await b.sync()).changed == ["n-8"]


async def test_a_note_that_goes_up_is_read_once(tmp_path: Path, server: SyncServer) -> None:
    files = _CountsReading()
    a = Device(tmp_path / "a", server, files=files)
    for number in range(5):
        a.write(f"n-{number}")
    files.read_names.clear()
    report = await a.sync()
    assert len(report.pushed) == 5
    assert sorted(files.read_names) == [f"n-{number}.md" for number in range(5)]


async def test_an_edit_goes_up_and_comes_down_with_a_backup_of_what_it_replaced(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    await settle_all(a, b)
    a.write("n", "two")
    await a.sync()
    report = await b.sync()
    assert report.changed == ["n"]
    assert b.bodies() == {"n": "two"}
    assert b.backed_up("n") == ["one"]


async def test_edits_apart_are_merged_and_both_versions_are_backed_up(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one\ntwo\nthree")
    await settle_all(a, b)
    a.write("n", "ONE\ntwo\nthree")
    b.write("n", "one\ntwo\nTHREE")
    await a.sync()
    report = await b.sync()
    assert (report.merged, report.pushed) == (["n"], ["n"])
    await a.sync()
    assert a.bodies() == b.bodies() == {"n": "ONE\ntwo\nTHREE"}
    assert set(b.backed_up("n")) == {"ONE\ntwo\nthree", "one\ntwo\nTHREE"}


async def test_edits_of_one_line_are_a_conflict_that_holds_back_only_its_note(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    await settle_all(a, b)
    a.write("n", "A's")
    b.write("n", "B's")
    b.write("other", "goes up")
    await a.sync()
    report = await b.sync()
    assert (report.conflicts, report.pushed) == (["n"], ["other"])
    assert (a.bodies()["n"], b.bodies()["n"]) == ("A's", "B's")
    assert set(b.backed_up("n")) == {"A's", "B's"}
    conflict = b.conflicts()["n"]
    assert conflict.base is not None
    assert conflict.cloud is not None
    assert (conflict.base.body, conflict.mine.body, conflict.cloud.note.body) == ("one", "B's", "A's")


async def test_an_open_conflict_is_quiet_until_a_side_moves(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    await settle_all(a, b)
    a.write("n", "A's")
    b.write("n", "B's")
    await a.sync()
    await b.sync()
    backups = len(b.backed_up("n"))
    for _ in range(3):
        report = await b.sync()
        assert report.conflicts == ["n"]
    assert len(b.backed_up("n")) == backups
    b.write("n", "A's")
    assert (await b.sync()).conflicts == []
    assert b.conflicts() == {}


async def test_a_note_forgotten_here_is_deleted_there_with_a_backup(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    a.write("kept")
    await settle_all(a, b)
    a.forget("n")
    up = await a.sync()
    down = await b.sync()
    assert (up.deleted, down.removed) == (["n"], ["n"])
    assert list(b.bodies()) == ["kept"]
    assert b.backed_up("n") == ["one"]
    assert a.directory.intents.all() == []


@pytest.mark.parametrize("deleter_first", [True, False])
async def test_an_edit_beats_a_deletion_whoever_syncs_first(device: Machine, deleter_first: bool) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    await settle_all(a, b)
    a.forget("n")
    b.write("n", "edited")
    await settle_all(*((a, b) if deleter_first else (b, a)))
    assert a.bodies() == b.bodies() == {"n": "edited"}


async def test_a_first_sync_of_two_full_folders_is_a_union(device: Machine) -> None:
    a, b = device("a"), device("b")
    for note_id in ("x", "y", "only-a"):
        a.write(note_id, "same")
    for note_id in ("x", "y", "only-b"):
        b.write(note_id, "same")
    await settle_all(a, b)
    assert a.bodies() == b.bodies()
    assert sorted(a.bodies()) == ["only-a", "only-b", "x", "y"]


async def test_many_notes_go_up_in_parts_that_the_service_announced(device: Machine) -> None:
    a, b = device("a"), device("b")
    for number in range(1101):
        a.write(f"n-{number}", f"text {number}")
    told: list[tuple[int, int]] = []
    report = await a.sync(lambda done, total: told.append((done, total)))
    assert len(report.pushed) == 1101
    assert report.requests == 1 + 3
    assert told == [(0, 1101), (500, 1101), (1000, 1101), (1101, 1101)]
    told.clear()
    await b.sync(lambda done, total: told.append((done, total)))
    assert b.bodies() == a.bodies()
    assert (told[0], told[-1]) == ((0, 1101), (1101, 1101))


async def test_a_zero_byte_file_is_fetched_again_and_never_uploaded(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    a.write("m", "two")
    await settle_all(a, b)
    a.path("n").write_bytes(b"")
    a.path("m").write_bytes(b"\0" * 40)
    report = await a.sync()
    assert sorted(report.changed) == ["m", "n"]
    assert a.bodies() == {"n": "one", "m": "two"}
    assert (await b.sync()).changed_nothing


async def test_a_file_that_no_longer_parses_stays_and_is_no_deletion(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    a.write("m", "two")
    await settle_all(a, b)
    a.path("n").write_text("no frontmatter any more")
    for _ in range(3):
        report = await a.sync()
    assert report.held_back == {"n": "unreadable"}
    assert a.path("n").read_text() == "no frontmatter any more"
    await b.sync()
    assert b.bodies() == {"n": "one", "m": "two"}


async def test_forgetting_everywhere_removes_the_bodies_from_the_cloud_too(device: Machine) -> None:
    a, b = device("a"), device("b")
    a.write("n", "a secret")
    a.write("kept")
    await settle_all(a, b)
    a.write("n", "a secret, edited")
    await a.sync()
    a.forget("n", everywhere=True)
    await a.sync()
    keys = [listed.key async for listed in a.server.store.list_under("")]
    assert any("/kept/" in key for key in keys)
    assert not any("/n/" in key for key in keys)
    await b.sync()
    assert list(b.bodies()) == ["kept"]
    assert (await a.sync()).changed_nothing


async def test_a_note_brought_back_on_purpose_is_no_old_copy(device: Machine) -> None:
    a, b = device("a"), device("b")
    note = a.write("n", "one")
    a.write("kept")
    await settle_all(a, b)
    a.forget("n")
    await settle_all(a, b)
    a.restore(note)
    await settle_all(a, b)
    assert a.bodies() == b.bodies() == {"n": "one", "kept": "text"}
    assert a.directory.marks.all() == {}


async def test_two_passes_over_one_directory_take_turns(device: Machine) -> None:
    import asyncio

    a = device("a")
    for number in range(20):
        a.write(f"n-{number}")
    one, other = await asyncio.gather(a.sync(), a.sync())
    assert sorted(one.pushed + other.pushed) == sorted(a.bodies())


async def test_a_cancelled_pass_leaves_a_directory_that_the_next_one_finishes(device: Machine) -> None:
    import asyncio

    a, b = device("a"), device("b")
    for number in range(300):
        a.write(f"n-{number:03}")
    for patience in (0.0, 0.005, 0.02, 0.05, 0.1):
        running = asyncio.ensure_future(a.sync())
        await asyncio.wait([running], timeout=patience)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    await a.settle()
    await b.sync()
    assert b.bodies() == a.bodies()
    assert len(b.bodies()) == 300
