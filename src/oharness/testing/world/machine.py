"""The machines of a world: a disk, a clock, notes directories, and the one process that works on each."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import httpx2

from oharness.config.schema import MemorySettings
from oharness.core.randomness import Randomness
from oharness.core.scopes import Scope, ScopeKind
from oharness.disk.backups import Backups
from oharness.disk.filesystem import PRIVATE_DIRECTORY, PRIVATE_FILE
from oharness.disk.folder_lock import FolderLock
from oharness.disk.git import Checkout, Git
from oharness.disk.home import Home
from oharness.disk.note_dir import NoteDir, Permissions
from oharness.disk.recall_index import RecallIndex
from oharness.disk.usage import UsageFile
from oharness.memory.changes import IntentRecorder
from oharness.memory.scopes import Memory, Surroundings
from oharness.memory.service import MemoryService
from oharness.notes.frontmatter import FILE_SUFFIX, parse_note
from oharness.notes.note import Note
from oharness.notes.problems import NotANote
from oharness.sync.directory import Directory, directory_of
from oharness.sync.http_transport import HttpTransport
from oharness.testing.faults import Crashed
from oharness.testing.simulated_disk import SimulatedDisk, SimulatedFiles
from oharness.testing.simulated_time import SimulatedClock
from oharness.testing.world.cloud import Cloud, Tokens
from oharness.testing.world.ledger import Text

ORIGIN = "https://sync.test"
_MODES = Permissions(PRIVATE_FILE, PRIVATE_DIRECTORY)
NO_GIT = Git({})

NoteChange = Callable[[Path, bytes | None, bytes | None], None]
"""Told of a note file's path, what it held and what it holds now."""


class WatchedFiles(SimulatedFiles):
    """The operations of one process; what it does to note files is told to `watch`."""

    def __init__(self, disk: SimulatedDisk, notes: Path, watch: NoteChange) -> None:
        super().__init__(disk)
        self._notes = notes
        self._watch = watch

    def replace(self, source: Path, target: Path) -> None:
        with self._watched(target):
            super().replace(source, target)

    def publish_new(self, source: Path, target: Path) -> None:
        with self._watched(target):
            super().publish_new(source, target)

    def remove(self, path: Path) -> None:
        with self._watched(path):
            super().remove(path)

    @contextmanager
    def _watched(self, path: Path) -> Iterator[None]:
        if path.parent != self._notes or path.suffix != FILE_SUFFIX:
            yield
            return
        before = self.disk.data_at(path)
        try:
            yield
        finally:  # also when the process dies after the very step
            after = self.disk.data_at(path)
            if after != before:
                self._watch(path, before, after)


@dataclass(slots=True, eq=False)
class Machine:
    """One machine. Two notes directories of one project may lie on it.

    `unsent_in_backup` are the texts in its backup that had not gone up when it was made.
    """

    name: str
    disk: SimulatedDisk
    clock: SimulatedClock
    randomness: Randomness
    replicas: list["Replica"] = field(default_factory=list)
    backup: SimulatedDisk | None = None
    backup_number: int = 0
    unsent_in_backup: set[Text] = field(default_factory=set)

    @property
    def home(self) -> Home:
        """Where its state lies."""
        return Home(Path("/machines") / self.name / "home")


@dataclass(slots=True, eq=False)
class Replica:
    """One notes directory.

    `unsent_again` are texts that stand here and that the cloud may lack: as the storage was set back, or as the machine
    was set back to a time when they had not gone up. Until a pass here dealt with them, they stand against deletions.
    `in_sync` are the notes that a finished pass left as the cloud has them: only of those can sync know what anybody
    changed since. A note that a pass wrote and did not live to record is not among them. `stood` is what each id last
    said here.
    """

    name: str
    machine: Machine
    scope: Scope
    id: str
    folder: Path
    process: "Process | None" = None
    in_sync: set[str] = field(default_factory=set)
    unsent_again: set[Text] = field(default_factory=set)
    is_away: bool = False
    stood: dict[str, Text] = field(default_factory=dict)
    repository: "Repository | None" = None

    def path(self, note_id: str) -> Path:
        """The file of a note."""
        return self.folder / f"{note_id}{FILE_SUFFIX}"

    def id_on_disk(self, note_id: str) -> str:
        """The id of the file that a program finds under a name: where letter case is ignored, the one that is there."""
        key = self.machine.disk.spelled_key(self.path(note_id))
        return next((one for one in self.files() if self.machine.disk.spelled_key(self.path(one)) == key), note_id)

    def files(self) -> dict[str, bytes]:
        """The note files as they are, by note id."""
        found = self.machine.disk.contents(self.folder)
        return {
            path.stem: data
            for path, data in found.items()
            if path.parent == self.folder and path.suffix == FILE_SUFFIX and not path.name.startswith(".")
        }

    def notes(self) -> dict[str, Note]:
        """The notes that can be read, by id."""
        read = {note_id: note_in(note_id, data) for note_id, data in self.files().items()}
        return {note_id: note for note_id, note in read.items() if note is not None}


class TracksEverything(Git):
    """A git that has every note, without the program."""

    def tracks(self, checkout: Checkout, folder: Path) -> bool:
        return True


@dataclass(slots=True, eq=False)
class Repository:
    """A repository around one notes directory: git's HEAD on the real disk, and the notes of each commit.

    HEAD is all that sync reads of git by itself, and it reads it past the file operations that are made up here.
    """

    root: Path
    commits: list[dict[str, bytes]] = field(default_factory=list)

    @property
    def git(self) -> Git:
        """What answers for git here."""
        return TracksEverything({})

    def move_head(self, number: int) -> None:
        """HEAD stands at another commit."""
        commit = hashlib.sha1(str(number).encode(), usedforsecurity=False).hexdigest()
        (self.root / ".git" / "HEAD").write_text(f"{commit}\n", encoding="ascii")


@dataclass(slots=True, eq=False)
class Process:
    """oHarness running for one notes directory."""

    replica: Replica
    files: WatchedFiles
    directory: Directory
    memory: Memory
    tokens: Tokens
    transport: HttpTransport

    @property
    def is_alive(self) -> bool:
        """Whether it can still do something."""
        return not self.files.crashed


@dataclass(frozen=True, slots=True)
class Starter:
    """Starts processes; `watch` is told which replica's notes its process changed."""

    cloud: Cloud
    watch: Callable[[Replica, Path, bytes | None, bytes | None], None]
    settings: MemorySettings

    def start(self, replica: Replica) -> Process:
        """A new process for a directory whose last one is gone."""
        machine = replica.machine
        files = WatchedFiles(
            machine.disk, replica.folder, lambda path, before, after: self.watch(replica, path, before, after)
        )
        home, clock, randomness, settings = machine.home, machine.clock, machine.randomness, self.settings
        around = Surroundings(files, home, settings, clock, randomness, NO_GIT)
        lock = FolderLock(files, replica.folder, home.locks)
        folder = NoteDir(files, replica.folder, lock, clock, settings.max_note_bytes, _MODES)
        known = {one.folder: one.scope for one in machine.replicas}
        backups = Backups(files, home, clock, randomness, known)
        directory = directory_of(
            files,
            home,
            replica.scope,
            replica.id,
            folder,
            backups,
            max_notes=settings.max_notes,
            project_root=replica.repository.root if replica.repository else None,
            git=replica.repository.git if replica.repository else NO_GIT,
            clock=clock,
            randomness=randomness,
        )
        service = MemoryService(
            replica.scope,
            folder,
            RecallIndex.in_memory(),
            UsageFile(files, home, replica.scope, clock),
            IntentRecorder(directory.intents, directory.marks, clock),
            settings.max_notes,
        )
        is_project = replica.scope.kind is ScopeKind.PROJECT
        memory = Memory(service if is_project else None, None if is_project else service, None, backups, around)

        def alive() -> None:
            if files.crashed:
                raise Crashed(f"{replica.name} is dead")

        client = httpx2.AsyncClient(transport=self.cloud.network.line(replica.name, alive), trust_env=False)
        tokens = Tokens(self.cloud)
        transport = HttpTransport(ORIGIN, tokens, clock, client)
        replica.process = Process(replica, files, directory, memory, tokens, transport)
        return replica.process


@lru_cache(maxsize=4096)
def note_in(note_id: str, data: bytes) -> Note | None:
    """The note in the bytes of a file; None when they are none. The judge looks at the same bytes many times."""
    try:
        return parse_note(data, f"{note_id}{FILE_SUFFIX}")
    except NotANote:
        return None
