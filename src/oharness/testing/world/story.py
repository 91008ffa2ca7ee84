"""Plays one world from a seed: a lively time full of people and accidents, then quiet, then judgement."""

import asyncio
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from oharness.core.errors import OharnessError
from oharness.core.scopes import USER_SCOPE, Scope, project_scope
from oharness.disk.credentials_file import Credentials
from oharness.protocol.quotas import PlanLimits, Quota
from oharness.reconcile.guards import ANSWERS, Choice
from oharness.sync.confirm import confirm_paused
from oharness.sync.report import PassReport
from oharness.sync.syncing import sync_directory
from oharness.testing.faults import Crashed
from oharness.testing.simulated_time import SimulatedLoop, run_simulated
from oharness.testing.world import accidents, people
from oharness.testing.world.cloud import ACCOUNT
from oharness.testing.world.invariants import backups_on, conflict_faults, conflicts_on, faults_at_rest
from oharness.testing.world.machine import ORIGIN, Machine, Process, Replica
from oharness.testing.world.world import Broken, World, new_world

_CREDENTIALS = Credentials(ORIGIN, ORIGIN, ACCOUNT, "")
_MOST_ROUNDS = 16
_COOLDOWN_S = 70.0
_PAUSES_S = (0.0, 0.0, 0.01, 0.1, 0.3, 1.0, 3.0, 30.0, 90.0, 4000.0)


@dataclass(frozen=True, slots=True)
class Played:
    """A world that was played to its end: what happened, and what is wrong with it."""

    seed: int
    lines: tuple[str, ...]
    digest: str
    counts: dict[str, int]
    requests: int
    faults: tuple[str, ...]
    steps: int


def play(seed: int, steps: int | None = None) -> Played:
    """Plays the world of a seed; the same seed gives the same world. `steps` ends the lively time early."""
    chance = random.Random(f"threads {seed}")

    async def main(loop: SimulatedLoop) -> Played:
        world = _made_up(loop, seed)
        faults: list[str] = []
        try:
            await world.cloud.open()
            await _lively(world, steps)
            await _quiet(world)
            faults += await _judged(world)
        except (Broken, AssertionError) as error:
            faults.append(f"{type(error).__name__}: {error}")
        faults += [str(context.get("exception") or context["message"]) for context in loop.faults]
        trace = world.trace
        for fault in faults:
            trace.say("JUDGE", fault)
        return Played(
            seed,
            tuple(trace.lines),
            trace.digest,
            dict(trace.counts),
            world.cloud.network.requests,
            tuple(faults),
            world.steps,
        )

    return run_simulated(main, lambda: chance.choice((0.0, 0.0, 0.001, 0.02)))


# --- making it up


def _made_up(loop: SimulatedLoop, seed: int) -> World:
    chance = random.Random(f"world {seed}")
    scope: Scope = project_scope("shop") if chance.random() < 0.8 else USER_SCOPE
    world = new_world(loop, seed, scope)
    if chance.random() < 0.3:
        world.cloud.quota = Quota(max_changes=chance.choice((1, 2, 5)), max_response_bytes=chance.choice((300, 5000)))
    if chance.random() < 0.25:
        world.has_limits = True
        world.cloud.free_limits = PlanLimits(chance.choice((3, 5)), chance.choice((150, 400)))
        world.cloud.plan = chance.choice(("free", "paid"))
    world.cloud.start()
    badness = chance.choice((0.0, 0.0, 0.1, 0.25))
    for name in ("laptop", "desk", "phone", "attic")[: chance.choice((2, 2, 2, 3, 3, 4))]:
        machine = world.machine(name, ignores_case=chance.random() < 0.2)
        world.replica(machine, "home" if scope == USER_SCOPE else f"device-{name}")
        world.cloud.weather.bad_requests[name] = badness
    return world


_Event = Callable[[World], None]


def _events(world: World) -> tuple[list[_Event], list[float]]:
    """What may happen in this world and how likely each is: some kinds not at all, so that others come in crowds."""
    chance = world.chance
    always: list[tuple[_Event, float]] = [
        (_by(people.writes_a_note), 3),
        (_by(people.edits_a_note), 5),
        (_by(_starts_a_pass), 16),
    ]
    sometimes: list[tuple[_Event, float]] = [
        (_by(people.deletes_a_note), 1.5),
        (_by(people.restores_a_backup), 1),
        (_by(people.answers_a_conflict), 3),
        (_by(people.answers_a_pause), 1.5),
        (_by(people.edits_a_file), 2),
        (_by(people.removes_a_file), 0.7),
        (_by(accidents.is_about_to_crash), 1.5),
        (_by(accidents.has_a_failing_disk), 1),
        (_by(accidents.is_visited_in_mid_pass), 1.5),
        (_on_machine(accidents.loses_power), 1),
        (_on_machine(accidents.is_set_back), 0.8),
        (_on_machine(accidents.clock_jumps), 0.8),
        (accidents.storage_is_set_back, 0.6),
        (accidents.service_restarts, 0.5),
        (accidents.plan_changes, 0.5),
        (_weather_changes, 3),
        (_store_weather_changes, 1),
    ]
    chosen = always + [
        (event, weight * chance.choice((0.5, 1, 3))) for event, weight in sometimes if chance.random() < 0.55
    ]
    return [event for event, _ in chosen], [weight for _, weight in chosen]


def _by(act: Callable[[World, Replica], None]) -> _Event:
    return lambda world: act(world, world.chance.choice(world.replicas))


def _on_machine(accident: Callable[[World, Machine], None]) -> _Event:
    return lambda world: accident(world, world.chance.choice(world.machines))


def _weather_changes(world: World) -> None:
    weather, name = world.cloud.weather, world.chance.choice(world.replicas).name
    weather.offline.discard(name)
    draw = world.chance.random()
    if draw < 0.2:
        weather.offline.add(name)
    weather.bad_requests[name] = world.chance.choice((0.0, 0.2, 0.5)) if draw < 0.9 else 0.0
    world.trace.say(name, f"weather: {'offline' if name in weather.offline else weather.bad_requests[name]}")


def _store_weather_changes(world: World) -> None:
    world.cloud.weather.bad_store_calls = world.chance.choice((0.0, 0.05, 0.25))
    world.trace.say("store", f"weather: {world.cloud.weather.bad_store_calls}")


# --- the lively time


async def _lively(world: World, most: int | None) -> None:
    events, weights = _events(world)
    for replica in world.replicas:
        people.writes_a_note(world, replica)
    steps = world.chance.randint(25, 55)
    for _ in range(steps if most is None else min(most, steps)):
        world.steps += 1
        world.chance.choices(events, weights)[0](world)
        _complain(world)
        await asyncio.sleep(world.chance.choice(_PAUSES_S))


def _starts_a_pass(world: World, replica: Replica) -> None:
    running = world.passes.get(replica)
    if running is None or running.done():
        world.passes[replica] = asyncio.get_running_loop().create_task(_sync(world, replica))


async def _sync(world: World, replica: Replica) -> PassReport | None:
    """One pass; what it may run into is told, anything else breaks the world."""
    process = world.process(replica)
    world.trace.event("pass", replica.name)
    known = set(conflicts_on(replica))
    try:
        report = await sync_directory(
            process.directory, process.files, replica.machine.home, _CREDENTIALS, process.transport
        )
    except OharnessError as error:
        world.trace.event(f"pass ends with {type(error).__name__}", replica.name, str(error))
        return None
    except Crashed as crash:
        world.trace.event("crash", replica.name, str(crash))
        return None
    world.trace.say(replica.name, f"  {_told(report)}")
    for note_id in sorted(set(report.conflicts) - known):
        world.faults += conflict_faults(world, replica, note_id)
        world.trace.event("conflict", replica.name, note_id)
    _settle_the_past(replica, report)
    return report


def _settle_the_past(replica: Replica, report: PassReport) -> None:
    if report.paused is None:
        open_ids = {*report.conflicts, *report.held_back}
        replica.unclear = open_ids if replica.has_lost_its_past else replica.unclear & open_ids
        replica.has_lost_its_past = False


def _told(report: PassReport) -> str:
    parts = {
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "pushed": report.pushed,
        "deleted": report.deleted,
        "merged": report.merged,
        "conflicts": report.conflicts,
        "held": sorted(report.held_back.items()),
    }
    said = [f"{word} {ids}" for word, ids in parts.items() if ids]
    if report.paused:
        said.append(f"PAUSED {report.paused.reason} {list(report.paused.note_ids)}")
    return f"{report.status} v{report.version} {' '.join(said)}"


def _complain(world: World) -> None:
    for running in world.passes.values():
        if running.done() and not running.cancelled() and running.exception() is not None:
            raise Broken(f"a pass ended with {running.exception()!r}")
    if world.faults:
        raise Broken("; ".join(world.faults))


# --- quiet


async def _quiet(world: World) -> None:
    """Faults stop, what is under way arrives, and everybody syncs until nothing moves any more."""
    world.trace.say("world", "--- quiet")
    world.cloud.weather.clear_up()
    for replica in world.replicas:
        if replica.process is not None:
            replica.process.files.fail = lambda operation, path: None
    await asyncio.gather(*world.passes.values(), return_exceptions=True)
    await world.cloud.network.quiet()
    await asyncio.sleep(_COOLDOWN_S)
    _complain(world)
    await _come_to_rest(world)
    if world.chance.random() < 0.5:
        for _ in range(10):
            if not any(_answers_everything(world, replica) for replica in world.replicas):
                break
            await _come_to_rest(world)
        else:
            raise Broken("conflicts open again and again")


def _answers_everything(world: World, replica: Replica) -> bool:
    process = world.process(replica)
    conflicts = process.directory.state.conflicts()
    for _ in conflicts:
        people.answers_a_conflict(world, replica)
    return bool(conflicts)


async def _come_to_rest(world: World) -> None:
    for _ in range(_MOST_ROUNDS):
        moved = False
        for replica in world.replicas:
            report = await _sync(world, replica)
            _complain(world)
            if report is None:
                raise Broken(f"{replica.name} cannot sync although nothing is in its way")
            moved = moved or _still_moves(report)
            if report.paused:
                _answer_pause(world, world.process(replica), replica, report)
            world.held[replica.name] = dict(report.held_back)
            await asyncio.sleep(1.0)
        if not moved:
            return
    raise Broken(f"no rest after {_MOST_ROUNDS} rounds")


def _still_moves(report: PassReport) -> bool:
    waits = any(reason in ("missing", "changed") for reason in report.held_back.values())
    return not report.changed_nothing or report.paused is not None or waits


def _answer_pause(world: World, process: Process, replica: Replica, report: PassReport) -> None:
    assert report.paused is not None
    choices = sorted(ANSWERS[report.paused.reason])
    if not choices:
        raise Broken(f"{replica.name} pauses for ever: {report.paused.reason}")
    choice: Choice = world.chance.choice(choices)
    world.trace.event(f"answers a pause: {report.paused.reason} {choice}", replica.name)
    confirm_paused(process.directory, choice)
    for note_id in report.paused.note_ids:
        people.note_answered(world, replica, note_id, choice)


# --- judgement


async def _judged(world: World) -> Iterable[str]:
    faults = list(faults_at_rest(world, world.held))
    for replica in world.replicas:
        faults += await _second_pass_faults(world, replica)
    return faults


async def _second_pass_faults(world: World, replica: Replica) -> list[str]:
    """One more pass writes no note, no backup and nothing to the cloud, and asks once."""
    process = world.process(replica)
    process.tokens.present = world.cloud.token()
    before = replica.files(), backups_on(replica.machine), world.cloud.objects.values()
    requests = process.transport.traffic.requests
    report = await _sync(world, replica)
    faults: list[str] = []
    if (replica.files(), backups_on(replica.machine), world.cloud.objects.values()) != before:
        faults.append(f"a second pass on {replica.name} writes something")
    asked = process.transport.traffic.requests - requests
    if report is None or asked != 1:
        faults.append(f"a second pass on {replica.name} asks {asked} times")
    return faults
