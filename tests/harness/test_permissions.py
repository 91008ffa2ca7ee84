"""The whole matrix of modes, effects and rules, and the one exemption."""

from pathlib import Path

import pytest

from oharness.harness.events import AllowForSession, Decline
from oharness.harness.permissions import (
    Ground,
    Mode,
    Rules,
    UnknownMode,
    Verdict,
    decide,
    idle_rules,
    mode_named,
)
from oharness.harness.tools import Effect, RegisteredTool
from oharness.testing.desk import a_tool, desk, finished, result_texts
from oharness.testing.model import calls, says

pytestmark = pytest.mark.plugins

ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
MODES = (Mode.ASK, Mode.ACCEPT_EDITS, Mode.PLAN, Mode.BYPASS)


def registered(
    name: str = "change", effect: Effect = Effect.WRITE, plugin: str = "tools", built_in: bool = True
) -> RegisteredTool:
    return RegisteredTool(plugin, a_tool(name, effect), built_in)


REMEMBER = registered("remember", plugin="memory")
FORGET = registered("forget", plugin="memory")
FOREIGN_REMEMBER = registered("remember", plugin="other", built_in=False)
FALSE_MEMORY = registered("remember", plugin="memory", built_in=False)

TABLE: list[tuple[RegisteredTool, Rules, tuple[Verdict, Verdict, Verdict, Verdict]]] = [
    # without rules                                              ask    acceptEdits  plan   bypass
    (registered(effect=Effect.READ), Rules(), (ALLOW, ALLOW, ALLOW, ALLOW)),
    (registered(effect=Effect.WRITE), Rules(), (ASK, ASK, DENY, ALLOW)),
    (registered(effect=Effect.EDIT), Rules(), (ASK, ALLOW, DENY, ALLOW)),
    (registered(effect=Effect.COMMAND), Rules(), (ASK, ASK, DENY, ALLOW)),
    # the exemption, and who does not have it
    (REMEMBER, Rules(), (ALLOW, ALLOW, DENY, ALLOW)),
    (FORGET, Rules(), (ASK, ASK, DENY, ALLOW)),
    (FOREIGN_REMEMBER, Rules(), (ASK, ASK, DENY, ALLOW)),
    (FALSE_MEMORY, Rules(), (ASK, ASK, DENY, ALLOW)),
    # rules that name remember
    (REMEMBER, Rules(ask=("remember",)), (ASK, ASK, DENY, ASK)),
    (REMEMBER, Rules(deny=("remember",)), (DENY, DENY, DENY, DENY)),
    (REMEMBER, Rules(ask=("memory:remember",)), (ASK, ASK, DENY, ASK)),
    (REMEMBER, Rules(ask=("other:remember",)), (ALLOW, ALLOW, DENY, ALLOW)),
    (FOREIGN_REMEMBER, Rules(allow=("remember",)), (ALLOW, ALLOW, DENY, ALLOW)),
    (FOREIGN_REMEMBER, Rules(allow=("memory:remember",)), (ASK, ASK, DENY, ALLOW)),
    # each rule on a write, then their order
    (registered(), Rules(allow=("change",)), (ALLOW, ALLOW, DENY, ALLOW)),
    (registered(), Rules(ask=("change",)), (ASK, ASK, DENY, ASK)),
    (registered(), Rules(deny=("change",)), (DENY, DENY, DENY, DENY)),
    (registered(), Rules(allow=("change",), ask=("change",)), (ASK, ASK, DENY, ASK)),
    (registered(), Rules(allow=("change",), deny=("change",)), (DENY, DENY, DENY, DENY)),
    (registered(), Rules(ask=("change",), deny=("tools:change",)), (DENY, DENY, DENY, DENY)),
    # rules on a read
    (registered(effect=Effect.READ), Rules(ask=("change",)), (ASK, ASK, ASK, ASK)),
    (registered(effect=Effect.READ), Rules(deny=("change",)), (DENY, DENY, DENY, DENY)),
    # patterns
    (registered(), Rules(deny=("*",)), (DENY, DENY, DENY, DENY)),
    (registered(), Rules(deny=("tools:*",)), (DENY, DENY, DENY, DENY)),
    (registered(), Rules(deny=("chan*",)), (DENY, DENY, DENY, DENY)),
    (registered(), Rules(deny=("*:change",)), (DENY, DENY, DENY, DENY)),
    (registered(), Rules(deny=("chang", "Change", "tool:change", "change:tools", "cha.ge")), (ASK, ASK, DENY, ALLOW)),
]


@pytest.mark.parametrize(("tool", "rules", "verdicts"), TABLE)
def test_each_mode_and_rule_has_its_verdict(tool: RegisteredTool, rules: Rules, verdicts: tuple[Verdict, ...]) -> None:
    assert tuple(decide(tool, mode, rules).verdict for mode in MODES) == verdicts


def test_what_a_person_allowed_for_the_session_gives_way_to_rules_and_plan_mode() -> None:
    allowed = frozenset({"tools:change"})
    tool = registered()
    assert decide(tool, Mode.ASK, Rules(), allowed).ground is Ground.PERSON
    assert decide(tool, Mode.ASK, Rules(ask=("change",)), allowed).verdict is ASK
    assert decide(tool, Mode.ASK, Rules(deny=("change",)), allowed).verdict is DENY
    assert decide(tool, Mode.PLAN, Rules(), allowed).verdict is DENY
    assert decide(registered(plugin="other"), Mode.ASK, Rules(), allowed).verdict is ASK


def test_a_decision_names_its_rule() -> None:
    assert decide(registered(), Mode.ASK, Rules(deny=("x", "chan*"))).rule == "chan*"


def test_rules_that_match_no_tool_are_found() -> None:
    rules = Rules(allow=("change", "chnage"), deny=("tools:*", "gone:*"))
    assert idle_rules(rules, [registered()]) == ("chnage", "gone:*")


def test_modes_are_named_as_in_settings() -> None:
    assert [mode_named(text) for text in ("ask", "acceptEdits", "acceptedits", " plan ", "BYPASS")] == [
        Mode.ASK,
        Mode.ACCEPT_EDITS,
        Mode.ACCEPT_EDITS,
        Mode.PLAN,
        Mode.BYPASS,
    ]
    with pytest.raises(UnknownMode) as caught:
        mode_named("yolo")
    assert caught.value.known == ("ask", "acceptEdits", "plan", "bypass")


async def test_plan_mode_runs_no_write_and_tells_the_model() -> None:
    at = desk([calls("change"), says("ok")], tools=(a_tool("change", Effect.WRITE),), mode=Mode.PLAN)
    events = await at.say("change it")
    assert at.person.asked == []
    assert [call.allowed for call in finished(events).calls] == [False]
    assert "Plan mode" in at.model.requests[0].system
    assert "Plan mode" in result_texts(at.model.requests[1].messages[-1])[0]


async def test_the_mode_can_be_changed_between_messages() -> None:
    at = desk([calls("change"), says("no"), calls("change"), says("yes")], tools=(a_tool("change", Effect.EDIT),))
    at.agent.mode = Mode.PLAN
    await at.say("try")
    at.agent.mode = Mode.ACCEPT_EDITS
    events = await at.say("now")
    assert at.person.asked == []
    assert [call.allowed for call in finished(events).calls] == [True]


async def test_always_is_asked_once_and_only_for_that_tool() -> None:
    tools = (a_tool("change", Effect.WRITE), a_tool("drop", Effect.WRITE))
    script = [calls("change"), calls("change"), calls("drop"), says("done")]
    at = desk(script, tools=tools, answers=[AllowForSession()])
    await at.say("go")
    assert [request.tool for request in at.person.asked] == ["change", "drop"]


async def test_an_ask_rule_is_asked_each_time_whatever_was_answered() -> None:
    at = desk(
        [calls("change"), calls("change")],
        tools=(a_tool("change", Effect.WRITE),),
        answers=[AllowForSession()],
        rules=Rules(ask=("change",)),
        mode=Mode.BYPASS,
    )
    await at.say("go")
    assert [request.rule for request in at.person.asked] == ["change", "change"]


async def test_the_model_is_told_why_a_person_declined() -> None:
    at = desk(
        [calls("change"), says("ok")],
        tools=(a_tool("change", Effect.WRITE),),
        answers=[Decline("use the other file")],
        project_root=Path("here"),
    )
    await at.say("go")
    assert "use the other file" in result_texts(at.model.requests[1].messages[-1])[0]
