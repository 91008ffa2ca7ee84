"""Does a sentence say that something is not so? By the small words of English, 中文, Português and Français."""

import re
from collections.abc import Collection

from oharness.recall.words import fold

_WORDS = """
not never none nothing nobody nowhere neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont
wouldnt shouldnt couldnt mustnt neednt hasnt havent hadnt avoid except unless forbidden
nao nunca nem jamais sem nenhum nenhuma nada ninguem tampouco exceto proibido evitar
ne pas jamais aucun aucune sans ni rien interdit eviter sauf
ningun ninguna nadie tampoco salvo prohibido
nicht nie niemals kein keine keinen keinem keiner ohne nichts niemand weder verboten
"""
_NEGATIONS = frozenset(_WORDS.split())
_NEGATIONS_OF_SOME = {"no": ("pt",), "sin": ("en", "pt", "fr")}
"""Words that are none in these languages: `no` is `in the` in Portuguese."""
_HAN = re.compile(r"[不没沒无無未勿别莫]|禁止|切勿|避免|除非|从未|並非|并非|而非")
_HAN_HARMLESS = re.compile(
    r"不过|不過|不同|不仅|不僅|不但|不管|不论|不論|不断|不斷|不久|不少|差不多|对不起|不好意思|无论|無論|无线|無線|没错|沒錯|未来|未來"
    r"|特别|特別|区别|區別|类别|類別|级别|級別|分别|分別|个别|個別|别人|別人|识别|識別|性别|性別|别名"
)
_SPOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def is_negated(text: str, languages: Collection[str]) -> bool:
    """Whether the sentence holds a negation; `languages` are those it may be in."""
    if _HAN.search(_HAN_HARMLESS.sub(" ", text)):
        return True
    return any(_negates(match.group(), languages) for match in _SPOKEN.finditer(text))


def _negates(word: str, languages: Collection[str]) -> bool:
    whole = fold(word.replace("’", "'"))
    first, apostrophe, rest = whole.partition("'")
    if (first == "n" and apostrophe) or rest in _NEGATIONS or whole.replace("'", "") in _NEGATIONS:
        return True
    return whole in _NEGATIONS_OF_SOME and not any(one in languages for one in _NEGATIONS_OF_SOME[whole])
