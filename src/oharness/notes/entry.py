"""What is known of a note file without its body: enough to list, to link and to see that it changed."""

from dataclasses import dataclass
from typing import NamedTuple

from oharness.core.clock import Millis


class FileStamp(NamedTuple):
    """How a file looked when it was read; another stamp means that it has to be read again.

    A tuple, since thousands are made and compared each time somebody looks at a directory.
    """

    name: str
    mtime_ns: int
    size: int
    inode: int


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """A note without its body."""

    stamp: FileStamp
    id: str
    summary: str
    type: str | None
    tags: tuple[str, ...]
    created_at: Millis
    updated_at: Millis
    hash: str
    body_bytes: int
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProblemEntry:
    """A file in a notes directory that cannot be a note, and why; the file itself is left as it is."""

    stamp: FileStamp
    reason: str
