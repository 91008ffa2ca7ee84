"""The proof of leaving: made-up ends of an account, with everything that can race with its erasure at once.

    python scripts/simulate_erasure.py --seeds 10000 --workers 2
    python scripts/simulate_erasure.py --replay 1234              # tells what happened in one
    python scripts/simulate_erasure.py --seeds 300 --plant appends-do-not-look-again

A story after which something of the erased account is left, or in which it was let in again, is told with the command
that replays it. Exit code 1 when there was one.
"""

import argparse
import functools
import logging
import multiprocessing
import sys
import time
from collections import Counter

from oharness.testing.erasure.planted import PLANTED
from oharness.testing.erasure.story import Played, play

_TOLD = 5


def main() -> int:
    """Plays what the command line asks for."""
    arguments = _arguments()
    if arguments.replay is not None:
        return _replay(arguments.replay, arguments.plant)
    seeds = range(arguments.start, arguments.start + arguments.seeds)
    counts: Counter[str] = Counter()
    broken: list[Played] = []
    started = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(arguments.workers, _be_quiet) as pool:
        stories = pool.imap_unordered(functools.partial(play, plant=arguments.plant), seeds, chunksize=8)
        for number, played in enumerate(stories, 1):
            if number % 500 == 0:
                print(f"{number} ends, {time.perf_counter() - started:.0f} s", flush=True)
            counts.update(played.counts)
            if played.faults:
                broken.append(played)
                if len(broken) <= _TOLD:
                    _tell(played, arguments.plant)
    print(f"{len(seeds)} ends of an account, {time.perf_counter() - started:.0f} s")
    print(", ".join(f"{what} {number}" for what, number in sorted(counts.items())))
    print(f"{len(broken)} broken" + (f": seeds {sorted(one.seed for one in broken)[:20]}" if broken else ""))
    return 1 if broken else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1000, help="how many stories to play")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--workers", type=int, default=2, help="how many processes")
    parser.add_argument("--replay", type=int, metavar="SEED", help="play one story and tell it line by line")
    parser.add_argument("--plant", choices=sorted(PLANTED), help="a fault that the code has meanwhile")
    return parser.parse_args()


def _be_quiet() -> None:
    logging.disable(logging.CRITICAL)


def _tell(played: Played, plant: str | None) -> None:
    print(f"\nstory {played.seed} is BROKEN:")
    for fault in played.faults[:3]:
        print(f"  {fault}")
    with_plant = f" --plant {plant}" if plant else ""
    print(f"  replay: python scripts/simulate_erasure.py --replay {played.seed}{with_plant}\n", flush=True)


def _replay(seed: int, plant: str | None) -> int:
    _be_quiet()
    played = play(seed, plant)
    print("\n".join(played.lines))
    for fault in played.faults:
        print(f"BROKEN: {fault}")
    return 1 if played.faults else 0


if __name__ == "__main__":
    sys.exit(main())
