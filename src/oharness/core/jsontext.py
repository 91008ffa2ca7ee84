"""The JSON this product writes and reads where bytes or duplicates matter."""

import json
import re
from json.encoder import encode_basestring
from typing import Any

import rfc8785

quoted = encode_basestring
"""A text as RFC 8785 and `one_line_json` quote it, but for the characters that `on_one_line` escapes."""


class KeyTwice(json.JSONDecodeError):
    """An object has one key twice, so that two programs could read two things in it."""


def canonical_json(value: Any) -> bytes:
    """The RFC 8785 bytes of a JSON value, for hashing and comparing.

    Raises: ValueError for what RFC 8785 cannot say (lone surrogates, NaN, integers beyond 2^53).
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise ValueError(str(error)) from error


def one_line_json(value: Any) -> str:
    """Compact JSON on one line in the order of its keys, non-ASCII kept readable.

    U+2028, U+2029 and U+0085 are escaped, since editors take them for line ends.
    """
    return on_one_line(_ON_ONE_LINE.encode(value))


def on_one_line(json_text: str) -> str:
    """A JSON text without characters that editors take for line ends; it means the same."""
    if json_text.isascii():
        return json_text
    return json_text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def pretty_json(value: Any) -> bytes:
    """JSON in UTF-8 for files that people may open: two spaces, one final newline.

    Halves of characters, which stand for bytes in the names of folders that are no text, are escaped as JSON does.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def parse_json(text: str) -> Any:
    """The value of a JSON text; duplicate keys and NaN are refused.

    Raises: json.JSONDecodeError with the position, KeyTwice; ValueError for a number of thousands of digits.
    """
    if text.startswith("\ufeff"):
        raise json.JSONDecodeError("a byte order mark stands before the JSON", text, 0)
    try:
        return _STRICT.decode(text)
    except _Refused as refused:
        raise refused.kind(refused.reason, text, _position(text, refused.constant)) from None


def parse_json_at(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at a place of a text, and the place after it.

    Raises: as `parse_json`, without a position where a key stands twice.
    """
    try:
        return _STRICT.raw_decode(text, at)
    except _Refused as refused:
        raise ValueError(str(refused)) from None


class _Refused(Exception):
    """What the decoder can read and JSON does not have; the decoder does not say where it stands."""

    def __init__(self, kind: type[json.JSONDecodeError], reason: str, constant: str = "") -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.constant = constant


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Refused(KeyTwice, f"key {twice!r} stands twice")
    return result


def _no_constant(name: str) -> Any:
    raise _Refused(json.JSONDecodeError, f"{name} is not JSON", name)


def _position(text: str, constant: str) -> int:
    """Where the first constant of that name stands; without a name the first key that its object has already."""
    keys: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        found = token.group()
        if found in "{[":
            keys.append(set())
        elif found in "}]":
            keys.pop()
        elif constant and found == constant:
            return token.start()
        elif token["key"] is not None and not constant:
            key = json.loads(found)
            if key in keys[-1]:
                return token.start()
            keys[-1].add(key)
    return 0


_TOKEN = re.compile(r'(?P<key>"(?:[^"\\]|\\.)*+"(?=\s*:))|"(?:[^"\\]|\\.)*+"|[{}\[\]]|NaN|-?Infinity', re.DOTALL)

_ON_ONE_LINE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_STRICT = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
