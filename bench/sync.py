"""Sync beside git, unison and vdirsyncer with Radicale, every service on loopback and on files.

    python -m bench.sync [--rounds N] [--full]

Prints Markdown: times, requests and bytes of a first upload, a first download, a pass that changes nothing and a change
of ten notes, for 5,000 notes of about 1 KB; the same for 1,000 with vdirsyncer, whose uploads grow with the
collection; commits per second of the service; how all of it grows (to 20,000 notes with `--full`, the service too); and
which bars are kept.

Times are medians of rounds in which the contestants take turns at every step, with all files flushed before each. Ours
is measured between running processes and, beside it, as the command. git and unison are a process for each step, as
they are used, with a server that runs; vdirsyncer runs warm, in a process that stays.

Takes no data from outside, writes to a temporary folder only, and says which tool is missing.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.sync_contest import Contestant
from bench.sync_ours import Ours, OursAsCommand
from bench.sync_race import Race, count_traffic, race
from bench.sync_tables import bars, growth_table, time_table, traffic_table
from bench.sync_tools import Git, Unison, Vdirsyncer
from bench.sync_trace import note_files_opened

NOTES = 5000
NOTES_FOR_VDIRSYNCER = 1000
NOTES_IN_FULL = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2, help="of everything but vdirsyncer, which has one")
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--full", action="store_true", help=f"with {NOTES_IN_FULL} notes as well")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-sync-") as place:
        for line in report(Path(place), chosen.notes, chosen.rounds, full=chosen.full):
            print(line, flush=True)


def report(place: Path, notes: int, rounds: int, *, full: bool) -> Iterator[str]:
    """The lines of the report, each part as soon as it is measured."""
    ours, command, git, unison, vdirsyncer = Ours(), OursAsCommand(), Git(), Unison(), Vdirsyncer()
    absent = {each.name: each.missing() for each in (ours, command, git, unison, vdirsyncer)}
    yield from (f"Left out: {what}." for what in absent.values() if what)

    def here(*contestants: Contestant) -> list[Contestant]:
        return [each for each in contestants if not absent[each.name]]

    large = _told(place / "large", here(ours, command, git, unison), notes, rounds)
    yield from time_table(large)
    traffic = count_traffic(place / "counted", here(ours, git, unison), notes)
    yield from traffic_table(traffic, notes)
    small = _told(place / "small", here(ours, git, unison, vdirsyncer), NOTES_FOR_VDIRSYNCER, 1)
    yield from time_table(small)
    races = [small, large]
    if full:
        races.append(_told(place / "full", here(ours, git), NOTES_IN_FULL, 1))
    yield from growth_table(races, [ours.name, git.name])
    yield from commits_per_second(full=full)
    opened = note_files_opened(place / "traced", notes)
    yield from bars(large, small, traffic, opened)


def commits_per_second(*, full: bool) -> list[str]:
    """What the bench of the service alone says."""
    sizes, seconds = ("1000,5000,20000", "5") if full else ("1000,5000", "2")
    command = [sys.executable, "-m", "bench.sync_service", "--sizes", sizes, "--seconds", seconds]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).resolve().parents[1])
    return ["", "## Commits per second of the service", "", *done.stdout.splitlines()]


def _told(place: Path, contestants: Sequence[Contestant], notes: int, rounds: int) -> Race:
    names = ", ".join(each.name for each in contestants)
    print(f"{time.strftime('%X')} {notes} notes, {rounds} rounds of {names}", file=sys.stderr)
    return race(place, contestants, notes, rounds)


if __name__ == "__main__":
    main()
