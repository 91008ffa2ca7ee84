"""The four answers to a conflict, and that each of them stays answered."""

from dataclasses import replace

import pytest

from oharness.core.clock import Millis
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.reconcile.baseline import AgreedOn, InCloud, Version
from oharness.reconcile.conflict import (
    Answer,
    CloudVersion,
    Conflict,
    KeepBoth,
    KeepMine,
    MergeByHand,
    Send,
    TakeCloud,
    resolve,
)
from oharness.reconcile.decide import Decision, Here, Nothing, Upload, decide
from oharness.reconcile.merge_note import ConflictReason

pytestmark = pytest.mark.sync

BASE = Note("a-1", "Summary", "one")
MINE = replace(BASE, body="mine")
THERE = replace(BASE, body="theirs")
BY_HAND = replace(BASE, body="mine and theirs")
LISTED = InCloud(content_hash(THERE), "r2", 2, 6)
EDITED_BOTH = Conflict((ConflictReason.BODY,), BASE, MINE, CloudVersion(THERE, LISTED), Millis(5))
DELETED_THERE = Conflict((ConflictReason.DELETED_THERE,), BASE, MINE, None, Millis(5))


def next_decision(answer: Answer, left_here: Note) -> Decision:
    """What the pass after an answer does about the note."""
    outcome = resolve(EDITED_BOTH, answer)
    assert outcome.derived_from is not None
    return decide(AgreedOn(outcome.derived_from), Here(content_hash(left_here)), LISTED)


def test_keeping_mine_changes_no_file_and_sends_mine_over_the_clouds() -> None:
    outcome = resolve(EDITED_BOTH, KeepMine())
    assert outcome.set_aside == (THERE,)
    assert outcome.writes == ()
    assert outcome.sends == (Send(MINE, Version(LISTED.hash, "r2")),)
    assert next_decision(KeepMine(), MINE) == Upload(LISTED.version)


def test_taking_the_clouds_backs_up_mine_and_leaves_nothing_to_send() -> None:
    outcome = resolve(EDITED_BOTH, TakeCloud())
    assert outcome.set_aside == (MINE,)
    assert outcome.writes == (THERE,)
    assert outcome.base_copy == THERE
    assert outcome.sends == ()
    assert next_decision(TakeCloud(), THERE) == Nothing()


def test_keeping_both_puts_the_clouds_beside_mine_under_a_new_id() -> None:
    outcome = resolve(EDITED_BOTH, KeepBoth("a-1-theirs"))
    beside = replace(THERE, id="a-1-theirs")
    assert outcome.set_aside == ()
    assert outcome.writes == (beside,)
    assert outcome.made_on_purpose == ("a-1-theirs",)
    assert outcome.sends == (Send(MINE, LISTED.version), Send(beside, None))
    assert next_decision(KeepBoth("a-1-theirs"), MINE) == Upload(LISTED.version)


def test_a_merge_by_hand_backs_up_both_and_goes_up_over_the_clouds() -> None:
    outcome = resolve(EDITED_BOTH, MergeByHand(BY_HAND))
    assert outcome.set_aside == (MINE, THERE)
    assert outcome.writes == (BY_HAND,)
    assert outcome.sends == (Send(BY_HAND, LISTED.version),)
    assert next_decision(MergeByHand(BY_HAND), BY_HAND) == Upload(LISTED.version)


def test_a_text_written_by_hand_keeps_the_notes_id() -> None:
    outcome = resolve(EDITED_BOTH, MergeByHand(replace(BY_HAND, id="other")))
    assert outcome.writes == (BY_HAND,)


def test_a_merge_by_hand_that_says_what_one_side_says_sets_only_the_other_aside() -> None:
    like_cloud = resolve(EDITED_BOTH, MergeByHand(THERE))
    assert (like_cloud.set_aside, like_cloud.writes, like_cloud.sends) == ((MINE,), (THERE,), ())
    like_mine = resolve(EDITED_BOTH, MergeByHand(MINE))
    assert (like_mine.set_aside, like_mine.writes) == ((THERE,), ())


def test_keeping_mine_of_a_note_deleted_there_makes_it_anew_on_purpose() -> None:
    for answer in (KeepMine(), KeepBoth("unused")):
        outcome = resolve(DELETED_THERE, answer)
        assert outcome.writes == ()
        assert outcome.derived_from is None
        assert outcome.made_on_purpose == ("a-1",)
        assert outcome.sends == (Send(MINE, None),)


def test_taking_the_clouds_deletion_removes_mine_with_a_backup() -> None:
    outcome = resolve(DELETED_THERE, TakeCloud())
    assert outcome.set_aside == (MINE,)
    assert outcome.removes_mine
    assert outcome.sends == ()


@pytest.mark.parametrize("answer", [KeepMine(), TakeCloud(), KeepBoth("a-2"), MergeByHand(BY_HAND)])
@pytest.mark.parametrize("conflict", [EDITED_BOTH, DELETED_THERE])
def test_no_answer_loses_a_version(answer: Answer, conflict: Conflict) -> None:
    outcome = resolve(conflict, answer)
    mine_stays = not outcome.removes_mine and all(note.id != conflict.id for note in outcome.writes)
    bodies = {note.body for note in (*outcome.set_aside, *outcome.writes, *([MINE] if mine_stays else []))}
    assert "mine" in bodies
    assert conflict.cloud is None or "theirs" in bodies


def test_the_same_two_versions_are_the_same_conflict() -> None:
    opened = EDITED_BOTH.opened()
    assert (opened.mine_hash, opened.cloud_revision) == (content_hash(MINE), "r2")
    assert DELETED_THERE.opened().cloud_revision is None
