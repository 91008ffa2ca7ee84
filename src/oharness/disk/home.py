"""OHARNESS_HOME and every path below it. Nothing here touches a file."""

from dataclasses import dataclass
from pathlib import Path

from oharness.core.scopes import Scope

HOME_VARIABLE = "OHARNESS_HOME"


@dataclass(frozen=True, slots=True)
class Home:
    """Where machine-local state and the user's own notes live; folders are made at the first write."""

    root: Path

    @property
    def config_file(self) -> Path:
        return self.root / "config.json"

    @property
    def plugins_file(self) -> Path:
        return self.root / "plugins.json"

    @property
    def cloud_file(self) -> Path:
        return self.root / "cloud.json"

    @property
    def credentials_file(self) -> Path:
        return self.root / "credentials.json"

    @property
    def projects_file(self) -> Path:
        return self.root / "projects.json"

    @property
    def told_settings_file(self) -> Path:
        return self.root / "settings-told.json"

    @property
    def user_notes(self) -> Path:
        return self.root / "memory" / "user"

    @property
    def sync_state(self) -> Path:
        return self.root / "memory-sync"

    def sync_directory(self, scope: Scope, replica: str) -> Path:
        """What sync keeps of one notes directory; `replica` is the project's device id, `home` for user notes."""
        return self.sync_state / scope.digest / replica

    @property
    def backups(self) -> Path:
        return self.root / "memory-backups"

    @property
    def usage(self) -> Path:
        return self.root / "memory-usage"

    def usage_file(self, scope: Scope) -> Path:
        return self.usage / f"{scope.digest}.json"

    @property
    def index(self) -> Path:
        return self.root / "memory-index"

    @property
    def tidying(self) -> Path:
        return self.root / "memory-tidy"

    @property
    def locks(self) -> Path:
        return self.root / "memory-locks"

    @property
    def extraction(self) -> Path:
        return self.root / "memory-extraction"

    @property
    def forgotten(self) -> Path:
        return self.root / "memory-forgotten"

    @property
    def sessions(self) -> Path:
        return self.root / "sessions"

    def session_directory(self, project_id: str) -> Path:
        return self.sessions / project_id

    @property
    def audit(self) -> Path:
        return self.root / "audit"


def home_at(configured: str | None, user_directory: Path) -> Home:
    """The home that a variable's value or an option names; without one `.oharness` in the user's directory.

    A relative path counts from the current folder; `~` is the user's directory.
    """
    if not configured:
        return Home(user_directory / ".oharness")
    if configured == "~" or configured.startswith(("~/", "~\\")):
        return Home(user_directory / configured[2:])
    return Home(Path(configured).absolute())
