"""memory-tidy/unfinished/: a merge that is being written to one notes directory, so that the next run can finish it.

It is written after the backups and before the first note, and removed after the last one.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oharness.disk.atomic import ensure_directory, storage_errors
from oharness.disk.filesystem import PRIVATE_DIRECTORY, FileSystem
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile, read_object, write_object
from oharness.notes.batch import NoteBatch, PlannedDelete, PlannedWrite
from oharness.notes.frontmatter import note_file_name, note_text, parse_note
from oharness.notes.note import Note
from oharness.notes.problems import NotANote

VERSION = 1


class MergeJournal:
    """The journal of one notes directory. Whoever writes it holds the directory's lock."""

    def __init__(self, files: FileSystem, home: Home, directory: Path) -> None:
        self._files = files
        name = hashlib.sha256(os.fsencode(directory)).hexdigest()
        self._path = home.tidying / "unfinished" / f"{name}.json"

    def begin(self, batch: NoteBatch) -> None:
        """Keeps a merge, whose first write is the kept note; it then has to be finished.

        Raises: StorageFailed.
        """
        ensure_directory(self._files, self._path.parent, PRIVATE_DIRECTORY)
        write_object(self._files, self._path, _content(batch))

    def unfinished(self) -> NoteBatch | None:
        """The merge that was interrupted; None when there is none, or the file says nothing that can be used.

        Raises: StorageFailed.
        """
        try:
            content = read_object(self._files, self._path)
        except BrokenFile:
            return None
        return _batch(content) if content is not None else None

    def end(self) -> None:
        """Forgets the merge, which is finished; may be repeated.

        Raises: StorageFailed.
        """
        with storage_errors(self._path):
            try:
                self._files.remove(self._path)
            except FileNotFoundError:
                return


def _content(batch: NoteBatch) -> dict[str, Any]:
    writes = [{"id": one.note.id, "from": one.planned_from, "note": note_text(one.note)} for one in batch.writes]
    deletes = [{"id": one.note_id, "from": one.planned_from} for one in batch.deletes]
    return {"version": VERSION, "writes": writes, "deletes": deletes}


def _batch(content: Mapping[str, Any]) -> NoteBatch | None:
    try:
        writes = tuple(PlannedWrite(_note(raw), str(raw["from"])) for raw in _listed(content.get("writes")))
        deletes = tuple(PlannedDelete(str(raw["id"]), str(raw["from"])) for raw in _listed(content.get("deletes")))
        return NoteBatch(writes, deletes)
    except (KeyError, ValueError, NotANote):
        return None


def _note(raw: Mapping[str, Any]) -> Note:
    return parse_note(str(raw["note"]).encode(), note_file_name(str(raw["id"])))


def _listed(raw: Any) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in raw if isinstance(one, dict)) if isinstance(raw, list) else ()
