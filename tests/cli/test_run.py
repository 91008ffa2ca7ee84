"""`oharness run` and `oharness sessions` with the practice assistant."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, everything_below

pytestmark = pytest.mark.plugins

KEYS = ["session", "reply", "recalled", "saved", "toolCalls"]


def remembered(oharness: Call) -> str:
    answer = oharness("run", "remember that we deploy on Thursdays", "--json").json
    assert answer["toolCalls"] == [{"tool": "remember", "allowed": True}]
    return str(answer["session"])


def test_a_note_written_in_one_conversation_is_recalled_in_another(project: Path, oharness: Call) -> None:
    first = remembered(oharness)
    (note,) = (project / "MEMORY").glob("*.md")
    answer = oharness("run", "when do we deploy?", "--json")
    assert answer.code == 0
    assert list(answer.json) == KEYS
    assert answer.json["recalled"] == [{"scope": "project", "id": note.stem}]
    assert "Thursdays" in answer.json["reply"]
    assert answer.json["session"] != first
    assert answer.json["saved"] == 0


def test_a_person_reads_what_was_recalled_and_the_reply(project: Path, oharness: Call) -> None:
    remembered(oharness)
    said = oharness("run", "when do we deploy?")
    assert "recalled 1 memories\n" in said.out
    assert "We deploy on Thursdays" in said.out
    assert said.err == ""


def test_a_session_goes_on_and_a_note_attached_once_is_not_attached_again(project: Path, oharness: Call) -> None:
    remembered(oharness)
    session = oharness("run", "when do we deploy?", "--json").json["session"]
    again = oharness("run", "--session", session[:5], "when do we deploy?", "--json").json
    assert again["session"] == session
    assert again["recalled"] == []
    assert oharness("run", "--session", "nope", "hello", "--json").code == 3


def test_the_message_may_come_from_a_pipe(project: Path, oharness: Call) -> None:
    answer = oharness("run", "-", "--json", stdin="remember that the server\nis called heron\n")
    assert answer.json["toolCalls"][0]["tool"] == "remember"
    empty = oharness("run", "-", "--json", stdin="\n")
    assert (empty.code, empty.json["error"]["code"]) == (2, "missing-value")


def test_without_a_person_what_would_ask_is_refused_and_said(project: Path, oharness: Call) -> None:
    remembered(oharness)
    (note,) = (project / "MEMORY").glob("*.md")
    answer = oharness("run", "forget", note.stem, "--json")
    assert answer.code == 0
    assert {"tool": "forget", "allowed": False} in answer.json["toolCalls"]
    assert note.exists()
    assert "forget was not allowed" in oharness("run", "forget", note.stem).out


def test_a_mode_decides_what_needs_asking(project: Path, oharness: Call) -> None:
    planned = oharness("run", "--mode", "plan", "remember that we deploy on Thursdays", "--json").json
    assert planned["toolCalls"] == [{"tool": "remember", "allowed": False}]
    assert list((project / "MEMORY").iterdir()) == []
    remembered(oharness)
    (note,) = (project / "MEMORY").glob("*.md")
    oharness("run", "--mode", "bypass", "forget", note.stem)
    assert not note.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("run",), 2, "missing-value"),
        (("run", "--mode", "yolo", "hi"), 2, "unusable-value"),
        (("run", "--model", "nobody:x", "hi"), 3, "no-such-provider"),
        (("chat",), 2, "chat-speaks-to-people"),
        (("sessions", "show", "nope"), 3, "no-such-session"),
    ],
)
def test_every_refusal_has_its_code(
    arguments: tuple[str, ...], code: int, error: str, project: Path, oharness: Call
) -> None:
    answer = oharness("--json", *arguments)
    assert (answer.code, answer.json["error"]["code"]) == (code, error)


def test_a_model_that_cannot_be_reached_is_said_in_plain_words(
    project: Path, oharness: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    answer = oharness("run", "--model", "openai-compatible:x", "hi", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (1, "model-failed")
    assert "cannot be reached" in answer.json["error"]["message"]


def test_sessions_are_listed_and_shown_with_their_metadata(project: Path, oharness: Call) -> None:
    first = remembered(oharness)
    second = oharness("run", "when do we deploy?", "--json").json["session"]
    listed = oharness("sessions", "list", "--json").json
    assert list(listed) == ["sessions", "unreadable"]
    assert [one["id"] for one in listed["sessions"]] == [second, first]
    assert list(listed["sessions"][0]) == ["id", "title", "startedAt", "lastAt", "messages"]
    assert listed["sessions"][0]["title"] == "when do we deploy?"
    shown = oharness("sessions", "show", "latest", "--json").json
    assert list(shown) == ["id", "title", "startedAt", "damaged", "messages"]
    assert [one["role"] for one in shown["messages"]] == ["user", "assistant"]
    assert shown["messages"][0]["text"] == "when do we deploy?"
    assert shown["messages"][0]["metadata"]["recalled"][0]["scope"] == "project"
    assert "<recalled-memory>" in oharness("sessions", "show", second[:6]).out
    assert "when do we deploy?" in oharness("sessions", "list").out


def test_looking_at_sessions_creates_no_file(project: Path, home: Path, oharness: Call) -> None:
    assert oharness("sessions", "list", "--json").json == {"sessions": [], "unreadable": []}
    assert not home.exists()
    remembered(oharness)
    before = everything_below(home)
    oharness("sessions", "list")
    oharness("sessions", "show", "latest")
    assert everything_below(home) == before


def test_a_chat_in_a_pipe_reads_a_message_per_line(project: Path, oharness: Call) -> None:
    lines = "remember that we deploy \\\non Thursdays\n\n/new\nwhen do we deploy?\n/nope\n"
    said = oharness("chat", stdin=lines)
    assert said.code == 0
    first = said.out.splitlines()[0]
    assert "not a language model" in first
    assert "OHARNESS_MODEL" in first
    assert "recalled 1 memories" in said.out
    assert "There is no /nope here" in said.out
    assert len(oharness("sessions", "list", "--json").json["sessions"]) == 2


def test_the_notes_can_be_looked_at_within_a_chat(project: Path, oharness: Call) -> None:
    remembered(oharness)
    said = oharness("chat", stdin="/memory\n/memory deploying\n/memory heron\n").out
    assert said.count("We deploy on Thursdays") == 2
    assert "Project notes  1" in said
    assert "Nothing found." in said


def test_a_bare_oharness_is_a_chat_and_resume_goes_on(project: Path, oharness: Call) -> None:
    assert "not a language model" in oharness(stdin="hello\n").out
    oharness("chat", "--resume", stdin="hello again\n")
    (only,) = oharness("sessions", "list", "--json").json["sessions"]
    assert only["messages"] == 4


def test_outside_any_project_a_chat_has_the_users_notes(outside: Path, oharness: Call) -> None:
    said = oharness("run", "remember that I like tea", "--json")
    assert said.json["toolCalls"] == [{"tool": "remember", "allowed": True}]
    assert list(outside.iterdir()) == []
    assert oharness("run", "what do I like?", "--json").code == 0


def test_a_home_that_cannot_be_written_leaves_the_projects_notes(project: Path, home: Path, oharness: Call) -> None:
    home.write_text("a file where the folder should be")
    answer = oharness("run", "remember that we deploy on Thursdays", "--json")
    assert answer.code == 0
    assert "This conversation is not kept" in answer.err
    assert len(list((project / "MEMORY").glob("*.md"))) == 1


def test_a_refusal_is_said_in_the_language_of_the_person(
    project: Path, oharness: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    oharness("memory", "remember", "--summary", "We deploy on Thursdays")
    monkeypatch.setenv("OHARNESS_LANGUAGE", "fr")
    said = oharness("run", "--mode", "plan", "remember that we test on Fridays").out
    assert "remember n’a pas été permis" in said
    assert "rien n’est modifié dans ce mode" in said
