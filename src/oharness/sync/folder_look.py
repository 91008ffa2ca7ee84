"""What a notes directory holds, as the planner needs it: a look at all files, opening only those that changed."""

from collections.abc import Mapping

from oharness.core.errors import StorageFailed
from oharness.disk.git import checkout_around
from oharness.disk.git_head import head_commit
from oharness.disk.note_dir import DamagedFile, NoteDir, NoteFile, Scan
from oharness.disk.sync_shapes import Guard, KnownFile
from oharness.notes.frontmatter import FILE_SUFFIX
from oharness.notes.hashing import content_hash
from oharness.notes.limits import LoadChoice, choose_loaded
from oharness.notes.problems import ProblemReason
from oharness.reconcile.decide import DAMAGED, NOT_LOADED, UNREADABLE, Here
from oharness.reconcile.guards import FolderNow, FolderState
from oharness.reconcile.plan import FileSide
from oharness.sync.directory import Directory
from oharness.sync.last_look import FolderLook, LastLook

_BYTES_AT_HAND = 64 * 1024 * 1024


def look_at_folder(
    folder: NoteDir, last: LastLook, known: Mapping[str, KnownFile], marks: Mapping[str, str], max_notes: int
) -> FolderLook:
    """The directory now. A directory that cannot be listed holds nothing as far as anybody knows.

    Raises: DirectoryRedirected.
    """
    try:
        scan = folder.scan()
    except StorageFailed:
        return FolderLook(FolderState.UNREADABLE, {}, dict(known), 0)
    if not scan.exists:
        return FolderLook(FolderState.GONE, {}, {}, 0)
    look = last.of(scan, marks)
    if look is None:
        look = _looked_through(folder, scan, last.under(marks), known, marks, max_notes)
        last.keep(scan, marks, look)
    return look


def _looked_through(
    folder: NoteDir,
    scan: Scan,
    last: FolderLook,
    known: Mapping[str, KnownFile],
    marks: Mapping[str, str],
    max_notes: int,
) -> FolderLook:
    choice = choose_loaded(scan.files, max_notes) if len(scan.files) > max_notes else LoadChoice(scan.files, ())
    files: dict[str, FileSide] = {}
    seen: dict[str, KnownFile] = {}
    opened = _Opened(folder)
    for stamp in choice.loaded:
        found = known.get(stamp.name)
        if found is None or found.stamp != stamp:
            found = opened.read(stamp.name)
        if found is not None:
            seen[stamp.name] = found
            note_id = _note_id(stamp.name)
            as_it_was = last.known.get(stamp.name) is found
            files[note_id] = last.files[note_id] if as_it_was else _side(found, marks)
    folder.make_durable(opened.notes)
    for stamp in choice.left_out:
        files[_note_id(stamp.name)] = NOT_LOADED
    for problem in scan.problems:
        side = DAMAGED if problem.reason == ProblemReason.EMPTY else UNREADABLE
        files.setdefault(_note_id(problem.stamp.name), side)
    return FolderLook(FolderState.THERE, files, seen, opened.count, opened.at_hand)


class _Opened:
    """The files that a look had to read; what they hold stays at hand as far as memory goes."""

    def __init__(self, folder: NoteDir) -> None:
        self.count = 0
        self.notes: list[str] = []
        self.at_hand: dict[str, NoteFile] = {}
        self._folder = folder
        self._room = _BYTES_AT_HAND

    def read(self, name: str) -> KnownFile | None:
        """How a file looked when it was read just now, and what note it is; None when it is gone."""
        self.count += 1
        match self._folder.read(name):
            case NoteFile(stamp=now, note=note) as file:
                self.notes.append(name)
                self._room -= len(file.data)
                if self._room >= 0:
                    self.at_hand[note.id] = file
                return KnownFile(now, content_hash(note))
            case DamagedFile(stamp=now, reason=reason):
                return KnownFile(now, reason=reason)
            case None:
                return None


def folder_now(directory: Directory, state: FolderState, guard: Guard) -> tuple[FolderNow, Guard]:
    """Where git stands for the directory; git itself is asked only after HEAD has moved since it was last asked."""
    checkout = checkout_around(directory.project_root) if directory.project_root else None
    head = head_commit(checkout.root) if checkout else None
    if checkout is None or head is None:
        return FolderNow(state), _looked(guard, None, tracks=False)
    if guard.head_looked_at != head:
        guard = _looked(guard, head, tracks=directory.git.tracks(checkout, directory.folder.path))
    return FolderNow(state, head, guard.head_tracks), guard


def _looked(guard: Guard, head: str | None, *, tracks: bool) -> Guard:
    return Guard(guard.history, guard.paused, guard.confirmed, head, tracks)


def _side(known: KnownFile, marks: Mapping[str, str]) -> FileSide:
    if known.reason is None:
        return Here(known.hash, marks.get(_note_id(known.stamp.name)) == known.hash)
    return DAMAGED if known.reason is ProblemReason.EMPTY else UNREADABLE


def _note_id(name: str) -> str:
    return name[: -len(FILE_SUFFIX)]
