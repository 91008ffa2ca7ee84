"""What may happen in the lively time of a world, and how likely each kind is."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from oharness.sync.pinning import is_on, switch
from oharness.testing.world import accidents, batches, folders, people
from oharness.testing.world.machine import Machine, Replica
from oharness.testing.world.old_device import NAME, OldDevice
from oharness.testing.world.passes import starts_a_pass
from oharness.testing.world.world import World

DAY_S = 86_400.0


@dataclass(slots=True, eq=False)
class Cast:
    """A world with an old machine in it, or without. `rest_s` is how long nothing happens before the next event."""

    world: World
    old: OldDevice | None = None
    old_pass: "asyncio.Task[bool] | None" = None
    rest_s: float = 0.0


Event: TypeAlias = Callable[[Cast], None]


def choose_events(cast: Cast) -> tuple[list[Event], list[float]]:
    """The events of this world with their weights: some kinds are left out, so that others come in crowds."""
    chance = cast.world.chance
    chosen = list(_ALWAYS)
    if cast.old is not None:
        chosen += _WITH_AN_OLD_MACHINE
    for event, weight in _SOMETIMES:
        if chance.random() < 0.5:
            chosen.append((event, weight * chance.choice((0.5, 1, 3))))
    return [event for event, _ in chosen], [weight for _, weight in chosen]


def _by(act: Callable[[World, Replica], None]) -> Event:
    def event(cast: Cast) -> None:
        replica = cast.world.chance.choice(cast.world.replicas)
        act(cast.world, replica)
        accidents.after_a_crash(cast.world, replica)

    return event


def _on_machine(accident: Callable[[World, Machine], None]) -> Event:
    return lambda cast: accident(cast.world, cast.world.chance.choice(cast.world.machines))


def _in_world(accident: Callable[[World], None]) -> Event:
    return lambda cast: accident(cast.world)


def _old_machine_writes(cast: Cast) -> None:
    if cast.old is not None:
        cast.old.writes()


def _old_machine_deletes(cast: Cast) -> None:
    if cast.old is not None:
        cast.old.deletes()


def _old_machine_syncs(cast: Cast) -> None:
    if cast.old is not None and (cast.old_pass is None or cast.old_pass.done()):
        cast.world.trace.event("pass of the old machine", NAME)
        cast.old_pass = asyncio.get_running_loop().create_task(cast.old.sync())


def _turns_the_switch(world: World, replica: Replica) -> None:
    process = world.process(replica)
    with world.acts(replica):
        on = not is_on(process.files, replica.machine.home, world.scope)
        world.trace.event(f"sync {'on' if on else 'off'}", replica.name)
        switch(process.files, replica.machine.home, [world.scope], on=on)


def _days_pass(cast: Cast) -> None:
    days = cast.world.chance.choice((2, 20, 100))
    kind = "fault: tombstones expire" if days > 90 else "days pass"
    cast.world.trace.event(kind, "world", str(days))
    cast.rest_s += days * DAY_S


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


_ALWAYS: list[tuple[Event, float]] = [
    (_by(people.writes_a_note), 3),
    (_by(people.edits_a_note), 5),
    (_by(starts_a_pass), 16),
]
_WITH_AN_OLD_MACHINE: list[tuple[Event, float]] = [
    (_old_machine_writes, 1.5),
    (_old_machine_deletes, 0.5),
    (_old_machine_syncs, 3),
]
_SOMETIMES: list[tuple[Event, float]] = [
    (_by(people.deletes_a_note), 1.5),
    (_by(people.restores_a_backup), 1),
    (_by(people.answers_a_conflict), 3),
    (_by(people.answers_a_pause), 1.5),
    (_by(people.edits_a_file), 2),
    (_by(people.removes_a_file), 0.7),
    (_by(people.removes_many_files), 0.3),
    (_by(batches.merges_notes), 1.5),
    (_by(_turns_the_switch), 0.4),
    (_by(folders.goes_away), 0.5),
    (_by(folders.is_cloned), 0.4),
    (_by(folders.commits), 1.5),
    (_by(folders.checks_out), 1),
    (_by(accidents.is_about_to_crash), 1.5),
    (_by(accidents.has_a_failing_disk), 1),
    (_by(accidents.is_visited_in_mid_pass), 1.5),
    (_on_machine(accidents.loses_power), 1),
    (_on_machine(accidents.is_set_back), 0.8),
    (_on_machine(accidents.clock_jumps), 0.8),
    (_in_world(accidents.storage_is_set_back), 0.6),
    (_in_world(accidents.service_restarts), 0.5),
    (_in_world(accidents.plan_changes), 0.5),
    (_in_world(_weather_changes), 3),
    (_in_world(_store_weather_changes), 1),
    (_days_pass, 0.4),
]
