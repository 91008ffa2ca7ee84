"""Recall beside SQLite's FTS5, bm25s, tantivy and rank-bm25: what is found, what is attached wrongly, and how fast.

    python -m bench.recall [--data FOLDER] [--full] [--no-times]

Prints Markdown. What is found is measured on the seven corpora below `recall/` of the folder (default: $BENCH_DATA),
one collection per store; without them that part says that it is left out. Ours is at its shipped defaults and finds the
language itself; each of the others has its one best common threshold, the one of the best mean recall with false
attachments of at most 5 % on average, is told the language, and keeps the rule that a word stands in summary or tags.
Times are processor time over made-up notes of 200 words: 1,000 and 5,000, with `--full` 20,000 as well.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.recall_corpora import corpora_in
from bench.recall_engines import engines
from bench.recall_ours import DEFAULTS, Ours
from bench.recall_quality import (
    answers,
    best_common_threshold,
    curve_table,
    figures,
    figures_table,
    our_answers,
    our_figures,
    our_figures_without_rule,
    recall_table,
)
from bench.recall_sets import sets_table
from bench.recall_times import ASKED_HEAD, asked, asked_rows, opened, opened_table

_OPENED_NOTES = 5000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("BENCH_DATA", "bench/data")))
    parser.add_argument("--full", action="store_true", help="with 20,000 notes as well")
    parser.add_argument("--no-times", action="store_true", help="what is found alone")
    chosen = parser.parse_args()
    for line in found(chosen.data):
        print(line, flush=True)
    for line in () if chosen.no_times else fast(full=chosen.full):
        print(line, flush=True)


def found(data: Path) -> Iterator[str]:
    """The tables of what is found and what is attached wrongly."""
    yield from _part("Own sets: written messages of people at work", sets_table())
    corpora = corpora_in(data)
    if not corpora:
        yield f"\nSkipped: there are no corpora in `recall/` of {data}. BENCH_DATA names another folder."
        return
    ours = our_answers(corpora)
    at_defaults = {Ours.name: our_figures(ours, DEFAULTS.min_score)}
    with_rule = {Ours.name: our_figures(ours, 0.0)}
    without_rule = {Ours.name: our_figures_without_rule(ours)}
    for other in engines()[1:]:
        answered = answers(corpora, type(other))
        threshold = best_common_threshold(answered)
        at_defaults[f"{other.name} from {threshold:.1f}"] = figures(answered, threshold)
        with_rule[other.name] = figures(answered, 0.0)
        without_rule[other.name] = figures(answered, 0.0, rule=False)
    title = f"recall@3 and false attachments, ours from {DEFAULTS.min_score}"
    yield from _part(title, figures_table(at_defaults))
    yield from _part("recall@3 without threshold, a word in summary or tags", recall_table(with_rule))
    yield from _part("recall@3 without threshold and without that rule", recall_table(without_rule))
    yield from _part("What other thresholds of ours would give", curve_table(ours))


def fast(*, full: bool) -> Iterator[str]:
    """The tables of times."""
    yield from _part("Built, changed and asked, notes of 200 words in memory", ASKED_HEAD)
    for count in (1000, 5000, 20_000) if full else (1000, 5000):
        yield from asked_rows(count, asked(count))
    with tempfile.TemporaryDirectory(prefix="bench-recall-") as place:
        title = f"Opened in a fresh process until a message is answered, {_OPENED_NOTES:,} unchanged notes"
        yield from _part(title, opened_table(opened(Path(place), _OPENED_NOTES)))


def _part(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield f"\n### {title}\n"
    yield from lines


if __name__ == "__main__":
    main()
