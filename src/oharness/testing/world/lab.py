"""A world in which only what a test says happens: a few machines, the real client and service, no accident unasked for.

async def story(lab: Lab) -> None:
    a, b = lab.machine("a"), lab.machine("b")
    lab.writes(a, "n", "text")
    await lab.settle()

in_lab(story)
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from oharness.core.scopes import project_scope
from oharness.memory.forget import forget
from oharness.memory.remember import RememberRequest, remember
from oharness.notes.frontmatter import note_text
from oharness.reconcile.guards import Choice
from oharness.sync.confirm import confirm_paused
from oharness.sync.report import PassReport
from oharness.testing.faults import Crashed
from oharness.testing.simulated_network import DELIVERED, Fate, HttpRequest
from oharness.testing.simulated_time import SimulatedLoop, run_simulated
from oharness.testing.world.invariants import faults_at_rest
from oharness.testing.world.ledger import text_of
from oharness.testing.world.lying_there import backups_on, conflicts_on
from oharness.testing.world.machine import Replica
from oharness.testing.world.passes import sync
from oharness.testing.world.people import Answered, answer_conflict
from oharness.testing.world.world import World, new_world

_Result = TypeVar("_Result")
_ENOUGH_PASSES = 8


class DidNotSync(AssertionError):
    """A pass ended with an error; the trace says which."""


@dataclass(slots=True)
class Lab:
    """The world and what a test does in it."""

    world: World

    def machine(self, name: str, *, ignores_case: bool = False) -> Replica:
        """A machine with an empty notes directory."""
        machine = self.world.machine(name, ignores_case=ignores_case)
        return self.world.replica(machine, f"device-{name}")

    # --- people

    def writes(self, replica: Replica, note_id: str, body: str, summary: str | None = None) -> None:
        """Somebody writes or edits a note through the product."""
        request = RememberRequest(
            summary=summary or f"About {note_id}", body=body, scope=self.world.scope.kind, id=note_id
        )
        self.world.acting = replica
        try:
            remember(self.world.process(replica).memory, request)
        finally:
            self.world.acting = None

    def saves(self, replica: Replica, note_id: str, body: str) -> None:
        """An editor saves another body in place, and flushes nothing."""
        note = replica.notes()[note_id]
        edited = replace(note, body=body)
        self.world.ledger.wrote(text_of(note), text_of(edited))
        self.world.stood_here(replica, text_of(edited))
        replica.machine.disk.put(replica.path(note_id), note_text(edited).encode())

    def forgets(self, replica: Replica, note_id: str) -> None:
        """Somebody deletes a note through the product."""
        self.world.acting = replica
        try:
            forget(self.world.process(replica).memory, note_id, self.world.scope.kind)
        finally:
            self.world.acting = None

    def answers(self, replica: Replica, note_id: str, answer: Answered) -> None:
        """Somebody answers a conflict."""
        self.world.acting = replica
        try:
            answer_conflict(self.world, replica, note_id, answer)
        finally:
            self.world.acting = self.world.set_beside = None
            self.world.takes_the_clouds = False

    def confirms(self, replica: Replica, choice: Choice) -> None:
        """Somebody answers what the directory asks."""
        confirm_paused(self.world.process(replica).directory, choice)

    # --- sync

    async def sync(self, replica: Replica) -> PassReport:
        """One pass.

        Raises: DidNotSync; Crashed when the process died.
        """
        report = await sync(self.world, replica)
        if report is None:
            if replica.process is not None and not replica.process.is_alive:
                raise Crashed("in a pass")
            raise DidNotSync(self.world.trace.lines[-1])
        self.world.held[replica.name] = dict(report.held_back)
        return report

    async def settle(self) -> None:
        """Passes everywhere until none changes anything; a first sync that asks is told to mix."""
        for _ in range(_ENOUGH_PASSES):
            moved = False
            for replica in self.world.replicas:
                report = await self.sync(replica)
                if report.paused:
                    self.confirms(replica, Choice.MIX)
                waits = any(reason in ("missing", "changed") for reason in report.held_back.values())
                moved = moved or waits or report.paused is not None or not report.changed_nothing
                await asyncio.sleep(60)
            if not moved:
                return
        raise AssertionError("the machines never come to rest")

    def faults(self) -> list[str]:
        """What is wrong with the world at rest."""
        return [*self.world.faults, *faults_at_rest(self.world, self.world.held)]

    # --- what is there

    def bodies(self, replica: Replica) -> dict[str, str]:
        """Every note's body, by id."""
        return {note_id: note.body for note_id, note in replica.notes().items()}

    def cloud(self) -> dict[str, str]:
        """The same of the cloud."""
        return {note_id: note.body for note_id, note in self.world.cloud.notes().items()}

    def conflicts(self, replica: Replica) -> list[str]:
        """The open conflicts."""
        return sorted(conflicts_on(replica))

    def is_backed_up(self, replica: Replica, note_id: str) -> bool:
        """Whether what a note says now lies in a backup of its machine."""
        return text_of(replica.notes()[note_id]) in backups_on(replica.machine)

    # --- accidents

    def next_requests(self, *fates: Fate) -> None:
        """What becomes of the next requests; after them all arrive."""
        waiting = list(fates)

        def fate(request: HttpRequest) -> Fate:
            return waiting.pop(0) if waiting else DELIVERED

        self.world.cloud.network.choose_fate = fate


def in_lab(story: Callable[[Lab], Awaitable[_Result]], seed: int = 0) -> _Result:
    """What a story returns."""

    async def main(loop: SimulatedLoop) -> _Result:
        world = new_world(loop, seed, project_scope("shop"))
        await world.cloud.open()
        lab = Lab(world)
        lab.next_requests()
        return await story(lab)

    return run_simulated(main)
