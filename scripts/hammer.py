"""Many processes that write to one notes directory at once, and a reader that looks for torn files.

Each writer makes notes of its own and rewrites one that all share. Afterwards every version that a writer was
told was written has to be a file or in a backup.

    python scripts/hammer.py --processes 24 --seconds 10
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.queues import Queue
from pathlib import Path

from oharness.config.schema import default_settings
from oharness.core.scopes import ScopeKind
from oharness.disk.filesystem import FileSystem
from oharness.disk.git import Git
from oharness.disk.home import Home
from oharness.disk.note_dir import DamagedFile
from oharness.disk.project import project_at, register_project
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.scopes import Memory, Surroundings, open_for_writing
from oharness.notes.frontmatter import note_file_name, parse_note
from oharness.system import SystemClock, SystemRandomness

SHARED = "shared-by-all"


@dataclass(frozen=True, slots=True)
class HammerReport:
    """How many writes were told done, which of them cannot be found, and which files were seen torn."""

    writes: int
    notes: int
    lost: tuple[str, ...]
    torn: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Blows:
    """How the writers write: until when, how often at most, and every how manieth write goes to the shared note."""

    deadline: float
    most_writes: int
    shared_every: int


def hammer(place: Path, processes: int, seconds: float, most_writes: int, shared_every: int) -> HammerReport:
    """Lets the writers loose and checks what is there afterwards; with 0 for `shared_every` all notes are new."""
    root = place / "project"
    root.mkdir(parents=True)
    memory = opened(place)
    remember(memory, RememberRequest(id=SHARED, summary="Shared", body="start", scope=ScopeKind.PROJECT))
    context = multiprocessing.get_context()
    results: Queue[tuple[str, list[str]]] = context.Queue()
    stop = context.Event()
    blows = Blows(time.monotonic() + seconds, most_writes, shared_every)
    reader = context.Process(target=_read, args=(place, stop, results))
    writers = [context.Process(target=_write, args=(place, number, blows, results)) for number in range(processes)]
    for process in (reader, *writers):
        process.start()
    answers = [results.get() for _ in writers]
    stop.set()
    answers.append(results.get())
    for process in (reader, *writers):
        process.join()
    told = {kind: [item for answer, items in answers if answer == kind for item in items] for kind, _ in answers}
    written = told.get("written", [])
    there = _texts(memory)
    lost = tuple(text for text in written if text not in there)
    assert memory.project is not None
    return HammerReport(
        writes=len(written),
        notes=len(memory.project.entries()),
        lost=lost,
        torn=tuple(told.get("torn", [])),
        failed=tuple(told.get("failed", [])),
    )


def opened(place: Path) -> Memory:
    """The memory of the project and home below `place`."""
    settings = default_settings().memory
    around = Surroundings(
        FileSystem(), Home(place / "home"), settings, SystemClock(), SystemRandomness(), Git({"PATH": ""})
    )
    project = project_at(around.files, place / "project")
    registration = register_project(around.files, project, around.home, around.git, around.clock, around.randomness)
    return open_for_writing(around, registration)


def _write(place: Path, number: int, blows: Blows, results: "Queue[tuple[str, list[str]]]") -> None:
    written: list[str] = []
    try:
        memory = opened(place)
        for count in range(blows.most_writes):
            if time.monotonic() > blows.deadline:
                break
            text = f"writer {number} wrote {count}"
            note_id = SHARED if blows.shared_every and count % blows.shared_every else None
            summary = "Shared" if note_id else f"Note {count} of writer {number}"
            remember(memory, RememberRequest(id=note_id, summary=summary, body=text, scope=ScopeKind.PROJECT))
            written.append(text)
    except BaseException as error:
        results.put(("failed", [f"writer {number}: {error!r}"]))
        raise
    results.put(("written", written))


def _read(place: Path, stop: "multiprocessing.synchronize.Event", results: "Queue[tuple[str, list[str]]]") -> None:
    folder = opened(place).project
    torn: list[str] = []
    while folder is not None and not stop.is_set():
        for stamp in folder.folder.scan().files:
            found = folder.folder.read(stamp.name)
            if isinstance(found, DamagedFile):
                torn.append(f"{stamp.name}: {found.reason}")
        torn += [f"{one.stamp.name}: {one.reason}" for one in folder.folder.scan().problems]
    results.put(("torn", torn))


def _texts(memory: Memory) -> set[str]:
    """The body of every note and of every backup."""
    assert memory.project is not None
    memory.project.refresh()
    texts = {memory.project.get(entry.id).body for entry in memory.project.entries()}
    for backup in memory.backups.latest(limit=sys.maxsize):
        texts.add(parse_note(backup.data, note_file_name(backup.note_id)).body)
    return texts


def main(arguments: list[str]) -> int:
    """Runs it in a temporary folder, prints the report as JSON; 1 when anything was lost, torn or failed."""
    parser = argparse.ArgumentParser(prog="hammer", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--processes", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--most-writes", type=int, default=1_000_000)
    parser.add_argument("--notes-only", action="store_true", help="no writer touches the shared note")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        shared_every = 0 if options.notes_only else 2
        report = hammer(Path(place), options.processes, options.seconds, options.most_writes, shared_every)
    answer = {
        "writes": report.writes,
        "notes": report.notes,
        "lost": report.lost,
        "torn": report.torn,
        "failed": report.failed,
    }
    sys.stdout.write(json.dumps(answer) + "\n")
    return 1 if report.lost or report.torn or report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
