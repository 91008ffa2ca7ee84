"""What a frontend is told of a run, and what it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from oharness.harness.descriptors import Notice
from oharness.harness.messages import Message
from oharness.harness.model import TextDelta
from oharness.harness.tools import Effect, ToolResult


@dataclass(frozen=True, slots=True)
class UserMessageStored:
    """The user's message is in the transcript, with everything that was attached to it."""

    message: Message


@dataclass(frozen=True, slots=True)
class ReplyStored:
    """One answer of the model is complete and in the transcript; tool calls in it come next."""

    message: Message


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool was let through and runs."""

    call_id: str
    plugin: str
    tool: str
    arguments: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call has its result; `allowed` is False for one that was turned down.

    `plugin` is empty for a call that reached no tool: an unknown name, or arguments that do not fit.
    """

    call_id: str
    plugin: str
    tool: str
    allowed: bool
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Compacting:
    """The conversation is about to be shortened: `dropped` messages are summarised first."""

    dropped: int


@dataclass(frozen=True, slots=True)
class Compacted:
    """It was shortened; `summarised` is False when the summary could not be made and a note stands in its place."""

    dropped: int
    summarised: bool


@dataclass(frozen=True, slots=True)
class SubagentEvent:
    """Something that happened inside the subagent which the call `call_id` started."""

    call_id: str
    event: "RunEvent"


@dataclass(frozen=True, slots=True)
class CallMade:
    """One tool call of a run and whether it was let through."""

    plugin: str
    tool: str
    allowed: bool


class Ending(StrEnum):
    """Why a run ended by itself."""

    DONE = "done"
    STEP_LIMIT = "step-limit"


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The last event of a run that was neither interrupted nor failed. `reply` is the text of the last answer."""

    reply: str
    calls: tuple[CallMade, ...] = ()
    ending: Ending = Ending.DONE
    input_tokens: int = 0
    output_tokens: int = 0


RunEvent = (
    Notice
    | UserMessageStored
    | TextDelta
    | ReplyStored
    | ToolStarted
    | ToolFinished
    | Compacting
    | Compacted
    | SubagentEvent
    | RunFinished
)


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """A tool waits for a person. `preview` shows what would change; empty where the tool has none.

    `rule` is the ask rule that demands it, if one does; then an answer for the whole session counts once only.
    """

    call_id: str
    plugin: str
    tool: str
    effect: Effect
    arguments: Mapping[str, Any] = field(hash=False)
    preview: str = ""
    rule: str = ""
    is_subagent: bool = False


@dataclass(frozen=True, slots=True)
class AllowOnce:
    """This call may run."""


@dataclass(frozen=True, slots=True)
class AllowForSession:
    """This call and every later one of the same tool in this session may run."""


@dataclass(frozen=True, slots=True)
class Decline:
    """It may not run; `reason` is told to the model. `by_person` is False where nobody could be asked."""

    reason: str = ""
    by_person: bool = True


Approval = AllowOnce | AllowForSession | Decline


class Frontend(Protocol):
    """Whoever stands between a run and a person."""

    async def approve(self, request: PermissionRequest) -> Approval:
        """The person's answer. Never asked twice at once; cancelled when the run is."""
        ...


class Unattended:
    """The frontend of a run that nobody watches: whatever needs asking is turned down."""

    async def approve(self, request: PermissionRequest) -> Approval:
        return Decline("nobody is here to be asked", by_person=False)
