"""The model `offline`: the practice assistant behind the same interface as any language model.

No network, no chance, no state. Extraction and merge drafts need a real model: a request with an
`output_schema` is turned down.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from oharness.core.clock import Clock
from oharness.harness.messages import Block, Message, Role, TextBlock, ToolCallBlock
from oharness.harness.model import PRACTICE_ASSISTANT, ModelFailed, ModelFault, ModelReply, ModelRequest, TextDelta

_CONTEXT_TOKENS = 128_000


@dataclass(frozen=True, slots=True)
class OfflineModel:
    """Understands "remember", "forget" and questions in four languages; `language` is its first guess."""

    clock: Clock
    language: str = "en"

    @property
    def name(self) -> str:
        return PRACTICE_ASSISTANT

    @property
    def context_tokens(self) -> int:
        return _CONTEXT_TOKENS

    async def stream(self, request: ModelRequest) -> AsyncIterator[TextDelta | ModelReply]:
        # imported here: its tables of words cost more than the rest of the plugin
        from oharness.plugins.chat_model.offline_answers import Call, next_step
        from oharness.plugins.chat_model.offline_patterns import Language

        if request.output_schema is not None:
            raise ModelFailed(ModelFault.NO_LANGUAGE_MODEL, PRACTICE_ASSISTANT)
        default = next((one for one in Language if self.language.startswith(one)), Language.ENGLISH)
        step = next_step(request, default)
        if isinstance(step, Call):
            call_id = f"offline-{self.clock.now_ms()}-{len(request.messages)}"
            yield self._reply(ToolCallBlock(call_id, step.tool, step.arguments))
            return
        for piece in re.findall(r"[^\n]+\n*|\n+", step.text):
            yield TextDelta(piece)
        yield self._reply(TextBlock(step.text))

    def _reply(self, block: Block) -> ModelReply:
        return ModelReply(Message(Role.ASSISTANT, (block,), self.clock.now_ms()))
