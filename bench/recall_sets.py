"""The written sets of the tests: notes and messages of people at work, in the four languages of the interface."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.recall_corpora import BenchNote
from bench.recall_ours import Ours

SETS = Path(__file__).resolve().parents[1] / "tests" / "recall" / "sets"


@dataclass(frozen=True, slots=True)
class SetFigures:
    """Of the messages about a note, the share that gets it; of the others, the share that gets nothing."""

    about: int
    found: float
    others: int
    silent: float


def sets_table() -> list[str]:
    """One row per set."""
    lines = ["| set | messages about a note | found | other messages | silent |", "|---|---:|---:|---:|---:|"]
    for folder in sorted(SETS.iterdir()):
        one = set_figures(folder)
        lines.append(
            f"| {folder.name} | {one.about} | {one.found * 100:.1f} % | {one.others} | {one.silent * 100:.1f} % |"
        )
    return lines


def set_figures(folder: Path) -> SetFigures:
    """The figures of one set at the shipped defaults."""
    ours = Ours()
    ours.build(
        [BenchNote(n["id"], n["summary"], tuple(n["tags"]), n["body"]) for n in _rows(folder / "notes.jsonl")], ""
    )
    got = [(row["relevant"], ours.first(row["message"], 3)) for row in _rows(folder / "messages.jsonl")]
    ours.close()
    about = [bool(set(relevant) & set(ids)) for relevant, ids in got if relevant]
    silent = [not ids for relevant, ids in got if not relevant]
    return SetFigures(len(about), sum(about) / len(about), len(silent), sum(silent) / len(silent))


def _rows(path: Path) -> Sequence[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
