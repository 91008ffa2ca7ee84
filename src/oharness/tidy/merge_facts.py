"""The facts in a sentence that a merge must not lose: found by their form alone, without a model.

Links, quoted strings and code, dates, versions, paths, identifiers, and numbers with their units. What one form has
taken is not looked at again by the next, so that a date is not three numbers too.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from oharness.recall.stems import LANGUAGES, function_words
from oharness.recall.words import EXTENSIONS, fold
from oharness.tidy.written_numbers import han_number, written_numbers


class FactKind(StrEnum):
    """What a fact is, in the order of looking."""

    LINK = "link"
    QUOTED = "quoted"
    DATE = "date"
    VERSION = "version"
    PATH = "path"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    NEGATION = "negation"
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as written, and the key under which the same fact in another spelling is found."""

    kind: FactKind
    text: str
    key: str


_MONTHS = (
    "january janeiro janvier jan",
    "february fevereiro fevrier feb fev fevr",
    "march marco mars mar",
    "april abril avril apr abr avr",
    "may maio mai",
    "june junho juin jun",
    "july julho juillet jul juil",
    "august agosto aout aug ago",
    "september setembro septembre sep sept set",
    "october outubro octobre oct out",
    "november novembro novembre nov",
    "december dezembro decembre dec dez",
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
_MONTH_NAME = "|".join(sorted(_MONTH, key=len, reverse=True))
_WEEKDAYS = (
    "monday mondays lundi lundis segunda segundas",
    "tuesday tuesdays mardi mardis terca tercas",
    "wednesday wednesdays mercredi mercredis quarta quartas",
    "thursday thursdays jeudi jeudis quinta quintas",
    "friday fridays vendredi vendredis sexta sextas",
    "saturday saturdays samedi samedis sabado sabados",
    "sunday sundays dimanche dimanches domingo domingos",
)
_NAMED_DAYS = {name: f"weekday {number}" for number, names in enumerate(_WEEKDAYS, start=1) for name in names.split()}
_NAMED_DAYS |= {name: f"month {number}" for name, number in _MONTH.items() if len(name) > 4 and name != "march"}
_NAMED_DAYS |= {name: f"month {_MONTH[name]}" for name in ("june", "july", "juin", "aout", "maio")}

_UNITS = (
    r"ms|s|sec|secs|seconds?|min|mins|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|years?|kb|mb|gb|tb|kib|mib|gib|%|px|em|"
    r"rem|usd|eur|gbp|brl|cny|km|cm|mm|kg|°c|€|£|¥|segundos?|minutos?|horas?|dias?|semanas?|meses|mes|anos?|secondes?|"
    r"heures?|jours?|semaines?|mois|ans?|annees?|秒|分钟|分|小时|天|周|个月|月|年|元|人|次|个|号|点"
)
_ONE_UNIT = {"seconds": "s", "second": "s", "sec": "s", "secs": "s", "mins": "min", "minute": "min", "minutes": "min"}
_ONE_UNIT |= {"hour": "h", "hours": "h", "hr": "h", "hrs": "h", "day": "d", "days": "d"}
_NOT_PATHS = frozenset({"and/or", "e/ou", "et/ou", "ou/et", "he/she", "she/he", "yes/no", "n/a", "w/o", "i/o"})

_LINK = re.compile(
    r"\[\[([A-Za-z0-9][A-Za-z0-9_-]{0,127})\]\]|(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`|）】」]+"
)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_QUOTED = re.compile(
    r"\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|«\s*([^»\n]{1,300}?)\s*»|„([^“”\n]{1,300})[“”]|「([^」\n]{1,300})」"
    r"|『([^』\n]{1,300})』|《([^》\n]{1,300})》|(?<![\w])[‘']([^'’\n]{2,300})['’](?!\w)"
)
_DATES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"),
        lambda m: f"{int(m[1])}-{int(m[2])}-{int(m[3])}",
    ),
    (re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号]"), lambda m: f"{m[1]}-{int(m[2])}-{int(m[3])}"),
    (re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月"), lambda m: f"{m[1]}-{int(m[2])}"),
    (re.compile(r"(?<!\d)(\d{1,2})\s?月\s?(\d{1,2})\s?[日号]"), lambda m: f"-{int(m[1])}-{int(m[2])}"),
    (
        re.compile(
            r"([〇零一二三四五六七八九]{4})年([一二三四五六七八九十]{1,2})月(?:([一二三四五六七八九十]{1,3})[日号])?"
        ),
        lambda m: "-".join(han_number(one) for one in m.groups() if one),
    ),
    (
        re.compile(r"(?<![一二三四五六七八九十])([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})[日号]"),
        lambda m: f"-{han_number(m[1])}-{han_number(m[2])}",
    ),
    (re.compile(r"(?<!\d)(\d{1,2})[./](\d{1,2})[./](\d{4})(?!\d)"), lambda m: f"{m[3]} {int(m[1])} {int(m[2])}"),
    (
        re.compile(
            rf"(?<!\w)(\d{{1,2}})(?:st|nd|rd|th|er|º|o)?\s+(?:de\s+|of\s+)?({_MONTH_NAME})\.?(?:,?\s+(?:de\s+)?(\d{{4}}))?(?!\w)"
        ),
        lambda m: f"{m[3] or ''}-{_MONTH[m[2]]}-{int(m[1])}",
    ),
    (
        re.compile(rf"(?<!\w)({_MONTH_NAME})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?(?![\w:])"),
        lambda m: f"{m[3] or ''}-{_MONTH[m[1]]}-{int(m[2])}",
    ),
    (re.compile(rf"(?<!\w)({_MONTH_NAME})\.?\s+(?:de\s+|of\s+)?(\d{{4}})(?!\w)"), lambda m: f"{m[2]}-{_MONTH[m[1]]}"),
    (re.compile(r"(?<![\d-])(\d{4})-(\d{2})(?![\d-])"), lambda m: f"{m[1]}-{int(m[2])}"),
)
_VERSION = re.compile(
    r"(?<![\w.])v?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?(?!\w)|(?<![\w.])v\d+(?:\.\d+)*(?:[-+][\w.]+)?(?!\w)"
)
_PATH = re.compile(
    r"(?<![\w/.~-])(?:[A-Za-z]:\\|~?/|\.{1,2}[/\\])?[\w.@+~-]*\w(?:[/\\][\w.@+~*-]+)+[/\\]?|(?<![\w/])/[\w.@+~-]+/?"
)
_NAMED_FILE = re.compile(
    r"(?<![\w./\\-])(?:\.[A-Za-z][\w-]+|(?:Make|Docker|Container|Proc|Rake|Gem|Pip|Jenkins|Vagrant|Brew|Cargo|Just)file)(?![\w/])"
)
_FILE = re.compile(r"(?<![\w/.])\.?[\w-]+(?:\.[\w-]+)*\.([A-Za-z0-9]{1,10})(?![\w/])")
_IDENTIFIER = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]+(?:=\S+)?"  # a flag
    r"|(?<![\w+])[A-Za-z][A-Za-z0-9]*(?:\+[A-Za-z0-9]+)+(?![\w+])"  # keys pressed together
    r"|\$\{?[A-Za-z_]\w*\}?|(?<!\w)@[\w-]+(?:/[\w-]+)?|(?<!\w)#[\w-]+"
    r"|\b[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+(?:\(\))?|\b\w+\(\)"
    r"|\b_*[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_*\b"
    r"|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z0-9]+[A-Z]\w*\b"
    r"|\b(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\b(?!\.\d)"
    r"|\b[A-Za-z0-9]+(?:-[A-Za-z0-9]+){2,}\b"
    r"|\b[A-Z]{2,}s?\b"
)
_WORD = re.compile(r"[^\W\d_]+")
_TIME = re.compile(r"(?<![\d:])(\d{1,2})[:h](\d{2})(?::(\d{2}))?(?:\s?([ap])\.?m\b\.?)?(?![\d:])", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?P<sign>(?:(?<![\w)])[-−+±~≈<>≤≥])?)\s?(?P<coin>[$€£¥])?(?P<digits>\d+(?:[.,'\u00a0\u202f ]\d+)*)"
    rf"(?:\s?(?P<unit>{_UNITS})(?![a-zA-Z]))?",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}(?:[.,'\u00a0\u202f ]\d{3})+")


def facts_of(text: str, *, is_code: bool = False) -> list[Fact]:
    """The facts of one sentence, or of one line of code, each once."""
    plain = unicodedata.normalize("NFKC", text)
    if is_code:
        return [Fact(FactKind.QUOTED, text.strip(), squeezed(text))] if text.strip() else []
    found: dict[tuple[FactKind, str], Fact] = {}
    rest = _Rest(plain)
    for take in _TAKERS:
        for fact in take(rest):
            found.setdefault((fact.kind, fact.key), fact)
    return list(found.values())


def squeezed(text: str) -> str:
    """A text as quoted strings are looked for in it: one space for any white space, one kind of quotation mark."""
    plain = unicodedata.normalize("NFKC", text).translate(_ONE_MARK)
    return " ".join(plain.split())


_ONE_MARK = {ord(char): "'" for char in "‘’`´"} | {ord(char): '"' for char in "“”„«»"}


class _Rest:
    """What no form has taken yet; what was taken is blank."""

    def __init__(self, text: str) -> None:
        self.text = text

    def taken(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """All matches, for the caller to blank out what it uses of them."""
        return list(pattern.finditer(self.text))

    def blank(self, start: int, end: int) -> None:
        self.text = self.text[:start] + " " * (end - start) + self.text[end:]


def _same_length_fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    return "".join(folded if len(folded := fold(char)) == 1 else char for char in text)


def _links(rest: _Rest) -> Iterator[Fact]:
    for match in rest.taken(_LINK):
        raw = match.group() if match[1] else match.group().rstrip(".,;:!?)]}。，；：！？")
        rest.blank(match.start(), match.start() + len(raw))
        yield Fact(FactKind.LINK, raw, match[1] or raw)
    for match in rest.taken(_MAIL):
        rest.blank(match.start(), match.end())
        yield Fact(FactKind.IDENTIFIER, match.group(), match.group().lower())


def _quoted(rest: _Rest) -> Iterator[Fact]:
    for match in rest.taken(_CODE):
        rest.blank(match.start(), match.end())
        yield Fact(FactKind.QUOTED, match[2].strip(), squeezed(match[2]))
    for match in rest.taken(_QUOTED):
        rest.blank(match.start(), match.end())
        inner = next(group for group in match.groups() if group is not None)
        if inner.strip():
            yield Fact(FactKind.QUOTED, inner.strip(), squeezed(inner))


def _dates(rest: _Rest) -> Iterator[Fact]:
    if "月" not in rest.text and not any(char.isdigit() for char in rest.text):
        return
    for pattern, key in _DATES:
        for match in list(pattern.finditer(_same_length_fold(rest.text))):
            text = rest.text[match.start() : match.end()]
            if text.strip():
                rest.blank(match.start(), match.end())
                yield Fact(FactKind.DATE, text, f"date {key(match)}")


def _versions(rest: _Rest) -> Iterator[Fact]:
    for match in rest.taken(_VERSION):
        rest.blank(match.start(), match.end())
        before, after = _bounds(rest.text, match.start(), match.end())
        text = f"{before}{match.group()}{after}"
        yield Fact(FactKind.VERSION, text, f"{before}{match.group().lower().removeprefix('v')}{after}")


_BOUND_BEFORE = re.compile(r"(~>|[<>!=]=|(?<![-=<>])[<>]|[≥≤^~])\s?$")


def _bounds(text: str, start: int, end: int) -> tuple[str, str]:
    """What makes a version or number one end of a range: `>=` or `^` before it, `+` behind it."""
    before = _BOUND_BEFORE.search(text, max(0, start - 3), start)
    after = text[end : end + 2]
    return before[1] if before else "", "+" if after[:1] == "+" and not after[1:].isalnum() else ""


def _paths(rest: _Rest) -> Iterator[Fact]:
    for match in rest.taken(_PATH):
        raw = match.group().rstrip(".")
        if raw.lower() in _NOT_PATHS or not any(char.isalpha() for char in raw):
            continue
        rest.blank(match.start(), match.start() + len(raw))
        yield Fact(FactKind.PATH, raw, raw.removeprefix("./").rstrip("/\\"))
    for match in rest.taken(_FILE):
        if match[1].lower() in EXTENSIONS:
            rest.blank(match.start(), match.end())
            yield Fact(FactKind.PATH, match.group(), match.group())
    for match in rest.taken(_NAMED_FILE):
        rest.blank(match.start(), match.end())
        yield Fact(FactKind.PATH, match.group(), match.group())


def _identifiers(rest: _Rest) -> Iterator[Fact]:
    for match in rest.taken(_IDENTIFIER):
        raw = match.group()
        if _is_amount(raw) or (raw.isupper() and raw.isalpha() and _is_emphasis(raw)):
            continue
        rest.blank(match.start(), match.end())
        yield Fact(FactKind.IDENTIFIER, raw, raw)


_AMOUNT = re.compile(rf"\d+(?:{_UNITS})|\d{{1,2}}h\d{{2}}|\d+(?:st|nd|rd|th|er|e|º|ª)|\d{{1,2}}[ap]m", re.IGNORECASE)


def _is_amount(raw: str) -> bool:
    return _AMOUNT.fullmatch(raw) is not None


def _is_emphasis(raw: str) -> bool:
    folded = fold(raw)
    return any(folded in function_words(language) for language in LANGUAGES[:4]) or folded in _LOUD


_LOUD_WORDS = "never always must only important note warning why todo jamais sempre nunca toujours atencao"
_LOUD = frozenset(_LOUD_WORDS.split())


def _named_days(rest: _Rest) -> Iterator[Fact]:
    """Days of the week, and months that stand alone."""
    for match in _WORD.finditer(rest.text):
        key = _NAMED_DAYS.get(fold(match.group()))
        if key is not None:
            yield Fact(FactKind.DATE, match.group(), key)


def _numbers(rest: _Rest) -> Iterator[Fact]:
    for match in rest.taken(_TIME):
        rest.blank(match.start(), match.end())
        parts = [str(int(match[1])), match[2], match[3], (match[4] or "").lower()]
        yield Fact(FactKind.NUMBER, match.group(), ":".join(part for part in parts if part))
    for match in rest.taken(_NUMBER):
        for text, digits in _amounts(match):
            unit = (match["unit"] or match["coin"] or "").lower()
            sign = "-" if match["sign"] in ("-", "−") else ""
            bound, more = _bounds(rest.text, match.start("digits"), match.end("digits"))
            bound = "" if bound in ("~", "^") else bound
            key = f"{sign}{digits}{_ONE_UNIT.get(unit, unit)}"
            shown = text if text.startswith(bound) else f"{bound}{text}"
            yield Fact(FactKind.NUMBER, f"{shown}{more}", f"{bound}{key}{more}")
        rest.blank(match.start(), match.end())
    for text, key in written_numbers(rest.text):
        yield Fact(FactKind.NUMBER, text, key)


def _amounts(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """One number, or several that only look like one: `8081, 8082` and `1 2`."""
    raw = match["digits"]
    if _GROUPED.fullmatch(raw):
        yield match.group().strip(), re.sub(r"\D", "", raw)
        return
    is_list = raw.count(",") > 1
    pieces = [piece for piece in re.split(r"[',\u00a0\u202f ]" if is_list else r"['\u00a0\u202f ]", raw) if piece]
    for piece in pieces:
        text = match.group().strip() if len(pieces) == 1 else piece
        yield text, _number_key(piece)


def _number_key(piece: str) -> str:
    whole, mark, part = re.sub(r"[.,](?=\d+[.,])", "", piece).replace(",", ".").partition(".")
    return (whole.lstrip("0") or "0") + (f".{part.rstrip('0')}" if mark and part.rstrip("0") else "")


_TAKERS: tuple[Callable[[_Rest], Iterator[Fact]], ...] = (
    _links,
    _quoted,
    _dates,
    _versions,
    _paths,
    _identifiers,
    _named_days,
    _numbers,
)
