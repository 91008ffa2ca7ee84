"""Extraction from a conversation: kept for later, prepared for the model, checked, saved, announced.

Asking the model is left to the caller, between `prepare` and `save`. A job is on disk from the first moment on: a
process that ends anywhere leaves one that the next goes on with, and no note is written twice. Blocking.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oharness.core.errors import OharnessError, StorageFailed
from oharness.core.scopes import USER_SCOPE
from oharness.disk.atomic import Absent
from oharness.disk.backups import BackupFailed, BackupReason, SetAside
from oharness.disk.extraction_jobs import ExtractionJobs, Job, NoteToSave, Saved, Saving, Waiting, WrittenNote
from oharness.disk.filesystem import HeldLock
from oharness.disk.folder_lock import FolderBusy
from oharness.disk.note_dir import NoteFile
from oharness.extract.announce import SavedNote
from oharness.extract.candidates import View, WholeNote, choose_view, most_related
from oharness.extract.checks import Checked, Rules, check_reply
from oharness.extract.conversation import Turn, in_portions
from oharness.extract.prompt import user_prompt
from oharness.extract.reply import InvalidReply, read_reply
from oharness.memory.credential_gate import first_credential, head_is_clean
from oharness.memory.forgotten import forgotten_here
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService
from oharness.memory.sources import searched
from oharness.notes.credentials import redact
from oharness.notes.frontmatter import note_file_name, note_text, parse_note
from oharness.notes.hashing import content_hash
from oharness.notes.ids import taken_in_any_case
from oharness.notes.note import Note
from oharness.recall.score import Candidate

MOST_ATTEMPTS = 3
LONGEST_WAIT_MS = 7 * 24 * 3600 * 1000
PORTION_CHARS = 40_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A job that this process alone works on until it is let go."""

    job: Job
    lock: HeldLock


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the model is asked, and what its answer is checked against."""

    claimed: Claimed
    turns: tuple[Turn, ...]
    view: View
    prompt: str


class Extraction:
    """Extraction for one open memory, which it does not own."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        around = memory.around
        scope = memory.project.scope if memory.project else USER_SCOPE
        self._directory = str(memory.project.folder.path) if memory.project else ""
        self._jobs = ExtractionJobs.of_scope(around.files, around.home, scope, around.clock, around.randomness)

    def keep_for_later(self, session: str, turns: Sequence[Turn]) -> None:
        """Keeps a part of a conversation for the extractor, credentials blacked out.

        Raises: StorageFailed.
        """
        clean = [replace(turn, text=redact(turn.text)) for turn in turns]
        for portion in in_portions(clean, PORTION_CHARS):
            self._jobs.add(session, self._directory, portion)

    def unfinished(self) -> list[str]:
        """The names of the jobs that wait for a model or were interrupted while saving, oldest first.

        Raises: StorageFailed.
        """
        return [job.name for job in self._jobs.all() if not isinstance(job.step, Saved) and self._is_ours(job)]

    def drop_waiting(self) -> None:
        """Lets go of what waits for a model: extraction was switched off since.

        Raises: StorageFailed.
        """
        for job in self._jobs.all():
            if isinstance(job.step, Waiting) and self._is_ours(job):
                self._jobs.remove(job.name)

    def claim(self, name: str) -> Claimed | None:
        """The job, for this process alone; None when it is done or somebody else works on it.

        Raises: StorageFailed.
        """
        lock = self._jobs.claim(name)
        if lock is None:
            return None
        try:
            job = self._jobs.get(name)
        except BaseException:
            lock.release()
            raise
        if job is None or isinstance(job.step, Saved):
            self._jobs.unclaim(name, lock)
            return None
        return Claimed(job, lock)

    def let_go(self, claimed: Claimed) -> None:
        """Somebody else may have it."""
        self._jobs.unclaim(claimed.job.name, claimed.lock)

    def prepare(self, claimed: Claimed) -> Prepared | None:
        """What the model is asked. None when there is nothing to ask: too old, or the answer is there and was saved.

        Raises: StorageFailed; DirectoryRedirected.
        """
        job = claimed.job
        match job.step:
            case Waiting(turns=turns):
                if self._memory.around.clock.now_ms() - job.made_at > LONGEST_WAIT_MS:
                    _log.warning("a conversation waited too long for extraction and is let go")
                    self._jobs.remove(job.name)
                    return None
                self._memory.refresh()
                view = self._view(turns)
                return Prepared(claimed, turns, view, user_prompt(view, turns))
            case Saving():
                self._finish(job, job.step)
                return None
            case Saved():
                return None

    def save(self, prepared: Prepared, answer: str) -> tuple[WrittenNote, ...]:
        """Saves what passes the checks; of an invalid answer nothing. Gives what was written.

        Raises: StorageFailed, BrokenFile; the job then goes on later.
        """
        job = prepared.claimed.job
        reply = read_reply(answer)
        if isinstance(reply, InvalidReply):
            _log.warning("the extractor's answer was not used: %s", reply.reason)
            self._jobs.remove(job.name)
            return ()
        checked = check_reply(reply, prepared.view, prepared.turns, self._rules())
        _log_left_out(checked)
        if not checked.notes:
            self._jobs.remove(job.name)
            return ()
        notes = [NoteToSave(one.scope, one.note.id, note_text(one.note), one.planned_from) for one in checked.notes]
        step = Saving(tuple(notes))
        self._jobs.keep(replace(job, step=step))
        return self._finish(job, step)

    def ask_later(self, claimed: Claimed) -> None:
        """The model could not be asked: the job waits for the next time, but not for ever.

        Raises: StorageFailed.
        """
        job = claimed.job
        if not isinstance(job.step, Waiting):
            return
        attempts = job.step.attempts + 1
        if attempts < MOST_ATTEMPTS:
            self._jobs.keep(replace(job, step=replace(job.step, attempts=attempts)))
            return
        _log.warning("the extractor could not be asked %d times; a conversation is let go", attempts)
        self._jobs.remove(job.name)

    def announce(self, session: str, *, others: bool, but_not: frozenset[str] = frozenset()) -> tuple[SavedNote, ...]:
        """What was saved from this session and not announced yet, or with `others` from sessions not in `but_not`.

        Each is given once. Notes that are gone since are not told of.
        Raises: StorageFailed.
        """
        found: list[SavedNote] = []
        for job in self._jobs.all():
            is_meant = job.session not in (session, *but_not) if others else job.session == session
            if isinstance(job.step, Saved) and is_meant and self._is_ours(job):
                self._jobs.remove(job.name)
                found += self._told(job.step)
        return tuple(found)

    def _told(self, saved: Saved) -> list[SavedNote]:
        told = []
        for one in saved.notes:
            for service in self._memory.services(one.scope):
                found = service.read(one.note_id)
                if isinstance(found, NoteFile):
                    told.append(SavedNote(one.scope, one.note_id, found.note.summary, one.created))
        return told

    def _is_ours(self, job: Job) -> bool:
        """Whether the job was made in this folder, or in one that is gone: this one may be it under a new name."""
        return job.directory == self._directory or not self._memory.around.files.exists(Path(job.directory))

    def _view(self, turns: Sequence[Turn]) -> View:
        ranked = searched(self._memory, lambda sources: most_related(turns, sources))
        return choose_view(ranked, self._shown, lambda one: head_is_clean(one.entry))

    def _shown(self, one: Candidate) -> WholeNote | None:
        found = self._memory.service(one.scope).read(one.entry.id)
        if not isinstance(found, NoteFile) or first_credential(found.note):
            return None
        return WholeNote(one.scope, found.note, content_hash(found.note))

    def _rules(self) -> Rules:
        memory = self._memory
        ids = [note_id for service in memory.services() for note_id in service.ids()]
        return Rules(
            max_note_bytes=memory.settings.max_note_bytes,
            open_scopes=frozenset(service.kind for service in memory.services()),
            was_forgotten=forgotten_here(memory),
            is_taken=taken_in_any_case(ids),
            randomness=memory.around.randomness,
            now=memory.around.clock.now_ms(),
        )

    def _finish(self, job: Job, step: Saving) -> tuple[WrittenNote, ...]:
        """Writes the notes, those that a process before wrote already left as they are, and keeps what to announce."""
        was_forgotten = forgotten_here(self._memory)
        written = tuple(one for note in step.notes if (one := self._written(note, was_forgotten)) is not None)
        if written:
            self._jobs.keep(replace(job, step=Saved(written)))
        else:
            self._jobs.remove(job.name)
        return written

    def _written(self, planned: NoteToSave, was_forgotten: Callable[[Note], bool]) -> WrittenNote | None:
        try:
            note = parse_note(planned.text.encode(), note_file_name(planned.note_id))
            service = self._memory.service(planned.scope)
            if planned.planned_from is None:
                return None if was_forgotten(note) else self._created(service, note)
            return self._updated(service, note, planned.planned_from)
        except (StorageFailed, FolderBusy, BackupFailed):
            raise  # the note is not lost: the job goes on when there is room again
        except OharnessError as error:
            _log.warning("a note from extraction was not saved: %s", type(error).__name__)
            return None

    def _created(self, service: MemoryService, note: Note) -> WrittenNote:
        with service.changing():
            if service.read(note.id) is None:
                service.write(note, Absent())
        return WrittenNote(service.kind, note.id, created=True)

    def _updated(self, service: MemoryService, note: Note, planned_from: str) -> WrittenNote | None:
        """Only the version that the model saw is replaced, and it is backed up first."""
        with service.changing():
            found = service.read(note.id)
            if not isinstance(found, NoteFile):
                return None
            present = content_hash(found.note)
            if present == planned_from:
                version = SetAside(service.scope, service.folder.path, note.id, found.data, BackupReason.EXTRACTION)
                self._memory.backups.save(version)
                service.write(note, found.expected)
            elif present != content_hash(note):
                _log.info("a note changed while the extractor was asked; its update is dropped")
                return None
        return WrittenNote(service.kind, note.id, created=False)


def _log_left_out(checked: Checked) -> None:
    for reason in dict.fromkeys(checked.left_out):
        _log.info("left out of the extractor's answer: %s (%d)", reason, checked.left_out.count(reason))
