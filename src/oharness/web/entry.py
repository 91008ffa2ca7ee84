"""Who may see the pages: whoever was given an address with a token that was not used yet, from then on by a cookie."""

import hashlib

from oharness.core.randomness import Randomness

_BYTES = 32


class Entry:
    """Tokens that open the door once, and the cookies of those who came in. Both end with the process."""

    def __init__(self, randomness: Randomness) -> None:
        self._randomness = randomness
        self._tokens: set[bytes] = set()
        self._cookies: set[bytes] = set()

    def new_token(self) -> str:
        """A token for one opened address."""
        token = self._randomness.token(_BYTES)
        self._tokens.add(_digest(token))
        return token

    def admit(self, token: str) -> str | None:
        """The cookie that a token is exchanged for; None for one that was used, or never given out."""
        digest = _digest(token)
        if digest not in self._tokens:
            return None
        self._tokens.remove(digest)
        cookie = self._randomness.token(_BYTES)
        self._cookies.add(_digest(cookie))
        return cookie

    def knows(self, cookie: str) -> bool:
        """Whether somebody came in with this cookie."""
        return _digest(cookie) in self._cookies


def _digest(secret: str) -> bytes:
    """Looked up instead of the secret, so that no comparison tells how much of a guess was right."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
