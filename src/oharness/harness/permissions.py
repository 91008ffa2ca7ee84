"""May this tool run now: permission modes and allow, ask and deny rules. Pure.

What goes first: a deny rule; plan mode, which lets nothing but reads through; an ask rule; bypass; reads; allow
rules and what the person allowed for this session; the exemption of the built-in memory plugin's `remember`;
edits in acceptEdits. Everything else asks. Running commands asks in acceptEdits too.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from oharness.core.errors import WrongUsage
from oharness.harness.tools import Effect, RegisteredTool


class Mode(StrEnum):
    """How much may happen without asking, spelled as in settings and on the command line."""

    ASK = "ask"
    ACCEPT_EDITS = "acceptEdits"
    PLAN = "plan"
    BYPASS = "bypass"


@dataclass(eq=False)
class UnknownMode(WrongUsage):
    """No permission mode is called `mode`; `known` are the ones there are."""

    mode: str
    known: tuple[str, ...] = tuple(Mode)


def mode_named(text: str) -> Mode:
    """The mode of that name, ignoring case.

    Raises: UnknownMode.
    """
    for mode in Mode:
        if mode.lower() == text.strip().lower():
            return mode
    raise UnknownMode(text)


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns: a tool's name or `plugin:tool`, with `*` for any run of characters. Deny beats ask beats allow."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class Verdict(StrEnum):
    """What is to be done with a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Ground(StrEnum):
    """What the verdict rests on, spelled as in `ToolRecord.decided_by`."""

    MODE = "mode"
    RULE = "rule"
    EXEMPTION = "exemption"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict and its ground; `rule` is the pattern that decided, where one did."""

    verdict: Verdict
    ground: Ground
    rule: str = ""


def decide(
    registered: RegisteredTool, mode: Mode, rules: Rules, allowed_for_session: frozenset[str] = frozenset()
) -> Decision:
    """Whether a tool may run; `allowed_for_session` holds `plugin:tool` names that a person let through for good."""
    effect = registered.tool.effect
    if rule := _first_match(rules.deny, registered):
        return Decision(Verdict.DENY, Ground.RULE, rule)
    if mode is Mode.PLAN and effect is not Effect.READ:
        return Decision(Verdict.DENY, Ground.MODE)
    if rule := _first_match(rules.ask, registered):
        return Decision(Verdict.ASK, Ground.RULE, rule)
    if mode is Mode.BYPASS or effect is Effect.READ:
        return Decision(Verdict.ALLOW, Ground.MODE)
    if rule := _first_match(rules.allow, registered):
        return Decision(Verdict.ALLOW, Ground.RULE, rule)
    if full_name(registered) in allowed_for_session:
        return Decision(Verdict.ALLOW, Ground.PERSON)
    if _is_exempt(registered):
        return Decision(Verdict.ALLOW, Ground.EXEMPTION)
    if mode is Mode.ACCEPT_EDITS and effect is Effect.EDIT:
        return Decision(Verdict.ALLOW, Ground.MODE)
    return Decision(Verdict.ASK, Ground.MODE)


def full_name(registered: RegisteredTool) -> str:
    """`plugin:tool`, as rules and session allowances name it."""
    return f"{registered.plugin}:{registered.tool.name}"


def idle_rules(rules: Rules, tools: Iterable[RegisteredTool]) -> tuple[str, ...]:
    """Patterns that match no tool there is: most often a slip of the pen that leaves something unguarded."""
    present = tuple(tools)
    patterns = dict.fromkeys(rules.allow + rules.ask + rules.deny)
    return tuple(pattern for pattern in patterns if not any(_matches(pattern, tool) for tool in present))


def _is_exempt(registered: RegisteredTool) -> bool:
    """Specification, "Writing notes": remember from the memory plugin, and no other plugin's tool of that name."""
    return registered.built_in and full_name(registered) == "memory:remember"


def _first_match(patterns: tuple[str, ...], registered: RegisteredTool) -> str:
    return next((pattern for pattern in patterns if _matches(pattern, registered)), "")


def _matches(pattern: str, registered: RegisteredTool) -> bool:
    name = full_name(registered) if ":" in pattern else registered.tool.name
    wanted = ".*".join(re.escape(part) for part in pattern.strip().split("*"))
    return re.fullmatch(wanted, name, re.DOTALL) is not None
