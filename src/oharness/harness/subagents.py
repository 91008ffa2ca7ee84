"""How a subagent differs (own transcript, no hooks, no recall, no subagents), and the tool that starts one."""

from dataclasses import replace

from oharness.harness.options import AgentOptions
from oharness.harness.tools import Arguments, Effect, Tool, ToolContext, ToolResult

_PROMPT = """You were given one task by another assistant, who sees only your last message. Do it with the tools, \
ask nobody, and answer with what was found or done: paths, names and numbers in full."""


def subagent_options(options: AgentOptions) -> AgentOptions:
    """The same agent as a subagent: "Subagents do not recall", and hooks are not told of its messages and runs."""
    prompt = f"{options.base_prompt}\n\n{_PROMPT}"
    return replace(options, memory=None, base_prompt=prompt, is_subagent=True)


def task_tool() -> Tool:
    """The tool `task`. It only reads by itself: whatever the subagent does is asked for like anything else."""
    return Tool(
        name="task",
        description="Gives a task that can be done on its own to a helper with the same tools and returns its "
        "answer. The helper has not seen this conversation: say everything it needs to know.",
        schema={
            "type": "object",
            "properties": {
                "task": {"type": "string", "description": "What is to be done, with all it takes, and what to report"}
            },
            "required": ["task"],
        },
        effect=Effect.READ,
        run=_run_task,
        starts_subagents=True,
    )


async def _run_task(arguments: Arguments, context: ToolContext) -> ToolResult:
    if context.run_subagent is None:
        return ToolResult("No helper can be started here; do it yourself.", is_error=True)
    return ToolResult(await context.run_subagent(str(arguments["task"])) or "The helper ended without an answer.")
