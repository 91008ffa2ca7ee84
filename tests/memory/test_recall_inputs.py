"""Inputs that broke the recall of other tools, each by its number in the list that they were collected in."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from oharness.core.clock import Millis
from oharness.extract.conversation import Speaker, said
from oharness.memory.reading import index_of, search_notes
from oharness.memory.recall import count_recalled, explain_recall, recall_for_message
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.scopes import Memory
from oharness.plugins.memory.tools import looked_up

pytestmark = pytest.mark.memory
World = Any
SETS = Path(__file__).parents[1] / "recall" / "sets"
HOSTILE = 'don\'t pre-edit C++ GB/s "x" a:b (c) ^d* OR NOT'


def recalled(memory: Memory, message: str) -> list[str]:
    found = recall_for_message(memory, message)
    assert [notice.key for notice in found.notices] == []
    return [one.note.id for one in found.attached]


def put_set(world: World, *names: str) -> int:
    """Drops the notes of written sets into the project."""
    rows = [
        json.loads(line)
        for name in names
        for line in (SETS / name / "notes.jsonl").read_text(encoding="utf-8").split("\n")
        if line
    ]
    for row in rows:
        world.put(row["id"], summary=row["summary"], tags=tuple(row["tags"]), body=row["body"])
    return len(rows)


@pytest.mark.parametrize(
    ("summary", "query"),
    [
        ("re\u0301sume\u0301", "r\u00e9sum\u00e9"),
        ("r\u00e9sum\u00e9", "re\u0301sume\u0301"),
        (unicodedata.normalize("NFD", "학점인정"), unicodedata.normalize("NFC", "학점인정")),
        (unicodedata.normalize("NFD", "ガイドライン"), "ｶﾞｲﾄﾞﾗｲﾝ"),
    ],
)
def test_A13_a_note_in_one_unicode_form_is_recalled_by_a_message_in_another(
    world: World, summary: str, query: str
) -> None:
    world.put("note", summary=summary)
    assert recalled(world.open(), query) == ["note"]


@pytest.mark.parametrize("at", [7_000, 120_000, 131_000 - 200])
def test_A19_a_word_far_down_in_a_body_is_found(world: World, at: int) -> None:
    world.put("long", summary="A long report", body=("filler words go on " * 7_000)[:at] + " zyxwordle")
    memory = world.open()
    assert [one.entry.id for one in search_notes(memory, "zyxwordle")] == ["long"]
    assert recalled(memory, "zyxwordle") == []


@pytest.mark.parametrize(
    ("summary", "query"),
    [
        ("人工智能技术路线", "技术路线"),
        ("人工智能技术路线", "我们的技术路线是什么？"),
        ("我的猫叫小黑", "猫"),
        ("rerank精排模型", "rerank精排模型"),
        ("rerank精排模型", "精排模型用哪个"),
        ("サーバーの設定", "サーバー設定はどこ?"),
        ("데이터베이스 백업", "데이터베이스 백업은 언제?"),
    ],
)
def test_C29_queries_in_chinese_japanese_and_korean_find_their_notes(world: World, summary: str, query: str) -> None:
    world.put("note", summary=summary)
    world.put("other", summary="每周二上午发布")
    assert recalled(world.open(), query) == ["note"]


@pytest.mark.parametrize(
    ("summary", "query"),
    [
        ("Настройки кэша", "настройка кэша"),
        ("Ρυθμίσεις κρυφής μνήμης", "ρυθμίσεις μνήμης"),
        ("إعدادات الذاكرة", "إعدادات الذاكرة"),
        ("การตั้งค่า", "การตั้งค่า"),
        ("सेटिंग्स", "सेटिंग्स"),
        ("הגדרות מטמון", "הגדרות מטמון"),
    ],
)
def test_C31_every_script_is_recalled(world: World, summary: str, query: str) -> None:
    world.put("note", summary=summary)
    world.put("other", summary="Deploys are on Thursdays")
    assert recalled(world.open(), query) == ["note"]


def test_C32_recall_the_tool_search_and_related_notes_share_one_tokenizer(world: World) -> None:
    world.put("utc", summary="Serialize timestamps in UTC to avoid bugs")
    memory = world.open()
    query = "timestamp bug"
    assert recalled(memory, query) == ["utc"]
    assert [one.entry.id for one in search_notes(memory, query)] == ["utc"]
    assert "[utc]" in looked_up(memory, {"query": query}).text
    written = remember(memory, RememberRequest(summary=query))
    assert [one.entry.id for one in written.related] == ["utc"]


def test_C32_the_same_words_in_other_forms_are_a_likely_duplicate(world: World) -> None:
    world.put("utc", summary="Serialize timestamps in UTC to avoid bugs")
    written = remember(world.open(), RememberRequest(summary="Serializing a timestamp in UTC avoids bugs"))
    assert written.duplicate_of is not None
    assert written.duplicate_of.entry.id == "utc"


@pytest.mark.parametrize(
    "message",
    ["hi", "thanks", "continue", "QQQQ nothing here", "what time is it", "ok", "yes please", "你好", "merci !"],
)
def test_C35_with_two_hundred_notes_small_talk_gets_none(world: World, message: str) -> None:
    assert put_set(world, "en", "fr", "pt", "zh") >= 200
    assert recalled(world.open(), message) == []


@pytest.mark.parametrize(
    ("summary", "message"),
    [
        ("The organisation tree is cached for ten minutes", "I'll be back in ten minutes"),
        ("L'arbre des services est gardé dix minutes", "je reviens dans dix minutes"),
        ("Der Baum der Abteilungen bleibt zehn Minuten im Speicher", "bin in zehn Minuten zurück"),
        ("A árvore de setores fica dez minutos na memória", "volto em dez minutos"),
    ],
)
def test_C35_a_span_of_time_is_no_subject(world: World, summary: str, message: str) -> None:
    put_set(world, "en", "fr", "pt")
    world.put("tree", summary=summary)
    assert recalled(world.open(), message) == []


def test_C37_a_file_extension_in_a_message_recalls_nothing(world: World) -> None:
    world.put("js", summary="Frontend code style", tags=("js",))
    world.put("md", summary="Where documents live", tags=("md",))
    memory = world.open()
    assert recalled(memory, "rename gmail-filters.js") == []
    assert recalled(memory, "open notes.md and README.md") == []
    assert recalled(memory, "what is our js code style?") == ["js"]


def test_C38_a_note_recalled_500_times_is_not_lifted_over_the_bar(world: World) -> None:
    put_set(world, "en")
    memory = world.open()
    favourite = recall_for_message(memory, "what day do we deploy again")
    assert [one.note.id for one in favourite.attached] == ["deploy-thursdays"]
    for _ in range(500):
        count_recalled(memory, favourite)
    assert memory.project.uses() == {"deploy-thursdays": 500}
    for message in ("how do I center a div", "write a haiku", "my test data on staging is gone", "rename foo to bar"):
        assert "deploy-thursdays" not in recalled(memory, message)
    before = {
        one.candidate.entry.id: one.candidate.score
        for one in explain_recall(memory, "what day do we deploy again").verdicts
    }
    assert before["deploy-thursdays"] == pytest.approx(favourite.attached[0].score)


def test_C40_extraction_does_not_read_what_was_recalled(world: World) -> None:
    world.put("deploys", summary="We deploy on Thursdays", body="Never before a holiday.")
    block = recall_for_message(world.open(), "When do we deploy on Thursdays?").block
    assert "Never before a holiday." in block
    assert said(Speaker.USER, block, Millis(1)) is None
    turn = said(Speaker.USER, f"When do we deploy?\n\n{block}\n\nTell me.", Millis(1))
    assert turn is not None
    assert "Thursdays" not in turn.text
    assert turn.text.startswith("When do we deploy?")


@pytest.mark.parametrize(
    "text", [HOSTILE, '"', "*", "a AND", "-x", "NEAR(", "{a}:b", "'; DROP TABLE note; --", "\x00", "\ud800"]
)
def test_C41_any_text_is_a_query_and_never_an_error(world: World, text: str) -> None:
    world.put("cpp", summary="C++ builds need 8 GB/s disks", body="pre-edit hooks run first")
    memory = world.open()
    recalled(memory, text)
    search_notes(memory, text)
    assert not looked_up(memory, {"query": text}).is_error


def test_C41_the_words_around_the_signs_are_found(world: World) -> None:
    world.put("cpp", summary="C++ builds need fast disks")
    world.put("other", summary="Deploys are on Thursdays")
    memory = world.open()
    assert [one.entry.id for one in search_notes(memory, HOSTILE)] == ["cpp"]
    assert recalled(memory, "C++ builds?") == ["cpp"]


def test_C43_the_index_shows_the_newest_and_counts_the_rest(world: World) -> None:
    for number in range(300):
        world.put(f"n{number:03}", summary=f"Decision number {number}", updated_at=1_788_000_000_000 + number)
    shown = index_of(world.open(index_chars=4000))
    lines = shown.text.split("\n")
    assert len(shown.text) <= 4000
    assert shown.shown + shown.counted == 300
    assert [line.split("]")[0] for line in lines[:2]] == ["- [n299", "- [n298"]
    assert lines[-1] == f"… and {shown.counted} more; use the memory tool"


def test_C43_one_endless_summary_does_not_hide_the_others(world: World) -> None:
    world.put("endless", summary="word " * 1000, updated_at=1_788_000_009_000)
    for number in range(10):
        world.put(f"n{number}", summary=f"Decision number {number}")
    shown = index_of(world.open(index_chars=4000))
    assert (shown.shown, shown.counted) == (10, 1)


def test_C43_a_summary_of_two_lines_stays_on_one(world: World) -> None:
    world.put("two", summary="First line\nsecond line\u2028third")
    shown = index_of(world.open())
    assert shown.text.count("\n") == 0
    assert "First line second line" in shown.text


def test_C44_files_dropped_in_changed_and_deleted_by_hand_count_at_the_next_message(world: World) -> None:
    world.put("gone", summary="Walruses sleep on the pier")
    memory = world.open()
    assert recalled(memory, "walruses on the pier") == ["gone"]
    (world.notes / "gone.md").unlink()
    path = world.put("new", summary="Herons fish at the weir")
    assert recalled(memory, "walruses on the pier") == []
    assert recalled(memory, "herons at the weir") == ["new"]
    path.write_text(path.read_text().replace("Herons fish at the weir", "Otters play under the bridge"))
    assert recalled(memory, "herons at the weir") == []
    assert recalled(memory, "otters under the bridge") == ["new"]
