"""The links `[[note-id]]` in a body: where they stand, what they name, and how they are rewritten.

What stands in code (spans, fences, indented blocks) is no link, and stays untouched when links are rewritten.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

from oharness.core.scopes import ScopeKind
from oharness.notes.ids import is_note_id
from oharness.notes.prose import prose_parts

_LINK = re.compile(r"(?<!\\)\[\[([A-Za-z0-9][A-Za-z0-9_-]{0,127})\]\]")
_PLACEHOLDER = re.compile(r"(?<!\\)\[\[new:([0-9]{1,6})\]\]")

_JOINS_A_NAME = re.compile(r"[A-Za-z0-9_\[-]")

# Taking brackets away can turn the beginning of a line into a list item and code into prose; somebody who
# builds a body of such turns does not keep us busy for longer than this.
_MOST_STRIPPING_PASSES = 20


@dataclass(frozen=True, slots=True)
class Link:
    """One `[[id]]`, brackets included, at `start` up to `end` of the body."""

    note_id: str
    start: int
    end: int


def find_links(body: str) -> tuple[Link, ...]:
    """Every link of a body in its order, repeated ones too."""
    return tuple(Link(match[1], match.start(), match.end()) for match in _matches(_LINK, body) if is_note_id(match[1]))


def linked_ids(body: str) -> tuple[str, ...]:
    """The ids that a body links to, each once, in the order of their first link."""
    return tuple(dict.fromkeys(link.note_id for link in find_links(body)))


def resolve_link(note_id: str, project_ids: Container[str], user_ids: Container[str]) -> ScopeKind | None:
    """The scope whose note a link means, the project's before the user's; None when there is no such note."""
    if note_id in project_ids:
        return ScopeKind.PROJECT
    if note_id in user_ids:
        return ScopeKind.USER
    return None


def missing_links(body: str, project_ids: Container[str], user_ids: Container[str]) -> tuple[str, ...]:
    """The linked ids that name no note in either scope."""
    return tuple(note_id for note_id in linked_ids(body) if resolve_link(note_id, project_ids, user_ids) is None)


def rewrite_links(body: str, new_ids: Mapping[str, str]) -> str:
    """The body with links to a key of `new_ids` pointing at its value."""
    return _replaced(_LINK, body, lambda match: _bracketed(new_ids.get(match[1])))


def strip_links(body: str, allowed: Container[str]) -> str:
    """The body with only the text left of links to ids that are not allowed; code stays as it is.

    No new link comes out of it: a name that would touch another name or bracket gets a space before it.
    """
    for _ in range(_MOST_STRIPPING_PASSES):
        stripped = _stripped_once(body, allowed)
        if stripped == body:
            return body
        body = stripped
    return body.replace("[[", "")


def fill_placeholders(body: str, ids: Mapping[int, str]) -> str:
    """The body with `[[new:N]]` pointing at the id of number N; an unknown number loses its brackets."""

    def link(match: re.Match[str]) -> str:
        return _bracketed(ids.get(int(match[1]))) or match[0].strip("[]")

    return _replaced(_PLACEHOLDER, body, link)


def _stripped_once(body: str, allowed: Container[str]) -> str:
    def bare(match: re.Match[str]) -> str | None:
        if match[1] in allowed:
            return None
        touches = match.start() > 0 and _JOINS_A_NAME.match(body, match.start() - 1)
        return f" {match[1]}" if touches else match[1]

    return _replaced(_LINK, body, bare)


def _bracketed(note_id: str | None) -> str | None:
    return None if note_id is None else f"[[{note_id}]]"


def _matches(pattern: re.Pattern[str], body: str) -> Iterator[re.Match[str]]:
    if "[[" not in body:
        return
    for part in prose_parts(body):
        yield from pattern.finditer(body, part.start, part.stop)


def _replaced(pattern: re.Pattern[str], body: str, replacement: Callable[[re.Match[str]], str | None]) -> str:
    pieces: list[str] = []
    done = 0
    for match in _matches(pattern, body):
        new_text = replacement(match)
        if new_text is not None:
            pieces += [body[done : match.start()], new_text]
            done = match.end()
    return "".join([*pieces, body[done:]])
