"""What two sequences share at both ends is never counted twice."""

import pytest

from oharness.core.common_ends import common_ends


@pytest.mark.parametrize(
    ("one", "other", "ends"),
    [
        ("", "", (0, 0)),
        ("abc", "", (0, 0)),
        ("abc", "abc", (3, 0)),
        ("abXcd", "abYcd", (2, 2)),
        ("aa", "aaa", (2, 0)),
        ("aba", "a", (1, 0)),
        ("xab", "yab", (0, 2)),
    ],
)
def test_both_ends_are_found_and_do_not_overlap(one: str, other: str, ends: tuple[int, int]) -> None:
    assert common_ends(one, other) == ends
    assert common_ends(other, one) == ends
