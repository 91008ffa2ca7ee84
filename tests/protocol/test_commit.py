"""The commit endpoint's bytes, both ways."""

import json
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.core.scopes import USER_SCOPE, project_scope
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.protocol.commit import (
    ChangeResult,
    ChangeStatus,
    CommitAnswer,
    CommitRequest,
    Delete,
    Put,
    decode_commit_answer,
    decode_commit_request,
    encode_commit_answer,
    encode_commit_request,
)
from oharness.protocol.errors import ErrorCode, InvalidRequest, ProtocolBroken
from oharness.protocol.quotas import Plan, PlanLimits, Quota, Standing
from oharness.protocol.snapshot import ListedNote, ListedTombstone
from oharness.protocol.values import Epoch, Revision

pytestmark = pytest.mark.sync

NOTE = Note(
    id="a-1",
    summary="S",
    body="body",
    type="feedback",
    tags=("x", "y"),
    created_at=Millis(1_789_000_000_000),
    updated_at=Millis(1_789_000_000_001),
    extra={"color": {"deep": [1, 2.5, None]}},
)
STANDING = Standing("u-1", Quota(), Plan("free", False, PlanLimits(200, 16384)))
COMMIT_ID = "7b0e5f3c-93f5-4d7c-9a1e-0f6f6e1c2d3b"
HASH = "a" * 64


def a_request(**changed: Any) -> CommitRequest:
    fields: dict[str, Any] = {
        "scope": project_scope("p1"),
        "epoch": Epoch("e1"),
        "device": "d1",
        "commit_id": COMMIT_ID,
        "changes": (
            Put("a-1", None, None, content_hash(NOTE), NOTE, fresh=True),
            Delete("b-2", Revision("r1"), HASH, purge=True),
        ),
    }
    return CommitRequest(**(fields | changed))


@pytest.mark.parametrize(
    "request_",
    [
        a_request(),
        a_request(scope=USER_SCOPE, user_id="u-1", changes=()),
        a_request(strict=True, version=7),
        a_request(epoch=Epoch("")),
    ],
)
def test_a_commit_request_comes_out_as_it_went_in(request_: CommitRequest) -> None:
    assert decode_commit_request(encode_commit_request(request_)) == request_


def test_a_commit_answer_comes_out_as_it_went_in() -> None:
    request = a_request()
    answer = CommitAnswer(
        standing=STANDING,
        epoch=Epoch("e1"),
        previous_version=3,
        version=4,
        results=(
            ChangeResult("a-1", ChangeStatus.APPLIED, HASH, Revision("r2"), 4),
            ChangeResult(
                "b-2",
                ChangeStatus.MISMATCH,
                current=ListedTombstone("b-2", 2, Revision("r"), HASH, (HASH,), Millis(9)),
            ),
        ),
        replayed=True,
    )
    assert decode_commit_answer(encode_commit_answer(answer), request) == answer


def test_a_mismatch_carries_the_live_entry_without_its_body() -> None:
    request = a_request(changes=(Delete("b-2", None, None),))
    entry = ListedNote("b-2", HASH, Revision("r9"), 5, 100)
    result = ChangeResult("b-2", ChangeStatus.MISMATCH, current=entry)
    body = encode_commit_answer(CommitAnswer(STANDING, Epoch("e"), 1, 1, (result,)))
    assert json.loads(body)["results"][0]["current"] == {
        "id": "b-2",
        "hash": HASH,
        "revision": "r9",
        "seq": 5,
        "bytes": 100,
    }
    assert decode_commit_answer(body, request).results == (result,)


def test_results_of_other_changes_are_no_answer() -> None:
    body = encode_commit_answer(
        CommitAnswer(STANDING, Epoch("e"), 1, 1, (ChangeResult("x", ChangeStatus.REFUSED, code=ErrorCode.PLAN_NOTES),))
    )
    with pytest.raises(ProtocolBroken):
        decode_commit_answer(body, a_request())


def wire(**changed: Any) -> dict[str, Any]:
    return json.loads(encode_commit_request(a_request())) | changed  # type: ignore[no-any-return]


def without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name != key}


def put_with(**changed: Any) -> dict[str, Any]:
    put = wire()["changes"][0]
    return wire(changes=[put | {"note": put["note"] | changed}])


REFUSED_REQUESTS: dict[str, Any] = {
    "no scope": without(wire(), "scope"),
    "no epoch": without(wire(), "epoch"),
    "no device": without(wire(), "device"),
    "no commitId": without(wire(), "commitId"),
    "no changes": without(wire(), "changes"),
    "changes are no list": wire(changes={}),
    "commitId is no uuid": wire(commitId="1"),
    "commitId with a newline": wire(commitId=COMMIT_ID + "\n"),
    "device with a slash": wire(device="../x"),
    "project id with a slash": wire(scope={"kind": "project", "projectId": "../u"}),
    "project id is a dot": wire(scope={"kind": "project", "projectId": ".."}),
    "another kind of scope": wire(scope={"kind": "team"}),
    "strict without a version": wire(strict=True),
    "version below zero": wire(strict=True, version=-1),
    "version of 2^70": wire(strict=True, version=2**70),
    "version as a float": wire(strict=True, version=1.0),
    "version as a boolean": wire(strict=True, version=True),
    "unknown op": wire(changes=[{"op": "patch", "id": "a", "baseRevision": None, "base": None}]),
    "put without a note": wire(changes=[without(wire()["changes"][0], "note")]),
    "put without a hash": wire(changes=[without(wire()["changes"][0], "hash")]),
    "delete without a base": wire(changes=[without(wire()["changes"][1], "base")]),
    "hash in capitals": wire(changes=[wire()["changes"][0] | {"hash": "A" * 64}]),
    "hash with a newline": wire(changes=[wire()["changes"][0] | {"hash": HASH + "\n"}]),
    "an id twice": wire(changes=[wire()["changes"][1], wire()["changes"][1]]),
    "tags as a text": put_with(tags="a"),
    "a tag as a number": put_with(tags=[1]),
    "body as null": put_with(body=None),
    "time before the epoch": put_with(createdAt=-1),
    "time of 2^70": put_with(createdAt=2**70),
    "type as null": put_with(type=None),
    "extra as a list": put_with(extra=[]),
    "extra with 2^53": put_with(extra={"n": 2**53}),
    "a lone surrogate in the body": put_with(body="\ud800"),
    "a lone surrogate in extra": put_with(extra={"\udfff": 1}),
    "not an object": [],
    "null": None,
}


@pytest.mark.parametrize("value", REFUSED_REQUESTS.values(), ids=REFUSED_REQUESTS.keys())
def test_a_malformed_commit_is_an_invalid_request(value: Any) -> None:
    with pytest.raises(InvalidRequest):
        decode_commit_request(json.dumps(value).encode())


REFUSED_BYTES: dict[str, bytes] = {
    "nothing": b"",
    "not UTF-8": b"\xff\xfe",
    "a raw surrogate": b'"\xed\xa0\x80"',
    "HTML": b"<html>",
    "cut short": encode_commit_request(a_request())[:-5],
    "a BOM": b"\xef\xbb\xbf" + encode_commit_request(a_request()),
    "a duplicate key": encode_commit_request(a_request()).replace(b'"epoch"', b'"epoch":"x","epoch"'),
    "100,000 brackets": b"[" * 100_000,
    "deep objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "deep extra": encode_commit_request(a_request()).replace(
        b'"deep":[1', b'"deep":[' + b"[" * 200 + b"]" * 200 + b",1"
    ),
    "NaN": encode_commit_request(a_request()).replace(b"2.5", b"NaN"),
    "infinity by exponent": encode_commit_request(a_request()).replace(b"2.5", b"1e999"),
    "a number of 10,000 digits": encode_commit_request(a_request()).replace(b"2.5", b"9" * 10_000),
}


@pytest.mark.parametrize("body", REFUSED_BYTES.values(), ids=REFUSED_BYTES.keys())
def test_bytes_that_are_no_commit_are_an_invalid_request(body: bytes) -> None:
    with pytest.raises(InvalidRequest):
        decode_commit_request(body)


def test_unknown_keys_are_ignored() -> None:
    value = wire(future={"x": 1})
    value["changes"][0]["note"]["future"] = True
    assert decode_commit_request(json.dumps(value).encode()) == a_request()
