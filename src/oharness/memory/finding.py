"""Which note an id means, and what to say when it means none."""

from oharness.core.scopes import ScopeKind
from oharness.disk.note_dir import DamagedFile, NoteFile
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService, NoteNotFound

_MOST_CLOSE = 5


def find_note(memory: Memory, note_id: str, scope: ScopeKind | None) -> tuple[MemoryService, NoteFile]:
    """The note of exactly this id in the given scope, else in the project's before the user's.

    Raises: NoteNotFound with ids that look like it; NotANote for a damaged file; StorageFailed; NoProjectHere
    or UserNotesUnavailable for a scope that is not open.
    """
    found = look_up(memory, note_id, scope)
    if found is None:
        raise NoteNotFound(note_id, scope or "", close_ids(memory, note_id, scope))
    return found


def look_up(memory: Memory, note_id: str, scope: ScopeKind | None) -> tuple[MemoryService, NoteFile] | None:
    """The same, with None when there is no such note."""
    services = memory.services() if scope is None else [memory.service(scope)]
    for service in services:
        match service.read(note_id):
            case NoteFile() as file:
                return service, file
            case DamagedFile() as damaged:
                raise damaged.error
            case None:
                continue
    return None


def close_ids(memory: Memory, note_id: str, scope: ScopeKind | None) -> tuple[str, ...]:
    """Ids that begin like this one or are spelled almost like it."""
    ids = [entry.id for service in memory.services(scope) for entry in service.entries()]
    wanted = note_id.strip().removesuffix(".md").lower()
    if not wanted:
        return ()
    from difflib import get_close_matches

    alike = [known for known in ids if known.lower().startswith(wanted)]
    alike += get_close_matches(wanted, ids, _MOST_CLOSE)
    return tuple(dict.fromkeys(alike))[:_MOST_CLOSE]
