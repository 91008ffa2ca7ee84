"""audit/: one file of JSON lines a day (UTC), appended to and never rewritten, readable by its owner alone."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oharness.core.clock import Millis
from oharness.core.jsontext import one_line_json
from oharness.disk.atomic import ensure_directory, storage_errors
from oharness.disk.filesystem import PRIVATE_DIRECTORY, PRIVATE_FILE, FileSystem

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def audit_file(folder: Path, at: Millis) -> Path:
    """The file of the day that a moment lies in."""
    return folder / f"{datetime.fromtimestamp(at / 1000, UTC).date().isoformat()}.jsonl"


def append_entry(folder: Path, at: Millis, entry: Mapping[str, Any]) -> None:
    """Adds one line in a single write, so that lines of two processes never mix. Makes the folder when it is missing.

    Raises: StorageFailed.
    """
    path = audit_file(folder, at)
    line = f"{one_line_json(dict(entry))}\n".encode("utf-8", "backslashreplace")
    ensure_directory(FileSystem(), folder, PRIVATE_DIRECTORY)
    with storage_errors(path):
        handle = os.open(path, _FLAGS, PRIVATE_FILE)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)
