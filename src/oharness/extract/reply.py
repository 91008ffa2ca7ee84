"""The extractor's answer, taken as untrusted text: what it has to look like, and what it says."""

import re
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

MOST_NEW = 10
MOST_UPDATES = 5
LONGEST_ANSWER = 200_000
"""Characters; a longer answer is not looked at."""

_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
_TAGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "notes": {
            "type": "array",
            "maxItems": MOST_NEW,
            "items": {
                "type": "object",
                "properties": {
                    "summary": {"type": "string", "description": "One line that says the fact itself."},
                    "body": {"type": "string", "description": "Markdown: what, **Why:**, **How to apply:**"},
                    "type": {"type": "string", "enum": ["user", "feedback", "project", "reference"]},
                    "scope": {"type": "string", "enum": ["project", "user"]},
                    "tags": _TAGS,
                },
                "required": ["summary", "body", "type", "scope", "tags"],
                "additionalProperties": False,
            },
        },
        "updates": {
            "type": "array",
            "maxItems": MOST_UPDATES,
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string", "description": "The id of a note that was shown whole."},
                    "summary": {"type": "string"},
                    "body": {"type": "string", "description": "The whole new body; it replaces the old one."},
                    "tags": _TAGS,
                },
                "required": ["id", "summary", "body", "tags"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["notes", "updates"],
    "additionalProperties": False,
}
"""The JSON schema that a provider is asked to keep to; `read_reply` checks the same, whatever the provider did."""


class NewNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A note that the model wants to write."""

    summary: str
    body: str
    type: Literal["user", "feedback", "project", "reference"]
    scope: Literal["project", "user"]
    tags: tuple[str, ...]


class Update(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A note that the model wants to rewrite."""

    id: str
    summary: str
    body: str
    tags: tuple[str, ...]


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that the model wants."""

    notes: tuple[NewNote, ...]
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class InvalidReply:
    """An answer that saves nothing. `reason` may be logged: it holds nothing of the answer."""

    reason: str


def read_reply(text: str) -> Reply | InvalidReply:
    """What the answer says, or why it is not used at all; a code fence around it is passed over."""
    if len(text) > LONGEST_ANSWER:
        return InvalidReply("too long")
    fenced = _FENCED.fullmatch(text)
    try:
        reply = msgspec.json.decode((fenced[1] if fenced else text).encode(), type=Reply)
    except msgspec.ValidationError:
        return InvalidReply("not what the schema asks for")
    except (msgspec.DecodeError, ValueError, RecursionError):
        return InvalidReply("not JSON")
    if len(reply.notes) > MOST_NEW or len(reply.updates) > MOST_UPDATES:
        return InvalidReply("too many notes")
    return reply
