"""Which files of notes a pass opens that changes nothing, as the system sees it."""

import shutil
import time
from pathlib import Path

from bench.sync_notes import make_notes, write_notes
from bench.sync_ours import Ours, WarmPair

_CALLS = "trace=open,openat,openat2,creat"


def note_files_opened(place: Path, notes: int) -> int | None:
    """How many, on the device that sent them and on the one that received them; None without strace."""
    strace = shutil.which("strace")
    if strace is None:
        return None
    place.mkdir(parents=True)
    log = place / "trace"
    ours = Ours()
    port = ours.start(place / "service")
    pair = WarmPair(place / "traced", port, (strace, "-f", "-qq", "-o", str(log), "-e", _CALLS, "-A"))
    try:
        write_notes(pair.first, make_notes(notes), ours.form)
        pair.send()
        pair.receive()
        time.sleep(2.5)
        for work in (pair.ask, pair.receive):
            work()
        before = log.stat().st_size
        for work in (pair.ask, pair.receive):
            work()
    finally:
        pair.close()
        ours.stop()
    return sum("/MEMORY/" in line for line in log.read_bytes()[before:].decode(errors="replace").splitlines())
