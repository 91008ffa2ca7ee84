"""The end of a conversation: what still works on its last run is waited for, and after a moment said."""

import asyncio
import contextlib
from collections.abc import Callable

from oharness.cli.interrupts import until_interrupted
from oharness.cli.output import Output
from oharness.harness.agent import Agent
from oharness.harness.descriptors import Notice
from oharness.language.sentences import notice_sentence

_PATIENCE_S = 0.7
"""As long as that nobody wonders what is being waited for."""

Tell = Callable[[Notice], None]


def told_beside(output: Output) -> Tell:
    """Says it on stderr where somebody watches that, and nowhere else."""

    def tell(notice: Notice) -> None:
        if output.err_is_a_terminal:
            output.note(notice_sentence(notice.key, notice.fields, output.words))

    return tell


async def until_closed(agent: Agent, tell: Tell) -> None:
    """Closes the agent once nothing works on its last run any more, or Ctrl-C has ended that work."""
    await until_interrupted(_closed(agent, tell))


async def _closed(agent: Agent, tell: Tell) -> None:
    closing = asyncio.ensure_future(agent.close())
    told: set[str] = set()
    try:
        while not (await asyncio.wait((closing,), timeout=_PATIENCE_S))[0]:
            for notice in agent.doing:
                if notice.key not in told:
                    told.add(notice.key)
                    tell(notice)
    except asyncio.CancelledError:
        closing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await closing
        raise
    await closing
