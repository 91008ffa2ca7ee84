"""Merging two notes into one, cloud first, as tidying does it."""

import asyncio
from dataclasses import replace

from oharness.core.errors import OharnessError
from oharness.notes.batch import NoteBatch, PlannedDelete, PlannedWrite
from oharness.notes.hashing import content_hash
from oharness.sync.commit_first import commit_first
from oharness.testing.faults import Crashed
from oharness.testing.world.accidents import after_a_crash
from oharness.testing.world.cloud import ACCOUNT
from oharness.testing.world.ledger import text_of
from oharness.testing.world.machine import Replica
from oharness.testing.world.people import word
from oharness.testing.world.world import World


def merges_notes(world: World, replica: Replica) -> None:
    """Two notes of a directory become one, unless something is running there."""
    running = world.passes.get(replica)
    notes = replica.notes()
    if len(notes) < 2 or (running is not None and not running.done()):
        return
    kept, gone = (notes[note_id] for note_id in world.chance.sample(sorted(notes), 2))
    if kept.id.lower() == gone.id.lower():
        return  # two spellings of one note, which no batch takes
    merged = replace(kept, body=f"{kept.body}\n{gone.body}\nmerged: {word(world)}")
    batch = NoteBatch((PlannedWrite(merged, content_hash(kept)),), (PlannedDelete(gone.id, content_hash(gone)),))
    world.trace.event("merges two notes", replica.name, f"{kept.id} and {gone.id} to {text_of(merged)[1]}")
    # Whether it goes through is not certain before it is done: until then the merged text is one that may appear.
    world.ledger.may_become({text_of(kept), text_of(gone)}, text_of(merged))
    world.batches.append(asyncio.get_running_loop().create_task(_merge(world, replica, batch)))


async def _merge(world: World, replica: Replica, batch: NoteBatch) -> None:
    process = world.process(replica)
    try:
        done = await commit_first(process.directory, process.transport, ACCOUNT, batch)
    except OharnessError as error:
        world.trace.event(f"merge ends with {type(error).__name__}", replica.name, str(error))
    except Crashed as crash:
        world.trace.event("crash", replica.name, str(crash))
        after_a_crash(world, replica)
    else:
        world.trace.say(replica.name, f"  merged {done.written} without {done.deleted}, left {done.left}")
