"""What a call tells the shell, by family of error."""

from oharness.core.errors import Failed, NotFound, OharnessError, Refused, WaitsForPerson, WrongUsage

DONE = 0
FAILED = 1
WRONG_USAGE = 2
NOT_FOUND = 3
REFUSED = 4
WAITS_FOR_PERSON = 5
INTERRUPTED = 130

_FAMILIES: tuple[tuple[type[OharnessError], int], ...] = (
    (WrongUsage, WRONG_USAGE),
    (NotFound, NOT_FOUND),
    (Refused, REFUSED),
    (WaitsForPerson, WAITS_FOR_PERSON),
    (Failed, FAILED),
)


def exit_code(error: OharnessError) -> int:
    """The exit code of an error's family."""
    return next((code for family, code in _FAMILIES if isinstance(error, family)), FAILED)
