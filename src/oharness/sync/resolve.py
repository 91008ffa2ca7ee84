"""A person's answer to one conflict, carried out on this machine; the next pass sends what is left to send.

Blocking. The order is backups, copies, files, baseline, and the conflict last, so that an answer cut short is a
conflict still, with nothing lost.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from oharness.core.errors import NotFound, Refused
from oharness.disk.atomic import Absent, Expected
from oharness.disk.backups import BackupReason, SetAside
from oharness.disk.note_dir import NoteFile, NoteWrite
from oharness.notes.frontmatter import note_file_name, note_text, parse_note
from oharness.notes.hashing import content_hash, normalise_body
from oharness.notes.ids import new_note_id, taken_in_any_case
from oharness.notes.limits import check_body_size
from oharness.notes.note import Note
from oharness.reconcile.baseline import Baseline, agree, forget, with_entries
from oharness.reconcile.conflict import (
    Answer,
    Conflict,
    KeepBoth,
    KeepMine,
    MergeByHand,
    Resolution,
    TakeCloud,
    resolve,
)
from oharness.sync.directory import Directory

_LOCK_WAIT_SECONDS = 20.0


@dataclass(eq=False)
class NoSuchConflict(NotFound):
    """No conflict is open about this note."""

    note_id: str


@dataclass(eq=False)
class ConflictMoved(Refused):
    """The note here is another one than the answer was made from; look at the conflict again after a pass."""

    note_id: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """The answer is carried out here. `beside` is the new note's id when both were kept."""

    id: str
    beside: str | None
    backups: tuple[str, ...]


def keep_mine(directory: Directory, note_id: str) -> Resolved:
    """This machine's version stays, as its file is now.

    Raises: NoSuchConflict, ConflictMoved, SyncBusy, BackupFailed, StorageFailed, FolderBusy, BrokenFile.
    """
    with _conflict_as_it_is(directory, note_id) as (conflict, file):
        return _carry_out(directory, conflict, file, KeepMine())


def take_cloud(directory: Directory, note_id: str) -> Resolved:
    """The cloud's version replaces this machine's; where the cloud has none any more, the note goes.

    Raises: as `keep_mine`.
    """
    with _conflict_as_it_is(directory, note_id) as (conflict, file):
        return _carry_out(directory, conflict, file, TakeCloud())


def keep_both(directory: Directory, note_id: str) -> Resolved:
    """This machine's version stays under its id, and the cloud's becomes a new note beside it.

    Raises: as `keep_mine`; NoFreeId.
    """
    with _conflict_as_it_is(directory, note_id) as (conflict, file):
        summary = conflict.cloud.note.summary if conflict.cloud else conflict.mine.summary
        taken = taken_in_any_case(_ids_in_use(directory))
        fresh = new_note_id(summary, conflict.mine.type, directory.randomness, taken)
        new_id = _begun_before(directory, conflict) or fresh
        return _carry_out(directory, conflict, file, KeepBoth(new_id))


def merge_by_hand(directory: Directory, note_id: str, data: bytes) -> Resolved:
    """A text that somebody wrote takes the place of both: a whole note file, or a body alone.

    Raises: as `keep_mine`; NotANote for broken frontmatter or another note's, NoteTooLarge.
    """
    with _conflict(directory, note_id) as (conflict, file):
        note = _written_by_hand(directory, conflict.mine, data)
        if file.note != conflict.mine and content_hash(file.note) != content_hash(note):
            raise ConflictMoved(note_id)  # unless this very answer was cut short after it was written
        return _carry_out(directory, conflict, file, MergeByHand(note))


@contextmanager
def _conflict(directory: Directory, note_id: str) -> Iterator[tuple[Conflict, NoteFile]]:
    """The open conflict and the note's file, while no pass is running."""
    lock = directory.state.lock(_LOCK_WAIT_SECONDS)
    try:
        conflict = directory.state.conflicts().get(note_id)
        if conflict is None:
            raise NoSuchConflict(note_id)
        file = directory.folder.read_id(note_id)
        if not isinstance(file, NoteFile):
            raise ConflictMoved(note_id)
        yield conflict, file
    finally:
        lock.release()


@contextmanager
def _conflict_as_it_is(directory: Directory, note_id: str) -> Iterator[tuple[Conflict, NoteFile]]:
    """The same, with this machine's version as its file is now: that is the one that is kept or set aside."""
    with _conflict(directory, note_id) as (conflict, file):
        yield replace(conflict, mine=file.note), file


def _carry_out(directory: Directory, conflict: Conflict, file: NoteFile, answer: Answer) -> Resolved:
    outcome = resolve(conflict, answer)
    backups = directory.backups.save_many([_backup(directory, note, file) for note in outcome.set_aside])
    directory.marks.record(_hashes(conflict, outcome))
    if outcome.base_copy:
        directory.state.copies.save({content_hash(outcome.base_copy): outcome.base_copy})
    _change_files(directory, conflict.id, outcome, file)
    baseline = directory.state.baseline()
    if baseline is not None:
        directory.state.save_baseline(_answered(baseline, conflict.id, outcome))
    directory.state.close_conflicts([conflict.id])
    beside = answer.new_id if isinstance(answer, KeepBoth) and conflict.cloud else None
    return Resolved(conflict.id, beside, tuple(backups))


def _backup(directory: Directory, note: Note, file: NoteFile) -> SetAside:
    data = file.data if note == file.note else note_text(note).encode()
    return SetAside(directory.scope, directory.folder.path, note.id, data, BackupReason.CONFLICT)


def _hashes(conflict: Conflict, outcome: Resolution) -> dict[str, str]:
    notes = {note.id: note for note in (conflict.mine, *outcome.writes)}
    return {note_id: content_hash(notes[note_id]) for note_id in outcome.made_on_purpose}


def _change_files(directory: Directory, note_id: str, outcome: Resolution, file: NoteFile) -> None:
    if outcome.removes_mine:
        directory.folder.delete(note_id, file.expected)
    writes = [
        NoteWrite(note, file.expected if note.id == note_id else _same_or_absent(directory, note))
        for note in outcome.writes
    ]
    if writes and directory.folder.write_many(writes):
        raise ConflictMoved(note_id)


def _begun_before(directory: Directory, conflict: Conflict) -> str | None:
    """The id that the cloud's version got from the same answer, cut short after its mark was recorded."""
    if conflict.cloud is None:
        return None
    theirs = conflict.cloud.note
    marks = directory.marks.all().items()
    return next((i for i, known in marks if i != theirs.id and known == content_hash(replace(theirs, id=i))), None)


def _same_or_absent(directory: Directory, note: Note) -> Expected:
    """A new note is written where nothing is, or where it stands already."""
    there = directory.folder.read_id(note.id)
    is_same = isinstance(there, NoteFile) and content_hash(there.note) == content_hash(note)
    return there.expected if is_same and there is not None else Absent()


def _answered(baseline: Baseline, note_id: str, outcome: Resolution) -> Baseline:
    entry = baseline.entry(note_id)
    entry = agree(entry, outcome.derived_from) if outcome.derived_from else forget(entry)
    return with_entries(baseline, {note_id: entry})


def _ids_in_use(directory: Directory) -> list[str]:
    baseline = directory.state.baseline()
    here = [name.rpartition(".")[0] for name in directory.folder.names()]
    return [*here, *(baseline.entries if baseline else ())]


def _written_by_hand(directory: Directory, mine: Note, data: bytes) -> Note:
    body = _body_alone(data)
    note = parse_note(data, note_file_name(mine.id)) if body is None else replace(mine, body=body)
    check_body_size(note.id, note.body, directory.folder.max_note_bytes)
    return replace(note, created_at=mine.created_at, updated_at=directory.clock.now_ms())


def _body_alone(data: bytes) -> str | None:
    """The body in a text without frontmatter; None for what only `parse_note` can judge."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if not text.strip() or text.lstrip().startswith("---") else normalise_body(text)
