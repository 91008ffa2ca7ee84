"""Home, project and settings, read once, and the memory that is open there."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from oharness.config.layers import LayeredSettings, SettingWarning
from oharness.config.schema import Settings
from oharness.core.clock import Clock
from oharness.core.errors import StorageFailed
from oharness.core.randomness import Randomness
from oharness.disk.atomic import reason_of
from oharness.disk.config_files import load_settings
from oharness.disk.filesystem import FileSystem
from oharness.disk.git import Git
from oharness.disk.home import HOME_VARIABLE, Home, home_at
from oharness.disk.project import Project, Registration, find_project, project_at, register_project
from oharness.memory.scopes import Memory, Surroundings, open_for_reading, open_for_writing
from oharness.system import SystemClock, SystemRandomness


@dataclass(frozen=True, slots=True)
class Environment:
    """Where and with what a command or a harness works. Nothing was written to make it."""

    home: Home
    folder: Path
    project: Project | None
    layered: LayeredSettings
    variables: Mapping[str, str]
    files: FileSystem
    clock: Clock
    randomness: Randomness
    git: Git

    @property
    def settings(self) -> Settings:
        return self.layered.settings

    @property
    def setting_warnings(self) -> tuple[SettingWarning, ...]:
        return self.layered.warnings

    @property
    def surroundings(self) -> Surroundings:
        """What the memory needs from outside."""
        return Surroundings(self.files, self.home, self.settings.memory, self.clock, self.randomness, self.git)


def open_environment(
    variables: Mapping[str, str],
    project: str | Path | None = None,
    home: str | Path | None = None,
    folder: Path | None = None,
) -> Environment:
    """The home, the project and the settings that hold there. Writes nothing.

    `project` is exactly that folder; without one it is the nearest registered folder or git root above `folder`
    (default: the current one), or none.
    Raises: NoSuchProjectFolder, BrokenFile, BrokenSettings, StorageFailed.
    """
    files, user_directory = FileSystem(), Path.home()
    here = folder or _current_folder(variables)
    place = home_at(str(home) if home else variables.get(HOME_VARIABLE), user_directory)
    found = project_at(files, here / project) if project else find_project(files, here, user_directory)
    layered = load_settings(files, place, found, variables)
    root = found.root if found else here
    return Environment(
        place, root, found, layered, variables, files, SystemClock(), SystemRandomness(), Git(dict(variables))
    )


def _current_folder(variables: Mapping[str, str]) -> Path:
    try:
        return Path.cwd()
    except OSError as error:  # removed while a shell still stands in it
        raise StorageFailed(variables.get("PWD", "."), reason_of(error)) from error


def register(environment: Environment) -> Registration | None:
    """The project registered with this home, or None outside any.

    Raises: OutsideProject, BrokenFile, StorageFailed.
    """
    if environment.project is None:
        return None
    around = environment
    return register_project(around.files, environment.project, around.home, around.git, around.clock, around.randomness)


def open_memory_for_reading(environment: Environment) -> Memory:
    """The memory of both scopes, with nothing written."""
    return open_for_reading(environment.surroundings, environment.project)


def open_memory_for_writing(environment: Environment) -> Memory:
    """The memory of both scopes; a project that is not registered yet is registered first."""
    return open_for_writing(environment.surroundings, register(environment))
