"""`remember`, `memory` and `forget` as tools: arguments in, short text for the model and data for frontends out."""

import asyncio
import difflib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.harness.tools import Arguments, Effect, Tool, ToolContext, ToolResult
from oharness.language.catalogue import Catalogue
from oharness.language.sentences import error_sentence, notice_sentence
from oharness.memory.credential_gate import first_credential, head_is_clean
from oharness.memory.forget import forget
from oharness.memory.reading import FOUND_BY_DEFAULT, Listed, Shown, list_notes, search_notes, show_note
from oharness.memory.remember import Remembered, RememberRequest, remember
from oharness.memory.scopes import Memory
from oharness.notes.note import Note
from oharness.notes.tags import clean_tags
from oharness.plugins.memory.schemas import (
    FORGET,
    FORGET_DESCRIPTION,
    MEMORY,
    MEMORY_DESCRIPTION,
    REMEMBER,
    REMEMBER_DESCRIPTION,
)
from oharness.recall.attachment import day, defuse, one_line
from oharness.recall.related import Related

_ENGLISH = Catalogue()
_Answer = Callable[[Memory, Arguments], ToolResult]


def memory_tools(memory: Memory) -> tuple[Tool, ...]:
    """The three tools over an open memory."""
    return (
        Tool(
            "remember", REMEMBER_DESCRIPTION, REMEMBER, Effect.WRITE, _tool(memory, remembered), _remember_view(memory)
        ),
        Tool("memory", MEMORY_DESCRIPTION, MEMORY, Effect.READ, _tool(memory, looked_up)),
        Tool("forget", FORGET_DESCRIPTION, FORGET, Effect.WRITE, _tool(memory, forgotten), _forget_view(memory)),
    )


def remembered(memory: Memory, arguments: Arguments) -> ToolResult:
    """Writes the note and tells what it stands beside."""
    done = remember(memory, _request(arguments))
    return ToolResult(_remembered_text(done), _remembered_data(done))


def looked_up(memory: Memory, arguments: Arguments) -> ToolResult:
    """One note by id, else the notes that share words with the query, else the newest."""
    memory.refresh()
    scope, limit = _scope(arguments), arguments.get("limit", FOUND_BY_DEFAULT)
    if note_id := arguments.get("id"):
        return _whole(show_note(memory, str(note_id), scope))
    if query := str(arguments.get("query") or "").strip():
        found = [Listed(one.scope, one.entry) for one in search_notes(memory, query, limit, scope)]
        return _lines(found, 0, f"No note shares a word with {query!r}.")
    listed = list_notes(memory, scope).notes
    return _lines(list(listed[:limit]), max(len(listed) - limit, 0), "There are no notes yet.")


def forgotten(memory: Memory, arguments: Arguments) -> ToolResult:
    """Deletes the note after a backup."""
    gone = forget(memory, str(arguments["id"]), _scope(arguments))
    data = {"id": gone.id, "scope": str(gone.scope), "backup": gone.backup}
    return ToolResult(f"Forgot [{gone.id}] ({gone.scope}). A backup is kept: {gone.backup}", data)


def _tool(memory: Memory, answer: _Answer) -> Callable[[Arguments, ToolContext], Awaitable[ToolResult]]:
    async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
        return await asyncio.to_thread(_answered, answer, memory, arguments)

    return run


def _answered(answer: _Answer, memory: Memory, arguments: Arguments) -> ToolResult:
    try:
        return answer(memory, arguments)
    except OharnessError as error:
        return ToolResult(error_sentence(error, _ENGLISH), {"error": type(error).__name__}, is_error=True)


def _request(arguments: Arguments) -> RememberRequest:
    return RememberRequest(
        summary=arguments.get("summary"),
        body=arguments.get("body"),
        type=arguments.get("type"),
        scope=_scope(arguments),
        tags=arguments.get("tags"),
        id=arguments.get("id"),
    )


def _scope(arguments: Arguments) -> ScopeKind | None:
    scope = arguments.get("scope")
    return ScopeKind(scope) if scope else None


def _remembered_text(done: Remembered) -> str:
    verb = "Saved" if done.created else "Updated" if done.changed else "Nothing to change in"
    lines = [f"{verb} [{done.id}] ({done.scope})."]
    if done.duplicate_of is not None:
        lines.append(
            f"This is likely a duplicate of {_related_line(done.duplicate_of)}. If it says the same, update that note "
            "by its id and forget this one."
        )
    if done.related:
        lines.append("Related notes:")
        lines += [f"- {_related_line(one)}" for one in done.related]
    if done.missing_links:
        lines.append("Links to notes that do not exist yet: " + ", ".join(f"[[{one}]]" for one in done.missing_links))
    lines += [notice_sentence(one.key, one.fields, _ENGLISH) for one in done.notices]
    return "\n".join(lines)


def _related_line(one: Related) -> str:
    return one_line(f"[{one.entry.id}] {one.entry.summary} ({one.scope})")


def _remembered_data(done: Remembered) -> Mapping[str, Any]:
    related = [
        {"id": one.entry.id, "scope": str(one.scope), "summary": one.entry.summary, "score": round(one.score, 3)}
        for one in done.related
    ]
    return {
        "id": done.id,
        "scope": str(done.scope),
        "path": str(done.path),
        "created": done.created,
        "related": related,
        "duplicateOf": done.duplicate_of.entry.id if done.duplicate_of else None,
        "missingLinks": list(done.missing_links),
        "notices": [{"key": one.key, "fields": dict(one.fields)} for one in done.notices],
    }


def _whole(shown: Shown) -> ToolResult:
    note = shown.note
    credential = first_credential(note)
    if credential is not None:
        text = f"[{note.id}] holds a credential ({credential.kind}) and is not shown. Tell the user to remove it."
        return ToolResult(text, {"id": note.id, "scope": str(shown.scope)}, is_error=True)
    about = "; ".join(filter(None, [note.type or "", ", ".join(note.tags), f"updated {day(note.updated_at)}"]))
    head = one_line(f"[{note.id}] {note.summary} ({shown.scope}; {about})")
    links = [f"Linked from: {', '.join(f'[[{note_id}]]' for _, note_id in shown.linked_from)}"]
    text = "\n\n".join([head, defuse(note.body), *(links if shown.linked_from else [])]).strip()
    return ToolResult(text, {"id": note.id, "scope": str(shown.scope)})


def _lines(listed: list[Listed], more: int, none: str) -> ToolResult:
    found = [one for one in listed if head_is_clean(one.entry)]
    if not found:
        return ToolResult(none, {"results": []})
    lines = [
        one_line(f"- [{one.entry.id}] {one.entry.summary} ({one.scope}; updated {day(one.entry.updated_at)})")
        for one in found
    ]
    if more:
        lines.append(f"… and {more} more; give a query to search all of them")
    results = [{"id": one.entry.id, "scope": str(one.scope), "summary": one.entry.summary} for one in found]
    return ToolResult("\n".join(lines), {"results": results})


def _remember_view(memory: Memory) -> Callable[[Arguments, ToolContext], Awaitable[str]]:
    async def preview(arguments: Arguments, context: ToolContext) -> str:
        return await asyncio.to_thread(_note_change, memory, arguments)

    return preview


def _forget_view(memory: Memory) -> Callable[[Arguments, ToolContext], Awaitable[str]]:
    async def preview(arguments: Arguments, context: ToolContext) -> str:
        return await asyncio.to_thread(_note_to_forget, memory, arguments)

    return preview


def _note_change(memory: Memory, arguments: Arguments) -> str:
    """A unified diff from the note as it is to the note as it would be; a new note is all additions."""
    before = _note_named(memory, arguments)
    tags = arguments.get("tags")
    listed = before.tags if tags is None and before else clean_tags(tags)
    old = _plain(before.summary, before.tags, before.body) if before else ""
    new = _plain(str(arguments.get("summary", "")), listed, str(arguments.get("body", "")))
    lines = difflib.unified_diff(old.split("\n") if old else [], new.split("\n"), "before", "after", lineterm="", n=2)
    return "\n".join(lines)


def _note_named(memory: Memory, arguments: Arguments) -> Note | None:
    if not arguments.get("id"):
        return None
    try:
        return show_note(memory, str(arguments["id"]), _scope(arguments)).note
    except OharnessError:
        return None


def _plain(summary: str, tags: tuple[str, ...], body: str) -> str:
    return "\n".join([summary, *([", ".join(tags)] if tags else []), *(["", body] if body else [])])


def _note_to_forget(memory: Memory, arguments: Arguments) -> str:
    try:
        shown = show_note(memory, str(arguments.get("id", "")), _scope(arguments))
    except OharnessError as error:
        return error_sentence(error, _ENGLISH)
    note = shown.note
    return "\n".join(f"-{line}" for line in _plain(note.summary, note.tags, note.body).split("\n"))
