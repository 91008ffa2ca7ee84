"""How long the program takes to start, beside a bare Python and beside looking at the files it works on.

    python -m bench.start [--runs N] [--notes N]

Prints a Markdown table of medians. Every line is a fresh process on compiled bytecode, with a home of its own.
Where there is `no index yet` a run reads every note, since reading commands keep nothing; a harness keeps the index.
The file system's cache is warm in all runs.
"""

import argparse
import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = Path(sys.executable).with_name("oharness")
MESSAGE = "when do we deploy the pricing page?"
WORDS = """
deploy pricing page thursday border fill layout server database index recall sync conflict merge baseline note
project user session model token budget summary tag link review backup restore device cloud account plan
""".split()  # noqa: SIM905  a list of words is read best as text
CREATE = """
import asyncio, sys
from oharness.api import Harness
async def go():
    harness = await Harness.create(project=sys.argv[1], model="offline")
    await harness.close()
asyncio.run(go())
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=15)
    options.add_argument("--notes", type=int, default=5000)
    wanted = options.parse_args()
    compileall.compile_dir(ROOT / "src", quiet=1)
    with tempfile.TemporaryDirectory() as place:
        print("\n".join(measured(Path(place), wanted.runs, wanted.notes)))


def measured(place: Path, runs: int, notes: int) -> list[str]:
    """The lines of the table."""
    empty, full = project(place / "empty", 0), project(place / "full", notes)
    python = median_ms(runs, lambda: run([sys.executable, "-c", "pass"], empty))
    rows: list[tuple[str, float]] = [("`python -c pass`", python)]

    def add(name: str, command: Sequence[str | Path], where: Path) -> None:
        rows.append((name, median_ms(runs, partial(run, command, where))))

    add("`oharness --help`", [SCRIPT, "--help"], empty)
    for where, count in ((empty, 0), (full, notes)):
        commands: dict[str, list[str | Path]] = {
            "Harness.create": [sys.executable, "-c", CREATE, where],
            "memory list": [SCRIPT, "memory", "list"],
            "memory recall": [SCRIPT, "memory", "recall", MESSAGE],
        }
        for name, command in commands.items() if count else ():
            forget_what_was_derived(where)
            rows.append((f"`{name}`, {count} notes, no index yet", median_ms(1, partial(run, command, where))))
        run(commands["Harness.create"], where)
        for name, command in commands.items():
            add(f"`{name}`, {count} notes", command, where)
    rows.append((f"stat of {notes} files", median_ms(runs, lambda: stat_all(full / "MEMORY"))))
    rows.append((f"read of {notes} files", median_ms(runs, lambda: read_all(full / "MEMORY"))))
    head = ["| what | median ms | times `python -c pass` |", "|---|---:|---:|"]
    return head + [f"| {name} | {value:.1f} | {value / python:.1f} |" for name, value in rows]


def project(folder: Path, notes: int) -> Path:
    """A registered project with that many notes of about 1 KB, and a home beside it."""
    memory = folder / "MEMORY"
    memory.mkdir(parents=True)
    marker = folder / ".oharness" / "project.json"
    marker.parent.mkdir()
    marker.write_text(json.dumps({"id": f"bench-{notes}", "name": folder.name, "createdAt": 1_789_000_000_000}))
    for number in range(notes):
        words = [WORDS[(number * 7 + at * 13) % len(WORDS)] for at in range(150)]
        header = {
            "id": f"note-{number}",
            "summary": f"Decision {number} on " + " ".join(words[:6]),
            "type": "project",
            "tags": words[6:9],
            "createdAt": 1_789_000_000_000 + number,
            "updatedAt": 1_789_000_000_000 + number,
        }
        (memory / f"note-{number}.md").write_text(f"---\n{json.dumps(header)}\n---\n{' '.join(words)}\n")
    return folder


def run(command: Sequence[str | Path], where: Path) -> None:
    subprocess.run(list(map(str, command)), cwd=where, env=environment(where), check=True, stdout=subprocess.DEVNULL)


def environment(where: Path) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "TEMP", "TMPDIR")}
    return {**kept, "OHARNESS_HOME": str(where.with_name(where.name + "-home")), "LANG": "C.UTF-8"}


def forget_what_was_derived(where: Path) -> None:
    index = Path(environment(where)["OHARNESS_HOME"]) / "memory-index"
    for path in index.rglob("*") if index.exists() else ():
        if path.is_file():
            path.unlink()


def stat_all(folder: Path) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            entry.stat()


def read_all(folder: Path) -> None:
    for path in folder.iterdir():
        path.read_bytes()


def median_ms(runs: int, work: Callable[[], None]) -> float:
    work_times = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        work_times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(work_times)


if __name__ == "__main__":
    main()
