"""The plugin host: collects what plugins register, refuses clashes of names, and knows no plugin by name."""

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from oharness.core.errors import NotFound, WrongUsage
from oharness.harness.descriptors import (
    BackgroundService,
    Command,
    MessageHook,
    ModelProvider,
    Notice,
    Plugin,
    PromptSection,
    RunContext,
    RunHook,
    ToolHook,
    ToolRecord,
)
from oharness.harness.hooks import COMPACTION_HOOK_SECONDS, Owned, asked
from oharness.harness.messages import NO_DATA, Message
from oharness.harness.model import Model
from oharness.harness.pages import PageDescriptor
from oharness.harness.tools import RegisteredTool, Tool

_log = logging.getLogger(__name__)
_TOOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_Value = TypeVar("_Value")


@dataclass(eq=False)
class NameClash(WrongUsage):
    """`plugin` registered a `kind` (tool, page, …) called `name`, which `other` has registered already."""

    kind: str
    name: str
    plugin: str
    other: str


@dataclass(eq=False)
class BadToolName(WrongUsage):
    """`plugin` registered a tool whose name providers would refuse (letters, digits, `_` and `-`, at most 64)."""

    name: str
    plugin: str


@dataclass(eq=False)
class NoSuchProvider(NotFound):
    """No plugin registered a model provider called `provider`; `known` are those there are."""

    provider: str
    known: tuple[str, ...]


@dataclass(slots=True)
class _Draft:
    """Everything one plugin registers, until its `register` has returned; is its PluginRegistry."""

    plugin: str
    built_in: bool
    plugin_config: Mapping[str, Any]
    named: dict[tuple[str, str], object] = field(default_factory=dict)
    services: list[Owned[BackgroundService]] = field(default_factory=list)

    def tool(self, tool: Tool) -> None:
        if not _TOOL_NAME.fullmatch(tool.name):
            raise BadToolName(tool.name, self.plugin)
        self._add("tool", tool.name, RegisteredTool(self.plugin, tool, self.built_in))

    def prompt_section(self, section: PromptSection) -> None:
        self._add("prompt section", section.name, section)

    def message_hook(self, hook: MessageHook) -> None:
        self._add("message hook", hook.name, hook)

    def run_hook(self, hook: RunHook) -> None:
        self._add("run hook", hook.name, hook)

    def tool_hook(self, hook: ToolHook) -> None:
        self._add("tool hook", hook.name, hook)

    def page(self, page: PageDescriptor) -> None:
        self._add("page", page.name, page)

    def background_service(self, service: BackgroundService) -> None:
        self._add("background service", service.name, service)
        self.services.append(Owned(self.plugin, service))

    def command(self, command: Command) -> None:
        self._add("command", command.name, command)

    def model_provider(self, provider: ModelProvider) -> None:
        self._add("model provider", provider.name, provider)

    def provide(self, name: str, value: object) -> None:
        self._add("provided object", name, value)

    def _add(self, kind: str, name: str, value: object) -> None:
        if (kind, name) in self.named:
            raise NameClash(kind, name, self.plugin, self.plugin)
        self.named[kind, name] = value


class PluginHost:
    """All plugins of one harness. Built-in ones must register without fault; a foreign one that does not is left out.

    `configs` holds each plugin's `config` of plugins.json. What was left out, and why, is in `warnings`.
    """

    def __init__(
        self,
        built_in: Iterable[Plugin] = (),
        foreign: Iterable[Plugin] = (),
        configs: Mapping[str, Mapping[str, Any]] = NO_DATA,
    ) -> None:
        self._registered: dict[tuple[str, str], Owned[object]] = {}
        self._plugins: list[str] = []
        self._services: list[Owned[BackgroundService]] = []
        self._running: list[Owned[BackgroundService]] = []
        self._configs = configs
        warnings: list[Notice] = []
        for plugin in built_in:
            self._register(plugin, built_in=True)
        for plugin in foreign:
            try:
                self._register(plugin, built_in=False)
            except (Exception, SystemExit) as error:  # noqa: BLE001 (a foreign plugin's own code takes no harness down)
                _log.warning("plugin %s was left out", plugin.id, exc_info=True)
                warnings.append(left_out(plugin.id, error))
        self.warnings: tuple[Notice, ...] = tuple(warnings)

    @property
    def plugins(self) -> tuple[str, ...]:
        """Ids in the order of registration."""
        return tuple(self._plugins)

    @property
    def tools(self) -> tuple[RegisteredTool, ...]:
        """Every tool, in the order of registration."""
        return tuple(owned.value for owned in self._of("tool", RegisteredTool))

    @property
    def pages(self) -> tuple[Owned[PageDescriptor], ...]:
        """Every page and its plugin."""
        return self._of("page", PageDescriptor)

    @property
    def commands(self) -> tuple[Owned[Command], ...]:
        """Every slash command and its plugin."""
        return self._of("command", Command)

    @property
    def model_providers(self) -> tuple[str, ...]:
        """The names that may stand before the colon of a model's name."""
        return tuple(owned.value.name for owned in self._of("model provider", ModelProvider))

    def provided(self, name: str) -> object | None:
        """What a plugin provided under that name; None when none did."""
        owned = self._registered.get(("provided object", name))
        return owned.value if owned else None

    def create_model(self, name: str) -> Model:
        """The model called `provider:name`, or `provider` alone (`offline`).

        Raises: NoSuchProvider, and whatever the provider raises.
        """
        provider, _, rest = name.partition(":")
        for owned in self._of("model provider", ModelProvider):
            if owned.value.name == provider:
                return owned.value.create(rest)
        raise NoSuchProvider(provider, self.model_providers)

    @property
    def message_hooks(self) -> tuple[Owned[MessageHook], ...]:
        """Every message hook and its plugin."""
        return self._of("message hook", MessageHook)

    async def prompt_sections(self, run: RunContext) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
        """The sections of the system prompt that have something to say, and what went wrong with the others."""
        texts: list[str] = []
        notices: list[Notice] = []
        for owned in self._of("prompt section", PromptSection):
            text = await asked(owned.plugin, owned.value.name, partial(owned.value.text, run), notices)
            texts.append((text or "").strip())
        return tuple(filter(None, texts)), tuple(notices)

    async def on_start(self, run: RunContext) -> tuple[Notice, ...]:
        """What run hooks have to announce before the message is sent, and what went wrong with them."""
        notices: list[Notice] = []
        for owned in self._of("run hook", RunHook):
            if owned.value.on_start is not None:
                question = partial(owned.value.on_start, run)
                notices += await asked(owned.plugin, owned.value.name, question, notices) or ()
        return tuple(notices)

    async def on_stop(self, run: RunContext) -> tuple[Notice, ...]:
        """Tells run hooks that the run is over; gives what went wrong. Has no time limit: nobody waits for it."""
        notices: list[Notice] = []
        for owned in self._of("run hook", RunHook):
            if owned.value.on_stop is not None:
                question = partial(owned.value.on_stop, run)
                await asked(owned.plugin, owned.value.name, question, notices, seconds=None)
        return tuple(notices)

    def doing(self) -> tuple[Notice, ...]:
        """What run hooks work on after the last run, as far as they say so."""
        asked_for = (owned.value.doing for owned in self._of("run hook", RunHook))
        found = [doing() for doing in asked_for if doing is not None]
        return tuple(notice for notice in found if notice is not None)

    async def on_compaction(self, run: RunContext, dropped: tuple[Message, ...]) -> tuple[Notice, ...]:
        """Tells run hooks what is about to be dropped; gives what went wrong."""
        notices: list[Notice] = []
        for owned in self._of("run hook", RunHook):
            if owned.value.on_compaction is not None:
                question = partial(owned.value.on_compaction, run, dropped)
                await asked(owned.plugin, owned.value.name, question, notices, COMPACTION_HOOK_SECONDS)
        return tuple(notices)

    async def on_tool_finished(self, record: ToolRecord, run: RunContext) -> tuple[Notice, ...]:
        """Tells tool hooks of a call that is over; gives what went wrong."""
        notices: list[Notice] = []
        for owned in self._of("tool hook", ToolHook):
            question = partial(owned.value.on_tool_finished, record, run)
            await asked(owned.plugin, owned.value.name, question, notices)
        return tuple(notices)

    async def start_services(self) -> tuple[Notice, ...]:
        """Starts every background service that does not run, in order; gives which ones failed to."""
        notices: list[Notice] = []
        for owned in self._services:
            before = len(notices)
            if owned not in self._running:
                await asked(owned.plugin, owned.value.name, owned.value.start, notices)
            if len(notices) == before and owned not in self._running:
                self._running.append(owned)
        return tuple(notices)

    async def stop_services(self) -> tuple[Notice, ...]:
        """Stops what runs, last started first; one that fails does not keep the others running."""
        notices: list[Notice] = []
        while self._running:
            owned = self._running.pop()
            await asked(owned.plugin, owned.value.name, owned.value.stop, notices)
        return tuple(notices)

    def _register(self, plugin: Plugin, *, built_in: bool) -> None:
        if plugin.id in self._plugins:
            raise NameClash("plugin", plugin.id, plugin.id, plugin.id)
        draft = _Draft(plugin.id, built_in, self._configs.get(plugin.id, NO_DATA))
        plugin.register(draft)
        for kind, name in draft.named:
            if taken := self._registered.get((kind, name)):
                raise NameClash(kind, name, plugin.id, taken.plugin)
        self._registered.update({key: Owned(plugin.id, value) for key, value in draft.named.items()})
        self._services += draft.services
        self._plugins.append(plugin.id)

    def _of(self, kind: str, value_class: type[_Value]) -> tuple[Owned[_Value], ...]:
        owned = (each for (of_kind, _), each in self._registered.items() if of_kind == kind)
        return tuple(Owned(each.plugin, each.value) for each in owned if isinstance(each.value, value_class))


def left_out(plugin: str, error: Exception | SystemExit) -> Notice:
    """The notice of a plugin that could not be loaded or registered."""
    if isinstance(error, NameClash):
        fields = {"plugin": plugin, "kind": error.kind, "name": error.name, "other": error.other}
        return Notice("plugin-clash", fields)
    return Notice("plugin-left-out", {"plugin": plugin, "error": type(error).__name__, "detail": str(error)})
