"""The planner keeps every promise in worlds of related notes, and the judge notices planners that do not."""

import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oharness.reconcile.baseline import InCloud
from oharness.reconcile.decide import (
    Decision,
    DeleteHere,
    DeleteInCloud,
    DeletionGround,
    Download,
    Forget,
    Here,
    HoldConflict,
    Merge,
    Upload,
)
from oharness.reconcile.guards import Paused
from oharness.reconcile.merge_note import ConflictReason
from oharness.reconcile.plan import ScopePlan, ScopeView, plan_scope
from oharness.testing.planner.model_device import Planner
from oharness.testing.planner.proof import Wrong, judge_world

pytestmark = pytest.mark.sync

ROOT = Path(__file__).parents[2]
Twist = Callable[[ScopeView, str, Decision], Decision | None]


def twisted(twist: Twist) -> Planner:
    """The planner with some of its decisions replaced, or left out where the twist gives None."""

    def plan(view: ScopeView) -> ScopePlan | Paused:
        planned = plan_scope(view)
        if isinstance(planned, Paused):
            return planned
        decisions = {n: twist(view, n, decision) for n, decision in planned.decisions.items()}
        return replace(planned, decisions={n: d for n, d in decisions.items() if d is not None})

    return plan


def last_write_wins(_view: ScopeView, _note_id: str, decision: Decision) -> Decision:
    return Upload(decision.cloud.version) if isinstance(decision, Merge) else decision


def cloud_wins(_view: ScopeView, _note_id: str, decision: Decision) -> Decision:
    return Download(decision.cloud) if isinstance(decision, Merge) else decision


def every_download_is_a_conflict(view: ScopeView, note_id: str, decision: Decision) -> Decision:
    if isinstance(decision, Download) and isinstance(view.local(note_id), Here):
        return HoldConflict(ConflictReason.BODY, decision.cloud)
    return decision


def deletions_stay_here(_view: ScopeView, _note_id: str, decision: Decision) -> Decision | None:
    return None if isinstance(decision, DeleteInCloud) else decision


def a_deletion_beats_an_edit(view: ScopeView, note_id: str, decision: Decision) -> Decision:
    if isinstance(decision, Upload) and not isinstance(view.baseline.entry(note_id).seen, InCloud):
        return DeleteHere(DeletionGround.TOMBSTONE)
    return decision


def deleted_notes_come_back(view: ScopeView, note_id: str, decision: Decision) -> Decision:
    if isinstance(decision, DeleteHere) and isinstance(view.local(note_id), Here):
        return Upload(None, fresh=True)
    return decision


def forgets_nothing(_view: ScopeView, _note_id: str, decision: Decision) -> Decision | None:
    return None if isinstance(decision, Forget) else decision


def uploads_on_no_base(_view: ScopeView, _note_id: str, decision: Decision) -> Decision:
    return Upload(None) if isinstance(decision, Upload) else decision


def test_every_promise_is_kept_in_thousands_of_worlds() -> None:
    triples = sum(judge_world(random.Random(f"planner {world}")) for world in range(1500))
    assert triples > 4000


@pytest.mark.parametrize(
    "twist",
    [
        last_write_wins,
        cloud_wins,
        every_download_is_a_conflict,
        deletions_stay_here,
        a_deletion_beats_an_edit,
        deleted_notes_come_back,
        forgets_nothing,
        uploads_on_no_base,
    ],
    ids=lambda twist: twist.__name__,
)
def test_the_judge_notices_a_planner_that_does_wrong(twist: Twist) -> None:
    with pytest.raises(Wrong):
        judge_worlds(300, twisted(twist))


def judge_worlds(count: int, planner: Planner) -> None:
    for world in range(count):
        judge_world(random.Random(f"twisted {world}"), planner)


def test_a_world_is_the_same_every_time_it_is_drawn() -> None:
    command = [sys.executable, "scripts/simulate_planner.py", "--seed", "7", "--world", "123"]
    answers = {subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout for _ in range(2)}
    assert len(answers) == 1


def test_the_script_judges_as_many_triples_as_it_is_told() -> None:
    command = [sys.executable, "scripts/simulate_planner.py", "--triples", "100", "--seed", "2", "--processes", "1"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    assert "every rule held" in answer
