"""A decision becomes steps, and a note whose bodies are not what the plan saw is left for the next pass."""

from dataclasses import replace

import pytest

from oharness.core.clock import Millis
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.reconcile.baseline import (
    NOTHING_AGREED,
    AgreedOn,
    DeletedInCloud,
    Entry,
    InCloud,
    Version,
)
from oharness.reconcile.decide import (
    DAMAGED,
    NOT_HERE,
    Adopt,
    Decision,
    DeletedHere,
    DeleteHere,
    DeleteInCloud,
    DeletionGround,
    Download,
    Forget,
    Here,
    HoldBack,
    HoldReason,
    LocalSide,
    Merge,
    Nothing,
    Refetch,
    RestoreCopy,
    Upload,
    decide,
)
from oharness.reconcile.merge_note import ConflictReason
from oharness.reconcile.work import (
    Bodies,
    DeleteNote,
    NoteWork,
    PutNote,
    RemoveFile,
    SetAside,
    SetAsideReason,
    WriteFile,
    note_work,
)

pytestmark = pytest.mark.sync

BASE = Note("a-1", "S", "one\ntwo\nthree")
MINE = replace(BASE, body="ONE\ntwo\nthree")
THERE = replace(BASE, body="one\ntwo\nTHREE")
MERGED = replace(BASE, body="ONE\ntwo\nTHREE")
FIRST = Version(content_hash(BASE), "r1")
LISTED = InCloud(content_hash(THERE), "r2", 2, 13)
SYNCED = Entry(AgreedOn(FIRST), LISTED)
NOW = Millis(7)


def work(decision: Decision, local: LocalSide, bodies: Bodies, entry: Entry = SYNCED) -> NoteWork:
    return note_work("a-1", decision, local, entry, bodies, 131_072, NOW)


def here(note: Note) -> Here:
    return Here(content_hash(note))


def test_a_download_backs_up_what_it_replaces() -> None:
    done = work(Download(LISTED), here(BASE), Bodies(mine=BASE, cloud=THERE))
    assert done.set_aside == (SetAside(BASE, SetAsideReason.PULL),)
    assert done.file == WriteFile(THERE, here(BASE))
    assert done.entry == Entry(AgreedOn(LISTED.version, (FIRST,)), LISTED)
    assert done.copy == THERE
    assert done.change is None


def test_a_new_note_comes_down_without_a_backup() -> None:
    done = work(Download(LISTED), NOT_HERE, Bodies(cloud=THERE), Entry(NOTHING_AGREED, LISTED))
    assert done.set_aside == ()
    assert done.file == WriteFile(THERE, NOT_HERE)


def test_a_merge_backs_up_both_versions_and_leaves_a_state_whose_plan_is_an_upload() -> None:
    done = work(Merge(FIRST, LISTED), here(MINE), Bodies(MINE, THERE, BASE))
    assert [aside.note for aside in done.set_aside] == [MINE, THERE]
    assert done.file == WriteFile(MERGED, here(MINE))
    assert done.change == PutNote(MERGED, content_hash(MERGED), LISTED.version)
    assert done.entry is not None
    assert done.copy == THERE
    assert decide(done.entry.agreed, here(MERGED), LISTED) == Upload(LISTED.version)


def test_a_merge_cut_short_between_file_and_baseline_comes_to_the_same_text() -> None:
    done = work(Merge(FIRST, LISTED), here(MERGED), Bodies(MERGED, THERE, BASE))
    assert done.file is None
    assert done.change == PutNote(MERGED, content_hash(MERGED), LISTED.version)


def test_a_merge_that_comes_to_what_the_cloud_says_sends_nothing() -> None:
    longer = replace(THERE, body="ONE\ntwo\nTHREE")
    listed = InCloud(content_hash(longer), "r2", 2, 13)
    done = work(Merge(FIRST, listed), here(MINE), Bodies(MINE, longer, BASE))
    assert done.file == WriteFile(longer, here(MINE))
    assert done.change is None


@pytest.mark.parametrize("copy", [None, THERE])
def test_without_the_copy_as_last_synced_a_merge_is_a_conflict(copy: Note | None) -> None:
    done = work(Merge(FIRST, LISTED), here(MINE), Bodies(MINE, THERE, copy))
    assert done.conflict is not None
    assert done.conflict.reasons == (ConflictReason.NO_BASE,)
    assert (done.file, done.entry, done.change) == (None, None, None)


def test_a_conflict_changes_no_file_and_backs_up_both_versions() -> None:
    other = replace(BASE, body="1\ntwo\nthree")
    listed = InCloud(content_hash(other), "r2", 2, 13)
    done = work(Merge(FIRST, listed), here(MINE), Bodies(MINE, other, BASE))
    assert [aside.note for aside in done.set_aside] == [MINE, other]
    assert (done.file, done.entry, done.change) == (None, None, None)
    conflict = done.conflict
    assert conflict is not None
    assert (conflict.reasons, conflict.base, conflict.mine, conflict.noticed_at) == (
        (ConflictReason.BODY,),
        BASE,
        MINE,
        NOW,
    )


def test_a_merge_too_large_for_the_plan_is_a_conflict() -> None:
    done = note_work("a-1", Merge(FIRST, LISTED), here(MINE), SYNCED, Bodies(MINE, THERE, BASE), 5, NOW)
    assert done.conflict is None  # it does not grow what the cloud holds
    grown = replace(MINE, body="ONE\nONE\ntwo\nthree")
    done = note_work("a-1", Merge(FIRST, LISTED), here(grown), SYNCED, Bodies(grown, THERE, BASE), 5, NOW)
    assert done.conflict is not None
    assert done.conflict.reasons == (ConflictReason.TOO_LARGE,)


def test_equal_notes_are_adopted_without_touching_a_file() -> None:
    done = work(Adopt(LISTED.version), here(THERE), Bodies(mine=THERE))
    assert done.file is None
    assert done.copy == THERE
    assert done.entry == Entry(AgreedOn(LISTED.version, (FIRST,)), LISTED)


def test_a_note_deleted_in_the_cloud_goes_with_a_backup() -> None:
    gone = Entry(AgreedOn(FIRST), DeletedInCloud(FIRST.hash, "r2", 2))
    done = work(DeleteHere(DeletionGround.TOMBSTONE), here(BASE), Bodies(mine=BASE), gone)
    assert done.set_aside == (SetAside(BASE, SetAsideReason.PULL),)
    assert done.file == RemoveFile(here(BASE))
    assert done.entry == Entry(NOTHING_AGREED, gone.seen)


def test_a_deletion_here_goes_up_and_is_recorded_only_when_it_was_accepted() -> None:
    done = work(DeleteInCloud(FIRST, purge=True), DeletedHere(FIRST.hash), Bodies())
    assert done == NoteWork("a-1", DeleteInCloud(FIRST, purge=True), change=DeleteNote("a-1", FIRST, purge=True))


@pytest.mark.parametrize(("decision", "bodies"), [(Forget(), Bodies()), (Download(LISTED), Bodies(cloud=THERE))])
def test_an_intent_is_done_when_the_note_is_gone_there_too_or_an_edit_beat_it(
    decision: Decision, bodies: Bodies
) -> None:
    assert work(decision, DeletedHere(FIRST.hash), bodies).intent_done
    assert not work(decision, NOT_HERE, bodies).intent_done


def test_a_damaged_file_is_replaced_without_a_backup() -> None:
    assert work(Refetch(LISTED), DAMAGED, Bodies(cloud=THERE)).file == WriteFile(THERE, DAMAGED)
    assert work(RestoreCopy(FIRST.hash), DAMAGED, Bodies(base=BASE)).file == WriteFile(BASE, DAMAGED)
    held = work(RestoreCopy(FIRST.hash), DAMAGED, Bodies())
    assert held == NoteWork("a-1", HoldBack(HoldReason.DAMAGED))


@pytest.mark.parametrize("read", [None, THERE])
@pytest.mark.parametrize(
    "decision",
    [Upload(FIRST), Adopt(FIRST), Merge(FIRST, LISTED), Download(LISTED), DeleteHere(DeletionGround.TOMBSTONE)],
)
def test_a_file_that_is_not_what_the_plan_saw_waits_for_the_next_pass(decision: Decision, read: Note | None) -> None:
    done = work(decision, here(BASE), Bodies(mine=read, cloud=THERE, base=BASE))
    assert done == NoteWork("a-1", HoldBack(HoldReason.CHANGED))


@pytest.mark.parametrize("received", [None, BASE])
def test_a_body_that_is_not_what_its_hash_says_is_held_back(received: Note | None) -> None:
    for decision in (Download(LISTED), Merge(FIRST, LISTED)):
        done = work(decision, here(MINE), Bodies(mine=MINE, cloud=received, base=BASE))
        assert done == NoteWork("a-1", HoldBack(HoldReason.CHECKSUM))


def test_nothing_is_no_work() -> None:
    assert work(Nothing(), here(BASE), Bodies()) == NoteWork("a-1", Nothing())
