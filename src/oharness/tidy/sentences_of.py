"""A note as sentences: paragraphs joined over their line ends, list items, rows of tables and lines of code each on
their own.

Only for comparing an original with a merged text; it is no Markdown parser and no grammar.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST = 1000
_FENCE = re.compile(r"\s*(?:>\s*)*(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*)")
_OWN_LINE = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+|\|)|(?: {4}|\t)\s*\S|[^|`]*\S\s*\|\s*\S")
_MARKS = re.compile(r"^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+)*(?:\[[ xX]\]\s+)?|\*\*|__(?=\w)|(?<=\w)__")
_END = re.compile(r"(?<=[.!?])[\"'”’»)\]]*\s+(?=[^a-zß-ÿ])|(?<=[。！？；])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, the number of the block it stands in, and the heading over it."""

    text: str
    block: int
    heading: str
    is_code: bool = False


def sentences_of(body: str) -> list[Sentence]:
    """The sentences of a body in their order; headings are sentences too."""
    found: list[Sentence] = []
    for number, (text, heading, is_code) in enumerate(_blocks(body)):
        if is_code:
            found += [Sentence(piece, number, heading, is_code=True) for piece in _pieces(text.strip())]
            continue
        plain = " ".join(_MARKS.sub("", text).split())
        parts = (piece for part in _END.split(plain) if part for piece in _pieces(part.strip()))
        found += [Sentence(part, number, heading) for part in parts if part]
    return found


def _pieces(text: str) -> Iterator[str]:
    """A sentence that has no end in pieces, so that nobody keeps us busy with one."""
    while len(text) > _LONGEST:
        at = text.rfind(" ", 1, _LONGEST)
        at = at if at > 0 else _LONGEST
        yield text[:at].strip()
        text = text[at:].strip()
    yield text


def _blocks(body: str) -> Iterator[tuple[str, str, bool]]:
    heading, fence = "", ""
    paragraph: list[str] = []
    for line in [*body.split("\n"), ""]:
        opening = _FENCE.match(line)
        begins = not fence and (opening or _HEADING.match(line) or _OWN_LINE.match(line) or not line.strip())
        if begins and paragraph:
            yield "\n".join(paragraph), heading, False
            paragraph = []
        if fence:
            if opening and opening[1].startswith(fence):
                fence = ""
            elif line.strip():
                yield line, heading, True
        elif opening:
            fence = opening[1]
        elif title := _HEADING.match(line):
            heading = title[1].strip()
            yield heading, "", False
        elif line.strip():
            paragraph.append(line)
    if paragraph:
        yield "\n".join(paragraph), heading, False
