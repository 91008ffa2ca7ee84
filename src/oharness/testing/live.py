"""Machines whose coordinators are running, one sync service, and a network between them, in simulated time.

async def story(cloud: LiveCloud) -> None:
    async with cloud.machine(tmp_path / "laptop") as laptop:
        laptop.write(USER_SCOPE, "a", "text")
        await cloud.passes(10)

run_live(story)

Files and service are real; threads and sockets there are none, so that a day takes seconds.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import httpx2

from oharness.core.scopes import USER_SCOPE, Scope
from oharness.disk.backups import Backups
from oharness.disk.cloud_file import write_cloud_url
from oharness.disk.credentials_file import Credentials
from oharness.disk.deletion_intents import DeletionIntent
from oharness.disk.folder_lock import FolderLock
from oharness.disk.git import Git
from oharness.disk.home import Home
from oharness.disk.note_dir import NoteDir, Permissions
from oharness.disk.token_store import TokenStore
from oharness.notes.frontmatter import note_file_name, note_text, parse_note
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.sync.account import SignInPlace
from oharness.sync.cloud_forms import CloudForms
from oharness.sync.coordinator import Coordinator
from oharness.sync.directory import Directory, directory_of
from oharness.sync.http_transport import HttpTransport
from oharness.sync.seat import Outcome
from oharness.sync.watching import NoWatch
from oharness.syncserver.rate_limit import RateLimit
from oharness.testing.faults import FaultyFileSystem
from oharness.testing.randomness import SeededRandomness
from oharness.testing.simulated_network import (
    DELIVERED,
    AnsweredBy,
    Fate,
    HttpAnswer,
    HttpRequest,
    SimulatedNetwork,
)
from oharness.testing.simulated_time import SimulatedClock, SimulatedLoop, run_simulated
from oharness.testing.sync_server import SyncServer

ORIGIN = "https://sync.test"
MONTH_MINUTES = 60 * 24 * 30
_Result = TypeVar("_Result")


@dataclass(slots=True)
class LiveCloud:
    """The service and the network. `requests` are those that were made: when, by whom, for what."""

    loop: SimulatedLoop
    clock: SimulatedClock
    server: SyncServer
    fate: Callable[[HttpRequest], Fate] = lambda request: DELIVERED
    requests: list[tuple[float, str, str]] = field(default_factory=list)

    @property
    def network(self) -> SimulatedNetwork:
        return SimulatedNetwork(self.server.app, self._chosen)

    @contextlib.asynccontextmanager
    async def machine(
        self, root: Path, scopes: Sequence[Scope] = (USER_SCOPE,), account: str = "ann", check_s: float = 60
    ) -> "AsyncIterator[LiveMachine]":
        """A machine that is signed in, with these directories open."""
        machine = LiveMachine(self, root, scopes)
        if account:
            machine.sign_in(account)
        async with machine.coordinator:
            for directory in machine.directories.values():
                machine.coordinator.attach(directory, check_s)
            yield machine

    async def passes(self, seconds: float) -> None:
        """Time goes by."""
        await self.clock.sleep(seconds)

    def made(self, sender: str, *, since: float = 0.0) -> list[str]:
        """What one machine asked for since then."""
        return [path for at, who, path in self.requests if who == sender and at >= since]

    def _chosen(self, request: HttpRequest) -> Fate:
        asks = request.path.rpartition("/")[2]
        if asks == "snapshot" and request.body.startswith(b'{"poll"'):
            asks = "poll"
        self.requests.append((self.loop.time(), request.sender, asks))
        return self.fate(request)


class _FilesOfTheDay(FaultyFileSystem):
    """Files whose age is told in simulated time: three simulated seconds after an edit, a file counts as settled."""

    def __init__(self, clock: SimulatedClock) -> None:
        super().__init__(lambda operation, path: self.fails(operation, path))
        self.fails: Callable[[str, Path], None] = lambda operation, path: None
        self._clock = clock

    def file_time_ns(self) -> int:
        return self._clock.now_ms() * 1_000_000


class LiveMachine:
    """One machine of somebody, with what is open on it."""

    def __init__(self, cloud: LiveCloud, root: Path, scopes: Sequence[Scope]) -> None:
        self.name = root.name
        self.cloud = cloud
        self.root = root
        self.home = Home(root / "home")
        self.files = _FilesOfTheDay(cloud.clock)
        self.outcomes: list[Outcome] = []
        store = TokenStore(self.files, self.home)
        randomness = SeededRandomness(root.name)
        self.exchanges = 0
        forms = CloudForms(lambda: httpx2.AsyncClient(transport=httpx2.MockTransport(self._exchanged)))
        self.place = SignInPlace(self.files, self.home, store, cloud.clock, randomness, forms)
        self.directories = {scope: self._directory(scope) for scope in scopes}
        self.coordinator = Coordinator(self.place, self._connection, NoWatch())
        self.coordinator.listen(self.outcomes.append)

    def sign_in(
        self, account: str, minutes: float = MONTH_MINUTES, plan: str = "paid", *, lastingly: bool = False
    ) -> None:
        """Somebody signs in, in whatever process; `lastingly` with a refresh token, which always gets a new token."""
        token = self.cloud.server.token(account, plan=plan, minutes=minutes)
        write_cloud_url(self.files, self.home, ORIGIN)
        refresh_token, token_url = (account, f"{ORIGIN}/oauth/token") if lastingly else ("", "")
        self.place.store.write(Credentials(ORIGIN, ORIGIN, account, token, refresh_token, token_url))
        self.coordinator.look_at_account()

    def sign_out(self) -> None:
        """Somebody signs out."""
        self.place.store.forget()
        self.coordinator.look_at_account()

    def key(self, scope: Scope = USER_SCOPE) -> str:
        """The key of a directory at the coordinator."""
        return f"{scope.key} {self.directories[scope].replica}"

    def write(self, scope: Scope, note_id: str, body: str) -> None:
        """Somebody saves a note in an editor; the system tells."""
        now = self.cloud.clock.now_ms()
        note = Note(note_id, f"Summary of {note_id}", body, created_at=now, updated_at=now)
        path = self._path(scope, note_id)
        path.write_text(note_text(note), encoding="utf-8")
        os.utime(path, ns=(now * 1_000_000, now * 1_000_000))
        self.coordinator.look_at(self.key(scope))

    def break_disk(self, fails: Callable[[str, Path], None] = lambda operation, path: None) -> None:
        """From now on the disk is like that; without an argument it is in order again."""
        self.files.fails = fails

    def remove(self, scope: Scope, note_id: str) -> None:
        """Somebody deletes a file; the system tells."""
        self._path(scope, note_id).unlink()
        self.coordinator.look_at(self.key(scope))

    def forget(self, scope: Scope, note_id: str) -> None:
        """Somebody deletes a note through oHarness."""
        note = parse_note(self._path(scope, note_id).read_bytes(), note_file_name(note_id))
        intent = DeletionIntent(note_id, content_hash(note), self.cloud.clock.now_ms())
        self.directories[scope].intents.record([intent])
        self.remove(scope, note_id)

    def body(self, scope: Scope, note_id: str) -> str | None:
        """What a note says on this machine."""
        path = self._path(scope, note_id)
        return parse_note(path.read_bytes(), path.name).body if path.exists() else None

    def _exchanged(self, request: httpx2.Request) -> httpx2.Response:
        """The Cloud's answer to a refresh token: `exchanges` of them so far."""
        self.exchanges += 1
        token = self.cloud.server.token("ann", plan="paid", minutes=MONTH_MINUTES)
        return httpx2.Response(200, json={"access_token": token, "refresh_token": f"ann {self.exchanges}"})

    def _path(self, scope: Scope, note_id: str) -> Path:
        return self.directories[scope].folder.path / note_file_name(note_id)

    def _connection(self, credentials: Credentials) -> HttpTransport:
        client = httpx2.AsyncClient(transport=self.cloud.network.line(self.name), trust_env=False)
        return HttpTransport(credentials.sync_url, self.place.tokens(), self.cloud.clock, client)

    def _directory(self, scope: Scope) -> Directory:
        is_users = scope == USER_SCOPE
        path = self.home.user_notes if is_users else self.root / scope.project_id / "MEMORY"
        path.mkdir(parents=True, exist_ok=True)
        path = self.files.real_path(path)
        clock = self.cloud.clock
        folder = NoteDir(
            self.files, path, FolderLock(self.files, path, self.home.locks), clock, 131_072, Permissions(0o644, 0o755)
        )
        return directory_of(
            self.files,
            self.home,
            scope,
            "home" if is_users else "copy",
            folder,
            Backups(self.files, self.home, clock, self.place.randomness, {path: scope}),
            max_notes=5000,
            project_root=None,
            git=Git({"PATH": "/usr/bin:/bin"}),
            clock=clock,
            randomness=SeededRandomness(f"{self.name} {scope.key}"),
        )


def answered(status: int, code: str, **headers: str) -> AnsweredBy:
    """The fate of a request that the service turns down."""
    body = json.dumps({"error": {"code": code, "message": ""}}).encode()
    return AnsweredBy(HttpAnswer(status, {"content-type": "application/json", **headers}, body))


def run_live(story: Callable[[LiveCloud], Awaitable[_Result]], rate_limit: RateLimit | None = None) -> _Result:
    """What the story returns."""

    async def main(loop: SimulatedLoop) -> _Result:
        clock = SimulatedClock(loop)
        server = SyncServer(clock, SeededRandomness("server"), rate_limit=rate_limit)
        result = await story(LiveCloud(loop, clock, server))
        await asyncio.sleep(0)
        assert loop.faults == [], loop.faults
        return result

    return run_simulated(main)
