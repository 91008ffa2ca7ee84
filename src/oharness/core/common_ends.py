"""How much two sequences share at both ends: what need not be compared at all."""

from collections.abc import Sequence


def common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many items both begin with, and how many of the rest both end with."""
    shorter = min(len(one), len(other))
    head = 0
    while head < shorter and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < shorter - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    return head, tail
