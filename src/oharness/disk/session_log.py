"""Session transcripts: one file of JSON lines each, appended to and never rewritten.

The first line is the header (`{"kind":"session","version":1,"id",…}`), every other line one record. A record
is an object whose first key is `kind`; what the kinds mean is not decided here. A last line that cannot
be read and that no newline ends is what a crash left of an unfinished append: nobody was told that it was
saved, so the next append cuts it off.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from oharness.core.errors import Failed, Refused, StorageFailed
from oharness.core.jsontext import one_line_json

VERSION = 1
SUFFIX = ".jsonl"

Record = Mapping[str, Any]


@dataclass(eq=False)
class SessionInUse(Refused):
    """Another process, or another part of this one, has the session `session_id` open."""

    session_id: str


@dataclass(eq=False)
class TranscriptUnreadable(Failed):
    """The file at `path` is no transcript this version reads: `reason` is `no-header` or `newer-version`."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file as read: header and records. `damaged` counts lines that could not be read and were left out."""

    header: Record
    records: tuple[Record, ...]
    damaged: int = 0


def read_transcript(path: Path) -> Transcript:
    """Everything in a transcript that can be read.

    Raises: TranscriptUnreadable, StorageFailed.
    """
    header, lines = raw_transcript(path)
    records: list[Record] = []
    damaged = 0
    for line in lines:
        record = decoded(line)
        if record is not None:
            records.append(record)
        elif line:
            damaged += 1
    return Transcript(header, tuple(records), damaged)


def transcript_paths(folder: Path) -> tuple[Path, ...]:
    """The transcripts in a folder, in no particular order; none where there is no folder.

    An empty file is what is left where the disk was full, or the machine stopped, before anything was said.

    Raises: StorageFailed.
    """
    with _said(folder):
        if not folder.is_dir():
            return ()
        with os.scandir(folder) as entries:
            return tuple(Path(one.path) for one in entries if one.name.endswith(SUFFIX) and one.stat().st_size)


def raw_transcript(path: Path) -> tuple[Record, tuple[bytes, ...]]:
    """The header and every later line as bytes, for callers that want a few of many without decoding them all.

    Raises: TranscriptUnreadable, StorageFailed.
    """
    with _said(path):
        first, *rest = path.read_bytes().split(b"\n")
    return _header(path, first), tuple(rest)


def decoded(line: bytes) -> Record | None:
    """The record on a line; None where there is none that can be read."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("kind"), str) else None


class SessionLog:
    """One transcript, open for appending by this process alone. The file appears with the first append."""

    def __init__(self, path: Path, header: Record) -> None:
        self._path = path
        self._header = {"kind": "session", "version": VERSION, **header}
        self._file: IO[bytes] | None = None

    def append(self, *records: Record) -> None:
        """Adds records whole or not at all; they outlive the process once this has returned.

        Raises: StorageFailed, with the file as it was.
        """
        with _said(self._path):
            if self._file is None:
                self._file = self._opened()
            start = self._file.tell()
            lines = records if start else (self._header, *records)
            try:
                _write_all(self._file, b"".join(map(_line, lines)))
            except OSError:
                with contextlib.suppress(OSError):
                    self._file.truncate(start)
                    self._file.seek(start)
                raise

    def close(self) -> None:
        """Appending afterwards opens the file again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> IO[bytes]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        file = os.fdopen(descriptor, "r+b", buffering=0)
        _mend_last_line(file)
        return file


class SessionLock:
    """Keeps a session to one holder; the system frees it when the process dies."""

    def __init__(self, folder: Path, session_id: str) -> None:
        """Takes the lock at once.

        Raises: SessionInUse, StorageFailed.
        """
        from filelock import FileLock, Timeout

        self._path = folder / f"{session_id}.lock"
        self._transcript = folder / f"{session_id}{SUFFIX}"
        with _said(self._path):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = FileLock(self._path, timeout=0, thread_local=False)
            try:
                self._lock.acquire()
            except Timeout:
                raise SessionInUse(session_id) from None

    def release(self) -> None:
        """Leaves the lock file only beside a transcript, and no empty one. May be called twice."""
        with contextlib.suppress(OSError):
            if self._lock.is_locked and not (self._transcript.exists() and self._transcript.stat().st_size):
                self._transcript.unlink(missing_ok=True)
                self._path.unlink()
        self._lock.release()


def _line(record: Record) -> bytes:
    # A lone surrogate, which models do produce, becomes its JSON escape instead of an error.
    return one_line_json(record).encode("utf-8", "backslashreplace") + b"\n"


def _write_all(file: IO[bytes], data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _mend_last_line(file: IO[bytes]) -> None:
    """Leaves the file at its end, with nothing or a newline before it."""
    end = _end_of_last_whole_line(file)
    file.seek(end)
    rest = file.read()
    if decoded(rest) is not None:
        _write_all(file, b"\n")
    else:
        file.truncate(end)
        file.seek(end)


def _end_of_last_whole_line(file: IO[bytes]) -> int:
    size = file.seek(0, os.SEEK_END)
    while size > 0:
        start = max(0, size - 65536)
        file.seek(start)
        newline = file.read(size - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        size = start
    return 0


def _header(path: Path, line: bytes) -> Record:
    record = decoded(line)
    if record is None or record["kind"] != "session":
        raise TranscriptUnreadable(str(path), "no-header")
    version = record.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise TranscriptUnreadable(str(path), "newer-version")
    return record


@contextlib.contextmanager
def _said(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageFailed(str(path), error.strerror or str(error)) from error
