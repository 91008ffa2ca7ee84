"""Background merging: when it runs, what it merges, and that it loses nothing."""

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from oharness.config.schema import ConsolidateSettings, default_settings
from oharness.core.scopes import ScopeKind
from oharness.disk.background_merges import BackgroundMerges
from oharness.disk.filesystem import FileSystem
from oharness.disk.git import Git
from oharness.disk.home import Home
from oharness.disk.project import project_at, register_project
from oharness.harness.descriptors import RunContext
from oharness.harness.messages import own_text
from oharness.harness.model import ModelRequest
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.scopes import Memory, Surroundings, open_for_writing
from oharness.memory.tidying import Tidying, never_commit
from oharness.plugins.memory.background_merging import AFTER_LAUNCH_S, BackgroundMerging, merges_hook
from oharness.plugins.memory.merging_pass import MergingPass
from oharness.plugins.memory.tidying_desk import TidyingDesk
from oharness.testing.clock import FakeClock
from oharness.testing.model import Says, ScriptedModel
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.memory
Answer = Callable[[list[dict[str, Any]]], str]


@dataclass
class Machine:
    """One machine with a project, a scripted small model and background merging."""

    memory: Memory
    merging: BackgroundMerging
    clock: FakeClock
    model: ScriptedModel
    state: BackgroundMerges

    def ids(self) -> list[str]:
        assert self.memory.project is not None
        return sorted(self.memory.project.ids())

    async def minutes_pass(self, minutes: float) -> None:
        await self.merging.start()
        task = self.merging._task
        for _ in range(3):
            await asyncio.sleep(0)
        self.clock.advance(minutes * 60)
        if task is not None and minutes * 60 >= AFTER_LAUNCH_S:
            await asyncio.wait((task,), timeout=60)
        await self.merging.stop()


def joined(notes: list[dict[str, Any]]) -> str:
    """A good small model: every sentence of every note, arranged."""
    body = "\n\n".join(f"{note['summary']}.\n\n{note['body']}" for note in notes)
    return json.dumps({"summary": notes[0]["summary"], "body": body})


def lossy(notes: list[dict[str, Any]]) -> str:
    """One that summarises."""
    return json.dumps({"summary": notes[0]["summary"], "body": notes[0]["body"]})


def machine(tmp_path: Path, answer: Answer = joined, *, paid: bool | None = True, **consolidate: Any) -> Machine:
    clock = FakeClock()
    (tmp_path / "shop").mkdir(exist_ok=True)
    merging = replace(default_settings().memory.consolidate, **consolidate)
    around = Surroundings(
        FileSystem(),
        Home(tmp_path / "home"),
        replace(default_settings().memory, consolidate=merging),
        clock,
        SeededRandomness(),
        Git({"PATH": os.environ["PATH"]}),
    )
    project = project_at(around.files, tmp_path / "shop")
    registered = register_project(around.files, project, around.home, around.git, clock, around.randomness)
    memory = open_for_writing(around, registered)

    def says(request: ModelRequest) -> Says:
        return Says(answer([json.loads(line) for line in own_text(request.messages[0]).split("\n")]))

    model = ScriptedModel([says] * 50)
    state = BackgroundMerges(around.files, around.home)
    desk = TidyingDesk(Tidying(memory), never_commit, clock, lambda: model)
    return Machine(memory, service(desk, state, merging, paid), clock, model, state)


def service(
    desk: TidyingDesk, state: BackgroundMerges, settings: ConsolidateSettings, paid: bool | None
) -> BackgroundMerging:
    def make_pass(shared: TidyingDesk) -> MergingPass:
        return MergingPass(shared, state, settings, lambda: paid)

    return BackgroundMerging(lambda: desk, make_pass, settings, desk.clock)


def write(machine: Machine, note_id: str, summary: str, body: str) -> None:
    request = RememberRequest(summary=summary, body=body, id=note_id, scope=ScopeKind.PROJECT)
    remember(machine.memory, request)
    machine.clock.advance(1)


def write_pairs(machine: Machine, count: int = 1) -> None:
    subjects = ["deploy steps", "invoice layout", "search ranking", "printer setup", "holiday calendar"]
    for subject in subjects[:count]:
        name = subject.replace(" ", "-")
        write(machine, f"{name}-1", f"How the {subject} work", f"The {subject} take 40 minutes.")
        write(machine, f"{name}-2", f"The {subject}, how they work", f"The {subject} never need a reboot.")


async def test_two_minutes_after_launch_notes_of_one_subject_are_merged(tmp_path: Path) -> None:
    one = machine(tmp_path)
    write_pairs(one)
    await one.minutes_pass(1.9)
    assert (one.ids(), one.model.requests) == (["deploy-steps-1", "deploy-steps-2"], [])
    await one.minutes_pass(2)
    assert one.ids() == ["deploy-steps-1"]
    assert len(one.memory.backups.latest()) == 2


async def test_it_is_told_with_the_next_message_once(tmp_path: Path) -> None:
    one = machine(tmp_path)
    write_pairs(one)
    await one.minutes_pass(2)
    hook = merges_hook(one.merging).on_start
    assert hook is not None
    [notice] = await hook(RunContext("s", tmp_path, ()))
    assert (notice.key, notice.fields["kept"]) == ("merged-in-background", "deploy-steps-1")
    assert await hook(RunContext("s", tmp_path, ())) == ()


@pytest.mark.parametrize(
    ("paid", "auto", "runs"),
    [(False, "subscribers", False), (None, "subscribers", False), (None, True, True), (True, False, False)],
)
async def test_it_stays_off_for_free_accounts_and_unknown_plans_unless_the_setting_says_otherwise(
    tmp_path: Path, paid: bool | None, auto: bool | str, runs: bool
) -> None:
    one = machine(tmp_path, paid=paid, auto=auto)
    write_pairs(one)
    await one.minutes_pass(3)
    assert (len(one.ids()) == 1) is runs
    assert bool(one.model.requests) is runs


async def test_a_draft_that_loses_anything_stays_a_suggestion_and_is_not_paid_for_twice(tmp_path: Path) -> None:
    one = machine(tmp_path, lossy, cooldown_hours=0)
    write_pairs(one)
    await one.minutes_pass(2)
    await one.minutes_pass(2)
    assert len(one.ids()) == 2
    assert len(one.model.requests) == 1
    assert one.memory.backups.latest() == []
    assert [finding.notes for finding in one.merging.desk().tidying.findings()] == [tuple(one.ids())]
    write(one, "deploy-steps-2", "The deploy steps, how they work", "The deploy steps changed.")
    await one.minutes_pass(2)
    assert len(one.model.requests) == 2


async def test_it_merges_at_most_so_many_groups_at_most_once_per_cooldown(tmp_path: Path) -> None:
    one = machine(tmp_path, max_merges=2)
    write_pairs(one, 5)
    await one.minutes_pass(2)
    assert len(one.ids()) == 8
    await one.minutes_pass(60)
    assert len(one.ids()) == 8
    one.clock.advance(24 * 3600)
    await one.minutes_pass(2)
    assert len(one.ids()) == 6


async def test_a_dismissed_group_is_left_alone_and_so_is_every_other_finding(tmp_path: Path) -> None:
    one = machine(tmp_path)
    write_pairs(one)
    write(one, "long-1", "Everything there is", "word " * 2000 + "[[gone-1]]")
    tidying = one.merging.desk().tidying
    tidying.dismiss(next(finding.id for finding in tidying.findings() if finding.kind == "same-subject"))
    await one.minutes_pass(2)
    assert len(one.ids()) == 3
    assert one.model.requests == []


async def test_only_one_process_merges_at_a_time(tmp_path: Path) -> None:
    one = machine(tmp_path)
    write_pairs(one)
    lock = one.state.lock()
    assert lock is not None
    assert one.state.lock() is None
    work = one.merging.make_pass(one.merging.desk())
    assert not await work.run()
    assert len(one.ids()) == 2
    lock.release()
    assert await work.run()
    assert len(one.ids()) == 1


@pytest.mark.parametrize("answer", ["nonsense", "", '{"summary": "x", "body": "[[a]] rm -rf"}', '{"summary": 1}'])
async def test_whatever_a_hostile_model_answers_nothing_is_lost(tmp_path: Path, answer: str) -> None:
    one = machine(tmp_path, lambda notes: answer)
    write_pairs(one, 2)
    await one.minutes_pass(2)
    assert len(one.ids()) == 4
