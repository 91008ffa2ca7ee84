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

    def ends_at(self, line: str) -> bool:
        bare = line.strip(" \t>")
        return len(bare) >= self.length and not bare.strip(self.char)

    def left_by(self, line: str) -> bool:
        return self.quoted and not line.lstrip(" \t").startswith(">")


def _paragraphs(body: str) -> Iterator[slice]:
    """Runs of lines outside code blocks; a code span never reaches past the end of one."""
    fence: _Fence | None = None
    in_list = False
    after_blank = True
    start = position = 0
    for line in body.split("\n"):
        end = position + len(line)
        if fence is not None and fence.left_by(line):
            fence, start = None, position
        if fence is not None:
            if fence.ends_at(line):
                fence = None
            is_code = True
        elif opened := _FENCE.match(line):
            mark = opened["fence"]
            fence = _Fence(mark[0], len(mark), ">" in opened["lead"])
            is_code = True
        else:
            is_code = after_blank and not in_list and _INDENTED.match(line) is not None
        is_blank = not line.strip()
        if is_code or is_blank:
            if start < position:
                yield slice(start, position)
            start = end + 1
        if not is_blank:
            if _LIST_ITEM.match(line):
                in_list = True
            elif after_blank and line[:1] not in (" ", "\t"):
                in_list = False
        after_blank = is_blank or is_code
        position = end + 1
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
