"""Does a sentence say that something is not so? By the small words of English, 中文, Português and Français."""

import re
from collections.abc import Iterable

from oharness.recall.words import fold

_WORDS = {
    "en": "not never no none nothing nobody nowhere neither nor without cannot cant dont doesnt didnt isnt arent wasnt "
    "werent wont wouldnt shouldnt couldnt mustnt neednt hasnt havent hadnt avoid except unless forbidden",
    "pt": "nao nunca nem jamais sem nenhum nenhuma nada ninguem tampouco exceto proibido evitar",
    "fr": "ne n pas jamais aucun aucune sans ni rien interdit eviter sauf",
    "es": "no nunca jamas ni sin ningun ninguna nada nadie tampoco salvo prohibido evitar",
    "de": "nicht nie niemals kein keine keinen keinem keiner ohne nichts niemand weder verboten",
}
_NEGATIONS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
_HAN = re.compile(r"[不没沒无無未勿别莫]|禁止|切勿|避免|除非|从未|並非|并非|而非")
_HAN_HARMLESS = re.compile(
    r"不过|不過|不同|不仅|不僅|不但|不管|不论|不論|不断|不斷|不久|不少|差不多|对不起|不好意思|无论|無論|无线|無線|没错|沒錯|未来|未來"
    r"|特别|特別|区别|區別|类别|類別|级别|級別|分别|分別|个别|個別|别人|別人|识别|識別|性别|性別|别名"
)
_SPOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def is_negated(text: str, languages: Iterable[str]) -> bool:
    """Whether the sentence, in one of these languages or Chinese, holds a negation."""
    if _HAN.search(_HAN_HARMLESS.sub(" ", text)):
        return True
    known = [_NEGATIONS[one] for one in languages if one in _NEGATIONS]
    for match in _SPOKEN.finditer(text):
        whole = fold(match.group().replace("’", "'"))
        parts = {whole.replace("'", ""), *whole.split("'")}
        if any(part in words for words in known for part in parts):
            return True
    return False
