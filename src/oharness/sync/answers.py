"""A person's answer to a scope that paused (`sync confirm`); the next pass carries it out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from oharness.core.errors import NotFound
from oharness.reconcile.guards import Choice, confirm
from oharness.sync.directory import Directory


@dataclass(eq=False)
class NothingAsked(NotFound):
    """No scope is paused, so there is nothing to answer."""


def answer_question(directories: Sequence[Directory], choice: Choice) -> Directory:
    """Keeps the answer to the first scope that asks, and gives that scope's directory.

    Raises: NothingAsked, AnswerDoesNotFit; StateFromNewerVersion, StorageFailed.
    """
    for directory in directories:
        guard = directory.state.guard()
        if guard.paused is not None:
            answer = confirm(guard.paused, choice)
            directory.state.save_guard(replace(guard, confirmed=(*guard.confirmed, answer)))
            return directory
    raise NothingAsked
