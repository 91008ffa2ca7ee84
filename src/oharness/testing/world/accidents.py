"""What goes wrong by itself: disks, power, clocks, storage set back, time passing."""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from oharness.testing.faults import Crashed
from oharness.testing.world.ledger import Text, text_of
from oharness.testing.world.machine import Machine, Process, Replica
from oharness.testing.world.people import edits_a_file, removes_a_file
from oharness.testing.world.world import World

TEN_YEARS_S = 10 * 365 * 86_400
PAST_THE_WINDOW_S = 100 * 86_400
_SAFE_TO_INTERRUPT = ("list", "read", "write", "flush", "make directory")


@dataclass(slots=True)
class Trouble:
    """What one process's disk has in store: `crash_in` operations the end, errors, and strangers at work.

    `takes_power`: the crash is a power cut.
    """

    crash_in: int | None = None
    takes_power: bool = False
    error: int | None = None
    errors: int = 0
    visits: list[tuple[int, Callable[[], None]]] = field(default_factory=list)

    def __call__(self, operation: str, path: Path) -> None:
        """Asked before each operation. Nobody writes between the last look at a file and its replacement."""
        if self.visits and operation in _SAFE_TO_INTERRUPT:
            self.visits = [(left - 1, visit) for left, visit in self.visits]
            due = [visit for left, visit in self.visits if left <= 0]
            self.visits = [(left, visit) for left, visit in self.visits if left > 0]
            for visit in due:
                visit()
        if self.crash_in is not None:
            self.crash_in -= 1
            if self.crash_in <= 0:
                self.crash_in = None
                raise Crashed(f"at {operation} {path.name}")
        if self.errors and self.error is not None and _can_fail(operation, self.error):
            self.errors -= 1
            raise OSError(self.error, os.strerror(self.error), str(path))


def _can_fail(operation: str, error: int) -> bool:
    return operation in ("write", "make directory") if error == errno.ENOSPC else operation not in ("unlink",)


def trouble_of(process: Process) -> Trouble:
    """The trouble of a process, made at the first."""
    if not isinstance(process.files.fail, Trouble):
        process.files.fail = Trouble()
    return process.files.fail


def is_about_to_crash(world: World, replica: Replica) -> None:
    """The process ends at one of its next file operations."""
    trouble = trouble_of(world.process(replica))
    trouble.crash_in = world.chance.randint(1, 60)
    trouble.takes_power = world.chance.random() < 0.5
    world.trace.event("fault: crash", replica.name, f"in {trouble.crash_in}{' by power' * trouble.takes_power}")


def has_a_failing_disk(world: World, replica: Replica) -> None:
    """Some operations fail, or the disk is full for a while."""
    trouble = trouble_of(world.process(replica))
    trouble.error = world.chance.choice((errno.EIO, errno.ENOSPC))
    trouble.errors = world.chance.randint(1, 3)
    kind = "full disk" if trouble.error == errno.ENOSPC else "disk error"
    world.trace.event(f"fault: {kind}", replica.name, str(trouble.errors))


def is_visited_in_mid_pass(world: World, replica: Replica) -> None:
    """Another program edits or removes a file while oHarness is at work."""

    def visit() -> None:
        (edits_a_file if world.chance.random() < 0.8 else removes_a_file)(world, replica)

    trouble_of(world.process(replica)).visits.append((world.chance.randint(1, 30), visit))
    world.trace.event("fault: edit in mid-pass", replica.name)


def after_a_crash(world: World, replica: Replica) -> None:
    """A process has just died: of a power cut, the machine with it."""
    fail = replica.process.files.fail if replica.process else None
    if isinstance(fail, Trouble) and fail.takes_power:
        fail.takes_power = False
        loses_power(world, replica.machine)


def loses_power(world: World, machine: Machine) -> None:
    """Everything running on the machine ends; what was not flushed may be gone."""
    world.trace.event("fault: power cut", machine.name)
    for replica in machine.replicas:
        _kill(replica)
    before = world.heads(machine)
    flushed = {key for key in before if machine.disk.is_flushed(_path(machine, key))}
    machine.disk.lose_power(world.chance)
    after = world.heads(machine)
    there = world.texts_somewhere()
    for key, text in before.items():
        if key not in flushed and text not in world.confirmed and after.get(key) != text and text not in there:
            world.ledger.excuse([text])
    _take_note_of(world, machine, before)


def is_set_back(world: World, machine: Machine) -> None:
    """A machine comes back from its backup, with everything that lay on it then."""
    if machine.backup is None:
        machine.backup = machine.disk.copy()
        machine.backup_number = world.ledger.number
        unsent = {text for text in world.heads(machine).values() if text not in world.went_up.get(text.id, ())}
        machine.unsent_in_backup = unsent.union(*(replica.unsent_again for replica in machine.replicas))
        world.trace.event("machine is backed up", machine.name)
        return
    world.trace.event("fault: machine set back", machine.name)
    for replica in machine.replicas:
        _kill(replica)
        replica.in_sync.clear()
    before = world.heads(machine)
    machine.disk.restore(machine.backup)
    for replica in machine.replicas:
        texts = world.texts_on(replica)
        is_same_storage = world.storage_set_back_at <= machine.backup_number
        replica.unsent_again = texts & machine.unsent_in_backup if is_same_storage else texts
    names = {replica.name for replica in machine.replicas}
    world.ledger.doubt([one for one in world.ledger.firm if one.device in names and one.number > machine.backup_number])
    world.ledger.excuse(set(before.values()) - world.texts_somewhere())
    _take_note_of(world, machine, before)


def clock_jumps(world: World, machine: Machine) -> None:
    """Somebody sets the clock."""
    seconds = world.chance.choice((-TEN_YEARS_S, TEN_YEARS_S, -3600, 3600, -86_400))
    world.trace.event("fault: clock jumps", machine.name, f"{seconds} s")
    machine.clock.jump(seconds)


def storage_is_set_back(world: World) -> None:
    """The storage comes back from a backup, or empty."""
    cloud = world.cloud
    if cloud.backup is None:
        cloud.backup = cloud.objects.copy()
        world.trace.event("storage is backed up", "store")
        return
    wiped = world.chance.random() < 0.4
    world.trace.event("fault: storage wiped" if wiped else "fault: storage set back", "store")
    before = {text_of(note) for note in cloud.notes().values()}
    cloud.objects.set_back({} if wiped else cloud.backup)
    cloud.watch.set_back()
    cloud.start()
    world.ledger.number += 1
    world.storage_set_back_at = world.ledger.number
    for replica in world.replicas:
        replica.in_sync.clear()
        replica.unsent_again |= world.texts_on(replica)
    world.ledger.doubt(world.ledger.firm)
    world.ledger.excuse(before - world.texts_somewhere())


def service_restarts(world: World) -> None:
    """The service forgets everything that is not in its storage."""
    world.trace.event("service restarts", "store")
    world.cloud.start()


def plan_changes(world: World) -> None:
    """The account becomes paid or free; devices learn of it with their next token."""
    world.cloud.plan = "free" if world.cloud.plan == "paid" else "paid"
    world.trace.event("fault: plan changes", "cloud", world.cloud.plan)


def _kill(replica: Replica) -> None:
    if replica.process is not None:
        replica.process.files.die()


def _path(machine: Machine, key: tuple[str, str]) -> Path:
    replica = next(one for one in machine.replicas if one.name == key[0])
    return replica.path(key[1])


def _take_note_of(world: World, machine: Machine, before: dict[tuple[str, str], Text]) -> None:
    """What an accident left in note files that nobody ever wrote counts as written by somebody now."""
    for key, text in world.heads(machine).items():
        if text not in world.ledger.writings:
            world.ledger.wrote(before.get(key), text)
