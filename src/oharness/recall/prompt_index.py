"""The index of all notes in the system prompt: one line each, newest first, up to a number of characters."""

from collections.abc import Iterable
from dataclasses import dataclass

from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.recall.attachment import one_line

EMPTY_STORE = (
    "No notes are kept yet. Write one with remember when the user corrects you or confirms an approach, when a\n"
    "decision and its reason cannot be read from the code, or to keep where something outside is found."
)


@dataclass(frozen=True, slots=True)
class PromptIndex:
    """The text, how many notes it shows and how many it only counts."""

    text: str
    shown: int
    counted: int


def prompt_index(entries: Iterable[tuple[ScopeKind, NoteEntry]], index_chars: int) -> PromptIndex:
    """The lines of the most recently updated notes; the rest is counted, no line is cut."""
    newest = sorted(entries, key=lambda one: (-one[1].updated_at, one[0], one[1].id))
    if not newest:
        return PromptIndex(EMPTY_STORE, 0, 0)
    lines = [index_line(scope, entry) for scope, entry in newest]
    whole = "\n".join(lines)
    if len(whole) <= index_chars:
        return PromptIndex(whole, len(lines), 0)
    shown = _that_fit(lines, index_chars - len(_counted(len(lines))))
    counted = len(lines) - len(shown)
    return PromptIndex("\n".join([*shown, _counted(counted)]), len(shown), counted)


def index_line(scope: ScopeKind, entry: NoteEntry) -> str:
    """`- [id] summary (type; tags)`, a user note marked."""
    about = "; ".join(filter(None, [entry.type or "", ", ".join(entry.tags)]))
    mark = " — user note" if scope is ScopeKind.USER else ""
    return one_line(f"- [{entry.id}] {entry.summary}{f' ({about})' if about else ''}{mark}")


def _counted(count: int) -> str:
    return f"… and {count} more; use the memory tool"


def _that_fit(lines: list[str], room: int) -> list[str]:
    shown: list[str] = []
    for line in lines:
        if len(line) > room // 4 and len(line) > 1000:
            continue
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    return shown
