"""Forgetting everywhere on both devices of a person: nothing is left on either disk, nor in the cloud's objects."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from oharness.config.schema import default_settings
from oharness.core.scopes import ScopeKind
from oharness.disk.git import Git
from oharness.memory.everywhere import Receipt, forget_everywhere, left_of
from oharness.memory.scopes import Memory, Surroundings, open_for_writing
from oharness.memory.sync_traces import purge_waits
from oharness.memory.trace_places import Where, Why
from oharness.syncserver.objects.folder import FolderObjects
from oharness.testing.clock import FakeClock
from oharness.testing.devices import Device
from oharness.testing.randomness import SeededRandomness
from oharness.testing.sync_server import SyncServer

pytestmark = [pytest.mark.memory, pytest.mark.sync]
ID = "door-code-x1f"
BODY = "The code of the back door is zyxwordle since spring."


@dataclass
class People:
    """A laptop and a desk of one person, and the folder that is the cloud's bucket."""

    root: Path
    clock: FakeClock = field(default_factory=FakeClock)
    opened: list[Memory] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bucket = self.root / "bucket"
        store = FolderObjects(self.bucket, self.clock, SeededRandomness("store"))
        self.cloud = SyncServer(self.clock, SeededRandomness("cloud"), store=store)
        self.laptop = Device(self.root / "laptop", self.cloud)
        self.desk = Device(self.root / "desk", self.cloud)

    async def begin(self) -> None:
        await self.cloud.store.start()

    def memory(self, device: Device) -> Memory:
        around = Surroundings(
            device.files,
            device.home,
            default_settings().memory,
            self.clock,
            device.randomness,
            Git({"PATH": os.environ["PATH"]}),
        )
        memory = open_for_writing(around, None)
        self.opened.append(memory)
        return memory

    def forget_everywhere(self, device: Device) -> Receipt:
        return forget_everywhere(self.memory(device), ID, ScopeKind.USER)

    def holding(self, word: str = "zyxwordle") -> list[str]:
        """Every file on both disks and in the bucket that holds the word."""
        files = [path for path in self.root.rglob("*") if path.is_file()]
        return [str(path.relative_to(self.root)) for path in files if word.encode() in path.read_bytes()]


@pytest.fixture
async def people(tmp_path: Path) -> People:
    people = People(tmp_path)
    await people.begin()
    return people


async def in_step(people: People) -> None:
    """The note on both devices, edited once, with everything that sync keeps of it."""
    people.laptop.write(ID, body="An older body with zyxwordle in it.")
    people.laptop.write("other-a", body="Something else altogether.")
    await people.laptop.settle()
    await people.desk.settle()
    people.desk.write(ID, body=BODY)
    await people.desk.settle()
    await people.laptop.settle()


async def test_nothing_is_left_on_both_disks_and_in_the_bucket(people: People) -> None:
    await in_step(people)
    assert any(path.startswith("bucket") for path in people.holding())
    assert any("memory-backups" in path for path in people.holding())

    receipt = people.forget_everywhere(people.laptop)
    assert {(one.where, one.why) for one in receipt.kept} == {
        (Where.CLOUD, Why.WAITS_FOR_SYNC),
        (Where.OTHER_DEVICES, Why.OUT_OF_REACH),
    }
    await people.laptop.settle()
    memory = people.memory(people.laptop)
    assert not purge_waits(memory, people.laptop.directory.scope, ID)
    assert left_of(memory, ID, ScopeKind.USER).found == ()
    assert not [path for path in people.holding() if path.startswith(("bucket", "laptop"))]

    await people.desk.settle()
    assert people.desk.note(ID) is None
    assert [path for path in people.holding() if "desk" in path], "the pull of the deletion left a backup"
    people.forget_everywhere(people.desk)
    await people.desk.settle()
    await people.laptop.settle()
    assert people.holding() == []
    assert people.laptop.note("other-a") is not None
    assert people.desk.note("other-a") is not None


async def test_a_note_that_was_only_deleted_can_still_be_taken_out_of_the_cloud(people: People) -> None:
    await in_step(people)
    people.laptop.forget(ID)
    await people.laptop.settle()
    people.forget_everywhere(people.laptop)
    await people.laptop.settle()
    assert not [path for path in people.holding() if path.startswith(("bucket", "laptop"))]


async def test_a_commit_on_its_way_and_an_open_conflict_go_too(people: People) -> None:
    await in_step(people)
    people.laptop.write(ID, body=BODY.replace("spring", "summer"))
    people.desk.write(ID, body=BODY.replace("spring", "winter"))
    await people.desk.settle()
    await people.laptop.sync()
    assert people.laptop.conflicts()
    note = {"id": ID, "summary": "s", "body": BODY}
    commit = {"scope": "user", "changes": [{"op": "put", "id": ID, "note": note}]}
    people.laptop.directory.outbox.keep(json.dumps(commit).encode())
    receipt = people.forget_everywhere(people.laptop)
    assert {Where.CONFLICTS, Where.OUTBOX, Where.SYNCED_COPIES} <= {one.where for one in receipt.removed}
    assert not [path for path in people.holding() if path.startswith("laptop")]


async def test_while_a_pass_runs_what_sync_keeps_stays_and_is_said(people: People) -> None:
    await in_step(people)
    lock = people.laptop.directory.state.lock(0)
    try:
        receipt = forget_everywhere(people.memory(people.laptop), ID, ScopeKind.USER, pass_wait_s=0.0)
    finally:
        lock.release()
    assert (Where.SYNCED_COPIES, Why.SYNC_RUNNING) in {(one.where, one.why) for one in receipt.kept}
    people.forget_everywhere(people.laptop)
    assert not [path for path in people.holding() if path.startswith("laptop")]
