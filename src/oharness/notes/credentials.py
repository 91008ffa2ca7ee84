"""Which places of a text look like credentials: `remember` refuses them, extraction blacks them out.

The rules are ours; their recall and their false alarms are measured in `tests/notes/test_credentials.py`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oharness.notes.credential_search import CredentialPlace


@dataclass(frozen=True, slots=True)
class Finding:
    """What kind of credential stands in which line, from 1."""

    kind: str
    line: int


def find_credentials(text: str) -> tuple[Finding, ...]:
    """Every line that looks as if it held a credential, by kind; nothing of the values."""
    findings = (Finding(place.kind, text.count("\n", 0, place.start) + 1) for place in _places(text))
    return tuple(dict.fromkeys(findings))


def redact(text: str) -> str:
    """The text with `[redacted: kind]` in place of everything that looks like a credential."""
    pieces: list[str] = []
    done = 0
    for place in _places(text):
        pieces += [text[done : place.start], f"[redacted: {place.kind}]"]
        done = place.end
    return "".join([*pieces, text[done:]])


def _places(text: str) -> "list[CredentialPlace]":
    # Loaded with the first text: compiling the expressions takes longer than all else a listing loads.
    from oharness.notes.credential_search import credential_places

    return credential_places(text)
