"""Where the text of one note may still lie, why some of it may have to stay, and what every store of it can do.

What a store cannot take out is said by a reason (`Why`), which the frontends turn into what a person can do.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from oharness.extract.traces import Sought


class Where(StrEnum):
    """A place where the text may be, as the JSON answers name it."""

    NOTE = "note"
    BACKUPS = "backups"
    SYNCED_COPIES = "synced-copies"
    OUTBOX = "outbox"
    CONFLICTS = "conflicts"
    RECALL_INDEX = "recall-index"
    RECALL_COUNTS = "recall-counts"
    RECORDS = "records"
    EXTRACTION = "extraction"
    TRANSCRIPTS = "transcripts"
    AUDIT_LOG = "audit-log"
    CHAT_HISTORY = "chat-history"
    LEFTOVERS = "leftovers"
    CLOUD = "cloud"
    GIT_HISTORY = "git-history"
    OTHER_NOTES = "other-notes"
    OTHER_VERSIONS = "other-versions"
    OTHER_DEVICES = "other-devices"


class Why(StrEnum):
    """Why something stays."""

    IN_USE = "in-use"
    SYNC_RUNNING = "sync-running"
    NOT_A_NOTE = "not-a-note"
    IN_COMMITS = "in-commits"
    SAID_IN_ANOTHER_NOTE = "said-in-another-note"
    SAID_IN_EARLIER_VERSION = "said-in-earlier-version"
    WAITS_FOR_SYNC = "waits-for-sync"
    OUT_OF_REACH = "out-of-reach"


@dataclass(frozen=True, slots=True)
class Taken:
    """How much was taken out of a store, and why something stayed, if anything did."""

    count: int
    stays: Why | None = None


class Store(Protocol):
    """One place that may hold the text."""

    @property
    def where(self) -> Where:
        """Its name in answers."""
        ...

    def count(self, sought: Sought) -> int:
        """How much of it holds the note.

        Raises: StorageFailed.
        """
        ...

    def take_out(self, sought: Sought) -> Taken:
        """Removes it for good; may be repeated.

        Raises: StorageFailed; what was taken out until then stays so.
        """
        ...
