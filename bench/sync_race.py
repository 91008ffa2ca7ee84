"""Lets the contestants of the sync bench do the same steps in turn, timed, or once through a relay that counts."""

import contextlib
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from bench.sync_contest import Contestant, Pair
from bench.sync_notes import MadeUpNote, edit_some, make_notes, marks_in, write_notes
from bench.sync_relay import Passed, Relay

CHANGED_AT_ONCE = 10
CHANGES = 3
QUIET_PASSES = 5
_SETTLING_SECONDS = 2.5


class Step(StrEnum):
    """What is measured, in the words of the tables."""

    RECORD = "first add and commit"
    SEND = "first upload"
    RECEIVE = "first download"
    ASK = "nothing changed"
    RECORD_CHANGE = "10 notes: add and commit"
    SEND_CHANGE = "10 notes: up"
    RECEIVE_CHANGE = "10 notes: down"


@dataclass(slots=True)
class Times:
    """Milliseconds of every step, as often as it was done."""

    taken: dict[Step, list[float]] = field(default_factory=lambda: defaultdict(list))

    def median(self, *steps: Step) -> float:
        """Of the steps together; a step that was never done takes no time."""
        return sum(statistics.median(self.taken[step]) for step in steps if self.taken.get(step))


@dataclass(frozen=True, slots=True)
class Race:
    """What a race of so many notes gave, by the contestants' names."""

    notes: int
    rounds: int
    times: Mapping[str, Times]


@dataclass(slots=True)
class _Lane:
    """A contestant with its two devices, and the notes as the first one has them."""

    contestant: Contestant
    pair: Pair
    notes: list[MadeUpNote]


def race(place: Path, contestants: Sequence[Contestant], notes: int, rounds: int) -> Race:
    """Times of all contestants; each starts anew in every round, with another one first at every step."""
    times = {each.name: Times() for each in contestants}
    with contextlib.ExitStack() as services:
        ports = [_started(each, place / f"service-{at}", services) for at, each in enumerate(contestants)]
        for number in range(rounds):
            with contextlib.ExitStack() as devices:
                lanes = [
                    _lane(each, place / f"round{number}-{at}", port, notes, devices)
                    for at, (each, port) in enumerate(zip(contestants, ports, strict=True))
                ]
                _run_round(lanes, times, number)
    return Race(notes, rounds, times)


def count_traffic(place: Path, contestants: Sequence[Contestant], notes: int) -> dict[str, dict[Step, Passed]]:
    """What each contestant sends and receives at every step."""
    counted: dict[str, dict[Step, Passed]] = {}
    for at, each in enumerate(contestants):
        with contextlib.ExitStack() as closing:
            port = _started(each, place / f"service-{at}", closing)
            relay = Relay(port)
            closing.callback(relay.close)
            lane = _lane(each, place / f"counted-{at}", relay.port, notes, closing)
            counted[each.name] = _counted(lane, relay)
    return counted


def _started(contestant: Contestant, place: Path, stack: contextlib.ExitStack) -> int:
    port = contestant.start(place)
    stack.callback(contestant.stop)
    return port


def _lane(contestant: Contestant, place: Path, port: int, count: int, stack: contextlib.ExitStack) -> _Lane:
    pair = contestant.pair(place, port)
    stack.callback(pair.close)
    notes = make_notes(count)
    write_notes(pair.first, notes, contestant.form)
    return _Lane(contestant, pair, notes)


def _run_round(lanes: Sequence[_Lane], times: Mapping[str, Times], number: int) -> None:
    turn = number

    def all_do(step: Step, work: Callable[[Pair], object]) -> None:
        nonlocal turn
        turn += 1
        for at in range(len(lanes)):
            lane = lanes[(at + turn) % len(lanes)]
            times[lane.contestant.name].taken[step].append(_milliseconds(work, lane.pair))

    all_do(Step.RECORD, lambda pair: pair.record())
    all_do(Step.SEND, lambda pair: pair.send())
    all_do(Step.RECEIVE, lambda pair: pair.receive())
    _settle(lanes)
    for _ in range(QUIET_PASSES):
        all_do(Step.ASK, lambda pair: pair.ask())
    for change in range(CHANGES):
        _change(lanes, change)
        all_do(Step.RECORD_CHANGE, lambda pair: pair.record())
        all_do(Step.SEND_CHANGE, lambda pair: pair.send())
        all_do(Step.RECEIVE_CHANGE, lambda pair: pair.receive())
        _check(lanes)


def _counted(lane: _Lane, relay: Relay) -> dict[Step, Passed]:
    counted: dict[Step, Passed] = {}

    def count(step: Step, work: Callable[[], object]) -> None:
        before = relay.passed
        work()
        counted[step] = relay.passed.since(before)

    pair = lane.pair
    pair.record()
    count(Step.SEND, pair.send)
    count(Step.RECEIVE, pair.receive)
    _settle([lane])
    count(Step.ASK, pair.ask)
    _change([lane], 0)
    pair.record()
    count(Step.SEND_CHANGE, pair.send)
    count(Step.RECEIVE_CHANGE, pair.receive)
    _check([lane])
    return counted


def _milliseconds(work: Callable[[Pair], object], pair: Pair) -> float:
    os.sync()
    begun = time.perf_counter()
    work(pair)
    return (time.perf_counter() - begun) * 1000


def _settle(lanes: Sequence[_Lane]) -> None:
    """Both devices look once more after their files have come to rest, as they would in daily life."""
    _check(lanes)
    time.sleep(_SETTLING_SECONDS)
    for lane in lanes:
        lane.pair.receive()
        lane.pair.ask()


def _change(lanes: Sequence[_Lane], turn: int) -> None:
    for lane in lanes:
        write_notes(lane.pair.first, edit_some(lane.notes, CHANGED_AT_ONCE, turn), lane.contestant.form)


def _check(lanes: Sequence[_Lane]) -> None:
    """What arrived is what was sent, or the race is no race."""
    for lane in lanes:
        expected = {note.mark for note in lane.notes}
        for folder in (lane.pair.first, lane.pair.second):
            wrong = expected ^ marks_in(folder)
            if wrong:
                raise SystemExit(
                    f"{lane.contestant.name} left {len(wrong)} differences in {folder}: {sorted(wrong)[:3]}"
                )
