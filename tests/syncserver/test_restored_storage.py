"""A storage that was set back to an old copy and went on: the service tells whoever knows what it has lost (P-25)."""

import pytest
from msgspec.structs import replace

from oharness.core.scopes import USER_SCOPE
from oharness.protocol.errors import ErrorCode
from oharness.protocol.snapshot import SNAPSHOT_PATH, KnownRevision, ListingRequest, PollQuery, encode_snapshot_request
from oharness.protocol.values import Epoch, Revision
from oharness.syncserver.manifest import (
    FORMAT,
    MAX_RECENT,
    NO_MANIFEST,
    Manifest,
    NoteEntry,
    TombstoneEntry,
    Writer,
    has_lost,
)
from oharness.testing.sync_caller import Caller, delete, error_of, note, put
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync

HASH = "a" * 64
KEPT = Manifest(
    FORMAT,
    "e",
    9,
    "nonce",
    Writer("d", "c"),
    3,
    {},
    {"live": NoteEntry(HASH, "r9", 9, 1, 0, recent=("r5", "r9"))},
    {"gone": TombstoneEntry(8, "r8", HASH, (), 0, recent=("r4", "r8"))},
)


def lost(note_id: str, revision: str, *, since: int = 6, manifest: Manifest = KEPT, epoch: str = "e") -> bool:
    return has_lost(manifest, Epoch(epoch), since, "f1-x", KnownRevision(note_id, Revision(revision)))


def test_a_revision_that_no_note_remembers_is_lost() -> None:
    assert lost("live", "r6")
    assert lost("gone", "r6")
    assert lost("never", "r6")


@pytest.mark.parametrize(("note_id", "revision"), [("live", "r9"), ("live", "r5"), ("gone", "r8"), ("gone", "r4")])
def test_a_revision_that_is_or_was_there_is_not_lost(note_id: str, revision: str) -> None:
    assert not lost(note_id, revision)


def test_nothing_is_said_of_what_epoch_version_and_horizon_tell_already() -> None:
    assert not lost("live", "r6", epoch="other")
    assert not lost("live", "r6", since=10)
    assert not lost("never", "r3", since=3)  # its tombstone may be what expired
    assert not has_lost(KEPT, Epoch("e"), None, "f1-x", KnownRevision("live", Revision("r6")))
    assert not has_lost(KEPT, Epoch("e"), 6, "f1-x", None)
    assert not has_lost(NO_MANIFEST, Epoch(""), 0, "f1-x", None)


def test_nothing_is_said_of_a_note_that_changed_more_often_than_is_remembered() -> None:
    full = tuple(f"r{number}" for number in range(10, 10 + MAX_RECENT))
    often = replace(KEPT, notes={"live": replace(KEPT.notes["live"], recent=full)})
    assert not lost("live", "r6", manifest=often)


def test_nothing_is_said_in_a_scope_that_the_old_protocol_began() -> None:
    assert not lost("live", "r6", manifest=replace(KEPT, epoch="f1-x"), epoch="f1-x")


async def test_a_restored_storage_that_went_on_refuses_the_place_it_does_not_know(
    ann: Caller, ann_elsewhere: Caller, server: SyncServer
) -> None:
    first = await ann.commit(put(note()))
    copy = dict(server.store._objects)  # type: ignore[attr-defined]
    base = first.results[0]
    taken = await ann.commit(put(note(body="lost"), base.revision, base.hash), epoch=first.epoch)
    revision = taken.results[0].revision
    assert revision is not None
    known = KnownRevision("a-1", revision)
    poll = PollQuery(USER_SCOPE, first.epoch, taken.version, known)
    listing = ListingRequest(USER_SCOPE, epoch=first.epoch, since=taken.version, latest=known)
    assert not (await ann.poll(poll)).states[0].changed
    server.store._objects = copy  # type: ignore[attr-defined]
    await ann_elsewhere.commit(delete("a-1", base.revision), epoch=first.epoch)
    assert (await ann.poll(poll)).states[0].changed
    answer = await ann.post(SNAPSHOT_PATH, encode_snapshot_request(listing))
    assert error_of(answer).code is ErrorCode.EPOCH_CHANGED
    assert (await ann.list()).complete
