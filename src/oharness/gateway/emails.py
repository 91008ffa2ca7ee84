"""E-mail addresses as accounts know them: one spelling for each, so that nobody has two accounts by accident. Pure."""

import re
import unicodedata
from dataclasses import dataclass

from oharness.core.errors import WrongUsage

_MAX_CHARS = 254
_MAX_LOCAL_CHARS = 64
_LOCAL = re.compile(r"[^\s@\x00-\x1f\x7f<>()\[\],;:\\\"]+")
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")


@dataclass(eq=False)
class NotAnEmail(WrongUsage):
    """What was given is no e-mail address; it is not kept."""


def normalised_email(text: str) -> str:
    """The address in lower case and composed form, its domain in ASCII.

    Raises: NotAnEmail.
    """
    local, at, domain = unicodedata.normalize("NFC", text.strip()).rpartition("@")
    local, domain = local.lower(), _ascii_domain(domain)
    fits = at and len(local) <= _MAX_LOCAL_CHARS and len(local) + 1 + len(domain) <= _MAX_CHARS
    if not (fits and _LOCAL.fullmatch(local) and _DOMAIN.fullmatch(domain) and _is_unicode(local)):
        raise NotAnEmail
    return f"{local}@{domain}"


def _ascii_domain(domain: str) -> str:
    try:
        return domain.lower().rstrip(".").encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _is_unicode(text: str) -> bool:
    return not any(unicodedata.category(character) in ("Cs", "Cc", "Cf", "Zl", "Zp") for character in text)
