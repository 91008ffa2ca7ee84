"""How large a note may be, and which notes are loaded when a scope holds too many."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from oharness.core.errors import Refused
from oharness.notes.entry import FileStamp
from oharness.notes.hashing import normalise_body

LARGEST_HEADER_BYTES = 65_536
"""Frontmatter beyond this is no header of a note any more."""


@dataclass(eq=False)
class NoteTooLarge(Refused):
    """The body (or, with `limit_bytes` LARGEST_HEADER_BYTES, the frontmatter) of a note is over the limit."""

    note_id: str
    size_bytes: int
    limit_bytes: int


@dataclass(eq=False)
class TooManyNotes(Refused):
    """A scope holds `count` notes and may hold `limit`; new ones are refused until some are removed."""

    count: int
    limit: int


_NAME = itemgetter(0)


@dataclass(frozen=True, slots=True)
class LoadChoice:
    """Which files are loaded; the length of `left_out` is what the warning says."""

    loaded: tuple[FileStamp, ...]
    left_out: tuple[FileStamp, ...]


def choose_loaded(files: Iterable[FileStamp], max_notes: int) -> LoadChoice:
    """The `max_notes` most recently modified files, in the order of their names; equal times go by name."""
    found = list(files)
    if len(found) <= max_notes:
        return LoadChoice(tuple(sorted(found, key=_NAME)), ())
    by_age = sorted(found, key=lambda stamp: (-stamp.mtime_ns, stamp.name))
    return LoadChoice(tuple(sorted(by_age[:max_notes], key=_NAME)), tuple(by_age[max_notes:]))


def check_room(present: int, added: int, max_notes: int) -> None:
    """Returns when a scope with `present` note files, loaded or not, may get `added` new ones.

    Raises: TooManyNotes.
    """
    if added > 0 and present + added > max_notes:
        raise TooManyNotes(present, max_notes)


def body_bytes(body: str) -> int:
    """The size of a body as limits count it: UTF-8 bytes of the normalised text."""
    return len(normalise_body(body).encode())


def check_body_size(note_id: str, body: str, max_body_bytes: int) -> None:
    """Returns when the body is within the limit.

    Raises: NoteTooLarge.
    """
    size = body_bytes(body)
    if size > max_body_bytes:
        raise NoteTooLarge(note_id, size, max_body_bytes)


def largest_file_bytes(max_body_bytes: int) -> int:
    """A file beyond this size cannot hold a note within the limit, so nobody needs to read it.

    Every line end may take two bytes (CRLF), and the frontmatter and its fences come on top.
    """
    return 2 * max_body_bytes + LARGEST_HEADER_BYTES + 64
