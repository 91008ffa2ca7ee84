"""Our own client and service as contestants of the sync bench: warm in a process that stays, and as the command."""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.sync_contest import Pair, Service, WarmProcess, clean_environment, free_port, run
from bench.sync_notes import MadeUpNote, as_markdown
from oharness.core.scopes import project_scope
from oharness.disk.backups import Backups
from oharness.disk.filesystem import SHARED_DIRECTORY, SHARED_FILE, FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.git import Git
from oharness.disk.home import Home
from oharness.disk.note_dir import NoteDir, Permissions
from oharness.sync.directory import Directory, directory_of
from oharness.system import SystemClock, SystemRandomness

MOST_NOTES = 100_000
_SCRIPT = Path(sys.executable).with_name("oharness")
_SECRET = "known to nobody but one run of the bench"
_ISSUER = "http://localhost"
_NOTE_BYTES = 131_072


class Ours:
    """Passes of the client in a process that stays, against the service on a folder."""

    name = "oharness"

    def form(self, note: MadeUpNote) -> tuple[str, bytes]:
        return as_markdown(note)

    def missing(self) -> str:
        return ""

    def start(self, place: Path) -> int:
        place.mkdir(parents=True)
        port = free_port()
        settings = {
            "STORAGE_URL": (place / "stored").as_uri(),
            "JWT_SECRET": _SECRET,
            "ISSUER": _ISSUER,
            "RATE_PER_MINUTE": "0",
            "MAX_NOTES": str(MOST_NOTES),
            "PORT": str(port),
        }
        variables = {f"OHARNESS_SYNC_{name}": value for name, value in settings.items()}
        environment = clean_environment(place / "home") | variables
        self._service = Service([_SCRIPT, "sync-server"], port, place / "log", environment)
        return port

    def pair(self, place: Path, port: int) -> Pair:
        return WarmPair(place, port)

    def stop(self) -> None:
        self._service.stop()


class OursAsCommand(Ours):
    """The same with a new process for each pass, as a person would sync."""

    name = "`oharness sync now`"

    def missing(self) -> str:
        return "" if _has_sync_command() else "the command `oharness sync`"

    def pair(self, place: Path, port: int) -> Pair:
        return _CommandPair(place, port)


class WarmPair:
    """Two devices of one account, each a process that stays; `trace` is what their processes are started with."""

    def __init__(self, place: Path, port: int, trace: Sequence[str] = ()) -> None:
        self.first, self.second = (notes_folder(place / name) for name in ("first", "second"))
        self.first.mkdir(parents=True)
        self.second.mkdir(parents=True)
        account = place.name
        self._devices = [self._device(place / name, port, account, trace) for name in ("first", "second")]

    def record(self) -> None:
        """Nothing to do."""

    def send(self) -> None:
        self._devices[0].do()

    def receive(self) -> None:
        self._devices[1].do()

    def ask(self) -> None:
        self._devices[0].do()

    def close(self) -> None:
        for device in self._devices:
            device.close()

    def _device(self, place: Path, port: int, account: str, trace: Sequence[str]) -> WarmProcess:
        given = (place / "home", place / "project", _address(port), _token(account), account)
        return WarmProcess(["oharness", *map(str, given)], clean_environment(place / "person"), trace)


class _CommandPair:
    def __init__(self, place: Path, port: int) -> None:
        self._places = [place / name for name in ("first", "second")]
        self.first, self.second = (notes_folder(each) for each in self._places)
        for each in self._places:
            self._sign_in(each, port, place.name)

    def record(self) -> None:
        """Nothing to do."""

    def send(self) -> None:
        self._sync(0)

    def receive(self) -> None:
        self._sync(1)

    def ask(self) -> None:
        self._sync(0)

    def close(self) -> None:
        """Nothing runs."""

    def _sign_in(self, place: Path, port: int, account: str) -> None:
        project = place / "project"
        marker = project / ".oharness" / "project.json"
        marker.parent.mkdir(parents=True)
        marker.write_text(json.dumps({"id": "bench", "name": "bench", "createdAt": 1_789_000_000_000}))
        notes_folder(place).mkdir()
        (place / "home").mkdir()
        limits = {"memory": {"maxNotes": MOST_NOTES}}
        (place / "home" / "config.json").write_text(json.dumps(limits))
        self._oharness(place, "project", "init")
        self._oharness(place, "login", "--cloud", _address(port), "--token", "-", given=_token(account))

    def _sync(self, device: int) -> None:
        self._oharness(self._places[device], "sync", "now", "--scope", "project")

    def _oharness(self, place: Path, *arguments: str, given: str = "") -> None:
        environment = clean_environment(place / "person", OHARNESS_HOME=place / "home")
        run([_SCRIPT, *arguments], environment, place / "project", given)


def notes_folder(place: Path) -> Path:
    return place / "project" / "MEMORY"


def open_directory(home: Path, project: Path) -> Directory:
    """A project's notes with all that a pass needs, as the command opens them."""
    files, kept, clock, randomness = FileSystem(), Home(home), SystemClock(), SystemRandomness()
    notes = project / "MEMORY"
    permissions = Permissions(SHARED_FILE, SHARED_DIRECTORY)
    return directory_of(
        files,
        kept,
        project_scope("bench"),
        "bench",
        NoteDir(files, notes, FolderLock(files, notes, kept.locks), clock, _NOTE_BYTES, permissions),
        Backups(files, kept, clock, randomness),
        max_notes=MOST_NOTES,
        project_root=project,
        git=Git(dict(os.environ)),
        clock=clock,
        randomness=randomness,
    )


def _has_sync_command() -> bool:
    from oharness.cli.commands import ROOT

    return "sync" in ROOT


def _address(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _token(account: str) -> str:
    import jwt

    now = int(time.time())
    claims = {"iss": _ISSUER, "aud": "oharness-sync", "sub": account, "iat": now, "exp": now + 36_000}
    return jwt.encode({**claims, "ent": {"plan": "paid", "teams": []}}, _SECRET, algorithm="HS256")
