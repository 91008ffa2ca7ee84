"""Extraction on disk: kept before the model is asked, saved once, gone on with wherever the process ended."""

import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.extract.conversation import Speaker, Turn
from oharness.memory.extraction import LONGEST_WAIT_MS, Extraction
from oharness.memory.forget import forget
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.restoring import restore_backup
from oharness.memory.scopes import Memory
from oharness.testing.faults import Crashed, FaultyFileSystem, counted

pytestmark = pytest.mark.memory
World = Any
TALK = [
    Turn(Speaker.USER, "The staging server listens on port 8081, the proxy takes 8080.", Millis(1)),
    Turn(Speaker.ASSISTANT, "Understood.", Millis(2)),
]
PORT: dict[str, Any] = {
    "summary": "The staging server listens on port 8081",
    "body": "The proxy takes 8080.",
    "type": "project",
    "scope": "project",
    "tags": ["staging"],
}


def answer(*notes: dict[str, Any], updates: tuple[dict[str, Any], ...] = ()) -> str:
    return json.dumps({"notes": notes, "updates": updates})


def run(memory: Memory, text: str) -> None:
    """A whole pass over all that waits, with this answer of the model."""
    extraction = Extraction(memory)
    for name in extraction.unfinished():
        claimed = extraction.claim(name)
        assert claimed is not None
        try:
            prepared = extraction.prepare(claimed)
            if prepared is not None:
                extraction.save(prepared, text)
        finally:  # the system frees the lock of a process that dies
            extraction.let_go(claimed)


def kept(memory: Memory, session: str = "talk") -> Extraction:
    extraction = Extraction(memory)
    extraction.keep_for_later(session, TALK)
    return extraction


def jobs(world: World) -> list[Any]:
    return [json.loads(path.read_text()) for path in sorted((world.home / "memory-extraction").rglob("*.json"))]


def test_what_was_said_waits_on_disk_until_the_model_has_answered(world: World) -> None:
    memory = world.open()
    extraction = kept(memory)
    (job,) = jobs(world)
    assert job["step"] == "waiting"
    assert job["turns"][0]["text"] == TALK[0].text
    run(memory, answer(PORT))
    (job,) = jobs(world)
    assert job["step"] == "saved"
    assert "text" not in json.dumps(job), "nothing of what was said stays"
    assert [one.summary for one in extraction.announce("talk", others=False)] == [PORT["summary"]]
    assert jobs(world) == []


def test_only_one_process_works_on_a_job(world: World) -> None:
    memory = world.open()
    extraction = kept(memory)
    (name,) = extraction.unfinished()
    claimed = extraction.claim(name)
    assert claimed is not None
    assert Extraction(world.open()).claim(name) is None
    extraction.let_go(claimed)
    again = Extraction(world.open()).claim(name)
    assert again is not None
    extraction.let_go(again)


def test_a_job_that_waited_a_week_is_let_go(world: World) -> None:
    memory = world.open()
    kept(memory)
    world.clock.advance(LONGEST_WAIT_MS / 1000 + 1)
    run(memory, answer(PORT))
    assert jobs(world) == []
    assert memory.service(ScopeKind.PROJECT).entries() == []


def test_of_two_folders_with_one_project_each_has_its_own_jobs(world: World) -> None:
    memory = world.open()
    kept(memory)
    clone = world.root.parent / "clone"
    shutil.copytree(world.root, clone)
    assert Extraction(world.open(root=clone)).unfinished() == []
    assert len(Extraction(world.open()).unfinished()) == 1


def test_a_project_that_was_renamed_takes_its_jobs_along(world: World) -> None:
    memory = world.open()
    kept(memory)
    moved = world.root.parent / "moved"
    world.root.rename(moved)
    assert len(Extraction(world.open(root=moved)).unfinished()) == 1


def test_notes_of_both_scopes_are_saved_outside_a_project_only_the_users(world: World) -> None:
    memory = world.open_outside()
    kept(memory)
    mine = PORT | {"scope": "user", "summary": "Ann's staging server listens on port 8081"}
    run(memory, answer(PORT, mine))
    assert [entry.summary for entry in memory.service(ScopeKind.USER).entries()] == [mine["summary"]]


def test_a_note_that_is_gone_before_it_is_announced_is_not_told_of(world: World) -> None:
    memory = world.open()
    extraction = kept(memory)
    run(memory, answer(PORT))
    (entry,) = memory.service(ScopeKind.PROJECT).entries()
    forget(memory, entry.id, None)
    assert extraction.announce("talk", others=False) == ()


def test_a_file_that_cannot_be_understood_holds_nothing_up(world: World) -> None:
    memory = world.open()
    extraction = kept(memory)
    (path,) = (world.home / "memory-extraction").rglob("*.json")
    path.with_name("000000000000001-broken.json").write_text('{"version": 1, "step"')
    assert len(extraction.unfinished()) == 1


def test_too_many_notes_leave_the_update_of_another(world: World) -> None:
    memory = world.open(max_notes=1)
    remember(
        memory, RememberRequest(summary="The staging server listens on port 8080", id="port-a", body="x", scope=None)
    )
    kept(memory)
    update = {"id": "port-a", "summary": PORT["summary"], "body": "x, now 8081.", "tags": []}
    run(memory, answer(PORT | {"summary": "The proxy takes port 8080 of the server"}, updates=(update,)))
    (entry,) = memory.service(ScopeKind.PROJECT).entries()
    assert entry.summary == PORT["summary"]


def test_what_was_forgotten_is_learned_again_once_a_person_brought_it_back(world: World) -> None:
    memory = world.open()
    remember(memory, RememberRequest(summary=PORT["summary"], id="port-a", body="", scope=None))
    gone = forget(memory, "port-a", None)
    kept(memory)
    run(memory, answer(PORT))
    assert memory.service(ScopeKind.PROJECT).entries() == []
    restore_backup(memory, gone.backup)
    memory.service(ScopeKind.PROJECT).folder.note_path("port-a").unlink()
    kept(memory)
    run(memory, answer(PORT))
    assert len(memory.service(ScopeKind.PROJECT).entries()) == 1


@pytest.mark.parametrize(
    ("summary", "again"),
    [
        ("测试服务器监听端口 8081", "测试服务器监听的端口是 8081"),
        ("O servidor de testes escuta na porta 8081", "Servidor de testes: escuta na porta 8081"),
        ("Le serveur de test écoute sur le port 8081", "Serveur de test : écoute sur le port 8081"),
    ],
)
def test_what_was_forgotten_is_known_in_every_language(world: World, summary: str, again: str) -> None:
    memory = world.open()
    remember(memory, RememberRequest(summary=summary, id="port-a", body="", scope=None))
    forget(memory, "port-a", None)
    extraction = Extraction(memory)
    extraction.keep_for_later("talk", [Turn(Speaker.USER, f"{summary}. {again}.", Millis(1))])
    run(memory, answer(PORT | {"summary": again, "body": again}))
    assert memory.service(ScopeKind.PROJECT).entries() == []


UPDATE = {"id": "port-a", "summary": PORT["summary"], "body": "Since spring 8080, now 8081.", "tags": []}
SHIP = PORT | {"summary": "The proxy takes port 8080 of the staging server", "body": "See [[new:2]]."}


def crashes(world: World) -> Iterator[FaultyFileSystem]:
    """After a crash at every file operation of a pass that updates a note and writes two."""
    for number in range(500):
        for folder in (world.root, world.home):
            shutil.rmtree(folder, ignore_errors=True)
        world.root.mkdir()
        old = RememberRequest(summary="The staging server listens on port 8080", id="port-a", body="Since spring.")
        remember(world.open(), old)
        files = FaultyFileSystem()
        memory = world.open(files)
        kept(memory)
        files._fail = counted(number, Crashed())
        files.operations.clear()
        with suppress(Crashed, OharnessError):
            run(
                memory,
                answer(SHIP, PORT | {"summary": "Staging deploys behind the proxy, port 8081"}, updates=(UPDATE,)),
            )
        yield files
        if len(files.operations) <= number:
            assert number > 10
            return
    raise AssertionError("the operation never came to its end")


def test_interrupted_anywhere_the_next_process_finishes_and_writes_nothing_twice(world: World) -> None:
    for files in crashes(world):
        memory = world.open()
        run(memory, answer(SHIP, PORT | {"summary": "Staging deploys behind the proxy, port 8081"}, updates=(UPDATE,)))
        entries = {entry.summary: entry.id for entry in memory.service(ScopeKind.PROJECT).entries()}
        assert len(entries) == len(memory.service(ScopeKind.PROJECT).entries()) == 3, files.operations[-1:]
        assert entries[PORT["summary"]] == "port-a"
        (backup,) = {one.data for one in memory.backups.latest() if one.reason == "extraction"}
        assert b"Since spring.\n" in backup
        assert len(Extraction(memory).announce("talk", others=False)) == 3
        assert jobs(world) == []
