"""Who wrote what over what, from the first note to the last: the memory that the world is judged by.

Written from what people do and what stands in files and in the cloud; it knows nothing of baselines, hashes or plans.
A text is what a note says, whatever its id. From each text lines lead to the texts that took its place: because a
person who saw it wrote another one, chose another one, or because sync combined it with another.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from oharness.notes.note import Note

Text = tuple[str, str]
"""A note's id, and a name for what it says."""


def text_of(note: Note) -> Text:
    """The text of a note: everything but its times."""
    said = [note.summary, note.body.rstrip("\n"), sorted(note.tags), note.type, dict(note.extra)]
    return note.id, hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:10]


@dataclass(frozen=True, slots=True)
class Deletion:
    """Somebody deleted a note that said `text`. `number` is its place in the order of all acts."""

    text: Text
    number: int
    device: str


@dataclass(slots=True)
class Ledger:
    """`by_people` are the texts that somebody saved, as against those that sync made of two.

    `firm` deletions were asked for and confirmed; `soft` ones may count or not (a file that went away). `excused` are
    texts that an accident took for good: on a disk set back to an old copy, or never flushed. `brought_back` says when
    people made a note, or asked to have it back. `words` counts the words people made up.
    """

    replaced_by: dict[Text, set[Text]] = field(default_factory=lambda: defaultdict(set))
    writings: dict[Text, int] = field(default_factory=lambda: defaultdict(int))
    by_people: set[Text] = field(default_factory=set)
    firm: list[Deletion] = field(default_factory=list)
    soft: list[Deletion] = field(default_factory=list)
    excused: set[Text] = field(default_factory=set)
    brought_back: dict[str, int] = field(default_factory=dict)
    number: int = 0
    words: int = 0

    # --- what happens

    def wrote(self, before: Text | None, after: Text) -> None:
        """A person or another program saved `after` where `before` stood."""
        self.number += 1
        if before == after:
            return
        self.writings[after] += 1
        self.by_people.add(after)
        if before is None:
            self.brought_back[after[0]] = self.number
        else:
            self.replaced_by[before].add(after)

    def combined(self, parts: Iterable[Text], whole: Text) -> None:
        """Sync made one text of several."""
        self.writings[whole] += 1
        for part in parts:
            if part != whole:
                self.replaced_by[part].add(whole)

    def may_become(self, parts: Iterable[Text], whole: Text) -> None:
        """Somebody asked for texts to be replaced by one, which may be done now, later or never."""
        self.number += 1
        self.writings[whole] += 1
        for part in parts:
            self.replaced_by[part].add(whole)

    def chose(self, kept: Text, over: Iterable[Text]) -> None:
        """A person saw several texts and kept one."""
        self.number += 1
        for other in over:
            if other != kept:
                self.replaced_by[other].add(kept)

    def deleted(self, text: Text, device: str) -> Deletion:
        """A person deleted a note through the product."""
        deletion = self._deletion(text, device)
        self.firm.append(deletion)
        return deletion

    def vanished(self, text: Text, device: str) -> None:
        """A file went away, or a person asked for less than a deletion."""
        self.soft.append(self._deletion(text, device))

    def doubt(self, deletions: Collection[Deletion]) -> None:
        """Deletions that may or may not count from now on."""
        gone = set(deletions)
        self.firm = [one for one in self.firm if one not in gone]
        self.soft += gone

    def restored(self, note_id: str) -> None:
        """A person asked to have a note back."""
        self.number += 1
        self.brought_back[note_id] = self.number

    def excuse(self, texts: Iterable[Text]) -> None:
        """An accident took these for good."""
        self.excused.update(texts)

    # --- what follows from it

    def deletions(self, note_id: str) -> list[Deletion]:
        """Every deletion of a note, firm or not."""
        return [one for one in (*self.firm, *self.soft) if one.text[0] == note_id]

    def leads_to(self, text: Text, goals: Collection[Text]) -> bool:
        """Whether a text is one of the goals or was replaced, step by step, by one of them."""
        seen, waiting = {text}, [text]
        while waiting:
            present = waiting.pop()
            if present in goals:
                return True
            for following in self.replaced_by.get(present, ()):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return False

    def was_written_twice(self, text: Text) -> bool:
        """Whether a text came back after it had been replaced, so that its place in the order is not clear."""
        return self.writings.get(text, 0) > 1

    def _deletion(self, text: Text, device: str) -> Deletion:
        self.number += 1
        return Deletion(text, self.number, device)
