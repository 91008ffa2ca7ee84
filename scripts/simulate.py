"""The proof of sync by simulation: the commit exchange state by state, then made-up worlds, each played twice.

    python scripts/simulate.py --seeds 2000 --workers 2
    python scripts/simulate.py --replay 1234            # tells what happened in the world of one seed

A world that breaks an invariant is told in short, with the command that replays it and the fewest steps that
break it. The two runs of a world happen in two processes in which sets of texts have different orders. Exit code 1
when anything broke.
"""

import argparse
import gc
import multiprocessing
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from multiprocessing.pool import Pool

from oharness.testing.commit_model import Bounds, explore, named_anew
from oharness.testing.world.story import Played, play

SMALL = [Bounds(1, 1, 1, 1), Bounds(2, 1, 0, 0)]
LARGE = [Bounds(1, 2, 2, 1), Bounds(2, 1, 1, 0), Bounds(2, 2, 1, 1)]
LARGE_FROM_SEEDS = 50_000
_TOLD_WORLDS = 5
_FAULT = "fault: "
_ORDER = "PYTHONHASHSEED"


@dataclass(slots=True)
class Tally:
    """What all worlds came to."""

    worlds: int = 0
    requests: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    broken: list[int] = field(default_factory=list)

    def add(self, played: Played) -> None:
        self.worlds += 1
        self.requests += played.requests
        self.counts.update(played.counts)
        if played.faults:
            self.broken.append(played.seed)


def main() -> int:
    """Runs what the command line asks for."""
    arguments = _arguments()
    if arguments.replay is not None:
        return _replay(arguments.replay, arguments.steps)
    model_holds = _model(arguments.seeds)
    tally = _worlds(range(arguments.start, arguments.start + arguments.seeds), arguments.workers)
    return 0 if model_holds and not tally.broken else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2000, help="how many worlds to play")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--workers", type=int, default=2, help="how many processes")
    parser.add_argument("--replay", type=int, metavar="SEED", help="play one world and tell it line by line")
    parser.add_argument("--steps", type=int, help="only so many events before it is quiet")
    return parser.parse_args()


# --- the commit exchange


def _model(seeds: int) -> bool:
    holds = True
    for bounds in LARGE if seeds >= LARGE_FROM_SEEDS else SMALL:
        started = time.perf_counter()
        explored = explore(bounds)
        print(f"commit exchange, {bounds}: {explored.states} states, {time.perf_counter() - started:.0f} s", flush=True)
        if explored.fault is not None:
            holds = False
            print(f"  BROKEN: {explored.fault.what}\n    " + "\n    ".join(explored.fault.events))
    without = explore(SMALL[0], named_anew).fault
    print(f"commit exchange without commit ids: {without.what if without else 'BROKEN: the double apply is not found'}")
    return holds and without is not None


# --- worlds


def _worlds(seeds: range, workers: int) -> Tally:
    tally = Tally()
    started = time.perf_counter()
    print(f"worlds of the seeds {seeds.start} to {seeds.stop - 1}", flush=True)
    with _pool(max(1, workers // 2), "1") as one, _pool(max(1, workers // 2), "2") as other:
        runs = one.imap(_played, seeds, chunksize=8), other.imap(_played, seeds, chunksize=8)
        for first, second in zip(*runs, strict=True):
            played = _compared(first, second)
            tally.add(played)
            if played.faults and len(tally.broken) <= _TOLD_WORLDS:
                _tell_broken(played)
            if tally.worlds % 200 == 0:
                print(f"{tally.worlds} worlds, {time.perf_counter() - started:.0f} s", flush=True)
    _tell(tally, time.perf_counter() - started)
    return tally


def _pool(workers: int, order: str) -> Pool:
    """Processes in which sets have another order than elsewhere: what rests on it shows as two runs that differ."""
    before = os.environ.get(_ORDER)
    os.environ[_ORDER] = order
    try:
        return multiprocessing.get_context("spawn").Pool(workers, gc.freeze)
    finally:
        if before is None:
            del os.environ[_ORDER]
        else:
            os.environ[_ORDER] = before


def _played(seed: int) -> Played:
    return replace(play(seed), lines=())


def _compared(first: Played, second: Played) -> Played:
    faults = first.faults
    if first.digest != second.digest:
        way = f"{_ORDER}=1 and then =2 python scripts/simulate.py --replay {first.seed}"
        faults = (*faults, f"two runs differ; to see where: {way}")
    return replace(first, requests=first.requests + second.requests, faults=faults)


def _tell_broken(played: Played) -> None:
    print(f"\nworld {played.seed} is BROKEN:")
    for fault in played.faults[:3]:
        print(f"  {fault}")
    steps = next((n for n in range(played.steps + 1) if play(played.seed, n).faults), played.steps)
    print(f"  replay: python scripts/simulate.py --replay {played.seed} --steps {steps}\n", flush=True)


def _tell(tally: Tally, seconds: float) -> None:
    faults = {kind.removeprefix(_FAULT): n for kind, n in tally.counts.items() if kind.startswith(_FAULT)}
    events = {kind: n for kind, n in tally.counts.items() if not kind.startswith(_FAULT)}
    print(f"{tally.worlds} worlds, each played twice, {tally.requests} requests, {seconds:.0f} s")
    print(f"{len(events)} kinds of events: " + _listed(events))
    print(f"{len(faults)} kinds of faults: " + _listed(faults))
    print(f"{len(tally.broken)} broken" + (f": seeds {sorted(tally.broken)[:20]}" if tally.broken else ""))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{kind} {n}" for kind, n in sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _replay(seed: int, steps: int | None) -> int:
    played = play(seed, steps)
    print("\n".join(played.lines))
    print(f"\nworld {seed}: {played.steps} steps, {played.requests} requests, trace {played.digest[:16]}")
    for fault in played.faults:
        print(f"BROKEN: {fault}")
    return 1 if played.faults else 0


if __name__ == "__main__":
    sys.exit(main())
