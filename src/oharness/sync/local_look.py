"""Does a notes directory hold something that the cloud may not have? A look at the files, without asking anybody.

Files whose looks are known to be in sync are not opened. What sync itself wrote is in sync, so that a pull is not
taken for an edit. Everything here blocks.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from oharness.core.errors import StorageFailed
from oharness.disk.note_dir import DirectoryRedirected, NoteFile, Scan
from oharness.disk.sync_shapes import KnownFile, Progress
from oharness.notes.entry import FileStamp
from oharness.notes.frontmatter import FILE_SUFFIX, note_file_name
from oharness.notes.hashing import content_hash
from oharness.protocol.errors import ErrorCode
from oharness.protocol.quotas import Standing
from oharness.protocol.snapshot import PollQuery
from oharness.protocol.values import Epoch
from oharness.reconcile.baseline import AgreedOn, Baseline, InCloud
from oharness.sync.directory import Directory
from oharness.sync.wire import known_revision

_BY_COUNT = (ErrorCode.TOO_MANY_NOTES, ErrorCode.PLAN_NOTES)


@dataclass(frozen=True, slots=True)
class LocalLook:
    """`stamps`: how every file looked, once it has been dealt with. `differs`: some need a pass."""

    stamps: Mapping[str, FileStamp]
    differs: bool


@dataclass(frozen=True, slots=True)
class Bearings:
    """Where a directory stands after its last pass, whoever made it.

    `query` asks the cloud whether it has moved on; None when only a pass can tell. `again`: something was seen that
    another pass has to see too. `plan` is what notes were held back for, None where none were.
    """

    query: PollQuery | None
    again: bool
    plan: str | None


def first_look(directory: Directory) -> LocalLook:
    """The look when nothing is known but what the last pass kept.

    Raises: StateFromNewerVersion; StorageFailed.
    """
    baseline = directory.state.baseline()
    known = directory.state.known_files()
    in_sync = {name: file.stamp for name, file in known.items() if _is_agreed(baseline, name, file)}
    found = look(directory, in_sync)
    return found if found.differs else LocalLook(found.stamps, _lacks_notes(baseline, found.stamps))


def look(directory: Directory, stamps: Mapping[str, FileStamp]) -> LocalLook:
    """The look when files that look like this have been dealt with.

    Raises: StateFromNewerVersion; StorageFailed.
    """
    try:
        found = _by_name(directory.folder.scan())
    except (StorageFailed, DirectoryRedirected):  # a pass would say so; an edit is not what one can see here
        return LocalLook(stamps, differs=False)
    changed = [name for name, stamp in found.items() if stamps.get(name) != stamp]
    gone = [name for name in stamps if name not in found]
    if not changed and not gone:
        return LocalLook(stamps, differs=False)
    baseline = directory.state.baseline()
    read = {name: directory.folder.read(name) for name in changed}
    differs = _any_gone(baseline, gone) or not all(
        isinstance(file, NoteFile) and _hash_agreed(baseline, name) == content_hash(file.note)
        for name, file in read.items()
    )
    settled = {name: file.stamp for name, file in read.items() if file is not None}
    return LocalLook({**{name: stamps[name] for name in stamps if name in found}, **settled}, differs)


def bearings(directory: Directory) -> Bearings:
    """Where the directory stands.

    Raises: StateFromNewerVersion; StorageFailed.
    """
    progress, baseline, guard = directory.state.progress(), directory.state.baseline(), directory.state.guard()
    query = None
    if baseline is not None and progress.spoke_current and directory.outbox.waiting() is None:
        query = PollQuery(directory.scope, Epoch(baseline.epoch), baseline.version, known_revision(baseline))
    plan = f"{progress.plan} {progress.max_notes} {progress.max_body_bytes}" if progress.held_back else None
    again = bool(guard.history.missing_before) or _has_room_again(progress)
    return Bearings(query, again, plan)


def _has_room_again(progress: Progress) -> bool:
    """Whether notes were held back by a limit that counts otherwise since the pass deleted others (P-36)."""
    held_back = (note_id for note_id, reason in progress.held_back.items() if reason in _BY_COUNT)
    return any(note_id not in progress.refusals for note_id in held_back)


def plan_of(standing: Standing) -> str:
    """The plan that an answer announces, as `Bearings.plan` has it."""
    limits = standing.plan.limits
    return f"{standing.plan.name} {limits.max_notes if limits else None} {limits.max_body_bytes if limits else None}"


def _by_name(scan: Scan) -> dict[str, FileStamp]:
    return {stamp.name: stamp for stamp in (*scan.files, *(problem.stamp for problem in scan.problems))}


def _is_agreed(baseline: Baseline | None, name: str, file: KnownFile) -> bool:
    return file.reason is None and file.hash == _hash_agreed(baseline, name)


def _hash_agreed(baseline: Baseline | None, name: str) -> str | None:
    agreed = baseline.entry(_note_id(name)).agreed if baseline else None
    return agreed.version.hash if isinstance(agreed, AgreedOn) else None


def _any_gone(baseline: Baseline | None, names: Iterable[str]) -> bool:
    """Whether a file went whose note the cloud still has."""
    return baseline is not None and any(isinstance(baseline.entry(_note_id(name)).seen, InCloud) for name in names)


def _lacks_notes(baseline: Baseline | None, present: Collection[str]) -> bool:
    """Whether notes went while nobody looked."""
    synced = baseline.entries.items() if baseline else ()
    return any(isinstance(entry.seen, InCloud) and note_file_name(note_id) not in present for note_id, entry in synced)


def _note_id(name: str) -> str:
    return name[: -len(FILE_SUFFIX)]
