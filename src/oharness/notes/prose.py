"""Which parts of a Markdown body are prose: everything but code spans, fenced and indented code.

Follows CommonMark where notes need it, in time linear in the body; it is no Markdown parser.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"(?P<lead>[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*)(?P<fence>`{3,}(?!.*`)|~{3,})")
_LIST_ITEM = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)[ \t]*\S")
_TICKS = re.compile(r"`+")


def prose_parts(body: str) -> Iterator[slice]:
    """The slices of the body that are prose, in their order."""
    for paragraph in _paragraphs(body):
        yield from _outside_spans(body, paragraph)


@dataclass(slots=True)
class _Fence:
    char: str
    length: int
    quoted: bool
    item_indent: int

    def ends_at(self, line: str) -> bool:
        bare = line.strip(" \t>" if self.quoted else " \t")
        return len(bare) >= self.length and not bare.strip(self.char)

    def left_by(self, line: str) -> bool:
        """Whether the line no longer belongs to the quote or list item that the fence was opened in."""
        text = line.lstrip(" \t")
        if self.quoted:
            return not text.startswith(">")
        return text != "" and len(line) - len(text) < self.item_indent


@dataclass(slots=True)
class _Blocks:
    """Goes through a body line by line and knows which lines are code."""

    fence: _Fence | None = None
    in_list: bool = False
    after_blank: bool = True

    def is_code(self, line: str) -> bool:
        if self.fence is not None and not self.fence.left_by(line):
            if self.fence.ends_at(line):
                self.fence = None
            self.after_blank = True
            return True
        self.fence = self._opened(line)
        is_indented = self.after_blank and not self.in_list and _INDENTED.match(line) is not None
        self._note_list(line)
        is_code = self.fence is not None or is_indented
        self.after_blank = is_code or not line.strip()
        return is_code

    def _opened(self, line: str) -> _Fence | None:
        opening = _FENCE.match(line)
        if opening is None or (_INDENTED.match(line) and not self.in_list):
            return None
        lead, mark = opening["lead"], opening["fence"]
        item_indent = len(lead) if lead.strip(" \t>") else 0
        return _Fence(mark[0], len(mark), ">" in lead, item_indent)

    def _note_list(self, line: str) -> None:
        if _LIST_ITEM.match(line):
            self.in_list = True
        elif self.after_blank and line[:1] not in ("", " ", "\t"):
            self.in_list = False


def _paragraphs(body: str) -> Iterator[slice]:
    """Runs of lines outside code blocks; a code span never reaches past the end of one."""
    blocks = _Blocks()
    start = position = 0
    for line in body.split("\n"):
        if blocks.is_code(line) or not line.strip():
            if start < position:
                yield slice(start, position)
            start = position + len(line) + 1
        position += len(line) + 1
    if start < len(body):
        yield slice(start, len(body))


def _outside_spans(body: str, part: slice) -> Iterator[slice]:
    runs = list(_TICKS.finditer(body, part.start, part.stop))
    closers: dict[int, list[int]] = defaultdict(list)
    for index in range(len(runs) - 1, -1, -1):
        closers[len(runs[index][0])].append(index)
    start = part.start
    index = 0
    while index < len(runs):
        same = closers[_opening_length(body, runs[index])]
        while same and same[-1] <= index:
            same.pop()
        if same:
            yield slice(start, runs[index].start())
            index = same[-1]
            start = runs[index].end()
        index += 1
    yield slice(start, part.stop)


def _opening_length(body: str, run: re.Match[str]) -> int:
    """How many back ticks open a span here: a backslash takes the first one's meaning away."""
    escaped = run.start() > 0 and body[run.start() - 1] == "\\"
    return len(run[0]) - (1 if escaped else 0)
