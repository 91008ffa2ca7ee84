"""How well notes are found and how seldom something else is: figures and tables of the recall bench."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bench.recall_corpora import Corpus, Query
from bench.recall_engines import Engine, Hit
from bench.recall_ours import DEFAULTS, Ours, attached_ids
from oharness.recall.choose import RecallLimits
from oharness.recall.score import Candidate

MOST = 3
FALSE_ALLOWED = 0.05
CURVE = (0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2.0)


@dataclass(frozen=True, slots=True)
class Figures:
    """recall@3 and the share of off-topic messages that got something."""

    recall: float
    false: float


_Engine = TypeVar("_Engine", bound=Engine)
Per = Mapping[str, Figures]
"""By name of the corpus."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A message and the notes an engine found for it, best first."""

    query: Query
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class OursAnswered:
    """A message and the candidates of our own recall."""

    query: Query
    found: Sequence[Candidate]


def answers(corpora: Sequence[Corpus], make: Callable[[], Engine]) -> Mapping[str, list[Answered]]:
    """What an engine finds for every message, by corpus; each store is a collection of its own."""
    return {
        corpus.name: [Answered(query, engine.hits(query.message)) for engine, query in _asked(corpus, make)]
        for corpus in corpora
    }


def our_answers(corpora: Sequence[Corpus]) -> Mapping[str, list[OursAnswered]]:
    """The candidates for every message, by corpus."""
    return {
        corpus.name: [OursAnswered(query, ours.candidates(query.message)) for ours, query in _asked(corpus, Ours)]
        for corpus in corpora
    }


def our_figures(answered: Mapping[str, Sequence[OursAnswered]], min_score: float) -> Per:
    """The figures of the product's own choice at a threshold."""
    limits = RecallLimits(DEFAULTS.per_turn, DEFAULTS.budget_chars, min_score)
    return {
        name: _figures([(one.query, attached_ids(one.found, limits)) for one in rows])
        for name, rows in answered.items()
    }


def our_figures_without_rule(answered: Mapping[str, Sequence[OursAnswered]]) -> Per:
    """The figures when the three best candidates are taken, wherever their words stand."""
    return {
        name: _figures([(one.query, [each.entry.id for each in one.found[:MOST]]) for one in rows])
        for name, rows in answered.items()
    }


def figures(answered: Mapping[str, Sequence[Answered]], threshold: float, *, rule: bool = True) -> Per:
    """The figures of an engine at a threshold, with the rule that a word stands in summary or tags or without it."""
    return {
        name: _figures([(one.query, _first(one.hits, threshold, rule=rule)) for one in rows])
        for name, rows in answered.items()
    }


def best_common_threshold(answered: Mapping[str, Sequence[Answered]]) -> float:
    """The lowest threshold, and so that of the best recall, with few enough false attachments on average."""
    tops = {
        name: [
            max((hit.score for hit in one.hits if hit.in_head), default=-math.inf)
            for one in rows
            if one.query.is_off_topic
        ]
        for name, rows in answered.items()
    }
    for threshold in sorted({top for each in tops.values() for top in each}):
        shares = [sum(top >= threshold for top in each) / len(each) for each in tops.values()]
        if sum(shares) / len(shares) <= FALSE_ALLOWED:
            return threshold
    return math.inf


def macro(per: Per) -> Figures:
    """The mean over the corpora."""
    return Figures(
        sum(one.recall for one in per.values()) / len(per), sum(one.false for one in per.values()) / len(per)
    )


def figures_table(columns: Mapping[str, Per]) -> list[str]:
    """One row per corpus and one for their mean: recall@3 and false attachments of each column."""
    names = list(next(iter(columns.values())))
    lines = [_row(["corpus", *columns]), _row(["---", *["---:"] * len(columns)])]
    for name in names:
        lines.append(_row([name, *(_both(per[name]) for per in columns.values())]))
    lines.append(_row(["**macro**", *(_both(macro(per)) for per in columns.values())]))
    return lines


def recall_table(columns: Mapping[str, Per]) -> list[str]:
    """As `figures_table`, with recall@3 alone."""
    names = list(next(iter(columns.values())))
    lines = [_row(["corpus", *columns]), _row(["---", *["---:"] * len(columns)])]
    lines += [_row([name, *(f"{per[name].recall:.3f}" for per in columns.values())]) for name in names]
    lines.append(_row(["**macro**", *(f"{macro(per).recall:.3f}" for per in columns.values())]))
    return lines


def curve_table(answered: Mapping[str, Sequence[OursAnswered]]) -> list[str]:
    """What other thresholds would give: macro recall against false attachments."""
    lines = [_row(["threshold", "macro recall@3", "false, mean", "false, worst corpus"]), "|---:|---:|---:|---|"]
    for threshold in CURVE:
        per = our_figures(answered, threshold)
        worst = max(per, key=lambda name: per[name].false)
        mean = macro(per)
        lines.append(
            _row(
                [
                    f"{threshold:.1f}",
                    f"{mean.recall:.3f}",
                    _percent(mean.false),
                    f"{_percent(per[worst].false)} {worst}",
                ]
            )
        )
    return lines


def _asked(corpus: Corpus, make: Callable[[], _Engine]) -> Iterator[tuple[_Engine, Query]]:
    built = {name: make() for name in corpus.stores}
    for name, notes in corpus.stores.items():
        built[name].build(notes, corpus.language)
    for query in corpus.queries:
        if query.relevant or query.is_off_topic:
            yield built[query.store], query


def _figures(rows: Sequence[tuple[Query, Sequence[str]]]) -> Figures:
    on = [(query, ids) for query, ids in rows if query.kind == "on"]
    off = [ids for query, ids in rows if query.is_off_topic]
    found = sum(len(query.relevant.intersection(ids)) / min(MOST, len(query.relevant)) for query, ids in on)
    return Figures(found / len(on), sum(bool(ids) for ids in off) / len(off))


def _first(hits: Sequence[Hit], threshold: float, *, rule: bool) -> list[str]:
    return [hit.id for hit in hits if hit.score >= threshold and (hit.in_head or not rule)][:MOST]


def _both(one: Figures) -> str:
    return f"{one.recall:.3f}, {_percent(one.false)}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
