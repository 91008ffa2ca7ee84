"""Which language a person is spoken to in, and the words in it.

The English sentence is the key (msgid); the other languages are gettext catalogues under `locale/`. Nothing here
raises for a string or a field that is missing: a half-translated message is better than none. English needs no
file and loads nothing, since the command line pays for every import.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gettext import NullTranslations

ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "zh_CN": "中文", "pt_BR": "Português", "fr": "Français"}
"""Each language's code and its own name."""

DOMAIN = "oharness"
_BY_PREFIX = {"en": ENGLISH, "zh": "zh_CN", "pt": "pt_BR", "fr": "fr"}
_UNSET = ("", "auto")


def msg(english: str) -> str:
    """The sentence itself: marks it for the catalogue where it is written down before a language is known."""
    return english


def language_named(name: str) -> str | None:
    """The code of the language meant by `pt-BR`, `pt_BR.UTF-8`, `zh-Hans`, `fr_CA` …; None if unknown."""
    head = name.strip().replace("-", "_").partition(".")[0].partition("@")[0].partition("_")[0].lower()
    return _BY_PREFIX.get(head)


def choose_language(setting: str, environment: Mapping[str, str]) -> str:
    """The code of the language to speak: OHARNESS_LANGUAGE, the setting, then the locale; else English.

    An unknown name in the first two is passed over; the first locale variable that is set decides, as everywhere.
    """
    for wish in (environment.get("OHARNESS_LANGUAGE", ""), setting):
        if wish.strip().lower() not in _UNSET and (known := language_named(wish)) is not None:
            return known
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if locale := environment.get(variable, ""):
            return language_named(locale) or ENGLISH
    return ENGLISH


class Catalogue:
    """The words of one language."""

    def __init__(self, language: str = ENGLISH) -> None:
        self.speak(language)

    def speak(self, language: str) -> None:
        """Goes on in another language; one that does not exist is English."""
        self.language = language if language in LANGUAGES else ENGLISH
        self._words: NullTranslations | None = None
        self._loaded = self.language == ENGLISH

    def text(self, english: str, **fields: Any) -> str:
        """The sentence in this language, `{name}` filled from `fields`."""
        words = self._translations()
        return _filled(words.gettext(english) if words is not None and english else english, fields)

    def plural(self, one: str, many: str, count: int, **fields: Any) -> str:
        """The form of the sentence that goes with `count`, which also fills `{count}`."""
        words = self._translations()
        plain = one if count == 1 else many
        sentence = words.ngettext(one, many, count) if words is not None else plain
        return _filled(sentence, {**fields, "count": count})

    def _translations(self) -> "NullTranslations | None":
        if not self._loaded:
            self._loaded = True
            self._words = _load(self.language)
        return self._words


def _load(language: str) -> "NullTranslations | None":
    from gettext import translation
    from pathlib import Path
    from struct import error as struct_error

    try:
        return translation(DOMAIN, str(Path(__file__).parent / "locale"), languages=[language], fallback=True)
    except (OSError, ValueError, LookupError, struct_error):  # damaged: English is better than no words at all
        return None


class _Kept(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return "{" + name + "}"


def _filled(sentence: str, fields: Mapping[str, Any]) -> str:
    if not fields:
        return sentence
    try:
        return sentence.format_map(_Kept(fields))
    except (ValueError, LookupError, AttributeError, TypeError):
        return sentence
