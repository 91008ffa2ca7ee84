"""The Memory page of a harness over real folders, asked and told as the web app does it."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.harness.pages import PageDescriptor
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.scopes import Memory
from oharness.notes.hashing import content_hash
from oharness.notes.note import Note
from oharness.plugins.memory.background import BackgroundSync
from oharness.plugins.memory.plugin import SYNC
from oharness.reconcile.baseline import InCloud
from oharness.reconcile.conflict import CloudVersion, Conflict
from oharness.reconcile.merge_note import ConflictReason
from oharness.sync.directory import Directory
from oharness.testing.model import ScriptedModel
from oharness.wiring.harness import Harness


class OpenPage:
    """The page, and the memory behind it."""

    def __init__(self, harness: Harness) -> None:
        memory, background = harness.open_memory, harness.host.provided(SYNC)
        assert memory is not None
        assert isinstance(background, BackgroundSync)
        self.harness = harness
        self.memory: Memory = memory
        self.background = background
        [owned] = [one for one in harness.host.pages if one.value.name == "memory"]
        self.descriptor: PageDescriptor = owned.value

    async def part(self, part: str, **query: Any) -> Mapping[str, Any]:
        """What a part shows: plain values only."""
        found = await self.descriptor.data({"part": part, **query})
        json.dumps({name: value for name, value in found.items() if name != "problem"})
        return found

    async def do(self, name: str, **fields: Any) -> Mapping[str, Any]:
        """What an action answers."""
        done = await self.descriptor.actions[name](fields)
        json.dumps(done)
        return done

    def write(self, summary: str, body: str = "", scope: str = "project", **more: Any) -> str:
        """A note written behind the page's back, in the same process; gives its id."""
        return remember(self.memory, RememberRequest(summary, body, scope=ScopeKind(scope), **more)).id

    def file(self, note_id: str, scope: str = "project") -> Path:
        """Where a note lies."""
        return self.memory.service(ScopeKind(scope)).folder.note_path(note_id)

    def text(self, note_id: str, scope: str = "project") -> str:
        """What its file says."""
        return self.file(note_id, scope).read_text(encoding="utf-8")

    def directory(self, scope: str = "project") -> Directory:
        """What sync knows of a scope."""
        return next(one.directory for one in self.background.notes if one.directory.scope.kind == scope)

    def quarrel(self, note_id: str, base: str, mine: str, cloud: str | None, summary: str = "Quarrel") -> None:
        """A conflict about a note, as a pass leaves it."""
        service = self.memory.service(ScopeKind.PROJECT)
        written = remember(self.memory, RememberRequest(summary, mine, scope=ScopeKind.PROJECT, id=note_id))
        note = service.get(written.id)
        theirs = (
            Note(note_id, summary, cloud, note.type, note.tags, note.created_at, note.updated_at) if cloud else None
        )
        listed = InCloud(content_hash(theirs), "r1", 1, 10) if theirs else None
        self.directory().state.open_conflict(
            Conflict(
                reasons=(ConflictReason.BODY,),
                base=Note(note_id, summary, base, note.type, note.tags, note.created_at, note.updated_at),
                mine=note,
                cloud=CloudVersion(theirs, listed) if theirs and listed else None,
                noticed_at=Millis(1_789_000_000_000),
            )
        )


OpenHarness = Callable[..., Awaitable[Harness]]


@pytest.fixture
async def page(tmp_path: Path, home: Path) -> AsyncIterator[OpenPage]:
    """The page of a project nobody is signed in for."""
    project = tmp_path / "shop"
    project.mkdir()
    async with await Harness.create(project, home, ScriptedModel([])) as harness:
        yield OpenPage(harness)
