"""What a person's words ask of the practice assistant, in English, Chinese, Portuguese and French. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from oharness.plugins.chat_model.offline_patterns import PATTERNS, Language


@dataclass(frozen=True, slots=True)
class Remember:
    """A fact to keep; `about_user` when it says who the person is or what they like."""

    fact: str
    about_user: bool = False


@dataclass(frozen=True, slots=True)
class ForgetNote:
    """The note of this id is to be deleted."""

    note_id: str


@dataclass(frozen=True, slots=True)
class ForgetAbout:
    """Whatever note fits these words is to be deleted."""

    words: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that notes may answer."""

    question: str


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """Anything else."""


Intent = Remember | ForgetNote | ForgetAbout | Ask | SmallTalk


@dataclass(frozen=True, slots=True)
class Understood:
    """What was asked, and in which language."""

    intent: Intent
    language: Language


_LONGEST_COMMAND = 2_000
"""Only so much of a text is searched for what it asks; a fact may be of any length."""

_HAN = re.compile(r"[\u3400-\u9fff]")
_KANA_OR_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_QUESTION_MARK = re.compile(r"[?？؟]\s*[\"'”»」)）]*\s*$")
_ID = re.compile(r"(?=.*[-_\d])[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_NEVER_MIND = re.compile(
    r"(?:it|that|this|about it|everything|all|isso|tudo|ça|cela|tout|它|吧|这个|這個|一切)?[.!。！\s]*", re.IGNORECASE
)
_AFTER_NAMED = re.compile(r"的?(?:笔记|筆記|备忘|備忘|记忆|記憶|那条|事情)?(?:吧|了)?$")
_AROUND_NAMED = " \t\r\n.。!！?？[]`\"'“”«»「」"
_AROUND_FACT = " \t\r\n,，、:："


def understand(text: str, otherwise: Language = Language.ENGLISH) -> Understood:
    """What the words ask for; `otherwise` is the language of words that could be of any."""
    text = text.strip()
    spoken = language_of(text)
    order = sorted(Language, key=lambda language: language is not spoken)
    head = text[:_LONGEST_COMMAND]
    for language in order:
        if fact := _fact(text, language):
            about_user = _match(PATTERNS[language].about_user, fact[:_LONGEST_COMMAND])
            return Understood(Remember(fact, about_user is not None), language)
    for language in order:
        if (named := _named(head, language)) is not None:
            return Understood(_forget(named), language)
    for language in order:
        if re.fullmatch(PATTERNS[language].small_talk, head.rstrip(" ?？!！.。"), re.IGNORECASE):
            return Understood(SmallTalk(), language)
    for language in order:
        if _after_polite(PATTERNS[language].question, head, language):
            return Understood(Ask(text), spoken or language)
    return Understood(Ask(text) if _QUESTION_MARK.search(text) else SmallTalk(), spoken or otherwise)


def language_of(text: str) -> Language | None:
    """The language that the characters and small words of a text are of; None when they do not tell."""
    text = text[:_LONGEST_COMMAND].lower()
    if _HAN.search(text) and not _KANA_OR_HANGUL.search(text):
        return Language.CHINESE
    words = re.findall(r"[^\W\d_]+", text)
    counts = {language: sum(word in patterns.small_words for word in words) for language, patterns in PATTERNS.items()}
    best, second = sorted(counts.values(), reverse=True)[:2]
    return None if best == second else max(counts, key=lambda language: counts[language])


def content_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about: no small words of any language, Chinese in pairs."""
    text = text.lower()
    small = frozenset[str]().union(*(patterns.small_words for patterns in PATTERNS.values()))
    words = {word for word in re.findall(r"[^\W_]+", _HAN.sub(" ", text)) if word not in small}
    for word in sorted(PATTERNS[Language.CHINESE].small_words, key=len, reverse=True):
        text = text.replace(word, " ")
    return frozenset(words.union(*map(_pairs, re.findall(rf"{_HAN.pattern}+", text))))


def _pairs(run: str) -> Iterator[str]:
    return iter([run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)])


def _match(pattern: str, text: str) -> "re.Match[str] | None":
    return re.match(pattern, text, re.IGNORECASE)


def _after_polite(pattern: str, text: str, language: Language) -> "re.Match[str] | None":
    return _match(rf"(?P<polite>{PATTERNS[language].polite})(?:{pattern})", text)


def _fact(text: str, language: Language) -> str:
    """What is to be remembered; empty when that is not what the text asks for."""
    patterns = PATTERNS[language]
    head = text[:_LONGEST_COMMAND]
    if found := _after_polite(patterns.remember, head, language):
        fact = text[found.end() :].strip(_AROUND_FACT)
        # "can you remember that …?" asks for it politely; the mark is not the fact's
        return fact.rstrip(" ?？") if found["polite"] else fact
    if _QUESTION_MARK.search(text):
        return ""
    found = _after_polite(patterns.remember_loosely, head, language)
    if found is None or (language is Language.CHINESE and _match(patterns.question, head)):
        return ""
    return text[found.end() :].strip(_AROUND_FACT)


def _named(text: str, language: Language) -> str | None:
    """What is to be forgotten, without the marks around it; None when that is not what the text asks for."""
    if found := _after_polite(PATTERNS[language].forget_around, text, language):
        return _without_marks(found["rest"])
    found = _after_polite(PATTERNS[language].forget, text, language)
    if found is None or _NEVER_MIND.fullmatch(text[found.end() :]):
        return None
    return _without_marks(text[found.end() :])


def _without_marks(named: str) -> str:
    return _AFTER_NAMED.sub("", named.strip(_AROUND_NAMED)).strip(_AROUND_NAMED)


def _forget(named: str) -> Intent:
    """An id where the words are one word that looks like one (a hyphen or a digit in it), else a search."""
    if not named:
        return SmallTalk()
    return ForgetNote(named) if _ID.fullmatch(named) else ForgetAbout(named)
