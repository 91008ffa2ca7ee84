"""How long recall takes beside the others: built, opened again, changed by one note, and asked.

In processor time, of all threads: nobody here waits for anything but the processor, and what else the machine does
would decide what the slowest of a hundred answers takes.
"""

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench.recall_child import stamps
from bench.recall_corpora import BenchNote
from bench.recall_engines import Bm25s, Engine, Fts5, Tantivy, engines
from bench.recall_notes import Talk
from bench.recall_ours import Ours
from oharness.core.clock import Millis
from oharness.notes.frontmatter import note_file_name, note_text
from oharness.notes.note import Note

_MESSAGES = 300
_EDITS = 7
_OPENINGS = 7
_BEGUN = 1_788_000_000_000
_ROOT = Path(__file__).resolve().parents[1]
_NEEDS_ALL_NOTES = frozenset({"bm25s", "rank-bm25"})


@dataclass(frozen=True, slots=True)
class Asked:
    """Milliseconds of one size of collection."""

    build: float
    edit: float
    p50: float
    p99: float


Times = Mapping[str, Asked]
"""By name of the engine."""
ASKED_HEAD = (
    "| notes | engine | build ms | one edit ms | p50 ms | p99 ms | p99 / p50 | p50, times ours |",
    "|---:|---|---:|---:|---:|---:|---:|---:|",
)


def asked(count: int) -> Times:
    """Each engine over the same made-up notes in memory; messages in turn, so that a busy moment meets all alike."""
    talk = Talk()
    notes = [talk.note(number) for number in range(count)]
    messages = [talk.message(notes) for _ in range(_MESSAGES)]
    made = engines()
    built = {engine.name: _ms(partial(engine.build, notes, "en")) for engine in made}
    gc.collect()  # what was built is looked through now, or whoever makes the next objects would pay for all of it
    for message in messages[:30]:
        for engine in made:
            engine.first(message, 3)
    taken: dict[str, list[float]] = {engine.name: [] for engine in made}
    for message in messages:
        for engine in made:
            taken[engine.name].append(_ms(partial(engine.first, message, 3)))
    edits = {engine.name: _edited(engine, notes) for engine in made}
    return {
        engine.name: Asked(
            built[engine.name],
            edits[engine.name],
            statistics.median(taken[engine.name]),
            _percentile(taken[engine.name], 0.99),
        )
        for engine in made
    }


@dataclass(frozen=True, slots=True)
class Opened:
    """Milliseconds until the first message is answered, in a fresh process; `looked` with a look at every file."""

    open: float
    looked: float


def opened(place: Path, count: int) -> Mapping[str, Opened]:
    """Each engine over what an earlier process kept of the same note files."""
    talk = Talk()
    notes = [talk.note(number) for number in range(count)]
    _write_project(place / "project", notes)
    _keep(place, notes)
    wanted = notes[len(notes) // 2]
    message = f"{wanted.summary} {' '.join(wanted.tags)}"
    names = [engine.name for engine in engines()]
    times: dict[str, dict[str, list[float]]] = {name: {"open": [], "looked": []} for name in names}
    for _ in range(_OPENINGS):
        for name in names:
            for look in ((), ("look",)):
                command = [sys.executable, "-m", "bench.recall_child", name, str(place), message, wanted.id, *look]
                done = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True)
                for what, taken in json.loads(done.stdout).items():
                    times[name][what].append(taken)
    return {
        name: Opened(statistics.median(each["open"]), statistics.median(each["looked"])) for name, each in times.items()
    }


def asked_rows(count: int, times: Times) -> list[str]:
    """One row per engine, with p50 beside ours."""
    ours = times[Ours.name]
    lines = []
    for name, one in times.items():
        cells = (
            f"{count:,}",
            name,
            f"{one.build:,.0f}",
            f"{one.edit:,.1f}",
            f"{one.p50:.2f}",
            f"{one.p99:.2f}",
            f"{one.p99 / one.p50:.1f}",
            f"{one.p50 / ours.p50:.2f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def opened_table(times: Mapping[str, Opened]) -> list[str]:
    """One row per engine."""
    ours = times[Ours.name]
    lines = ["| engine | index alone, ms | with a look at the files, ms | times ours |", "|---|---:|---:|---:|"]
    for name, one in times.items():
        lines.append(f"| {name} | {one.open:.1f} | {one.looked:.1f} | {one.looked / ours.looked:.2f} |")
    return lines


def _edited(engine: Engine, notes: Sequence[BenchNote]) -> float:
    """From a changed note, read already, until a message about its new word finds it."""
    taken = []
    for number in range(1 if engine.name in _NEEDS_ALL_NOTES else _EDITS):
        word = f"zyx{'abcdefghij'[number]}wordle"
        note = replace(notes[number * 17 % len(notes)], summary=f"{word} is decided", tags=(word,))

        def change_and_ask(note: BenchNote = note, word: str = word) -> None:
            engine.change(note)
            if engine.first(word, 3) != [note.id]:
                raise RuntimeError(f"{engine.name} does not find what changed")

        taken.append(_ms(change_and_ask))
    return statistics.median(taken)


def _write_project(project: Path, notes: Sequence[BenchNote]) -> None:
    folder = project / "MEMORY"
    folder.mkdir(parents=True)
    for number, note in enumerate(notes):
        moment = Millis(_BEGUN + number)
        kept = Note(
            id=note.id, summary=note.summary, body=note.body, tags=note.tags, created_at=moment, updated_at=moment
        )
        (folder / note_file_name(note.id)).write_text(note_text(kept), encoding="utf-8")


def _keep(place: Path, notes: Sequence[BenchNote]) -> None:
    from oharness.memory.recall import recall_for_message
    from oharness.wiring.environment import open_environment, open_memory_for_writing

    variables = {"PATH": os.environ["PATH"]}
    memory = open_memory_for_writing(open_environment(variables, place / "project", place / "home"))
    recall_for_message(memory, "anything")
    memory.close()
    fts5 = Fts5(str(place / "fts5.sqlite"))
    fts5.build(notes, "en")
    fts5.close()
    (place / "tantivy").mkdir()
    Tantivy(str(place / "tantivy")).build(notes, "en")
    bm25s = Bm25s()
    bm25s.build(notes, "en")
    bm25s.save(place / "bm25s")
    # rank-bm25 keeps nothing: it is built again from the notes
    rows = [[note.id, note.summary, list(note.tags), note.body] for note in notes]
    (place / "notes.json").write_text(json.dumps(rows), encoding="utf-8")
    (place / "stamps.json").write_text(json.dumps(stamps(place / "project" / "MEMORY")), encoding="utf-8")


def _percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def _ms(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000
