"""Carries out planned work on disk, a batch at a time: backups, copies, files, conflicts, baseline, in that order.

Blocking; runs in a thread. One flush for the files of a batch, copies among them where they share a file system, and
the baseline after it. A file that is no longer what the plan saw is left alone, and so is everything else about its
note: the next look decides anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from oharness.disk.atomic import Absent, Expected, Holding
from oharness.disk.backups import SetAside as BackupOf
from oharness.disk.filesystem import Meanwhile
from oharness.disk.note_dir import DamagedFile, NoteDelete, NoteFile, NoteWrite
from oharness.notes.frontmatter import note_text
from oharness.notes.hashing import content_hash
from oharness.notes.ids import IdCaseCollision
from oharness.notes.problems import ProblemReason
from oharness.reconcile.baseline import AgreedOn, Baseline, with_entries
from oharness.reconcile.decide import (
    Damaged,
    DeletedHere,
    Here,
    HoldReason,
    LocalSide,
    NotHere,
    NotLoaded,
    Unreadable,
)
from oharness.reconcile.work import NoteWork, RemoveFile, SetAside, WriteFile
from oharness.sync.directory import Directory


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a batch. `held` are notes that were left alone, and why; `backups` are names, in order."""

    baseline: Baseline
    done: tuple[NoteWork, ...]
    backups: tuple[str, ...]
    held: Mapping[str, str] = field(default_factory=dict)


def apply_works(
    directory: Directory, baseline: Baseline, works: Sequence[NoteWork], read: Mapping[str, NoteFile]
) -> Applied:
    """Carries out a batch. `read` are this machine's versions as they were read for it, by note id.

    Raises: BackupFailed, StorageFailed, FolderBusy, DirectoryRedirected, BrokenFile; each note is then as it was
    or as planned, and the baseline does not know of the batch.
    """
    backups = directory.backups.save_many(
        [_backup(directory, aside, read) for work in works for aside in work.set_aside]
    )
    texts = {work.id: note_text(work.copy) for work in works if work.copy}
    packs = directory.state.copies.write({content_hash(w.copy): (w.id, texts[w.id]) for w in works if w.copy})
    planned = {work.id: work.entry for work in works if work.entry}
    held = _write_files(
        directory, works, read, texts, lambda: directory.state.encode_ahead(with_entries(baseline, planned))
    )
    directory.state.copies.make_durable(packs)
    done = tuple(work for work in works if work.id not in held)
    for work in done:
        if work.conflict:
            directory.state.open_conflict(work.conflict)
    entries = {work.id: work.entry for work in done if work.entry}
    # What is agreed on from now on was not made on purpose since; a mark that a crash left would undo a deletion.
    directory.marks.drop([note_id for note_id, entry in entries.items() if isinstance(entry.agreed, AgreedOn)])
    if entries:
        baseline = with_entries(baseline, entries)
        directory.state.save_baseline(baseline)
    directory.intents.drop([work.id for work in done if work.intent_done])
    return Applied(baseline, done, tuple(backups), held)


def _backup(directory: Directory, aside: SetAside, read: Mapping[str, NoteFile]) -> BackupOf:
    """This machine's version byte for byte as its file is, the cloud's as its file would be."""
    file = read.get(aside.note.id)
    mine = file is not None and file.note == aside.note
    data = file.data if file is not None and mine else note_text(aside.note).encode()
    return BackupOf(directory.scope, directory.folder.path, aside.note.id, data, aside.reason)


def _write_files(
    directory: Directory,
    works: Sequence[NoteWork],
    read: Mapping[str, NoteFile],
    copies: Mapping[str, str],
    meanwhile: Meanwhile,
) -> dict[str, str]:
    """Removes, then writes; gives the notes that were left alone. `copies` are texts of copies, by note id."""
    if not any(work.file for work in works):
        return {}
    held: dict[str, str] = {}
    deletes: list[NoteDelete] = []
    writes: list[NoteWrite] = []
    with directory.folder.locked():
        for work in works:
            if work.file is None:
                continue
            expected = _expected(directory, work.id, work.file.over, read)
            match work.file:
                case WriteFile(note) if expected is not None:
                    writes.append(NoteWrite(note, expected, copies[work.id] if note is work.copy else None))
                case RemoveFile() if isinstance(expected, Holding):
                    deletes.append(NoteDelete(work.id, expected))
                case WriteFile() | RemoveFile():
                    held[work.id] = HoldReason.CHANGED
                case _:
                    assert_never(work.file)
        held |= dict.fromkeys(directory.folder.delete_many(deletes) if deletes else [], HoldReason.CHANGED)
        held |= _write_many(directory, writes, meanwhile)
    return held


def _write_many(directory: Directory, writes: list[NoteWrite], meanwhile: Meanwhile) -> dict[str, str]:
    """Writes all that can be written beside what is there; one id that differs in letter case stops no other."""
    held: dict[str, str] = {}
    while writes:
        try:
            return held | dict.fromkeys(directory.folder.write_many(writes, meanwhile), HoldReason.CHANGED)
        except IdCaseCollision as collision:
            held[collision.note_id] = HoldReason.CASE_COLLISION
            writes = [write for write in writes if write.note.id != collision.note_id]
    return held


def _expected(directory: Directory, note_id: str, over: LocalSide, read: Mapping[str, NoteFile]) -> Expected | None:
    """What the file has to be for the step to be right; None when it is known not to be that any more."""
    match over:
        case NotHere() | DeletedHere():
            return Absent()
        case Here():
            return read[note_id].expected if note_id in read else None
        case Damaged():
            found = directory.folder.read_id(note_id)
            damaged = isinstance(found, DamagedFile) and found.reason is ProblemReason.EMPTY
            return found.expected if found is not None and damaged else None
        case Unreadable() | NotLoaded():
            return None
        case _:
            assert_never(over)
