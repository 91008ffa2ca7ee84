"""What a review finds: five kinds of findings, each with an id that stays while its notes do."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from oharness.core.scopes import ScopeKind

_ID_DIGITS = 10


class FindingKind(StrEnum):
    """The kinds in the order they are listed."""

    SAME_SUBJECT = "same-subject"
    BROKEN_LINK = "broken-link"
    MISSING_FILE = "missing-file"
    UNUSED = "unused"
    TOO_LONG = "too-long"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about one note, or about the notes of one subject, the oldest first.

    `details` are what it is about: the words the notes share, the ids or paths that are missing, the number of days
    without use, or of characters.
    """

    id: str
    kind: FindingKind
    scope: ScopeKind
    notes: tuple[str, ...]
    details: tuple[str, ...]


def finding(kind: FindingKind, scope: ScopeKind, notes: Iterable[str], details: Iterable[str]) -> Finding:
    """The finding with its id, which is made of kind, scope and the notes' ids in any order."""
    ids = tuple(notes)
    named = "\n".join([kind, scope, *sorted(ids)])
    digest = hashlib.sha256(named.encode()).hexdigest()[:_ID_DIGITS]
    return Finding(f"{kind}-{digest}", kind, scope, ids, tuple(details))
