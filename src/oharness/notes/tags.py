"""What the tags of a note are, however they were written down."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

# White space, the commas of Latin and Chinese writing, and control characters, which belong in no tag.
_SEPARATORS = re.compile(r"[\s,，、\x00-\x1f\x7f-\x9f]+")


def clean_tags(raw: Any) -> tuple[str, ...]:
    """Tags trimmed, split on commas and white space, de-duplicated ignoring case; the first spelling stays.

    Takes a list or a text, also a text that is a JSON list. Numbers become text; null, true, false,
    lists in lists and objects are passed over. Cleaning what was cleaned changes nothing.
    """
    if isinstance(raw, list | tuple) and _are_clean(raw):
        return tuple(raw)
    tags = _distinct(_words(_values(raw)))
    while len(tags) == 1 and (inner := _json_list(tags[0])) is not None:
        tags = _distinct(_words(inner))
    return tags


def _are_clean(raw: Sequence[Any]) -> bool:
    """Whether nothing has to be done, as for almost every note: a quick look that may say no too often."""
    for tag in raw:
        if type(tag) is not str or not tag or tag[0] == "[" or _SEPARATORS.search(tag):
            return False
    return len(raw) < 2 or len({tag.casefold() for tag in raw}) == len(raw)


def _values(raw: Any) -> Sequence[Any]:
    values = list(raw) if isinstance(raw, list | tuple | set | frozenset) else [raw]
    if len(values) == 1 and isinstance(values[0], str):
        inner = _json_list(values[0])
        return values if inner is None else inner
    return values


def _json_list(text: str) -> list[Any] | None:
    if not text.strip().startswith("["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _words(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue
        yield from _SEPARATORS.split(str(value))


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    first_spellings: dict[str, str] = {}
    for word in words:
        if word:
            first_spellings.setdefault(word.casefold(), word)
    return tuple(first_spellings.values())
