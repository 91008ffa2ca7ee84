"""What tests of files share: a notes directory and a clock."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oharness.core.clock import Millis
from oharness.disk.filesystem import SHARED_DIRECTORY, SHARED_FILE, FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.note_dir import NoteDir, Permissions
from oharness.notes.note import Note
from oharness.testing.clock import FakeClock

OpenDir = Callable[..., NoteDir]


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / "shop" / "MEMORY"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def open_dir(tmp_path: Path, memory: Path) -> OpenDir:
    def opened(files: FileSystem | None = None, path: Path = memory, max_note_bytes: int = 131_072) -> NoteDir:
        files = files or FileSystem()
        lock = FolderLock(files, path, tmp_path / "home" / "memory-locks", wait_s=5)
        return NoteDir(files, path, lock, FakeClock(), max_note_bytes, Permissions(SHARED_FILE, SHARED_DIRECTORY))

    return opened


@pytest.fixture
def note() -> Callable[..., Note]:
    def made(note_id: str = "prices-3fa", body: str = "They are in cents.", **fields: object) -> Note:
        values = {
            "summary": "Prices are in cents",
            "created_at": Millis(1_788_000_000_000),
            "updated_at": Millis(1_788_000_000_001),
        } | fields
        return Note(id=note_id, body=body, **values)  # type: ignore[arg-type]

    return made
