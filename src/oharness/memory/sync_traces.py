"""What sync keeps of a note in every directory of its scope, and whether the cloud has something of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from oharness.core.scopes import Scope
from oharness.disk.atomic import storage_errors
from oharness.disk.deletion_intents import DeletionIntents
from oharness.disk.outbox import Outbox
from oharness.disk.sync_state import SyncBusy, SyncState
from oharness.extract.traces import Sought, parsed
from oharness.memory.scopes import Memory
from oharness.memory.trace_places import Store, Taken, Where, Why

PASS_WAIT_S = 20.0
"""How long a pass of sync that is going on is waited for."""


def sync_stores(memory: Memory, scope: Scope, wait_s: float = PASS_WAIT_S) -> list[Store]:
    """What sync keeps beside the notes."""
    return [
        SyncStore(
            memory, scope, Where.CONFLICTS, _in_conflicts, lambda s, o, n: s.close_conflicts([n.note_id]), wait_s
        ),
        SyncStore(memory, scope, Where.OUTBOX, _in_outbox, lambda s, o, n: o.clear(), wait_s),
        SyncStore(memory, scope, Where.SYNCED_COPIES, _in_copies, lambda s, o, n: _drop_copies(s, n.note_id), wait_s),
    ]


@dataclass(frozen=True, slots=True)
class SyncStore:
    """What sync keeps of the scope in every directory that it was synced in from here."""

    memory: Memory
    scope: Scope
    where: Where
    held: Callable[[SyncState, Outbox, Sought], int]
    remove: Callable[[SyncState, Outbox, Sought], None]
    wait_s: float

    def count(self, sought: Sought) -> int:
        return sum(self.held(state, outbox, sought) for state, outbox in replicas(self.memory, self.scope))

    def take_out(self, sought: Sought) -> Taken:
        taken = 0
        for state, outbox in replicas(self.memory, self.scope):
            if not (held := self.held(state, outbox, sought)):
                continue
            try:
                lock = state.lock(self.wait_s)
            except SyncBusy:
                return Taken(taken, Why.SYNC_RUNNING)
            try:
                self.remove(state, outbox, sought)
            finally:
                lock.release()
            taken += held
        return Taken(taken)


def is_known_to_sync(memory: Memory, scope: Scope, note_id: str) -> bool:
    """Whether a pass ever saw the note in the cloud, so that other devices may have it."""
    for state, _ in replicas(memory, scope):
        baseline = state.baseline()
        if baseline is not None and note_id in baseline.entries:
            return True
    return False


def purge_waits(memory: Memory, scope: Scope, note_id: str) -> bool:
    """Whether the cloud has still to be asked to remove the note's objects."""
    files, home = memory.around.files, memory.around.home
    names = [state.folder.name for state, _ in replicas(memory, scope)]
    intents = [one for name in names for one in DeletionIntents(files, home, scope, name).all()]
    return any(one.note_id == note_id and one.purge for one in intents)


def replicas(memory: Memory, scope: Scope) -> Iterator[tuple[SyncState, Outbox]]:
    """What sync keeps of each directory that the scope was synced in from here.

    Raises: StorageFailed.
    """
    files, home = memory.around.files, memory.around.home
    folder = home.sync_state / scope.digest
    with storage_errors(folder):
        try:
            names = sorted(files.list_names(folder))
        except (FileNotFoundError, NotADirectoryError):
            return
    for name in names:
        if files.is_directory(folder / name):
            yield SyncState(files, home, scope, name), Outbox(files, home, scope, name)


def _in_conflicts(state: SyncState, outbox: Outbox, sought: Sought) -> int:
    return int(sought.note_id in state.conflicts())


def _in_outbox(state: SyncState, outbox: Outbox, sought: Sought) -> int:
    """Whether a commit that waits for its answer carries the text; what it wanted to send is planned anew."""
    waiting = outbox.waiting()
    commit = parsed(waiting.decode("utf-8", "replace")) if waiting else None
    changes = commit.get("changes") if isinstance(commit, dict) else None
    listed = changes if isinstance(changes, list) else []
    return sum(isinstance(one, dict) and one.get("id") == sought.note_id and "note" in one for one in listed)


def _in_copies(state: SyncState, outbox: Outbox, sought: Sought) -> int:
    return len(state.copies.of_note(sought.note_id))


def _drop_copies(state: SyncState, note_id: str) -> None:
    state.copies.drop(note_id)
