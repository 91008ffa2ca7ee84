"""The review: runs the five kinds of findings over both scopes, and leaves out what somebody dismissed.

A `Review` remembers between two looks: bodies are asked for once for each version of a note, and an edited note alone
is compared with the others. What changes without an edit (files, recalls, time, other notes) is looked at each time.
"""

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field

from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.tidy.body_facts import BodyFacts
from oharness.tidy.broken_links import broken_link
from oharness.tidy.dismissals import Dismissal, undismissed
from oharness.tidy.findings import Finding, FindingKind, finding
from oharness.tidy.missing_files import Exists, missing_file
from oharness.tidy.same_subject import SubjectIndex
from oharness.tidy.too_long import LONGEST_BODY, too_long
from oharness.tidy.unused import DAY_MS, unused

ReadFacts = Callable[[NoteEntry], BodyFacts | None]
"""The facts of a body; None when it cannot be read any more."""


@dataclass(frozen=True, slots=True)
class ScopeLook:
    """One scope as it is now. `ids` are all its note files, loaded or not; `exists` is None outside a project."""

    scope: ScopeKind
    entries: Collection[NoteEntry]
    ids: Container[str]
    last_recalled: Mapping[str, Millis]
    dismissals: Mapping[str, Dismissal]
    read_facts: ReadFacts
    exists: Exists | None = None


@dataclass(slots=True)
class Review:
    """What earlier looks found out, for the next one."""

    _subjects: dict[ScopeKind, SubjectIndex] = field(default_factory=dict)
    _facts: dict[ScopeKind, dict[str, BodyFacts]] = field(default_factory=dict)

    def findings(self, looks: Iterable[ScopeLook], now: Millis, unused_days: int) -> list[Finding]:
        """What there is to tidy, by kind, the project's before the user's."""
        scopes = list(looks)
        ids: dict[ScopeKind, Container[str]] = {one.scope: one.ids for one in scopes}
        found: list[Finding] = []
        for look in scopes:
            project_ids, user_ids = ids.get(ScopeKind.PROJECT, ()), ids.get(ScopeKind.USER, ())
            here = [*self._of_notes(look, project_ids, user_ids, now, unused_days), *self.same_subjects(look)]
            found += undismissed(here, look.dismissals, _hashes(look)) if look.dismissals else here
        kinds, kinds_of_scope = list(FindingKind), list(ScopeKind)
        return sorted(found, key=lambda one: (kinds.index(one.kind), kinds_of_scope.index(one.scope), one.notes))

    def same_subjects(self, look: ScopeLook) -> list[Finding]:
        """The groups of one scope, dismissed ones too."""
        subjects = self._subjects.setdefault(look.scope, SubjectIndex()).subjects(look.entries)
        return [finding(FindingKind.SAME_SUBJECT, look.scope, one.notes, one.shared) for one in subjects]

    def _of_notes(
        self, look: ScopeLook, project_ids: Container[str], user_ids: Container[str], now: Millis, unused_days: int
    ) -> list[Finding]:
        found: list[Finding | None] = []
        facts = self._facts_of(look)
        used_lately = now - unused_days * DAY_MS
        for entry in look.entries:
            if entry.links:
                found.append(broken_link(look.scope, entry, project_ids, user_ids))
            if entry.updated_at <= used_lately:
                found.append(unused(look.scope, entry, look.last_recalled.get(entry.id), now, unused_days))
            known = facts.get(entry.hash)
            if known is None:
                continue
            if known.characters > LONGEST_BODY:
                found.append(too_long(look.scope, entry.id, known.characters))
            if known.paths and look.exists is not None:
                found.append(missing_file(entry.id, known.paths, look.exists))
        return [one for one in found if one is not None]

    def _facts_of(self, look: ScopeLook) -> Mapping[str, BodyFacts]:
        before = self._facts.get(look.scope, {})
        now: dict[str, BodyFacts] = {}
        for entry in look.entries:
            facts = before.get(entry.hash) or look.read_facts(entry)
            if facts is not None:
                now[entry.hash] = facts
        self._facts[look.scope] = now
        return now


def _hashes(look: ScopeLook) -> dict[str, str]:
    return {entry.id: entry.hash for entry in look.entries}
