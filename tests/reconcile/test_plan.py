"""A whole scope is planned: each note alone, removals first, and a question before anything much is deleted."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from oharness.core.clock import Millis
from oharness.reconcile.baseline import (
    NOT_IN_CLOUD,
    NOTHING_AGREED,
    PURGED_FROM_CLOUD,
    AgreedOn,
    Baseline,
    DeletedInCloud,
    Entry,
    InCloud,
    Version,
    with_entries,
)
from oharness.reconcile.decide import (
    DAMAGED,
    NOT_LOADED,
    UNREADABLE,
    Adopt,
    Decision,
    DeletedHere,
    DeleteHere,
    DeleteInCloud,
    DeletionGround,
    Download,
    Here,
    HoldConflict,
    OpenConflict,
    Refetch,
    Upload,
)
from oharness.reconcile.guards import (
    Choice,
    Confirmed,
    FolderHistory,
    FolderNow,
    FolderState,
    Paused,
    PauseReason,
)
from oharness.reconcile.merge_note import ConflictReason
from oharness.reconcile.plan import FileSide, Refusal, ScopePlan, ScopeView, plan_scope

pytestmark = pytest.mark.sync

MET = FolderHistory(met=True)


def live(content: str, seq: int = 1) -> InCloud:
    return InCloud(content, f"r{seq}", seq, 9)


def synced(content: str, seq: int = 1, *older: str) -> Entry:
    return Entry(AgreedOn(Version(content, f"r{seq}"), tuple(Version(o, f"r-{o}") for o in older)), live(content, seq))


def cloud_only(content: str, seq: int = 1) -> Entry:
    return Entry(NOTHING_AGREED, live(content, seq))


def changed_there(content: str, now: str) -> Entry:
    return replace(synced(content), seen=live(now, 7))


def deleted_there(content: str) -> Entry:
    return replace(synced(content), seen=DeletedInCloud(content, "r9", 9))


def scope(entries: Mapping[str, Entry], files: Mapping[str, FileSide]) -> ScopeView:
    baseline = replace(with_entries(Baseline("d"), entries), epoch="e", version=9)
    return ScopeView(baseline, dict(files), Millis(1_800_000_000_000), history=MET)


def planned(view: ScopeView) -> ScopePlan:
    plan = plan_scope(view)
    assert isinstance(plan, ScopePlan), plan
    return plan


def question(view: ScopeView) -> Paused:
    plan = plan_scope(view)
    assert isinstance(plan, Paused), plan
    return plan


def answered(view: ScopeView, choice: Choice) -> Mapping[str, Decision]:
    paused = question(view)
    return planned(replace(view, confirmed=(Confirmed(choice, frozenset(paused.note_ids)),))).decisions


# --- each note alone


def test_a_scope_that_is_as_agreed_has_nothing_to_do() -> None:
    entries = {f"n-{n}": synced(f"T{n}") for n in range(100)}
    plan = planned(scope(entries, {f"n-{n}": Here(f"T{n}") for n in range(100)}))
    assert plan.is_empty
    assert not plan.held_back


def test_what_was_in_step_is_looked_through_once_unless_something_else_is_the_case() -> None:
    view = scope({"a": synced("T")}, {"a": Here("T")})
    assert planned(view).found_nothing
    assert planned(replace(view, in_step=True)).found_nothing
    intent = {"b": DeletedHere("T")}
    assert not planned(replace(view, in_step=True, deletions=intent)).found_nothing
    held_back = replace(view, files={"a": UNREADABLE})
    assert not planned(held_back).found_nothing
    broken = replace(scope({"a": changed_there("T", "U")}, {"a": Here("T")}), in_step=True, broken={"r7": "checksum"})
    assert planned(broken).held_back == {"a": "checksum"}


def test_a_conflict_a_broken_body_and_a_refusal_hold_back_only_their_own_note() -> None:
    entries = {
        "conflict": cloud_only("C", 7),
        "broken": changed_there("A", "B"),
        "refused": synced("A"),
        "up": synced("A"),
        "down": replace(synced("A"), seen=live("D", 8)),
    }
    files: dict[str, FileSide] = {
        "conflict": Here("M"),
        "broken": Here("A"),
        "refused": Here("TOO LONG"),
        "up": Here("U"),
        "down": Here("A"),
        "unreadable": UNREADABLE,
    }
    entries["unreadable"] = synced("A")
    entries["broken"] = replace(entries["broken"], seen=live("B", 5))
    view = replace(
        scope(entries, files),
        broken={"r5": "checksum"},
        refusals={"refused": Refusal("TOO LONG", "plan_note_bytes")},
    )
    plan = planned(view)
    assert dict(plan.decisions) == {
        "conflict": HoldConflict(ConflictReason.NO_BASE, live("C", 7)),
        "up": Upload(Version("A", "r1")),
        "down": Download(live("D", 8)),
    }
    assert dict(plan.held_back) == {
        "broken": "checksum",
        "refused": "plan_note_bytes",
        "unreadable": "unreadable",
    }


def test_a_refused_text_is_not_sent_again_and_another_text_is() -> None:
    view = replace(scope({}, {"a": Here("OTHER")}), refusals={"a": Refusal("REFUSED", "plan_notes")})
    assert dict(planned(view).decisions) == {"a": Upload(None)}


def test_removals_come_before_everything_else() -> None:
    entries = {"a": changed_there("A", "B"), "b": deleted_there("B"), "c": synced("C"), "d": synced("D")}
    view = replace(
        scope(entries, {"a": Here("A"), "b": Here("B"), "c": Here("new")}),
        deletions={"d": DeletedHere("D")},
    )
    assert [type(decision) for decision in planned(view).decisions.values()] == [
        DeleteHere,
        DeleteInCloud,
        Download,
        Upload,
    ]


def test_notes_that_are_not_loaded_and_damaged_files_are_never_deletions() -> None:
    entries = {"past-max": synced("A"), "damaged": synced("B"), "unreadable": synced("C")}
    files: dict[str, FileSide] = {"past-max": NOT_LOADED, "damaged": DAMAGED, "unreadable": UNREADABLE}
    plan = planned(scope(entries, files))
    assert dict(plan.decisions) == {"damaged": Refetch(live("B"))}
    assert dict(plan.held_back) == {"unreadable": "unreadable"}


def test_an_open_conflict_is_settled_when_the_sides_are_equal_again() -> None:
    view = scope({"a": changed_there("A", "C")}, {"a": Here("C")})
    plan = planned(replace(view, conflicts={"a": OpenConflict("M", "r7")}))
    assert dict(plan.decisions) == {"a": Adopt(Version("C", "r7"))}
    assert plan.settled_conflicts == {"a"}


def test_an_open_conflict_stays_while_nothing_moves() -> None:
    view = scope({"a": changed_there("A", "C")}, {"a": Here("M")})
    plan = planned(replace(view, conflicts={"a": OpenConflict("M", "r7")}))
    assert plan.is_empty
    assert plan.still_in_conflict == {"a"}


def test_a_deletion_whose_note_is_there_again_is_dead() -> None:
    view = replace(scope({"a": synced("A")}, {"a": Here("A")}), deletions={"a": DeletedHere("A")})
    plan = planned(view)
    assert not plan.decisions
    assert plan.dead_intents == {"a"}


# --- letter case


def test_a_change_of_letter_case_is_a_deletion_and_then_a_new_note_in_the_cloud() -> None:
    view = replace(scope({"Foo": synced("A")}, {"foo": Here("A2")}), deletions={"Foo": DeletedHere("A")})
    assert dict(planned(view).decisions) == {
        "Foo": DeleteInCloud(Version("A", "r1")),
        "foo": Upload(None),
    }


def test_a_change_of_letter_case_is_a_deletion_and_then_a_new_note_here() -> None:
    plan = planned(scope({"Foo": deleted_there("A"), "foo": cloud_only("A2")}, {"Foo": Here("A")}))
    assert list(plan.decisions.items()) == [
        ("Foo", DeleteHere(DeletionGround.TOMBSTONE)),
        ("foo", Download(live("A2"))),
    ]


def test_a_note_never_comes_down_beside_one_that_differs_in_letter_case() -> None:
    plan = planned(scope({"foo": cloud_only("A"), "n": synced("N")}, {"Foo": Here("B"), "n": Here("N")}))
    assert dict(plan.held_back) == {"foo": "id_case_collision", "Foo": "id_case_collision"}
    assert not plan.decisions


def test_a_note_never_goes_up_beside_one_that_differs_in_letter_case() -> None:
    plan = planned(scope({"Foo": synced("A")}, {"Foo": Here("A"), "foo": Here("B")}))
    assert dict(plan.held_back) == {"foo": "id_case_collision"}


def test_of_two_new_notes_that_differ_in_letter_case_one_goes_up() -> None:
    plan = planned(scope({}, {"foo": Here("A"), "Foo": Here("B")}))
    assert dict(plan.decisions) == {"Foo": Upload(None)}
    assert dict(plan.held_back) == {"foo": "id_case_collision"}


# --- files that vanish


def many(count: int) -> dict[str, Entry]:
    return {f"n-{n:02}": synced(f"T{n}") for n in range(count)}


def kept(entries: Mapping[str, Entry], gone: int) -> dict[str, FileSide]:
    files: dict[str, FileSide] = {}
    for note_id in list(entries)[gone:]:
        agreed = entries[note_id].agreed
        assert isinstance(agreed, AgreedOn)
        files[note_id] = Here(agreed.version.hash)
    return files


def test_few_missing_files_are_deleted_in_the_cloud_on_the_second_pass() -> None:
    view = scope(many(30), kept(many(30), 2))
    first = planned(view)
    assert dict(first.held_back) == {"n-00": "missing", "n-01": "missing"}
    assert not first.decisions
    second = planned(replace(view, history=first.history))
    assert dict(second.decisions) == {
        "n-00": DeleteInCloud(Version("T0", "r1")),
        "n-01": DeleteInCloud(Version("T1", "r1")),
    }


def test_many_missing_files_ask_and_each_answer_is_carried_out() -> None:
    view = scope(many(30), kept(many(30), 6))
    assert question(view).reason is PauseReason.MANY_MISSING
    assert set(map(type, answered(view, Choice.DELETE).values())) == {DeleteInCloud}
    assert answered(view, Choice.RESTORE) == {f"n-{n:02}": Download(live(f"T{n}")) for n in range(6)}


def test_a_folder_that_is_gone_sends_no_deletion() -> None:
    view = replace(scope(many(3), {}), folder=FolderNow(FolderState.GONE))
    assert question(view) == Paused(PauseReason.FOLDER_GONE, ("n-00", "n-01", "n-02"))
    assert set(map(type, answered(view, Choice.RESTORE).values())) == {Download}


def test_a_folder_that_cannot_be_read_waits_whatever_was_answered() -> None:
    view = replace(scope(many(3), {}), folder=FolderNow(FolderState.UNREADABLE))
    everything = frozenset(many(3))
    answers = tuple(Confirmed(choice, everything) for choice in Choice)
    assert question(replace(view, confirmed=answers)).reason is PauseReason.FOLDER_UNREADABLE


def test_a_missing_file_that_was_edited_in_the_cloud_just_comes_back() -> None:
    plan = planned(scope({"a": changed_there("A", "B"), "b": synced("B")}, {"b": Here("B")}))
    assert dict(plan.decisions) == {"a": Download(live("B", 7))}


@pytest.mark.parametrize("moved_on", [changed_there("C", "D"), deleted_there("C")], ids=["changed", "deleted"])
def test_all_files_missing_ask_also_when_the_cloud_has_moved_on_for_some(moved_on: Entry) -> None:
    entries = {"a": synced("A"), "b": synced("B"), "c": moved_on}
    assert question(scope(entries, {})) == Paused(PauseReason.ALL_MISSING, ("a", "b"))
    here: dict[str, FileSide] = {"d": Here("D")}
    assert planned(scope(entries | {"d": synced("D")}, here)).held_back == {"a": "missing", "b": "missing"}


def test_a_deletion_that_somebody_asked_for_never_asks() -> None:
    intents = {note_id: DeletedHere(f"T{n}") for n, note_id in enumerate(many(30))}
    plan = planned(replace(scope(many(30), {}), deletions=intents))
    assert len(plan.decisions) == 30
    assert set(map(type, plan.decisions.values())) == {DeleteInCloud}


# --- git moved HEAD


def after_checkout(view: ScopeView) -> ScopeView:
    history = FolderHistory(head_when_whole="h1", met=True)
    return replace(view, history=history, folder=FolderNow(head="h2", tracked=True))


def test_after_git_moved_head_everything_that_looks_old_is_one_question() -> None:
    entries = {
        "missing": synced("A"),
        "older-text": synced("B", 3, "B-before"),
        "came-back": Entry(NOTHING_AGREED, DeletedInCloud("C", "r5", 5)),
        "quiet": synced("D"),
        "edited": synced("E"),
    }
    files: dict[str, FileSide] = {
        "older-text": Here("B-before"),
        "came-back": Here("C"),
        "quiet": Here("D"),
        "edited": Here("E2"),
    }
    view = after_checkout(scope(entries, files))
    assert question(view) == Paused(PauseReason.HEAD_MOVED, ("came-back", "missing", "older-text"))

    edited = {"edited": Upload(Version("E", "r1"))}
    assert answered(view, Choice.DELETE) == edited | {
        "missing": DeleteInCloud(Version("A", "r1")),
        "older-text": Download(live("B", 3)),
        "came-back": DeleteHere(DeletionGround.TOMBSTONE),
    }
    assert answered(view, Choice.RESTORE) == edited | {
        "missing": Download(live("A")),
        "older-text": Download(live("B", 3)),
        "came-back": Upload(Version("C", "r5"), fresh=True),
    }
    assert answered(view, Choice.MIX) == edited | {
        "missing": Download(live("A")),
        "older-text": Upload(Version("B", "r3")),
        "came-back": Upload(Version("C", "r5"), fresh=True),
    }


def test_an_older_text_without_a_moved_head_is_an_edit_like_any_other() -> None:
    plan = planned(scope({"a": synced("B", 3, "A")}, {"a": Here("A")}))
    assert dict(plan.decisions) == {"a": Upload(Version("B", "r3"))}


def test_after_the_answer_the_new_head_is_where_the_folder_is_whole() -> None:
    view = after_checkout(scope({"a": synced("A"), "b": synced("B")}, {"b": Here("B")}))
    answer = Confirmed(Choice.RESTORE, frozenset({"a"}))
    assert planned(replace(view, confirmed=(answer,))).history.head_when_whole == "h2"


# --- a pull that would take much away


def test_a_pull_that_removes_much_asks_and_each_answer_is_carried_out() -> None:
    entries = {f"n-{n:02}": deleted_there(f"T{n}") if n < 11 else synced(f"T{n}") for n in range(30)}
    entries["n-00"] = replace(synced("T0"), seen=PURGED_FROM_CLOUD)
    view = scope(entries, kept(entries, 0))
    paused = question(view)
    assert paused == Paused(PauseReason.MANY_REMOVALS, tuple(f"n-{n:02}" for n in range(11)))
    assert set(map(type, answered(view, Choice.DELETE).values())) == {DeleteHere}
    restored = answered(view, Choice.RESTORE)
    assert restored["n-00"] == Upload(None, fresh=True)
    assert restored["n-01"] == Upload(Version("T1", "r9"), fresh=True)


def test_old_copies_of_deleted_notes_count_as_removals_too() -> None:
    entries = {f"n-{n:02}": Entry(NOTHING_AGREED, DeletedInCloud(f"T{n}", "r9", 9)) for n in range(11)}
    view = scope(entries, {f"n-{n:02}": Here(f"T{n}") for n in range(11)})
    assert question(view).reason is PauseReason.MANY_REMOVALS


def test_two_questions_are_asked_one_after_the_other_and_both_answers_hold() -> None:
    entries = {f"n-{n:02}": deleted_there(f"T{n}") if n < 11 else synced(f"T{n}") for n in range(30)}
    files = kept(entries, 0)
    for n in range(20, 30):
        del files[f"n-{n:02}"]
    view = scope(entries, files)
    first = question(view)
    assert first.reason is PauseReason.MANY_MISSING
    view = replace(view, confirmed=(Confirmed(Choice.RESTORE, frozenset(first.note_ids)),))
    second = question(view)
    assert second.reason is PauseReason.MANY_REMOVALS
    view = replace(view, confirmed=(*view.confirmed, Confirmed(Choice.DELETE, frozenset(second.note_ids))))
    assert set(map(type, planned(view).decisions.values())) == {DeleteHere, Download}


# --- a first sync


def test_a_first_sync_of_strangers_asks_and_mixes_them_when_told() -> None:
    entries = {"x": cloud_only("X"), "y": cloud_only("Y")}
    view = replace(scope(entries, {"a": Here("A"), "b": Here("B")}), history=FolderHistory())
    assert question(view) == Paused(PauseReason.FIRST_SYNC, ("a", "b"))
    assert answered(view, Choice.MIX) == {
        "x": Download(live("X")),
        "y": Download(live("Y")),
        "a": Upload(None),
        "b": Upload(None),
    }


def test_a_first_sync_of_two_collections_that_know_each_other_is_a_union() -> None:
    entries = {"a": cloud_only("A"), "b": cloud_only("B"), "c": cloud_only("C")}
    files: dict[str, FileSide] = {"a": Here("A"), "b": Here("B2"), "d": Here("D")}
    plan = planned(replace(scope(entries, files), history=FolderHistory()))
    assert {note_id: type(decision) for note_id, decision in plan.decisions.items()} == {
        "a": Adopt,
        "b": HoldConflict,
        "c": Download,
        "d": Upload,
    }


def test_once_met_two_sides_are_not_asked_about_again() -> None:
    view = replace(scope({"x": cloud_only("X")}, {"a": Here("A"), "x": Here("X")}), history=FolderHistory())
    met = planned(view).history
    later = scope({"x": Entry(NOTHING_AGREED, DeletedInCloud("X", "r5", 5))}, {"new": Here("N")})
    assert isinstance(plan_scope(replace(later, history=met)), ScopePlan)


def test_a_note_lost_by_the_cloud_goes_up_again() -> None:
    plan = planned(scope({"a": replace(synced("A"), seen=NOT_IN_CLOUD)}, {"a": Here("A")}))
    assert dict(plan.decisions) == {"a": Upload(None)}
