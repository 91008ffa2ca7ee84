"""The tables of the sync bench, and its bars."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.sync_race import Race, Step
from bench.sync_relay import Passed

OURS, GIT, VDIRSYNCER = "oharness", "git", "vdirsyncer"
_CHANGE = (Step.RECORD_CHANGE, Step.SEND_CHANGE, Step.RECEIVE_CHANGE)
_ROWS: tuple[tuple[str, tuple[Step, ...]], ...] = (
    (Step.RECORD, (Step.RECORD,)),
    (Step.SEND, (Step.SEND,)),
    (Step.RECEIVE, (Step.RECEIVE,)),
    (Step.ASK, (Step.ASK,)),
    (Step.RECORD_CHANGE, (Step.RECORD_CHANGE,)),
    (Step.SEND_CHANGE, (Step.SEND_CHANGE,)),
    (Step.RECEIVE_CHANGE, (Step.RECEIVE_CHANGE,)),
    ("10 notes: all together", _CHANGE),
)


@dataclass(frozen=True, slots=True)
class Bar:
    """A promise about one figure, which has to be at most `most`."""

    promise: str
    figure: float | None
    most: float
    unit: str = ""

    @property
    def line(self) -> str:
        if self.figure is None:
            return f"| {self.promise} | {self.most:g}{self.unit} | not measured | |"
        verdict = "kept" if self.figure <= self.most else "**missed**"
        return f"| {self.promise} | {self.most:g}{self.unit} | {self.figure:.2f}{self.unit} | {verdict} |"


def time_table(race: Race) -> Iterator[str]:
    """Milliseconds of every step, and how ours compares with each of the others."""
    others = [name for name in race.times if name != OURS]
    yield ""
    yield f"## {race.notes:,} notes, medians of {race.rounds} rounds, ms"
    yield ""
    yield "| step | " + " | ".join([OURS, *(f"{name} | ours / {name}" for name in others)]) + " |"
    yield "|---|---:|" + "---:|---:|" * len(others)
    for title, steps in _ROWS:
        ours = race.times[OURS].median(*steps)
        cells = [_milliseconds(ours)]
        for name in others:
            theirs = race.times[name].median(*steps)
            cells += [_milliseconds(theirs), f"{ours / theirs:.2f}" if ours >= 0.5 <= theirs else ""]
        yield f"| {title} | " + " | ".join(cells) + " |"


def traffic_table(counted: Mapping[str, Mapping[Step, Passed]], notes: int) -> Iterator[str]:
    """Requests and bytes of every step."""
    yield ""
    yield f"## Requests and bytes, {notes:,} notes, headers included"
    yield ""
    yield "| step | " + " | ".join(f"{name}: requests | up | down" for name in counted) + " |"
    yield "|---|" + "---:|---:|---:|" * len(counted)
    for step in (Step.SEND, Step.RECEIVE, Step.ASK, Step.SEND_CHANGE, Step.RECEIVE_CHANGE):
        cells = [_traffic(steps[step]) for steps in counted.values()]
        yield f"| {step} | " + " | ".join(cells) + " |"
    yield ""
    yield "What is not HTTP has connections where the others have requests."


def growth_table(races: Sequence[Race], names: Sequence[str]) -> Iterator[str]:
    """How the steps grow with the number of notes."""
    there = [name for name in names if all(name in race.times for race in races)]
    yield ""
    yield "## How it grows, ms"
    yield ""
    yield "| step | " + " | ".join(f"{name}, {race.notes:,}" for name in there for race in races) + " |"
    yield "|---|" + "---:|" * (len(there) * len(races))
    for title, steps in _ROWS:
        cells = [_milliseconds(race.times[name].median(*steps)) for name in there for race in races]
        yield f"| {title} | " + " | ".join(cells) + " |"


def bars(large: Race, small: Race, counted: Mapping[str, Mapping[Step, Passed]], opened: int | None) -> Iterator[str]:
    """What was promised, and what became of it."""
    quiet = counted[OURS][Step.ASK]
    promised = [
        Bar("nothing changed: requests", quiet.requests, 1),
        Bar("nothing changed: bytes up", quiet.bytes_up, 1024),
        Bar("nothing changed: bytes down", quiet.bytes_down, 1024),
        Bar("nothing changed: note files opened", opened, 0),
        Bar("nothing changed: time beside git's fetch", _ratio(large, GIT, Step.ASK), 1, " ×"),
        Bar("10 notes: time beside git's commit, push, fetch and merge", _ratio(large, GIT, *_CHANGE), 0.5, " ×"),
        Bar("first upload beside git's push", _ratio(large, GIT, Step.SEND), 2, " ×"),
        Bar("first download beside git's clone", _ratio(large, GIT, Step.RECEIVE), 2, " ×"),
        Bar("first upload beside vdirsyncer's", _ratio(small, VDIRSYNCER, Step.SEND), 0.05, " ×"),
        Bar("first download beside vdirsyncer's", _ratio(small, VDIRSYNCER, Step.RECEIVE), 0.05, " ×"),
        Bar("both together beside vdirsyncer's", _ratio(small, VDIRSYNCER, Step.SEND, Step.RECEIVE), 0.05, " ×"),
    ]
    yield ""
    yield "## Bars"
    yield ""
    yield "| promise | at most | measured | |"
    yield "|---|---:|---:|---|"
    yield from (bar.line for bar in promised)


def _ratio(race: Race, other: str, *steps: Step) -> float | None:
    if other not in race.times:
        return None
    return race.times[OURS].median(*steps) / race.times[other].median(*steps)


def _milliseconds(value: float) -> str:
    if value < 0.5:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _traffic(passed: Passed) -> str:
    return f"{passed.requests or passed.connections} | {passed.bytes_up:,} | {passed.bytes_down:,}"
