"""The forms under which a word is found: its stem in the note's language and in English, or as it is written.

A note is known by the function words it uses; a question is too short to tell, so it is stemmed in every
language, and a stem only ever meets stems of its own language.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import Stemmer

from oharness.recall.words import Word, fold, words_of

LANGUAGES = ("en", "fr", "pt", "es", "de", "ru")
_ALGORITHMS = {
    "en": "english",
    "fr": "french",
    "pt": "portuguese",
    "es": "spanish",
    "de": "german",
    "ru": "russian",
}
FUNCTION_WORDS = {
    "en": "the of and to a in is it that for on with as was are be this by at from or an not have has you we they "
    "he she i my your our their its his her what which who when where how why do does did will would can could "
    "should there if then than but so about into over after all any no only also just more most been were had",
    "fr": "le la les l de des du d et est un une en que qui dans pour pas sur au aux ce cette ces il elle on nous "
    "vous je tu se son sa ses leur leurs mais ou donc avec par plus sont a ont etre avoir fait ne si tout tous "
    "comme quand quel quelle quels quelles ou comment pourquoi y n s j c m t qu entre sans sous apres avant",
    "pt": "o a os as de do da dos das em no na nos nas um uma e que para por com nao se mais como mas ao aos foi "
    "ou ser quando muito ja tambem so pelo pela ate isso ele ela seu sua seus suas qual quais quem onde porque "
    "esta este essa esse sao tem ter entre sem sobre depois antes voce eu nosso nossa meu minha",
    "es": "el la los las de del en un una y que es para por con no se mas como pero al lo fue o ser cuando muy ya "
    "tambien solo hasta eso su sus cual cuales quien donde porque esta este ese esa son tiene tener entre sin "
    "sobre despues antes usted yo nuestro nuestra mi tu hay nos les si todo todos",
    "de": "der die das den dem des ein eine einen einem einer und ist in zu mit von auf fur nicht sich auch als an "
    "es im am bei aus nach wie wird werden wurde sind war haben hat ich wir sie er ihr du dass oder aber wenn was "
    "wer wo warum kann konnen soll muss nur noch schon mehr uber unter zwischen ohne durch vor zum zur",
    "ru": "и в не на что с по как это из у за от так о же к но то все для он она они мы вы я бы был была было "
    "были есть нет или если при до когда где кто чтобы его ее их только еще уже после перед между под над без "
    "какой какая какие который которая которые этот эта эти нам мне себя",
}


@lru_cache(maxsize=1)
def _function_words() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for language, text in FUNCTION_WORDS.items():
        for word in dict.fromkeys(fold(part) for part in text.split()):
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


@lru_cache(maxsize=1)
def _stemmers() -> dict[str, Stemmer.Stemmer]:
    return {language: Stemmer.Stemmer(name, 0) for language, name in _ALGORITHMS.items()}


def is_function_word(word: Word) -> bool:
    """Whether the word only holds sentences together, in any of the languages."""
    return word.folded in _function_words()


def language_of(words: Iterable[Word]) -> str:
    """The language whose function words stand most often in a text; English where none do."""
    counts = dict.fromkeys(LANGUAGES, 0.0)
    table = _function_words()
    for word in words:
        languages = table.get(word.folded, ())
        for language in languages:
            counts[language] += 1 / len(languages)
    return max(LANGUAGES, key=lambda language: counts[language])


@lru_cache(maxsize=65536)
def stem(text: str, language: str) -> str:
    """The folded stem of one lower-case word."""
    return fold(_beyond_the_stemmer(_stemmers()[language].stemWord(_before_the_stemmer(text, language)), language))


def _before_the_stemmer(text: str, language: str) -> str:
    if language == "pt" and len(text) > 4:
        for plural, singular in (("ões", "ão"), ("ães", "ão"), ("oes", "ao"), ("aes", "ao")):
            if text.endswith(plural):
                return text.removesuffix(plural) + singular
    if language == "ru":
        return text.replace("ё", "е")
    return text


def _beyond_the_stemmer(found: str, language: str) -> str:
    if language == "en" and found.endswith("ison") and len(found) > 9:
        return found.removesuffix("ison")
    return found


def _stems(word: Word, language: str) -> Iterator[str]:
    first = stem(word.text, language)
    yield f"{language}:{first}"
    if word.text != word.folded:
        second = stem(word.folded, language)
        if second != first:
            yield f"{language}:{second}"


@lru_cache(maxsize=65536)
def forms(word: Word, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of a word in an index, those of the given languages: `en:compar`, or `=猫` where nothing bends."""
    if not word.stemmed or not word.text[0].isalpha():
        return (f"={word.folded}",)
    return tuple(dict.fromkeys(key for language in languages for key in _stems(word, language)))


def stem_set(text: str) -> frozenset[str]:
    """The stems of a short text under its own language, function words left out: what tidying compares."""
    words = list(words_of(text))
    language = language_of(words)
    return frozenset(key for word in words if not is_function_word(word) for key in forms(word, (language,))[:1])
