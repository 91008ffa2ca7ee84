"""The JSON this product writes and reads where bytes or duplicates matter."""

import json
from collections.abc import Mapping
from json.encoder import encode_basestring as _quoted
from typing import Any

import rfc8785


def canonical_json(value: Any) -> bytes:
    """The RFC 8785 bytes of a JSON value, for hashing and comparing.

    Raises: ValueError for what RFC 8785 cannot say (lone surrogates, NaN, integers beyond 2^53).
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise ValueError(str(error)) from error


def canonical_json_of_texts(value: Mapping[str, str | list[str]]) -> bytes:
    """The same bytes as `canonical_json` for an object of texts and lists of texts, in less time.

    Shapes: ASCII keys, so that their order is the same by code point and by UTF-16 unit.
    Raises: ValueError for lone surrogates.
    """
    members = (f"{_quoted(key)}:{_text_or_list(value[key])}" for key in sorted(value))
    return f"{{{','.join(members)}}}".encode()


def one_line_json(value: Any) -> str:
    """Compact JSON on one line in the order of its keys, non-ASCII kept readable.

    U+2028, U+2029 and U+0085 are escaped, since editors take them for line ends.
    """
    text = _ON_ONE_LINE.encode(value)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def one_line_text(text: str) -> str:
    """What `one_line_json` gives for a text, in less time."""
    quoted = _quoted(text)
    if quoted.isascii():
        return quoted
    return quoted.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


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


def _text_or_list(value: str | list[str]) -> str:
    return _quoted(value) if isinstance(value, str) else f"[{','.join(map(_quoted, value))}]"


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
