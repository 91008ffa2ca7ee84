"""What the judge of the made-up worlds takes for a merge, and how it tells of texts."""

import pytest

from oharness.testing.world.ledger import Text, is_merged_of

pytestmark = pytest.mark.sync
BASE = "one two three"


def text(lines: str, *marks: str) -> Text:
    return Text("n", "name", tuple(lines.split()), frozenset(marks))


@pytest.mark.parametrize(
    ("mine", "cloud", "whole"),
    [
        ("ONE two three", "one two THREE", "ONE two THREE"),
        ("ONE two three", "one two three three", "ONE two three three"),
        ("ONE two three", "one two three one", "ONE two three one"),
        ("one three", "one two three two", "one three two"),
        ("one two three four", "one two three four", "one two three four"),
        ("four one two three", "one two three four", "four one two three four"),
        ("one two", "one two", "one two"),
    ],
)
def test_what_both_sides_did_is_a_merge(mine: str, cloud: str, whole: str) -> None:
    assert is_merged_of(text(whole), text(mine), text(cloud), text(BASE))


@pytest.mark.parametrize(
    ("mine", "cloud", "whole"),
    [
        ("ONE two three", "one two THREE", "ONE two three"),
        ("ONE two three", "one two THREE", "ONE THREE"),
        ("ONE two three", "one two THREE", "ONE two two THREE"),
        ("ONE two three", "one two THREE", "one ONE two THREE"),
        ("ONE two three", "one two THREE", "ONE two THREE four"),
        ("ONE two three", "one two three one", "ONE two three one one"),
        ("ONE two three", "one two three one", "ONE two three"),
        ("one two", "one two", "one two three"),
    ],
)
def test_what_neither_side_did_is_none(mine: str, cloud: str, whole: str) -> None:
    assert not is_merged_of(text(whole), text(mine), text(cloud), text(BASE))


def test_a_text_is_told_in_one_order_whatever_order_sets_have() -> None:
    marks = [f"tag {number}" for number in range(20)]
    assert str(sorted(marks)) in repr(text(BASE, *marks))
    assert repr([text(BASE, *marks)]) == repr([text(BASE, *reversed(marks))])
