"""A person sees what a tool would change, and only a clear yes lets it run."""

import pytest

from oharness.cli.approval import SHOWN_LINES, Asking, approval_in, call_text, request_lines
from oharness.cli.output import Ink
from oharness.harness.events import AllowForSession, AllowOnce, Approval, Decline, PermissionRequest
from oharness.harness.tools import Effect
from oharness.language.catalogue import Catalogue

PLAIN = Ink(coloured=False)


def request(preview: str = "", rule: str = "", **arguments: object) -> PermissionRequest:
    return PermissionRequest("c1", "tools", "edit", Effect.EDIT, arguments, preview, rule)


@pytest.mark.parametrize(
    ("answer", "approval"),
    [
        ("y", AllowOnce()),
        ("YES", AllowOnce()),
        ("oui", AllowOnce()),
        ("sim", AllowOnce()),
        ("是", AllowOnce()),
        ("a", AllowForSession()),
        ("n", Decline()),
        ("não", Decline()),
        ("use the other file", Decline("use the other file")),
        ("不要改这个", Decline("不要改这个")),
        ("", None),
        ("x", None),
        ("  ", None),
    ],
)
def test_an_answer_means_one_thing_or_is_asked_again(answer: str, approval: Approval | None) -> None:
    assert approval_in(answer, for_session=True) == approval


def test_a_rule_that_asks_each_time_is_not_answered_for_good() -> None:
    assert approval_in("a", for_session=False) == AllowOnce()


def test_a_diff_is_coloured_and_other_text_is_not() -> None:
    diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new"
    coloured = "\n".join(request_lines(request(diff), Catalogue(), Ink(coloured=True), None))
    assert "\x1b[31m-old" in coloured
    assert "\x1b[32m+new" in coloured
    plain = "\n".join(request_lines(request("- a list item\nand more"), Catalogue(), Ink(coloured=True), None))
    assert "\x1b[31m" not in plain


def test_what_would_be_removed_altogether_is_red_too() -> None:
    shown = request_lines(request("-We deploy on Thursdays\n-\n-body"), Catalogue(), Ink(coloured=True), None)
    assert "  \x1b[31m-body\x1b[0m" in shown


def test_a_preview_cannot_steer_the_terminal_or_hide_what_it_changes() -> None:
    shown = "\n".join(request_lines(request("rm x\x1b[2K\rls", path="\x1b[A"), Catalogue(), PLAIN, None))
    assert "\x1b" not in shown
    assert "\r" not in shown


def test_without_a_preview_the_arguments_are_shown() -> None:
    assert "  path: a.py" in request_lines(request(path="a.py"), Catalogue(), PLAIN, None)


async def test_a_long_preview_is_shown_whole_on_demand_and_an_unclear_answer_is_asked_again() -> None:
    told: list[str] = []
    answers = iter(["", "v", "y"])
    questions: list[str] = []

    async def ask(question: str) -> str:
        questions.append(question)
        return next(answers)

    preview = "\n".join(f"line {number}" for number in range(SHOWN_LINES + 5))
    approval = await Asking(Catalogue(), PLAIN, told.extend, ask).approve(request(preview))
    assert approval == AllowOnce()
    assert len(questions) == 3
    assert "… 5 more lines" in told[SHOWN_LINES + 1]
    assert f"  line {SHOWN_LINES + 4}" in told


def test_a_call_fits_on_one_line() -> None:
    text = call_text("write", {"path": "a.py", "content": "x\n" * 500}, 60)
    assert len(text) <= 60
    assert "\n" not in text
