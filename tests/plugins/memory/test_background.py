"""Sync beside a conversation: told of every write, with one coordinator for all, and taken along at the end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from oharness.core.scopes import USER_SCOPE, Scope, project_scope
from oharness.disk.atomic import Absent, Holding
from oharness.disk.recall_index import RecallIndex
from oharness.disk.usage import UsageFile
from oharness.harness.descriptors import RunContext
from oharness.memory.changes import IntentRecorder
from oharness.memory.service import MemoryService
from oharness.notes.note import Note
from oharness.plugins.memory.background import BackgroundSync, SyncedNotes, use_hook
from oharness.sync.coordinator import Coordinator
from oharness.testing.live import LiveCloud, LiveMachine, run_live
from oharness.testing.simulated_network import Unreachable

pytestmark = pytest.mark.sync

SHOP = project_scope("shop")


def service_of(machine: LiveMachine, scope: Scope) -> MemoryService:
    directory = machine.directories[scope]
    changes = IntentRecorder(directory.intents, directory.marks, directory.clock)
    usage = UsageFile(machine.files, machine.home, scope, directory.clock)
    return MemoryService(scope, directory.folder, RecallIndex.in_memory(), usage, changes, 5000)


def background_of(machine: LiveMachine, service: MemoryService) -> BackgroundSync:
    @asynccontextmanager
    async def lent() -> AsyncIterator[Coordinator]:
        yield machine.coordinator

    return BackgroundSync((SyncedNotes(service, machine.directories[service.scope]),), lent, 60)


def note(note_id: str) -> Note:
    return Note(note_id, f"Summary of {note_id}", "text")


def test_what_the_memory_writes_and_deletes_goes_up_without_anybody_watching_files(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", [USER_SCOPE]) as a:
            service = service_of(a, USER_SCOPE)
            background = background_of(a, service)
            await background.start()
            await cloud.passes(30)
            service.write(note("n"), Absent())
            await cloud.passes(5)
            assert cloud.made("a").count("commit") == 1
            found = service.read("n")
            assert found is not None
            assert isinstance(found.expected, Holding)
            service.changes.before_delete("n", "")
            service.delete("n", found.expected)
            await cloud.passes(5)
            assert cloud.made("a").count("commit") == 2
            await background.stop()
            assert service.listeners == []

    run_live(story)


def test_what_was_written_last_is_taken_along_at_the_end(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", [USER_SCOPE]) as a:
            service = service_of(a, USER_SCOPE)
            background = background_of(a, service)
            await background.start()
            service.write(note("n"), Absent())
            await background.stop()
            assert "commit" in cloud.made("a")

    run_live(story)


def test_the_end_does_not_wait_for_a_cloud_that_is_away(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        cloud.fate = lambda request: Unreachable()
        async with cloud.machine(tmp_path / "a", [USER_SCOPE]) as a:
            service = service_of(a, USER_SCOPE)
            background = background_of(a, service)
            await background.start()
            service.write(note("n"), Absent())
            began = cloud.loop.time()
            await background.stop()
            assert cloud.loop.time() - began <= 5

    run_live(story)


def test_a_message_is_a_use_of_the_project(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", [SHOP]) as a:
            background = background_of(a, service_of(a, SHOP))
            await background.start()
            await cloud.passes(7200)
            began = cloud.loop.time()
            await cloud.passes(600)
            assert cloud.made("a", since=began) == []
            hook = use_hook(background)
            assert hook.on_start is not None
            await hook.on_start(RunContext("s", tmp_path, ()))
            await cloud.passes(1)
            assert cloud.made("a", since=began) == ["poll"]
            await background.stop()

    run_live(story)


def test_nobody_signed_in_asks_nobody(tmp_path: Path) -> None:
    async def story(cloud: LiveCloud) -> None:
        async with cloud.machine(tmp_path / "a", [USER_SCOPE], account="") as a:
            service = service_of(a, USER_SCOPE)
            background = background_of(a, service)
            await background.start()
            service.write(note("n"), Absent())
            await cloud.passes(600)
            began = cloud.loop.time()
            await background.stop()
            assert cloud.loop.time() == began
            assert cloud.requests == []

    run_live(story)
