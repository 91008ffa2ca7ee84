"""The built-in plugin `model`: registers every provider; imports none of them."""

from dataclasses import dataclass, field

from oharness.core.clock import Clock
from oharness.harness.descriptors import ModelProvider, PluginRegistry
from oharness.harness.model import PRACTICE_ASSISTANT, Model
from oharness.plugins.chat_model.connection import Connection
from oharness.plugins.chat_model.library_model import LibraryModel
from oharness.plugins.chat_model.offline import OfflineModel
from oharness.plugins.chat_model.provider_names import LIBRARY_PROVIDERS, OPENAI_COMPATIBLE


@dataclass(frozen=True, slots=True)
class ChatModelPlugin:
    """Models by name: `provider:name`, `openai-compatible:name`, `offline`.

    `language` is the interface's, for what the practice assistant says before it has seen the user's.
    """

    clock: Clock
    connection: Connection = field(default_factory=Connection)
    language: str = "en"

    @property
    def id(self) -> str:
        return "model"

    def register(self, registry: PluginRegistry) -> None:
        for provider in (*LIBRARY_PROVIDERS, OPENAI_COMPATIBLE):
            registry.model_provider(ModelProvider(provider, self._maker(provider)))
        registry.model_provider(ModelProvider(PRACTICE_ASSISTANT, lambda rest: OfflineModel(self.clock, self.language)))

    def _maker(self, provider: str) -> "_Maker":
        return _Maker(provider, self)


@dataclass(frozen=True, slots=True)
class _Maker:
    provider: str
    plugin: ChatModelPlugin

    def __call__(self, rest: str) -> Model:
        return LibraryModel(f"{self.provider}:{rest}", self.plugin.connection, self.plugin.clock)
