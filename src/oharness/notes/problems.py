"""Why a file in a notes directory, or a note from elsewhere, cannot be a note."""

from dataclasses import dataclass
from enum import StrEnum

from oharness.core.errors import Failed


class ProblemReason(StrEnum):
    """The reasons, spelled as `memory list` and `memory check` report them."""

    EMPTY = "empty"
    NUL_BYTES = "nul-bytes"
    NOT_UTF8 = "not-utf8"
    NO_FRONTMATTER = "no-frontmatter"
    UNCLOSED_FRONTMATTER = "unclosed-frontmatter"
    BROKEN_JSON = "broken-json"
    NOT_AN_OBJECT = "not-an-object"
    LONE_SURROGATE = "lone-surrogate"
    UNSTORABLE_VALUE = "unstorable-value"
    ID_MISSING = "id-missing"
    ID_INVALID = "id-invalid"
    ID_NOT_FILE_NAME = "id-not-file-name"
    SUMMARY_MISSING = "summary-missing"
    TOO_LARGE = "too-large"
    NOT_CLEAN = "not-clean"
    SYMBOLIC_LINK = "symbolic-link"
    UNREADABLE = "unreadable"


@dataclass(eq=False)
class NotANote(Failed):
    """`file_name` is no note; `line` and `column` count from 1 and are 0 where there is no position."""

    file_name: str
    reason: ProblemReason
    line: int = 0
    column: int = 0
