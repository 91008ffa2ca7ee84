"""What of a message counts: what a person said, not what was pasted, and no more of it than a person says."""

import random
import string

import pytest

from oharness.recall.message import is_machine_line, said_in
from oharness.recall.score import candidates
from oharness.testing.note_store import NoteStore

pytestmark = pytest.mark.memory
QUESTION = "which port does the staging server use?"
MINIFIED = ",".join(f"f{at}(b,c)+x[{at}]" for at in range(12_000)) + " x"
ENDLESS = {
    "a minified script on one line": MINIFIED,
    "a path without end": "/a.b" * 50_000,
    "backticks": "`" * 100_000,
    "base64": string.ascii_letters * 4_000,
    "chinese without a stop": "".join(chr(0x4E00 + at * 37 % 20_000) for at in range(60_000)),
    "openers of fences": "```a\n~~~b\n" * 8_000,
    "combining marks": "e" + "\u0301" * 100_000,
}


@pytest.mark.parametrize(
    "line",
    [
        "for (let i = 0; i < items.length; i++) { console.log(items[i]); }",
        "2026-01-02T10:00:00 ERROR payment: gateway timeout",
        "TypeError: 'NoneType' object is not subscriptable",
        '  File "app.py", line 12, in <module>',
        "    at com.acme.Main.run(Main.java:42)",
        "SELECT count(*) FROM pets WHERE age > 3;",
    ],
)
def test_code_logs_and_traces_are_told_from_sentences(line: str) -> None:
    assert is_machine_line(line)


@pytest.mark.parametrize(
    "line",
    [
        QUESTION,
        "why does payments/gateway.py retry twice (and not three times)?",
        "the error says: connection refused. Do we know that one?",
        "我们哪天部署？",
        "Remember: tabs, not spaces; and no emoji in commits.",
    ],
)
def test_sentences_about_code_are_sentences(line: str) -> None:
    assert not is_machine_line(line)


def test_of_a_question_with_a_paste_the_question_counts() -> None:
    said = said_in(f"{QUESTION}\n```\nconst kafka = connect();\n```\n2026-01-02T10:00:00 ERROR redis down")
    assert said.text.strip() == QUESTION
    assert not said.by_machine


def test_a_message_that_is_all_paste_counts_as_one() -> None:
    said = said_in("```\nconst kafka = connect();\n```")
    assert "kafka" in said.text
    assert said.by_machine


@pytest.mark.parametrize("paste", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_question_around_an_endless_paste_is_still_answered(store: NoteStore, paste: str) -> None:
    store.put("port", "Staging server listens on port 8081")
    candidates(paste, [store.source()])
    closed = "" if paste.startswith("```") else f"{paste}\n{QUESTION}"  # nothing ends a fence that is never closed
    for message in filter(None, (f"{QUESTION}\n{paste}", closed)):
        said = said_in(message).text
        assert QUESTION in said
        assert len(said) < 20_000


PIECES = """
ERROR WARN info at foo.bar( File "a.py", line 3 Traceback goroutine 7 Caused by: import from const x = 1; { } =>
def run(): <div> @decorated $ make 12:30:05 2026-01-02T03 fatal: panic: ValueError: | -- ** # `a` we deploy the
""".split()  # noqa: SIM905


def test_whatever_reads_like_a_machine_line_counts_as_pasted() -> None:
    dice = random.Random(3)
    lines = [" ".join(dice.choices(PIECES, k=dice.randint(1, 6))) for _ in range(20_000)]
    pasted = [line for line in lines if is_machine_line(line) and any(char.isalpha() for char in line)]
    assert len(pasted) > 1000
    assert [line for line in pasted if not said_in(line).by_machine] == []
