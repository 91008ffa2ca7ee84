"""The commit exchange gone through state by state (protocol P-31)."""

import pytest

from oharness.testing.commit_model import Bounds, explore, named_anew

pytestmark = pytest.mark.sync

SMALL = Bounds(edits_each=1, lost_answers=1, late_requests=1, expiries=1)


def test_no_order_of_events_applies_a_text_twice_or_loses_one() -> None:
    explored = explore(SMALL)
    assert explored.fault is None
    assert explored.states > 5_000


def test_without_the_name_of_the_commit_the_search_finds_the_double_apply() -> None:
    fault = explore(SMALL, named_anew).fault
    assert fault is not None
    assert fault.what == "the text of a1 was accepted twice"
    assert fault.events[:3] == ("a1: writes", "a: a pass", "a1 is sent, the answer is lost")
    assert "b1: takes the first text back" in fault.events
