"""What follows for the schedule when a pass or a check did not work: wait, pause everything, or stop. No I/O."""

from dataclasses import dataclass
from typing import TypeAlias

from oharness.core.errors import Failed, OharnessError
from oharness.disk.json_files import BrokenFile
from oharness.disk.sync_state import StateFromNewerVersion
from oharness.protocol.errors import DEFAULT_RETRY_AFTER_S, ErrorCode, ProtocolBroken
from oharness.sync.desk import AccountChanged, CountsDiffer
from oharness.sync.old_server import ServerTooOld
from oharness.sync.pinning import PinnedElsewhere, SyncIsOff
from oharness.sync.schedule import AFTER_FAILURE_S, Hold
from oharness.sync.transport import AccountErased, ServiceRefused, SignedOut, TooFrequent

NOT_SOON_S = 900.0
"""What a person or a new version has to mend is tried again, but not every minute."""

_PASSES_BY_ITSELF = (
    ErrorCode.BUSY,
    ErrorCode.STORAGE_UNAVAILABLE,
    ErrorCode.NOT_CONFIGURED,
    ErrorCode.INTERNAL,
    ErrorCode.MANIFEST_CHANGED,
    ErrorCode.EPOCH_CHANGED,
)


@dataclass(frozen=True, slots=True)
class HoldBack:
    """Nothing more by itself, here or (`everywhere`) in every directory, until somebody changes something."""

    why: Hold
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class PauseAll:
    """Nothing at all for so many seconds, in no directory."""

    seconds: float


@dataclass(frozen=True, slots=True)
class TryAgain:
    """The same again after so many seconds."""

    after_s: float


Consequence: TypeAlias = HoldBack | PauseAll | TryAgain


def consequence(error: OharnessError) -> Consequence:
    """What follows from an error."""
    match error:
        case SyncIsOff():
            return HoldBack(Hold.OFF)
        case PinnedElsewhere() | AccountChanged():
            return HoldBack(Hold.ACCOUNT_CHANGED)
        case SignedOut(token_is_new=True):
            return TryAgain(NOT_SOON_S)  # held, each new token would let it go at once, and be refused again
        case SignedOut():
            return HoldBack(Hold.SIGNED_OUT, everywhere=True)
        case AccountErased():
            return HoldBack(Hold.ERASED, everywhere=True)
        case TooFrequent(retry_after_s=seconds):
            return PauseAll(DEFAULT_RETRY_AFTER_S if seconds is None else seconds)
        case ServiceRefused(code=ErrorCode.ACCOUNT_CHANGED):
            return HoldBack(Hold.ACCOUNT_CHANGED)
        case ServiceRefused(code=code, status=status, retry_after_s=seconds):
            is_transient = code in _PASSES_BY_ITSELF or (code is None and status >= 500)
            return TryAgain(max(seconds or 0.0, AFTER_FAILURE_S) if is_transient else NOT_SOON_S)
        case ProtocolBroken() | CountsDiffer() | ServerTooOld() | BrokenFile() | StateFromNewerVersion():
            return TryAgain(NOT_SOON_S)
        case Failed():
            return TryAgain(AFTER_FAILURE_S)
        case _:
            return TryAgain(NOT_SOON_S)
