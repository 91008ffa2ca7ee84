"""What conversations carry of a note: transcripts, audit log, chat history, and what waits for the extractor."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from oharness.core.jsontext import one_line_json
from oharness.disk.extraction_jobs import ExtractionJobs, Job, Saved, Saving, Waiting
from oharness.disk.filesystem import FileSystem
from oharness.disk.lines_rewritten import Change, changed_lines, files_below, rewrite_lines
from oharness.disk.session_log import SessionInUse, SessionLock
from oharness.extract.traces import Sought, calls_about, cleaned, cleaned_record, parsed
from oharness.memory.scopes import Memory
from oharness.memory.trace_places import Store, Taken, Where, Why


def conversation_stores(memory: Memory) -> list[Store]:
    """Where conversations may carry it: these go first, while the versions tell what to look for."""
    files, home = memory.around.files, memory.around.home
    return [
        LinesStore(files, home.sessions, Where.TRANSCRIPTS, _transcript_change, has_sessions=True),
        LinesStore(files, home.audit, Where.AUDIT_LOG, _json_change),
        LinesStore(files, home.root / "chat-history", Where.CHAT_HISTORY, _plain_change),
        JobStore(memory),
    ]


@dataclass(frozen=True, slots=True)
class LinesStore:
    """Files of lines below a folder, or one file."""

    files: FileSystem
    place: Path
    where: Where
    change: Callable[[Sought], Change]
    has_sessions: bool = False

    def count(self, sought: Sought) -> int:
        return sum(changed_lines(self.files, path, self.change(sought)) for path in self._paths())

    def take_out(self, sought: Sought) -> Taken:
        taken, stays = 0, None
        for path in self._paths():
            if not changed_lines(self.files, path, self.change(sought)):
                continue
            try:
                with self._kept_to_us(path):
                    taken += rewrite_lines(self.files, path, self.change(sought))
            except SessionInUse:
                stays = Why.IN_USE
        return Taken(taken, stays)

    def _paths(self) -> list[Path]:
        if self.place.is_file():
            return [self.place]
        return list(files_below(self.place, ".jsonl")) if self.place.is_dir() else []

    @contextlib.contextmanager
    def _kept_to_us(self, path: Path) -> Iterator[None]:
        if not self.has_sessions:
            yield
            return
        is_subagents = len(path.relative_to(self.place).parts) > 2
        folder = path.parent.parent if is_subagents else path.parent
        lock = SessionLock(folder, path.parent.name if is_subagents else path.stem)
        try:
            yield
        finally:
            lock.release()


@dataclass(frozen=True, slots=True)
class JobStore:
    """Conversations that wait for the extractor, and what it has not announced yet."""

    memory: Memory
    where: Where = Where.EXTRACTION

    def count(self, sought: Sought) -> int:
        return sum(_without(job, sought) != job for _, job in self._jobs())

    def take_out(self, sought: Sought) -> Taken:
        taken = 0
        for jobs, job in self._jobs():
            left = _without(job, sought)
            if left == job:
                continue
            lock = jobs.claim(job.name)
            if lock is None:
                return Taken(taken, Why.IN_USE)
            try:
                jobs.keep(left) if _holds_anything(left) else jobs.remove(job.name)
            finally:
                jobs.unclaim(job.name, lock)
            taken += 1
        return Taken(taken)

    def _jobs(self) -> Iterator[tuple[ExtractionJobs, Job]]:
        around = self.memory.around
        for jobs in ExtractionJobs.all_folders(around.files, around.home, around.clock, around.randomness):
            for job in jobs.all():
                yield jobs, job


def _transcript_change(sought: Sought) -> Change:
    def change(lines: list[str]) -> list[str]:
        values = [parsed(line) if line else None for line in lines]
        calls = calls_about(values, sought.note_id)
        cleaned_values = (cleaned_record(value, sought, calls) for value in values)
        return [
            _json_line(line, value, after, sought)
            for line, value, after in zip(lines, values, cleaned_values, strict=True)
        ]

    return change


def _json_change(sought: Sought) -> Change:
    def change(lines: list[str]) -> list[str]:
        values = [parsed(line) if line else None for line in lines]
        return [
            _json_line(line, value, cleaned(value, sought), sought) for line, value in zip(lines, values, strict=True)
        ]

    return change


def _plain_change(sought: Sought) -> Change:
    return lambda lines: [sought.without(line) for line in lines]


def _json_line(line: str, before: object, after: object, sought: Sought) -> str:
    """The line as it was unless something was taken out; one that cannot be read is treated as plain text."""
    if not isinstance(before, dict | list):
        return sought.without(line)
    if before == after:
        return line
    written = one_line_json(after) if isinstance(after, dict) else line
    return written.encode("utf-8", "backslashreplace").decode()


def _without(job: Job, sought: Sought) -> Job:
    match job.step:
        case Waiting(turns=turns):
            clean = tuple(replace(turn, text=sought.without(turn.text)) for turn in turns)
            return replace(job, step=replace(job.step, turns=clean))
        case Saving(notes=notes):
            kept = tuple(one for one in notes if one.note_id != sought.note_id and not sought.holds_its_words(one.text))
            return replace(job, step=Saving(kept))
        case Saved(notes=written):
            return replace(job, step=Saved(tuple(one for one in written if one.note_id != sought.note_id)))


def _holds_anything(job: Job) -> bool:
    return bool(job.step.turns if isinstance(job.step, Waiting) else job.step.notes)
