"""Plays one world from a seed: a lively time full of people and accidents, then quiet, then judgement."""

import asyncio
import os
import random
import tempfile
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from oharness.core.scopes import USER_SCOPE, Scope, project_scope
from oharness.protocol.quotas import PlanLimits, Quota
from oharness.testing.simulated_time import SimulatedLoop, run_simulated
from oharness.testing.world import folders, people
from oharness.testing.world.events import Cast, choose_events
from oharness.testing.world.old_device import NAME, OldDevice
from oharness.testing.world.passes import complain
from oharness.testing.world.quiet import come_to_an_end
from oharness.testing.world.world import new_world

FEWEST_STEPS, MOST_STEPS = 25, 55
_PAUSES_S = (0.0, 0.0, 0.01, 0.1, 0.3, 1.0, 3.0, 30.0, 90.0, 4000.0)
_IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
_MACHINES = ("laptop", "desk", "phone", "attic")


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
    threads = random.Random(f"threads {seed}")
    with ExitStack() as leaving:

        def place() -> Path:
            return Path(leaving.enter_context(tempfile.TemporaryDirectory(prefix="world-", dir=_IN_MEMORY)))

        async def main(loop: SimulatedLoop) -> Played:
            return await _played(_made_up(loop, seed, place), loop, seed, steps)

        return run_simulated(main, lambda: threads.choice((0.0, 0.0, 0.001, 0.02)))


def _made_up(loop: SimulatedLoop, seed: int, place: Callable[[], Path]) -> Cast:
    chance = random.Random(f"world {seed}")
    scope: Scope = project_scope("shop") if chance.random() < 0.8 else USER_SCOPE
    world = new_world(loop, seed, scope)
    cast = Cast(world)
    if chance.random() < 0.3:
        world.cloud.quota = Quota(max_changes=chance.choice((1, 2, 5)), max_response_bytes=chance.choice((300, 5000)))
    if chance.random() < 0.25:
        world.has_limits = True
        world.cloud.free_limits = PlanLimits(chance.choice((3, 5)), chance.choice((150, 400)))
        world.cloud.plan = chance.choice(("free", "paid"))
    world.cloud.start()
    badness = chance.choice((0.0, 0.0, 0.1, 0.25))
    for name in _MACHINES[: chance.choice((2, 2, 2, 3, 3, 4))]:
        machine = world.machine(name, ignores_case=chance.random() < 0.2)
        world.replica(machine, "home" if scope == USER_SCOPE else f"device-{name}")
        world.cloud.weather.bad_requests[name] = badness
    if scope != USER_SCOPE and chance.random() < 0.15:
        world.cloud.weather.bad_requests[NAME] = badness
        world.has_old_device = True
        cast.old = OldDevice(world, scope.project_id)
        world.elsewhere = cast.old.texts
    if scope != USER_SCOPE and chance.random() < 0.3:
        root = place()
        for replica in world.replicas:
            folders.has_git(replica, root)
    return cast


async def _played(cast: Cast, loop: SimulatedLoop, seed: int, steps: int | None) -> Played:
    world = cast.world
    faults: list[str] = []
    try:
        await world.cloud.open()
        await _lively(cast, steps)
        faults += await come_to_an_end(cast)
    except AssertionError as error:
        faults.append(f"{type(error).__name__}: {error}")
    except Exception:  # noqa: BLE001 - whatever ends a world has to be told with its seed
        faults.append(traceback.format_exc())
    faults += [str(context.get("exception") or context["message"]) for context in loop.faults]
    trace = world.trace
    for fault in faults:
        trace.say("JUDGE", fault)
    requests = world.cloud.network.requests
    return Played(seed, tuple(trace.lines), trace.digest, dict(trace.counts), requests, tuple(faults), world.steps)


async def _lively(cast: Cast, most: int | None) -> None:
    world = cast.world
    events, weights = choose_events(cast)
    for replica in world.replicas:
        people.writes_a_note(world, replica)
    steps = world.chance.randint(FEWEST_STEPS, MOST_STEPS)
    for _ in range(steps if most is None else min(most, steps)):
        world.steps += 1
        world.chance.choices(events, weights)[0](cast)
        complain(world)
        await asyncio.sleep(world.chance.choice(_PAUSES_S) + cast.rest_s)
        cast.rest_s = 0.0
