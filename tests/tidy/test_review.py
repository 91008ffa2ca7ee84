"""The review: five kinds, stable ids, dismissals bound to versions, and what is looked at again."""

from dataclasses import replace

import pytest

from oharness.core.clock import Millis
from oharness.core.scopes import ScopeKind
from oharness.notes.entry import NoteEntry
from oharness.notes.note import Note
from oharness.tidy.body_facts import BodyFacts, body_facts
from oharness.tidy.dismissals import Dismissal, dismissal_of
from oharness.tidy.findings import Finding, FindingKind
from oharness.tidy.review import Review, ScopeLook
from oharness.tidy.unused import DAY_MS
from tests.tidy.conftest import NOW, entry, note

pytestmark = pytest.mark.memory


class Shelf:
    """One scope's notes, and which bodies were read."""

    def __init__(self, *notes: Note, scope: ScopeKind = ScopeKind.PROJECT, there: tuple[str, ...] = ()) -> None:
        self.notes = {one.id: one for one in notes}
        self.read: list[str] = []
        self.scope = scope
        self.there = there
        self.recalled: dict[str, Millis] = {}
        self.dismissed: dict[str, Dismissal] = {}

    def facts(self, of: NoteEntry) -> BodyFacts:
        self.read.append(of.id)
        return body_facts(self.notes[of.id].body)

    def look(self) -> ScopeLook:
        exists = self.there.__contains__ if self.scope is ScopeKind.PROJECT else None
        listed = [entry(one) for one in self.notes.values()]
        return ScopeLook(self.scope, listed, set(self.notes), self.recalled, self.dismissed, self.facts, exists)


def findings(*shelves: Shelf, review: Review | None = None, now: Millis = NOW) -> list[Finding]:
    return (review or Review()).findings([shelf.look() for shelf in shelves], now, 90)


def found(*shelves: Shelf) -> list[tuple[FindingKind, tuple[str, ...], tuple[str, ...]]]:
    return [(one.kind, one.notes, one.details) for one in findings(*shelves)]


def test_a_link_that_names_no_note_in_either_scope_is_broken() -> None:
    project = Shelf(note("a", body="[[b]] [[mine]] [[gone]] [[gone]] [[lost]]"), note("b"))
    user = Shelf(note("mine", body="[[a]]"), scope=ScopeKind.USER)
    assert found(project, user) == [(FindingKind.BROKEN_LINK, ("a",), ("gone", "lost"))]


def test_links_in_code_are_no_links() -> None:
    body = 'See `[[page]]`.\n\n```bash\nif [[ -n "$x" && -n "$y" ]]; then\necho [[page]]\n```\n\n    [[page]]'
    assert found(Shelf(note("a", body=body))) == []


def test_a_link_to_a_note_file_that_is_not_loaded_is_not_broken() -> None:
    shelf = Shelf(note("a", body="[[left-out]]"))
    look = replace(shelf.look(), ids={"a", "left-out"})
    assert Review().findings([look], NOW, 90) == []


def test_a_project_note_that_names_a_path_which_is_not_there_is_found() -> None:
    body = "`src/app.py` is there, `src/gone.py:12` and docs/old.md are not; `src/lost` neither."
    shelf = Shelf(note("a", body=body), there=("src/app.py", "src"))
    assert found(shelf) == [(FindingKind.MISSING_FILE, ("a",), ("src/gone.py", "src/lost", "docs/old.md"))]


def test_notes_of_the_user_name_files_of_no_project() -> None:
    assert found(Shelf(note("a", body="`src/gone.py`"), scope=ScopeKind.USER)) == []


def test_a_note_neither_recalled_nor_edited_for_ninety_days_is_unused() -> None:
    old = Millis(NOW - 91 * DAY_MS)
    shelf = Shelf(note("a", updated_at=old), note("b", updated_at=old), note("c"))
    shelf.recalled = {"b": Millis(NOW - DAY_MS)}
    assert found(shelf) == [(FindingKind.UNUSED, ("a",), ("91",))]


def test_a_body_over_8000_characters_is_too_long_whatever_its_bytes() -> None:
    shelf = Shelf(note("a", body="文" * 8000), note("b", body="x" * 8001))
    assert found(shelf) == [(FindingKind.TOO_LONG, ("b",), ("8001",))]


def test_the_id_of_a_finding_stays_while_its_notes_do() -> None:
    before = findings(Shelf(note("a", body="[[gone]]")))[0]
    after = findings(Shelf(note("a", body="[[lost]] now")))[0]
    assert before.id == after.id
    assert findings(Shelf(note("a", body="[[gone]]"), scope=ScopeKind.USER))[0].id != before.id


def test_editing_a_note_brings_a_dismissed_finding_back() -> None:
    shelf = Shelf(note("a", "We deploy on Thursdays"), note("b", "Deploys run on Thursdays"))
    one = findings(shelf)[0]
    hashes = {name: entry(it).hash for name, it in shelf.notes.items()}
    shelf.dismissed = {one.id: dismissal_of(one, hashes)}
    assert findings(shelf) == []
    shelf.notes["b"] = replace(shelf.notes["b"], body="edited")
    assert findings(shelf) == [one]


def test_after_an_edit_only_that_body_is_read_again() -> None:
    shelf, review = Shelf(*(note(f"n{n}") for n in range(50))), Review()
    findings(shelf, review=review)
    assert len(shelf.read) == 50
    shelf.read.clear()
    shelf.notes["n7"] = replace(shelf.notes["n7"], body="edited [[gone]]")
    assert [one.notes for one in findings(shelf, review=review)] == [("n7",)]
    assert shelf.read == ["n7"]


def test_what_changes_without_an_edit_is_seen_too() -> None:
    shelf, review = Shelf(note("a", body="`src/app.py` [[b]]"), note("b"), there=("src/app.py",)), Review()
    assert findings(shelf, review=review) == []
    shelf.there = ()
    del shelf.notes["b"]
    kinds = [one.kind for one in findings(shelf, review=review, now=Millis(NOW + 100 * DAY_MS))]
    assert kinds == [FindingKind.BROKEN_LINK, FindingKind.MISSING_FILE, FindingKind.UNUSED]
