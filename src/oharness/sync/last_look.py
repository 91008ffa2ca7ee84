"""What a directory held when this process last looked, so that looking again at the same costs next to nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from oharness.disk.note_dir import UNSETTLED, NoteFile, Scan
from oharness.disk.sync_shapes import KnownFile
from oharness.reconcile.baseline import Entry
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


NO_LOOK = FolderLook(FolderState.UNREADABLE, {}, {}, 0)


class LastLook:
    """The last look of this process at a directory, so that a look at what has not changed costs next to nothing."""

    def __init__(self) -> None:
        self._scan: Scan | None = None
        self._marks: Mapping[str, str] = {}
        self._look = NO_LOOK
        self._in_step: tuple[Mapping[str, FileSide], Mapping[str, Entry]] | None = None

    @property
    def marks(self) -> Mapping[str, str]:
        """The marks of purpose that the last look knew of."""
        return self._marks

    def of(self, scan: Scan, marks: Mapping[str, str]) -> FolderLook | None:
        """The same look again, when every file looks as it did and had settled then."""
        if self._scan is None or self._scan != scan or self._marks != marks:
            return None
        return replace(self._look, opened=0)

    def under(self, marks: Mapping[str, str]) -> FolderLook:
        """The last look, whatever has changed since; an empty one if it was under other marks."""
        return self._look if self._marks == marks else NO_LOOK

    def is_in_step(self, files: Mapping[str, FileSide], entries: Mapping[str, Entry]) -> bool:
        """Whether a plan from these very objects, which are never changed in place, found nothing to decide."""
        return self._in_step is not None and self._in_step[0] is files and self._in_step[1] is entries

    def keep_in_step(self, files: Mapping[str, FileSide], entries: Mapping[str, Entry]) -> None:
        """Remembers that a plan from these found nothing to decide."""
        self._in_step = files, entries

    def keep(self, scan: Scan, marks: Mapping[str, str], look: FolderLook) -> None:
        """Remembers a look; files that were written just now are looked at again."""
        settled = all(known.stamp.inode != UNSETTLED for known in look.known.values())
        self._scan = scan if settled else None
        self._marks = marks
        self._look = replace(look, at_hand=NOTHING_AT_HAND)
