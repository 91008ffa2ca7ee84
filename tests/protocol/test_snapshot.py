"""The snapshot endpoint's bytes, both ways."""

import json
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.core.scopes import USER_SCOPE, project_scope
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.protocol.errors import InvalidRequest, ProtocolBroken
from oharness.protocol.quotas import Plan, Quota, Standing
from oharness.protocol.snapshot import (
    BodiesAnswer,
    BodiesRequest,
    Check,
    KnownRevision,
    ListedNote,
    ListedTombstone,
    ListingAnswer,
    ListingRequest,
    PollAnswer,
    PollQuery,
    PollRequest,
    PollState,
    SentBody,
    SnapshotRequest,
    WantedBody,
    decode_bodies_answer,
    decode_listing_answer,
    decode_poll_answer,
    decode_snapshot_request,
    encode_bodies_answer,
    encode_listing_answer,
    encode_poll_answer,
    encode_snapshot_request,
)
from oharness.protocol.values import Epoch, Revision, hash_matches

pytestmark = pytest.mark.sync

PROJECT = project_scope("p.1")
STANDING = Standing("ann", Quota(), Plan("paid", True, None))
HASH = "b" * 64
NOTE = Note(
    "a-1",
    "S",
    "body",
    "feedback",
    ("x",),
    Millis(1_789_000_000_000),
    Millis(1_789_000_000_001),
    {"k": [1, {"z": None}]},
)
LISTING = ListingAnswer(
    standing=STANDING,
    epoch=Epoch("e"),
    version=42,
    complete=False,
    horizon=7,
    notes=(
        ListedNote("a-1", content_hash(NOTE), Revision("r1"), 40, 4, NOTE),
        ListedNote("b-2", HASH, Revision("r2"), 41, 9),
    ),
    tombstones=(ListedTombstone("c-3", 42, Revision("r3"), HASH, (HASH,), Millis(5)),),
    check=Check(2, "0" * 64),
)

REQUESTS: list[SnapshotRequest] = [
    PollRequest(()),
    PollRequest((PollQuery(USER_SCOPE), PollQuery(PROJECT, Epoch("e"), 7)), "ann"),
    PollRequest((PollQuery(PROJECT, Epoch("e"), 7, KnownRevision("a-1", Revision("r"))),)),
    ListingRequest(USER_SCOPE),
    ListingRequest(PROJECT, "ann", Epoch("e"), 0, (HASH,)),
    ListingRequest(PROJECT, epoch=Epoch(""), since=3),
    ListingRequest(PROJECT, epoch=Epoch("e"), since=3, latest=KnownRevision("a-1", Revision("r"))),
    BodiesRequest(USER_SCOPE, ()),
    BodiesRequest(PROJECT, (WantedBody("a-1", Revision("r")),), "ann"),
]


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_request_comes_out_as_it_went_in(request_: SnapshotRequest) -> None:
    assert decode_snapshot_request(encode_snapshot_request(request_)) == request_


def test_answers_come_out_as_they_went_in() -> None:
    poll = PollAnswer(STANDING, (PollState(PROJECT, Epoch("e"), 3, True),))
    assert decode_poll_answer(encode_poll_answer(poll)) == poll
    assert decode_listing_answer(encode_listing_answer(LISTING)) == LISTING
    bodies = BodiesAnswer(STANDING, (SentBody("a-1", Revision("r"), content_hash(NOTE), NOTE),), ("z-9",))
    assert decode_bodies_answer(encode_bodies_answer(bodies)) == bodies


def test_a_listing_looks_as_the_protocol_shows_it() -> None:
    value = json.loads(encode_listing_answer(LISTING))
    assert set(value) == {
        "epoch",
        "version",
        "complete",
        "horizon",
        "notes",
        "tombstones",
        "check",
        "userId",
        "quota",
        "plan",
    }
    assert set(value["notes"][0]) == {"id", "hash", "revision", "seq", "bytes", "note"}
    assert set(value["notes"][1]) == {"id", "hash", "revision", "seq", "bytes"}
    assert set(value["tombstones"][0]) == {"id", "seq", "revision", "hash", "prev", "deletedAt"}
    assert value["plan"] == {"name": "paid", "paid": True, "limits": None}
    assert set(value["notes"][0]["note"]) == {
        "id",
        "summary",
        "type",
        "tags",
        "createdAt",
        "updatedAt",
        "body",
        "extra",
    }


def wire() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(encode_listing_answer(LISTING))
    return value


def changed(path: str, value: Any) -> dict[str, Any]:
    """The listing with one place replaced; the path is dotted, numbers are positions."""
    whole: Any = wire()
    place = whole
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        place = place[step]
    place[last] = value
    assert isinstance(whole, dict)
    return whole


BROKEN_LISTINGS: dict[str, Any] = {
    "a list": [],
    "no epoch": {name: item for name, item in wire().items() if name != "epoch"},
    "no userId": {name: item for name, item in wire().items() if name != "userId"},
    "an id with ../": changed("notes.1.id", "../../etc/x"),
    "an id of Windows": changed("notes.1.id", "con"),
    "an empty id": changed("notes.1.id", ""),
    "a tombstone with a path": changed("tombstones.0.id", "a/b"),
    "a note under another id": changed("notes.0.note.id", "other"),
    "an id twice": changed("notes.1.id", "a-1"),
    "a note that is a tombstone too": changed("tombstones.0.id", "a-1"),
    "a hash that is none": changed("notes.1.hash", "xyz"),
    "a version of 2^70": changed("version", 2**70),
    "a version below zero": changed("version", -1),
    "complete as a text": changed("complete", "yes"),
    "a check that is none": changed("check", None),
    "a body as a list": changed("notes.0.note.body", ["x"]),
    "half a character": changed("notes.0.note.body", "\udc00"),
    "deep extra": changed("notes.0.note.extra", {"x": json.loads("[" * 50 + "]" * 50)}),
    "a quota below zero": changed("quota.maxNotes", -1),
    "a plan that is a text": changed("plan", "free"),
}


@pytest.mark.parametrize("value", BROKEN_LISTINGS.values(), ids=BROKEN_LISTINGS.keys())
def test_a_listing_that_is_none_is_said_to_be_broken(value: Any) -> None:
    with pytest.raises(ProtocolBroken):
        decode_listing_answer(json.dumps(value).encode())


def test_a_wrong_hash_is_the_notes_own_trouble() -> None:
    listing = decode_listing_answer(json.dumps(changed("notes.0.note.body", "forged")).encode())
    entry = listing.notes[0]
    assert entry.note is not None
    assert not hash_matches(entry.note, entry.hash)


def test_line_ends_and_tags_that_are_not_normal_are_made_so_before_they_are_compared() -> None:
    value = changed("notes.0.note.body", "\ufeffbody\r\n\r\n")
    value["notes"][0]["note"]["tags"] = ["x", "X", " x "]
    entry = decode_listing_answer(json.dumps(value).encode()).notes[0]
    assert entry.note is not None
    assert (entry.note.body, entry.note.tags) == ("body", ("x",))
    assert hash_matches(entry.note, entry.hash)


@pytest.mark.parametrize(
    ("sent", "meant"),
    [(0, 0), (1, 0), (1_789_000_000, 1_789_000_000_000), (1_789_000_000_123, 1_789_000_000_123), (2**53 - 1, 0)],
)
def test_times_are_read_as_in_a_note_file(sent: int, meant: int) -> None:
    entry = decode_listing_answer(json.dumps(changed("notes.0.note.createdAt", sent)).encode()).notes[0]
    assert entry.note is not None
    assert entry.note.created_at == meant
    assert hash_matches(entry.note, entry.hash)


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"poll":{}}',
        b'{"poll":[{"scope":{"kind":"user"}}]}',
        b'{"poll":[],"scope":{"kind":"user"}}',
        b'{"scope":"user"}',
        b'{"scope":{"kind":"project"}}',
        b'{"scope":{"kind":"project","projectId":7}}',
        b'{"scope":{"kind":"user"},"have":["abc"]}',
        b'{"scope":{"kind":"user"},"have":"abc"}',
        b'{"scope":{"kind":"user"},"since":-1}',
        b'{"scope":{"kind":"user"},"since":null}',
        b'{"scope":{"kind":"user"},"userId":""}',
        b'{"scope":{"kind":"user"},"want":{}}',
        b'{"scope":{"kind":"user"},"want":[{"id":"a"}]}',
        b'{"scope":{"kind":"user"},"want":[{"id":"a","revision":""}]}',
        b'{"scope":{"kind":"user"},"want":[{"id":"a","revision":"r"},{"id":"a","revision":"s"}]}',
        b'{"want":[]}',
    ],
)
def test_a_malformed_request_is_said_to_be_one(body: bytes) -> None:
    with pytest.raises(InvalidRequest):
        decode_snapshot_request(body)
