"""What the pages need of projects: which there are, and what one gives while it is open."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from oharness.core.errors import NotFound
from oharness.harness.agent import Agent
from oharness.harness.descriptors import Command, Notice, RunContext
from oharness.harness.events import Frontend
from oharness.harness.host import PluginHost
from oharness.harness.permissions import Mode
from oharness.harness.sessions import SessionList, StoredSession


@dataclass(eq=False)
class NoSuchProject(NotFound):
    """No project is known by `name` here."""

    name: str


@dataclass(eq=False)
class NoSuchPage(NotFound):
    """The project has no page, part of a page or action called `name`."""

    name: str


@dataclass(frozen=True, slots=True)
class KnownProject:
    """A project that can be opened. `key` names its folder in addresses; `is_here`: the folder is not gone."""

    key: str
    name: str
    path: Path
    is_here: bool = True


class OpenProject(Protocol):
    """A project while it is open."""

    @property
    def host(self) -> PluginHost: ...

    @property
    def notices(self) -> Sequence[Notice]:
        """What people are to be told of its settings and plugins."""
        ...

    @property
    def model_name(self) -> str: ...

    @property
    def default_mode(self) -> Mode:
        """How much may happen without asking in a new conversation."""
        ...

    @property
    def commands(self) -> Sequence[Command]:
        """Slash commands of plugins."""
        ...

    async def start(self, frontend: Frontend | None = None) -> Agent:
        """A new conversation."""
        ...

    async def resume(self, name: str, frontend: Frontend | None = None) -> Agent:
        """An earlier one.

        Raises: NoSuchSession, SessionInUse, TranscriptUnreadable, StorageFailed.
        """
        ...

    def context(self, agent: Agent) -> RunContext:
        """What a command is told."""
        ...

    def listed(self) -> SessionList:
        """The conversations of the project; blocks."""
        ...

    def read(self, name: str) -> StoredSession:
        """A whole conversation to look at; blocks.

        Raises: NoSuchSession, AmbiguousSession, TranscriptUnreadable, StorageFailed.
        """
        ...


class ProjectShelf(Protocol):
    """Every project of a home; each is opened when somebody looks at it, and stays open."""

    def known(self) -> Sequence[KnownProject]:
        """The projects, last used first; blocks."""
        ...

    async def opened(self, key: str) -> OpenProject:
        """That project.

        Raises: NoSuchProject, and whatever opening raises.
        """
        ...
