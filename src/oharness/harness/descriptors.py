"""Everything a plugin can register, as values."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from oharness.core.clock import Millis
from oharness.harness.messages import NO_DATA, AttachedBlock, Message
from oharness.harness.model import Model
from oharness.harness.pages import PageDescriptor
from oharness.harness.permissions import Mode
from oharness.harness.tools import Tool, ToolResult


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a frontend shows beside the conversation.

    `key` names a sentence of the catalogue (`recalled`, `saved`, `hook-failed`, …), `fields` fill it.
    """

    key: str
    fields: Mapping[str, Any] = field(default_factory=lambda: NO_DATA, hash=False)


@dataclass(frozen=True, slots=True)
class RunContext:
    """The run that a hook or section is asked about; `transcript` is what the model would be sent.

    `small_model` is for side jobs (summaries, extraction): the small one of the settings, else the model itself.
    `mode` is the permission mode; side jobs ask nobody, so in plan mode they write nothing.
    """

    session_id: str
    project_root: Path
    transcript: tuple[Message, ...]
    is_subagent: bool = False
    small_model: Model | None = None
    mode: Mode = Mode.ASK


@dataclass(frozen=True, slots=True)
class MessageAddition:
    """What a message hook adds to a user message before it is sent."""

    blocks: tuple[AttachedBlock, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=lambda: NO_DATA, hash=False)
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptSection:
    """A part of the system prompt, made anew at the start of each run; empty text leaves it out."""

    name: str
    text: Callable[[RunContext], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class MessageHook:
    """Looks at each user message before it is sent."""

    name: str
    on_message: Callable[[str, RunContext], Awaitable[MessageAddition]]


@dataclass(frozen=True, slots=True)
class RunHook:
    """Told when a run starts and has stopped, and of what compaction is about to drop.

    `doing` says what its `on_stop` works on right now, for a person who waits for the end; None for nothing.
    """

    name: str
    on_start: Callable[[RunContext], Awaitable[tuple[Notice, ...]]] | None = None
    on_stop: Callable[[RunContext], Awaitable[None]] | None = None
    on_compaction: Callable[[RunContext, tuple[Message, ...]], Awaitable[None]] | None = None
    doing: Callable[[], Notice | None] | None = None


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """One tool call after it was carried out or turned down.

    `decided_by` says who let it through or not: `mode`, `rule`, `exemption`, `person`, or `nobody` where
    a person had to be asked and none was there; `asked` is whether one was asked. `result` is None for a
    call that never ran. `started_at` and `duration_ms` leave out the wait for the person.
    """

    plugin: str
    tool: str
    call_id: str
    arguments: Mapping[str, Any] = field(hash=False)
    allowed: bool
    asked: bool
    decided_by: str
    started_at: Millis
    duration_ms: int
    result: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class ToolHook:
    """Told of each tool call when it is over, in subagents too."""

    name: str
    on_tool_finished: Callable[[ToolRecord, RunContext], Awaitable[None]]


class BackgroundService(Protocol):
    """Work that goes on beside the conversation, owned by the host: started once, stopped once."""

    name: str

    async def start(self) -> None:
        """Returns soon; the work itself goes on in tasks that the service owns."""
        ...

    async def stop(self) -> None:
        """Returns when nothing of it runs any more."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command of the chat: `/name rest`. Gives the text to show."""

    name: str
    help: str
    run: Callable[[str, RunContext], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class ModelProvider:
    """Makes a model from the part of its name after `<provider>:`."""

    name: str
    create: Callable[[str], Model]


class PluginRegistry(Protocol):
    """What a plugin is given to register with; a clash of names within a kind is refused."""

    @property
    def plugin_config(self) -> Mapping[str, Any]:
        """`config` of this plugin in plugins.json."""
        ...

    def tool(self, tool: Tool) -> None: ...
    def prompt_section(self, section: PromptSection) -> None: ...
    def message_hook(self, hook: MessageHook) -> None: ...
    def run_hook(self, hook: RunHook) -> None: ...
    def tool_hook(self, hook: ToolHook) -> None: ...
    def page(self, page: PageDescriptor) -> None: ...
    def background_service(self, service: BackgroundService) -> None: ...
    def command(self, command: Command) -> None: ...
    def model_provider(self, provider: ModelProvider) -> None: ...
    def provide(self, name: str, value: object) -> None:
        """A named object for embedders (`Harness.provided`)."""
        ...


class Plugin(Protocol):
    """A plugin: an id and one function that registers everything."""

    @property
    def id(self) -> str: ...

    def register(self, registry: PluginRegistry) -> None:
        """Called once while the host is built; must not do I/O that can be left to a hook or service."""
        ...
