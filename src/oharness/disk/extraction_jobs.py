"""memory-extraction/: conversations that wait for the extractor, and what it saved until that was announced.

One file for each job, rewritten whole as it gets on: `waiting` (what was said), `saving` (the notes that passed the
checks, with their ids), `saved` (ids alone). A process that ends leaves a file from which the next one goes on; from
`saving` on the notes have their ids, so that none is written twice.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from oharness.core.clock import Clock, Millis
from oharness.core.randomness import Randomness
from oharness.core.scopes import Scope, ScopeKind
from oharness.disk.atomic import Anything, ensure_directory, remove_files, storage_errors, write_file
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem, HeldLock, LockTaken
from oharness.disk.home import Home
from oharness.extract.conversation import Speaker, Turn

VERSION = 1
_SUFFIX = ".json"
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What was said, and how often a model was asked in vain."""

    turns: tuple[Turn, ...]
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class NoteToSave:
    """The text of a note's file, and the hash of the version that it replaces, None for a new note."""

    scope: ScopeKind
    note_id: str
    text: str
    planned_from: str | None


@dataclass(frozen=True, slots=True)
class Saving:
    """The notes that passed all checks; some of them may have been written already."""

    notes: tuple[NoteToSave, ...]


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A note that was written."""

    scope: ScopeKind
    note_id: str
    created: bool


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written and not announced yet."""

    notes: tuple[WrittenNote, ...]


Step: TypeAlias = Waiting | Saving | Saved


@dataclass(frozen=True, slots=True)
class Job:
    """One conversation's part on its way into notes.

    `directory` is the notes directory of the project it was held in, empty for one held outside any.
    """

    name: str
    session: str
    directory: str
    made_at: Millis
    step: Step


class _TurnShape(msgspec.Struct):
    who: Speaker
    text: str
    at: int


class _NoteShape(msgspec.Struct, omit_defaults=True, rename="camel"):
    scope: ScopeKind
    note_id: str
    text: str = ""
    planned_from: str | None = None
    created: bool = False


class _JobShape(msgspec.Struct, omit_defaults=True, rename="camel"):
    version: int
    session: str
    directory: str
    made_at: int
    step: Literal["waiting", "saving", "saved"]
    attempts: int = 0
    turns: list[_TurnShape] = []
    notes: list[_NoteShape] = []


class ExtractionJobs:
    """The jobs of one project, or of what is done outside any. A file that cannot be understood is removed."""

    def __init__(self, files: FileSystem, home: Home, folder: str, clock: Clock, randomness: Randomness) -> None:
        self._files = files
        self._folder = home.extraction / folder
        self._locks = home.locks
        self._clock = clock
        self._randomness = randomness

    @classmethod
    def of_scope(
        cls, files: FileSystem, home: Home, scope: Scope, clock: Clock, randomness: Randomness
    ) -> "ExtractionJobs":
        """The jobs of one project's scope; the user's stands for what is done outside any project."""
        return cls(files, home, scope.digest, clock, randomness)

    @classmethod
    def all_folders(cls, files: FileSystem, home: Home, clock: Clock, randomness: Randomness) -> "list[ExtractionJobs]":
        """The jobs of every scope of this home.

        Raises: StorageFailed.
        """
        with storage_errors(home.extraction):
            try:
                names = sorted(files.list_names(home.extraction))
            except FileNotFoundError:
                return []
        return [cls(files, home, name, clock, randomness) for name in names]

    def add(self, session: str, directory: str, turns: Sequence[Turn]) -> Job:
        """Keeps a conversation's part for the extractor.

        Raises: StorageFailed.
        """
        now = self._clock.now_ms()
        job = Job(f"{now:015}-{self._randomness.text(_ALPHABET, 6)}", session, directory, now, Waiting(tuple(turns)))
        ensure_directory(self._files, self._folder, PRIVATE_DIRECTORY)
        self.keep(job)
        return job

    def keep(self, job: Job) -> None:
        """Replaces a job by what it has got to; it has reached the device when this returns.

        Raises: StorageFailed.
        """
        write_file(self._files, self._path(job.name), msgspec.json.encode(_shape(job)))

    def remove(self, name: str) -> None:
        """Lets go of a job; may be repeated.

        Raises: StorageFailed.
        """
        remove_files(self._files, [(self._path(name), Anything())])

    def all(self) -> list[Job]:
        """Every job, oldest first.

        Raises: StorageFailed.
        """
        with storage_errors(self._folder):
            try:
                names = self._files.list_names(self._folder)
            except FileNotFoundError:
                return []
        found = [self.get(name.removesuffix(_SUFFIX)) for name in sorted(names) if name.endswith(_SUFFIX)]
        return [job for job in found if job is not None]

    def get(self, name: str) -> Job | None:
        """The job as it is now; None when it is gone.

        Raises: StorageFailed.
        """
        path = self._path(name)
        with storage_errors(path):
            try:
                data = self._files.read(path)
            except FileNotFoundError:
                return None
        try:
            shape = msgspec.json.decode(data, type=_JobShape)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self.remove(name)
            return None
        return _job(name, shape) if shape.version == VERSION else None

    def claim(self, name: str) -> HeldLock | None:
        """The right to work on a job, for this process alone; None while somebody else has it.

        Raises: StorageFailed.
        """
        ensure_directory(self._files, self._locks, PRIVATE_DIRECTORY)
        path = self._locks / f"extraction-{name}.lock"
        with storage_errors(path):
            try:
                return self._files.take_lock(path, 0.0)
            except LockTaken:
                return None

    def unclaim(self, name: str, lock: HeldLock) -> None:
        """Gives the right back; of a job that is done the lock file goes too."""
        lock.release()
        with contextlib.suppress(OSError):
            if not self._files.exists(self._path(name)):
                self._files.remove(self._locks / f"extraction-{name}.lock")

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{_SUFFIX}"


def _shape(job: Job) -> _JobShape:
    given: dict[str, Any] = {
        "version": VERSION,
        "session": job.session,
        "directory": _storable(job.directory),
        "made_at": job.made_at,
    }
    match job.step:
        case Waiting(turns, attempts):
            told = [_TurnShape(turn.speaker, _storable(turn.text), turn.at) for turn in turns]
            return _JobShape(**given, step="waiting", attempts=attempts, turns=told)
        case Saving(notes):
            kept = [_NoteShape(one.scope, one.note_id, one.text, one.planned_from) for one in notes]
            return _JobShape(**given, step="saving", notes=kept)
        case Saved(written):
            named = [_NoteShape(one.scope, one.note_id, created=one.created) for one in written]
            return _JobShape(**given, step="saved", notes=named)


def _job(name: str, shape: _JobShape) -> Job:
    step: Step
    match shape.step:
        case "waiting":
            turns = tuple(Turn(one.who, one.text, Millis(one.at)) for one in shape.turns)
            step = Waiting(turns, shape.attempts)
        case "saving":
            kept = [NoteToSave(one.scope, one.note_id, one.text, one.planned_from) for one in shape.notes]
            step = Saving(tuple(kept))
        case "saved":
            step = Saved(tuple(WrittenNote(one.scope, one.note_id, one.created) for one in shape.notes))
    return Job(name, shape.session, shape.directory, Millis(shape.made_at), step)


def _storable(text: str) -> str:
    """A lone surrogate, as models produce them and names on disk that are no text, has no place in such a file."""
    return text.encode("utf-8", "replace").decode()
