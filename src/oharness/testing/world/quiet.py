"""The end of a world: faults stop, everybody syncs until nothing moves any more, and then it is judged."""

import asyncio

from oharness.reconcile.guards import ANSWERS
from oharness.sync.confirm import confirm_paused
from oharness.sync.pinning import switch
from oharness.sync.report import PassReport
from oharness.testing.world import folders, people
from oharness.testing.world.events import Cast
from oharness.testing.world.invariants import faults_at_rest
from oharness.testing.world.ledger import text_of
from oharness.testing.world.lying_there import conflicts_on
from oharness.testing.world.machine import Replica
from oharness.testing.world.passes import complain, sync
from oharness.testing.world.world import Broken, World

MOST_ROUNDS = 16
MOST_ANSWERS = 10
_COOLDOWN_S = 70.0


async def come_to_an_end(cast: Cast) -> list[str]:
    """What is wrong with the world once it has come to rest.

    Raises: Broken when it does not, or was broken before.
    """
    world = cast.world
    world.trace.say("world", "--- quiet")
    await _stop_the_faults(cast)
    complain(world)
    await _come_to_rest(cast)
    faults = await _judge(cast)
    if not faults and world.chance.random() < 0.5:
        await _answer_every_conflict(cast)
        faults = await _judge(cast)
    return faults


async def _stop_the_faults(cast: Cast) -> None:
    world = cast.world
    world.cloud.weather.clear_up()
    for replica in world.replicas:
        if replica.process is not None:
            replica.process.files.fail = lambda operation, path: None
        if replica.is_away:
            folders.comes_back(world, replica)
    under_way: list[asyncio.Future[object]] = [*world.passes.values(), *world.batches]  # type: ignore[list-item]
    if cast.old_pass is not None:
        under_way.append(cast.old_pass)  # type: ignore[arg-type]
    await asyncio.gather(*under_way, return_exceptions=True)
    await world.cloud.network.quiet()
    await asyncio.sleep(_COOLDOWN_S)
    for replica in world.replicas:
        process = world.process(replica)
        process.tokens.present = None
        switch(process.files, replica.machine.home, [world.scope], on=True)


async def _come_to_rest(cast: Cast) -> None:
    world = cast.world
    for _ in range(MOST_ROUNDS):
        moved = False
        for replica in world.replicas:
            moved = await _moves(world, replica) or moved
            await asyncio.sleep(1.0)
        if cast.old is not None:
            moved = not await cast.old.sync() or moved
            moved = cast.old.takes_the_clouds() or moved
        if not moved:
            return
    raise Broken(f"no rest after {MOST_ROUNDS} rounds")


async def _moves(world: World, replica: Replica) -> bool:
    """Whether a pass found something to do, or waits for another one."""
    report = await sync(world, replica)
    complain(world)
    if report is None:
        raise Broken(f"{replica.name} cannot sync although nothing is in its way")
    world.held[replica.name] = dict(report.held_back)
    if report.paused:
        _answer_pause(world, replica, report)
    waits = any(reason in ("missing", "changed") for reason in report.held_back.values())
    return not report.changed_nothing or report.paused is not None or waits


def _answer_pause(world: World, replica: Replica, report: PassReport) -> None:
    assert report.paused is not None
    choices = sorted(ANSWERS[report.paused.reason])
    if not choices:
        raise Broken(f"{replica.name} pauses for ever: {report.paused.reason}")
    choice = world.chance.choice(choices)
    world.trace.event(f"answers a pause: {report.paused.reason} {choice}", replica.name)
    confirm_paused(world.process(replica).directory, choice)
    for note_id in report.paused.note_ids:
        people.note_answered(world, replica, note_id, choice)


async def _answer_every_conflict(cast: Cast) -> None:
    world = cast.world
    world.trace.say("world", "--- conflicts are answered")
    for _ in range(MOST_ANSWERS):
        open_conflicts = [replica for replica in world.replicas for _ in conflicts_on(replica)]
        if not open_conflicts:
            return
        for replica in open_conflicts:
            people.answers_a_conflict(world, replica)
        await _come_to_rest(cast)
    raise Broken("conflicts open again and again")


# --- judgement


async def _judge(cast: Cast) -> list[str]:
    world = cast.world
    faults = list(faults_at_rest(world, world.held))
    if cast.old is not None and not cast.old.has_stopped:
        here = {text_of(note) for note in cast.old.notes.values()}
        there = {text_of(note) for note in world.cloud.notes().values()}
        if any(text.id not in cast.old.refused for text in here ^ there):
            faults.append(f"the old machine and the cloud differ: {sorted(here ^ there)}")
    for replica in world.replicas:
        faults += await _second_pass_faults(world, replica)
    return faults


def _written(world: World, replica: Replica) -> tuple[object, ...]:
    machine = replica.machine
    return replica.files(), machine.disk.contents(machine.home.backups), world.cloud.objects.values()


async def _second_pass_faults(world: World, replica: Replica) -> list[str]:
    """One more pass writes no note, no backup and nothing to the cloud, and asks once."""
    process = world.process(replica)
    process.tokens.present = world.cloud.token()
    before = _written(world, replica)
    requests = process.transport.traffic.requests
    report = await sync(world, replica)
    faults: list[str] = []
    if _written(world, replica) != before:
        faults.append(f"a second pass on {replica.name} writes something")
    asked = process.transport.traffic.requests - requests
    if report is None or asked != 1:
        faults.append(f"a second pass on {replica.name} asks {asked} times")
    return faults
