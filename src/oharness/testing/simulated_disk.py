"""A machine's disk in memory: what running programs see on it, and what is left when the power goes.

    disk = SimulatedDisk(clock_ns)
    files = SimulatedFiles(disk)            # the file operations of one process
    files.write_new(path, data, 0o600)
    disk.lose_power(random.Random(1))       # what was not flushed may be gone, torn, empty or all there

A process that dies leaves everything it wrote to the system; only a power cut takes what was not flushed, and not
what the system has written back by itself, which it does after half a minute. Names in a folder survive in the order
in which they changed, or, on a careless file system, each on its own; a rename is never half done. There are no links.
"""

import errno
import os
import random
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from oharness.disk.filesystem import FileRead, FileSystem, Listing, LockTaken, Meanwhile, NotARegularFile
from oharness.notes.entry import FileStamp
from oharness.testing.faults import Crashed, taken_of

_HALF_GONE = 0.5
_WRITTEN_BACK_AFTER_S = 30.0


@dataclass(slots=True, eq=False)
class _File:
    """An inode. `durable` are the bytes that a power cut leaves for certain; None before the first flush."""

    number: int
    data: bytes
    mtime_ns: int
    mode: int
    durable: bytes | None = None
    changed_at: float = 0.0


@dataclass(slots=True, eq=False)
class _Folder:
    """A folder: its entries by name, folded where the disk ignores letter case."""

    number: int
    mode: int
    mtime_ns: int
    entries: dict[str, "_Entry"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A name as it is spelled, and what it stands for."""

    name: str
    node: "_Node"


_Node: TypeAlias = _File | _Folder


@dataclass(frozen=True, slots=True)
class _NameChange:
    """One name of a folder before and after; a rename changes two."""

    folder: _Folder
    key: str
    before: _Entry | None
    after: _Entry | None


@dataclass(frozen=True, slots=True)
class _Step:
    """Names that change together, and when."""

    changes: tuple[_NameChange, ...]
    at: float


class SimulatedDisk:
    """The files of one machine.

    `now_ns` gives the times of files, `uptime_s` the time that passes. With `ignores_case`, names that differ in letter
    case alone are one name, as on macOS and Windows. `room` is the number of bytes that fit, None for no limit.
    """

    def __init__(
        self,
        now_ns: Callable[[], int],
        uptime_s: Callable[[], float] = lambda: 0.0,
        *,
        ignores_case: bool = False,
        room: int | None = None,
    ) -> None:
        self.now_ns = now_ns
        self.uptime_s = uptime_s
        self.room = room
        self.locks: dict[str, object] = {}
        self._ignores_case = ignores_case
        self._numbers = 2
        self._temporaries = 0
        self._root = _Folder(1, 0o755, 0)
        self._unflushed: list[_Step] = []

    # --- what people and other programs do: no process of ours, no fault

    def put(self, path: Path, data: bytes) -> None:
        """Another program saves a file in place, folders included; nothing of it is flushed."""
        self.make_folders(path.parent)
        node = self.find(path)
        if isinstance(node, _File):
            node.data, node.mtime_ns, node.changed_at = data, self.now_ns(), self.uptime_s()
        else:
            self.create(path, data, 0o644)

    def take_away(self, path: Path) -> None:
        """Another program removes a file, or a folder with all it holds."""
        self.unlink(path)

    def move(self, source: Path, target: Path) -> None:
        """Another program renames a file or folder to a name that is free."""
        self.make_folders(target.parent)
        self.rename(source, target)

    def make_folders(self, path: Path) -> None:
        """A folder and those around it."""
        for folder in (*reversed(path.parents), path):
            if self.find(folder) is None:
                self.make_folder(folder, 0o755)

    def flush_everything(self) -> None:
        """`sync`: everything is on the device."""
        self._unflushed.clear()
        for node in _nodes(self._root):
            node.durable = node.data

    def contents(self, below: Path | None = None) -> dict[Path, bytes]:
        """The bytes of every file below a folder, which may be missing."""
        start = Path("/") if below is None else below
        return {path: node.data for path, node in self.walk(start) if isinstance(node, _File)}

    def data_at(self, path: Path) -> bytes | None:
        """The bytes of a file; None where there is none."""
        try:
            node = self.find(path)
        except NotADirectoryError:
            return None
        return node.data if isinstance(node, _File) else None

    def is_flushed(self, path: Path) -> bool:
        """Whether a power cut now would leave this file with this content under this name."""
        self._write_back()
        node, (folder, key) = self.find(path), self._place(path)
        waiting = [(change.folder, change.key) for step in self._unflushed for change in step.changes]
        return isinstance(node, _File) and node.durable == node.data and (folder, key) not in waiting

    # --- accidents

    def lose_power(self, chance: random.Random) -> None:
        """The machine stops; the disk comes back in one of the states that a real one could be in."""
        self.locks.clear()
        self._write_back()
        lost = self._lost_in_order(chance) if chance.random() < _HALF_GONE else self._lost_one_by_one(chance)
        for step in reversed(lost):
            for change in reversed(step.changes):
                _set(change.folder, change.key, change.before)
        self._unflushed.clear()
        for _, node in self.walk():
            if isinstance(node, _File):
                if node.durable != node.data:
                    node.data = _after_power_cut(node, chance)
                node.durable = node.data

    def copy(self) -> "SimulatedDisk":
        """A backup of the whole machine as it is now."""
        twin = SimulatedDisk(self.now_ns, self.uptime_s, ignores_case=self._ignores_case, room=self.room)
        twin._numbers, twin._temporaries = self._numbers, self._temporaries
        twin._root = _copied(self._root)
        return twin

    def restore(self, backup: "SimulatedDisk") -> None:
        """The machine is set back to a backup, which stays as it is."""
        self._root = _copied(backup._root)
        self._unflushed.clear()
        self.locks.clear()

    # --- the operations that processes are made of

    def find(self, path: Path) -> _Node | None:
        """What stands at a path; NotADirectoryError when a file is in the way."""
        node: _Node = self._root
        names = path.parts[1:]
        for name in map(str.casefold, names) if self._ignores_case else names:
            if type(node) is _File:  # asked for with every operation, and quicker than isinstance
                raise _error(errno.ENOTDIR, path)
            entry = node.entries.get(name)  # type: ignore[union-attr]
            if entry is None:
                return None
            node = entry.node
        return node

    def file_at(self, path: Path) -> _File:
        """The plain file at a path."""
        node = self.find(path)
        if node is None:
            raise _error(errno.ENOENT, path)
        if isinstance(node, _Folder):
            raise _error(errno.EISDIR, path)
        return node

    def folder_at(self, path: Path) -> _Folder:
        """The folder at a path."""
        node = self.find(path)
        if node is None:
            raise _error(errno.ENOENT, path)
        if isinstance(node, _File):
            raise _error(errno.ENOTDIR, path)
        return node

    def walk(self, start: Path = Path("/")) -> Iterator[tuple[Path, _Node]]:
        """Everything below a folder, which may be missing, in the order of the names."""
        node = self.find(start)
        if isinstance(node, _Folder):
            yield from _walk(start, node)

    def create(self, path: Path, data: bytes, mode: int) -> _File:
        """A new file, with as many of its bytes as fit; ENOSPC when that is not all."""
        folder, key = self._place(path)
        if key in folder.entries:
            raise _error(errno.EEXIST, path)
        node = _File(self._number(), data[: self._room_left()], self.now_ns(), mode, changed_at=self.uptime_s())
        self._change(_NameChange(folder, key, None, _Entry(path.name, node)))
        if len(node.data) < len(data):
            raise _error(errno.ENOSPC, path)
        return node

    def make_folder(self, path: Path, mode: int) -> None:
        """A new folder in one that exists."""
        folder, key = self._place(path)
        if key in folder.entries:
            raise _error(errno.EEXIST, path)
        made = _Folder(self._number(), mode, self.now_ns())
        self._change(_NameChange(folder, key, None, _Entry(path.name, made)))

    def rename(self, source: Path, target: Path) -> None:
        """Moves a name over whatever stands at the target."""
        from_folder, from_key = self._place(source)
        to_folder, to_key = self._place(target)
        moved = from_folder.entries.get(from_key)
        if moved is None:
            raise _error(errno.ENOENT, source)
        replaced = to_folder.entries.get(to_key)
        if replaced is not None and isinstance(replaced.node, _Folder):
            raise _error(errno.EISDIR, target)
        gone = _NameChange(from_folder, from_key, moved, None)
        self._change(gone, _NameChange(to_folder, to_key, replaced, _Entry(target.name, moved.node)))

    def link(self, source: Path, target: Path) -> None:
        """A second name, which must be free, for a file."""
        folder, key = self._place(target)
        if key in folder.entries:
            raise _error(errno.EEXIST, target)
        self._change(_NameChange(folder, key, None, _Entry(target.name, self.file_at(source))))

    def unlink(self, path: Path) -> None:
        """Removes a name."""
        folder, key = self._place(path)
        entry = folder.entries.get(key)
        if entry is None:
            raise _error(errno.ENOENT, path)
        self._change(_NameChange(folder, key, entry, None))

    def flush_names(self, folder: _Folder) -> None:
        """The names of a folder reach the device."""
        self._unflushed = [
            step for step in self._unflushed if all(change.folder is not folder for change in step.changes)
        ]

    def temporary_name(self) -> str:
        """A name that was never given before on this disk, a restored copy included."""
        self._temporaries += 1
        return f".oharness-{self._temporaries:016x}.tmp"

    def spelled_key(self, path: Path) -> str:
        """One text for all spellings of a path that are one file here."""
        return self._key(str(path))

    def _place(self, path: Path) -> tuple[_Folder, str]:
        return self.folder_at(path.parent), self._key(path.name)

    def _key(self, name: str) -> str:
        return name.casefold() if self._ignores_case else name

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _room_left(self) -> int | None:
        return None if self.room is None else max(0, self.room - sum(len(node.data) for node in _nodes(self._root)))

    def _change(self, *changes: _NameChange) -> None:
        for change in changes:
            _set(change.folder, change.key, change.after)
            change.folder.mtime_ns = self.now_ns()
        self._unflushed.append(_Step(changes, self.uptime_s()))

    def _write_back(self) -> None:
        """What the system has flushed on its own by now."""
        oldest = self.uptime_s() - _WRITTEN_BACK_AFTER_S
        self._unflushed = [step for step in self._unflushed if step.at > oldest]
        for node in _nodes(self._root):
            if node.changed_at <= oldest:
                node.durable = node.data

    def _lost_in_order(self, chance: random.Random) -> list[_Step]:
        """A journal: what came after some moment is gone."""
        return self._unflushed[chance.randint(0, len(self._unflushed)) :]

    def _lost_one_by_one(self, chance: random.Random) -> list[_Step]:
        """Each name for itself, but nothing that rests on what is gone."""
        touched: set[tuple[int, str]] = set()
        lost: list[_Step] = []
        for step in self._unflushed:
            names = {(change.folder.number, change.key) for change in step.changes}
            if names & touched or chance.random() < _HALF_GONE:
                touched |= names
                lost.append(step)
        return lost


class SimulatedFiles(FileSystem):
    """The file operations of one process on a simulated disk.

    `fail(operation, path)` is asked before each and may raise: an OSError makes it fail, `Crashed` ends the process,
    after which every operation ends it again. A write that fails leaves half of the file.
    """

    def __init__(self, disk: SimulatedDisk, fail: Callable[[str, Path], None] = lambda operation, path: None) -> None:
        self.disk = disk
        self.fail = fail
        self.operations = 0
        self.changes = 0
        self.crashed = False

    def die(self) -> None:
        """The process ends here; the system frees its locks."""
        self.crashed = True
        for key in [key for key, holder in self.disk.locks.items() if holder is self]:
            del self.disk.locks[key]

    def temporary_name(self) -> str:
        return self.disk.temporary_name()

    def file_time_ns(self) -> int:
        return self.disk.now_ns()

    def read(self, path: Path) -> bytes:
        self._step("read", path)
        return self.disk.file_at(path).data

    def read_plain(self, path: Path, limit: int) -> FileRead:
        self._step("read", path)
        node = self.disk.find(path)
        if isinstance(node, _Folder):
            raise NotARegularFile(f"{path} is not a plain file")
        node = self.disk.file_at(path)
        return FileRead(node.data[: limit + 1], node.mtime_ns, node.number, node.mode)

    def list_directory(self, path: Path) -> Listing:
        self._step("list", path)
        listing = Listing([], [], [])
        for entry in self.disk.folder_at(path).entries.values():
            node = entry.node
            stamp = FileStamp(entry.name, node.mtime_ns, _size(node), node.number)
            (listing.files if isinstance(node, _File) else listing.others).append(stamp)
        return listing

    def list_names(self, path: Path) -> list[str]:
        self._step("list", path)
        return [entry.name for entry in self.disk.folder_at(path).entries.values()]

    def status(self, path: Path) -> os.stat_result:
        self._alive()
        node = self.disk.find(path)
        if node is None:
            raise _error(errno.ENOENT, path)
        kind = stat.S_IFREG if isinstance(node, _File) else stat.S_IFDIR
        seconds = node.mtime_ns // 1_000_000_000
        numbers = (kind | node.mode, node.number, 1, 1, 0, 0, _size(node), seconds, seconds, seconds)
        return os.stat_result(numbers, {"st_mtime_ns": node.mtime_ns})

    def is_directory(self, path: Path) -> bool:
        self._alive()
        return isinstance(self._found(path), _Folder)

    def exists(self, path: Path) -> bool:
        self._alive()
        return self._found(path) is not None

    def real_path(self, path: Path) -> Path:
        return path

    def write_new(self, path: Path, data: bytes, mode: int) -> None:
        try:
            self._step("write", path)
        except (Crashed, OSError) as error:
            if not isinstance(error, _DeadAlready) and self._found(path) is None:
                self.disk.create(path, data[: len(data) // 2], mode)
            raise
        self.changes += 1
        self.disk.create(path, data, mode)

    def write_all_new(self, folder: Path, files: Sequence[tuple[str, bytes]], mode: int) -> None:
        for name, data in files:
            self.write_new(folder / name, data, mode)

    def set_mode(self, path: Path, mode: int) -> None:
        self._change("mode", path)
        self.disk.file_at(path).mode = mode

    def flush_file(self, path: Path) -> None:
        self._step("flush", path)
        self._flush(path)

    def flush_files(self, directory: Path, names: Sequence[str], meanwhile: Meanwhile = lambda: None) -> None:
        meanwhile()
        self._step("flush", directory)
        for name in names:
            self._flush(directory / name)

    def flush_directory(self, path: Path) -> None:
        self._step("flush directory", path)
        self.disk.flush_names(self.disk.folder_at(path))

    def replace(self, source: Path, target: Path) -> None:
        self._change("replace", target)
        self.disk.rename(source, target)

    def publish_new(self, source: Path, target: Path) -> None:
        self._change("publish", target)
        self.disk.link(source, target)
        self._step("unlink", source)
        self.disk.unlink(source)

    def publish_all_new(self, folder: Path, names: Sequence[tuple[str, str]]) -> list[str]:
        return taken_of(self, folder, names)

    def remove(self, path: Path) -> None:
        self._change("remove", path)
        self.disk.file_at(path)
        self.disk.unlink(path)

    def make_directory(self, path: Path, mode: int) -> None:
        self._change("make directory", path)
        self.disk.make_folder(path, mode)

    def take_lock(self, path: Path, wait_s: float) -> "_SimulatedLock":
        self._alive()
        key = self.disk.spelled_key(path)
        if key in self.disk.locks:  # nobody else runs while this process waits, so nobody lets go
            raise LockTaken(0)
        if self.disk.find(path) is None:
            self.disk.create(path, b"", 0o600)
        self.disk.locks[key] = self
        return _SimulatedLock(self.disk, key, self)

    def _step(self, operation: str, path: Path) -> None:
        self._alive()
        self.operations += 1
        try:
            self.fail(operation, path)
        except Crashed:
            self.die()
            raise

    def _change(self, operation: str, path: Path) -> None:
        self._step(operation, path)
        self.changes += 1

    def _alive(self) -> None:
        if self.crashed:
            raise _DeadAlready

    def _found(self, path: Path) -> _Node | None:
        try:
            return self.disk.find(path)
        except NotADirectoryError:
            return None

    def _flush(self, path: Path) -> None:
        node = self.disk.file_at(path)
        node.durable = node.data


class _DeadAlready(Crashed):
    """A dead process does nothing more."""


@dataclass(frozen=True, slots=True)
class _SimulatedLock:
    """A lock that a process holds."""

    disk: SimulatedDisk
    key: str
    holder: SimulatedFiles

    def release(self) -> None:
        if self.disk.locks.get(self.key) is self.holder:
            del self.disk.locks[self.key]


def _set(folder: _Folder, key: str, entry: _Entry | None) -> None:
    if entry is None:
        folder.entries.pop(key, None)
    else:
        folder.entries[key] = entry


def _walk(path: Path, folder: _Folder) -> Iterator[tuple[Path, _Node]]:
    for entry in sorted(folder.entries.values(), key=lambda one: one.name):
        below, node = path / entry.name, entry.node
        yield below, node
        if isinstance(node, _Folder):
            yield from _walk(below, node)


def _nodes(folder: _Folder) -> Iterator[_File]:
    """Every file in and below a folder, without its path."""
    for entry in folder.entries.values():
        node = entry.node
        if isinstance(node, _File):
            yield node
        else:
            yield from _nodes(node)


def _size(node: _Node) -> int:
    return len(node.data) if isinstance(node, _File) else 4096


def _error(number: int, path: Path) -> OSError:
    return OSError(number, os.strerror(number), str(path))


def _after_power_cut(node: _File, chance: random.Random) -> bytes:
    """What may be left of bytes that were not flushed: the old ones, nothing, a part, NULs, or all of them."""
    before = b"" if node.durable is None else node.durable
    part = node.data[: chance.randrange(len(node.data) + 1)]
    return chance.choice([before, b"", part, part.ljust(len(node.data), b"\0"), bytes(len(node.data)), node.data])


def _copied(folder: _Folder) -> _Folder:
    twin = _Folder(folder.number, folder.mode, folder.mtime_ns)
    for key, entry in folder.entries.items():
        node = entry.node
        if isinstance(node, _Folder):
            twin.entries[key] = _Entry(entry.name, _copied(node))
        else:
            twin.entries[key] = _Entry(entry.name, _File(node.number, node.data, node.mtime_ns, node.mode, node.data))
    return twin
