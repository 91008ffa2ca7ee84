"""The arguments of the three memory tools, as JSON schemas and sentences for the model."""

from typing import Any

_SCOPE: dict[str, Any] = {
    "type": "string",
    "enum": ["project", "user"],
    "description": "project: stays with this project. user: holds in every project.",
}
_TYPE: dict[str, Any] = {
    "type": "string",
    "enum": ["user", "feedback", "project", "reference"],
    "description": "user: who the user is and how they work. feedback: a correction or a confirmed approach. "
    "project: a decision, a constraint, ongoing work. reference: where outside information lives.",
}

REMEMBER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {
            "type": "string",
            "description": "One line, at most 300 characters, that says the fact itself.",
        },
        "body": {
            "type": "string",
            "description": "Markdown: what, **Why:** and **How to apply:**; links as [[note-id]].",
        },
        "type": _TYPE,
        "scope": _SCOPE
        | {
            "description": "Left out, only notes of type user go to the user scope. Feedback that plainly holds "
            "everywhere is put in the user scope on purpose."
        },
        "tags": {
            "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}],
            "description": "Other words for the subject: synonyms, and the term in the other language in use.",
        },
        "id": {"type": "string", "description": "The id of the note to update; left out for a new note."},
    },
    "required": ["summary", "body"],
    "additionalProperties": False,
}

MEMORY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Words to search all notes for, bodies included."},
        "id": {"type": "string", "description": "Read this note whole."},
        "scope": _SCOPE | {"description": "Only notes of this scope."},
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": 50,
            "description": "At most so many; default 10.",
        },
    },
    "additionalProperties": False,
}

FORGET: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "The whole id of the note to delete."},
        "scope": _SCOPE | {"description": "Needed only when both scopes have a note of this id."},
    },
    "required": ["id"],
    "additionalProperties": False,
}

REMEMBER_DESCRIPTION = (
    "Write a note that later conversations can recall, or update one by its id. Answers with related notes, a likely "
    "duplicate, and links to notes that do not exist yet. Text that holds a credential is refused."
)
MEMORY_DESCRIPTION = "Read the notes: search them by words, read one by id, or list the newest when neither is given."
FORGET_DESCRIPTION = "Delete one note by its id. A backup is kept, and the person is asked first."
