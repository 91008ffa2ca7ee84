"""memory-sync/…/copies/: every note as last synced, so that a note changed on both sides can be merged.

Copies are named by content hash and lie together in packs, one pack for each time some were added: 5,000 new copies
are one file, and one more is one small file. Packs that are small or mostly unused are joined now and then.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from oharness.disk.atomic import (
    Anything,
    ensure_directory,
    flush_in_place,
    remove_files,
    storage_errors,
    write_file,
    write_in_place,
)
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.sync_shapes import STATE_VERSION, StateShape, kept_note
from oharness.notes.frontmatter import note_text
from oharness.notes.note import Note
from oharness.notes.problems import NotANote

MOST_PACKS = 48
PACK_BYTES = 8 * 1024 * 1024
_SUFFIX = ".json"


class _PackShape(StateShape):
    """One pack: hash to id and text of each copy."""

    copies: dict[str, tuple[str, str]] = msgspec.field(default_factory=dict)


class SyncCopies:
    """The copies of one notes directory. A pack that cannot be understood counts as one without copies."""

    def __init__(self, files: FileSystem, folder: Path) -> None:
        self._files = files
        self._folder = folder

    def save(self, notes: Mapping[str, Note]) -> None:
        """Keeps notes by their hashes; they have reached the device when this returns.

        Raises: StorageFailed.
        """
        self.save_texts({content: (note.id, note_text(note)) for content, note in notes.items()})

    def save_texts(self, copies: Mapping[str, tuple[str, str]]) -> None:
        """The same for notes as id and text of their files.

        Raises: StorageFailed.
        """
        self.make_durable(self.write(copies))

    def write(self, copies: Mapping[str, tuple[str, str]]) -> list[Path]:
        """Writes them without waiting for the device; `make_durable` has to follow before anything counts on them.

        Raises: StorageFailed.
        """
        return [self._write_pack(part) for part in _parts(copies)]

    def make_durable(self, packs: Sequence[Path]) -> None:
        """Returns when written packs have reached the device.

        Raises: StorageFailed.
        """
        flush_in_place(self._files, packs)

    def find(self, hashes: Collection[str]) -> dict[str, Note]:
        """The copies with these hashes, as far as there are any.

        Raises: StorageFailed when a pack cannot be read.
        """
        found: dict[str, Note] = {}
        wanted = set(hashes)
        for name in reversed(self._names() if wanted else []):
            copies = self._read_pack(name)
            for content in wanted & copies.keys():
                note_id, text = copies[content]
                try:
                    found[content] = kept_note(text, note_id)
                except NotANote:
                    continue
            wanted -= found.keys()
            if not wanted:
                break
        return found

    def of_note(self, note_id: str) -> list[str]:
        """The texts of all copies of one note, used or not.

        Raises: StorageFailed.
        """
        packs = map(self._read_pack, self._names())
        return [text for pack in packs for copied_id, text in pack.values() if copied_id == note_id]

    def of_others(self, note_id: str) -> Iterator[tuple[str, str]]:
        """Id and text of every copy of all other notes, used or not.

        Raises: StorageFailed.
        """
        for name in self._names():
            yield from (copy for copy in self._read_pack(name).values() if copy[0] != note_id)

    def drop(self, note_id: str) -> int:
        """Removes every copy of one note for good, and gives how many there were; other copies stay.

        Raises: StorageFailed; may be repeated.
        """
        dropped = 0
        for name in self._names():
            copies = self._read_pack(name)
            kept = {content: copy for content, copy in copies.items() if copy[0] != note_id}
            if len(kept) == len(copies):
                continue
            if kept:
                data = msgspec.json.encode(_PackShape(version=STATE_VERSION, copies=kept))
                write_file(self._files, self._folder / name, data)
            else:
                remove_files(self._files, [(self._folder / name, Anything())])
            dropped += len(copies) - len(kept)
        return dropped

    def are_many(self) -> bool:
        """Whether there are so many packs that it is time to tidy.

        Raises: StorageFailed.
        """
        return len(self._names()) > MOST_PACKS

    def tidy(self, used: Collection[str]) -> None:
        """Joins packs and lets unused copies go, if there are many packs.

        Raises: StorageFailed; every used copy is then still there.
        """
        names = self._names()
        if len(names) <= MOST_PACKS:
            return
        for group in self._groups(names, set(used)):
            self.save_texts(group.copies)
            removals = [(self._folder / name, Anything()) for name in group.names]
            remove_files(self._files, removals)

    def _groups(self, names: list[str], used: set[str]) -> Iterator["_Group"]:
        group = _Group()
        for name in names:
            copies = self._read_pack(name)
            live = {content: copy for content, copy in copies.items() if content in used}
            size = _size(live)
            if size > PACK_BYTES // 2 and 2 * len(live) > len(copies):
                continue  # large and mostly in use
            if group.names and group.size + size > PACK_BYTES:
                yield group
                group = _Group()
            group.add(name, live, size)
        if group.names:
            yield group

    def _write_pack(self, copies: Mapping[str, tuple[str, str]]) -> Path:
        ensure_directory(self._files, self._folder, PRIVATE_DIRECTORY)
        names = self._names()
        number = int(names[-1].removesuffix(_SUFFIX)) + 1 if names else 1
        data = msgspec.json.encode(_PackShape(version=STATE_VERSION, copies=dict(copies)))
        while not write_in_place(self._files, path := self._folder / f"{number:010}{_SUFFIX}", data):
            number += 1
        return path

    def _read_pack(self, name: str) -> dict[str, tuple[str, str]]:
        path = self._folder / name
        with storage_errors(path):
            data = self._files.read(path)
        try:
            shape = msgspec.json.decode(data, type=_PackShape)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return {}
        return shape.copies if shape.version == STATE_VERSION else {}

    def _names(self) -> list[str]:
        """The packs, oldest first."""
        with storage_errors(self._folder):
            try:
                names = self._files.list_names(self._folder)
            except FileNotFoundError:
                return []
        return sorted(name for name in names if name.endswith(_SUFFIX) and name[: -len(_SUFFIX)].isdigit())


class _Group:
    """Packs that become one."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.copies: dict[str, tuple[str, str]] = {}
        self.size = 0

    def add(self, name: str, copies: Mapping[str, tuple[str, str]], size: int) -> None:
        self.names.append(name)
        self.copies |= copies
        self.size += size


def _parts(texts: Mapping[str, tuple[str, str]]) -> Iterator[dict[str, tuple[str, str]]]:
    part: dict[str, tuple[str, str]] = {}
    size = 0
    for content, (note_id, text) in texts.items():
        if part and size + len(text) > PACK_BYTES:
            yield part
            part, size = {}, 0
        part[content] = (note_id, text)
        size += len(text)
    if part:
        yield part


def _size(copies: Mapping[str, tuple[str, str]]) -> int:
    texts: Iterable[tuple[str, str]] = copies.values()
    return sum(len(text) for _, text in texts)
