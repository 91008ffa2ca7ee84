"""The question answering corpora of the recall bench: notes, messages, and which notes each message is about."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OFF_TOPIC = frozenset({"other", "chitchat"})
NAMES = ("locomo", "xquad-en", "xquad-es", "xquad-zh", "cmrc-zh", "piaf-fr", "faquad-pt")


@dataclass(frozen=True, slots=True)
class BenchNote:
    """A note to be found."""

    id: str
    summary: str
    tags: tuple[str, ...]
    body: str


@dataclass(frozen=True, slots=True)
class Query:
    """A message, asked of the notes of one store. `relevant` is empty for what must attach nothing."""

    message: str
    store: str
    relevant: frozenset[str]
    kind: str

    @property
    def is_off_topic(self) -> bool:
        return self.kind in OFF_TOPIC


@dataclass(frozen=True, slots=True)
class Corpus:
    """Some stores of notes in one language and the messages asked of them."""

    name: str
    language: str
    stores: Mapping[str, Sequence[BenchNote]]
    queries: Sequence[Query]


def corpora_in(folder: Path) -> list[Corpus]:
    """The corpora below `recall/` of a folder of data; none where there is no such folder."""
    return [_corpus(folder / "recall" / name) for name in NAMES if (folder / "recall" / name).is_dir()]


def _corpus(folder: Path) -> Corpus:
    stores: dict[str, list[BenchNote]] = defaultdict(list)
    for row in _rows(folder / "notes.jsonl"):
        note = BenchNote(row["id"], row["summary"], tuple(row["tags"]), row["body"])
        stores[row.get("store", "")].append(note)
    queries = [
        Query(row["message"], row.get("store", ""), frozenset(row["relevant"]), row["kind"])
        for row in _rows(folder / "queries.jsonl")
    ]
    language = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["lang"]
    return Corpus(folder.name, language, stores, queries)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
