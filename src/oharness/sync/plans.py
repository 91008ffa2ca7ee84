"""Is the account on a paid plan, as far as this machine last heard? For what only subscribers get by themselves."""

from collections.abc import Iterable

from oharness.core.errors import OharnessError
from oharness.disk.sync_shapes import Progress
from oharness.sync.directory import Directory


def last_known_paid(directories: Iterable[Directory]) -> bool | None:
    """Whether the latest answer to any of these directories named a paid plan; None when there was none. Blocking."""
    known = [progress for directory in directories if (progress := _progress(directory)) and progress.paid is not None]
    latest = max(known, key=lambda progress: progress.last_synced or 0, default=None)
    return latest.paid if latest else None


def _progress(directory: Directory) -> Progress | None:
    try:
        return directory.state.progress()
    except OharnessError:  # state of a newer version, or a disk that cannot be read: nothing is known
        return None
