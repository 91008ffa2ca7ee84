"""What sync keeps of a directory survives, and a damaged file of it costs work and never a note."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.core.scopes import project_scope
from oharness.disk.filesystem import FileSystem
from oharness.disk.home import Home
from oharness.disk.outbox import Outbox
from oharness.disk.sync_copies import MOST_PACKS, SyncCopies
from oharness.disk.sync_shapes import NO_PULL, Guard, KnownFile, LastPull, Progress
from oharness.disk.sync_state import StateFromNewerVersion, SyncBusy, SyncState
from oharness.notes.entry import FileStamp
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.notes.problems import ProblemReason
from oharness.reconcile.baseline import (
    NOT_IN_CLOUD,
    NOTHING_AGREED,
    PURGED_FROM_CLOUD,
    AgreedBeforeReset,
    AgreedOn,
    Baseline,
    DeletedInCloud,
    Entry,
    InCloud,
    Version,
    with_entries,
)
from oharness.reconcile.conflict import CloudVersion, Conflict
from oharness.reconcile.guards import Choice, Confirmed, FolderHistory, Paused, PauseReason
from oharness.reconcile.merge_note import ConflictReason
from oharness.reconcile.plan import Refusal

pytestmark = pytest.mark.sync

SCOPE = project_scope("shop")
A, B, C = "a" * 64, "b" * 64, "c" * 64


@pytest.fixture
def state(tmp_path: Path) -> SyncState:
    return SyncState(FileSystem(), Home(tmp_path), SCOPE, "replica-1")


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(FileSystem(), Home(tmp_path), SCOPE, "replica-1")


ENTRIES = {
    "as-agreed": Entry(AgreedOn(Version(A, "r1"), (Version(B, "r0"),)), InCloud(A, "r1", 4, 17)),
    "changed-there": Entry(AgreedOn(Version(A, "r1")), InCloud(B, "r2", 5, 3)),
    "same-text-new-revision": Entry(AgreedOn(Version(A, "r1")), InCloud(A, "r2", 5, 3)),
    "deleted-there": Entry(AgreedOn(Version(A, "r1")), DeletedInCloud(A, "r2", 5, (B, C))),
    "purged": Entry(AgreedOn(Version(A, "r1")), PURGED_FROM_CLOUD),
    "lost": Entry(AgreedOn(Version(A, "r1")), NOT_IN_CLOUD),
    "before-reset": Entry(AgreedBeforeReset((Version(A, "r1"),)), InCloud(C, "s1", 1, 1)),
    "held-at-reset": Entry(AgreedBeforeReset()),
    "waiting": Entry(NOTHING_AGREED, InCloud(A, "r9", 9, 9)),
    "tombstone": Entry(NOTHING_AGREED, DeletedInCloud(A, "r9", 9)),
}
BASELINE = replace(with_entries(Baseline("device"), ENTRIES), epoch="e1", version=9, horizon=2)
GUARD = Guard(
    FolderHistory(frozenset({"x"}), {"y": Millis(5)}, "h1", met=True),
    Paused(PauseReason.HEAD_MOVED, ("p", "q")),
    (Confirmed(Choice.MIX, frozenset({"p"})), Confirmed(Choice.DELETE, frozenset())),
    "h2",
    head_tracks=True,
)
PROGRESS = Progress(
    spoke_current=True,
    committed=(A, B),
    refusals={"n": Refusal(A, "plan_notes")},
    refusal_ground="200/16384",
    check_failed_at=("e1", 4),
    cloud_was_reset_at=Millis(3),
    last_synced=Millis(1),
    error="SignedOut",
    error_at=Millis(2),
    pull=LastPull(("a",), ("b",), ("c",), Millis(8)),
    held_back={"n": "plan_notes"},
    plan="free",
    paid=False,
    max_notes=200,
    max_body_bytes=16384,
)
FILES_KNOWN = {
    "a.md": KnownFile(FileStamp("a.md", 1_789_000_000_000_000_001, 5, 2**40), A),
    "b.md": KnownFile(FileStamp("b.md", 7, 0, -1), reason=ProblemReason.EMPTY),
}
MINE = Note(
    "n-1",
    "Mine",
    "one\ntwo",
    "project",
    ("a", "b"),
    Millis(1_789_000_000_000),
    Millis(1_789_000_000_001),
    {"key": [1, {"x": None}]},
)
CONFLICT = Conflict(
    (ConflictReason.BODY, ConflictReason.SUMMARY),
    replace(MINE, summary="Base", body=""),
    MINE,
    CloudVersion(replace(MINE, body="\n\nzwei \u2028"), InCloud(B, "r2", 2, 9)),
    Millis(30),
)


def test_everything_comes_back_as_it_was_kept(state: SyncState) -> None:
    state.save_baseline(BASELINE)
    state.save_guard(GUARD)
    state.save_progress(PROGRESS)
    state.save_known_files(FILES_KNOWN)
    state.open_conflict(CONFLICT)
    assert state.baseline() == BASELINE
    assert state.guard() == GUARD
    assert state.progress() == PROGRESS
    assert state.known_files() == FILES_KNOWN
    assert state.conflicts() == {"n-1": CONFLICT}


def test_another_process_finds_it_as_it_was_kept(state: SyncState, tmp_path: Path) -> None:
    state.save_baseline(BASELINE)
    state.save_progress(PROGRESS)
    state.save_known_files(FILES_KNOWN)
    other = SyncState(FileSystem(), Home(tmp_path), SCOPE, "replica-1")
    assert (other.baseline(), other.progress(), other.known_files()) == (BASELINE, PROGRESS, FILES_KNOWN)


def test_a_baseline_saved_again_holds_what_changed_and_what_did_not(state: SyncState, tmp_path: Path) -> None:
    state.save_baseline(BASELINE)
    newer = with_entries(BASELINE, {"purged": Entry(), "new": ENTRIES["waiting"], "lost": ENTRIES["as-agreed"]})
    state.save_baseline(newer)
    assert SyncState(FileSystem(), Home(tmp_path), SCOPE, "replica-1").baseline() == newer


class _CountsFlushes(FileSystem):
    def __init__(self) -> None:
        self.flushes = 0

    def flush_file(self, path: Path) -> None:
        self.flushes += 1
        super().flush_file(path)


def test_telling_what_the_last_pass_did_waits_for_no_device(tmp_path: Path) -> None:
    files = _CountsFlushes()
    state = SyncState(files, Home(tmp_path), SCOPE, "replica-1")
    state.save_progress(PROGRESS)
    flushed = files.flushes
    later = replace(PROGRESS, last_synced=Millis(9), pull=LastPull(("d",), (), (), Millis(9)))
    state.save_progress(later)
    assert (files.flushes, state.progress()) == (flushed, later)
    state.save_progress(replace(later, plan="paid"))
    assert files.flushes > flushed


@pytest.mark.parametrize("torn", [b"", b'{"version":1,"lastSy'])
def test_what_the_last_pass_did_lost_in_a_power_cut_takes_nothing_else_along(
    state: SyncState, tmp_path: Path, torn: bytes
) -> None:
    state.save_progress(PROGRESS)
    (state.folder / "synced.json").write_bytes(torn)
    other = SyncState(FileSystem(), Home(tmp_path), SCOPE, "replica-1")
    assert other.progress() == replace(PROGRESS, last_synced=None, pull=NO_PULL)


def test_the_entries_of_a_baseline_come_back_each_as_it_was(state: SyncState) -> None:
    state.save_baseline(BASELINE)
    kept = state.baseline()
    assert kept is not None
    assert dict(kept.entries) == ENTRIES
    assert kept.check == BASELINE.check


def test_before_a_first_sync_there_is_nothing(state: SyncState) -> None:
    assert state.baseline() is None
    assert (state.guard(), state.progress(), state.known_files(), state.conflicts()) == (Guard(), Progress(), {}, {})
    assert state.other_baselines() == []
    assert not state.folder.exists()


def test_a_conflict_with_a_note_that_is_gone_there_and_had_no_copy_is_kept(state: SyncState) -> None:
    conflict = Conflict((ConflictReason.DELETED_THERE,), None, MINE, None, Millis(3))
    state.open_conflict(conflict)
    assert state.conflicts() == {"n-1": conflict}
    state.close_conflicts(["n-1", "never-there"])
    assert state.conflicts() == {}


BROKEN = [
    b"",
    b"\0\0\0\0",
    b"{",
    b"[]",
    b'{"version":1,"entries":7,"files":7,"met":7,"since":{},"committed":7}',
    b"\xff",
]


@pytest.mark.parametrize("data", BROKEN)
@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("baseline.json", SyncState.baseline),
        ("guard.json", SyncState.guard),
        ("progress.json", SyncState.progress),
        ("files.json", SyncState.known_files),
    ],
)
def test_a_damaged_state_file_is_put_aside_and_counts_as_absent(
    state: SyncState, name: str, load: Callable[[SyncState], Any], data: bytes
) -> None:
    absent = load(state)
    state.folder.mkdir(parents=True)
    (state.folder / name).write_bytes(data)
    assert load(state) == absent
    assert (state.folder / f"{name}.broken").read_bytes() == data
    assert not (state.folder / name).exists()


def test_a_state_file_of_a_newer_version_is_left_alone(state: SyncState) -> None:
    state.folder.mkdir(parents=True)
    path = state.folder / "baseline.json"
    path.write_text('{"version": 2, "entries": "in another form"}')
    with pytest.raises(StateFromNewerVersion):
        state.baseline()
    assert path.exists()


def test_only_one_pass_at_a_time_has_the_lock(state: SyncState, tmp_path: Path) -> None:
    held = state.lock(0.0)
    with pytest.raises(SyncBusy):
        SyncState(FileSystem(), Home(tmp_path), SCOPE, "replica-1").lock(0.01)
    held.release()
    state.lock(0.0).release()


def test_the_baselines_of_other_replicas_are_found_and_broken_ones_passed_over(tmp_path: Path) -> None:
    files, home = FileSystem(), Home(tmp_path)
    one, two, three = (SyncState(files, home, SCOPE, name) for name in ("one", "two", "three"))
    one.save_baseline(BASELINE)
    two.folder.mkdir()
    (two.folder / "baseline.json").write_text("{")
    assert three.other_baselines() == [BASELINE]
    assert one.other_baselines() == []


# --- copies


def note(number: int, body: str = "text") -> Note:
    return Note(f"n-{number}", "S", f"{body} {number}")


def kept(copies: SyncCopies, *notes: Note) -> None:
    copies.save({content_hash(one): one for one in notes})


def test_copies_are_found_by_what_they_say(state: SyncState) -> None:
    kept(state.copies, note(1), note(2))
    kept(state.copies, note(3), MINE)
    wanted = {content_hash(one): one for one in (note(1), note(3), MINE)}
    assert state.copies.find([*wanted, A]) == wanted
    assert state.copies.find([]) == {}


def test_many_copies_saved_at_once_are_one_file(state: SyncState) -> None:
    kept(state.copies, *(note(number) for number in range(500)))
    assert len(list((state.folder / "copies").iterdir())) == 1


def test_tidying_keeps_every_copy_in_use_and_lets_the_others_go(state: SyncState) -> None:
    notes = [note(number) for number in range(MOST_PACKS + 5)]
    for one in notes:
        kept(state.copies, one)
    used = {content_hash(one): one for one in notes[::2]}
    state.copies.tidy(used)
    assert state.copies.find(used) == used
    assert state.copies.find([content_hash(notes[1])]) == {}
    assert len(list((state.folder / "copies").iterdir())) == 1


def test_tidying_does_nothing_while_there_are_few_packs(state: SyncState) -> None:
    kept(state.copies, note(1))
    state.copies.tidy([])
    assert state.copies.find([content_hash(note(1))])


def test_large_packs_in_use_are_left_alone_and_joined_ones_stay_small(state: SyncState) -> None:
    large = note(0, "x" * 6_000_000)
    kept(state.copies, large)
    smaller = [note(number, "y" * 300_000) for number in range(1, MOST_PACKS + 5)]
    for one in smaller:
        kept(state.copies, one)
    used = {content_hash(one): one for one in (large, *smaller)}
    state.copies.tidy(used)
    assert state.copies.find(used) == used
    sizes = [path.stat().st_size for path in (state.folder / "copies").iterdir()]
    assert len(sizes) == 3
    assert max(sizes) < 9_000_000


def test_a_damaged_pack_does_not_hide_the_others(state: SyncState) -> None:
    kept(state.copies, note(1))
    (state.folder / "copies" / "0000000002.json").write_bytes(b"\0\0")
    assert state.copies.find([content_hash(note(1))])
    kept(state.copies, note(2))
    assert len(state.copies.find([content_hash(note(1)), content_hash(note(2))])) == 2


# --- outbox


def test_a_commit_waits_in_the_outbox_byte_for_byte_until_it_is_cleared(outbox: Outbox) -> None:
    assert outbox.waiting() is None
    body = '{"changes":["ü\u2028\\u0001"]}'.encode()
    outbox.keep(body)
    assert outbox.waiting() == body
    outbox.clear()
    outbox.clear()
    assert outbox.waiting() is None


def test_a_torn_outbox_is_as_good_as_none_and_left_to_whoever_may_be_writing_it(
    outbox: Outbox, state: SyncState
) -> None:
    outbox.keep(b"{}")
    path = state.folder / "outbox.json"
    whole = path.read_bytes()
    path.write_bytes(whole[:5])
    assert outbox.waiting() is None
    assert path.read_bytes() == whole[:5]
    outbox.keep(b'{"a":1}')
    assert outbox.waiting() == b'{"a":1}'
