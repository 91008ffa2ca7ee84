"""Data of plugins and tools as what JSON can hold, so that a transcript reads back as it was written. Pure."""

import math
from collections.abc import Mapping
from typing import Any


def plain_object(value: Mapping[str, Any]) -> dict[str, Any]:
    """A copy made of dicts, lists, strings, numbers, booleans and None only.

    Raises: TypeError for anything else inside, a number that is not finite, or a key that is no string.
    """
    return {_key(key): _plain(item) for key, item in value.items()}


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | str() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case Mapping():
            return plain_object(value)
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            raise TypeError(f"{type(value).__name__} is not JSON data")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key of the type {type(key).__name__} is not JSON data")
    return key
