"""A text as the words that are compared: the one tokenizer of recall, search, related notes and tidying.

Written forms fold (accents, width, case), words of every script stay whole with their marks, scripts without
spaces become overlapping pairs, identifiers and paths fall into their parts. Stems are `oharness.recall.stems`.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f18-\u0f87\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u17dd\u1dc0-\u1dff"
    "\u20d0-\u20ff\ufe20-\ufe2f"
)
_PAIRED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3100-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00016fe0-\U00018d8f\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_CLUSTERED = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"

_LETTERS = rf"[\w{_MARKS}]"
_ESCAPE = "\x1b"
_TERMINAL_CODE = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]")
"""Colours of what was copied or piped out of a terminal; they stick to the word behind them."""

_ASCII_RUN = re.compile(r"[A-Za-z0-9_]+(?:['.+#-]+[A-Za-z0-9_]+)*(?:\+\+|#(?![\w#]))?")
_ANY_RUN = re.compile(rf"{_LETTERS}+(?:['\u2019.+#\u00b7-]+{_LETTERS}+)*(?:\+\+|#(?![\w#]))?")
_UNSPACED_RUN = re.compile(rf"([{_PAIRED}]+)|([{_CLUSTERED}]+)")
_CLUSTER = re.compile(rf"[\u0e40-\u0e44\u0ec0-\u0ec4]?[^{_MARKS}][{_MARKS}\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3]*")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+(?:-?[a-z]+\.?\d*)?)")
_CASE_STEPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SYMBOL_NAME = re.compile(r"[A-Za-z]{1,2}(?:\+\+|#)")
_EDGES = "'.-_+#\u2019\u00b7"
_MOST_PARTS = 6

_EXTENSIONS = """
asm astro avi bak bash bat bin bmp bz2 c cc cfg cjs clj cmd conf config cpp cs css csv cts dart db dll doc
docx edn ejs env erl ex exe exs fish gif go gradle graphql gz h hbs hpp hs htm html ico ini ipynb jar java
jpeg jpg js json json5 jsonc jsonl jsx kt kts less lock log lua m map md mdx mjs mk ml mm mov mp3 mp4 mts
njk nim o odt out parquet patch pdf php pid pl pm png pptx prisma properties proto ps1 pug py pyc pyi pyx r
rb rmd rs rst rtf sass scala scss sh so sql sqlite sqlite3 styl sum svelte svg swift tar tex tf tfvars tgz
tmp toml ts tsv tsx txt vb vue wasm wav webm webp woff woff2 xls xlsx xml yaml yml zig zip zsh
"""
EXTENSIONS = frozenset(_EXTENSIONS.split())
"""Endings that say what kind of file a name is; no topic of their own."""

_DROPPED_AFTER_APOSTROPHE = frozenset({"s", "re", "ve", "ll", "d", "m"})


class Word(NamedTuple):
    """One word of a text: `text` as a stemmer wants it, `folded` as it is compared.

    `whole` is the folded compound that the word is a part of (`getUserName`, `e-mail`), or empty.
    `bends` is false for pairs, numbers and the like, which have one form only.
    """

    text: str
    folded: str
    whole: str = ""
    bends: bool = True

    @property
    def is_pair(self) -> bool:
        """Whether it is a piece of a script without spaces, one or two characters of it."""
        return not self.bends and self.folded[0] > "\u0e00" and not self.folded[0].isdigit()


def fold(text: str) -> str:
    """Text without accents, width, case and the like, as words are compared."""
    if text.isascii():
        return text.lower()
    spread = unicodedata.normalize("NFKD", text).casefold()
    kept = "".join(char for char in spread if not (unicodedata.combining(char) and _is_accent(char)))
    return unicodedata.normalize("NFC", kept)


def words_of(text: str) -> Iterator[Word]:
    """The words of a text in their order; a part of a compound knows its whole."""
    for run in runs_of(text):
        yield from words_of_run(run)


def runs_of(text: str) -> list[str]:
    """The stretches of a text without spaces and separators, as written, for `words_of_run`."""
    if _ESCAPE in text:
        text = _TERMINAL_CODE.sub("", text)
    if text.isascii():
        return _ASCII_RUN.findall(text)
    return _ANY_RUN.findall(unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=32768)
def words_of_run(run: str) -> tuple[Word, ...]:
    """The words of one stretch."""
    return tuple(_words_of_spaced(run) if run.isascii() else _by_script(run))


def _is_accent(char: str) -> bool:
    return char < "\u0900" or char > "\u1aaf"


def _by_script(run: str) -> Iterator[Word]:
    at = 0
    for match in _UNSPACED_RUN.finditer(run):
        yield from _words_of_spaced(run[at : match.start()])
        yield from _pairs(list(fold(match.group(1))) if match.group(1) else _CLUSTER.findall(match.group(2)))
        at = match.end()
    yield from _words_of_spaced(run[at:])


def _pairs(units: list[str]) -> Iterator[Word]:
    if len(units) == 1:
        yield Word(units[0], units[0], bends=False)
    for first, second in pairwise(units):
        yield Word(first + second, first + second, bends=False)


def _words_of_spaced(run: str) -> Iterator[Word]:
    if _is_plain(run):
        yield _plain(run)
        return
    if _SYMBOL_NAME.fullmatch(run):
        yield Word(run.lower(), run.lower(), bends=False)
        return
    run = run.strip(_EDGES)
    if _is_plain(run):
        yield _plain(run)
        return
    lower = run.lower()
    version = _VERSION.fullmatch(lower)
    if version:
        yield Word(version.group(1), version.group(1), bends=False)
        return
    yield from _parts(run)


def _is_plain(run: str) -> bool:
    """Whether it is a usual word, as most are: nothing but letters, none of them large but the first."""
    return run.isalpha() and (run.islower() or run.istitle())


def _plain(run: str) -> Word:
    lower = run.lower()
    return Word(lower, lower if lower.isascii() else fold(lower))


def _parts(run: str) -> Iterator[Word]:
    for spoken in _around_apostrophes(run):
        parts = [part for part in _split_compound(spoken) if part]
        whole = fold("".join(parts)) if 1 < len(parts) <= _MOST_PARTS else ""
        for part in parts:
            lower = part.lower()
            yield Word(lower, fold(lower), whole, bends=not any(char.isdigit() for char in lower))


def _around_apostrophes(run: str) -> list[str]:
    pieces = re.split(r"['\u2019]", run)
    if len(pieces) == 1:
        return pieces
    last = pieces[-1].lower()
    if last == "t":
        return ["".join(pieces)]
    return pieces[:-1] if last in _DROPPED_AFTER_APOSTROPHE else pieces


def _split_compound(run: str) -> Iterator[str]:
    pieces = run.split(".")
    if len(pieces) > 1 and pieces[-1].lower() in EXTENSIONS:
        pieces.pop()
    for piece in pieces:
        for stretch in re.split(r"[-_+#\u00b7]+", piece):
            yield from _CASE_STEPS.split(stretch)
