"""A scope asks before it deletes much or mixes strangers, in both directions."""

import pytest

from oharness.core.clock import Millis
from oharness.reconcile.guards import (
    ANSWERS,
    DAY_MS,
    AnswerDoesNotFit,
    Choice,
    Confirmed,
    FolderHistory,
    FolderNow,
    FolderState,
    MissingVerdict,
    NothingCanBeAnswered,
    Paused,
    PauseReason,
    after_pass,
    answer_to,
    confirm,
    head_moved,
    judge_first_sync,
    judge_missing,
    judge_removals,
    judge_returned,
)

pytestmark = pytest.mark.sync

NOW = Millis(1_800_000_000_000)
THERE = FolderNow(head="h1", tracked=True)
QUIET = FolderHistory(head_when_whole="h1")


def ids(count: int) -> frozenset[str]:
    return frozenset(f"n-{number}" for number in range(count))


def seen_before(missing: frozenset[str]) -> FolderHistory:
    return FolderHistory(missing, {}, "h1")


def test_a_missing_file_waits_for_the_second_pass() -> None:
    first = judge_missing(ids(2), 100, QUIET, THERE, NOW)
    assert first == MissingVerdict(frozenset(), ids(2))
    history = after_pass(QUIET, THERE, first, answered=False, now_ms=NOW)
    assert judge_missing(ids(2), 100, history, THERE, NOW) == MissingVerdict(ids(2), frozenset())


def test_a_file_that_came_back_in_between_starts_anew() -> None:
    nothing = MissingVerdict(frozenset(), frozenset())
    history = after_pass(seen_before(ids(2)), THERE, nothing, answered=False, now_ms=NOW)
    assert judge_missing(ids(2), 100, history, THERE, NOW) == MissingVerdict(frozenset(), ids(2))


@pytest.mark.parametrize(
    ("missing", "synced", "asks"),
    [(5, 10, False), (6, 10, True), (6, 59, True), (6, 60, False), (10, 100, False), (11, 100, True)],
)
def test_more_than_five_or_a_tenth_ask(missing: int, synced: int, asks: bool) -> None:
    verdict = judge_missing(ids(missing), synced, seen_before(ids(missing)), THERE, NOW)
    expected: object = MissingVerdict(ids(missing), frozenset())
    if asks:
        expected = Paused(PauseReason.MANY_MISSING, tuple(sorted(ids(missing))))
    assert verdict == expected


@pytest.mark.parametrize("synced", [1, 2, 5])
def test_all_of_them_ask_however_few(synced: int) -> None:
    verdict = judge_missing(ids(synced), synced, seen_before(ids(synced)), THERE, NOW)
    assert verdict == Paused(PauseReason.ALL_MISSING, tuple(sorted(ids(synced))))


def test_deletions_from_outside_add_up_over_a_day() -> None:
    earlier = {f"gone-{hours}": Millis(NOW - hours * 3_600_000) for hours in (1, 5, 10, 23)}
    history = FolderHistory(ids(2), earlier, "h1")
    assert isinstance(judge_missing(ids(2), 20, history, THERE, NOW), Paused)
    a_day_later = Millis(NOW + DAY_MS)
    assert judge_missing(ids(2), 20, history, THERE, a_day_later) == MissingVerdict(ids(2), frozenset())


def test_a_pass_that_was_cut_short_is_repeated_with_the_same_verdict() -> None:
    history = seen_before(ids(5))
    for _ in range(10):
        verdict = judge_missing(ids(5), 20, history, THERE, NOW)
        assert verdict == MissingVerdict(ids(5), frozenset())
        history = after_pass(history, THERE, verdict, answered=False, now_ms=NOW)


def test_deletions_of_a_clock_that_ran_ahead_count_as_now_and_are_forgotten_a_day_later() -> None:
    ahead = FolderHistory(frozenset(), dict.fromkeys("abcde", Millis(NOW + 3650 * DAY_MS)), "h1")
    nothing = MissingVerdict(frozenset(), frozenset())
    history = after_pass(ahead, THERE, nothing, answered=False, now_ms=NOW)
    assert history.deleted_outside == dict.fromkeys("abcde", NOW)
    later = Millis(NOW + DAY_MS)
    assert after_pass(history, THERE, nothing, answered=False, now_ms=later).deleted_outside == {}


def test_any_number_asks_after_git_moved_head() -> None:
    verdict = judge_missing(ids(1), 1000, seen_before(ids(1)), FolderNow(head="h2", tracked=True), NOW)
    assert verdict == Paused(PauseReason.HEAD_MOVED, ("n-0",))


def test_a_branch_without_the_notes_is_a_moved_head_too() -> None:
    assert head_moved(QUIET, FolderNow(head="h2", tracked=False))
    assert head_moved(QUIET, FolderNow(head=None, tracked=False))


def test_head_of_a_repository_that_does_not_track_the_notes_says_nothing() -> None:
    untracked = FolderNow(head="h1", tracked=False)
    nothing = MissingVerdict(frozenset(), frozenset())
    history = after_pass(FolderHistory(), untracked, nothing, answered=False, now_ms=NOW)
    assert not head_moved(history, FolderNow(head="h2", tracked=False))


def test_head_is_remembered_from_when_nothing_was_missing() -> None:
    """A checkout takes files away before it moves HEAD: a pass in between must not take HEAD for settled."""
    between = judge_missing(ids(1), 100, QUIET, THERE, NOW)
    assert isinstance(between, MissingVerdict)
    history = after_pass(QUIET, THERE, between, answered=False, now_ms=NOW)
    verdict = judge_missing(ids(1), 100, history, FolderNow(head="h2", tracked=True), NOW)
    assert verdict == Paused(PauseReason.HEAD_MOVED, ("n-0",))


def test_head_that_moved_with_nothing_missing_is_the_new_place() -> None:
    moved = FolderNow(head="h2", tracked=True)
    verdict = judge_missing(frozenset(), 100, QUIET, moved, NOW)
    assert isinstance(verdict, MissingVerdict)
    assert after_pass(QUIET, moved, verdict, answered=False, now_ms=NOW).head_when_whole == "h2"


def test_notes_that_return_after_git_moved_head_ask() -> None:
    moved = FolderNow(head="h2", tracked=True)
    assert judge_returned({"b", "a"}, QUIET, moved) == Paused(PauseReason.HEAD_MOVED, ("a", "b"))
    assert judge_returned({"a"}, QUIET, THERE) is None
    assert judge_returned(set(), QUIET, moved) is None


def test_a_folder_that_is_gone_or_unreadable_asks_however_much_is_missing() -> None:
    gone = judge_missing(ids(3), 3, QUIET, FolderNow(FolderState.GONE), NOW)
    assert gone == Paused(PauseReason.FOLDER_GONE, ("n-0", "n-1", "n-2"))
    unreadable = judge_missing(frozenset(), 3, QUIET, FolderNow(FolderState.UNREADABLE), NOW)
    assert unreadable == Paused(PauseReason.FOLDER_UNREADABLE, ())


def test_a_folder_that_was_never_synced_may_be_missing() -> None:
    verdict = judge_missing(frozenset(), 0, FolderHistory(), FolderNow(FolderState.GONE), NOW)
    assert verdict == MissingVerdict(frozenset(), frozenset())


@pytest.mark.parametrize(
    ("removals", "unchanged", "asks"), [(10, 10, False), (11, 54, True), (11, 55, False), (21, 100, True)]
)
def test_a_pull_that_removes_more_than_ten_or_a_fifth_asks(removals: int, unchanged: int, asks: bool) -> None:
    assert (judge_removals(ids(removals), unchanged) is not None) is asks


@pytest.mark.parametrize(
    ("here", "there", "asks"),
    [
        ("", "x y", False),
        ("a b", "", False),
        ("a b", "a x", False),
        ("a b c", "a x", True),
        ("a", "x", True),
        ("a b c d", "a b z", False),
    ],
)
def test_a_first_sync_asks_when_fewer_than_half_are_known_there(here: str, there: str, asks: bool) -> None:
    paused = judge_first_sync(here.split(), there.split(), FolderHistory())
    assert (paused is not None) is asks
    if paused:
        assert set(paused.note_ids) == set(here.split()) - set(there.split())


def test_two_sides_that_have_met_are_no_strangers() -> None:
    assert judge_first_sync({"new"}, {"deleted-long-ago"}, FolderHistory(met=True)) is None


@pytest.mark.parametrize("reason", PauseReason)
def test_an_answer_that_does_not_fit_is_refused(reason: PauseReason) -> None:
    paused = Paused(reason, ("a",))
    for choice in Choice:
        if choice in ANSWERS[reason]:
            assert confirm(paused, choice) == Confirmed(choice, frozenset({"a"}))
        else:
            with pytest.raises(AnswerDoesNotFit if ANSWERS[reason] else NothingCanBeAnswered) as refused:
                confirm(paused, choice)
            assert set(getattr(refused.value, "answers", ())) == {f"--{answer}" for answer in ANSWERS[reason]}


def test_an_answer_holds_for_the_notes_that_were_shown_and_no_others() -> None:
    answers = [Confirmed(Choice.MIX, frozenset("xy")), Confirmed(Choice.DELETE, frozenset("ab"))]
    assert answer_to(Paused(PauseReason.MANY_MISSING, ("a",)), answers) is Choice.DELETE
    assert answer_to(Paused(PauseReason.FIRST_SYNC, ("x", "y")), answers) is Choice.MIX
    assert answer_to(Paused(PauseReason.MANY_MISSING, ("a", "c")), answers) is None
    assert answer_to(Paused(PauseReason.FIRST_SYNC, ("a",)), answers) is None
    assert answer_to(Paused(PauseReason.MANY_MISSING, ("a",)), []) is None


def test_after_an_answer_the_count_starts_anew() -> None:
    history = FolderHistory(frozenset(), dict.fromkeys("abcd", NOW), "h1")
    moved = FolderNow(head="h2", tracked=True)
    after = after_pass(history, moved, MissingVerdict(ids(3), frozenset()), answered=True, now_ms=NOW)
    assert (after.deleted_outside, after.head_when_whole) == ({}, "h2")
