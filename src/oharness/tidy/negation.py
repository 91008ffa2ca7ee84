"""Does a sentence say that something is not so? By the small words of English, 中文, Português and Français."""

import re
from collections.abc import Collection
from functools import lru_cache

from oharness.recall.stems import language_of
from oharness.recall.words import fold, runs_of, words_of

_WORDS = """
not never none nothing nobody nowhere neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont
wouldnt shouldnt couldnt mustnt neednt hasnt havent hadnt aint avoid except unless forbidden
hardly scarcely barely rarely seldom
nao nunca nem jamais sem nenhum nenhuma nada ninguem tampouco exceto proibido evitar raramente dificilmente
ne pas jamais aucun aucune sans ni rien interdit eviter sauf rarement guere
ningun ninguna nadie tampoco salvo prohibido
nicht nie niemals kein keine keinen keinem keiner ohne nichts niemand weder verboten
"""
_NEGATIONS = frozenset(_WORDS.split())
_NEGATIONS_OF_SOME = {"no": ("pt",), "sin": ("en", "pt", "fr")}
"""Words that are none in these languages: `no` is `in the` in Portuguese."""
_HAN = re.compile(r"[不没沒无無未勿别莫]|禁止|切勿|避免|除非|从未|很少|並非|并非|而非")
_HAN_HARMLESS = re.compile(
    r"不过|不過|不同|不仅|不僅|不但|不管|不论|不論|不断|不斷|不久|不少|差不多|对不起|不好意思|无论|無論|无线|無線|没错|沒錯|未来|未來"
    r"|特别|特別|区别|區別|类别|類別|级别|級別|分别|分別|个别|個別|别人|別人|识别|識別|性别|性別|别名"
)
_SPOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_OPPOSITE_WORDS = """
off unavailable unsupported impossible disable disables disabled disabling deactivated inactive forbidden forbid
forbids prohibited banned blocked denied deny denies rejected optional deprecated indisponivel impossivel desligado
desligada desligados desligadas desativado desativada desativados desativadas inativo inativa inativos inativas
bloqueado bloqueada negado negada opcional indisponible desactive desactivee desactives desactivees inactif inactive
inactifs inactives eteint eteinte bloque bloquee refuse refusee facultatif facultative optionnel optionnelle
"""
_OPPOSITES = frozenset(_OPPOSITE_WORDS.split())
"""Words that say by themselves what `not` says of their opposite."""
_HAN_OPPOSITES = re.compile(r"禁用|停用|关闭|關閉|拒绝|拒絕|屏蔽|可选|可選|禁止")
_CONTRAST = re.compile(
    r"(?:[,、;(]\s*(?:(?:and|but|e|mas|et|mais)\s+)?(?:not|n[aã]o|pas|non)"
    r"|\b(?:and|but|e|mas|et|mais)\s+(?:not|no|n[aã]o|pas|non))(?:\s+\S+){1,4}\s*$|[,，、;；]?\s*(?:而不是|而非|不是).*$",
    re.IGNORECASE,
)
_BARE_CONTRAST = re.compile(
    r"\b(?!(?:am|is|are|was|were|be|been|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would|need"
    r"|and|or|but|if|than|that|which|who|it|they|we|you|i)\b)[^\W\d_]{3,}(?P<not>\s+not)"
    r"\s+(?!(?:to|on|in|at|by|for|from|with|of|before|after|until|when|if|be|been|yet|only)\b)\S+(?:\s+\S+){0,2}\s*$",
    re.IGNORECASE,
)
"""The same without a comma, as in `fills not borders`: no verb that `not` would deny stands before it."""

_LEAST_BEFORE_A_CONTRAST = 3


def says_no(text: str) -> bool:
    """Whether the sentence denies: `not enabled` and `disabled` do, `not disabled` and `tabs, not spaces` do not."""
    text = " ".join(text.split())
    words = {_sense(word) for word in _SPOKEN.findall(text)}
    if words == {""} and not _HAN.search(text) and not _HAN_OPPOSITES.search(text):
        return False
    text = _without_contrast(text)
    plain = _HAN_OPPOSITES.sub(" ", text)
    spoken = _SPOKEN.findall(plain)
    kept = [word for word in spoken if _sense(word) != "opposite"]
    is_opposite = plain != text or len(kept) < len(spoken)
    return is_negated(" ".join(kept), {language_of(runs_of(text))}) != is_opposite


def _without_contrast(text: str) -> str:
    contrast, bare = _CONTRAST.search(text), _BARE_CONTRAST.search(text)
    starts = [*([contrast.start()] if contrast else []), *([bare.start("not")] if bare else [])]
    before = [start for start in starts if sum(1 for _ in words_of(text[:start])) >= _LEAST_BEFORE_A_CONTRAST]
    return text[: min(before)] if before else text


def is_denied(text: str, languages: Collection[str]) -> bool:
    """Whether the sentence holds a negation, or a word such as `disabled` that is one by itself."""
    if is_negated(text, languages) or _HAN_OPPOSITES.search(text):
        return True
    return any(_sense(word) == "opposite" for word in _SPOKEN.findall(text))


@lru_cache(maxsize=32768)
def _sense(word: str) -> str:
    """What a word may say of the others: `not`, `opposite`, or nothing."""
    if fold(word) in _OPPOSITES:
        return "opposite"
    return "not" if _negates(word, ()) else ""


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
