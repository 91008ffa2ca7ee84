import json

import msgspec
import pytest

from oharness.disk.encoded_once import EncodedOnce

pytestmark = pytest.mark.sync


def test_only_what_changed_is_encoded_again() -> None:
    encoded: list[list[int]] = []

    def encode(value: list[int]) -> bytes:
        encoded.append(value)
        return msgspec.json.encode(value)

    members = EncodedOnce(encode)
    kept, replaced = [1], [2]
    members.members({"kept": kept, "replaced": replaced, "gone": [3]})
    encoded.clear()
    replacement = [2, 2]
    now = members.members({"kept": kept, "replaced": replacement})
    assert encoded == [replacement]
    assert json.loads(msgspec.json.encode(now)) == {"kept": [1], "replaced": [2, 2]}


def test_a_value_that_equals_another_but_is_another_is_encoded_anew() -> None:
    members = EncodedOnce(msgspec.json.encode)
    first = [1]
    members.members({"a": first})
    first.append(2)
    second = [1, 2, 3]
    assert bytes(members.members({"a": second})["a"]) == b"[1,2,3]"
