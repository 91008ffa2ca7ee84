"""Faults planted into the product one at a time: the judge of the made-up worlds notices each of them.

Each has the seed of a world in which it shows, and a part of what the judge says. The same worlds are whole without it.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest

from oharness.disk.backups import BackupReason, Backups, SetAside
from oharness.disk.note_dir import NoteDir, NoteFile, NoteWrite
from oharness.disk.purpose_marks import PurposeMarks
from oharness.disk.sync_state import SyncState
from oharness.notes.note import Note
from oharness.reconcile import baseline as baselines
from oharness.reconcile import work
from oharness.reconcile.baseline import DeletedInCloud
from oharness.reconcile.decide import (
    DAMAGED,
    Decision,
    DeleteHere,
    DeleteInCloud,
    DeletionGround,
    Download,
    Here,
    HoldBack,
    HoldConflict,
    HoldReason,
    Merge,
    Upload,
)
from oharness.reconcile.guards import Paused
from oharness.reconcile.merge_note import ConflictReason, merge_note
from oharness.reconcile.plan import ScopePlan, ScopeView, plan_scope
from oharness.sync import desk, listing
from oharness.syncserver import bodies as server_bodies
from oharness.syncserver import commit as server_commit
from oharness.syncserver import judgement
from oharness.syncserver import snapshot as server_snapshot
from oharness.testing.simulated_network import DELIVERED, AnswerLost
from oharness.testing.world.lab import DidNotSync, Lab, in_lab
from oharness.testing.world.story import play

pytestmark = pytest.mark.sync

Plant = Callable[[pytest.MonkeyPatch], None]
Twist = Callable[[ScopeView, str, Decision], Decision | None]


@dataclass(frozen=True)
class Planted:
    """A fault, the seed of a world that shows it, and what the judge says of it."""

    plant: Plant
    seed: int
    says: str


def twisting(twist: Twist) -> Plant:
    """Some of the planner's decisions are replaced, or left out where the twist gives None."""

    def plan(view: ScopeView) -> ScopePlan | Paused:
        planned = plan_scope(view)
        if isinstance(planned, Paused):
            return planned
        decisions = {n: twist(view, n, decision) for n, decision in planned.decisions.items()}
        return replace(planned, decisions={n: d for n, d in decisions.items() if d is not None})

    return lambda patch: patch.setattr(desk, "plan_scope", plan)


# --- wrong decisions


def _last_write_wins(_view: ScopeView, _note_id: str, decision: Decision) -> Decision:
    return Upload(decision.cloud.version) if isinstance(decision, Merge) else decision


def _the_cloud_wins(_view: ScopeView, _note_id: str, decision: Decision) -> Decision:
    return Download(decision.cloud) if isinstance(decision, Merge) else decision


def _conflict_without_need(view: ScopeView, note_id: str, decision: Decision) -> Decision:
    if isinstance(decision, Download) and isinstance(view.local(note_id), Here):
        return HoldConflict(ConflictReason.BODY, decision.cloud)
    return decision


def _deletes_new_notes(view: ScopeView, note_id: str, decision: Decision) -> Decision:
    if isinstance(decision, Upload) and view.baseline.entry(note_id) == baselines.EMPTY_ENTRY:
        return DeleteHere(DeletionGround.PURGED)
    return decision


def _a_deletion_beats_an_edit(view: ScopeView, note_id: str, decision: Decision) -> Decision:
    if isinstance(decision, Upload) and isinstance(view.baseline.entry(note_id).seen, DeletedInCloud):
        return DeleteHere(DeletionGround.TOMBSTONE)
    return decision


def _deleted_notes_come_back(view: ScopeView, note_id: str, decision: Decision) -> Decision:
    seen = view.baseline.entry(note_id).seen
    if isinstance(decision, DeleteHere) and isinstance(seen, DeletedInCloud):
        return Upload(baselines.Version(seen.hash, seen.revision), fresh=True)
    return decision


def _deletions_stay_here(_view: ScopeView, _note_id: str, decision: Decision) -> Decision | None:
    return None if isinstance(decision, DeleteInCloud) else decision


def _a_conflict_holds_back_others(view: ScopeView, _note_id: str, decision: Decision) -> Decision:
    return HoldBack(HoldReason.CHECKSUM) if view.conflicts else decision


def _some_uploads_are_forgotten(_view: ScopeView, note_id: str, decision: Decision) -> Decision | None:
    return None if isinstance(decision, Upload) and note_id.endswith("3") else decision


# --- wrong work on disk


def _no_backups(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Backups, "save_many", lambda self, versions: ["made-up"] * len(versions))


def _no_backup_of_what_a_pull_replaces(patch: pytest.MonkeyPatch) -> None:
    def save_many(self: Backups, versions: Sequence[SetAside]) -> list[str]:
        return saved(self, [one for one in versions if one.reason != BackupReason.PULL])

    saved = Backups.save_many
    patch.setattr(Backups, "save_many", save_many)


def _merge_takes_mine(patch: pytest.MonkeyPatch) -> None:
    def merged(base: Note, mine: Note, cloud: Note, most: int) -> Any:
        found = merge_note(base, mine, cloud, most)
        return replace(found, body=mine.body) if isinstance(found, Note) else found

    patch.setattr(work, "merge_note", merged)


def _merge_invents_a_line(patch: pytest.MonkeyPatch) -> None:
    def merged(base: Note, mine: Note, cloud: Note, most: int) -> Any:
        found = merge_note(base, mine, cloud, most)
        return replace(found, body=f"{found.body}\n<<<<<<<") if isinstance(found, Note) else found

    patch.setattr(work, "merge_note", merged)


def _merge_loses_a_line_that_nobody_touched(patch: pytest.MonkeyPatch) -> None:
    def merged(base: Note, mine: Note, cloud: Note, most: int) -> Any:
        found = merge_note(base, mine, cloud, most)
        if not isinstance(found, Note):
            return found
        untouched = [x for x in base.body.split("\n") if x in mine.body.split("\n") and x in cloud.body.split("\n")]
        return replace(found, body=found.body.replace(f"{untouched[0]}\n", "")) if untouched else found

    patch.setattr(work, "merge_note", merged)


def _merge_says_a_line_twice(patch: pytest.MonkeyPatch) -> None:
    def merged(base: Note, mine: Note, cloud: Note, most: int) -> Any:
        found = merge_note(base, mine, cloud, most)
        if not isinstance(found, Note):
            return found
        first = found.body.split("\n")[0]
        return replace(found, body=f"{first}\n{found.body}")

    patch.setattr(work, "merge_note", merged)


def _merge_brings_back_what_one_side_threw_out(patch: pytest.MonkeyPatch) -> None:
    def merged(base: Note, mine: Note, cloud: Note, most: int) -> Any:
        found = merge_note(base, mine, cloud, most)
        if not isinstance(found, Note):
            return found
        lines = found.body.split("\n")
        return replace(found, body="\n".join([*lines, *(x for x in base.body.split("\n") if x not in lines)]))

    patch.setattr(work, "merge_note", merged)


def _pulls_that_are_not_written(patch: pytest.MonkeyPatch) -> None:
    def write_many(
        self: NoteDir, writes: Sequence[NoteWrite], meanwhile: Callable[[], object] = lambda: None
    ) -> list[str]:
        meanwhile()
        return []

    patch.setattr(NoteDir, "write_many", write_many)


def _what_was_wanted_once_is_wanted_for_ever(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PurposeMarks, "drop", lambda self, note_ids: None)


def _damage_is_a_deletion(patch: pytest.MonkeyPatch) -> None:
    real = desk._look

    def looked(directory: Any, known: Mapping[str, Any]) -> Any:
        look = real(directory, known)
        return replace(look, files={n: side for n, side in look.files.items() if side is not DAMAGED})

    patch.setattr(desk, "_look", looked)


def _conflicts_keep_no_text(patch: pytest.MonkeyPatch) -> None:
    def opened(self: SyncState, conflict: Any) -> None:
        real(self, replace(conflict, mine=replace(conflict.mine, body="")))

    real = SyncState.open_conflict
    patch.setattr(SyncState, "open_conflict", opened)


def _a_second_pass_backs_up_again(patch: pytest.MonkeyPatch) -> None:
    real = desk.close_desk

    def closed(at: Any) -> None:
        folder = at.directory.folder
        for name in sorted(folder.names())[:1]:
            file = folder.read(name)
            if isinstance(file, NoteFile):
                body = file.note.body + "\n(again)"
                data = file.data.replace(file.note.body.encode(), body.encode())
                aside = SetAside(at.directory.scope, folder.path, file.note.id, data, BackupReason.PULL)
                at.directory.backups.save(aside)
        real(at)

    patch.setattr("oharness.sync.one_pass.close_desk", closed)


def _every_pass_asks_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(listing, "_is_as_counted", lambda baseline, answer: False)
    patch.setattr(listing, "_complain_once", lambda at, listed: None)


# --- wrong service


def _versions_stand_still(patch: pytest.MonkeyPatch) -> None:
    real = judgement._Draft.finished

    def finished(self: Any, results: Any) -> Any:
        return msgspec.structs.replace(real(self, results), version=self._before.version)

    patch.setattr(judgement._Draft, "finished", finished)


def _bodies_are_not_stored(patch: pytest.MonkeyPatch) -> None:
    async def written(self: Any, objects: Any) -> frozenset[Any]:
        return frozenset()

    patch.setattr(server_bodies.BodyStore, "write", written)


def _a_commit_is_judged_anew(patch: pytest.MonkeyPatch) -> None:
    def judge(manifest: Any, commit: Any, circumstances: Any) -> Any:
        draft = judgement._Draft(manifest, commit, circumstances)
        results = draft.judge_all()
        after = draft.finished(results) if draft.changed else manifest
        return judgement.Judged(after, manifest.version, results)

    patch.setattr(server_commit, "judge", judge)
    put, earlier_sending = judgement._Draft._put, judgement._Draft._earlier_sending

    def put_again(self: Any, position: int, change: Any) -> Any:
        present = self._notes.get(change.id)
        if present is not None and earlier_sending(self, position, change.id) is not None:
            change = replace(change, base_revision=present.revision)
        return put(self, position, change)

    patch.setattr(judgement._Draft, "_earlier_sending", lambda self, position, note_id: None)
    patch.setattr(judgement._Draft, "_put", put_again)


def _puts_over_any_base(patch: pytest.MonkeyPatch) -> None:
    real = judgement._Draft._put

    def put(self: Any, position: int, change: Any) -> Any:
        present = self._notes.get(change.id)
        return real(self, position, replace(change, base_revision=present.revision) if present else change)

    patch.setattr(judgement._Draft, "_put", put)


def _tombstones_are_lost(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(judgement._Draft, "_bury", lambda self, note_id, tombstone: self._notes.pop(note_id, None))


_NOWHERE = "nowhere at all, and nobody who saw it chose so"
_IN_A_BACKUP = "only in a backup, and nobody who saw it chose so"

PLANTED: Mapping[str, Planted] = {
    "last write wins": Planted(twisting(_last_write_wins), 2, _IN_A_BACKUP),
    "the cloud wins": Planted(twisting(_the_cloud_wins), 2, _IN_A_BACKUP),
    "a conflict without need": Planted(twisting(_conflict_without_need), 2, "a conflict, and only the cloud changed"),
    "deletes what nobody deleted": Planted(twisting(_deletes_new_notes), 0, _NOWHERE),
    "a deletion beats an edit": Planted(twisting(_a_deletion_beats_an_edit), 18, _IN_A_BACKUP),
    "deleted notes come back": Planted(twisting(_deleted_notes_come_back), 2, "which nobody wanted"),
    "deletions stay here": Planted(twisting(_deletions_stay_here), 0, "says nothing, the cloud"),
    "a conflict holds back others": Planted(twisting(_a_conflict_holds_back_others), 0, "is held back on laptop"),
    "some uploads are forgotten": Planted(twisting(_some_uploads_are_forgotten), 1, "the cloud nothing"),
    "no backups": Planted(_no_backups, 0, "there is no backup of"),
    "no backup of what a pull replaces": Planted(_no_backup_of_what_a_pull_replaces, 2, "there is no backup of"),
    "a merge takes mine": Planted(_merge_takes_mine, 2, _IN_A_BACKUP),
    "a merge invents a line": Planted(_merge_invents_a_line, 2, "which is no merge"),
    "a merge loses a line": Planted(_merge_loses_a_line_that_nobody_touched, 2, "which is no merge"),
    "a merge says a line twice": Planted(_merge_says_a_line_twice, 2, "which is no merge"),
    "a merge brings back a line": Planted(_merge_brings_back_what_one_side_threw_out, 23, "which is no merge"),
    "pulls that are not written": Planted(_pulls_that_are_not_written, 1, _IN_A_BACKUP),
    "wanted once, wanted for ever": Planted(_what_was_wanted_once_is_wanted_for_ever, 48, "which nobody wanted"),
    "damage is a deletion": Planted(_damage_is_a_deletion, 27, "no rest"),
    "a conflict keeps no text": Planted(_conflicts_keep_no_text, 0, "is in conflict and in no backup"),
    "a second pass backs up again": Planted(_a_second_pass_backs_up_again, 0, "writes something"),
    "every pass asks twice": Planted(_every_pass_asks_twice, 0, "asks 2 times"),
    "versions stand still": Planted(_versions_stand_still, 0, "in one epoch"),
    "bodies are not stored": Planted(_bodies_are_not_stored, 0, "its body is not there"),
    "puts over any base": Planted(_puts_over_any_base, 28, _IN_A_BACKUP),
    "tombstones are lost": Planted(_tombstones_are_lost, 18, "which nobody wanted"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_the_judge_notices_a_planted_fault(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the seed that is known to show it, and on from there once worlds are drawn otherwise."""
    planted = PLANTED[name]
    assert play(planted.seed).faults == ()
    planted.plant(monkeypatch)
    told = ("\n".join(play(seed).faults) for seed in range(planted.seed, planted.seed + 60))
    assert any(planted.says in faults for faults in told)


@pytest.mark.parametrize("is_planted", [False, True], ids=["as it is", "planted"])
def test_the_judge_notices_a_commit_that_is_applied_twice(is_planted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rare in worlds: the answer is lost, and somebody else edits the note before the commit comes again."""

    async def story(lab: Lab) -> list[str]:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "one")
        await lab.settle()
        lab.writes(a, "n", "A's")
        lab.next_requests(DELIVERED, AnswerLost(broken=True))
        with pytest.raises(DidNotSync):
            await lab.sync(a)
        await lab.sync(b)
        lab.writes(b, "n", "B's")
        await lab.sync(b)
        with contextlib.suppress(DidNotSync):
            await lab.sync(a)
        return lab.world.cloud.watch.faults

    if is_planted:
        _a_commit_is_judged_anew(monkeypatch)
    faults = in_lab(story)
    assert [("applied twice" in fault) for fault in faults[:1]] == [True] * is_planted


@pytest.mark.parametrize("is_planted", [False, True], ids=["as it is", "planted"])
def test_the_judge_notices_a_restored_storage_that_nobody_sees(
    is_planted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rare in worlds: others write past the version that a machine knew before the storage was set back."""

    async def story(lab: Lab) -> list[str]:
        a, b = lab.machine("a"), lab.machine("b")
        lab.writes(a, "n", "one")
        await lab.settle()
        cloud = lab.world.cloud
        storage = cloud.objects.copy()
        lab.writes(b, "n", "B's")
        await lab.sync(b)
        cloud.objects.set_back(storage)
        cloud.watch.set_back()
        cloud.start()
        for text in ("A's", "A's again"):
            lab.writes(a, "n", text)
            await lab.sync(a)
        await lab.settle()
        return lab.faults()

    if is_planted:
        monkeypatch.setattr(server_snapshot, "has_lost", lambda *_: False)
    faults = in_lab(story)
    assert any(_IN_A_BACKUP in fault for fault in faults) if is_planted else faults == []
