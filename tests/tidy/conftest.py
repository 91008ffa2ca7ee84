"""Notes as a review sees them, and bodies of every kind."""

from typing import Any

from hypothesis import strategies as st

from oharness.core.clock import Millis
from oharness.notes.entry import FileStamp, NoteEntry
from oharness.notes.hashing import content_hash
from oharness.notes.links import linked_ids
from oharness.notes.note import Note

NOW = Millis(1_789_000_000_000)


def note(note_id: str, summary: str = "", body: str = "", **fields: Any) -> Note:
    made = {"created_at": Millis(1_700_000_000_000), "updated_at": NOW} | fields
    return Note(note_id, summary or f"About {note_id}", body, **made)


def entry(of: Note) -> NoteEntry:
    stamp = FileStamp(f"{of.id}.md", 0, len(of.body), 0)
    size = len(of.body.encode())
    head = (of.id, of.summary, of.type, of.tags, of.created_at, of.updated_at)
    return NoteEntry(stamp, *head, content_hash(of), size, linked_ids(of.body))


def entries(*notes: Note) -> list[NoteEntry]:
    return [entry(one) for one in notes]


def bodies_of_notes() -> st.SearchStrategy[str]:
    """Bodies with facts, negations, code, links, tables and odd text."""
    return st.lists(
        st.one_of(
            st.from_regex(r"[A-Z][a-z]{2,8} port is [0-9]{2,5}", fullmatch=True),
            st.sampled_from(
                [
                    "Never push on Fridays.",
                    "不要压缩提交。端口是9000。",
                    "Não use abas.",
                    "N'utilisez pas de tabulations.",
                    "- `make ship` on 2026-03-04",
                    "| a | 12 |",
                    "```\nx = [[code]]\n```",
                    "See [[b]] and src/app.py, v1.2.3.",
                    '> quoted "as is"',
                    "# Heading 7",
                    "",
                ]
            ),
            st.text("ab1 \n.`[]#-", max_size=30),
        ),
        max_size=6,
    ).map("\n".join)
