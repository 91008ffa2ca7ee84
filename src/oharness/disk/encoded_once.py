"""Large state files of which little changes: what was encoded for the last save is used again for the next."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import msgspec

_Value = TypeVar("_Value")


class EncodedOnce(Generic[_Value]):
    """The members of one state file. Values that are the same objects as last time are not encoded again."""

    def __init__(self, encode: Callable[[_Value], bytes]) -> None:
        self._encode = encode
        self._last: dict[str, tuple[_Value, msgspec.Raw]] = {}

    def members(self, values: Mapping[str, _Value]) -> dict[str, msgspec.Raw]:
        """Every value encoded, by the same names."""
        last, now = self._last, {}
        for name, value in values.items():
            known = last.get(name)
            if known is None or known[0] is not value:
                known = (value, msgspec.Raw(self._encode(value)))
            now[name] = known
        self._last = now
        return {name: encoded for name, (_, encoded) in now.items()}
