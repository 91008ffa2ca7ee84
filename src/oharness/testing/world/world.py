"""A world: its machines, its cloud, and the ledger of what people did in it. `story` plays it."""

import asyncio
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from oharness.config.schema import MemorySettings, default_settings
from oharness.core.errors import OharnessError
from oharness.core.scopes import Scope
from oharness.notes.note import Note
from oharness.sync.report import PassReport
from oharness.testing.faults import Crashed
from oharness.testing.randomness import SeededRandomness
from oharness.testing.simulated_disk import SimulatedDisk
from oharness.testing.simulated_time import SimulatedClock, SimulatedLoop
from oharness.testing.world.cloud import Cloud
from oharness.testing.world.cloud_watch import CloudWatch
from oharness.testing.world.ledger import Ledger, Text, text_of
from oharness.testing.world.lying_there import backups_on, text_in
from oharness.testing.world.machine import Machine, Process, Replica, Starter
from oharness.testing.world.trace import Trace


class Broken(AssertionError):
    """The world is not as it has to be; the message says which invariant and how."""


@dataclass(slots=True, eq=False)
class World:
    """Everything there is. `went_up` are the texts that the cloud ever had, by note id; `elsewhere` are texts that
    somebody has who is no machine of ours, `set_beside` the one that is about to become a note of its own.
    `takes_the_clouds`: whoever acts takes what the cloud says, whatever becomes of it there.
    `storage_set_back_at` is when it was last, in the numbers of the ledger.
    `acted` are the texts that the present act wrote, and not what an editor saved in the middle of it.
    """

    loop: SimulatedLoop
    chance: random.Random
    scope: Scope
    trace: Trace
    ledger: Ledger
    cloud: Cloud
    starter: Starter
    machines: list[Machine] = field(default_factory=list)
    went_up: dict[str, set[Text]] = field(default_factory=lambda: defaultdict(set))
    passes: dict[Replica, "asyncio.Task[PassReport | None]"] = field(default_factory=dict)
    batches: list["asyncio.Task[None]"] = field(default_factory=list)
    held: dict[str, dict[str, str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    has_limits: bool = False
    has_old_device: bool = False
    steps: int = 0
    elsewhere: Callable[[], set[Text]] = set
    confirmed: set[Text] = field(default_factory=set)
    cloned_ids: set[str] = field(default_factory=set)
    acting: Replica | None = None
    set_beside: Text | None = None
    takes_the_clouds: bool = False
    storage_set_back_at: int = 0
    acted: set[Text] = field(default_factory=set)

    @property
    def replicas(self) -> list[Replica]:
        """Every notes directory."""
        return [replica for machine in self.machines for replica in machine.replicas]

    def machine(self, name: str, *, ignores_case: bool = False) -> Machine:
        """A new machine with an empty disk."""
        clock = SimulatedClock(self.loop)
        disk = SimulatedDisk(clock.now_ns, self.loop.time, ignores_case=ignores_case)
        machine = Machine(name, disk, clock, SeededRandomness(f"{name} {self.chance.random()}"))
        self.machines.append(machine)
        return machine

    def replica(self, machine: Machine, replica_id: str) -> Replica:
        """A new notes directory on a machine, empty."""
        number = len(machine.replicas)
        name = machine.name if number == 0 else f"{machine.name}{number + 1}"
        folder = Path("/machines") / machine.name / f"shop{number}" / "MEMORY"
        replica = Replica(name, machine, self.scope, replica_id, folder)
        machine.disk.make_folders(folder)
        machine.disk.flush_everything()
        machine.replicas.append(replica)
        return replica

    def process(self, replica: Replica) -> Process:
        """The process of a directory, started again if it died."""
        if replica.process is None or not replica.process.is_alive:
            self.trace.event("process starts", replica.name)
            return self.starter.start(replica)
        return replica.process

    @contextmanager
    def acts(self, replica: Replica) -> Iterator[None]:
        """What happens to note files inside is a person's doing, not sync's; refusals end the act."""
        self.acting = replica
        deletions = len(self.ledger.firm)
        self.acted = set()
        try:
            yield
        except OharnessError as error:
            self.ledger.doubt(self.ledger.firm[deletions:])
            self.trace.say(replica.name, f"  not done: {type(error).__name__}")
        except Crashed:
            self.ledger.doubt(self.ledger.firm[deletions:])
            self.trace.say(replica.name, "  dies in the middle of it")
        else:
            self.confirmed |= self.acted
        finally:
            self.acting = self.set_beside = None
            self.takes_the_clouds = False

    def note_changed(self, replica: Replica, path: Path, before: bytes | None, after: bytes | None) -> None:
        """A process of ours changed a note file."""
        note_id = path.stem
        old, new = text_in(note_id, before), text_in(note_id, after)
        if old is not None and old != new and old not in backups_on(replica.machine):
            raise Broken(f"{note_id} is taken away on {replica.name} and there is no backup of {old}")
        if self.acting is replica:
            if new is not None:
                self.ledger.wrote(old, new)
                self.acted.add(new)
                if not self.takes_the_clouds and not self._is_live(new):
                    self.ledger.meant(new)
                self.stood_here(replica, new)
                if self.set_beside is not None and self.set_beside[1] == new[1]:
                    self.ledger.chose(new, {self.set_beside})
            elif old is not None and note_id in replica.in_sync:
                self.ledger.deleted(old, replica.name)
            elif old is not None:  # of a note that was not in sync a deletion says nothing to others
                self.ledger.vanished(old, replica.name)
            return
        replica.in_sync.discard(note_id)
        if new is not None:
            replica.stood[note_id] = new
        if after is not None and new is None:
            raise Broken(f"sync wrote what is no note: {path} on {replica.name}: {after[:80]!r}")
        if new is not None and old is not None:
            self._combines(replica, old, new)
        elif new is not None and new not in self.ledger.writings:
            raise Broken(f"sync wrote {note_id} on {replica.name}, which nobody wrote: {new}")

    def _is_live(self, text: Text) -> bool:
        """Whether the cloud says just this: then writing it is no edit that anybody could hear of."""
        note = self.cloud.notes().get(text.id)
        return note is not None and text_of(note) == text

    def stood_here(self, replica: Replica, text: Text) -> None:
        """A text stands in a directory: whatever stood there under its id is what it comes after."""
        before = replica.stood.get(text.id)
        if before is not None and before != text:
            self.ledger.came_after[before].add(text)
            if self.ledger.was_deleted_on(before, replica.name):  # whoever writes in its place wants it no more
                self.ledger.replaced_by[before].add(text)
        replica.stood[text.id] = text

    def _combines(self, replica: Replica, old: Text, new: Text) -> None:
        """Sync put one text in the place of another: the cloud's newer one, or what came of both."""
        if new in self.ledger.writings and self.ledger.leads_to(old, {new}):
            return
        there = sorted(self.went_up[new.id])
        merged_with = next((text for text in there if self.ledger.may_be_merged(new, old, text)), None)
        if merged_with is not None:
            if new != merged_with:
                self.trace.say(replica.name, f"  combines {new.id} to {new.name}")
            self.ledger.combined((old, merged_with), new)
        elif new not in self.ledger.writings:
            raise Broken(f"sync wrote {new.id} on {replica.name}, which is no merge: {new} of {old} and one of {there}")

    def hear(self, line: str, note: Note) -> None:
        """An answer brought a note to a line."""
        text = text_of(note)
        if text not in self.ledger.writings and not (
            self.has_old_device and self.ledger.was_brought_by_one_without_types(text)
        ):
            self.faults.append(f"the cloud brings {line} a text of {note.id} that nobody wrote: {text}")

    def takes_in(self, note: Note) -> None:
        """The cloud stores a note."""
        text = text_of(note)
        if text not in self.ledger.writings:
            self.faults.append(f"the cloud takes in a text of {note.id} that nobody wrote: {text}")
        self.went_up[note.id].add(text)
        if any(text in replica.unsent_again for replica in self.replicas):
            self.ledger.restored(note.id)  # every deletion until now was made beside it

    def texts_on(self, replica: Replica) -> set[Text]:
        """What the note files of a directory say."""
        return {text_of(note) for note in replica.notes().values()}

    def heads(self, machine: Machine) -> dict[tuple[str, str], Text]:
        """What the note files of a machine say, by directory and id."""
        return {
            (replica.name, note_id): text_of(note)
            for replica in machine.replicas
            for note_id, note in replica.notes().items()
        }

    def texts_somewhere(self) -> set[Text]:
        """What note files and the cloud say now."""
        here = {text for machine in self.machines for text in self.heads(machine).values()}
        return here | {text_of(note) for note in self.cloud.notes().values()} | self.elsewhere()


def new_world(loop: SimulatedLoop, seed: int, scope: Scope, settings: MemorySettings | None = None) -> World:
    """A world with a cloud and no machines."""
    chance = random.Random(seed)
    trace = Trace(loop.time)
    world: World

    def hear(line: str, note: Note) -> None:
        world.hear(line, note)

    def took_in(note: Note) -> None:
        world.takes_in(note)

    def changed(replica: Replica, path: Path, before: bytes | None, after: bytes | None) -> None:
        world.note_changed(replica, path, before, after)

    cloud = Cloud(SimulatedClock(loop), chance, trace, CloudWatch(trace), hear, took_in)
    starter = Starter(cloud, changed, settings or default_settings().memory)
    world = World(loop, chance, scope, trace, Ledger(), cloud, starter)
    return world
