"""Looking and deciding again when somebody else changed the note in between."""

from collections.abc import Callable
from typing import TypeVar

from oharness.disk.note_dir import NoteChangedOnDisk

_Done = TypeVar("_Done")
_MOST_ATTEMPTS = 20


def until_nobody_was_faster(attempt: Callable[[], _Done]) -> _Done:
    """What `attempt` gives. It is made anew, from a new look, as long as another program's edit comes in between.

    Raises: NoteChangedOnDisk after many attempts; whatever else the attempt raises.
    """
    for _ in range(_MOST_ATTEMPTS - 1):
        try:
            return attempt()
        except NoteChangedOnDisk:
            continue
    return attempt()
