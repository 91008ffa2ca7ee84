from collections.abc import Iterator

import pytest

from oharness.testing.note_store import NoteStore


@pytest.fixture
def store() -> Iterator[NoteStore]:
    made = NoteStore()
    yield made
    made.index.close()
