"""Several machines of one person, one sync service in this process: real folders, the real client.

cloud = SyncServer(clock, randomness)
laptop, desk = Device(tmp_path / "laptop", cloud), Device(tmp_path / "desk", cloud)
laptop.write("a", body="one")
await laptop.sync()
await desk.sync()
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from oharness.core.clock import Millis
from oharness.core.scopes import USER_SCOPE, Scope, ScopeKind
from oharness.disk.atomic import Absent
from oharness.disk.backups import BackupReason, Backups, SetAside
from oharness.disk.deletion_intents import DeletionIntent
from oharness.disk.filesystem import FileSystem
from oharness.disk.folder_lock import FolderLock
from oharness.disk.git import Git
from oharness.disk.home import Home
from oharness.disk.note_dir import NoteDir, NoteFile, Permissions
from oharness.disk.sync_shapes import Progress
from oharness.notes.frontmatter import note_file_name, note_text, parse_note
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.reconcile.baseline import Baseline
from oharness.reconcile.conflict import Conflict
from oharness.sync.directory import Directory, directory_of
from oharness.sync.http_transport import HttpTransport
from oharness.sync.one_pass import one_pass
from oharness.sync.report import PassReport
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer

ORIGIN = "https://sync.test"
_ENOUGH_PASSES = 6


class FixedTokens:
    """Signs in with a token that the server of the test accepts."""

    def __init__(self, server: SyncServer, account: str, plan: str) -> None:
        self._server = server
        self._account = account
        self._plan = plan

    async def access_token(self) -> str | None:
        return self._server.token(self._account, plan=self._plan)

    async def refreshed(self, refused: str) -> str | None:
        return None


class Device:
    """One machine with one notes directory."""

    def __init__(
        self,
        root: Path,
        server: SyncServer,
        *,
        scope: Scope = USER_SCOPE,
        account: str = "ann",
        plan: str = "paid",
        files: FileSystem | None = None,
        max_notes: int = 5000,
        replica: str = "home",
    ) -> None:
        self.name = root.name
        self.files = files or FileSystem()
        self.home = Home(root / "home")
        self.account = account
        self.project_root = root / "project" if scope.kind is ScopeKind.PROJECT else None
        self.folder_path = self.project_root / "MEMORY" if self.project_root else self.home.user_notes
        self.folder_path.mkdir(parents=True, exist_ok=True)
        self.server = server
        self.clock = server.clock
        self.randomness = SeededRandomness(root.name)
        self.transport = HttpTransport(ORIGIN, FixedTokens(server, account, plan), self.clock, server.client())
        self.directory = self._directory(scope, replica, max_notes)

    def _directory(self, scope: Scope, replica: str, max_notes: int) -> Directory:
        path = self.files.real_path(self.folder_path)
        lock = FolderLock(self.files, path, self.home.locks)
        folder = NoteDir(self.files, path, lock, self.clock, 131_072, Permissions(0o644, 0o755))
        backups = Backups(self.files, self.home, self.clock, self.randomness, {path: scope})
        return directory_of(
            self.files,
            self.home,
            scope,
            replica,
            folder,
            backups,
            max_notes=max_notes,
            project_root=self.project_root,
            git=Git({"PATH": "/usr/bin:/bin"}),
            clock=self.clock,
            randomness=self.randomness,
        )

    # --- what people and other programs do

    def write(self, note_id: str, body: str = "text", **fields: Any) -> Note:
        """Somebody writes or edits a note with an editor."""
        before = self.note(note_id)
        now = Millis(self.clock.now_ms())
        fresh = Note(note_id, f"Summary of {note_id}", body, created_at=now, updated_at=now)
        note = replace(before or fresh, body=body, updated_at=now, **fields)
        self.path(note_id).write_text(note_text(note), encoding="utf-8")
        return note

    def forget(self, note_id: str, *, everywhere: bool = False) -> None:
        """Somebody deletes a note through the product: backup, intent, file."""
        file = self.directory.folder.read_id(note_id)
        assert isinstance(file, NoteFile)
        aside = SetAside(self.directory.scope, self.folder_path, note_id, file.data, BackupReason.FORGET)
        self.directory.backups.save(aside)
        intent = DeletionIntent(note_id, content_hash(file.note), self.clock.now_ms(), purge=everywhere)
        self.directory.intents.record([intent])
        self.directory.folder.delete(note_id, file.expected)

    def restore(self, note: Note) -> None:
        """Somebody brings a deleted note back on purpose."""
        self.directory.marks.record({note.id: content_hash(note)})
        self.directory.folder.write(note, Absent())
        self.directory.intents.drop([note.id])

    # --- passes

    async def sync(self, tell: Callable[[int, int], None] | None = None) -> PassReport:
        """One pass."""
        return await one_pass(self.directory, self.transport, self.account, tell)

    async def settle(self) -> PassReport:
        """Passes until one changes nothing."""
        for _ in range(_ENOUGH_PASSES):
            report = await self.sync()
            if report.changed_nothing:
                return report
        raise AssertionError(f"{self.name} never comes to rest")

    # --- what is there

    def path(self, note_id: str) -> Path:
        """The file of a note."""
        return self.folder_path / note_file_name(note_id)

    def note(self, note_id: str) -> Note | None:
        """The note in a file."""
        path = self.path(note_id)
        return parse_note(path.read_bytes(), path.name) if path.exists() else None

    def bodies(self) -> Mapping[str, str]:
        """Every note's body by id."""
        found = {path.stem: self.note(path.stem) for path in sorted(self.folder_path.glob("*.md"))}
        return {note_id: note.body for note_id, note in found.items() if note}

    def backed_up(self, note_id: str) -> list[str]:
        """The bodies of all backups of a note."""
        found = self.directory.backups.readable_of(note_id)
        here = [backup for backup in found if backup.scope == self.directory.scope]
        return [parse_note(backup.data, note_file_name(note_id)).body for backup in here]

    def conflicts(self) -> dict[str, Conflict]:
        """The open conflicts."""
        return self.directory.state.conflicts()

    def baseline(self) -> Baseline:
        """What is agreed and seen."""
        baseline = self.directory.state.baseline()
        assert baseline is not None
        return baseline

    def progress(self) -> Progress:
        """Small facts of the last passes."""
        return self.directory.state.progress()


async def settle_all(*devices: Device) -> None:
    """Passes on every device, until none changes anything any more."""
    for _ in range(_ENOUGH_PASSES):
        reports = [await device.sync() for device in devices]
        if all(report.changed_nothing for report in reports):
            return
        await asyncio.sleep(0)
    raise AssertionError("the devices never come to rest")
