"""What the practice assistant does next: say something, or call a tool; the same for the same request.

It has no state: what it did already is read from the messages, as for any model. A person's message leads to

    remember …      -> the tool `remember`                            -> what became of it
    forget ID       -> the tool `forget`                              -> what became of it
    forget words    -> the tool `memory`, and `forget` if one note fits -> what became of it, or which may be meant
    a question      -> the recalled notes quoted; without any, the tool `memory` once -> what it found
    anything else   -> one line that says what it can do
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from oharness.harness.messages import Message, Role, ToolResultBlock, own_text
from oharness.harness.model import ModelRequest
from oharness.language.catalogue import ENGLISH, Catalogue, language_named
from oharness.language.sentences import notice_sentence
from oharness.plugins.chat_model.offline_grammar import (
    Ask,
    ForgetAbout,
    ForgetNote,
    Remember,
    SmallTalk,
    Understood,
    language_of,
    understand,
)
from oharness.plugins.chat_model.offline_notes import QuotedNote, attached_notes, fitting, found_notes
from oharness.plugins.chat_model.offline_patterns import Language
from oharness.plugins.chat_model.offline_phrases import PHRASES, Phrases

_SUMMARY_CHARS = 300
_QUOTE_CHARS = 600
_REASON_CHARS = 300
_NOTES_SHOWN = 3
_CANDIDATES_SHOWN = 5
_EXTRACT_LINE_CHARS = 200
_EXTRACT_CHARS = 3_000


@dataclass(frozen=True, slots=True)
class Say:
    """The answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool, before the answer."""

    tool: str
    arguments: Mapping[str, Any] = field(hash=False)


Step = Say | Call


def next_step(request: ModelRequest, default: Language = Language.ENGLISH) -> Step:
    """What comes next in this conversation; `default` speaks where no message tells the language."""
    place = _last_spoken(request.messages)
    before, since = request.messages[:place], request.messages[place + 1 :]
    if _asks_for_summary(request):
        return Say(_extract(request, default))
    message = request.messages[place] if request.messages else None
    understood = understand(own_text(message) if message else "", _language_before(before, default))
    tools = {tool.name for tool in request.tools}
    results = _results(since)
    notes = attached_notes(message) if message else ()
    step = _step(understood, notes, results, tools)
    if isinstance(step, Say) and not _has_spoken(before):
        return Say(f"{PHRASES[understood.language].disclosure}\n\n{step.text}")
    return step


def _last_spoken(messages: Sequence[Message]) -> int:
    """Where the person's last own words are; a summary that stands for older messages has none."""
    places = [place for place, message in enumerate(messages) if message.role is Role.USER]
    spoken = [place for place in places if own_text(messages[place]).strip()]
    return (spoken or places or [0])[-1]


def _language_before(messages: Sequence[Message], default: Language) -> Language:
    for message in reversed(messages):
        if message.role is Role.USER and (language := language_of(own_text(message))):
            return language
    return default


def _has_spoken(messages: Sequence[Message]) -> bool:
    return any(message.role is Role.ASSISTANT and own_text(message) for message in messages)


def _results(messages: Sequence[Message]) -> tuple[ToolResultBlock, ...]:
    return tuple(block for message in messages for block in message.blocks if isinstance(block, ToolResultBlock))


def _step(
    understood: Understood,
    notes: Sequence[QuotedNote],
    results: Sequence[ToolResultBlock],
    tools: set[str],
) -> Step:
    words = PHRASES[understood.language]
    match understood.intent:
        case Remember():
            step = _remember(understood.intent, results, understood.language)
        case ForgetNote(note_id):
            step = _forget(note_id, results, words)
        case ForgetAbout(about):
            step = _forget_about(about, results, words)
        case Ask(question):
            step = _answer(question, notes, results, words)
        case SmallTalk():
            step = Say(words.abilities)
        case _:
            assert_never(understood.intent)
    return Say(words.no_memory) if isinstance(step, Call) and step.tool not in tools else step


def _remember(intent: Remember, results: Sequence[ToolResultBlock], language: Language) -> Step:
    words = PHRASES[language]
    if not results:
        kind = "user" if intent.about_user else "project"
        return Call("remember", {"summary": summary_of(intent.fact), "body": intent.fact, "type": kind})
    result = results[-1]
    if result.is_error:
        return Say(words.not_saved.format(reason=_reason(result)))
    lines = [words.remembered.format(id=result.data.get("id", "?"), summary=summary_of(intent.fact))]
    if duplicate := result.data.get("duplicateOf"):
        lines.append(words.nearly_the_same.format(id=duplicate))
    return Say("\n\n".join([*lines, *_notices(result, language)]))  # paragraphs: drawn as Markdown, lines run together


def _notices(result: ToolResultBlock, language: Language) -> list[str]:
    """What the tool has to tell the person beside the result, such as that notes lie in the repository."""
    catalogue = Catalogue(language_named(language) or ENGLISH)
    listed = result.data.get("notices")
    told = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, Sequence) else []
    return [notice_sentence(str(one.get("key")), one.get("fields") or {}, catalogue) for one in told]


def summary_of(fact: str) -> str:
    """The fact on one line of at most 300 characters, from a capital letter to no full stop."""
    line = " ".join(fact.split()).rstrip(".。!！ ")
    line = line[:1].upper() + line[1:]
    if len(line) <= _SUMMARY_CHARS:
        return line
    cut = line[: _SUMMARY_CHARS - 1]
    return (cut[: cut.rfind(" ")] if cut.rfind(" ") > _SUMMARY_CHARS // 2 else cut).rstrip(" ,;:") + "…"


def _forget(note_id: str, results: Sequence[ToolResultBlock], words: Phrases) -> Step:
    if not results:
        return Call("forget", {"id": note_id})
    return Say(_forgotten(note_id, results[-1], words))


def _forgotten(note_id: str, result: ToolResultBlock, words: Phrases) -> str:
    if result.is_error:
        return words.not_forgotten.format(reason=_reason(result))
    return words.forgotten.format(id=result.data.get("id", note_id))


def _forget_about(about: str, results: Sequence[ToolResultBlock], words: Phrases) -> Step:
    if not results:
        return Call("memory", {"query": about})
    found = fitting(found_notes(results[0]), about)
    if len(results) > 1:
        return Say(_forgotten(found[0].id if found else "?", results[-1], words))
    if results[0].is_error:
        return Say(words.not_forgotten.format(reason=_reason(results[0])))
    if len(found) == 1:
        return Call("forget", {"id": found[0].id})
    if not found:
        return Say(words.nothing_fits.format(words=_shortened(about, 100)))
    return Say(words.which_one + _list(found[:_CANDIDATES_SHOWN]))


def _answer(question: str, notes: Sequence[QuotedNote], results: Sequence[ToolResultBlock], words: Phrases) -> Step:
    if notes:
        return Say(words.recalled + _list(notes))
    if not results:
        return Call("memory", {"query": question})
    found = () if results[0].is_error else fitting(found_notes(results[0]), question)
    return Say(words.found + _list(found[:_NOTES_SHOWN]) if found else words.unknown)


def _list(notes: Sequence[QuotedNote]) -> str:
    return "".join(f"\n- [{note.id}] {_quote(note)}" for note in notes)


def _quote(note: QuotedNote) -> str:
    """The summary, and the body under it where it says more than the summary again."""
    body = note.text.removeprefix(note.summary).strip()
    if not body or summary_of(body) == note.summary:
        return note.summary
    lines = _shortened(body, _QUOTE_CHARS).split("\n")
    return note.summary + "".join(f"\n  {line}".rstrip() if line else "\n" for line in lines)


def _reason(result: ToolResultBlock) -> str:
    return _shortened(" ".join(result.text.split()), _REASON_CHARS) or result.tool


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _asks_for_summary(request: ModelRequest) -> bool:
    """Compaction asks without tools for a summary; the loop's own prompt never does."""
    return not request.tools and "summary" in request.system.lower()


def _extract(request: ModelRequest, default: Language) -> str:
    """The latest of what was said, line by line, each shortened; tool calls and their results are left out."""
    told = "\n".join(own_text(message) for message in request.messages)
    words = PHRASES[language_of(told) or default]
    spoken = [_said(line, words) for line in told.split("\n")]
    kept: list[str] = []
    for line in reversed([line for line in spoken if line]):
        if sum(map(len, kept)) + len(line) > _EXTRACT_CHARS:
            break
        kept.insert(0, line)
    return "\n".join([words.extract, *kept])


def _said(line: str, words: Phrases) -> str:
    for mark, phrase in (("user: ", words.said), ("assistant: ", words.answered)):
        if line.startswith(mark):
            return "- " + phrase.format(text=_shortened(line.removeprefix(mark).strip(), _EXTRACT_LINE_CHARS))
    return ""
