"""Passes of the real client, and what they may end with."""

import asyncio

from oharness.core.errors import OharnessError
from oharness.disk.credentials_file import Credentials
from oharness.sync.report import PassReport
from oharness.sync.syncing import sync_directory
from oharness.testing.faults import Crashed
from oharness.testing.world.accidents import after_a_crash
from oharness.testing.world.cloud import ACCOUNT
from oharness.testing.world.invariants import conflict_faults
from oharness.testing.world.ledger import text_of
from oharness.testing.world.lying_there import conflicts_on
from oharness.testing.world.machine import ORIGIN, Replica
from oharness.testing.world.world import Broken, World

_CREDENTIALS = Credentials(ORIGIN, ORIGIN, ACCOUNT, "")


def starts_a_pass(world: World, replica: Replica) -> None:
    """Syncs, unless a pass is running."""
    running = world.passes.get(replica)
    if running is None or running.done():
        world.passes[replica] = asyncio.get_running_loop().create_task(sync(world, replica))


async def sync(world: World, replica: Replica) -> PassReport | None:
    """One pass; None when it ended with an error that it may end with."""
    process = world.process(replica)
    world.trace.event("pass", replica.name)
    known = set(conflicts_on(replica))
    home = replica.machine.home
    try:
        report = await sync_directory(process.directory, process.files, home, _CREDENTIALS, process.transport)
    except OharnessError as error:
        world.trace.event(f"pass ends with {type(error).__name__}", replica.name, str(error))
        return None
    except Crashed as crash:
        world.trace.event("crash", replica.name, str(crash))
        after_a_crash(world, replica)
        return None
    world.trace.say(replica.name, f"  {_told(report)}")
    for what in ("added", "changed", "removed", "pushed", "deleted", "merged"):
        world.trace.counts[f"notes {what}"] += len(getattr(report, what))
    for note_id in sorted(set(report.conflicts) - known):
        world.faults += conflict_faults(world, replica, note_id)
        world.trace.event("conflict", replica.name, note_id)
    _record(world, replica, report)
    return report


def complain(world: World) -> None:
    """Raises Broken when a pass ended as none may, or something was wrong already while it happened."""
    for running in (*world.passes.values(), *world.batches):
        if running.done() and not running.cancelled() and running.exception() is not None:
            raise Broken(f"a pass ended with {running.exception()!r}")
    if faults := [*world.cloud.watch.faults, *world.faults]:
        raise Broken("; ".join(faults))


def _record(world: World, replica: Replica, report: PassReport) -> None:
    """What a finished pass left as the cloud has it, and what it knows to be gone there."""
    if report.paused is None:
        waiting = {*report.conflicts, *report.held_back}
        replica.unsent_again = {text for text in replica.unsent_again if text.id in waiting}
        there = {text_of(note) for note in world.cloud.notes().values()}
        notes = {note_id for note_id, note in replica.notes().items() if text_of(note) in there}
        replica.in_sync = ((replica.in_sync & replica.files().keys()) | notes) - waiting


def _told(report: PassReport) -> str:
    parts = {
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "pushed": report.pushed,
        "deleted": report.deleted,
        "merged": report.merged,
        "conflicts": report.conflicts,
        "held": sorted((note_id, str(reason)) for note_id, reason in report.held_back.items()),
    }
    said = [f"{word} {ids}" for word, ids in parts.items() if ids]
    if report.paused:
        said.append(f"PAUSED {report.paused.reason} {list(report.paused.note_ids)}")
    if report.cloud_was_reset:
        said.append("CLOUD WAS RESET")
    return f"{report.status} v{report.version} {' '.join(said)}"
