"""Whether a text that stands where a password or key would stand is one: not a placeholder, not code, not prose."""

import base64
import binascii
import re

_SHORTEST_PASSWORD = 6
_SHORTEST_KEY = 16
_LONGEST = 4000

_PLACEHOLDER = re.compile(
    r"x{4,}|\*{3,}|\.{3,}|…|<|>|\{\{|\$\{|\$\(|%\(|\[|example|placeholder|redacted|change[-_]?me|replace[-_]?me"
    r"|(?<![a-z])(?:your|my|some|dummy|fake|sample)[-_ ]?(?:own[-_ ])?"
    r"(?:api|secret|password|passwd|token|key|access|client|auth)",
    re.I,
)
_EXACT_PLACEHOLDER = re.compile(
    r"\$\{?\w+\}?|%\w+%|\{+\s*[\w.-]+\s*\}+|__\w+__|:\w+|@\w+"
    r"|(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|user|username|admin|root|test|demo|guest|postgres|mysql|redis"
    r"|hidden|masked|none|null|nil|undefined|true|false|todo|tbd|foo|bar|baz|string)[0-9]?",
    re.I,
)
_TECHNICAL = re.compile(
    r"(?:sha|md|argon|pbkdf|scrypt|bcrypt|aes|rsa|base|utf|oauth|https?|rfc|iso|tls|ssl|ipv|es|rs|hs|ps|ecdsa|ed|curve"
    r"|x|v|p|python|node|php|java|windows|ios|android|web|h|s|k|q|step|day|level|phase|page|chapter|sprint)"
    r"[-_]?[0-9]+(?:[._-][0-9]+)*(?-i:[a-z]{0,2}(?:-[a-z]+)?)|1password|i18n|l10n|k8s|[24]fa",
    re.I,
)
_NUMBER_WITH_UNIT = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*[+-]?(?:[-_ ]?[a-z%]{1,12}){0,2}")
_ADDRESS = re.compile(r"[^@\s]+@[\w-]+(?:\.[\w-]+)+|[a-z][a-z0-9+.-]*://.*", re.I)
_PATH = re.compile(r"[~.]{0,2}/.*|[A-Za-z]:\\.*|\\\\.*|(?:[\w.@-]+/)+[\w.@-]*\.[a-z0-9]{1,5}")
_CODE = re.compile(r"[(){}\[\]|]|=>|&&|\|\||^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+[!;]*$")
_BRACKET = re.compile(r"[(){}\[\]|]")
_SEPARATOR = re.compile(r"[-_./:,+@]+")
_PLAIN_PIECE = re.compile(
    r"[a-z]+|[A-Z][a-z]+|[A-Z]+|[0-9]{1,8}|[A-Za-z][a-z]{0,11}[0-9]{1,4}[a-z]{0,2}[0-9]?|[0-9]{1,4}[A-Za-z]{1,4}"
)
_CAMEL_CASE = re.compile(r"[a-z]*(?:[A-Z][a-z]+[0-9]{0,5}){2,}")
_HUMP = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{5,}")
_CONSONANTS = re.compile(r"[^aeiouy]{4}")
_VOWEL = re.compile(r"[aeiouy]")
_MOST_IN_WORDS = 0.5
_STRONG_SYMBOL = re.compile(r"[!#$%&*+=?@^~§]")
_KEY_CHARS = re.compile(r"[\x21-\x7e]+")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for one: `<your-key>`, `$TOKEN`, `xxxx`, `changeme`."""
    if len(set(value)) <= 2:
        return True
    return _EXACT_PLACEHOLDER.fullmatch(value) is not None or _PLACEHOLDER.search(value) is not None


def is_password(value: str, *, quoted: bool = False) -> bool:
    """Whether a value that stands as somebody's password is one that was chosen, and no word of a sentence."""
    bare = value.strip(".,;:!?)'\"…。，；") if not quoted else value
    if not _SHORTEST_PASSWORD <= len(bare) <= 200 or " " in bare or is_placeholder(bare):
        return False
    if _is_something_else(bare) or (not quoted and _CODE.search(bare)):
        return False
    has_letter = any(char.isalpha() for char in bare)
    has_digit = any(char.isdigit() for char in bare)
    if not has_letter:
        return bare.isdigit() and len(bare) <= 20
    return has_digit or _STRONG_SYMBOL.search(bare[1:-1]) is not None


def is_key(value: str, *, quoted: bool = False) -> bool:
    """Whether a value that stands as a key or token was drawn by chance."""
    bare = value.strip(".,;:!?)'\"") if not quoted else value
    if not _SHORTEST_KEY <= len(bare) <= _LONGEST or not _KEY_CHARS.fullmatch(bare) or is_placeholder(bare):
        return False
    if _UUID.fullmatch(bare):
        return True
    is_code = not quoted and _BRACKET.search(bare) is not None
    return not is_code and not _is_something_else(bare) and is_random(bare)


def is_random(value: str) -> bool:
    """Whether a text with digits in it is mostly made of neither words nor the plain pieces of names and dates."""
    value = value[:200]
    if len(set(value)) < 8 or not any(char.isdigit() for char in value):
        return False
    if _CAMEL_CASE.fullmatch(value):
        return False
    pieces = [piece for piece in _SEPARATOR.split(value) if piece]
    if len(pieces) > 1 and all(_PLAIN_PIECE.fullmatch(piece) for piece in pieces):
        return False
    in_words = sum(len(hump) for hump in _HUMP.findall(value) if _is_wordlike(hump))
    return in_words / len(value) < _MOST_IN_WORDS


def is_basic_login(value: str) -> bool:
    """Whether a base64 text is the `user:password` of HTTP basic authentication."""
    try:
        login = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return False
    user, colon, password = login.partition(":")
    return bool(colon and user and password) and login.isprintable()


def _is_wordlike(hump: str) -> bool:
    letters = hump.lower()
    return len(letters) >= 4 and _VOWEL.search(letters) is not None and _CONSONANTS.search(letters) is None


def _is_something_else(value: str) -> bool:
    return any(pattern.fullmatch(value) for pattern in (_TECHNICAL, _ADDRESS, _PATH)) or (
        _NUMBER_WITH_UNIT.fullmatch(value) is not None and not value.isdigit()
    )
