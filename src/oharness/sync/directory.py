"""One notes directory with everything that sync reads and writes for it."""

from dataclasses import dataclass, field
from pathlib import Path

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.core.scopes import Scope
from oharness.disk.backups import Backups
from oharness.disk.deletion_intents import DeletionIntents
from oharness.disk.filesystem import FileSystem
from oharness.disk.git import Git
from oharness.disk.home import Home
from oharness.disk.note_dir import NoteDir
from oharness.disk.outbox import Outbox
from oharness.disk.purpose_marks import PurposeMarks
from oharness.disk.sync_state import SyncState
from oharness.sync.last_look import LastLook


@dataclass(frozen=True, slots=True)
class Directory:
    """What a pass needs to know of one directory. `replica` names its state, as in `Home.sync_directory`.

    `project_root` is where git is asked about the notes, None for the user's own.
    """

    scope: Scope
    replica: str
    folder: NoteDir
    state: SyncState
    outbox: Outbox
    intents: DeletionIntents
    marks: PurposeMarks
    backups: Backups
    max_notes: int
    project_root: Path | None
    git: Git
    clock: Clock
    randomness: Randomness
    last_look: LastLook = field(default_factory=LastLook)


def directory_of(
    files: FileSystem,
    home: Home,
    scope: Scope,
    replica: str,
    folder: NoteDir,
    backups: Backups,
    *,
    max_notes: int,
    project_root: Path | None,
    git: Git,
    clock: Clock,
    randomness: Randomness,
) -> Directory:
    """The directory whose notes are in `folder`, with its state below the home."""
    return Directory(
        scope=scope,
        replica=replica,
        folder=folder,
        state=SyncState(files, home, scope, replica),
        outbox=Outbox(files, home, scope, replica),
        intents=DeletionIntents(files, home, scope, replica),
        marks=PurposeMarks(files, home, scope, replica),
        backups=backups,
        max_notes=max_notes,
        project_root=project_root,
        git=git,
        clock=clock,
        randomness=randomness,
    )
