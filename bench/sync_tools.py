"""The other contestants of the sync bench: git, unison, vdirsyncer with Radicale, each with a server on loopback."""

import shutil
import subprocess
import sys
from pathlib import Path

from bench.sync_contest import Pair, Service, WarmProcess, clean_environment, free_port, run
from bench.sync_notes import MadeUpNote, as_journal_entry, as_markdown

_GIT_SETTINGS = """
[user]
name = Bench
email = bench@localhost
[init]
defaultBranch = main
[gc]
auto = 0
[maintenance]
auto = false
[receive]
autogc = false
"""
_RADICALE_SETTINGS = """
[server]
hosts = 127.0.0.1:{port}
max_connections = 100
[auth]
type = none
[rights]
type = owner_only
[storage]
filesystem_folder = {place}/collections
[logging]
level = error
"""
_VDIRSYNCER_SETTINGS = """
[general]
status_path = "{place}/status"
[pair notes]
a = "device"
b = "service"
collections = ["notes"]
[storage device]
type = "filesystem"
path = "{place}/items/"
fileext = ".ics"
[storage service]
type = "caldav"
url = "http://127.0.0.1:{port}/"
username = "{account}"
password = "unused"
item_types = ["VJOURNAL"]
"""


class Git:
    """Commit and push, clone, fetch and merge over a local `git daemon`; a process for each command, as git is used."""

    name = "git"

    def form(self, note: MadeUpNote) -> tuple[str, bytes]:
        return as_markdown(note)

    def missing(self) -> str:
        return "" if shutil.which("git") and _git_daemon().exists() else "git with git-daemon (Debian package `git`)"

    def start(self, place: Path) -> int:
        self._served = place / "served"
        self._served.mkdir(parents=True)
        self._environment = clean_environment(place / "home", GIT_CONFIG_NOSYSTEM="1")
        (place / "home" / ".gitconfig").write_text(_GIT_SETTINGS)
        port = free_port()
        options = ("--export-all", "--enable=receive-pack", "--listen=127.0.0.1", f"--port={port}", "--reuseaddr")
        command = (_git_daemon(), f"--base-path={self._served}", *options, self._served)
        self._service = Service(command, port, place / "log", self._environment)
        return port

    def pair(self, place: Path, port: int) -> Pair:
        served = self._served / f"{place.name}.git"
        run(["git", "init", "--quiet", "--bare", served], self._environment, self._served)
        return _GitPair(place, f"git://127.0.0.1:{port}/{served.name}", self._environment)

    def stop(self) -> None:
        self._service.stop()


class _GitPair:
    def __init__(self, place: Path, url: str, environment: dict[str, str]) -> None:
        self._places = (place / "first", place / "second")
        self.first, self.second = (each / "MEMORY" for each in self._places)
        self._url, self._environment = url, environment
        self.first.mkdir(parents=True)
        self._git(0, "init", "--quiet")
        self._git(0, "remote", "add", "origin", url)

    def record(self) -> None:
        self._git(0, "add", "--all")
        self._git(0, "commit", "--quiet", "--message=notes")

    def send(self) -> None:
        self._git(0, "push", "--quiet", "origin", "main")

    def receive(self) -> None:
        if not self._places[1].exists():
            self._git(0, "clone", "--quiet", self._url, self._places[1])
            return
        self._git(1, "fetch", "--quiet", "origin")
        self._git(1, "merge", "--quiet", "--ff-only", "origin/main")

    def ask(self) -> None:
        self._git(0, "fetch", "--quiet", "origin")

    def close(self) -> None:
        """Nothing runs."""

    def _git(self, device: int, *arguments: str | Path) -> None:
        run(["git", *arguments], self._environment, self._places[device])


class Unison:
    """unison with a server of its own that waits at a socket; a process for each pass, as unison is used."""

    name = "unison"

    def form(self, note: MadeUpNote) -> tuple[str, bytes]:
        return as_markdown(note)

    def missing(self) -> str:
        return "" if shutil.which("unison") else "unison (Debian package `unison`)"

    def start(self, place: Path) -> int:
        self._served = place / "served"
        self._served.mkdir(parents=True)
        port = free_port()
        command = ["unison", "-socket", str(port), "-listen", "127.0.0.1"]
        environment = clean_environment(place / "home", UNISON=place / "archives")
        self._service = Service(command, port, place / "log", environment)
        return port

    def pair(self, place: Path, port: int) -> Pair:
        served = self._served / place.name
        served.mkdir()
        return _UnisonPair(place, f"socket://127.0.0.1:{port}/{served}")

    def stop(self) -> None:
        self._service.stop()


class _UnisonPair:
    def __init__(self, place: Path, root: str) -> None:
        self.first, self.second = place / "first", place / "second"
        self._place, self._root = place, root
        for folder in (self.first, self.second):
            folder.mkdir(parents=True)

    def record(self) -> None:
        """Nothing to do."""

    def send(self) -> None:
        self._pass(self.first)

    def receive(self) -> None:
        self._pass(self.second)

    def ask(self) -> None:
        self._pass(self.first)

    def close(self) -> None:
        """Nothing runs."""

    def _pass(self, folder: Path) -> None:
        environment = clean_environment(self._place / "home", UNISON=self._place / f"{folder.name}-archives")
        quiet = ("-ui", "text", "-batch", "-silent", "-confirmbigdel=false", "-contactquietly")
        run(["unison", str(folder), self._root, *quiet], environment, self._place)


class Vdirsyncer:
    """vdirsyncer with Radicale over HTTP: notes as journal entries, warm in a process that stays."""

    name = "vdirsyncer"

    def form(self, note: MadeUpNote) -> tuple[str, bytes]:
        return as_journal_entry(note)

    def missing(self) -> str:
        there = all(_script(name).exists() for name in ("vdirsyncer", "radicale"))
        return "" if there else "vdirsyncer and radicale (Python packages of these names)"

    def start(self, place: Path) -> int:
        port = free_port()
        place.mkdir(parents=True)
        settings = place / "radicale.conf"
        settings.write_text(_RADICALE_SETTINGS.format(port=port, place=place))
        command = (_script("radicale"), "--config", settings)
        self._service = Service(command, port, place / "log", clean_environment(place / "home"))
        return port

    def pair(self, place: Path, port: int) -> Pair:
        return _VdirsyncerPair(place, port)

    def stop(self) -> None:
        self._service.stop()


class _VdirsyncerPair:
    def __init__(self, place: Path, port: int) -> None:
        self._place, self._port = place, port
        self.first, self.second = (place / name / "items" / "notes" for name in ("first", "second"))
        self._devices = [self._device(name) for name in ("first", "second")]

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

    def _device(self, name: str) -> WarmProcess:
        place = self._place / name
        (place / "items" / "notes").mkdir(parents=True)
        settings = place / "vdirsyncer.conf"
        settings.write_text(_VDIRSYNCER_SETTINGS.format(place=place, port=self._port, account=self._place.name))
        environment = clean_environment(place / "home")
        run([_script("vdirsyncer"), "-c", settings, "discover"], environment, place, given="y\n")
        return WarmProcess(["vdirsyncer", settings], environment)


def _git_daemon() -> Path:
    """Started without `git` before it, which would not pass on that it has to end."""
    asked = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True)
    return Path(asked.stdout.strip()) / "git-daemon"


def _script(name: str) -> Path:
    return Path(sys.executable).with_name(name)
