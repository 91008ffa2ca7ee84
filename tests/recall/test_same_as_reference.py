"""However an index came to be and whatever it keeps in memory, it answers as plain counting over all notes does."""

import math
import random
from collections.abc import Iterator, Mapping

import pytest

from oharness.core.scopes import ScopeKind
from oharness.disk import recall_index, recall_places
from oharness.disk.recall_index import RecallIndex
from oharness.recall.index import NoteTerms, note_terms
from oharness.recall.postings import IN_SUMMARY, IN_TAGS, LONG_BODY
from oharness.recall.score import Source, candidates, fitting
from oharness.recall.telling import Telling, telling_words
from oharness.testing.note_store import entry_of

pytestmark = pytest.mark.memory
WORDS = """
deploy deploys deploying deployment server servers port config configuration configure database postgres redis
getUserName username user_name cache caching cached heron walrus otter release releases v2.1.0 8081 test tests think
want good very just maybe people 猫 数据库连接 我的猫 缓存 déployer déploie serveur base données
""".split()  # noqa: SIM905
FREQUENCIES = [1 / (rank + 1) for rank in range(len(WORDS))]
NAMES = [f"n{number}" for number in range(60)]
BARS = (0.05, 0.3, 0.8, 1.2)
Notes = dict[str, NoteTerms]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of row and every limit is met by a few notes."""
    monkeypatch.setattr(recall_places, "FEW", 6)
    monkeypatch.setattr(recall_places, "CHUNK_BITS", 3)
    monkeypatch.setattr(recall_index, "_NOTES_OF_A_RARE_WORD", 3)
    monkeypatch.setattr(recall_index, "_MOST_CACHED_PLACES", 60)
    monkeypatch.setattr(recall_index, "_NOTES_AT_ONCE", 7)


@pytest.mark.parametrize("seed", range(8))
def test_an_index_answers_as_plain_counting_does_after_any_edits(seed: int) -> None:
    dice = random.Random(seed)
    kept: dict[ScopeKind, Notes] = {ScopeKind.PROJECT: {}, ScopeKind.USER: {}}
    indexes = {scope: RecallIndex.in_memory() for scope in kept}
    for scope, most in ((ScopeKind.PROJECT, 50), (ScopeKind.USER, 8)):
        change(dice, indexes[scope], kept[scope], NAMES[:most], [])
    for _ in range(6):
        for _ in range(4):
            compare(text(dice, dice.randint(1, 7)), indexes, kept)
        scope = dice.choice(list(kept))
        gone = dice.sample(sorted(kept[scope]), min(len(kept[scope]), dice.choice((0, 1, 30))))
        change(dice, indexes[scope], kept[scope], dice.sample(NAMES, dice.choice((1, 1, 9))), gone)
    for index in indexes.values():
        index.close()


def text(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(WORDS, FREQUENCIES, k=words))


def change(dice: random.Random, index: RecallIndex, kept: Notes, put: list[str], gone: list[str]) -> None:
    upserts = []
    for name in put:
        summary, tags = text(dice, dice.randint(1, 5)), dice.choices(WORDS, k=dice.randint(0, 2))
        body = text(dice, dice.choice((0, 3, 20, LONG_BODY + 150)))
        upserts.append((entry_of(name, summary, tags), body))
        kept[name] = note_terms(summary, tags, body)
    removed = [name for name in gone if name not in put]
    index.update(upserts, [], [f"{name}.md" for name in removed])
    for name in removed:
        del kept[name]


def compare(message: str, indexes: Mapping[ScopeKind, RecallIndex], kept: Mapping[ScopeKind, Notes]) -> None:
    sources = [Source(scope, index, {}) for scope, index in indexes.items()]
    found = candidates(message, sources)
    expected = dict(plain_scores(message, languages_of(indexes), kept))
    assert {(one.scope, one.entry.id): one.score for one in found} == pytest.approx(expected, rel=1e-9)
    for bar in BARS:
        assert fitting(message, sources, bar) == [one for one in found if one.score >= bar]


def languages_of(indexes: Mapping[ScopeKind, RecallIndex]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(language for index in indexes.values() for language in index.languages()))


def plain_scores(
    message: str, languages: tuple[str, ...], kept: Mapping[ScopeKind, Notes]
) -> Iterator[tuple[tuple[ScopeKind, str], float]]:
    """The score of every note that shares a word with the message, as docs/adr/0010 has it."""
    count = sum(map(len, kept.values()))
    words = [(word, keys_of(word, kept)) for word in telling_words(message, languages)]
    told = {word.spelled: information(holders(keys, kept), count, word.share) for word, keys in words}
    length = math.sqrt(sum(one * one for one in told.values()))
    for scope, notes in kept.items():
        for name, note in notes.items():
            held = 0.0
            for word, keys in words:
                weight = told[word.spelled]
                alike = information(sum(holding(word.beginning, notes) for notes in kept.values()), count, 0.0)
                begins = 0.5 * min(1.0, (alike / weight) ** 2) if weight and word.beginning in note.marks else 0.0
                held += weight * weight * max([begins, *(factor(note, key, word.bit) for key in keys)])
            if held:
                yield (scope, name), 0.309 * held / length


def keys_of(word: Telling, kept: Mapping[ScopeKind, Notes]) -> set[str]:
    every = {key for notes in kept.values() for note in notes.values() for key in note.marks}
    return {*word.keys, *(key for key in every if word.opens and key.startswith(word.keys[0]))}


def holders(keys: set[str], kept: Mapping[ScopeKind, Notes]) -> int:
    return sum(max(holding(key, notes) for key in keys) for notes in kept.values())


def holding(key: str, notes: Notes) -> int:
    return sum(key in note.marks for note in notes.values())


def information(count: int, notes: int, share: float) -> float:
    return -math.log(min(1.0, max(count - 1, 0) / max(notes + 30, 100) + share + 0.003))


def factor(note: NoteTerms, key: str, bit: int) -> float:
    mark = note.marks.get(key)
    if mark is None:
        return 0.0
    body = 0.8 * math.sqrt(LONG_BODY / note.body_words) if note.body_words > LONG_BODY else 0.8
    field = 1.2 if mark & IN_TAGS else 1.0 if mark & IN_SUMMARY else body
    return field if mark & bit else field * 0.8
