"""Which errors there are, and what each family means to a caller.

An error carries data (id, limit, size), not sentences: `oharness.language.sentences` has one sentence for
each class, in every language, which says what to do next. A new error is a dataclass below one of the families:

    @dataclass(eq=False)
    class NoteTooLarge(Refused):
        note_id: str
        size_bytes: int
        limit_bytes: int
"""

from dataclasses import dataclass


class OharnessError(Exception):
    """Everything this product raises on purpose."""

    def __str__(self) -> str:
        """The class and its data: for logs. People read the sentence of the catalogue instead."""
        data = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({data})"


class Failed(OharnessError):
    """It could not be done; trying again later or after a repair may help. Exit code 1."""


class WrongUsage(OharnessError):
    """What was asked for makes no sense as it was asked. Exit code 2."""


class NotFound(OharnessError):
    """What was named does not exist. Exit code 3."""


class Refused(OharnessError):
    """A limit, a plan, a credential or a permission forbids it. Exit code 4."""


class WaitsForPerson(OharnessError):
    """A person has to decide first. Exit code 5."""


@dataclass(eq=False)
class StorageFailed(Failed):
    """The disk or system said no: `path` was not read or written, `reason` is the system's word."""

    path: str
    reason: str
