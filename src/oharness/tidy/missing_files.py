"""Project notes that name files which are not in the project."""

from collections.abc import Callable, Iterable

from oharness.core.scopes import ScopeKind
from oharness.tidy.findings import Finding, FindingKind, finding
from oharness.tidy.named_paths import has_ending

Exists = Callable[[str], bool]
"""Whether a relative path is there in the project."""


def missing_file(note_id: str, paths: Iterable[str], exists: Exists) -> Finding | None:
    """The finding about one note of the project, or None when everything it names is there."""
    missing = [path for path in paths if not exists(path.rstrip("/")) and _is_meant(path, exists)]
    if not missing:
        return None
    return finding(FindingKind.MISSING_FILE, ScopeKind.PROJECT, (note_id,), missing)


def _is_meant(path: str, exists: Exists) -> bool:
    """A path without an ending is one only where its first folder is there."""
    return has_ending(path) or exists(path.partition("/")[0])
