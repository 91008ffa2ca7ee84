"""Sessions: start one, resume one, list them. A session is its transcript; what the model is sent is derived from it.

Functions here block for the time of a file operation; the methods of `Session` are for the event loop.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oharness.core.clock import Clock, Millis
from oharness.core.errors import NotFound, OharnessError, StorageFailed, WrongUsage
from oharness.core.randomness import Randomness
from oharness.disk.session_log import (
    SUFFIX,
    Record,
    SessionLock,
    SessionLog,
    Transcript,
    decoded,
    raw_transcript,
    read_transcript,
    transcript_paths,
)
from oharness.harness.messages import Message, Role, own_text
from oharness.harness.pairing import paired
from oharness.harness.to_the_end import to_the_end
from oharness.harness.transcript_json import Entry, Shortened, after_shortening, entry_of, live_messages, record_of

LATEST = "latest"
TITLE_CHARS = 60
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(eq=False)
class NoSuchSession(NotFound):
    """No session of this project has an id that begins with `name`."""

    name: str


@dataclass(eq=False)
class AmbiguousSession(WrongUsage):
    """The ids of several sessions, `matches`, begin with `name`."""

    name: str
    matches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One line of a list of sessions. `message_count` counts the user's messages and the model's answers."""

    session_id: str
    title: str
    started_at: Millis
    last_at: Millis
    message_count: int


@dataclass(frozen=True, slots=True)
class SessionList:
    """Sessions, last used first, and the files among them that could not be read."""

    sessions: tuple[SessionSummary, ...]
    unreadable: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A whole session as it lies on disk: every message, those that compaction dropped included.

    `damaged` counts lines that could not be read.
    """

    session_id: str
    title: str
    started_at: Millis
    entries: tuple[Entry, ...]
    damaged: int = 0


class Session:
    """A conversation that goes on. `live` is what the model would be sent; everything stored outlives the process.

    Without a log (see `unsaved_session`) it lives in memory only. While its file cannot be written `not_kept` says why;
    what was said then is written, in order, by the next append that gets through, or by closing.
    """

    def __init__(
        self,
        session_id: str,
        log: SessionLog | None,
        lock: SessionLock | None = None,
        entries: Sequence[Entry] = (),
        damaged: int = 0,
        folder: Path | None = None,
    ) -> None:
        self.session_id = session_id
        self.damaged = damaged
        self.not_kept: StorageFailed | None = None
        self._unwritten: tuple[Record, ...] = ()
        self._log = log
        self._lock = lock
        self._folder = folder
        self._live = live_messages(entries)
        self._title = title_of(entry for entry in entries if isinstance(entry, Message))

    @property
    def live(self) -> tuple[Message, ...]:
        """What the model would be sent; every call in it has its result."""
        return paired(self._live)

    @property
    def title(self) -> str:
        """From the user's own words; empty before the first message."""
        return self._title

    async def store(self, message: Message) -> None:
        """Adds a message to the file, then to `live`; done whole even when cancelled meanwhile."""
        await to_the_end(self._append(message, (*self._live, message)))
        self._title = self._title or title_of((message,))

    async def shorten(self, shortened: Shortened) -> None:
        """Puts a summary in the place of the oldest messages of `live`; the file keeps them."""
        await to_the_end(self._append(shortened, after_shortening(self._live, shortened)))

    def child(self, name: str, at: Millis) -> "Session":
        """A session for a subagent, kept in a folder beside this one's file and in no list."""
        if self._folder is None:
            return Session(f"{self.session_id}/{name}", None)
        path = self._folder / self.session_id / f"{name}{SUFFIX}"
        log = SessionLog(path, {"id": name, "parent": self.session_id, "startedAt": at})
        return Session(f"{self.session_id}/{name}", log)

    def close(self) -> None:
        """Lets others have the session."""
        if self._log is not None:
            if self._unwritten:
                self._write(self._log)
            self._log.close()
        if self._lock is not None:
            self._lock.release()

    async def _append(self, entry: Entry, live: tuple[Message, ...]) -> None:
        if self._log is not None:
            self._unwritten += (record_of(entry),)
            await asyncio.to_thread(self._write, self._log)
        self._live = live

    def _write(self, log: SessionLog) -> None:
        """A full disk costs nobody the answer they wait for: what it does not take is kept here."""
        try:
            log.append(*self._unwritten)
        except StorageFailed as error:
            self.not_kept = error
        else:
            self._unwritten, self.not_kept = (), None


def start_session(folder: Path, project_id: str, clock: Clock, randomness: Randomness) -> Session:
    """A new session in a project's folder of sessions; its file appears with the first message.

    Raises: StorageFailed.
    """
    session_id = randomness.text(_ALPHABET, 10)
    header = {"id": session_id, "projectId": project_id, "startedAt": clock.now_ms()}
    lock = SessionLock(folder, session_id)
    return Session(session_id, SessionLog(folder / f"{session_id}{SUFFIX}", header), lock, folder=folder)


def resume_session(folder: Path, name: str) -> Session:
    """The session of that id, unique beginning of an id, or `latest`, to go on with.

    Raises: NoSuchSession, AmbiguousSession, SessionInUse, TranscriptUnreadable, StorageFailed.
    """
    path = _path_of(folder, name)
    lock = SessionLock(folder, path.stem)
    try:
        transcript = read_transcript(path)
    except OharnessError:
        lock.release()
        raise
    entries, damaged = _entries(transcript)
    log = SessionLog(path, transcript.header)
    return Session(path.stem, log, lock, entries, damaged, folder)


def unsaved_session(session_id: str = "unsaved") -> Session:
    """A session in memory only: for embedders, and for a home that cannot be written."""
    return Session(session_id, None)


def read_session(folder: Path, name: str) -> StoredSession:
    """A session to look at, whoever has it open. `name` as in `resume_session`.

    Raises: NoSuchSession, AmbiguousSession, TranscriptUnreadable, StorageFailed.
    """
    path = _path_of(folder, name)
    transcript = read_transcript(path)
    entries, damaged = _entries(transcript)
    title = title_of(entry for entry in entries if isinstance(entry, Message))
    return StoredSession(path.stem, title, _started_at(transcript.header), entries, damaged)


def list_sessions(folder: Path) -> SessionList:
    """The sessions of a project, last used first. One bad file hides no other.

    Raises: StorageFailed where the folder itself cannot be read.
    """
    found: list[SessionSummary] = []
    unreadable: list[Path] = []
    for path in transcript_paths(folder):
        try:
            found.append(_summary(path))
        except OharnessError:
            unreadable.append(path)
    found.sort(key=lambda summary: (-summary.last_at, summary.session_id))
    return SessionList(tuple(found), tuple(sorted(unreadable)))


def title_of(messages: Iterable[Message]) -> str:
    """The beginning of the user's first own words, on one line; empty where there are none."""
    for message in messages:
        if message.role is Role.USER and (words := " ".join(_printable(own_text(message)).split())):
            return words if len(words) <= TITLE_CHARS else words[: TITLE_CHARS - 1].rstrip() + "…"
    return ""


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text[: TITLE_CHARS * 20])


def _path_of(folder: Path, name: str) -> Path:
    if name == LATEST:
        sessions = list_sessions(folder).sessions
        if not sessions:
            raise NoSuchSession(name)
        return folder / f"{sessions[0].session_id}{SUFFIX}"
    paths = {path.stem: path for path in transcript_paths(folder)}
    if name in paths:
        return paths[name]
    matches = sorted(session_id for session_id in paths if name and session_id.startswith(name))
    if not matches:
        raise NoSuchSession(name)
    if len(matches) > 1:
        raise AmbiguousSession(name, tuple(matches))
    return paths[matches[0]]


def _entries(transcript: Transcript) -> tuple[tuple[Entry, ...], int]:
    entries: list[Entry] = []
    damaged = transcript.damaged
    for record in transcript.records:
        try:
            entry = entry_of(record)
        except ValueError:
            damaged += 1
            continue
        if entry is not None:
            entries.append(entry)
    return tuple(entries), damaged


_COUNTED = (b'{"kind":"user"', b'{"kind":"assistant"')


def _summary(path: Path) -> SessionSummary:
    """Decodes few lines of many: a list has to be quick with a thousand sessions."""
    header, lines = raw_transcript(path)
    started_at = _started_at(header)
    return SessionSummary(
        session_id=path.stem,
        title=_title_in(lines),
        started_at=started_at,
        last_at=_last_at(lines) or started_at,
        message_count=sum(line.startswith(_COUNTED) for line in lines),
    )


def _title_in(lines: Sequence[bytes]) -> str:
    for line in lines:
        if line.startswith(_COUNTED[0]) and (message := _message_on(line)) and (title := title_of((message,))):
            return title
    return ""


def _last_at(lines: Sequence[bytes]) -> Millis | None:
    for line in reversed(lines):
        record = decoded(line) if line else None
        if record is not None and isinstance(record.get("at"), int):
            return Millis(record["at"])
    return None


def _message_on(line: bytes) -> Message | None:
    record = decoded(line)
    try:
        entry = entry_of(record) if record is not None else None
    except ValueError:
        return None
    return entry if isinstance(entry, Message) else None


def _started_at(header: Mapping[str, Any]) -> Millis:
    started_at = header.get("startedAt")
    return Millis(started_at if isinstance(started_at, int) else 0)
