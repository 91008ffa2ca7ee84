"""What a note may be called, and how a new note gets its id."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from oharness.core.errors import Failed, Refused, WrongUsage
from oharness.core.randomness import Randomness

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_DEVICE_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))]
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_LONGEST_SLUG = 40
_SUFFIX_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_SUFFIX_LENGTH = 3
_MOST_DRAWS = 200


@dataclass(eq=False)
class BadNoteId(WrongUsage):
    """`note_id` cannot be a note's name on every file system."""

    note_id: str


@dataclass(eq=False)
class ReservedNoteId(BadNoteId):
    """`note_id` is a device's name on Windows, where no file can have it."""


@dataclass(eq=False)
class IdCaseCollision(Refused):
    """`note_id` differs only in letter case from `existing_id` of the same scope."""

    note_id: str
    existing_id: str


@dataclass(eq=False)
class NoFreeId(Failed):
    """Every id drawn for `slug` was taken."""

    slug: str


def is_note_id(text: str) -> bool:
    """Whether a text may be a note's id: also a file name on Windows, and never a path."""
    return _ID.fullmatch(text) is not None and text.lower() not in _DEVICE_NAMES


def check_note_id(text: str) -> str:
    """The same text, which may be a note's id.

    Raises: BadNoteId, ReservedNoteId.
    """
    if text.lower() in _DEVICE_NAMES:
        raise ReservedNoteId(text)
    if not is_note_id(text):
        raise BadNoteId(text)
    return text


def case_collision(names: Iterable[str], existing: Iterable[str]) -> tuple[str, str] | None:
    """The first of the names that is new and differs from another in letter case alone, and that other one."""
    present = frozenset(existing)
    by_folded = {name.lower(): name for name in sorted(present)}
    for name in names:
        other = by_folded.setdefault(name.lower(), name)
        if other != name and name not in present:
            return name, other
    return None


def taken_in_any_case(existing: Iterable[str]) -> Callable[[str], bool]:
    """A predicate for `new_note_id`: is this id, in whatever letter case, among the existing ones?"""
    folded = frozenset(note_id.lower() for note_id in existing)
    return lambda note_id: note_id.lower() in folded


def slug(summary: str, note_type: str | None) -> str:
    """The speaking part of a new id: whole ASCII words of the summary, up to 40 characters.

    Accents are dropped first, so that `Déjà vu` gives `deja-vu`. Without any word it is the type, or `note`.
    """
    return _words_slug(summary) or _words_slug(note_type or "") or "note"


def new_note_id(summary: str, note_type: str | None, randomness: Randomness, taken: Callable[[str], bool]) -> str:
    """A lower-case id for a new note that `taken` does not know.

    `taken` answers for every letter case, as `taken_in_any_case` does.
    Raises: NoFreeId, when 200 draws were all taken.
    """
    speaking = slug(summary, note_type)
    for _ in range(_MOST_DRAWS):
        candidate = f"{speaking}-{randomness.text(_SUFFIX_ALPHABET, _SUFFIX_LENGTH)}"
        if not taken(candidate):
            return candidate
    raise NoFreeId(speaking)


def _words_slug(text: str) -> str:
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    result = ""
    for word in _ASCII_WORD.findall(plain):
        longer = f"{result}-{word}" if result else word[:_LONGEST_SLUG]
        if len(longer) > _LONGEST_SLUG:
            break
        result = longer
    return result.lower()
