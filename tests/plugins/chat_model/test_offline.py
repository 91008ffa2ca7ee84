"""The practice assistant: the same tools, recall and messages as any model, and no more than it promises."""

from collections.abc import Mapping
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.harness.messages import AttachedBlock, Message, Role, TextBlock, ToolCallBlock, ToolResultBlock, own_text
from oharness.harness.model import ModelFailed, ModelFault, ModelReply, ModelRequest, TextDelta, ToolSpec
from oharness.plugins.chat_model.offline import OfflineModel
from oharness.plugins.chat_model.offline_answers import Call, Say, next_step, summary_of
from oharness.plugins.chat_model.offline_patterns import Language
from oharness.plugins.chat_model.offline_phrases import PHRASES
from oharness.testing.clock import START_MS, FakeClock

pytestmark = pytest.mark.plugins

AT = Millis(START_MS)
TOOLS = tuple(ToolSpec(name, "", {"type": "object"}) for name in ("remember", "memory", "forget"))
NOTE = "we-deploy-on-thursdays-x1z"
BLOCK = f"""<recalled-memory>
Notes from memory that may help.
<note id="{NOTE}" scope="project" type="project" updated="2026-09-10">
We deploy on Thursdays

We deploy on Thursdays, after &lt;lunch>.
Never on Fridays.
</note>
<linked-notes>
- [other-note-a1b] Something else (project)
</linked-notes>
</recalled-memory>"""


def said(text: str, *blocks: str) -> Message:
    return Message(Role.USER, (TextBlock(text), *(AttachedBlock("memory", block) for block in blocks)), AT)


def answered(text: str) -> Message:
    return Message(Role.ASSISTANT, (TextBlock(text),), AT)


def done(tool: str, text: str = "ok", data: Mapping[str, Any] | None = None, is_error: bool = False) -> list[Message]:
    call = ToolCallBlock("c1", tool, {})
    result = ToolResultBlock("c1", tool, text, is_error, data or {})
    return [Message(Role.ASSISTANT, (call,), AT), Message(Role.TOOL, (result,), AT)]


def found(*notes: tuple[str, str]) -> list[Message]:
    results = [{"id": note_id, "scope": "project", "summary": summary, "score": 2.0} for note_id, summary in notes]
    return done("memory", data={"results": results})


def step(*messages: Message, tools: tuple[ToolSpec, ...] = TOOLS) -> Say | Call:
    return next_step(ModelRequest("", messages, tools))


def text_after(*messages: Message, tools: tuple[ToolSpec, ...] = TOOLS) -> str:
    """What is said when it is not the first answer of the session."""
    reached = step(said("hello"), answered("hello"), *messages, tools=tools)
    assert isinstance(reached, Say)
    return reached.text


def test_remember_calls_the_tool_with_the_sentence_as_summary_and_body() -> None:
    assert step(said("Remember that we deploy on Thursdays.")) == Call(
        "remember",
        {"summary": "We deploy on Thursdays", "body": "we deploy on Thursdays.", "type": "project"},
    )


def test_what_a_person_prefers_becomes_a_note_about_the_user() -> None:
    reached = step(said("remember that I prefer short answers"))
    assert isinstance(reached, Call)
    assert reached.arguments["type"] == "user"


def test_a_saved_note_is_told_with_its_id_and_a_likely_duplicate_in_a_paragraph_of_its_own() -> None:
    saved = done("remember", data={"id": NOTE, "scope": "project", "duplicateOf": "older-note-a1b"})
    text = text_after(said("remember that we deploy on Thursdays"), *saved)
    assert text.split("\n\n") == [
        f"Remembered as [{NOTE}]: We deploy on Thursdays",
        "Note [older-note-a1b] says nearly the same.",
    ]


def test_what_the_tool_has_to_tell_the_person_is_passed_on() -> None:
    notice = {"key": "notes-in-repository", "fields": {"folder": "MEMORY", "line": "/MEMORY/"}}
    saved = done("remember", data={"id": NOTE, "scope": "project", "notices": [notice, "odd"]})
    paragraphs = text_after(said("remember that we deploy on Thursdays"), *saved).split("\n\n")
    assert len(paragraphs) == 2
    assert "/MEMORY/" in paragraphs[1]


def test_a_refusal_of_the_tool_is_passed_on() -> None:
    refused = done("remember", "It looks like\na credential.", is_error=True)
    assert "It looks like a credential." in text_after(said("remember: the password is x"), *refused)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("when do we deploy?", Language.ENGLISH),
        ("我们什么时候部署？", Language.CHINESE),
        ("quando fazemos deploy?", Language.PORTUGUESE),
        ("quand est-ce que nous déployons ?", Language.FRENCH),
    ],
)
def test_the_first_answer_of_a_session_says_in_its_first_line_what_this_is(text: str, language: Language) -> None:
    first = step(said(text, BLOCK))
    assert isinstance(first, Say)
    assert first.text.split("\n")[0] == PHRASES[language].disclosure
    later = step(said(text, BLOCK), answered(first.text), said(text, BLOCK))
    assert isinstance(later, Say)
    assert PHRASES[language].disclosure not in later.text


def test_the_disclosure_comes_with_the_first_words_even_after_a_tool() -> None:
    reached = step(said("remember that X is Y"), *done("remember", data={"id": "x-is-y-abc"}))
    assert isinstance(reached, Say)
    assert reached.text.startswith("I am the practice assistant")


def test_a_question_is_answered_by_quoting_the_recalled_notes_with_their_ids() -> None:
    text = text_after(said("when do we deploy?", BLOCK))
    assert text == (
        f"The notes say:\n- [{NOTE}] We deploy on Thursdays\n"
        "  We deploy on Thursdays, after <lunch>.\n  Never on Fridays."
    )


def test_without_recalled_notes_it_searches_once_and_quotes_what_fits() -> None:
    question = said("when do we deploy?")
    assert step(question) == Call("memory", {"query": "when do we deploy?"})
    text = text_after(question, *found((NOTE, "We deploy on Thursdays"), ("logo-blue-q2w", "The logo is blue")))
    assert text == f"Found in the notes:\n- [{NOTE}] We deploy on Thursdays"


@pytest.mark.parametrize(
    "results", [found(), found(("logo-blue-q2w", "The logo is blue")), done("memory", "no", {}, True)]
)
def test_when_no_note_fits_it_says_so_and_how_to_teach_it(results: list[Message]) -> None:
    assert text_after(said("when do we deploy?"), *results) == PHRASES[Language.ENGLISH].unknown


def test_blocks_of_other_plugins_and_of_earlier_messages_are_not_quoted() -> None:
    assert step(said("when do we deploy?", "<note id='x'>no</note>")) == Call("memory", {"query": "when do we deploy?"})
    again = step(said("when do we deploy?", BLOCK), answered("…"), said("when do we deploy?"))
    assert again == Call("memory", {"query": "when do we deploy?"})


def test_forget_by_id_calls_the_tool() -> None:
    assert step(said(f"forget [{NOTE}]")) == Call("forget", {"id": NOTE})
    assert NOTE in text_after(said(f"forget {NOTE}"), *done("forget", data={"id": NOTE}))


def test_forget_by_words_looks_first_and_deletes_only_the_one_note_that_fits() -> None:
    asked = said("forget that we deploy on Thursdays")
    assert step(asked) == Call("memory", {"query": "we deploy on Thursdays"})
    one = found((NOTE, "We deploy on Thursdays"), ("logo-blue-q2w", "The logo is blue"))
    assert step(asked, *one) == Call("forget", {"id": NOTE})
    assert text_after(asked, *one, *done("forget", data={"id": NOTE})) == (
        f"Note [{NOTE}] is deleted; a backup is kept."
    )


def test_forget_by_words_lists_candidates_when_several_fit() -> None:
    asked = said("forget the deploy day")
    text = text_after(asked, *found((NOTE, "Deploy day is Thursday"), ("deploy-day-2", "The deploy day moved")))
    assert f"[{NOTE}]" in text
    assert "[deploy-day-2]" in text
    assert "nothing was deleted" in text


def test_forget_by_words_that_fit_nothing_deletes_nothing() -> None:
    text = text_after(said("forget the moon landing"), *found((NOTE, "We deploy on Thursdays")))
    assert "nothing was deleted" in text


def test_a_declined_deletion_is_told() -> None:
    declined = done("forget", "The person said no.", is_error=True)
    assert text_after(said(f"forget {NOTE}"), *declined) == "Nothing was deleted: The person said no."


def test_chinese_notes_are_found_by_pairs_of_characters() -> None:
    results = found(("note-a1b", "我们每周四部署"), ("note-c2d", "标志是蓝色的"))
    assert text_after(said("我们什么时候部署？"), *results) == "在笔记里找到：\n- [note-a1b] 我们每周四部署"


def test_without_the_memory_plugin_it_says_that_memory_is_off() -> None:
    assert text_after(said("remember that X is Y"), tools=()) == PHRASES[Language.ENGLISH].no_memory


def test_small_talk_gets_one_line_on_what_it_can_do() -> None:
    assert text_after(said("write me a poem")) == PHRASES[Language.ENGLISH].abilities
    assert "\n" not in PHRASES[Language.ENGLISH].abilities


def test_an_unclear_message_is_answered_in_the_language_spoken_before() -> None:
    assert step(said("Quel est le port de test ?"), answered("…"), said("xyzzy")) == Say(
        PHRASES[Language.FRENCH].abilities
    )


def test_results_without_data_are_read_from_their_text() -> None:
    listing = done("memory", f"Found 1:\n- [{NOTE}] We deploy on Thursdays (project)")
    assert f"[{NOTE}]" in text_after(said("when do we deploy?"), *listing)


def test_a_summary_for_compaction_is_an_extract_of_what_was_said() -> None:
    told = "user: when do we deploy?\nassistant: On Thursdays.\ntool call memory: {}\nresult of memory: …"
    request = ModelRequest("Write a summary of this.", (said(told),))
    assert next_step(request) == Say(
        "Extract of the conversation so far, made by the practice assistant:\n"
        "- The user: when do we deploy?\n- The assistant: On Thursdays."
    )


def test_a_long_extract_keeps_the_latest() -> None:
    told = "\n".join(f"user: message {number} {'x' * 500}" for number in range(100))
    extracted = next_step(ModelRequest("summary", (said(told),)))
    assert isinstance(extracted, Say)
    assert len(extracted.text) < 4_000
    assert "message 99" in extracted.text
    assert "message 1 " not in extracted.text


def test_a_summary_that_stands_for_older_messages_is_not_taken_for_the_persons_words() -> None:
    standing = Message(Role.USER, (AttachedBlock("compaction", "In short, it was: …"),), AT)
    reached = step(said("remember that X is Y"), standing)
    assert isinstance(reached, Call)
    assert step(standing) == step(said(""))


@pytest.mark.parametrize(
    ("fact", "summary"),
    [
        ("we deploy\n on Thursdays!", "We deploy on Thursdays"),
        ("我们每周四部署。", "我们每周四部署"),
        ("x" * 400, "X" + "x" * 298 + "…"),
    ],
)
def test_a_summary_is_one_line_of_at_most_300_characters(fact: str, summary: str) -> None:
    assert summary_of(fact) == summary
    assert len(summary_of("word " * 100)) <= 300


async def test_the_model_streams_pieces_and_then_the_same_reply() -> None:
    model = OfflineModel(FakeClock(), "fr-CA")
    events = [event async for event in model.stream(ModelRequest("", (said("xyzzy"),), TOOLS))]
    reply = events[-1]
    assert isinstance(reply, ModelReply)
    pieces = [event.text for event in events[:-1] if isinstance(event, TextDelta)]
    assert len(pieces) > 1
    assert "".join(pieces) == own_text(reply.message)
    assert pieces[0].startswith("Je suis l’assistant d’entraînement")
    assert (model.name, model.context_tokens) == ("offline", 128_000)


async def test_it_calls_tools_like_any_model() -> None:
    events = [
        event async for event in OfflineModel(FakeClock()).stream(ModelRequest("", (said(f"forget {NOTE}"),), TOOLS))
    ]
    assert len(events) == 1
    assert isinstance(events[0], ModelReply)
    (call,) = events[0].message.blocks
    assert isinstance(call, ToolCallBlock)
    assert (call.tool, dict(call.arguments)) == ("forget", {"id": NOTE})


async def test_an_answer_by_schema_needs_a_language_model() -> None:
    request = ModelRequest("", (said("x"),), output_schema={"type": "object"})
    with pytest.raises(ModelFailed) as failed:
        _ = [event async for event in OfflineModel(FakeClock()).stream(request)]
    assert failed.value.fault is ModelFault.NO_LANGUAGE_MODEL


async def test_a_conversation_without_messages_is_answered_too() -> None:
    events = [event async for event in OfflineModel(FakeClock()).stream(ModelRequest("", ()))]
    assert isinstance(events[-1], ModelReply)
