"""What a directory held when this process last looked, so that looking again at the same costs next to nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from oharness.disk.note_dir import UNSETTLED, NoteFile, Scan
from oharness.disk.sync_shapes import KnownFile
from oharness.reconcile.guards import FolderState
from oharness.reconcile.plan import FileSide

NOTHING_AT_HAND: Mapping[str, NoteFile] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FolderLook:
    """All files by note id, and how each looked; `opened` counts those that had to be read.

    `at_hand` are notes as they were read for it, by id, as far as they fit into memory: nobody reads them again.
    """

    state: FolderState
    files: Mapping[str, FileSide]
    known: dict[str, KnownFile]
    opened: int
    at_hand: Mapping[str, NoteFile] = field(default_factory=lambda: NOTHING_AT_HAND)


class LastLook:
    """The last look of this process at a directory, so that one that finds it as it was costs next to nothing."""

    def __init__(self) -> None:
        self._found: tuple[Scan, Mapping[str, str], FolderLook] | None = None

    def of(self, scan: Scan, marks: Mapping[str, str]) -> FolderLook | None:
        """The same look again, when every file looks as it did and had settled then."""
        if self._found is None or self._found[0] != scan or self._found[1] != marks:
            return None
        return replace(self._found[2], opened=0)

    def keep(self, scan: Scan, marks: Mapping[str, str], look: FolderLook) -> None:
        """Remembers a look; one at files that were written just now is not worth it."""
        settled = all(known.stamp.inode != UNSETTLED for known in look.known.values())
        self._found = (scan, marks, replace(look, at_hand=NOTHING_AT_HAND)) if settled else None
