"""Brings down the bodies that decisions need, a page at a time, and carries each page out as it arrives (P-23)."""

from collections.abc import Iterator, Mapping

from oharness.protocol.errors import ProtocolBroken
from oharness.protocol.snapshot import BodiesRequest, WantedBody
from oharness.protocol.values import Revision
from oharness.reconcile.baseline import InCloud
from oharness.reconcile.decide import (
    Decision,
    DeleteHere,
    Download,
    HoldReason,
    Merge,
    Refetch,
)
from oharness.reconcile.work import NoteWork, PutNote, RemoveFile, WriteFile, cloud_needed
from oharness.sync.desk import Desk, carry_out
from oharness.sync.in_thread import in_thread
from oharness.sync.listing import take_body
from oharness.sync.transport import SyncTransport

NOTES_IN_A_BATCH = 8192
_AROUND_A_NOTE = 600
_DEFAULT_PAGE_BYTES = 4 * 1024 * 1024


async def carry_out_all(
    desk: Desk, transport: SyncTransport, decisions: Mapping[str, Decision]
) -> tuple[list[PutNote], bool]:
    """Carries out every decision but uploads and deletions in the cloud.

    Gives what merging left to send, and whether some revision was gone, so that the scope has to be listed again.
    Raises: what the transport and the disk raise; finished pages are recorded.
    """
    puts: list[PutNote] = []
    at_hand = {n: d for n, d in decisions.items() if _revision(d) is None or _revision(d) in desk.bodies}
    done, total = 0, len(decisions)
    if total:
        desk.tell(done, total)
    for batch in _batches(at_hand):
        puts += _report(desk, await in_thread(carry_out, desk, batch))
        done += len(batch)
        desk.tell(done, total)
    gone = False
    for page in _pages(desk, {n: d for n, d in decisions.items() if n not in at_hand}):
        missing = await _fetch(desk, transport, page)
        gone = gone or bool(missing)
        arrived = {note_id: decision for note_id, decision in page.items() if note_id not in missing}
        puts += _report(desk, await in_thread(carry_out, desk, arrived))
        done += len(page)
        desk.tell(done, total)
    return puts, gone


async def _fetch(desk: Desk, transport: SyncTransport, page: Mapping[str, Decision]) -> set[str]:
    """Gets the bodies of a page, however many answers that takes; gives the notes whose revision is gone."""
    waiting = {note_id: cloud for note_id, d in page.items() if (cloud := cloud_needed(d))}
    gone: set[str] = set()
    while waiting:
        wanted = tuple(WantedBody(note_id, Revision(cloud.revision)) for note_id, cloud in waiting.items())
        answer = await transport.bodies(BodiesRequest(desk.directory.scope, wanted, desk.user_id))
        desk.take(answer.standing)
        before = len(waiting)
        for sent in answer.notes:
            cloud = waiting.get(sent.id)
            if cloud is not None and cloud.revision == sent.revision:
                take_body(desk, sent.note, cloud.hash, cloud.revision)
                del waiting[sent.id]
        for note_id in answer.missing:
            cloud = waiting.pop(note_id, None)
            if cloud is not None:
                gone |= _missed(desk, note_id, cloud)
        if len(waiting) == before:
            raise ProtocolBroken("none of the bodies that were asked for")
    return gone


def _missed(desk: Desk, note_id: str, cloud: InCloud) -> set[str]:
    """A revision that is gone is listed anew; named again, its note is held back. It is never a deletion."""
    if cloud.revision not in desk.missing_once:
        desk.missing_once.add(cloud.revision)
        return {note_id}
    desk.broken[cloud.revision] = HoldReason.CHECKSUM
    return set()


def _revision(decision: Decision) -> str | None:
    cloud = cloud_needed(decision)
    return cloud.revision if cloud else None


def _batches(decisions: Mapping[str, Decision]) -> Iterator[dict[str, Decision]]:
    listed = list(decisions.items())
    for start in range(0, len(listed), NOTES_IN_A_BATCH):
        yield dict(listed[start : start + NOTES_IN_A_BATCH])


def _pages(desk: Desk, decisions: Mapping[str, Decision]) -> Iterator[dict[str, Decision]]:
    """Decisions whose bodies fit into one answer each time."""
    limit = desk.standing.quota.max_response_bytes if desk.standing else _DEFAULT_PAGE_BYTES
    page: dict[str, Decision] = {}
    size = 0
    for note_id, decision in decisions.items():
        cloud = cloud_needed(decision)
        bytes_more = (cloud.size_bytes if cloud else 0) + _AROUND_A_NOTE
        if page and (size + bytes_more > limit or len(page) == NOTES_IN_A_BATCH):
            yield page
            page, size = {}, 0
        page[note_id] = decision
        size += bytes_more
    if page:
        yield page


def _report(desk: Desk, works: list[NoteWork]) -> list[PutNote]:
    """Notes down what was done; gives what is left to send."""
    report = desk.report
    for work in works:
        match work.decision:
            case Download() if isinstance(work.file, WriteFile):
                was_here = desk.view is not None and work.id in desk.view.files
                (report.changed if was_here else report.added).append(work.id)
            case Refetch():
                report.changed.append(work.id)
            case DeleteHere() if isinstance(work.file, RemoveFile):
                report.removed.append(work.id)
            case Merge() if work.conflict is None:
                report.merged.append(work.id)
            case _:
                pass
    return [work.change for work in works if isinstance(work.change, PutNote)]
