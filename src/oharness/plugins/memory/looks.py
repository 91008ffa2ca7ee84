"""One look at the note files for a run: the prompt section begins the run with it, and recall goes on from it."""

from oharness.harness.descriptors import RunContext


class LooksOfRuns:
    """Which runs have just begun with a look. A transcript that changed since is another moment."""

    def __init__(self) -> None:
        self._begun: dict[str, int] = {}

    def looked(self, run: RunContext) -> None:
        """The files were looked at for this run."""
        self._begun[run.session_id] = len(run.transcript)

    def was_just_looked(self, run: RunContext) -> bool:
        """Whether they were, and nothing happened since; said once for each look."""
        return self._begun.pop(run.session_id, None) == len(run.transcript)
