"""The JSON this product writes and reads where bytes or duplicates matter."""

import json
from json.encoder import encode_basestring
from typing import Any

import rfc8785

quoted = encode_basestring
"""A text as RFC 8785 and `one_line_json` quote it, but for the characters that `on_one_line` escapes."""


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


def pretty_json(value: Any) -> str:
    """JSON for files that people may open: two spaces, one final newline."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def parse_json(text: str) -> Any:
    """The value of a JSON text; duplicate keys and NaN are refused.

    Raises: ValueError (json.JSONDecodeError where there is a position).
    """
    if text.startswith("\ufeff"):
        raise json.JSONDecodeError("a byte order mark stands before the JSON", text, 0)
    return _STRICT.decode(text)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"key {next(name for name in names if names.count(name) > 1)!r} stands twice")
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_ON_ONE_LINE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_STRICT = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
