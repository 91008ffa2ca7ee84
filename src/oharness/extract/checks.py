"""From the extractor's answer to notes that may be saved. The answer is untrusted: what is doubtful is left out.

Whatever is left out has a reason that may be logged; none of the reasons holds a word of the answer.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

import msgspec

from oharness.core.clock import Millis
from oharness.core.errors import OharnessError
from oharness.core.randomness import Randomness
from oharness.core.scopes import ScopeKind
from oharness.extract.candidates import NamedNote, View, WholeNote
from oharness.extract.conversation import Turn
from oharness.extract.evidence import LEAST_SHARE, LEAST_SHARE_OF_BODY, Material, telling_words
from oharness.extract.reply import NewNote, Reply, Update
from oharness.extract.suspicion import is_passing_state, speaks_to_a_model, tells_of_the_session, visible
from oharness.notes.credentials import find_credentials, redact
from oharness.notes.ids import new_note_id
from oharness.notes.links import fill_placeholders, linked_ids, strip_links
from oharness.notes.note import Note
from oharness.notes.tags import clean_tags
from oharness.notes.valid import LONGEST_SUMMARY, checked_note
from oharness.recall.related import LIKELY_DUPLICATE
from oharness.recall.stems import stem_set

_Wanted = TypeVar("_Wanted", NewNote, Update)

LONGEST_BODY = 8_000
"""Characters; beyond that a note would be found too long at once."""

_MOST_TAGS = 12
_LEAST_KEPT = 0.5
_SHORT_BODY = 300
_LEAST_WORDS_KEPT = 0.3
_TELLING_BODY = 4
_TELLING_PART = 2
_PARTS = re.compile(r"[.;:!?。；：！？，()（）]+|,\s|\s[-–—]+\s")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{4}年\d{1,2}月\d{1,2}日|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}")
_FIGURE = re.compile(r"\d+")
_SHORTEST_SECRET = 6
_IN_BRACKETS = re.compile(r"\[\[[^\]]*\]\]")
_SECRET_ENDS = re.compile(r"""[\s"'`,;()\[\]{}<>]+""")
_REDACTED = re.compile(r"\[redacted: [^\]]*\]")


class LeftOut(StrEnum):
    """Why something of an answer is not saved."""

    UNKNOWN_ID = "an update of a note that was not shown whole"
    TWICE = "a second update of one note"
    NO_NOTE = "no note by the rules: summary, size or characters"
    TOO_LONG = "a body that is too long"
    CREDENTIAL = "nothing but a credential"
    TO_A_MODEL = "text that speaks to a model"
    PASSING = "a passing state"
    UNSAID = "not what was said"
    UNSAID_VALUE = "a number or an address that was not said"
    DUPLICATE = "what a note says already"
    FORGOTTEN = "what a person forgot on purpose"
    DATED = "a dated record that would be overwritten"
    LOSES_TEXT = "an update that drops most of the note"
    UNCHANGED = "an update that changes nothing"
    NO_SCOPE = "a scope that is not open"


@dataclass(frozen=True, slots=True)
class CheckedNote:
    """A note to save; `planned_from` is the content hash of the version that it replaces, None for a new one."""

    scope: ScopeKind
    note: Note
    planned_from: str | None


@dataclass(frozen=True, slots=True)
class Checked:
    """What may be saved of an answer, and why the rest may not."""

    notes: tuple[CheckedNote, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """What the checks have to know from outside.

    `was_forgotten` tells whether a note says what a person forgot on purpose; `is_taken` whether an id is, in any
    letter case.
    """

    max_note_bytes: int
    open_scopes: frozenset[ScopeKind]
    was_forgotten: Callable[[Note], bool]
    is_taken: Callable[[str], bool]
    randomness: Randomness
    now: Millis


class _NotSaved(Exception):
    def __init__(self, reason: LeftOut) -> None:
        super().__init__(reason)
        self.reason = reason


def check_reply(reply: Reply, view: View, turns: Sequence[Turn], rules: Rules) -> Checked:
    """Everything of the answer that may be saved."""
    said = [turn.text for turn in turns]
    checks = _Checks(view, said, Material(said), rules)
    updates = checks.updates([_seen(one) for one in reply.updates])
    return Checked((*updates, *checks.new_notes([_seen(one) for one in reply.notes])), tuple(checks.left_out))


def _seen(one: _Wanted) -> _Wanted:
    """What a person would see of it, before anything else looks."""
    return msgspec.structs.replace(
        one, summary=visible(one.summary), body=visible(one.body), tags=tuple(map(visible, one.tags))
    )


class _Checks:
    def __init__(self, view: View, said: Sequence[str], material: Material, rules: Rules) -> None:
        self._view = view
        self._said = said
        self._material = material
        self._rules = rules
        self.left_out: list[LeftOut] = []

    def updates(self, updates: Sequence[Update]) -> list[CheckedNote]:
        kept: dict[str, CheckedNote] = {}
        for update in updates:
            try:
                if update.id in kept:
                    raise _NotSaved(LeftOut.TWICE)
                kept[update.id] = self._updated(update)
            except _NotSaved as error:
                self.left_out.append(error.reason)
        return list(kept.values())

    def new_notes(self, notes: Sequence[NewNote]) -> list[CheckedNote]:
        """Notes in the answer are numbered from 1; those that are left out lose the brackets of links to them."""
        kept: dict[int, CheckedNote] = {}
        taken: set[str] = set()
        for number, new in enumerate(notes, 1):
            try:
                checked = self._new(new, taken, [one.note for one in kept.values()])
            except _NotSaved as error:
                self.left_out.append(error.reason)
                continue
            taken.add(checked.note.id)
            kept[number] = checked
        ids = {number: one.note.id for number, one in kept.items()}
        return [_linked(one, ids, self._view) for one in kept.values()]

    def _new(self, new: NewNote, taken: set[str], before: Sequence[Note]) -> CheckedNote:
        scope = ScopeKind(new.scope)
        if scope not in self._rules.open_scopes:
            raise _NotSaved(LeftOut.NO_SCOPE)
        self._check_text(new.summary, new.body, new.tags)
        if is_passing_state(new.summary) or tells_of_the_session(new.summary):
            raise _NotSaved(LeftOut.PASSING)
        self._check_said(self._material, new.summary, new.body)
        rules = self._rules
        note_id = new_note_id(
            _blacked_out(new.summary, _secret_words([*self._said, new.summary, new.body])),
            new.type,
            rules.randomness,
            lambda one: rules.is_taken(one) or one in taken,
        )
        body = new.body if _is_about_it(self._material, new.body) else ""
        note = self._note(note_id, new.summary, body, new.tags, Note(note_id, "", "", new.type, (), rules.now))
        shown: list[Note | NamedNote] = [*(one.note for one in self._view.whole), *self._view.listed, *before]
        if any(_says_the_same(note, one) for one in shown):
            raise _NotSaved(LeftOut.DUPLICATE)
        if rules.was_forgotten(note):
            raise _NotSaved(LeftOut.FORGOTTEN)
        return CheckedNote(scope, note, None)

    def _updated(self, update: Update) -> CheckedNote:
        shown = self._view.whole_note(update.id)
        if shown is None:
            raise _NotSaved(LeftOut.UNKNOWN_ID)
        self._check_text(update.summary, update.body, update.tags)
        before = shown.note
        _check_keeps_enough(update, before)
        material = Material([*self._said, before.summary, before.body])
        self._check_said(material, update.summary, update.body)
        if not _is_about_it(material, update.body):
            raise _NotSaved(LeftOut.UNSAID)
        after = self._note(before.id, update.summary, update.body, update.tags or before.tags, before)
        after = _linked(CheckedNote(shown.scope, after, shown.hash), {}, self._view, shown).note
        if (after.summary, after.body, after.tags) == (before.summary, before.body, before.tags):
            raise _NotSaved(LeftOut.UNCHANGED)
        if self._rules.was_forgotten(after) and not self._rules.was_forgotten(before):
            raise _NotSaved(LeftOut.FORGOTTEN)
        return CheckedNote(shown.scope, after, shown.hash)

    def _check_text(self, summary: str, body: str, tags: Sequence[str]) -> None:
        if len(body) > LONGEST_BODY:
            raise _NotSaved(LeftOut.TOO_LONG)
        if len(summary) > LONGEST_SUMMARY:
            raise _NotSaved(LeftOut.NO_NOTE)
        if any(map(speaks_to_a_model, (summary, body, " ".join(tags)))):
            raise _NotSaved(LeftOut.TO_A_MODEL)

    @staticmethod
    def _check_said(material: Material, summary: str, body: str) -> None:
        body = _IN_BRACKETS.sub(" ", body)
        if material.share_said(summary) < LEAST_SHARE and material.share_said(f"{summary}\n{body}") < LEAST_SHARE:
            raise _NotSaved(LeftOut.UNSAID)
        if any(
            telling_words(part) >= _TELLING_PART and not material.share_said(part) for part in _PARTS.split(summary)
        ):
            raise _NotSaved(LeftOut.UNSAID)  # a true beginning carries nothing in that nobody said
        if material.unsaid_values(f"{summary}\n{body}"):
            raise _NotSaved(LeftOut.UNSAID_VALUE)

    def _note(self, note_id: str, summary: str, body: str, tags: Sequence[str], like: Note) -> Note:
        """The note with every credential blacked out; `like` gives type, creation time and foreign keys."""
        secrets = _secret_words([*self._said, summary, body, " ".join(tags)])
        clean = _blacked_out(summary, secrets)
        if not re.search(r"\w{2}", _REDACTED.sub("", clean)):
            raise _NotSaved(LeftOut.CREDENTIAL)
        kept = tuple(tag for tag in clean_tags(list(tags)) if _blacked_out(tag, secrets) == tag)[:_MOST_TAGS]
        try:
            note = checked_note(
                note_id=note_id,
                summary=clean,
                body=_blacked_out(body, secrets),
                max_body_bytes=self._rules.max_note_bytes,
                note_type=like.type,
                tags=kept,
                created_at=like.created_at,
                updated_at=max(self._rules.now, like.updated_at),
                extra=like.extra,
            )
        except (OharnessError, UnicodeEncodeError) as error:
            raise _NotSaved(LeftOut.NO_NOTE) from error
        # taking a part away can join what stood around it
        if find_credentials(f"{note.summary}\n{note.body}\n{' '.join(note.tags)}"):
            raise _NotSaved(LeftOut.CREDENTIAL)
        return note


def _is_about_it(material: Material, body: str) -> bool:
    """Whether a body has enough to do with what was said; a new note does better without one that has not."""
    words = _IN_BRACKETS.sub(" ", body)
    return telling_words(words) < _TELLING_BODY or material.share_said(words) >= LEAST_SHARE_OF_BODY


def _secret_words(texts: Sequence[str]) -> frozenset[str]:
    """Words that are a credential where they stand in one of the texts, and may stand bare in another."""
    found: set[str] = set()
    for text in texts:
        if (clean := redact(text)) != text:
            found |= set(_SECRET_ENDS.split(text)) - set(_SECRET_ENDS.split(clean))
    return frozenset(word for word in found if len(word) >= _SHORTEST_SECRET)


def _blacked_out(text: str, secrets: frozenset[str]) -> str:
    clean = redact(text)
    for word in sorted(secrets, key=len, reverse=True):
        clean = clean.replace(word, "[redacted: credential]")
    return clean


def _linked(one: CheckedNote, new_ids: dict[int, str], view: View, updated: WholeNote | None = None) -> CheckedNote:
    """The note with links to new notes filled in, and only those links that the model was shown."""
    allowed = view.linkable_from(updated) | frozenset(new_ids.values())
    body = strip_links(fill_placeholders(strip_links(one.note.body, allowed), new_ids), allowed)
    if not frozenset(linked_ids(body)) <= allowed:
        body = body.replace("[[", "")
    return replace(one, note=replace(one.note, body=body))


def _check_keeps_enough(update: Update, before: Note) -> None:
    """A record with a date in its summary keeps it, and no update drops most of what a note said."""
    if not set(_DATE.findall(before.summary)) <= set(_DATE.findall(update.summary)):
        raise _NotSaved(LeftOut.DATED)
    if len(before.body) > _SHORT_BODY and len(update.body) < _LEAST_KEPT * len(before.body):
        raise _NotSaved(LeftOut.LOSES_TEXT)
    if Material([update.summary, update.body]).share_said(before.body) < _LEAST_WORDS_KEPT and before.body.strip():
        raise _NotSaved(LeftOut.LOSES_TEXT)


def _says_the_same(note: Note, other: Note | NamedNote) -> bool:
    """Whether two summaries say the same: nearly the same words, and the same numbers."""
    if _FIGURE.findall(note.summary) != _FIGURE.findall(other.summary):
        return False
    own, theirs = stem_set(note.summary), stem_set(other.summary)
    shared, every = len(own & theirs), len(own | theirs)
    return shared / max(every, 1) >= LIKELY_DUPLICATE
