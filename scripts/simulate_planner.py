"""Proves the planner on related notes drawn at random: base, this machine's edit and the cloud's edit.

    python scripts/simulate_planner.py --triples 1000000 --seed 1
    python scripts/simulate_planner.py --seed 1 --world 4711

The first form uses all cores and stops at the first world in which a rule does not hold, with the one command that
plays that world again. What the rules are: `oharness.testing.planner.proof`.
"""

import argparse
import multiprocessing
import os
import random
import sys
import time
import traceback
from dataclasses import dataclass

from oharness.testing.planner.proof import judge_world

WORLDS_IN_A_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive worlds of one seed."""

    seed: int
    first: int


@dataclass(frozen=True, slots=True)
class Judged:
    """How many triples a chunk had; `failed` is the world that went wrong, with the reason."""

    triples: int
    failed: int | None = None
    reason: str = ""


def main() -> int:
    """Exit code 0 when every rule held in every world."""
    parser = argparse.ArgumentParser(description="Proves the planner on related notes drawn at random.")
    parser.add_argument("--triples", type=int, default=100_000, help="at least so many notes are judged")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--world", type=int, help="judges this one world of the seed, in this process")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if options.world is not None:
        print(f"world {options.world}: {judge_world(draw(options.seed, options.world))} triples, every rule held")
        return 0
    return prove(options.triples, options.seed, options.processes)


def prove(triples: int, seed: int, processes: int) -> int:
    """Judges worlds until there were enough triples, and prints what came of it."""
    started = time.monotonic()
    judged = first = 0
    with multiprocessing.Pool(processes) as pool:
        while judged < triples:
            batch = chunks(seed, first, triples - judged)
            for outcome in pool.imap_unordered(judge_chunk, batch):
                judged += outcome.triples
                if outcome.failed is not None:
                    print(outcome.reason)
                    print(f"replay: python scripts/simulate_planner.py --seed {seed} --world {outcome.failed}")
                    return 1
            first = batch[-1].first + WORLDS_IN_A_CHUNK
    seconds = time.monotonic() - started
    print(f"{judged} triples in {first} worlds, seed {seed}: every rule held ({seconds:.0f} s)")
    return 0


def chunks(seed: int, first: int, triples: int) -> list[Chunk]:
    """The next worlds of a seed, about as many as have so many triples."""
    count = 1 + triples // (WORLDS_IN_A_CHUNK * 3)
    return [Chunk(seed, first + n * WORLDS_IN_A_CHUNK) for n in range(count)]


def judge_chunk(chunk: Chunk) -> Judged:
    """Judges the chunk's worlds up to the first that goes wrong."""
    triples = 0
    for world in range(chunk.first, chunk.first + WORLDS_IN_A_CHUNK):
        try:
            triples += judge_world(draw(chunk.seed, world))
        except Exception:  # noqa: BLE001 - whatever it is, it has to be replayed
            return Judged(triples, world, traceback.format_exc())
    return Judged(triples)


def draw(seed: int, world: int) -> random.Random:
    """The chance of one world."""
    return random.Random(seed * 1_000_000_007 + world)


if __name__ == "__main__":
    sys.exit(main())
