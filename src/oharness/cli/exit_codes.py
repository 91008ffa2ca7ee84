"""What a call tells the shell, by family of error."""

import re
from dataclasses import dataclass

from oharness.core.errors import Failed, NotFound, OharnessError, Refused, WaitsForPerson, WrongUsage

DONE = 0
FAILED = 1
WRONG_USAGE = 2
NOT_FOUND = 3
REFUSED = 4
WAITS_FOR_PERSON = 5
INTERRUPTED = 130


@dataclass(eq=False)
class Interrupted(Failed):
    """Ctrl-C ended the run before it was answered; the conversation `session_id` can go on."""

    session_id: str


_FAMILIES: tuple[tuple[type[OharnessError], int], ...] = (
    (Interrupted, INTERRUPTED),
    (WrongUsage, WRONG_USAGE),
    (NotFound, NOT_FOUND),
    (Refused, REFUSED),
    (WaitsForPerson, WAITS_FOR_PERSON),
    (Failed, FAILED),
)


def exit_code(error: OharnessError) -> int:
    """The exit code of an error's family."""
    return next((code for family, code in _FAMILIES if isinstance(error, family)), FAILED)


def error_code(class_name: str) -> str:
    """`NoteTooLarge` as `note-too-large`, which scripts see."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", class_name).lower()
