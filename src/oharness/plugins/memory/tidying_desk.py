"""Tidying as page, commands and background merging use it: with a small model for drafts, and sync for merges."""

from collections.abc import Callable
from dataclasses import dataclass

from oharness.core.clock import Clock
from oharness.harness.asking import whole_reply
from oharness.harness.messages import Message, Role, TextBlock, own_text
from oharness.harness.model import PRACTICE_ASSISTANT, Model, ModelFailed, ModelFault, ModelRequest
from oharness.harness.to_the_end import to_the_end
from oharness.memory.tidying import Checked, Committer, Merged, Originals, PlannedMerge, Tidying, apply_merge


@dataclass(slots=True, eq=False)
class TidyingDesk:
    """`model` makes the small model when it is needed."""

    tidying: Tidying
    commit: Committer
    clock: Clock
    model: Callable[[], Model]

    @property
    def has_model(self) -> bool:
        """Whether a language model can be asked.

        Raises: NoSuchProvider.
        """
        return self.model().name != PRACTICE_ASSISTANT

    async def model_draft(self, originals: Originals) -> Checked:
        """The small model's draft, held against the originals.

        Raises: ModelFailed, also where there is no language model; DraftUnusable, CredentialFound, NoteTooLarge.
        """
        question = self.tidying.question(originals)
        if not self.has_model:
            raise ModelFailed(ModelFault.NO_LANGUAGE_MODEL, PRACTICE_ASSISTANT)
        asked = Message(Role.USER, (TextBlock(question.text),), self.clock.now_ms())
        request = ModelRequest(question.system, (asked,), output_schema=question.schema)
        reply = await whole_reply(self.model(), request)
        return self.tidying.answered(originals, own_text(reply.message))

    async def merge(self, planned: PlannedMerge) -> Merged:
        """Carries out a merge, to its end once it has begun.

        Raises: as `apply_merge`.
        """
        return await to_the_end(apply_merge(self.tidying, planned, self.commit))
