"""A person's answer to a paused scope, kept for the next pass."""

from dataclasses import dataclass, replace

from oharness.core.errors import NotFound
from oharness.reconcile.guards import Choice, Paused, confirm
from oharness.sync.directory import Directory

_LOCK_WAIT_SECONDS = 20.0


@dataclass(eq=False)
class NothingToConfirm(NotFound):
    """The scope asks nothing."""

    scope: str


def confirm_paused(directory: Directory, choice: Choice) -> Paused:
    """Keeps the answer to what the scope asks, and gives the question; the next pass acts on it.

    Blocking. Raises: NothingToConfirm, AnswerDoesNotFit, SyncBusy, StorageFailed.
    """
    lock = directory.state.lock(_LOCK_WAIT_SECONDS)
    try:
        guard = directory.state.guard()
        if guard.paused is None:
            raise NothingToConfirm(directory.scope.key)
        answer = confirm(guard.paused, choice)
        directory.state.save_guard(replace(guard, paused=None, confirmed=(*guard.confirmed, answer)))
        return guard.paused
    finally:
        lock.release()
