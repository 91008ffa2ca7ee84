"""Who wrote what over what, from the first note to the last: the memory that the world is judged by.

Written from what people do and what stands in files and in the cloud; it knows nothing of baselines, hashes or plans.
A text is what a note says, whatever its id. From each text lines lead to the texts that took its place: because a
person who saw it wrote another one, chose another one, or because sync combined it with another.
"""

import hashlib
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from oharness.notes.note import Note

_KNOWN_OF_OLD = ("summary ", "tag ")


class Text(NamedTuple):
    """What a note said at one time, without its times. `name` stands for all of it where it is told."""

    id: str
    name: str
    lines: tuple[str, ...]
    marks: frozenset[str]

    def __repr__(self) -> str:
        """All of it in one order: the same in two runs, whatever order their sets have."""
        return f"{self.id} {self.name} {sorted(self.marks)} {list(self.lines)}"


def text_of(note: Note) -> Text:
    """The text of a note: everything but its times."""
    said = [note.summary, note.body.rstrip("\n"), sorted(note.tags), note.type, dict(note.extra)]
    name = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:10]
    marks = {f"summary {note.summary}", f"type {note.type}", *(f"tag {tag}" for tag in note.tags)}
    marks |= {f"{key} {json.dumps(value, sort_keys=True)}" for key, value in note.extra.items()}
    return Text(note.id, name, tuple(note.body.rstrip("\n").split("\n")), frozenset(marks))


def is_merged_of(whole: Text, mine: Text, cloud: Text, base: Text) -> bool:
    """Whether a text is what merging two others may give that both grew from a base.

    Each line, tag or field of it stands on one of the two sides, and what one side brought or threw out since the base
    is in it or not in it; a line that stands more than once counts as often as it stands.
    """
    return all(
        _holds(Counter(getattr(whole, part)), *(Counter(getattr(text, part)) for text in (mine, cloud, base)))
        for part in ("lines", "marks")
    )


def _holds(whole: Counter[str], mine: Counter[str], cloud: Counter[str], base: Counter[str]) -> bool:
    """Whether each is there as often as it may be; what both sides did may be one thing or two."""
    brought, brought_there = mine - base, cloud - base
    gone, gone_there = base - mine, base - cloud
    least = (base - (gone + gone_there)) + (brought | brought_there)
    most = (base - (gone | gone_there)) + (brought + brought_there)
    return least <= whole <= most


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
    people made a note, or asked to have it back. `words` counts the words people made up. `came_after` are texts that
    stand where others stood before, whose writers need not have seen those: what may be merged over them.
    """

    replaced_by: dict[Text, set[Text]] = field(default_factory=lambda: defaultdict(set))
    writings: dict[Text, int] = field(default_factory=lambda: defaultdict(int))
    by_people: set[Text] = field(default_factory=set)
    firm: list[Deletion] = field(default_factory=list)
    soft: list[Deletion] = field(default_factory=list)
    excused: set[Text] = field(default_factory=set)
    meant_at: dict[Text, int] = field(default_factory=dict)
    brought_back: dict[str, int] = field(default_factory=dict)
    came_after: dict[Text, set[Text]] = field(default_factory=lambda: defaultdict(set))
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

    def meant(self, text: Text) -> None:
        """What was written through the product is meant, also where it says what a deleted note said.

        Not where the cloud says it just then: an edit that was taken back does not stand against a deletion.
        """
        self.meant_at[text] = self.number

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

    def may_be_merged(self, whole: Text, mine: Text, cloud: Text) -> bool:
        """Whether `whole` is what comes of merging the two over some text that mine grew from."""
        both = (self.replaced_by, self.came_after)
        return any(
            is_merged_of(whole, mine, cloud, base) and self._reaches(base, {mine}, both)
            for base in {*self.replaced_by, *self.came_after} - {mine}
            if base.id == whole.id
        )

    def was_brought_by_one_without_types(self, text: Text) -> bool:
        """Whether a text is one that somebody wrote, or would be with the type or the unknown keys it had (P-51)."""
        known = frozenset(mark for mark in text.marks if mark.startswith(_KNOWN_OF_OLD))
        return any((text.id, text.lines) == (other.id, other.lines) and known <= other.marks for other in self.writings)

    def was_deleted_on(self, text: Text, device: str) -> bool:
        """Whether a text was deleted on a device, or vanished there, and nobody wrote it on purpose since."""
        return any(
            (one.text, one.device) == (text, device) and one.number > self.meant_at.get(text, 0)
            for one in (*self.firm, *self.soft)
        )

    def deleted_texts(self) -> set[Text]:
        """The texts that somebody deleted, or that vanished, and that nobody wrote again on purpose after that."""
        return {
            deletion.text
            for deletion in (*self.firm, *self.soft)
            if deletion.number > self.meant_at.get(deletion.text, 0)
        }

    def leads_to(self, text: Text, goals: Collection[Text]) -> bool:
        """Whether a text is one of the goals or was replaced, step by step, by one of them."""
        return self._reaches(text, goals, (self.replaced_by,))

    def leads_plainly_to(self, text: Text, goal: Text) -> bool:
        """The same by way of texts only whose place in the order is clear."""
        plain = {old: new for old, new in self.replaced_by.items() if not self.was_written_twice(old)}
        return not self.was_written_twice(goal) and self._reaches(text, {goal}, (plain,))

    def _reaches(self, text: Text, goals: Collection[Text], steps: tuple[dict[Text, set[Text]], ...]) -> bool:
        seen, waiting = {text}, [text]
        while waiting:
            present = waiting.pop()
            if present in goals:
                return True
            for following in itertools.chain(*(step.get(present, ()) for step in steps)):
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
