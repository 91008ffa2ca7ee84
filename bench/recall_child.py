"""A fresh process of the recall bench: opens what an earlier one kept, answers a message, prints what it took.

    python -m bench.recall_child ENGINE PLACE MESSAGE WANTED [look]

`PLACE` holds `project` with the note files, `home`, and a folder or file for each of the others beside `stamps.json`,
how the files looked. Prints JSON with milliseconds of processor time, imports not counted: `open`, the index alone
until the message is answered, or with `look` `looked`, the same with a look at every file first, as there has to be
one before an index is believed.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.recall_corpora import BenchNote


def main() -> None:
    name, place, message, wanted = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    answer = _ours(place, message, wanted) if name == "oHarness" else _others(name, place, message, wanted)
    print(json.dumps(answer))


def _ours(place: Path, message: str, wanted: str) -> dict[str, float]:
    from bench.recall_ours import Ours
    from oharness.memory.reading import search_notes
    from oharness.wiring.environment import open_environment, open_memory_for_reading

    # The user's notes have an index of their own, an empty one.
    kept = max((place / "home" / "memory-index").glob("*.sqlite"), key=lambda path: path.stat().st_size)

    def open_index() -> None:
        ours = Ours(kept)
        ours.open("en")
        _must_hold(ours.first(message, 3), wanted)
        ours.close()

    def open_memory() -> None:
        environment = open_environment({"PATH": os.environ["PATH"]}, place / "project", place / "home")
        memory = open_memory_for_reading(environment)
        # A message would be answered after another look; the others take one.
        _must_hold([one.entry.id for one in search_notes(memory, message, 3)], wanted)
        memory.close()

    return _times(open_index, open_memory)


def _others(name: str, place: Path, message: str, wanted: str) -> dict[str, float]:
    from bench.recall_engines import Bm25s, Fts5, RankBm25, Tantivy

    def rebuilt() -> RankBm25:
        engine = RankBm25()
        rows = json.loads((place / "notes.json").read_text(encoding="utf-8"))
        engine.build([BenchNote(row[0], row[1], tuple(row[2]), row[3]) for row in rows], "en")
        return engine

    def open_index() -> None:
        if name == "FTS5":
            fts5 = Fts5(str(place / "fts5.sqlite"))
            fts5.open("en")
            _must_hold(fts5.first(message, 3), wanted)
        elif name == "tantivy":
            tantivy = Tantivy(str(place / "tantivy"))
            tantivy.open("en")
            _must_hold(tantivy.first(message, 3), wanted)
        elif name == "bm25s":
            bm25s = Bm25s()
            bm25s.load(place / "bm25s", "en")
            _must_hold(bm25s.first(message, 3), wanted)
        else:
            _must_hold(rebuilt().first(message, 3), wanted)

    def look_and_open() -> None:
        kept = json.loads((place / "stamps.json").read_text(encoding="utf-8"))
        if stamps(place / "project" / "MEMORY") != kept:
            raise RuntimeError("the notes changed")
        open_index()

    return _times(open_index, look_and_open)


def _must_hold(ids: list[str], wanted: str) -> None:
    """An index that answers nothing would be open at once."""
    if wanted not in ids:
        raise RuntimeError(f"{wanted} was not found")


def stamps(folder: Path) -> dict[str, list[int]]:
    """How each file looks."""
    with os.scandir(folder) as entries:
        return {entry.name: [entry.stat().st_mtime_ns, entry.stat().st_size] for entry in entries}


def _times(open_index: Callable[[], None], with_a_look: Callable[[], None]) -> dict[str, float]:
    """One of both, since the first pays for what a process does once."""
    if len(sys.argv) > 5:
        return {"looked": _ms(with_a_look)}
    return {"open": _ms(open_index)}


def _ms(work: Callable[[], None]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


if __name__ == "__main__":
    main()
