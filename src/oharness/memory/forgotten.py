"""What a person forgot on purpose: kept as fingerprints, so that no later conversation brings it back unasked."""

import contextlib
from collections.abc import Callable

from oharness.core.errors import StorageFailed
from oharness.core.scopes import USER_SCOPE, Scope
from oharness.disk.folder_lock import FolderBusy
from oharness.disk.forgotten_notes import ForgottenNotes, KnownFingerprints
from oharness.disk.json_files import BrokenFile
from oharness.extract.fingerprint import Fingerprint, fingerprint_of, says_what_was_forgotten
from oharness.memory.scopes import Memory
from oharness.notes.note import Note


def forgotten_notes(memory: Memory, scope: Scope) -> ForgottenNotes:
    """The fingerprints of one scope."""
    around = memory.around
    return ForgottenNotes(around.files, around.home, scope, around.clock, around.randomness)


def keep_fingerprint(memory: Memory, scope: Scope, note: Note) -> None:
    """Makes sure that extraction will know the note again.

    Raises: BrokenFile; StorageFailed; FolderBusy.
    """

    def made(salt: bytes) -> Fingerprint:
        return fingerprint_of(note.summary, note.tags, note.body, salt)

    forgotten_notes(memory, scope).keep(note.id, made)


def lift_fingerprints(memory: Memory, note: Note) -> None:
    """Somebody wrote the note on purpose: what it says may be learned again. A file in the way changes nothing."""

    def applies(known: Fingerprint, salt: bytes) -> bool:
        return says_what_was_forgotten(note.summary, note.tags, note.body, known, salt)

    for scope in _scopes(memory):
        with contextlib.suppress(StorageFailed, BrokenFile, FolderBusy):
            forgotten_notes(memory, scope).lift(applies)


def forgotten_here(memory: Memory) -> Callable[[Note], bool]:
    """Tells of any note whether it says what was forgotten in this project, or by this person everywhere.

    Raises: BrokenFile; StorageFailed.
    """
    known = [found for scope in _scopes(memory) if (found := forgotten_notes(memory, scope).known()) is not None]

    def was_forgotten(note: Note) -> bool:
        return any(_is_among(note, found) for found in known)

    return was_forgotten


def _is_among(note: Note, known: KnownFingerprints) -> bool:
    return any(
        says_what_was_forgotten(note.summary, note.tags, note.body, one, known.salt) for one in known.fingerprints
    )


def _scopes(memory: Memory) -> list[Scope]:
    return [*(service.scope for service in memory.services() if service.scope != USER_SCOPE), USER_SCOPE]
