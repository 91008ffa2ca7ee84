"""A provider's own words made fit to be shown: short, one line, without keys. Pure."""

import re

_LIMIT = 300
_KEY_LIKE = re.compile(
    r"""(?ix)
    \bbearer\s+\S+                                  # an echoed header
    | \b(?:sk|pk|gsk|xai|hf|ghp|gho|r8|csk|fw|pplx|nvapi|key)[-_][\w*.…-]{6,}
    | \bAIza[\w-]{10,}
    | \beyJ[\w-]+\.[\w-]+\.[\w-]*                   # a JWT
    | (?<=api[-_ ]key[=:\ ])\s*\S{8,}
    | //[^/\s:@]+:[^/\s@]+@                         # user and password of an address
    """
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def shown_detail(text: str, secrets: tuple[str, ...] = ()) -> str:
    """The text on one line of at most 300 characters, with `secrets` and whatever looks like a key taken out."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[key]")
    text = _CONTROL.sub(" ", _KEY_LIKE.sub("[key]", text)).strip()
    return text if len(text) <= _LIMIT else text[: _LIMIT - 1].rstrip() + "…"
