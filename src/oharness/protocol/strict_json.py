"""JSON from the other side of the wire: one reading, bounded, with nothing left to interpretation (P-3)."""

import json
import re
from typing import Any, TypeVar

import msgspec

from oharness.core.jsontext import parse_json, parse_json_at

MAX_INTEGER = 2**53 - 1
MAX_EXTRA_DEPTH = 32
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_ShapeT = TypeVar("_ShapeT")


class NotThisShape(ValueError):
    """The bytes are not the JSON that was asked for; the text says where. Callers turn it into their own error."""


def decode_shape(data: bytes, shape: type[_ShapeT]) -> _ShapeT:
    """The value of the bytes in the form of `shape`.

    Refused: what is not UTF-8, duplicate keys, lone surrogates, NaN, integers beyond 2^53 (RFC 8785 cannot say
    them), nesting beyond the parser's depth, missing keys, wrong types. Unknown keys are ignored.
    Raises: NotThisShape.
    """
    return shape_of(decode_json(data), shape)


def shape_of(value: Any, shape: type[_ShapeT]) -> _ShapeT:
    """A JSON value in the form of `shape`.

    Raises: NotThisShape.
    """
    try:
        return msgspec.convert(value, shape)
    except (msgspec.ValidationError, RecursionError) as error:
        raise NotThisShape(str(error)) from error


def decode_json(data: bytes) -> Any:
    """The value of the bytes, whatever its shape.

    Raises: NotThisShape.
    """
    try:
        text = data.decode()
        value = parse_json(text)
        if _SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError as error:
        raise NotThisShape("text that is not Unicode") from error
    except json.JSONDecodeError as error:
        raise NotThisShape(f"not JSON: {error.msg} at character {error.pos}") from error
    except ValueError as error:
        raise NotThisShape(f"not JSON: {error}") from error
    except RecursionError as error:
        raise NotThisShape("nested too deeply") from error
    return value


def read_member(text: str, at: int) -> tuple[Any, int] | None:
    """The value that begins there and the place after it; None where it does not end, or is no JSON.

    Raises: NotThisShape for what `decode_json` would refuse, or look at twice.
    """
    try:
        value, end = parse_json_at(text, at)
    except json.JSONDecodeError:
        return None
    except (ValueError, RecursionError) as error:
        raise NotThisShape("not strict JSON") from error
    if _SURROGATE_ESCAPE.search(text, at, end):
        raise NotThisShape("perhaps half a character")
    return value, end


def check_extra(value: Any, depth: int = 0) -> None:
    """Refuses a free JSON value that nests too deeply or holds numbers without a canonical form.

    Raises: NotThisShape.
    """
    if depth > MAX_EXTRA_DEPTH:
        raise NotThisShape("extra is nested too deeply")
    if isinstance(value, dict):
        for item in value.values():
            check_extra(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            check_extra(item, depth + 1)
    elif isinstance(value, int) and not -MAX_INTEGER <= value <= MAX_INTEGER:
        raise NotThisShape("extra holds an integer beyond 2^53")
    elif isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise NotThisShape("extra holds a number beyond all bounds")
