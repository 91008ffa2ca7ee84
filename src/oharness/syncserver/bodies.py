"""Bodies of notes as objects: written before a manifest names them, read back by revision (P-22, P-23, P-35)."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from oharness.core.clock import Clock
from oharness.core.scopes import Scope
from oharness.notes.frontmatter import note_file_name, note_text, parse_note
from oharness.notes.note import Note
from oharness.notes.problems import NotANote
from oharness.syncserver.keys import note_prefix, object_key, objects_prefix
from oharness.syncserver.objects.base import Found, Moved, ObjectStore, Stored, Unknown

REUSE_WITHIN_MS = 24 * 3_600_000
_READ_AT_ONCE = 128
_PURGE_YOUNGER_MS = 60_000


@dataclass(frozen=True, slots=True)
class WantedObject:
    """One revision of one note; `size_hint` is the body's size, 0 where it is not known."""

    note_id: str
    revision: str
    size_hint: int = 0


class Sized(Protocol):
    """What an object holds. Units: `size` is the bytes of the note's body."""

    @property
    def size(self) -> int: ...


_Read = TypeVar("_Read", bound=Sized)


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """A note with the bytes that its body has."""

    note: Note
    size: int


class BodyStore:
    """The bodies of one scope."""

    def __init__(self, store: ObjectStore, clock: Clock, account: str, scope: Scope) -> None:
        self._store = store
        self._clock = clock
        self._prefix = objects_prefix(account, scope)

    def key(self, note_id: str, revision: str) -> str:
        """Where a revision lies."""
        return object_key(self._prefix, note_id, revision)

    async def read(self, wanted: Sequence[WantedObject], max_bytes: int) -> dict[str, Note | None]:
        """Bodies in order until the next one would pass `max_bytes`; at least one whatever its size.

        Shapes: by note id; None where there is none to be had. The rest did not fit.
        Raises: StoreUnavailable.
        """
        notes: dict[str, Note | None] = {}
        async for part in self.read_in_parts(wanted, max_bytes, _parsed):
            notes |= {note_id: None if read is None else read.note for note_id, read in part.items()}
        return notes

    async def read_in_parts(
        self, wanted: Sequence[WantedObject], max_bytes: int, understand: Callable[[str, bytes], _Read | None]
    ) -> AsyncIterator[dict[str, _Read | None]]:
        """The same as it is read, some at a time, each as `understand` makes it of id and object.

        Raises: StoreUnavailable.
        """
        used = 0
        for start in range(0, len(wanted), _READ_AT_ONCE):
            batch = _fitting(wanted[start : start + _READ_AT_ONCE], max_bytes - used, is_first=start == 0)
            readings = await self._store.read_many([self.key(one.note_id, one.revision) for one in batch])
            part: dict[str, _Read | None] = {}
            for one, reading in zip(batch, readings, strict=True):
                read = understand(one.note_id, reading.value) if isinstance(reading, Found) else None
                size = read.size if read is not None else 0
                if (start or part) and used + size > max_bytes:
                    yield part
                    return
                part[one.note_id] = read
                used += size
            yield part
            if len(batch) < min(_READ_AT_ONCE, len(wanted) - start):
                return

    async def write(self, objects: Mapping[tuple[str, str], bytes]) -> list[tuple[str, str]] | Unknown:
        """Stores the bodies by (note id, revision); those whose key is taken by something else or too old.

        An object that is there already counts as stored when it holds the same bytes and is younger than a day: a
        collector of leftovers could be about to remove an older one.
        """
        keys = {self.key(*name): name for name in objects}
        written = await self._store.create_many({key: objects[name] for key, name in keys.items()})
        taken: list[tuple[str, str]] = []
        for key, one in written.items():
            match one:
                case Stored():
                    pass
                case Unknown():
                    return one
                case Moved():
                    if not await self._is_same(key, objects[keys[key]]):
                        taken.append(keys[key])
        return taken

    async def purge(self, note_id: str, revisions: Sequence[str], before_ms: int) -> int:
        """Removes the named revisions of a note, and everything of it that was stored a minute before `before_ms`.

        Younger objects may belong to a commit on its way; they are left to the collector of leftovers.
        Units: `before_ms` is the store's time. Raises: StoreUnavailable.
        """
        keys = {self.key(note_id, revision) for revision in revisions}
        async for listed in self._store.list_under(note_prefix(self._prefix, note_id)):
            if listed.modified_ms < before_ms - _PURGE_YOUNGER_MS:
                keys.add(listed.key)
        return await self._store.remove(sorted(keys))

    async def _is_same(self, key: str, data: bytes) -> bool:
        reading = await self._store.read(key)
        if not isinstance(reading, Found) or reading.value != data:
            return False
        return self._clock.now_ms() - reading.modified_ms < REUSE_WITHIN_MS


def body_object(note: Note) -> bytes:
    """The object of a note: the note file's own format."""
    return note_text(note).encode()


def _parsed(note_id: str, data: bytes) -> ParsedNote | None:
    try:
        note = parse_note(data, note_file_name(note_id))
    except NotANote:
        return None
    return ParsedNote(note, len(note.body.encode()))


def _fitting(wanted: Sequence[WantedObject], room: int, *, is_first: bool) -> Sequence[WantedObject]:
    """The beginning of `wanted` whose known sizes fit; the very first one always does."""
    for index, one in enumerate(wanted):
        room -= one.size_hint
        if room < 0:
            return wanted[: max(index, 1 if is_first else 0)]
    return wanted
