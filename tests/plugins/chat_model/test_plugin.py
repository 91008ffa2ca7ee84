"""The plugin `model`: every provider is registered, and none is imported before a model is called."""

import subprocess
import sys
from pathlib import Path

import pytest

from oharness.core.clock import Millis
from oharness.harness.host import NoSuchProvider, PluginHost
from oharness.harness.messages import Message, Role, TextBlock
from oharness.harness.model import Model, ModelFailed, ModelFault, ModelRequest
from oharness.plugins.chat_model.connection import Connection
from oharness.plugins.chat_model.plugin import ChatModelPlugin
from oharness.plugins.chat_model.provider_names import LIBRARY_PROVIDERS, OPENAI_COMPATIBLE
from oharness.testing.clock import START_MS, FakeClock

pytestmark = pytest.mark.plugins

_WITHOUT_THE_LIBRARY = """
import sys
from oharness.harness.host import PluginHost
from oharness.plugins.chat_model.plugin import ChatModelPlugin
from oharness.testing.clock import FakeClock
host = PluginHost([ChatModelPlugin(FakeClock())])
model = host.create_model("anthropic:some-name")
host.create_model("offline")
assert model.context_tokens
heavy = {"pydantic_ai", "pydantic", "openai", "anthropic", "httpx2", "oharness.plugins.chat_model.offline_grammar"}
print(sorted(heavy & set(sys.modules)))
"""


def host() -> PluginHost:
    return PluginHost([ChatModelPlugin(FakeClock(), Connection(context_tokens=32_000))])


async def failure(model: Model) -> ModelFailed:
    message = Message(Role.USER, (TextBlock("hello"),), Millis(START_MS))
    with pytest.raises(ModelFailed) as failed:
        _ = [event async for event in model.stream(ModelRequest("", (message,)))]
    return failed.value


def test_building_the_plugin_and_its_models_imports_no_provider() -> None:
    done = subprocess.run([sys.executable, "-c", _WITHOUT_THE_LIBRARY], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_models_are_made_by_name() -> None:
    assert host().create_model("offline").name == "offline"
    assert host().create_model("openai-compatible:qwen3:8b").name == "openai-compatible:qwen3:8b"
    model = host().create_model("anthropic:some-name")
    assert (model.name, model.context_tokens) == ("anthropic:some-name", 128_000)
    with pytest.raises(NoSuchProvider):
        host().create_model("nobody:x")


def test_the_registered_providers_are_the_librarys() -> None:
    from pydantic_ai.providers import infer_provider_class

    for name in LIBRARY_PROVIDERS:
        try:
            infer_provider_class(name)
        except ImportError:
            continue  # known, and its package is not installed
    with pytest.raises(ValueError, match="Unknown provider"):
        infer_provider_class(OPENAI_COMPATIBLE)


def test_the_documented_providers_are_the_registered_ones() -> None:
    document = Path(__file__).parents[3] / "docs" / "user" / "models.md"
    listed = document.read_text(encoding="utf-8").split("that are known: ")[1].split(". ")[0]
    assert set(listed.replace("\n", " ").split(", ")) == {*LIBRARY_PROVIDERS, OPENAI_COMPATIBLE}


async def test_a_missing_key_names_the_variable_to_set() -> None:
    failed = await failure(host().create_model("anthropic:some-name"))
    assert (failed.fault, failed.detail) == (ModelFault.UNAUTHORIZED, "not set: ANTHROPIC_API_KEY")


async def test_a_missing_package_names_what_to_install() -> None:
    failed = await failure(host().create_model("groq:some-name"))
    assert (failed.fault, failed.detail) == (ModelFault.PACKAGE_MISSING, "pydantic-ai-slim[groq]")


def test_the_key_is_not_shown_with_the_connection() -> None:
    assert "sk-secret" not in repr(ChatModelPlugin(FakeClock(), Connection("http://x", "sk-secret-0123456789")))
