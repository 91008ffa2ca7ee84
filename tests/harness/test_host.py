"""What the plugin host takes in, refuses, and keeps alive."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from oharness.harness.descriptors import (
    Command,
    MessageAddition,
    MessageHook,
    ModelProvider,
    Notice,
    PluginRegistry,
    PromptSection,
    RunContext,
    RunHook,
    ToolHook,
)
from oharness.harness.hooks import additions, asked
from oharness.harness.host import BadToolName, NameClash, NoSuchProvider, PluginHost
from oharness.harness.messages import AttachedBlock
from oharness.harness.model import Model
from oharness.harness.pages import PageDescriptor
from oharness.testing.desk import APlugin, a_tool
from oharness.testing.model import ScriptedModel

pytestmark = pytest.mark.plugins

RUN = RunContext("s", Path("project"), ())


async def some_text(*_: Any) -> str:
    return "text"


async def nothing(*_: Any) -> None:
    return None


async def no_data(query: Mapping[str, Any]) -> Mapping[str, Any]:
    return {}


class Service:
    def __init__(self, name: str, told: list[str], fails_to: str = "") -> None:
        self.name = name
        self.told = told
        self.fails_to = fails_to

    async def start(self) -> None:
        await self._do("start")

    async def stop(self) -> None:
        await self._do("stop")

    async def _do(self, what: str) -> None:
        self.told.append(f"{what} {self.name}")
        if what in self.fails_to:
            raise OSError(what)


ONE_OF_EACH: dict[str, tuple[str, Any]] = {
    "tool": ("tool", a_tool("x")),
    "prompt section": ("prompt_section", PromptSection("x", some_text)),
    "message hook": ("message_hook", MessageHook("x", nothing)),  # type: ignore[arg-type]
    "run hook": ("run_hook", RunHook("x")),
    "tool hook": ("tool_hook", ToolHook("x", nothing)),
    "page": ("page", PageDescriptor("x", "X", "memory", no_data)),
    "background service": ("background_service", Service("x", [])),
    "command": ("command", Command("x", "does x", some_text)),
    "model provider": ("model_provider", ModelProvider("x", lambda name: ScriptedModel(name=name))),
}


@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_a_clash_within_a_kind_is_refused_and_names_both_plugins(kind: str) -> None:
    part = ONE_OF_EACH[kind]
    with pytest.raises(NameClash) as caught:
        PluginHost([APlugin("one", [part]), APlugin("two", [part])])
    error = caught.value
    assert (error.kind, error.name, error.plugin, error.other) == (kind, "x", "two", "one")


def test_the_same_name_in_different_kinds_is_no_clash() -> None:
    host = PluginHost([APlugin("one", list(ONE_OF_EACH.values()))])
    assert host.plugins == ("one",)
    assert [registered.plugin for registered in host.tools] == ["one"]
    assert [owned.value.name for owned in host.pages] == ["x"]
    assert [owned.value.name for owned in host.commands] == ["x"]
    assert host.model_providers == ("x",)


def test_two_plugins_of_one_id_are_refused() -> None:
    with pytest.raises(NameClash) as caught:
        PluginHost([APlugin("one"), APlugin("one")])
    assert caught.value.kind == "plugin"


def test_a_foreign_plugin_that_clashes_is_left_out_whole_and_the_built_in_stays() -> None:
    mine = APlugin("tools", [("tool", a_tool("read"))])
    other = APlugin("other", [("tool", a_tool("fine")), ("tool", a_tool("read"))])
    host = PluginHost([mine], [other, APlugin("third", [("tool", a_tool("third"))])])
    assert [registered.tool.name for registered in host.tools] == ["read", "third"]
    assert host.plugins == ("tools", "third")
    fields = {"plugin": "other", "kind": "tool", "name": "read", "other": "tools"}
    assert host.warnings == (Notice("plugin-clash", fields),)


@pytest.mark.parametrize("error", [ZeroDivisionError("oops"), SystemExit("oops")])
def test_a_foreign_plugin_that_raises_is_left_out_whole(error: BaseException) -> None:
    class Broken:
        id = "broken"

        def register(self, registry: PluginRegistry) -> None:
            registry.tool(a_tool("half"))
            raise error

    host = PluginHost([], [Broken()])
    assert host.tools == ()
    assert host.warnings == (
        Notice("plugin-left-out", {"plugin": "broken", "error": type(error).__name__, "detail": "oops"}),
    )


def test_only_built_in_tools_are_marked_so() -> None:
    host = PluginHost([APlugin("a", [("tool", a_tool("x"))])], [APlugin("b", [("tool", a_tool("y"))])])
    assert [(each.plugin, each.built_in) for each in host.tools] == [("a", True), ("b", False)]


@pytest.mark.parametrize("name", ["", "two words", "mémoire", "a:b", "1st", "x" * 65, "x\n"])
def test_tool_names_that_providers_would_refuse_are_refused(name: str) -> None:
    with pytest.raises(BadToolName):
        PluginHost([APlugin("p", [("tool", a_tool(name))])])


def test_a_plugin_gets_its_own_config_and_no_other() -> None:
    seen: dict[str, object] = {}

    class Curious:
        def __init__(self, plugin_id: str) -> None:
            self.id = plugin_id

        def register(self, registry: PluginRegistry) -> None:
            seen[self.id] = dict(registry.plugin_config)

    PluginHost([Curious("a"), Curious("b")], configs={"a": {"x": 1}})
    assert seen == {"a": {"x": 1}, "b": {}}


def test_what_a_plugin_provides_can_be_asked_for() -> None:
    class Provider:
        id = "memory"

        def register(self, registry: PluginRegistry) -> None:
            registry.provide("memory", self)

    provider = Provider()
    host = PluginHost([provider])
    assert host.provided("memory") is provider
    assert PluginHost().provided("memory") is None


def test_models_are_made_by_the_provider_before_the_colon() -> None:
    made: list[str] = []

    def create(name: str) -> Model:
        made.append(name)
        return ScriptedModel(name=name)

    host = PluginHost([APlugin("model", [("model_provider", ModelProvider("openai", create))])])
    assert host.create_model("openai:gpt:large").name == "gpt:large"
    host.create_model("openai")
    assert made == ["gpt:large", ""]
    with pytest.raises(NoSuchProvider) as caught:
        host.create_model("nobody:x")
    assert (caught.value.provider, caught.value.known) == ("nobody", ("openai",))


async def test_services_start_in_order_stop_in_reverse_and_fail_alone() -> None:
    told: list[str] = []
    services = [Service("a", told), Service("b", told, "start"), Service("c", told, "stop"), Service("d", told)]
    host = PluginHost([APlugin("p", [("background_service", service) for service in services])])
    failed = await host.start_services()
    assert [notice.fields["hook"] for notice in failed] == ["b"]
    failed = await host.stop_services()
    assert [notice.fields["hook"] for notice in failed] == ["c"]
    assert told == ["start a", "start b", "start c", "start d", "stop d", "stop c", "stop a"]


async def test_services_run_once_however_often_they_are_started() -> None:
    told: list[str] = []
    host = PluginHost([APlugin("p", [("background_service", Service("a", told))])])
    await host.start_services()
    await host.start_services()
    await host.stop_services()
    await host.stop_services()
    assert told == ["start a", "stop a"]


async def test_a_hook_that_takes_too_long_is_passed_over() -> None:
    notices: list[Notice] = []

    async def forever() -> str:
        await asyncio.Event().wait()
        return "never"

    assert await asked("p", "slow", forever, notices, seconds=0.01) is None
    assert notices == [Notice("hook-failed", {"plugin": "p", "hook": "slow", "error": "TimeoutError"})]


async def test_a_cancelled_hook_is_no_failed_hook() -> None:
    notices: list[Notice] = []

    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await asked("p", "x", cancelled, notices)
    assert notices == []


async def test_message_hooks_add_up_and_the_first_to_write_a_key_keeps_it() -> None:
    def hook(name: str, **metadata: Any) -> tuple[str, Any]:
        async def on_message(text: str, run: RunContext) -> MessageAddition:
            return MessageAddition((AttachedBlock(name, text),), metadata, (Notice(name),))

        return ("message_hook", MessageHook(name, on_message))

    host = PluginHost([APlugin("a", [hook("a", x=1, y=(1, 2))]), APlugin("b", [hook("b", x=2, z=3)])])
    added = await additions(host.message_hooks, "hi", RUN)
    assert [block.source for block in added.blocks] == ["a", "b"]
    assert dict(added.metadata) == {"x": 1, "y": [1, 2], "z": 3}
    assert added.notices == (Notice("a"), Notice("b"))


@pytest.mark.parametrize("odd", [{1, 2}, float("nan"), b"bytes", object(), {1: "x"}, [{"deep": {3}}]])
async def test_metadata_that_no_transcript_can_hold_is_the_hooks_fault(odd: object) -> None:
    async def on_message(text: str, run: RunContext) -> MessageAddition:
        return MessageAddition((AttachedBlock("a", text),), {"x": odd})

    host = PluginHost([APlugin("a", [("message_hook", MessageHook("h", on_message))])])
    added = await additions(host.message_hooks, "hi", RUN)
    assert added.blocks == ()
    assert added.notices == (Notice("hook-failed", {"plugin": "a", "hook": "h", "error": "TypeError"}),)


async def test_empty_sections_are_left_out() -> None:
    def section(name: str, text: str) -> tuple[str, Any]:
        async def make(run: RunContext) -> str:
            return text

        return ("prompt_section", PromptSection(name, make))

    host = PluginHost(
        [APlugin("a", [section("a", "  one\n"), section("b", ""), section("c", " \n"), section("d", "two")])]
    )
    assert await host.prompt_sections(RUN) == (("one", "two"), ())
