"""What the templates of the Memory page call. Sentences are English here and said in the person's language there."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oharness.language.catalogue import msg
from oharness.web.renderers.memory.differences import before_both, both_texts, differences, excerpt, one_side

_QUESTIONS: Mapping[str, str] = {
    "folder-gone": msg("The folder of these notes is gone. Were the notes meant to be deleted everywhere?"),
    "folder-unreadable": msg("The folder of these notes cannot be read. Sync goes on once it can."),
    "many-missing": msg("Many notes are missing from the folder. Were they meant to be deleted everywhere?"),
    "all-missing": msg("All notes are missing from the folder. Were they meant to be deleted everywhere?"),
    "head-moved": msg("Git moved to another commit, and notes went away or fell back. What should count?"),
    "many-removals": msg("The cloud wants many notes removed here. Should they go?"),
    "first-sync": msg("The cloud holds other notes than this folder. Do the two belong together?"),
}
_ANSWERS: Mapping[str, str] = {
    "delete": msg("Yes, delete them"),
    "restore": msg("No, bring them back"),
    "mix": msg("Put the notes of both together"),
}
_ANSWERS_AFTER_GIT: Mapping[str, str] = {
    "delete": msg("Deletions count; newest texts"),
    "restore": msg("Bring every note back; newest texts"),
    "mix": msg("Bring every note back; texts as they are here"),
}
_ERRORS: Mapping[str, str] = {
    "ServiceUnreachable": msg("The sync service could not be reached. It is tried again by itself."),
    "ServiceRefused": msg("The sync service answered with an error. It is tried again by itself."),
    "SignedOut": msg("You are signed out. `oharness login` signs you in again."),
    "PinnedElsewhere": msg("They belong to another account or Cloud than the one you are signed in to."),
    "AccountChanged": msg("They belong to another account than the one you are signed in to."),
    "ProtocolBroken": msg("The sync service answered something that cannot be understood."),
    "ServerTooOld": msg("The sync service has to be upgraded before these notes can sync."),
    "TooFrequent": msg("Sync was too frequent and will retry by itself."),
    "AccountErased": msg("The account was deleted at the Cloud. The notes here stay."),
    "StorageFailed": msg("A file could not be read or written. Check that the disk has room."),
    "SyncBusy": msg("Another oHarness is syncing these notes right now."),
}
_OTHER_ERROR = msg("The last try failed. It is tried again by itself.")
_TYPES: Mapping[str, str] = {
    "user": msg("User"),
    "feedback": msg("Feedback"),
    "project": msg("Project"),
    "reference": msg("Reference"),
}

_FINDINGS: Mapping[str, tuple[str, str]] = {
    "same-subject": (
        msg("Same subject"),
        msg("Two to six notes in one scope whose summaries and tags mostly overlap."),
    ),
    "broken-link": (msg("Broken link"), msg("A link that names no note.")),
    "missing-file": (msg("Missing file"), msg("A project note names a path that is not in the project.")),
    "unused": (msg("Unused"), msg("Neither recalled nor edited for a long time.")),
    "too-long": (msg("Too long"), msg("A body so long that several notes would be found better.")),
}


def finding_kinds() -> tuple[str, ...]:
    """The kinds in the order they are shown."""
    return tuple(_FINDINGS)


def finding_kind(kind: str) -> str:
    """The name of a kind of finding, in English."""
    return _FINDINGS[kind][0] if kind in _FINDINGS else kind


def finding_meaning(kind: str) -> str:
    """What a kind of finding means, in English."""
    return _FINDINGS[kind][1] if kind in _FINDINGS else ""


def pause_question(reason: str) -> str:
    """What a paused scope asks, in English."""
    return _QUESTIONS.get(reason, msg("Sync is paused."))


def pause_answer(choice: str, reason: str) -> str:
    """What the button of an answer to a paused scope says, in English."""
    answers = _ANSWERS_AFTER_GIT if reason == "head-moved" else _ANSWERS
    return answers.get(choice, choice)


def sync_error(kind: str) -> str:
    """What the class of a pass's error means to a person, in English."""
    return _ERRORS.get(kind, _OTHER_ERROR)


def note_type(name: str | None) -> str:
    """The name of a type, in English; one that a later version knows is shown as it is."""
    return _TYPES.get(name or "", name or "")


def known_types() -> tuple[str, ...]:
    """The four types."""
    return tuple(_TYPES)


def tag_line(tags: Any) -> str:
    """Tags as one types them."""
    return tags if isinstance(tags, str) else ", ".join(tags)


def marked(text: str, marks: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """A text in pieces, those between the marks found."""
    pieces, at = [], 0
    for start, end in marks:
        pieces += [{"text": text[at:start], "found": False}, {"text": text[start:end], "found": True}]
        at = end
    return [one for one in [*pieces, {"text": text[at:], "found": False}] if one["text"]]


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "before_both": before_both,
    "both_texts": both_texts,
    "differences": differences,
    "excerpt": excerpt,
    "finding_kind": finding_kind,
    "finding_kinds": finding_kinds,
    "finding_meaning": finding_meaning,
    "known_types": known_types,
    "marked": marked,
    "note_type": note_type,
    "one_side": one_side,
    "pause_answer": pause_answer,
    "pause_question": pause_question,
    "sync_error": sync_error,
    "tag_line": tag_line,
}
