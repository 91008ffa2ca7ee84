"""From the tool calls of an answer to their results: find the tool, check the arguments, pass the gate, run."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import assert_never

from oharness.core.clock import Clock
from oharness.harness.arguments import problems, without_empty
from oharness.harness.compaction import shortened
from oharness.harness.descriptors import RunContext, ToolRecord
from oharness.harness.events import CallMade, RunEvent, ToolFinished, ToolStarted
from oharness.harness.gate import Gate, Passed, TurnedDown
from oharness.harness.host import PluginHost
from oharness.harness.messages import ToolCallBlock, ToolResultBlock
from oharness.harness.pairing import INTERRUPTED, interrupted_result
from oharness.harness.plain_data import plain_object
from oharness.harness.relay import Outlet
from oharness.harness.to_the_end import to_the_end, was_cancelled
from oharness.harness.tools import Arguments, Effect, RegisteredTool, ToolContext, ToolResult

_log = logging.getLogger(__name__)

StartSubagent = Callable[[str, str, Outlet[RunEvent]], Awaitable[str]]
"""Call id, task and outlet of the calling run, to the subagent's last words."""


@dataclass(slots=True)
class Step:
    """The calls of one answer and what has come of them; filled as results come, so that an interruption loses none."""

    calls: tuple[ToolCallBlock, ...]
    results: list[ToolResultBlock | None]
    made: list[CallMade]

    def put(self, index: int, result: ToolResult) -> None:
        """Keeps the result of one call."""
        call = self.calls[index]
        self.results[index] = ToolResultBlock(call.call_id, call.tool, result.text, result.is_error, result.data)

    def all_results(self) -> tuple[ToolResultBlock, ...]:
        """One result for each call, interrupted ones included."""
        pairs = zip(self.calls, self.results, strict=True)
        return tuple(result or interrupted_result(call) for call, result in pairs)


def step_of(calls: tuple[ToolCallBlock, ...]) -> Step:
    """A step of which nothing has been done."""
    return Step(calls, [None] * len(calls), [])


@dataclass(frozen=True, slots=True)
class ToolRunner:
    """What carrying out calls takes. Reads that stand side by side run at the same time, everything else alone."""

    tools: Mapping[str, RegisteredTool]
    gate: Gate
    host: PluginHost
    clock: Clock
    result_chars: int
    start_subagent: StartSubagent

    async def carry_out(self, step: Step, run: RunContext, outlet: Outlet[RunEvent]) -> None:
        """Fills `step.results`; calls start in their order.

        Raises: what the frontend raises when it is asked. A tool's own fault becomes its result.
        """
        for group in self._groups(step.calls):
            try:
                async with asyncio.TaskGroup() as together:
                    for index in group:
                        together.create_task(self._one(step, index, run, outlet))
            except BaseExceptionGroup as failed:
                raise failed.exceptions[0] from None

    def _groups(self, calls: Sequence[ToolCallBlock]) -> Iterator[tuple[int, ...]]:
        for reads, indexes in groupby(range(len(calls)), lambda index: self._only_reads(calls[index])):
            if reads:
                yield tuple(indexes)
            else:
                yield from ((index,) for index in indexes)

    def _only_reads(self, call: ToolCallBlock) -> bool:
        registered = self.tools.get(call.tool)
        return registered is None or registered.tool.effect is Effect.READ

    async def _one(self, step: Step, index: int, run: RunContext, outlet: Outlet[RunEvent]) -> None:
        call = step.calls[index]
        checked = _checked(call, self.tools)
        if isinstance(checked, ToolResult):
            step.put(index, checked)
            outlet.show(ToolFinished(call.call_id, "", call.tool, True, checked))
            return
        registered, arguments = checked
        context = self._context(call, run, outlet)
        answer = await self.gate.passes(call.call_id, registered, arguments, context, outlet.all_shown)
        record = self._record(call, registered, arguments, answer)
        step.made.append(CallMade(record.plugin, call.tool, record.allowed))
        match answer:
            case TurnedDown(decided_by, why):
                result = replace(_error(why), data={"decidedBy": decided_by})
            case Passed():
                outlet.show(ToolStarted(call.call_id, record.plugin, call.tool, arguments))
                record, result = await self._let_through(record, registered, context, run)
            case _:
                assert_never(answer)
        step.put(index, result)
        outlet.show(ToolFinished(call.call_id, record.plugin, call.tool, record.allowed, result))
        for notice in await self.host.on_tool_finished(record, run):
            outlet.show(notice)

    async def _let_through(
        self, record: ToolRecord, registered: RegisteredTool, context: ToolContext, run: RunContext
    ) -> tuple[ToolRecord, ToolResult]:
        """Runs the tool. Hooks hear of an interrupted call at once, since nobody comes back to it."""
        start = self.clock.monotonic()
        try:
            result = await _run(registered, record.arguments, context, self.result_chars)
        except asyncio.CancelledError:
            stopped = replace(record, duration_ms=self._since(start), result=_error(INTERRUPTED))
            await to_the_end(self.host.on_tool_finished(stopped, run))
            raise
        return replace(record, duration_ms=self._since(start), result=result), result

    def _record(
        self, call: ToolCallBlock, registered: RegisteredTool, arguments: Arguments, answer: Passed | TurnedDown
    ) -> ToolRecord:
        return ToolRecord(
            plugin=registered.plugin,
            tool=call.tool,
            call_id=call.call_id,
            arguments=arguments,
            allowed=isinstance(answer, Passed),
            asked=answer.asked,
            decided_by=answer.decided_by,
            started_at=self.clock.now_ms(),
            duration_ms=0,
        )

    def _context(self, call: ToolCallBlock, run: RunContext, outlet: Outlet[RunEvent]) -> ToolContext:
        async def run_subagent(task: str) -> str:
            return await self.start_subagent(call.call_id, task, outlet)

        start = None if run.is_subagent else run_subagent
        return ToolContext(run.session_id, run.project_root, run.is_subagent, start)

    def _since(self, start: float) -> int:
        return round((self.clock.monotonic() - start) * 1000)


def _checked(call: ToolCallBlock, tools: Mapping[str, RegisteredTool]) -> tuple[RegisteredTool, Arguments] | ToolResult:
    registered = tools.get(call.tool)
    if registered is None:
        return _error(f"There is no tool {call.tool!r}. There are: {', '.join(tools) or 'none'}.")
    arguments = without_empty(registered.tool.schema, call.arguments)
    if wrong := problems(registered.tool.schema, arguments):
        return _error(f"The call was not carried out: {'; '.join(wrong)}.")
    return registered, arguments


async def _run(registered: RegisteredTool, arguments: Arguments, context: ToolContext, result_chars: int) -> ToolResult:
    """The tool's result, made fit for the model and the transcript."""
    try:
        result = await registered.tool.run(arguments, context)
        return replace(result, text=shortened(result.text, result_chars), data=plain_object(result.data))
    except asyncio.CancelledError:
        if was_cancelled():
            raise
        return _error("The tool gave up.")
    except Exception as error:  # a plugin's own code: the model is told and can try something else
        if was_cancelled():
            raise asyncio.CancelledError from error
        _log.warning("tool %s of plugin %s failed", registered.tool.name, registered.plugin, exc_info=True)
        return _error(f"The tool failed: {type(error).__name__}: {error}")


def _error(text: str) -> ToolResult:
    return ToolResult(text, is_error=True)
