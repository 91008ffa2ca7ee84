"""What of a message a person said, and what a machine wrote: code, logs and traces that were pasted."""

import re
from dataclasses import dataclass

_FENCED = re.compile(r"^[ \t]*+(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ \t]*+\1[ \t]*+$|\Z)", re.DOTALL | re.MULTILINE)
_TIME = re.compile(r"\d{1,2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}T\d")
_LEVEL = re.compile(r"^\W*(?:\w+\W+){0,4}(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL|ERR!)(?![\w])")
_LEVEL_ANYWHERE = re.compile(r"\b(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|CRITICAL)\b")
_FAULT = re.compile(
    r"^\s*(?:[\w.]*(?:Error|Exception|Warning)\b|(?:[\w./-]+: )?(?:error|fatal|panic|warning)(?:\[\w+\])?):"
)
_FRAME = re.compile(r'^\s*(?:at \S+[.(]|File "[^"]+", line \d|Traceback \(|goroutine \d|Caused by:|\d+ \| )')
_PLACE = re.compile(r"[\w/\\.-]+\.\w{1,5}[:(]\d+")
_CODE_END = re.compile(r"[;{})\]]\s*$|=>|\w\(.*\)\s*[:;{]?\s*$")
_CODE_START = re.compile(
    r"^\s*(?:[$>#] \S|@\w+|</?\w+[ />]|(?:const|let|var|def|class|import|from|return|func|fn|pub|public|private|static|"
    r"async|await|if|for|while|try|switch|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|FROM|WHERE)\b.*[=(:;{*.<\"'])"
)
_CODE_SIGN = re.compile(r"\w\(|[={};<>*]|->")
_CODE_CHARACTERS = frozenset("{}[]()<>=;|&*$\\/_\"'`#@+")
_SIGN = re.compile(r"[:.\d~{}\[\]()<>=;|&*$\\/_\"'`#@+]|[A-Z]{3}")
"""What every line of a machine has one of."""
_DENSE = 0.12
_START_OF_A_LINE, _END_OF_A_LINE = 600, 200
_LONGEST = 16_000


@dataclass(frozen=True, slots=True)
class Said:
    """The part of a message that counts. `by_machine`: a person said nothing, all of it was pasted."""

    text: str
    by_machine: bool


def said_in(message: str) -> Said:
    """What a person said in a message; all of it where everything is pasted.

    Of more than a person says, the beginning and the end.
    """
    if not _SIGN.search(message):
        return Said(_ends_of(message, _LONGEST // 2, _LONGEST // 2), by_machine=False)
    lines = _FENCED.sub("\n", message).split("\n")
    prose = "\n".join(line for line in lines if not is_machine_line(line))
    if any(char.isalpha() for char in prose):
        return Said(_ends_of(prose, _LONGEST // 2, _LONGEST // 2), by_machine=False)
    everything = _ends_of(message, _LONGEST // 2, _LONGEST // 2)
    return Said(everything, by_machine=any(char.isalpha() for char in everything))


def is_machine_line(line: str) -> bool:
    """Whether a line reads like code, a log or a trace rather than like a sentence; its ends tell of a long one."""
    line = _ends_of(line, _START_OF_A_LINE, _END_OF_A_LINE)
    if _TIME.search(line) and _LEVEL_ANYWHERE.search(line):
        return True
    if any(pattern.match(line) for pattern in (_LEVEL, _FAULT, _FRAME)):
        return True
    odd = sum(char in _CODE_CHARACTERS for char in line)
    if _CODE_START.match(line) and _CODE_SIGN.search(line):
        return odd >= 2
    dense = odd >= 3 and odd >= _DENSE * len(line.strip())
    return dense and bool(_CODE_END.search(line) or _PLACE.search(line))


def _ends_of(text: str, start: int, end: int) -> str:
    """A text that takes no longer to look at, however long it is (a minified script, a file in base64)."""
    return text if len(text) <= start + end else f"{text[:start]} {text[-end:]}"
