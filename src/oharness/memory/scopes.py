"""Opens the memory of a project and of the user, and says what is missing when one of them cannot be opened.

The user's notes failing leaves the project's; outside any project only the user's are there. Opening for
reading creates nothing; opening for writing makes the user's folder and keeps the recall index.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from oharness.config.schema import MemorySettings
from oharness.core.clock import Clock
from oharness.core.errors import Failed, NotFound, StorageFailed
from oharness.core.randomness import Randomness
from oharness.core.scopes import USER_SCOPE, Scope, ScopeKind, project_scope
from oharness.disk.atomic import ensure_directory, remove_leftovers
from oharness.disk.backups import Backups
from oharness.disk.deletion_intents import DeletionIntents
from oharness.disk.filesystem import (
    PRIVATE_DIRECTORY,
    PRIVATE_FILE,
    SHARED_DIRECTORY,
    SHARED_FILE,
    FileSystem,
)
from oharness.disk.folder_lock import FolderBusy, FolderLock
from oharness.disk.git import Git
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile
from oharness.disk.merge_journal import MergeJournal
from oharness.disk.note_dir import DirectoryRedirected, NoteDir, Permissions
from oharness.disk.project import DEFAULT_NOTES_FOLDER, Project, Registration, notes_directory
from oharness.disk.projects_file import known_projects
from oharness.disk.purpose_marks import PurposeMarks
from oharness.disk.recall_index import RecallIndex
from oharness.disk.usage import UsageFile
from oharness.memory.changes import ChangeRecorder, IntentRecorder, NothingRecorded
from oharness.memory.merging import finish_what_was_interrupted
from oharness.memory.notices import MemoryNotice, project_not_enrolled, user_notes_unavailable
from oharness.memory.service import MemoryService

USER_REPLICA = "home"
"""Stands for the user's notes directory where a project's has its device id: there is one in each home."""

_UNREGISTERED = "unregistered"
_USER_MODES = Permissions(PRIVATE_FILE, PRIVATE_DIRECTORY)
_PROJECT_MODES = Permissions(SHARED_FILE, SHARED_DIRECTORY)
_OpenIndex = Callable[[Path], RecallIndex]


@dataclass(eq=False)
class NoProjectHere(NotFound):
    """Project notes were asked for outside any project."""


@dataclass(eq=False)
class UserNotesUnavailable(Failed):
    """The user's own notes were asked for, but their folder cannot be used."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every scope needs from outside, collected once by whoever starts the program."""

    files: FileSystem
    home: Home
    settings: MemorySettings
    clock: Clock
    randomness: Randomness
    git: Git


@dataclass(frozen=True, slots=True)
class Memory:
    """The open memory of both scopes. A missing scope is None; `warnings` say why."""

    project: MemoryService | None
    user: MemoryService | None
    root: Path | None
    backups: Backups
    around: Surroundings
    opening_warnings: tuple[MemoryNotice, ...] = ()

    @property
    def settings(self) -> MemorySettings:
        return self.around.settings

    def services(self, kind: ScopeKind | None = None) -> list[MemoryService]:
        """The open scopes, the project's first; with a kind only that one, if it is open."""
        both = (self.project, self.user)
        return [service for service in both if service is not None and kind in (None, service.kind)]

    def service(self, kind: ScopeKind) -> MemoryService:
        """The scope of that kind.

        Raises: NoProjectHere; UserNotesUnavailable.
        """
        found = self.services(kind)
        if found:
            return found[0]
        if kind is ScopeKind.PROJECT:
            raise NoProjectHere
        reasons = [str(warning.fields.get("reason", "")) for warning in self.opening_warnings]
        raise UserNotesUnavailable(str(self.around.home.user_notes), reasons[0] if reasons else "")

    def refresh(self) -> None:
        """Looks at both directories and reads what changed.

        Raises: StorageFailed; DirectoryRedirected.
        """
        for service in self.services():
            service.refresh()

    def warnings(self) -> list[MemoryNotice]:
        """What people should know about both scopes."""
        own = [warning for service in self.services() for warning in service.warnings()]
        return [*self.opening_warnings, *own]

    def close(self) -> None:
        """Lets go of the indexes."""
        for service in self.services():
            service.close()


def open_for_reading(around: Surroundings, project: Project | None) -> Memory:
    """The memory after a look at the files; creates no file under the home or the project.

    Raises: OutsideProject; StorageFailed and DirectoryRedirected for the project's notes.
    """
    own = None
    if project is not None:
        scope = project_scope(project.marker.id if project.marker else _UNREGISTERED)
        folder = _project_folder(around, project)
        own = _service(around, scope, folder, RecallIndex.open_existing, NothingRecorded())
        own.refresh()
    user, warnings = _user_service(around, RecallIndex.open_existing, NothingRecorded(), _left_alone)
    return _together(around, own, user, project.root if project else None, warnings)


def open_for_writing(around: Surroundings, registration: Registration | None) -> Memory:
    """The memory after a look at the files, its index kept under the home, deletions recorded for sync.

    Raises: OutsideProject; StorageFailed and DirectoryRedirected for the project's notes.
    """
    _sweep(around)
    kept = partial(_kept_index, around)
    own = None
    if registration is not None:
        scope = project_scope(registration.marker.id)
        changes = _recorder(around, scope, registration.device) if registration.device else NothingRecorded()
        own = _service(around, scope, _project_folder(around, registration.project), kept, changes)
        own.refresh()
        _drop_unfinished(own)
        _finish_merge(around, own)
    recorder = _recorder(around, USER_SCOPE, USER_REPLICA)
    user, warnings = _user_service(around, kept, recorder, _made)
    if user is not None:  # else the home itself cannot be used, which is said already
        _drop_unfinished(user)
        _finish_merge(around, user)
        warnings += [project_not_enrolled(error) for error in (registration.warnings if registration else ())]
    return _together(around, own, user, registration.project.root if registration else None, warnings)


def service_for_directory(memory: Memory, path: Path, scope: Scope | None) -> MemoryService:
    """The open scope whose notes lie at a real path; else another directory's, with nothing kept of it here."""
    for service in memory.services():
        if service.folder.path == path:
            return service
    around = memory.around
    modes = _USER_MODES if path.is_relative_to(around.home.root) else _PROJECT_MODES
    known = scope or known_directories(around).get(path) or project_scope(_UNREGISTERED)
    return _service(around, known, _folder(around, path, modes), _index_in_memory, NothingRecorded())


def known_directories(around: Surroundings) -> dict[Path, Scope]:
    """Where the notes of every registered project lie, unless its settings say otherwise."""
    try:
        projects = known_projects(around.files, around.home)
    except (StorageFailed, BrokenFile):
        return {}
    found: dict[Path, Scope] = {}
    for project in projects:
        try:
            found[project.path / DEFAULT_NOTES_FOLDER] = project_scope(project.id)
        except ValueError:
            continue
    return found


def _together(
    around: Surroundings,
    project: MemoryService | None,
    user: MemoryService | None,
    root: Path | None,
    warnings: list[MemoryNotice],
) -> Memory:
    directories = known_directories(around)
    if project is not None:
        directories[project.folder.path] = project.scope
    backups = Backups(around.files, around.home, around.clock, around.randomness, directories)
    return Memory(project, user, root, backups, around, tuple(warnings))


def _user_service(
    around: Surroundings, open_index: _OpenIndex, changes: ChangeRecorder, prepare: Callable[[Surroundings], None]
) -> tuple[MemoryService | None, list[MemoryNotice]]:
    try:
        prepare(around)
        path = around.files.real_path(around.home.user_notes)
        service = _service(around, USER_SCOPE, _folder(around, path, _USER_MODES), open_index, changes)
        service.refresh()
    except (StorageFailed, DirectoryRedirected) as error:
        return None, [user_notes_unavailable(around.home.user_notes, error)]
    return service, []


def _left_alone(around: Surroundings) -> None:
    """Reading makes no folder."""


def _made(around: Surroundings) -> None:
    ensure_directory(around.files, around.home.user_notes, PRIVATE_DIRECTORY)


def _kept_index(around: Surroundings, path: Path) -> RecallIndex:
    """The index under the home, in a private folder; in memory where the home cannot be written."""
    try:
        ensure_directory(around.files, path.parent, PRIVATE_DIRECTORY)
    except StorageFailed:
        return RecallIndex.in_memory()
    return RecallIndex.open(path)


def _index_in_memory(path: Path) -> RecallIndex:
    return RecallIndex.in_memory()


def _project_folder(around: Surroundings, project: Project) -> NoteDir:
    path = notes_directory(around.files, project.root, around.settings.dir)
    return _folder(around, path, _PROJECT_MODES, project.root)


def _folder(around: Surroundings, path: Path, modes: Permissions, inside: Path | None = None) -> NoteDir:
    lock = FolderLock(around.files, path, around.home.locks)
    return NoteDir(around.files, path, lock, around.clock, around.settings.max_note_bytes, modes, inside)


def _service(
    around: Surroundings, scope: Scope, folder: NoteDir, open_index: _OpenIndex, changes: ChangeRecorder
) -> MemoryService:
    return MemoryService(
        scope,
        folder,
        open_index(_index_path(around, folder)),
        UsageFile(around.files, around.home, scope, around.clock),
        changes,
        around.settings.max_notes,
    )


def _index_path(around: Surroundings, folder: NoteDir) -> Path:
    """One index for each directory and size limit, since the limit decides which files are notes."""
    name = hashlib.sha256(os.fsencode(folder.path) + f"\n{folder.max_note_bytes}".encode()).hexdigest()
    return around.home.index / f"{name}.sqlite"


def _recorder(around: Surroundings, scope: Scope, replica: str) -> IntentRecorder:
    place = (around.files, around.home, scope, replica)
    return IntentRecorder(DeletionIntents(*place), PurposeMarks(*place), around.clock)


def _sweep(around: Surroundings) -> None:
    """What programs that were killed while they wrote have left in the home."""
    home = around.home
    for folder in (home.root, home.usage, home.backups):
        remove_leftovers(around.files, folder, around.clock.now_ms())


def _drop_unfinished(service: MemoryService) -> None:
    """A deletion that a crash interrupted before the file went is dropped: nobody was told that it was done."""
    try:
        if not service.changes.pending():
            return
        with service.changing():
            present = set(service.ids())
            for note_id in service.changes.pending():
                if note_id in present:
                    service.changes.after_write(note_id)
    except (StorageFailed, BrokenFile, FolderBusy):
        return


def _finish_merge(around: Surroundings, service: MemoryService) -> None:
    finish_what_was_interrupted(service, MergeJournal(around.files, around.home, service.folder.path))
