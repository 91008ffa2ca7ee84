"""memory-backups/: one file for every version that was replaced or removed, with when, why and from where.

A backup is `<epoch-ms>-<note-id>-<random>.json`; its name without the suffix is what commands call it. Older
ones are bare `<epoch-ms>-<note-id>.md` files in a folder that names their notes directory; they are called
`<folder>/<epoch-ms>-<note-id>` (docs/write-order.md says how a folder may name a directory).
"""

import base64
import binascii
import contextlib
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

from oharness.core.clock import Clock, Millis
from oharness.core.errors import Failed, NotFound, StorageFailed
from oharness.core.jsontext import pretty_json
from oharness.core.randomness import Randomness
from oharness.core.scopes import USER_SCOPE, Scope, ScopeKind, is_project_id, project_scope
from oharness.disk.atomic import Absent, PlannedWrite, ensure_directory, storage_errors, write_files
from oharness.disk.filesystem import PRIVATE_DIRECTORY, PRIVATE_FILE, FileSystem
from oharness.disk.home import Home
from oharness.disk.json_files import BrokenFile, read_object

VERSION = 1
LISTED = 50
_NAME = re.compile(r"(\d{1,16})-([A-Za-z0-9_-]+)-[0-9a-z]{6}")
_OLD_NAME = re.compile(r"(\d{9,16})-(.+)")
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_SUFFIX_LENGTH = 6
_MOST_DRAWS = 20


class BackupReason(StrEnum):
    """Why a version was set aside, as the page and `memory backups` say it."""

    UPDATE = "update"
    FORGET = "forget"
    DELETE = "delete"
    EXTRACTION = "extraction"
    MERGE = "merge"
    RESTORE = "restore"
    PULL = "pull"
    CONFLICT = "conflict"
    DAMAGE = "damage"
    UNKNOWN = "unknown"


@dataclass(eq=False)
class NoSuchBackup(NotFound):
    """No backup has that name."""

    backup: str


@dataclass(eq=False)
class BackupFailed(Failed):
    """The version could not be set aside, so it was not replaced or removed either."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """A version about to be replaced or removed: the exact bytes of its file."""

    scope: Scope
    directory: Path
    note_id: str
    data: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Backup:
    """One backed-up version. `directory` is None where an old folder names none that is known here."""

    name: str
    note_id: str
    scope: Scope | None
    directory: Path | None
    when: Millis
    reason: str
    data: bytes


class Backups:
    """The backups of one home. `directories` are the notes directories known here, with their scopes."""

    def __init__(
        self,
        files: FileSystem,
        home: Home,
        clock: Clock,
        randomness: Randomness,
        directories: Mapping[Path, Scope] | None = None,
    ) -> None:
        self._files = files
        self._folder = home.backups
        self._clock = clock
        self._randomness = randomness
        self._directories = {home.user_notes: USER_SCOPE, **(directories or {})}

    def save(self, version: SetAside) -> str:
        """Writes one backup and gives its name.

        Raises: BackupFailed.
        """
        return self.save_many([version])[0]

    def save_many(self, versions: Sequence[SetAside]) -> list[str]:
        """Writes a backup of each with one flush for all, and gives their names in order.

        Raises: BackupFailed; some may then have been written.
        """
        if not versions:
            return []
        when = self._clock.now_ms()
        try:
            ensure_directory(self._files, self._folder, PRIVATE_DIRECTORY)
            return self._written(versions, when)
        except StorageFailed as error:
            raise BackupFailed(error.path, error.reason) from error

    def latest(self, limit: int = LISTED) -> list[Backup]:
        """The most recent backups, latest first; a damaged backup file is passed over.

        Raises: StorageFailed when there is a folder that cannot be read.
        """
        return list(islice(self._whole(self._newest_first()), limit))

    def latest_of(self, scope: Scope, note_id: str, limit: int = LISTED) -> list[Backup]:
        """The most recent backups of one note, latest first; a damaged backup file is passed over.

        Raises: StorageFailed when there is a folder that cannot be read.
        """
        found = self._whole(name for name in self._newest_first() if note_id in name)
        return list(islice((one for one in found if (one.note_id, one.scope) == (note_id, scope)), limit))

    def readable(self) -> Iterator[Backup]:
        """Every backup, in no order; a damaged backup file is passed over.

        Raises: StorageFailed when there is a folder that cannot be read.
        """
        return self._whole(name for _, name in self._names())

    def readable_of(self, note_id: str) -> list[Backup]:
        """Every backup under this id in whatever scope, latest first; a damaged backup file is passed over.

        Raises: StorageFailed when there is a folder that cannot be read.
        """
        found = self._whole(name for name in self._newest_first() if note_id in name)
        return [backup for backup in found if backup.note_id == note_id]

    def get(self, name: str) -> Backup:
        """The backup of that name.

        Raises: NoSuchBackup; BrokenFile; StorageFailed.
        """
        folder, slash, stem = name.rpartition("/")
        if slash:
            return self._old_backup(folder, stem)
        if not _NAME.fullmatch(name):
            raise NoSuchBackup(name)
        path = self._folder / f"{name}.json"
        content = read_object(self._files, path)
        if content is None:
            raise NoSuchBackup(name)
        backup = _backup_from(name, content, path)
        if backup.scope is None and backup.directory is not None:
            return replace(backup, scope=self._directories.get(backup.directory))
        return backup

    def remove(self, name: str) -> None:
        """Removes one backup for good; only forgetting everywhere asks for that.

        Raises: NoSuchBackup; StorageFailed.
        """
        self.get(name)
        path = self._folder / (f"{name}.md" if "/" in name else f"{name}.json")
        with storage_errors(path):
            self._files.remove(path)
            self._files.flush_directory(path.parent)

    def _written(self, versions: Sequence[SetAside], when: Millis) -> list[str]:
        names = [""] * len(versions)
        unnamed = list(range(len(versions)))
        for _ in range(_MOST_DRAWS):
            for index in unnamed:
                names[index] = self._new_name(versions[index].note_id, when)
            taken = set(write_files(self._files, [self._planned(versions[i], names[i], when) for i in unnamed]))
            unnamed = [index for index in unnamed if self._folder / f"{names[index]}.json" in taken]
            if not unnamed:
                return names
        raise StorageFailed(str(self._folder), "no-free-name")

    def _new_name(self, note_id: str, when: Millis) -> str:
        spoken = re.sub(r"[^A-Za-z0-9_-]", "_", note_id)[:128] or "note"
        return f"{when}-{spoken}-{self._randomness.text(_ALPHABET, _SUFFIX_LENGTH)}"

    def _planned(self, version: SetAside, name: str, when: Millis) -> PlannedWrite:
        content = _content_of(version, when)
        return PlannedWrite(self._folder / f"{name}.json", pretty_json(content), Absent(), PRIVATE_FILE)

    def _whole(self, names: Iterable[str]) -> Iterator[Backup]:
        for name in names:
            with contextlib.suppress(NoSuchBackup, BrokenFile, StorageFailed):
                yield self.get(name)

    def _newest_first(self) -> list[str]:
        return [name for _, name in sorted(self._names(), key=lambda item: (-item[0], item[1]))]

    def _names(self) -> Iterator[tuple[int, str]]:
        with storage_errors(self._folder):
            try:
                listing = self._files.list_directory(self._folder)
            except FileNotFoundError:
                return
        for stamp in listing.files:
            stem, _, suffix = stamp.name.rpartition(".")
            match = _NAME.fullmatch(stem)
            if suffix == "json" and match:
                yield int(match.group(1)), stem
        for stamp in listing.others:
            yield from self._old_names(stamp.name)

    def _old_names(self, folder: str) -> Iterator[tuple[int, str]]:
        try:
            names = self._files.list_names(self._folder / folder)
        except OSError:
            return
        for name in names:
            stem, _, suffix = name.rpartition(".")
            match = _OLD_NAME.fullmatch(stem)
            if suffix == "md" and match:
                yield int(match.group(1)), f"{folder}/{stem}"

    def _old_backup(self, folder: str, stem: str) -> Backup:
        name = f"{folder}/{stem}"
        match = _OLD_NAME.fullmatch(stem)
        if match is None or folder in ("", ".", "..") or any(mark in name[len(folder) + 1 :] for mark in "/\\"):
            raise NoSuchBackup(name)
        if "/" in folder or "\\" in folder:
            raise NoSuchBackup(name)
        path = self._folder / folder / f"{stem}.md"
        with storage_errors(path):
            try:
                data = self._files.read_plain(path, 1 << 40).data
            except FileNotFoundError:
                raise NoSuchBackup(name) from None
        directory = self._directory_named(folder)
        return Backup(
            name=name,
            note_id=match.group(2),
            scope=self._directories.get(directory) if directory else None,
            directory=directory,
            when=Millis(int(match.group(1))),
            reason=BackupReason.UNKNOWN,
            data=data,
        )

    def _directory_named(self, folder: str) -> Path | None:
        written = self._directory_written_in(folder)
        if written is not None:
            return written
        for directory, scope in self._directories.items():
            if folder in _old_folder_names(directory, scope) or _is_digest_of(folder, directory):
                return directory
        return _decoded_path(folder)

    def _directory_written_in(self, folder: str) -> Path | None:
        try:
            text = self._files.read(self._folder / folder / "directory.txt").decode().strip()
        except (OSError, UnicodeDecodeError):
            return None
        return Path(text) if Path(text).is_absolute() else None


def _content_of(version: SetAside, when: Millis) -> dict[str, Any]:
    content: dict[str, Any] = {
        "version": VERSION,
        "id": version.note_id,
        "scope": version.scope.kind.value,
        "directory": str(version.directory),
        "when": when,
        "reason": str(version.reason),
    }
    if version.scope.kind is ScopeKind.PROJECT:
        content["projectId"] = version.scope.project_id
    try:
        content["note"] = version.data.decode()
    except UnicodeDecodeError:
        content |= {"note": base64.b64encode(version.data).decode(), "encoding": "base64"}
    return content


def _backup_from(name: str, content: Mapping[str, Any], path: Path) -> Backup:
    note_id, when, note = content.get("id"), content.get("when"), content.get("note")
    if not isinstance(note_id, str) or not isinstance(when, int) or not isinstance(note, str):
        raise BrokenFile(str(path), 1, 1, "not-a-backup")
    try:
        data = base64.b64decode(note) if content.get("encoding") == "base64" else note.encode()
    except (binascii.Error, UnicodeEncodeError) as error:
        raise BrokenFile(str(path), 1, 1, "not-a-backup") from error
    directory = content.get("directory")
    return Backup(
        name=name,
        note_id=note_id,
        scope=_scope_from(content),
        directory=Path(directory) if isinstance(directory, str) and directory else None,
        when=Millis(when),
        reason=str(content.get("reason") or BackupReason.UNKNOWN),
        data=data,
    )


def _scope_from(content: Mapping[str, Any]) -> Scope | None:
    if content.get("scope") == ScopeKind.USER:
        return USER_SCOPE
    project_id = content.get("projectId")
    return project_scope(project_id) if isinstance(project_id, str) and is_project_id(project_id) else None


def _old_folder_names(directory: Path, scope: Scope) -> Iterable[str]:
    from urllib.parse import quote

    text = str(directory)
    dashed = re.sub(r"[^A-Za-z0-9]", "-", text)
    yield from (scope.digest, scope.key, quote(scope.key, safe=""), scope.project_id or "user")
    yield from (quote(text, safe=""), dashed, dashed.lstrip("-"))


def _is_digest_of(folder: str, directory: Path) -> bool:
    """Whether the folder is the hex SHA-256 of the directory's path, or its first eight or more digits."""
    digest = hashlib.sha256(os.fsencode(directory)).hexdigest()
    return len(folder) >= 8 and digest.startswith(folder)


def _decoded_path(folder: str) -> Path | None:
    from urllib.parse import unquote

    path = Path(unquote(folder))
    return path if path.is_absolute() and ".." not in path.parts else None
