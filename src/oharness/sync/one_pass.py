"""One pass over one directory: lock, outbox, listing, plan, backups, files, baseline, commits.

Interrupted anywhere, the next pass finishes the work: whatever was done is either recorded, or looks to the next
plan like what it is.
"""

from collections.abc import Callable, Mapping

from oharness.reconcile.decide import Decision, DeleteInCloud, Upload
from oharness.reconcile.guards import Paused
from oharness.sync.bodies import carry_out_all
from oharness.sync.desk import Desk, begin, close_desk, look_again, open_desk, plan
from oharness.sync.directory import Directory
from oharness.sync.in_thread import in_thread
from oharness.sync.listing import list_scope
from oharness.sync.report import PassReport
from oharness.sync.sending import Sent, finish_outbox, send_all
from oharness.sync.transport import SyncTransport

MOST_ROUNDS = 5
"""How often a pass plans anew when the cloud moves on meanwhile; what is left then waits for the next pass."""

LOCK_WAIT_SECONDS = 20.0


async def one_pass(
    directory: Directory,
    transport: SyncTransport,
    user_id: str,
    tell: Callable[[int, int], None] | None = None,
) -> PassReport:
    """Brings the directory and its cloud scope of the account `user_id` together.

    `tell` is called with notes done and notes to do. A pass that has to ask a person first changes nothing and says
    what it asks. May be cancelled; then nothing more is written.
    Raises: SyncBusy; AccountChanged, CountsDiffer; what the transport raises; BackupFailed, StorageFailed,
    FolderBusy, DirectoryRedirected, BrokenFile, StateFromNewerVersion.
    """
    lock = await in_thread(directory.state.lock, LOCK_WAIT_SECONDS)
    try:
        desk = await in_thread(open_desk, directory, user_id)
        if tell is not None:
            desk.tell = tell
        requests_before = transport.traffic.requests
        await run_pass(desk, transport)
        await in_thread(close_desk, desk)
        desk.report.requests = transport.traffic.requests - requests_before
        return desk.report
    finally:
        lock.release()


async def run_pass(desk: Desk, transport: SyncTransport) -> None:
    """The pass itself, with the desk open and the lock held; the report on the desk tells what was done.

    Raises: as `one_pass`.
    """
    await finish_outbox(desk, transport)
    if not desk.report.changed_nothing:
        await in_thread(look_again, desk)  # what was made on purpose is in sync now
    listed = False
    for _ in range(MOST_ROUNDS):
        if not listed:
            await list_scope(desk, transport)
        planned = await in_thread(plan, desk)
        if isinstance(planned, Paused):
            desk.report.paused = planned
            break
        desk.report.held_back = dict(planned.held_back)
        await in_thread(begin, desk, planned)
        outcome = await _carry_out(desk, transport, planned.decisions)
        if outcome is Sent.RECORDED:
            break
        listed = outcome is Sent.PLAN_AGAIN
        await in_thread(look_again, desk)
    desk.report.conflicts = sorted(desk.conflicts)


async def _carry_out(desk: Desk, transport: SyncTransport, decisions: Mapping[str, Decision]) -> Sent:
    here = {n: d for n, d in decisions.items() if not isinstance(d, Upload | DeleteInCloud)}
    merged, gone = await carry_out_all(desk, transport, here)
    sent = await send_all(desk, transport, merged, decisions)
    return Sent.LIST_AGAIN if gone else sent
