"""Numbers that are written out: `three`, `deux`, `doze`, 三个, 第十二, 周四; each with the digits that say the same."""

import re
from collections.abc import Iterator

from oharness.recall.words import fold

_NUMBER_WORDS = {
    word: str(number)
    for number, words in {
        0: "zero",
        2: "two deux dois duas",
        3: "three trois tres",
        4: "four quatre quatro",
        5: "five cinq cinco",
        6: "six seis",
        7: "seven sept sete",
        8: "eight huit oito",
        9: "nine neuf nove",
        10: "ten dix dez",
        11: "eleven onze",
        12: "twelve douze doze",
        15: "fifteen quinze",
        20: "twenty vingt vinte",
        30: "thirty trente trinta",
        40: "forty quarante quarenta",
        50: "fifty cinquante cinquenta",
        60: "sixty soixante sessenta",
        90: "ninety noventa",
        100: "hundred cent cem",
        1000: "thousand mille mil",
        1000000: "million milhao",
    }.items()
    for word in words.split()
}
_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_HAN_NUMBER = "[零〇一二两三四五六七八九十百千万亿]"
_HAN_MEASURE = "[个條条年月日号號天周次版人台分秒点點元块层級级期季度%岁小種种项項位名字行页頁倍]"

_WORD = re.compile(r"[^\W\d_]+")
_HAN_COUNT = re.compile(rf"{_HAN_NUMBER}+(?={_HAN_MEASURE})|第{_HAN_NUMBER}+|(?:周|星期|礼拜)[一二三四五六日天]")


def written_numbers(text: str) -> Iterator[tuple[str, str]]:
    """Each number in words, as written and in digits. `one` and its like are articles too often to count."""
    for match in _HAN_COUNT.finditer(text):
        yield match.group(), _han_key(match.group())
    for match in _WORD.finditer(text):
        digits = _NUMBER_WORDS.get(fold(match.group()))
        if digits is not None:
            yield match.group(), digits


def _han_key(raw: str) -> str:
    """A day of the week has the key of the same day in other languages."""
    if raw[0] in "周星礼":
        return f"weekday {min('一二三四五六日天'.index(raw[-1]) + 1, 7)}"
    return han_number(raw.removeprefix("第"))


def han_number(raw: str) -> str:
    """A number in Han characters, in digits: 二十五 is 25, 二〇二六 is 2026."""
    if len(raw) > 2 and all(char in _HAN_DIGITS for char in raw):
        return "".join(str(_HAN_DIGITS[char]) for char in raw)
    if not all(char in _HAN_DIGITS or char in _HAN_UNITS for char in raw):
        return raw
    total = section = digit = 0
    for char in raw:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif _HAN_UNITS[char] < 10_000:
            section += (digit or 1) * _HAN_UNITS[char]
            digit = 0
        else:
            total = (total + section + digit) * _HAN_UNITS[char]
            section = digit = 0
    return str(total + section + digit)
