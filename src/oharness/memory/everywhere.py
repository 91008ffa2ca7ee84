"""Forgetting a note everywhere, with a receipt; and looking whether anything is left of one.

Backups go last: interrupted anywhere, the same command finds out from them what to look for, and finishes. When they
are gone too, the note's fingerprint still knows its words again. What cannot be removed from here is said.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from oharness.core.scopes import Scope, ScopeKind
from oharness.disk.atomic import Anything, Holding, digest_of, remove_files
from oharness.disk.git import checkout_around
from oharness.disk.note_dir import DamagedFile, NoteFile
from oharness.extract.traces import Sought, Version
from oharness.memory.conversation_traces import conversation_stores
from oharness.memory.finding import close_ids
from oharness.memory.forgotten import forgotten_notes, keep_fingerprint
from oharness.memory.note_traces import BackupStore, last_stores, other_notes_that_said_it, texts_kept_of
from oharness.memory.reading import search_notes
from oharness.memory.scopes import Memory
from oharness.memory.service import MemoryService, NoteNotFound
from oharness.memory.sync_traces import PASS_WAIT_S, is_known_to_sync, purge_waits, sync_stores
from oharness.memory.trace_places import Store, Taken, Where, Why
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note

_MOST_LIKE_IT = 50


@dataclass(frozen=True, slots=True)
class Found:
    """How much of the note is in one place."""

    where: Where
    count: int


@dataclass(frozen=True, slots=True)
class Stays:
    """What cannot be removed from here, and why; `detail` names it where there is a name."""

    where: Where
    why: Why
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """Everything that is there of a note: what can be removed, and what cannot."""

    id: str
    scope: ScopeKind
    found: tuple[Found, ...]
    stays: tuple[Stays, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was removed, and what stays."""

    id: str
    scope: ScopeKind
    removed: tuple[Found, ...]
    kept: tuple[Stays, ...]


@dataclass(frozen=True, slots=True)
class _Aim:
    service: MemoryService
    note: Note | None
    sought: Sought

    @property
    def scope(self) -> Scope:
        return self.service.scope


def look_everywhere(memory: Memory, note_id: str, kind: ScopeKind | None) -> Look:
    """Every place where the text of the note still is, deleted or not.

    Raises: NoProjectHere, UserNotesUnavailable, StorageFailed, BrokenFile.
    """
    return _looked(memory, _aim(memory, note_id, kind))


def check_known(memory: Memory, look: Look) -> None:
    """Returns when there is, or was, a note of this id.

    Raises: NoteNotFound with ids that look like it.
    """
    known = forgotten_notes(memory, memory.service(look.scope).scope).known()
    if not look.found and not look.stays and not (known and known.of_id(look.id)):
        raise NoteNotFound(look.id, "", close_ids(memory, look.id, None))


def forget_everywhere(
    memory: Memory, note_id: str, kind: ScopeKind | None, pass_wait_s: float = PASS_WAIT_S
) -> Receipt:
    """Removes the note and every trace of its text that this machine may remove; may be repeated, also after a crash.

    The cloud's objects go with the next pass of sync. No backup is made: that is what was asked for.
    Raises: as `look_everywhere`, FolderBusy, NoteChangedOnDisk; what is left then goes with the next attempt.
    """
    aim = _aim(memory, note_id, kind)
    if aim.note is not None:
        keep_fingerprint(memory, aim.scope, aim.note)
    removed: list[Found] = []
    kept: list[Stays] = []

    def take_out(stores: Iterable[Store]) -> None:
        for store in stores:
            _note_down(store.where, store.take_out(aim.sought), removed, kept)

    take_out(conversation_stores(memory))
    take_out(sync_stores(memory, aim.scope, pass_wait_s))
    if is_known_to_sync(memory, aim.scope, note_id):
        aim.service.changes.before_purge(note_id, content_hash(aim.note) if aim.note else "")
        kept.append(Stays(Where.CLOUD, Why.WAITS_FOR_SYNC))
        kept.append(Stays(Where.OTHER_DEVICES, Why.OUT_OF_REACH))
    _note_down(Where.NOTE, _without_note(aim.service, note_id), removed, kept)
    kept += _elsewhere(memory, aim)
    take_out(last_stores(memory, aim.scope, aim.service.folder.path))
    _note_down(Where.RECALL_INDEX, _without_index(memory, bool(removed)), removed, kept)
    return Receipt(note_id, aim.service.kind, tuple(removed), tuple(kept))


def after_a_pass(memory: Memory, receipt: Receipt) -> Receipt:
    """The receipt once sync had a pass: the cloud's copies are gone too, unless it has still to be asked for that."""
    if purge_waits(memory, memory.service(receipt.scope).scope, receipt.id):
        return receipt
    kept = tuple(one for one in receipt.kept if one.where is not Where.CLOUD)
    return replace(receipt, removed=(*receipt.removed, Found(Where.CLOUD, 1)), kept=kept)


def left_of(memory: Memory, note_id: str, kind: ScopeKind | None) -> Look:
    """What is left of a note that was forgotten: known by its id, and by its fingerprint. As `look_everywhere`."""
    aim = _aim(memory, note_id, kind)
    look = _looked(memory, aim)
    cloud = [Stays(Where.CLOUD, Why.WAITS_FOR_SYNC)] if purge_waits(memory, aim.scope, note_id) else []
    return Look(look.id, look.scope, look.found, (*look.stays, *cloud))


def _looked(memory: Memory, aim: _Aim) -> Look:
    note_id = aim.sought.note_id
    stores = [*conversation_stores(memory), *sync_stores(memory, aim.scope)]
    stores += last_stores(memory, aim.scope, aim.service.folder.path)
    found = [Found(store.where, store.count(aim.sought)) for store in stores]
    live = aim.service.read(note_id)
    found.insert(0, Found(Where.NOTE, int(live is not None)))
    stays = _elsewhere(memory, aim)
    if live is not None and is_known_to_sync(memory, aim.scope, note_id):
        found.append(Found(Where.CLOUD, 1))
    return Look(note_id, aim.service.kind, tuple(one for one in found if one.count), tuple(stays))


def _aim(memory: Memory, note_id: str, kind: ScopeKind | None) -> _Aim:
    memory.refresh()
    service = memory.service(kind) if kind is not None else _service_with(memory, note_id)
    live = service.read(note_id)
    note = live.note if isinstance(live, NoteFile) else None
    versions = [*([note] if note else []), *texts_kept_of(memory, service.scope, note_id)]
    known = forgotten_notes(memory, service.scope).known()
    fingerprints = [(one, known.salt) for one in known.of_id(note_id)] if known else []
    told = [Version(version.summary, version.body) for version in versions]
    return _Aim(service, note or (versions[0] if versions else None), Sought(note_id, told, fingerprints))


def _service_with(memory: Memory, note_id: str) -> MemoryService:
    """The scope that has the note, else the one where something is left of it, else the project's."""
    services = memory.services()
    tests: tuple[Callable[[MemoryService], bool], ...] = (
        lambda service: service.read(note_id) is not None,
        lambda service: any(one.scope == service.scope for one in BackupStore(memory, service.scope).of_note(note_id)),
        lambda service: bool(texts_kept_of(memory, service.scope, note_id)),
        lambda service: bool((known := forgotten_notes(memory, service.scope).known()) and known.of_id(note_id)),
    )
    found = [service for test in tests for service in services if test(service)]
    return found[0] if found else memory.service(services[0].kind if services else ScopeKind.USER)


def _without_note(service: MemoryService, note_id: str) -> Taken:
    with service.changing():
        match service.read(note_id):
            case NoteFile() as file:
                service.delete(note_id, file.expected)
                return Taken(1)
            case DamagedFile(data=data) if data:
                service.delete(note_id, Holding(digest_of(data)))
                return Taken(1)
            case DamagedFile():
                return Taken(0, Why.NOT_A_NOTE)
            case None:
                return Taken(0)


def _without_index(memory: Memory, anything: bool) -> Taken:
    """The indexes are made anew from the notes; what a database has deleted may still lie in its pages."""
    files, folder = memory.around.files, memory.around.home.index
    try:
        names = files.list_names(folder) if anything else []
    except OSError:
        return Taken(0)
    for service in memory.services():
        service.drop_index()
    paths = [folder / name for name in names if ".sqlite" in name]
    remove_files(files, [(path, Anything()) for path in paths])
    memory.refresh()
    return Taken(sum(path.suffix == ".sqlite" for path in paths))


def _elsewhere(memory: Memory, aim: _Aim) -> list[Stays]:
    """Where only a person can remove it: commits of git, other notes that say the same, and their earlier versions."""
    stays = []
    path = aim.service.folder.note_path(aim.sought.note_id)
    checkout = checkout_around(path.parent)
    if checkout is not None and memory.around.git.has_in_history(checkout, path):
        stays.append(Stays(Where.GIT_HISTORY, Why.IN_COMMITS, str(path.relative_to(checkout.root))))
    for kind, note_id in _like(memory, aim):
        found = memory.service(kind).read(note_id)
        if isinstance(found, NoteFile) and _says(found.note, aim.sought):
            stays.append(Stays(Where.OTHER_NOTES, Why.SAID_IN_ANOTHER_NOTE, note_id))
    named = {one.detail for one in stays}
    earlier = [one for one in other_notes_that_said_it(memory, aim.scope, aim.sought) if one not in named]
    return stays + [Stays(Where.OTHER_VERSIONS, Why.SAID_IN_EARLIER_VERSION, note_id) for note_id in earlier]


def _like(memory: Memory, aim: _Aim) -> list[tuple[ScopeKind, str]]:
    """The notes that may say the same: by the words they share, or where no words are left to look for, all."""
    if aim.note is None:
        found = [(service.kind, entry.id) for service in memory.services() for entry in service.entries()]
    else:
        words = f"{aim.note.summary} {aim.note.body}"
        found = [(one.scope, one.entry.id) for one in search_notes(memory, words, _MOST_LIKE_IT)]
    return [one for one in found if one != (aim.service.kind, aim.sought.note_id)]


def _says(note: Note, sought: Sought) -> bool:
    return sought.holds_its_words(note.summary) or sought.holds_its_words(note.body)


def _note_down(where: Where, taken: Taken, removed: list[Found], kept: list[Stays]) -> None:
    if taken.count:
        removed.append(Found(where, taken.count))
    if taken.stays is not None:
        kept.append(Stays(where, taken.stays))
