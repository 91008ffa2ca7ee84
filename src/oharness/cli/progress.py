"""One line on a terminal that says how far a long first sync is; nothing at all elsewhere."""

from oharness.cli.output import Output
from oharness.core.scopes import ScopeKind
from oharness.language.catalogue import msg

_WORTH_TELLING = 100
_STEP = 25

_LINES = {
    ScopeKind.PROJECT: msg("project notes: {done} of {total}"),
    ScopeKind.USER: msg("your own notes: {done} of {total}"),
}


class Progress:
    """Written over itself on stderr; `end` leaves the line clean."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._shown = False
        self._last = -_STEP

    def show(self, scope: ScopeKind, done: int, total: int) -> None:
        """So many notes of so many are done."""
        if total < _WORTH_TELLING or not self._output.err_is_a_terminal:
            return
        if done < self._last + _STEP and done != total and done > self._last:
            return
        self._last = done
        self._shown = True
        self._output.status_line(self._output.words.text(_LINES[scope], done=done, total=total))

    def end(self) -> None:
        """Clears the line."""
        if self._shown:
            self._output.status_line("")
