"""A client reading answers of a broken or hostile service: one kind of error, whatever comes."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.scopes import USER_SCOPE
from oharness.protocol.claims import TeamClaim
from oharness.protocol.commit import (
    ChangeResult,
    ChangeStatus,
    CommitAnswer,
    CommitRequest,
    Delete,
    decode_commit_answer,
    decode_commit_request,
    encode_commit_answer,
)
from oharness.protocol.erase import decode_erase_answer, decode_erase_request
from oharness.protocol.errors import InvalidRequest, ProtocolBroken
from oharness.protocol.identity import IdentityAnswer, decode_identity_answer, encode_identity_answer
from oharness.protocol.quotas import Plan, PlanLimits, Quota, Standing
from oharness.protocol.snapshot import (
    BodiesAnswer,
    Check,
    ListedNote,
    ListingAnswer,
    PollAnswer,
    PollState,
    decode_bodies_answer,
    decode_listing_answer,
    decode_poll_answer,
    decode_snapshot_request,
    encode_bodies_answer,
    encode_listing_answer,
    encode_poll_answer,
)
from oharness.protocol.values import NO_EPOCH, Revision
from oharness.protocol.version1 import (
    OldCommitRequest,
    OldDelete,
    decode_old_commit_answer,
    decode_old_commit_request,
    decode_old_listing_answer,
    decode_old_listing_request,
)
from tests.json_values import json_of

pytestmark = pytest.mark.sync

COMMIT = CommitRequest(USER_SCOPE, NO_EPOCH, "d", "0" * 8, (Delete("a", None, None),))
STANDING = Standing("ann", Quota(), Plan("free", False, PlanLimits(1, 2)))
NOTE = ListedNote("a", "0" * 64, Revision("r"), 1, 2)

ANSWER_DECODERS: dict[str, Callable[[bytes], Any]] = {
    "identity": decode_identity_answer,
    "poll": decode_poll_answer,
    "listing": decode_listing_answer,
    "bodies": decode_bodies_answer,
    "commit": lambda body: decode_commit_answer(body, COMMIT),
    "erase": decode_erase_answer,
    "old listing": decode_old_listing_answer,
    "old commit": lambda body: decode_old_commit_answer(body, OldCommitRequest("p", (OldDelete("a", None),))),
}
REQUEST_DECODERS: dict[str, Callable[[bytes], Any]] = {
    "snapshot": decode_snapshot_request,
    "commit": decode_commit_request,
    "erase": decode_erase_request,
    "old listing": decode_old_listing_request,
    "old commit": decode_old_commit_request,
}
GOOD_ANSWERS = [
    encode_identity_answer(IdentityAnswer(STANDING, 2, (TeamClaim("t", "paid"),), 1)),
    encode_poll_answer(PollAnswer(STANDING, (PollState(USER_SCOPE, NO_EPOCH, 0, False),))),
    encode_listing_answer(ListingAnswer(STANDING, NO_EPOCH, 1, True, 0, (NOTE,), (), Check(0, "0" * 64))),
    encode_bodies_answer(BodiesAnswer(STANDING, (), ("a",))),
    encode_commit_answer(
        CommitAnswer(STANDING, NO_EPOCH, 0, 1, (ChangeResult("a", ChangeStatus.MISMATCH, current=NOTE),))
    ),
]

values = json_of(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["../x", "con", "a", "0" * 64, "applied", "put", "user", ""]),
    st.text(max_size=8),
)


def only(error: type[Exception], decode: Callable[[bytes], Any], body: bytes) -> None:
    try:
        decode(body)
    except error:
        return


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_or_broken(body: bytes) -> None:
    for decode in ANSWER_DECODERS.values():
        only(ProtocolBroken, decode, body)
    for decode in REQUEST_DECODERS.values():
        only(InvalidRequest, decode, body)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found = [path]
    if isinstance(value, dict):
        for key, item in value.items():
            found += places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += places(item, (*path, index))
    return found


@settings(derandomize=True, max_examples=400, deadline=None)
@given(st.sampled_from(GOOD_ANSWERS), st.data())
def test_a_good_answer_with_anything_in_one_place_is_an_answer_or_broken(good: bytes, data: Any) -> None:
    value: Any = json.loads(good)
    path = data.draw(st.sampled_from(places(value)))
    new = data.draw(values)
    if path:
        place = value
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = new
    else:
        value = new
    body = json.dumps(value).encode()
    for decode in ANSWER_DECODERS.values():
        only(ProtocolBroken, decode, body)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[" * 200_000, b'{"a":' * 100_000, b"\xff", b'{"a":1,"a":2}', b"nul", b"9" * 100_000],
    ids=["nothing", "HTML", "deep lists", "deep objects", "no UTF-8", "a key twice", "cut", "digits"],
)
def test_what_is_no_json_is_broken(body: bytes) -> None:
    for decode in ANSWER_DECODERS.values():
        with pytest.raises(ProtocolBroken):
            decode(body)
    for decode in REQUEST_DECODERS.values():
        with pytest.raises(InvalidRequest):
            decode(body)


def test_cut_anywhere_an_answer_is_broken() -> None:
    good = GOOD_ANSWERS[2]
    for length in range(len(good)):
        with pytest.raises(ProtocolBroken):
            decode_listing_answer(good[:length])
