"""Credentials that are named where they stand: `password: …`, "the password is …", `密码是 …`, `--api-key …`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from oharness.notes.credential_values import is_key, is_password

_PASSWORDS = (
    r"password|passwd|passphrase|passcode|passwort|kennwort|(?<![a-z])pwd|mots?[ _]de[ _]passe|(?<![a-z])mdp"
    r"|senha|palavra[ -]passe|contrase[ñn]a|code[ ]secret|c[óo]digo[ ]secreto|пароль|パスワード|비밀번호"
    r"|(?<![a-z])p(?:ass|w)(?=[\"'`*]{0,3}\s{0,3}(?:[:=：|]|is\b))|密码|密碼|口令"
)
_KEYS = (
    r"(?:api|access|secret[ _-]?access|secret|signing|encryption|private|account|shared[ _-]?access|consumer"
    r"|licen[cs]e|deploy|service|storage|admin|master|webhook|app)[ _-]?key"
    r"|(?<=[A-Z]_)KEY(?=[ ]?[=:])|shared[ _-]?access[ _-]?signature"
    r"|secret|token|jeton|segredo|cl[ée][ ](?:d['’]|de[ ]l['’])?api|chave[ ](?:da|de)[ ]api|令牌|密钥|金鑰"
)
_NAMED = re.compile(rf"(?P<password>{_PASSWORDS})|(?P<key>{_KEYS})", re.I)
_ENDING = re.compile(
    r"(?:[_-]?(?:base|value|prod|production|staging|stage|dev|test|live|root|admin|[0-9]{1,2}))?"
    r"(?!_{0,3}[A-Za-z0-9]|-[A-Za-z])",
    re.I,
)
# Tokens that are no secrets, and the names in what `redact` left behind.
_NO_NAME_AFTER = re.compile(
    r"(?:csrf|xsrf|page|cursor|next|sync|continuation|device)[_ -]?$|\[redacted: [a-z0-9-]{0,30}$", re.I
)
# What is said of passwords is none.
_RULE_OF_NAME = re.compile(
    r"[ -](?:polic(?:y|ies)|managers?|rules?|strength|length|requirements?)\b|(?:长度|策略|管理器|规则|强度)", re.I
)
_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u3000-\u303f"
_WINDOW = 110
_MOST_STEPS = 14

_SPACE = re.compile(r"[ \t]+")
_OPENING = {'"': '"', "'": "'", "`": "`", "«": "»", "“": "”", "‘": "’", "「": "」"}
_JOINT = re.compile(r"[:=：＝>|]+|->|→")
_CJK_JOINT = re.compile(r"(?:已经?|被)?(?:是|为|為|改成|改为|设为|设成|设置为|就是|は|는)[：:]?")
_CJK_RUN = re.compile(rf"[{_CJK}]+?(?=是|为|為|改|设|は|는|：|[^{_CJK}]|$)")
_EMPHASIS = re.compile(r"\*{1,3}|_{1,3}(?=[\s:=：])")
_ON_NEXT_LINE = re.compile(
    r"[\"'`*_]{0,3}[ \t]{0,3}[:=：][\"'`*_ \t]{0,4}\n{1,2}(?:[ \t]{0,8}`{3}[a-z]{0,20}[ \t]{0,3}\n)?"
    r"[ \t]{0,8}(?:[-*+>][ \t]{1,3})?[\"'`*_]{0,3}([^\s\"'`]{6,400}?)[\"'`*_]{0,3}[ \t]{0,3}(?=\n|$)"
)
_END = re.compile(r"[.!?;。！？；](?=\s|$)|[。！？；]")
_BREAK = re.compile(r"[,，、/()（）]+")
_ATTACHED = re.compile(r"[-@+$%&#/?~^\\.]")
_RESOURCE_NAME = re.compile(r"(?:arn|urn):[^\s]{1,400}", re.I)
_LABEL = re.compile(r"[A-Za-z_][\w.-]{0,40}[:=](?=[^\s=:/])")
_WORD = re.compile(rf"[^\s\"`«»“”「」<>{_CJK}]{{1,400}}")
_JOINING_WORDS = frozenset(
    [
        "is",
        "was",
        "are",
        "be",
        "to",
        "equals",
        "now",
        "est",
        "était",
        "vaut",
        "é",
        "era",
        "eh",
        "es",
        "ist",
        "lautet",
        "into",
    ]
)
_JOINTS_BEFORE = (" as ", " comme ", " como ")
_BEFORE = re.compile(
    r"(?<!\S)[\"'`«“]?([^\s\"'`«»“”]{6,60})[\"'`”»]?\s{1,3}(?:as|comme|como)\s{1,3}"
    r"(?:(?:the|my|our|a|le|la|o|root|admin)\s{1,3}){0,3}$"
)


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A credential, or the name of one, at `start` up to `end`; `kind` is password or key."""

    kind: str
    start: int
    end: int


def named_values(text: str) -> Iterator[NamedValue]:
    """The credentials of a text that stand beside their names."""
    names = [*_names(text)]
    found_until = 0
    for name, next_name in zip(names, _next_of_kind(names, len(text)), strict=True):
        if name.end < found_until:
            continue
        found = _value_after(text, name, next_name) or _value_below(text, name)
        if found is None and name.kind == "password":
            found = _value_before(text, name.start)
        if found is not None:
            yield NamedValue(name.kind, found.start, found.stop)
            found_until = max(found_until, found.stop)


def _next_of_kind(names: list[NamedValue], text_end: int) -> list[int]:
    """For each name where the next one of its kind starts."""
    starts = {"password": text_end, "key": text_end}
    result: list[int] = []
    for name in reversed(names):
        result.append(starts[name.kind])
        starts[name.kind] = name.start
    return result[::-1]


def _names(text: str) -> Iterator[NamedValue]:
    for name in _NAMED.finditer(text):
        ending = _ENDING.match(text, name.end())
        if ending and not _NO_NAME_AFTER.search(text, max(0, name.start() - 40), name.start()):
            yield NamedValue("password" if name["password"] else "key", name.start(), ending.end())


def _value_after(text: str, name: NamedValue, next_name: int) -> slice | None:
    """Walks a few words on from a name, up to the next one, and takes the first value that a joint leads to."""
    is_value: Callable[..., bool] = is_password if name.kind == "password" else is_key
    start = name.end
    stop = min(next_name, start + _WINDOW)
    line_end = text.find("\n", start, stop)
    stop = line_end if line_end >= 0 else stop
    place = start + 2 if text.startswith(("'s ", "’s "), start) else start
    if _ATTACHED.match(text, place, stop) or _RULE_OF_NAME.match(text, place, stop):
        return None
    joined = True
    for _ in range(_MOST_STEPS):
        if space := _SPACE.match(text, place, stop):
            place = space.end()
        if place >= stop or _END.match(text, place, stop):
            return None
        if joint := _JOINT.match(text, place, stop) or _CJK_JOINT.match(text, place, stop):
            place, joined = joint.end(), True
        elif marks := _EMPHASIS.match(text, place, stop):
            place = marks.end()
        elif other := _BREAK.match(text, place, stop) or _CJK_RUN.match(text, place, stop):
            place, joined = other.end(), False
        elif text[place] in _OPENING:
            place, found = _quoted(text, place, joined, is_value)
            if found is not None:
                return found
            joined = joined and place == start + 1
        elif resource := _RESOURCE_NAME.match(text, place):
            place, joined = resource.end(), False
        elif label := _LABEL.match(text, place, stop):
            place, joined = label.end(), True
        else:
            word = _WORD.match(text, place)
            if word is None:
                place += 1
                continue
            value = word[0].strip("*_") if word[0].startswith("*") else word[0].split('"')[0]
            if joined and is_value(value):
                at = word.start() + word[0].index(value)
                return slice(at, at + len(value.rstrip(".,;)")))
            joined = word[0].lower().strip("*_:") in _JOINING_WORDS or word[0].endswith((":", "="))
            place = word.end()
    return None


def _value_below(text: str, name: NamedValue) -> slice | None:
    """The value that stands alone on the line below its name, in a code block or out of one."""
    below = _ON_NEXT_LINE.match(text, name.end)
    is_value: Callable[..., bool] = is_password if name.kind == "password" else is_key
    return slice(*below.span(1)) if below is not None and is_value(below[1]) else None


def _quoted(text: str, place: int, joined: bool, is_value: Callable[..., bool]) -> tuple[int, slice | None]:
    """What stands in quotes from `place` on; behind a closing quote of the name itself there is nothing yet."""
    closing = text.find(_OPENING[text[place]], place + 1, place + 1 + _WINDOW * 4)
    if closing < 0:
        return place + 1, None
    inner = text[place + 1 : closing]
    value = inner.strip()
    if joined and value and is_value(value, quoted=True):
        at = place + 1 + inner.index(value)
        return closing + 1, slice(at, at + len(value))
    return (place + 1 if joined else closing + 1), None


def _value_before(text: str, name_start: int) -> slice | None:
    """The value of `… as the password`."""
    near = text[max(0, name_start - 28) : name_start]
    if not any(joint in near for joint in _JOINTS_BEFORE):
        return None
    first = max(0, name_start - 100)
    match = _BEFORE.search(text, first, name_start)
    if match is None or not is_password(match[1]):
        return None
    return slice(match.start(1), match.end(1))
