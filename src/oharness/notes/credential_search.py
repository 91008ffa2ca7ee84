"""Every place of a text that looks like a credential, by all rules together."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from oharness.notes import credential_shapes as shapes
from oharness.notes.credential_values import is_basic_login, is_password, is_placeholder, is_random
from oharness.notes.credential_words import named_values


@dataclass(frozen=True, slots=True)
class CredentialPlace:
    """What looks like a credential of this kind, from `start` up to `end`."""

    start: int
    end: int
    kind: str


def credential_places(text: str) -> list[CredentialPlace]:
    """The places in their order, none overlapping another; of two that overlap the earlier and longer stays."""
    places = [*_shaped(text), *_private_keys(text), *_logins(text), *_named(text)]
    places.sort(key=lambda place: (place.start, -place.end))
    result: list[CredentialPlace] = []
    for place in places:
        if not result or place.start >= result[-1].end:
            result.append(place)
        elif place.end > result[-1].end:
            result[-1] = CredentialPlace(result[-1].start, place.end, result[-1].kind)
    return result


def _shaped(text: str) -> Iterator[CredentialPlace]:
    for shape in shapes.SHAPES:
        if any(hint in text for hint in shape.hints):
            for match in shape.pattern().finditer(text):
                place = _secret_part(match, shape.kind)
                if not is_placeholder(text[place.start : place.end]):
                    yield place


def _private_keys(text: str) -> Iterator[CredentialPlace]:
    if "PRIVATE KEY" in text:
        ends = iter(shapes.PRIVATE_KEY_END.finditer(text))
        end = next(ends, None)
        for begin in shapes.PRIVATE_KEY_BEGIN.finditer(text):
            while end is not None and end.start() < begin.end():
                end = next(ends, None)
            closed = end is not None and end.start() - begin.end() < 20_000 and _no_begin_between(text, begin, end)
            yield CredentialPlace(
                begin.start(), end.end() if end is not None and closed else begin.end(), "private-key"
            )
    if "Private-Lines:" in text:
        for match in shapes.PUTTY_KEY.finditer(text):
            yield CredentialPlace(match.start(1), match.end(1), "private-key")


def _no_begin_between(text: str, begin: re.Match[str], end: re.Match[str]) -> bool:
    return text.find("-----BEGIN", begin.end(), end.start()) < 0


def _logins(text: str) -> Iterator[CredentialPlace]:
    for match in shapes.SCHEME_TOKEN.finditer(text):
        if is_random(match[1]) and not is_placeholder(match[1]):
            yield _secret_part(match, "access-token")
    for match in shapes.BASIC_TOKEN.finditer(text):
        if is_basic_login(match[1]):
            yield _secret_part(match, "basic-login")
    for match in shapes.URL_LOGIN.finditer(text):
        if match[2] != match[1] and not is_placeholder(match[2]):
            yield CredentialPlace(match.start(2), match.end(2), "password-in-url")
    for pattern in shapes.PASSWORDS:
        for match in pattern.finditer(text):
            if is_password(match[1]):
                yield _secret_part(match, "password")
    for match in shapes.BACKUP_CODE.finditer(text):
        if any(char.isdigit() for char in match[1]):
            yield _secret_part(match, "recovery-code")


def _named(text: str) -> Iterator[CredentialPlace]:
    for value in named_values(text):
        yield CredentialPlace(value.start, value.end, value.kind)


def _secret_part(match: re.Match[str], kind: str) -> CredentialPlace:
    group = 1 if match.re.groups else 0
    return CredentialPlace(match.start(group), match.end(group), kind)
