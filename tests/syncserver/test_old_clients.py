"""Clients of protocol 1 against this service, and this service as one from before version 2 (section 8)."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from oharness.core.scopes import project_scope
from oharness.notes.hashing import content_hash
from oharness.notes.note import NOTHING_EXTRA, Note
from oharness.protocol.commit import ChangeStatus
from oharness.protocol.errors import ErrorCode
from oharness.protocol.identity import decode_identity_answer
from oharness.protocol.snapshot import PollQuery
from oharness.protocol.values import Epoch
from oharness.protocol.version1 import (
    OldCommitAnswer,
    OldCommitRequest,
    OldDelete,
    OldListingAnswer,
    OldListingRequest,
    OldPut,
    decode_old_commit_answer,
    decode_old_listing_answer,
    encode_old_commit_request,
    encode_old_listing_request,
)
from oharness.syncserver.objects.base import Found
from oharness.syncserver.objects.ram import RamObjects
from oharness.testing.clock import FakeClock
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_caller import Caller, delete, error_of, note, put
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync

PROJECT = project_scope("p1")
MANIFEST = "users/ann/projects/p1/memory/manifest.json"


class OldCaller:
    """A client that has never heard of version 2."""

    def __init__(self, server: SyncServer, http: httpx2.AsyncClient) -> None:
        self.server = server
        self.http = http

    async def post(self, path: str, body: bytes) -> httpx2.Response:
        headers = self.server.headers("ann", plan="paid")
        del headers["OHarness-Protocol"]
        return await self.http.post(path, content=body, headers=headers)

    async def list(self, *have: str) -> OldListingAnswer:
        request = OldListingRequest("p1", have)
        answer = await self.post("/v1/memory/snapshot", encode_old_listing_request(request))
        assert answer.status_code == 200, answer.text
        return decode_old_listing_answer(answer.content)

    async def commit(self, *changes: OldPut | OldDelete) -> OldCommitAnswer:
        request = OldCommitRequest("p1", changes)
        answer = await self.post("/v1/memory/commit", encode_old_commit_request(request))
        assert answer.status_code == 200, answer.text
        return decode_old_commit_answer(answer.content, request)


@pytest.fixture
def old(server: SyncServer, http: httpx2.AsyncClient) -> OldCaller:
    return OldCaller(server, http)


@pytest.fixture
def old_server(clock: FakeClock, server: SyncServer) -> SyncServer:
    """A service from before version 2, on the same storage."""
    return SyncServer(clock, SeededRandomness("old"), store=server.store, only_old_protocol=True)


@pytest.fixture
async def old_http(old_server: SyncServer) -> AsyncIterator[httpx2.AsyncClient]:
    async with old_server.client() as client:
        yield client


def old_put(content: Note, base: Note | None = None) -> OldPut:
    return OldPut(content.id, None if base is None else content_hash(base), content)


async def test_an_old_client_syncs_untyped_notes_with_a_new_one(old: OldCaller, ann: Caller) -> None:
    await old.commit(old_put(note("a-1", body="from old")))
    listing = await ann.list(PROJECT)
    assert [one.note for one in listing.notes] == [note("a-1", body="from old")]
    revision = listing.notes[0].revision
    await ann.commit(put(note("a-1", body="from new"), revision), scope=PROJECT)
    answer = await old.list()
    assert (answer.version, [one.note for one in answer.notes]) == (2, [note("a-1", body="from new")])
    await old.commit(OldDelete("a-1", answer.notes[0].hash))
    assert [one.id for one in (await ann.list(PROJECT)).tombstones] == ["a-1"]
    assert [one.id for one in (await old.list()).tombstones] == ["a-1"]


async def test_bodies_that_an_old_client_has_are_left_out(old: OldCaller) -> None:
    await old.commit(old_put(note("a-1")), old_put(note("b-2", body="x")))
    answer = await old.list(content_hash(note("a-1")))
    assert {one.id: one.note is None for one in answer.notes} == {"a-1": True, "b-2": False}


TYPED = [note("t-1", type="feedback"), note("t-1", extra={"color": "red"}), note("t-1", type="x", extra={"k": 1})]


@pytest.mark.parametrize("content", TYPED)
async def test_a_note_an_old_client_cannot_know_has_a_hash_it_cannot_match(
    content: Note, old: OldCaller, ann: Caller
) -> None:
    await ann.commit(put(content), scope=PROJECT)
    (entry,) = (await old.list()).notes
    assert entry.hash == content_hash(content)
    assert entry.note is not None
    assert (entry.note.type, entry.note.extra) == (None, NOTHING_EXTRA)
    assert content_hash(entry.note) != entry.hash


async def test_old_changes_are_judged_by_their_base_hash(old: OldCaller, ann: Caller) -> None:
    first, second = note("a-1", body="one"), note("a-1", body="two")
    await old.commit(old_put(first))
    mismatch = await old.commit(old_put(second, note("a-1", body="never")))
    assert mismatch.results[0].status is ChangeStatus.MISMATCH
    assert (await old.commit(old_put(second))).results[0].status is ChangeStatus.MISMATCH
    assert (await old.commit(old_put(second, first))).results[0].status is ChangeStatus.APPLIED
    assert (await old.commit(old_put(second, first))).results[0].status is ChangeStatus.UNCHANGED
    stale = await old.commit(OldDelete("a-1", content_hash(first)))
    assert stale.results[0].status is ChangeStatus.MISMATCH
    assert (await old.commit(OldDelete("a-1", content_hash(second)))).results[0].status is ChangeStatus.APPLIED


async def test_an_old_copy_from_an_old_client_does_not_bring_a_deleted_note_back(old: OldCaller) -> None:
    await old.commit(old_put(note("a-1", body="one")))
    await old.commit(old_put(note("a-1", body="two"), note("a-1", body="one")))
    await old.commit(OldDelete("a-1", content_hash(note("a-1", body="two"))))
    for body in ("one", "two"):
        answer = await old.commit(old_put(note("a-1", body=body)))
        assert answer.results[0].status is ChangeStatus.STALE_DELETED
    edited = await old.commit(old_put(note("a-1", body="three"), note("a-1", body="two")))
    assert edited.results[0].status is ChangeStatus.APPLIED


async def test_an_old_client_meets_the_same_limits(old: OldCaller) -> None:
    large = await old.commit(old_put(note("a-1", body="x" * 131_073)))
    assert large.results[0].code == ErrorCode.NOTE_TOO_LARGE
    many = await old.post(
        "/v1/memory/commit",
        encode_old_commit_request(OldCommitRequest("p1", tuple(old_put(note(f"n-{number}")) for number in range(501)))),
    )
    assert error_of(many).code == ErrorCode.TOO_MANY_CHANGES


@pytest.mark.parametrize(
    "body",
    [b"{}", b'{"projectId":"../x","have":[]}', b'{"projectId":"p1"}', b'{"scope":{"kind":"user"}}', b"[]"],
)
async def test_an_old_client_is_told_what_is_malformed(body: bytes, old: OldCaller) -> None:
    for path in ("/v1/memory/snapshot", "/v1/memory/commit"):
        assert error_of(await old.post(path, body)).code == ErrorCode.INVALID_REQUEST


async def test_an_old_identity_names_no_protocol(old: OldCaller) -> None:
    headers = old.server.headers("ann")
    del headers["OHarness-Protocol"]
    answer = await old.http.get("/v1/memory/identity", headers=headers)
    assert set(answer.json()) == {"userId", "quota", "plan"}
    assert decode_identity_answer(answer.content).protocol == 1


async def test_a_service_of_the_old_protocol_knows_no_other(
    old_server: SyncServer, old_http: httpx2.AsyncClient
) -> None:
    ann = Caller(old_server, old_http)
    answer = await ann.get()
    assert "protocol" not in answer.json()
    assert "oharness-protocol" not in answer.headers
    assert error_of(await ann.post("/v1/memory/snapshot", b'{"scope":{"kind":"user"}}')).status == 400
    assert error_of(await ann.post("/v1/memory/snapshot", b'{"poll":[]}')).status == 400
    client = OldCaller(old_server, old_http)
    await client.commit(old_put(note("a-1", type="feedback")))
    (entry,) = (await client.list()).notes
    assert entry.hash == content_hash(note("a-1"))


async def manifest(server: SyncServer) -> dict[str, Any]:
    assert isinstance(server.store, RamObjects)
    kept = await server.store.read(MANIFEST)
    assert isinstance(kept, Found)
    value: dict[str, Any] = json.loads(kept.value)
    return value


async def test_an_upgrade_of_the_service_is_no_reset(
    server: SyncServer, ann: Caller, old_server: SyncServer, old_http: httpx2.AsyncClient
) -> None:
    before = OldCaller(old_server, old_http)
    await before.commit(old_put(note("a-1")), old_put(note("b-2")))
    await before.commit(OldDelete("b-2", content_hash(note("b-2"))))
    assert set(await manifest(server)) == {"format", "version", "notes", "tombstones"}
    baseline = (await before.list()).version

    # after the upgrade: a baseline without an epoch matches, and nothing is to be heard of
    polled = await ann.poll(PollQuery(PROJECT, Epoch(""), baseline))
    assert not polled.states[0].changed
    listing = await ann.list(PROJECT, epoch=Epoch(""), since=baseline)
    assert (listing.complete, listing.notes, listing.tombstones) == (False, (), ())
    assert listing.epoch == polled.states[0].epoch != ""
    whole = await ann.list(PROJECT)
    assert [one.note for one in whole.notes] == [note("a-1")]
    assert [one.id for one in whole.tombstones] == ["b-2"]

    # the first commit of version 2 keeps that epoch
    answer = await ann.commit(put(note("a-1", body="new"), whole.notes[0].revision), scope=PROJECT, epoch=Epoch(""))
    assert (answer.epoch, answer.previous_version, answer.version) == (listing.epoch, baseline, baseline + 1)
    assert (await manifest(server))["format"] == 2
    assert not (await ann.list(PROJECT, epoch=Epoch(""), since=baseline)).complete


async def test_an_old_copy_of_a_note_deleted_before_the_upgrade_stays_deleted(
    ann: Caller, old_server: SyncServer, old_http: httpx2.AsyncClient
) -> None:
    before = OldCaller(old_server, old_http)
    await before.commit(old_put(note("a-1")))
    await before.commit(OldDelete("a-1", content_hash(note("a-1"))))
    answer = await ann.commit(put(note("a-1")), scope=PROJECT)
    assert answer.results[0].status is ChangeStatus.STALE_DELETED


async def test_a_scope_of_version_2_keeps_its_format_under_an_old_service(
    server: SyncServer, ann: Caller, old_server: SyncServer, old_http: httpx2.AsyncClient
) -> None:
    first = await ann.commit(put(note("a-1")), put(note("b-2")), scope=PROJECT)
    await OldCaller(old_server, old_http).commit(old_put(note("c-3")))
    assert ((await manifest(server))["format"], (await manifest(server))["epoch"]) == (2, first.epoch)
    await ann.commit(delete("b-2", first.results[1].revision), scope=PROJECT)
    assert {one.id for one in (await ann.list(PROJECT)).notes} == {"a-1", "c-3"}


async def test_an_old_client_that_sends_again_changes_nothing_twice(old: OldCaller, ann: Caller) -> None:
    for _ in range(3):
        await old.commit(old_put(note("a-1")))
    assert (await ann.list(PROJECT)).version == 1
