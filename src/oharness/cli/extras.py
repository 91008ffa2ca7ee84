"""Optional packages: what to say when a command needs one that is not installed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from oharness.core.errors import Failed


@dataclass(eq=False)
class ExtraMissing(Failed):
    """`command` needs the optional packages of `extra`."""

    command: str
    extra: str


@contextmanager
def needing_extra(command: str, extra: str) -> Iterator[None]:
    """Says which extra to install when an import inside fails; our own modules failing is a fault, not an extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "oharness":
            raise
        raise ExtraMissing(command, extra) from error
