"""Background merging of a harness, put together so that nothing of tidying is loaded before it is needed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from oharness.harness.model import Model
from oharness.memory.scopes import Memory
from oharness.plugins.memory.background_merging import BackgroundMerging
from oharness.wiring.environment import Environment

if TYPE_CHECKING:
    from oharness.plugins.memory.merging_pass import MergingPass
    from oharness.plugins.memory.tidying_desk import TidyingDesk


def background_merging(
    environment: Environment, device: str | None, memory: Memory, model: Callable[[], Model]
) -> BackgroundMerging:
    """The service of one harness; `model` makes the small model of its drafts."""

    def make_desk() -> "TidyingDesk":
        from oharness.wiring.tidying import tidying_desk

        return tidying_desk(environment, device, memory, model)

    def make_pass(desk: "TidyingDesk") -> "MergingPass":
        from oharness.wiring.tidying import merging_pass

        return merging_pass(environment, device, desk)

    return BackgroundMerging(make_desk, make_pass, environment.settings.memory.consolidate, environment.clock)
