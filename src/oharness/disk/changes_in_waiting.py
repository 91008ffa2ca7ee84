"""Changes that an index was told of and did not write yet: who only lists notes needs none of their words."""

from collections.abc import Iterable

from oharness.notes.entry import FileStamp, NoteEntry, ProblemEntry


class ChangesInWaiting:
    """Notes with their bodies, problem files and files that are gone, by file name; the last word on each counts."""

    def __init__(self) -> None:
        self._notes: dict[str, tuple[NoteEntry, str]] = {}
        self._problems: dict[str, ProblemEntry] = {}
        self._removed: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._notes or self._problems or self._removed)

    def add(
        self, upserts: Iterable[tuple[NoteEntry, str]], problems: Iterable[ProblemEntry], removed: Iterable[str]
    ) -> None:
        """Takes in changes as `RecallIndex.update` is told of them."""
        for name in removed:
            self._forget(name)
            self._removed.add(name)
        for problem in problems:
            self._forget(problem.stamp.name)
            self._problems[problem.stamp.name] = problem
        for entry, body in upserts:
            self._forget(entry.stamp.name)
            self._notes[entry.stamp.name] = (entry, body)

    def take(self) -> tuple[list[tuple[NoteEntry, str]], list[ProblemEntry], list[str]]:
        """All changes, as `RecallIndex.update` is told of them; nothing waits any longer."""
        taken = list(self._notes.values()), list(self._problems.values()), list(self._removed)
        self._notes, self._problems, self._removed = {}, {}, set()
        return taken

    def stamps_over(self, known: dict[str, FileStamp]) -> dict[str, FileStamp]:
        """How each file looked, over what was written."""
        found = {name: stamp for name, stamp in known.items() if name not in self._removed}
        found.update((name, entry.stamp) for name, (entry, _) in self._notes.items())
        found.update((name, problem.stamp) for name, problem in self._problems.items())
        return found

    def entries_over(self, known: list[NoteEntry]) -> list[NoteEntry]:
        """The notes, over what was written, by file name."""
        found = [entry for entry in known if not self._is_changed(entry.stamp.name)]
        found += [entry for entry, _ in self._notes.values()]
        return sorted(found, key=lambda entry: entry.stamp.name)

    def problems_over(self, known: list[ProblemEntry]) -> list[ProblemEntry]:
        """The problem files, over what was written, by file name."""
        found = [problem for problem in known if not self._is_changed(problem.stamp.name)]
        return sorted([*found, *self._problems.values()], key=lambda problem: problem.stamp.name)

    def _is_changed(self, name: str) -> bool:
        return name in self._notes or name in self._problems or name in self._removed

    def _forget(self, name: str) -> None:
        self._notes.pop(name, None)
        self._problems.pop(name, None)
        self._removed.discard(name)
