"""The forms under which a word is found: its stem in the note's language and in English, or as it is written.

A note is known by the usual words it uses; a question is too short to tell, so it is stemmed in every
language, and a stem only ever meets stems of its own language.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

import Stemmer

from oharness.recall.usual.shares import shares
from oharness.recall.words import Word, fold, runs_of, words_of_run

LANGUAGES = ("en", "fr", "pt", "es", "de", "ru")
_ALGORITHMS = {
    "en": "english",
    "fr": "french",
    "pt": "portuguese",
    "es": "spanish",
    "de": "german",
    "ru": "russian",
}
_FUNCTION_WORDS = {
    "en": "the of and to a in is it that for on with as was are be this by at from or an not have has had you we "
    "they he she i me my your our their its his her them us what which who whom when where how why do does did will "
    "would can could should shall may might must if then than but so about into over after all any no only also "
    "just more most been were there here these those some such each other dont cant doesnt isnt im whats lets",
    "fr": "le la les l de des du d et est un une en que qui dans pour pas sur au aux ce cette ces cet il elle on "
    "nous vous je tu se son sa ses leur leurs mon ma mes ton ta tes notre nos votre vos mais ou donc avec par plus "
    "sont a ont as ai avons avez etre avoir ete ne si tout tous toute toutes comme quand quel quelle quels quelles "
    "comment pourquoi y n s j c m t qu entre sans sous apres avant moi toi lui eux ca cela ceci ici car ni dont",
    "pt": "o a os as de do da dos das em no na nos nas um uma uns umas e que para por com nao se mais como mas ao "
    "aos foi ou ser quando muito ja tambem so pelo pela pelos pelas ate isso isto ele ela eles elas seu sua seus "
    "suas qual quais quem onde porque esta este estes estas essa esse sao tem ter entre sem sobre depois antes voce "
    "eu meu minha nosso nossa me te lhe nem ha era aqui ai la "
    "pra pras pros ta ne ce",
    "es": "el la los las lo de del en un una unos unas y e que es para por con no se mas como pero al fue o ser "
    "cuando muy ya tambien solo hasta eso esto su sus cual cuales quien donde porque esta este estos estas ese esa "
    "son tiene tener entre sin sobre despues antes usted yo mi tu te me nos les le si todo todos nuestro nuestra hay "
    "ha he aqui ahi ni era cuanto cuantos",
    "de": "der die das den dem des ein eine einen einem einer eines und ist in zu mit von auf fur nicht sich auch als "
    "an es im am bei aus nach wie wird werden wurde sind war haben hat ich wir sie er ihr du mir mich dich dir uns "
    "dass oder aber wenn was wer wo warum kann konnen soll muss nur noch schon mehr uber unter zwischen ohne durch "
    "vor zum zur man so dann da doch mal kein keine",
    "ru": "и в не на что с со по как это из у за от так о об же к но то все всё для он она оно они мы вы я ты бы был "
    "была было были есть нет или если при до когда где кто чтобы его ее их только еще уже после перед между под над "
    "без какой какая какие какое который которая которые этот эта эти нам мне меня тебе вам себя там тут здесь "
    "почему ли вот да ну",
}
_FUNCTION_CHARACTERS = frozenset("的了吗呢吧啊么什谁哪怎这那是在和与及其之为被嘛呀哦啦")
_SHARE_TO_TELL = 0.12
_VOTES = 600
"""A word's votes, shared among the languages that say it: whole numbers, however many of them there are."""
_VOTES_OF_A_USUAL_WORD = 180
_LANE = 40


@lru_cache(maxsize=8)
def function_words(language: str) -> frozenset[str]:
    """The words that only hold sentences together, folded."""
    return frozenset(fold(word) for word in _FUNCTION_WORDS[language].split())


def is_function_character(char: str) -> bool:
    """Whether a character of a script without spaces only holds sentences together; hiragana mostly does."""
    return char in _FUNCTION_CHARACTERS or "\u3041" <= char <= "\u309f"


def is_function_pair(word: Word) -> bool:
    """Whether a pair of characters says nothing of its own: one holds sentences together, or all are hiragana."""
    kana = ["\u3041" <= char <= "\u309f" for char in word.folded]
    return all(kana) or any(char in _FUNCTION_CHARACTERS for char in word.folded)


def language_of(runs: Iterable[str]) -> str:
    """The language whose usual words stand most often in a text, given as its runs; English where few do."""
    counts = sum(map(_speaks_for, runs))
    votes = [counts >> _LANE * at & (1 << _LANE) - 1 for at in range(len(LANGUAGES))]
    spoken = counts >> _LANE * len(LANGUAGES)
    most = max(votes)
    return LANGUAGES[votes.index(most)] if most >= _SHARE_TO_TELL * spoken * _VOTES else "en"


@lru_cache(maxsize=32768)
def _speaks_for(run: str) -> int:
    """The votes that a run gives to each language, and above them how many of its words could be of any.

    All in one number, one lane of bits for each, since those of every word of a note are added up.
    """
    counts = 0
    for word in words_of_run(run):
        if word.bends:
            counts += 1 << _LANE * len(LANGUAGES)
            told = _languages_that_say(word.folded)
            counts += sum(votes // len(told) << _LANE * at for at, votes in told)
    return counts


def _languages_that_say(folded: str) -> list[tuple[int, int]]:
    told = []
    for at, language in enumerate(LANGUAGES):
        if folded in function_words(language):
            told.append((at, _VOTES))
        elif folded in shares(language):
            told.append((at, _VOTES_OF_A_USUAL_WORD))
    return told


@lru_cache(maxsize=1)
def _stemmers() -> dict[str, Stemmer.Stemmer]:
    return {language: Stemmer.Stemmer(name, 0) for language, name in _ALGORITHMS.items()}


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


def forms(word: Word, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of a word in an index, those of the given languages: `en:compar`, or `=猫` where nothing bends.

    A word with accents is there under its stem without them too, for those who type none.
    """
    if not word.bends:
        return (f"={word.folded}",)
    if word.text == word.folded:
        return tuple([f"{language}:{stem(word.text, language)}" for language in languages])
    spellings = (word.text, word.folded)
    return tuple(dict.fromkeys(f"{language}:{stem(text, language)}" for language in languages for text in spellings))


def stem_set(text: str) -> frozenset[str]:
    """The stems of a short text under its own language, function words left out: what tidying compares."""
    runs = runs_of(text)
    words = list(chain.from_iterable(map(words_of_run, runs)))
    language = language_of(runs)
    holding = function_words(language)
    return frozenset(forms(word, (language,))[0] for word in words if word.folded not in holding)
