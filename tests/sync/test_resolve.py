"""A conflict is answered in one of four ways, and stays answered on both machines."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from oharness.notes.limits import NoteTooLarge
from oharness.notes.note import Note
from oharness.protocol.quotas import PlanLimits
from oharness.sync.directory import Directory
from oharness.sync.resolve import (
    ConflictMoved,
    NoSuchConflict,
    Resolved,
    keep_both,
    keep_mine,
    merge_by_hand,
    take_cloud,
)
from oharness.testing.clock import FakeClock
from oharness.testing.devices import Device, settle_all
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer

pytestmark = pytest.mark.sync
Machine = Callable[[str], Device]
Pair = tuple[Device, Device]


@pytest.fixture
def in_conflict(device: Machine) -> Callable[[], Awaitable[Pair]]:
    """Two machines; the second has a conflict about `n`: base "one", mine "B's", cloud "A's"."""

    async def make() -> Pair:
        a, b = device("a"), device("b")
        a.write("n", "one")
        await settle_all(a, b)
        a.write("n", "A's")
        b.write("n", "B's")
        await a.sync()
        assert (await b.sync()).conflicts == ["n"]
        return a, b

    return make


async def ten_more_passes(a: Device, b: Device) -> None:
    for _ in range(10):
        for machine in (a, b):
            assert (await machine.sync()).changed_nothing
            assert not machine.conflicts()


async def test_keeping_mine_stays_answered(in_conflict: Callable[[], Awaitable[Pair]]) -> None:
    a, b = await in_conflict()
    keep_mine(b.directory, "n")
    await settle_all(b, a)
    assert a.bodies() == b.bodies() == {"n": "B's"}
    assert "A's" in b.backed_up("n")
    assert "A's" in a.backed_up("n")
    await ten_more_passes(a, b)


async def test_taking_the_clouds_stays_answered(in_conflict: Callable[[], Awaitable[Pair]]) -> None:
    a, b = await in_conflict()
    done = take_cloud(b.directory, "n")
    assert b.bodies() == {"n": "A's"}
    assert len(done.backups) == 1
    assert "B's" in b.backed_up("n")
    await ten_more_passes(a, b)


async def test_keeping_both_stays_answered(in_conflict: Callable[[], Awaitable[Pair]]) -> None:
    a, b = await in_conflict()
    done = keep_both(b.directory, "n")
    assert done.beside is not None
    await settle_all(b, a)
    assert a.bodies() == b.bodies() == {"n": "B's", done.beside: "A's"}
    await ten_more_passes(a, b)


async def test_a_merge_by_hand_stays_answered(in_conflict: Callable[[], Awaitable[Pair]]) -> None:
    a, b = await in_conflict()
    merge_by_hand(b.directory, "n", b"A's and B's\n")
    await settle_all(b, a)
    assert a.bodies() == b.bodies() == {"n": "A's and B's"}
    assert {"A's", "B's"} <= set(b.backed_up("n"))
    await ten_more_passes(a, b)


async def test_a_merge_by_hand_may_be_a_whole_note_file(in_conflict: Callable[[], Awaitable[Pair]]) -> None:
    _, b = await in_conflict()
    merge_by_hand(b.directory, "n", b'---\n{"id":"n","summary":"By hand","tags":["t"]}\n---\nboth\n')
    note = b.note("n")
    assert isinstance(note, Note)
    assert (note.summary, note.tags, note.body) == ("By hand", ("t",), "both")


@pytest.mark.parametrize(("answer", "expected"), [(keep_mine, {"n": "edited"}), (take_cloud, {})])
async def test_a_note_edited_here_and_deleted_long_ago_there_can_be_kept_or_let_go(
    device: Machine, clock: FakeClock, answer: Callable[[Directory, str], Resolved], expected: dict[str, str]
) -> None:
    a, b = device("a"), device("b")
    a.write("n", "one")
    await settle_all(a, b)
    a.forget("n")
    await a.sync()
    clock.advance(91 * 86_400)
    a.write("other")
    await a.sync()
    a.forget("other")
    await a.sync()
    b.write("n", "edited")
    assert (await b.sync()).conflicts == ["n"]
    answer(b.directory, "n")
    await settle_all(b, a)
    assert a.bodies() == b.bodies() == expected
    assert "edited" in [*b.backed_up("n"), *b.bodies().values()]
    await ten_more_passes(a, b)


async def test_an_answer_to_no_conflict_is_refused(device: Machine) -> None:
    a = device("a")
    a.write("n")
    await a.sync()
    with pytest.raises(NoSuchConflict):
        keep_mine(a.directory, "n")


async def test_a_hand_made_text_is_refused_when_the_note_moved_since_it_was_shown(
    in_conflict: Callable[[], Awaitable[Pair]],
) -> None:
    _, b = await in_conflict()
    b.write("n", "edited since")
    with pytest.raises(ConflictMoved):
        merge_by_hand(b.directory, "n", b"by hand")
    assert b.bodies() == {"n": "edited since"}
    assert b.conflicts()


async def test_what_is_set_aside_is_the_file_as_it_is_now(in_conflict: Callable[[], Awaitable[Pair]]) -> None:
    _, b = await in_conflict()
    b.write("n", "edited since")
    take_cloud(b.directory, "n")
    assert b.bodies() == {"n": "A's"}
    assert "edited since" in b.backed_up("n")


async def test_a_text_over_the_limit_is_refused_and_nothing_changes(
    in_conflict: Callable[[], Awaitable[Pair]],
) -> None:
    _, b = await in_conflict()
    with pytest.raises(NoteTooLarge):
        merge_by_hand(b.directory, "n", b"x" * 140_000)
    assert b.bodies() == {"n": "B's"}
    assert b.conflicts()


async def test_keeping_both_on_a_full_free_plan_keeps_both_here_and_sends_the_second_when_there_is_room(
    tmp_path: Path, clock: FakeClock
) -> None:
    server = SyncServer(clock, SeededRandomness("s"), free_limits=PlanLimits(2, 16_384))
    a, b = (Device(tmp_path / name, server, plan="free") for name in ("a", "b"))
    a.write("n", "one")
    a.write("other")
    await settle_all(a, b)
    a.write("n", "A's")
    b.write("n", "B's")
    await a.sync()
    assert (await b.sync()).conflicts == ["n"]

    beside = keep_both(b.directory, "n").beside

    assert beside is not None
    assert (await b.sync()).held_back == {beside: "plan_notes"}
    for _ in range(10):
        report = await b.sync()
        assert (report.held_back, report.conflicts, report.requests) == ({beside: "plan_notes"}, [], 1)
        await a.sync()
    assert b.bodies() == {"n": "B's", "other": "text", beside: "A's"}
    assert a.bodies() == {"n": "B's", "other": "text"}
    a.forget("other")
    await settle_all(a, b)
    assert a.bodies() == b.bodies() == {"n": "B's", beside: "A's"}
