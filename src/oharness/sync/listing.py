"""Asks what is in the scope, and takes in only what agrees with itself.

A poll-sized answer when nothing changed. A cloud that looks wiped or restored, or says so, is asked a second time
before anybody believes it, and counts that differ are settled by one complete listing.
"""

from dataclasses import replace

from oharness.notes.note import Note
from oharness.notes.problems import ProblemReason
from oharness.notes.valid import problem_of
from oharness.protocol.errors import ErrorCode
from oharness.protocol.snapshot import ListingAnswer, ListingRequest
from oharness.protocol.values import Epoch, hash_matches
from oharness.reconcile.baseline import (
    Baseline,
    Listing,
    after_listing,
    after_reset,
    live_check,
    was_reset,
)
from oharness.reconcile.decide import Here, HoldReason
from oharness.sync.desk import CountsDiffer, Desk
from oharness.sync.transport import ServiceRefused, SyncTransport
from oharness.sync.undisturbed import undisturbed
from oharness.sync.wire import known_revision, listing_of


async def list_scope(desk: Desk, transport: SyncTransport) -> None:
    """Takes the cloud side as it is now into the desk's baseline; nothing is written yet.

    Everything is listed where a revision turned out to be gone: what it was replaced by may have come at a version
    that this machine believes to know, after the cloud was restored.
    Raises: AccountChanged; CountsDiffer; what the transport raises.
    """
    since = None if desk.missing_once else desk.baseline
    answer = await _ask(desk, transport, since) or await _ask(desk, transport, since)
    restored = answer is None
    answer = answer or await _ask_all(desk, transport)
    listing = listing_of(answer)
    if not restored and was_reset(desk.baseline, listing):
        answer = await _ask_all(desk, transport)
        listing = listing_of(answer)
    _check_itself(desk, answer)
    baseline = _taken_in(desk, listing, restored=restored)
    if not listing.complete and not _is_as_counted(baseline, answer):
        _complain_once(desk, listing)
        answer = await _ask_all(desk, transport)
        listing = listing_of(answer)
        _check_itself(desk, answer)
        baseline = _taken_in(desk, listing)
    desk.baseline = baseline
    desk.progress = replace(desk.progress, committed=())
    desk.report.version = listing.version
    with undisturbed():
        for note in answer.notes:
            if note.note is not None:
                take_body(desk, note.note, note.hash, note.revision)


def take_body(desk: Desk, note: Note, content: str, revision: str) -> None:
    """Keeps a body that came over the wire, if it is what its hash says and can be kept as a file (P-14)."""
    if not hash_matches(note, content):
        desk.broken[revision] = HoldReason.CHECKSUM
        return
    problem = problem_of(note, desk.directory.folder.max_note_bytes)
    if problem is None:
        desk.bodies[revision] = note
    else:
        desk.broken[revision] = ProblemReason(problem).value


async def _ask(desk: Desk, transport: SyncTransport, since: Baseline | None) -> ListingAnswer | None:
    """What changed since the baseline, or everything; None where the cloud does not know what the baseline names."""
    try:
        return await _answer(desk, transport, since)
    except ServiceRefused as refused:
        if refused.code is not ErrorCode.EPOCH_CHANGED or since is None:
            raise
        return None


async def _ask_all(desk: Desk, transport: SyncTransport) -> ListingAnswer:
    return await _answer(desk, transport, None)


async def _answer(desk: Desk, transport: SyncTransport, since: Baseline | None) -> ListingAnswer:
    partly = since is not None and since.version > 0 and since.epoch != ""
    request = ListingRequest(
        scope=desk.directory.scope,
        user_id=desk.user_id,
        epoch=Epoch(since.epoch) if since and partly else None,
        since=since.version if since and partly else None,
        have=desk.progress.committed if partly else _held(desk),
        latest=known_revision(since) if since and partly else None,
    )
    answer = await transport.listing(request)
    desk.take(answer.standing)
    return answer


def _held(desk: Desk) -> tuple[str, ...]:
    return tuple(sorted(side.hash for side in desk.look.files.values() if isinstance(side, Here)))


def _taken_in(desk: Desk, listing: Listing, *, restored: bool = False) -> Baseline:
    if not restored and not was_reset(desk.baseline, listing):
        with undisturbed():
            return after_listing(desk.baseline, listing)
    desk.report.cloud_was_reset = True
    desk.progress = replace(desk.progress, cloud_was_reset_at=desk.directory.clock.now_ms())
    return after_listing(after_reset(desk.baseline, desk.look.files.keys()), listing)


def _check_itself(desk: Desk, answer: ListingAnswer) -> None:
    """A complete listing holds as many notes as the service counts, and the same ones.

    Raises: CountsDiffer.
    """
    if answer.complete:
        counted = live_check((note.id, note.hash) for note in answer.notes)
        if (counted.count, counted.hex) != (answer.check.count, answer.check.xor):
            raise CountsDiffer(desk.directory.scope.key, answer.version)


def _is_as_counted(baseline: Baseline, answer: ListingAnswer) -> bool:
    return (baseline.check.count, baseline.check.hex) == (answer.check.count, answer.check.xor)


def _complain_once(desk: Desk, listing: Listing) -> None:
    """Counts that differ again at the same version are an error; a complete listing did not mend them.

    Raises: CountsDiffer.
    """
    place = (listing.epoch, listing.version)
    if desk.progress.check_failed_at == place:
        raise CountsDiffer(desk.directory.scope.key, listing.version)
    desk.progress = replace(desk.progress, check_failed_at=place)
