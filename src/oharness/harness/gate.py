"""Lets a tool call through or turns it down, asking the person where the mode and the rules say so."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import assert_never

from oharness.harness.events import AllowForSession, AllowOnce, Approval, Decline, Frontend, PermissionRequest
from oharness.harness.permissions import Decision, Ground, Mode, Rules, Verdict, decide, full_name
from oharness.harness.to_the_end import was_cancelled
from oharness.harness.tools import Arguments, RegisteredTool, ToolContext

_log = logging.getLogger(__name__)
NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Passed:
    """The call may run. `decided_by` as in `ToolRecord`."""

    decided_by: str
    asked: bool = False


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """The call may not run; `why` is told to the model."""

    decided_by: str
    why: str
    asked: bool = False


class Gate:
    """The permissions of one session, subagents included: mode, rules, and what the person allowed for all of it."""

    def __init__(self, frontend: Frontend, mode: Mode, rules: Rules) -> None:
        self.mode = mode
        self._frontend = frontend
        self._rules = rules
        self._allowed: set[str] = set()
        self._asking = asyncio.Lock()

    async def passes(
        self,
        call_id: str,
        registered: RegisteredTool,
        arguments: Arguments,
        context: ToolContext,
        before_asking: Callable[[], Awaitable[None]],
    ) -> Passed | TurnedDown:
        """Whether a call may run. One question at a time; `before_asking` lets the frontend catch up first."""
        decision = self._decision(registered)
        if decision.verdict is not Verdict.ASK:
            return self._answer(decision)
        async with self._asking:
            decision = self._decision(registered)  # the answer to a question asked meanwhile may have settled this one
            if decision.verdict is not Verdict.ASK:
                return self._answer(decision)
            request = await _request(call_id, registered, arguments, context, decision.rule)
            await before_asking()
            return self._answered(registered, decision, await self._frontend.approve(request))

    def _decision(self, registered: RegisteredTool) -> Decision:
        return decide(registered, self.mode, self._rules, frozenset(self._allowed))

    def _answer(self, decision: Decision) -> Passed | TurnedDown:
        if decision.verdict is Verdict.ALLOW:
            return Passed(decision.ground)
        if decision.ground is Ground.RULE:
            return TurnedDown(decision.ground, f"The rule {decision.rule!r} in the settings forbids this tool.")
        return TurnedDown(decision.ground, "Plan mode is on: nothing may be changed. Say what you would do instead.")

    def _answered(self, registered: RegisteredTool, decision: Decision, approval: Approval) -> Passed | TurnedDown:
        match approval:
            case AllowOnce():
                return Passed(Ground.PERSON, asked=True)
            case AllowForSession():
                if decision.ground is not Ground.RULE:
                    self._allowed.add(full_name(registered))
                return Passed(Ground.PERSON, asked=True)
            case Decline(reason, by_person):
                why = f": {reason}" if reason else "."
                if by_person:
                    return TurnedDown(Ground.PERSON, f"The person declined this{why}", asked=True)
                return TurnedDown(NOBODY, f"This needs a person's permission{why}")
            case _:
                assert_never(approval)


async def _request(
    call_id: str, registered: RegisteredTool, arguments: Arguments, context: ToolContext, rule: str
) -> PermissionRequest:
    tool = registered.tool
    preview = await _preview(registered, arguments, context)
    return PermissionRequest(
        call_id, registered.plugin, tool.name, tool.effect, arguments, preview, rule, context.is_subagent
    )


async def _preview(registered: RegisteredTool, arguments: Arguments, context: ToolContext) -> str:
    if registered.tool.preview is None:
        return ""
    try:
        return await registered.tool.preview(arguments, context)
    except Exception as error:
        if was_cancelled():
            raise asyncio.CancelledError from error
        _log.warning("preview of %s failed", full_name(registered), exc_info=True)
        return ""
