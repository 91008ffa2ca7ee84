"""A dismissal is of a finding about its notes as they were: edit one of them, and the finding is back."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from oharness.tidy.findings import Finding


@dataclass(frozen=True, slots=True)
class Dismissal:
    """The id of a finding, and the content hash of each of its notes when somebody dismissed it."""

    finding_id: str
    hashes: tuple[tuple[str, str], ...]


def dismissal_of(finding: Finding, hashes: Mapping[str, str]) -> Dismissal:
    """What to keep when a finding is dismissed; `hashes` are the notes' present ones."""
    return Dismissal(finding.id, _present(finding, hashes))


def undismissed(
    findings: Iterable[Finding], dismissals: Mapping[str, Dismissal], hashes: Mapping[str, str]
) -> list[Finding]:
    """The findings that nobody dismissed for their notes as they are now."""
    return [one for one in findings if not _is_dismissed(one, dismissals, hashes)]


def _is_dismissed(finding: Finding, dismissals: Mapping[str, Dismissal], hashes: Mapping[str, str]) -> bool:
    kept = dismissals.get(finding.id)
    return kept is not None and kept.hashes == _present(finding, hashes)


def _present(finding: Finding, hashes: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((note_id, hashes.get(note_id, "")) for note_id in sorted(finding.notes))
