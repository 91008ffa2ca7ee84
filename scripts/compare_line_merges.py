"""Holds our line merge against `git merge-file`: generated texts, and real merges where they are present.

    python scripts/compare_line_merges.py --cases 20000 --seed 1
    BENCH_DATA=folder python scripts/compare_line_merges.py --cases 0

Exits with 1 when a text that both merge comes out differently although no two of its lines are alike, or when a
real merge comes out differently. Few-letter texts have several right readings; their figures are only shown.
"""

import argparse
import gzip
import json
import os
import random
import sys
from collections import Counter
from pathlib import Path

from oharness.reconcile.merge_lines import CombinedLines, merge_lines
from oharness.testing.edited_texts import edited_pair, edited_triple
from oharness.testing.git_merge import git_merges

Triple = tuple[str, str, str]
KINDS = {"lines all unlike": 0, "2 letters": 2, "6 letters": 6, "40 letters": 40}


def main() -> int:
    """Prints one line per kind of text; the exit code says whether the verdicts that must agree do."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cases", type=int, default=5000, help="generated texts of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wrong = 0
    for kind, letters in KINDS.items():
        triples = [
            edited_triple(random.Random(options.seed * 1_000_003 + n), letters=letters) for n in range(options.cases)
        ]
        counts = verdicts(triples)
        show(kind, counts)
        if letters == 0:
            wrong += sum(counts.values()) - counts["both merge alike"] - counts["both in conflict"]
    real = real_merges()
    if real is None:
        print("real merges: skipped, BENCH_DATA does not name the folder of the benches' data")
    else:
        counts = verdicts(real)
        show("real merges", counts)
        wrong += counts["both merge, differently"] + counts["only ours merges"]
    return 1 if wrong else 0


def verdicts(triples: list[Triple]) -> Counter[str]:
    """How often ours and git's verdict are alike, and in which ways they differ."""
    counts: Counter[str] = Counter()
    for triple, merged in zip(triples, git_merges(triples), strict=True):
        outcome = merge_lines(*triple)
        ours = outcome.text if isinstance(outcome, CombinedLines) else None
        counts[verdict(ours, merged)] += 1
    return counts


def verdict(ours: str | None, merged: str | None) -> str:
    """The two verdicts on one case in words."""
    if ours is None:
        return "both in conflict" if merged is None else "only git merges"
    if merged is None:
        return "only ours merges"
    return "both merge alike" if ours == merged else "both merge, differently"


def real_merges() -> list[Triple] | None:
    """The real merges of Markdown files, None where they are not present."""
    source = Path(os.environ.get("BENCH_DATA", "")) / "merges" / "md-merges.jsonl.gz"
    if "BENCH_DATA" not in os.environ or not source.is_file():
        return None
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    return [edited_pair(case["base"], case["ours"], case["theirs"]) for case in cases]


def show(kind: str, counts: Counter[str]) -> None:
    """One line of the table."""
    print(f"{kind}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))


if __name__ == "__main__":
    sys.exit(main())
