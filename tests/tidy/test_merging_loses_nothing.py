"""Whatever notes say: merging them joined together loses nothing, and a text that loses a line is told so."""

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from oharness.core.clock import Millis
from oharness.notes.note import Note
from oharness.tidy.merge_check import MergeCheck
from oharness.tidy.merge_draft import joined_draft
from oharness.tidy.merge_facts import facts_of
from oharness.tidy.merge_plan import merge_plan, merged_tags
from tests.tidy.conftest import NOW, bodies_of_notes, note

pytestmark = pytest.mark.memory


def originals(bodies: list[str]) -> list[Note]:
    made = enumerate(bodies)
    return [note(f"n{n}", f"About the thing {n}", body, created_at=Millis(n + 1), tags=(f"t{n}",)) for n, body in made]


def check_of(notes: list[Note]) -> MergeCheck:
    return MergeCheck(notes, {one.id: "n0" for one in notes[1:]})


@seed(20261130)
@settings(max_examples=300, deadline=None)
@given(bodies=st.lists(bodies_of_notes(), min_size=2, max_size=6))
def test_the_joined_draft_is_fully_covered_and_the_plan_holds_every_line(bodies: list[str]) -> None:
    notes = originals(bodies)
    draft = joined_draft(notes)
    plan = merge_plan(notes, [], draft.summary, draft.body, NOW, 1_000_000)
    check = check_of(notes)
    assert check.missing(draft.summary, plan.kept.body, plan.kept.tags) == ()
    links = {f"[[n{n}]]" for n in range(1, len(notes))}
    for one in notes:
        lines = [line for line in one.body.split("\n") if line.strip() and not any(link in line for link in links)]
        assert all(line in plan.kept.body for line in lines)
        assert one.summary in f"{plan.kept.summary}\n{plan.kept.body}"
        assert set(one.tags) <= set(plan.kept.tags)


@seed(20261130)
@settings(max_examples=300, deadline=None)
@given(bodies=st.lists(bodies_of_notes(), min_size=2, max_size=3), chosen=st.integers(0, 1000))
def test_a_text_without_one_of_the_lines_lacks_its_facts_unless_they_stand_elsewhere(
    bodies: list[str], chosen: int
) -> None:
    notes = originals(bodies)
    lines = joined_draft(notes).body.split("\n")
    gone = lines.pop(chosen % len(lines))
    text = "\n".join(lines)
    missing = {one.text for one in check_of(notes).missing(notes[0].summary, text, merged_tags(notes))}
    for fact in facts_of(gone):
        elsewhere = fact.text in f"{notes[0].summary} {text}" or fact.key in text
        assert elsewhere or fact.text in missing or not _is_whole(gone)


def _is_whole(line: str) -> bool:
    """Whether what stands in the line is a fact of its own there, not a piece of code or of a longer quotation."""
    return not any(mark in line for mark in ("`", '"', "[", "#")) and line == line.strip()
