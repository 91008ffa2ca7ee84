"""Bodies are merged by line: properties that hold for any texts, and git as the oracle."""

import gzip
import json
import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.reconcile.merge_lines import (
    CombinedLines,
    LineConflict,
    draft_text,
    merge_lines,
    split_lines,
)
from oharness.testing.edited_texts import apart_or_touching, edited_pair, edited_triple
from oharness.testing.git_merge import git_merges

pytestmark = pytest.mark.sync

LIMIT_BYTES = 131_072

few_letters = st.lists(st.sampled_from(["a", "b", "", "a\rb", "\u2028"]), max_size=8).map("\n".join)
bodies = few_letters.map(lambda text: text.rstrip("\n"))
seeded = settings(derandomize=True, max_examples=300, deadline=None)


def swapped(outcome: CombinedLines | LineConflict) -> object:
    if isinstance(outcome, CombinedLines):
        return outcome
    return [(place.base, place.cloud, place.mine) for place in outcome.disputed]


def places(outcome: CombinedLines | LineConflict) -> object:
    if isinstance(outcome, CombinedLines):
        return outcome
    return [(place.base, place.mine, place.cloud) for place in outcome.disputed]


@seeded
@given(bodies, bodies, bodies)
def test_swapping_the_sides_swaps_the_outcome_and_nothing_else(base: str, mine: str, cloud: str) -> None:
    assert places(merge_lines(base, mine, cloud)) == swapped(merge_lines(base, cloud, mine))


@seeded
@given(bodies, bodies)
def test_a_change_on_one_side_or_the_same_on_both_is_that_change(base: str, changed: str) -> None:
    assert merge_lines(base, changed, base) == CombinedLines(changed)
    assert merge_lines(base, base, changed) == CombinedLines(changed)
    assert merge_lines(base, changed, changed) == CombinedLines(changed)


@seeded
@given(bodies, bodies, bodies)
def test_every_line_of_a_conflict_is_in_one_of_its_pieces(base: str, mine: str, cloud: str) -> None:
    outcome = merge_lines(base, mine, cloud)
    if isinstance(outcome, LineConflict):
        draft = Counter(split_lines(draft_text(outcome, "mine", "cloud")))
        for side in (mine, cloud):
            new = Counter(split_lines(side)) - Counter(split_lines(base))
            assert not new - draft


def test_edits_with_an_unchanged_line_between_are_combined_and_others_conflict() -> None:
    for seed in range(2000):
        edits = apart_or_touching(random.Random(seed))
        outcome = merge_lines(edits.base, edits.mine, edits.cloud)
        combined = outcome.text if isinstance(outcome, CombinedLines) else None
        assert combined == edits.combined, f"seed {seed}"


def test_git_agrees_where_every_line_is_unlike_every_other() -> None:
    triples = [edited_triple(random.Random(seed), letters=0) for seed in range(400)]
    for triple, merged in zip(triples, git_merges(triples), strict=True):
        outcome = merge_lines(*triple)
        assert (outcome.text if isinstance(outcome, CombinedLines) else None) == merged


def test_git_agrees_on_real_merges_but_for_those_that_the_decision_record_names() -> None:
    """0020: in one of 147 git reads an added section another way, and puts two sections at one place."""
    source = Path(os.environ.get("BENCH_DATA", "")) / "merges" / "md-merges.jsonl.gz"
    if "BENCH_DATA" not in os.environ or not source.is_file():
        pytest.skip("BENCH_DATA does not name the folder of the benches' data")
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    triples = [edited_pair(case["base"], case["ours"], case["theirs"]) for case in cases]
    differing = []
    for case, triple, merged in zip(cases, triples, git_merges(triples), strict=True):
        outcome = merge_lines(*triple)
        if (outcome.text if isinstance(outcome, CombinedLines) else None) != merged:
            differing.append((case["repo"], case["commit"], type(outcome)))
    assert differing == [("public-apis/public-apis", "16dd30e8f0866ef062ae51966fa6328487cb29a7", LineConflict)]


LARGEST = {
    "equal lines": "x\n" * (LIMIT_BYTES // 2 - 1) + "x",
    "blank lines": "\n" * (LIMIT_BYTES - 1) + "x",
    "two lines in turn": "a\nb\n" * (LIMIT_BYTES // 4 - 1) + "end",
    "lines all unlike": "\n".join(chr(0x4E00 + n) for n in range(LIMIT_BYTES // 4)),
    "one line": "x" * LIMIT_BYTES,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("body", LARGEST.values(), ids=LARGEST)
def test_the_largest_bodies_are_merged_in_bounded_time(body: str) -> None:
    lines = split_lines(body)
    middle = len(lines) // 2
    mine = "\n".join(["mine", *lines[:middle], "MINE", *lines[middle:]])
    cloud = "\n".join([*lines, "cloud"])
    outcome = merge_lines(body, mine, cloud)
    assert isinstance(outcome, CombinedLines) or outcome.disputed
    assert merge_lines(body, "\n".join(reversed(lines)) + "\nm", "\n".join(lines[1:] + lines[:1]) + "c")


def test_edits_at_both_ends_of_a_huge_body_are_still_combined() -> None:
    body = LARGEST["lines all unlike"]
    assert merge_lines(body, f"top\n{body}", f"{body}\nend") == CombinedLines(f"top\n{body}\nend")


def test_a_stretch_beyond_the_budget_counts_as_one_edit() -> None:
    lines = [chr(0x4E00 + n) for n in range(20_000)]
    base = ["head", *lines, "a", "b", "foot"]
    mine = ["head", "new", *lines, "a", "b", "foot"]
    mine[10_000] = "changed"
    rewritten = ["head", "A", *lines[1:-1], "Z", "a", "b", "foot"]
    outcome = merge_lines("\n".join(base), "\n".join(rewritten), "\n".join([*base[:-1], "FOOT"]))
    assert outcome == CombinedLines("\n".join([*rewritten[:-1], "FOOT"]))


def test_a_draft_holds_what_is_agreed_and_both_sides_of_each_dispute() -> None:
    outcome = merge_lines("a\nb\nc\nd\ne", "A\nb\nX\nd\ne", "a\nb\nY\nd\nE")
    assert isinstance(outcome, LineConflict)
    assert draft_text(outcome, "this machine", "cloud").split("\n") == [
        "A",
        "b",
        "<<<<<<< this machine",
        "X",
        "=======",
        "Y",
        ">>>>>>> cloud",
        "d",
        "E",
    ]
