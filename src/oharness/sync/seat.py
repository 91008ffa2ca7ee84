"""One notes directory that is open in this process, and what its passes have to look at on disk. Looks block."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from oharness.core.errors import OharnessError
from oharness.disk.sync_state import SyncBusy
from oharness.notes.entry import FileStamp
from oharness.sync.directory import Directory
from oharness.sync.local_look import Bearings, LocalLook, bearings, first_look, look
from oharness.sync.report import PassReport

_TOLD_EVERY_MS = 900_000

Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pass did to one directory, or the error that ended it."""

    directory: Directory
    report: PassReport | None
    error: OharnessError | None = None


@dataclass(slots=True, eq=False)
class Seat:
    """A directory's place at the coordinator. `users` are those who have it open.

    `stamps`: how its files looked when they were last dealt with, None before the first look. `waiting` are answers
    that somebody waits for since "sync now". `question`: how the file looked that holds what the scope asks.
    """

    key: str
    directory: Directory
    users: int = 1
    stamps: Mapping[str, FileStamp] | None = None
    running: "asyncio.Task[None] | None" = None
    waiting: "list[asyncio.Future[Outcome]]" = field(default_factory=list)
    hurried: bool = False
    tell: Tell | None = None
    question: object = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A look at a directory: its files, and where its last pass left it. `moved`: the files look otherwise."""

    local: LocalLook
    bearings: Bearings
    moved: bool


def see(seat: Seat) -> Seen:
    """Looks at the directory.

    Raises: StateFromNewerVersion; StorageFailed.
    """
    if seat.stamps is None:
        found = first_look(seat.directory)
        return Seen(found, bearings(seat.directory), moved=False)
    found = look(seat.directory, seat.stamps)
    return Seen(found, bearings(seat.directory), moved=found.stamps != seat.stamps)


def note_in_step(directory: Directory) -> None:
    """Keeps that the directory was found in step just now, not more often than people can tell."""
    with suppress(SyncBusy, OharnessError):
        lock = directory.state.lock(0)
        try:
            now_ms, progress = directory.clock.now_ms(), directory.state.progress()
            is_old = progress.last_synced is None or now_ms - progress.last_synced >= _TOLD_EVERY_MS
            if progress.error or is_old:
                directory.state.save_progress(replace(progress, last_synced=now_ms, error="", error_at=None))
        finally:
            lock.release()


def note_error(directory: Directory, error: OharnessError) -> None:
    """Keeps that the cloud could not be asked, once for each kind of error."""
    with suppress(SyncBusy, OharnessError):
        lock = directory.state.lock(0)
        try:
            progress, kind = directory.state.progress(), type(error).__name__
            if progress.error != kind:
                directory.state.save_progress(replace(progress, error=kind, error_at=directory.clock.now_ms()))
        finally:
            lock.release()
