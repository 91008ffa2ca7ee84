"""When a signing key is published, signs and is dropped, so that no valid token is ever without its key. Pure.

    published ----- LEAD ----- signs ------- PERIOD ------- signs no more --- until its last token has expired

The next key is published LEAD before it signs: by then every sync service has fetched the keys again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from oharness.core.clock import Millis

ACCESS_TOKEN_S = 15 * 60
PERIOD_MS = 30 * 24 * 3600 * 1000
LEAD_MS = 24 * 3600 * 1000
_GRACE_MS = 3600 * 1000


@dataclass(frozen=True, slots=True)
class KeyTimes:
    """The times of one key; `last_expiry` is that of the longest-lived token it signed out of turn."""

    id: str
    signs_from: Millis
    signs_until: Millis
    last_expiry: Millis

    @property
    def needed_until(self) -> Millis:
        """Until when a token of this key can be valid, clocks that are an hour off included."""
        return Millis(max(self.signs_until + ACCESS_TOKEN_S * 1000, self.last_expiry) + _GRACE_MS)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that has to be made now."""

    signs_from: Millis
    signs_until: Millis


def signing_key(keys: Sequence[KeyTimes], now: Millis) -> KeyTimes | None:
    """The key to sign with: of those whose time it is, the newest."""
    due = [key for key in keys if key.signs_from <= now < key.signs_until]
    return max(due, key=lambda key: key.signs_from, default=None)


def key_to_make(keys: Sequence[KeyTimes], now: Millis) -> NewKey | None:
    """The next key, when it is time to publish it; one that signs at once when there is none."""
    last = max(keys, key=lambda key: key.signs_until, default=None)
    if last is None or last.signs_until <= now:
        return NewKey(now, Millis(now + PERIOD_MS))
    if last.signs_until - LEAD_MS <= now:
        return NewKey(last.signs_until, Millis(last.signs_until + PERIOD_MS))
    return None


def keys_to_drop(keys: Sequence[KeyTimes], now: Millis) -> list[str]:
    """The keys no valid token can need any more."""
    return [key.id for key in keys if key.needed_until <= now]
