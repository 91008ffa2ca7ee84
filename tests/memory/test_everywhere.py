"""Forgetting everywhere leaves nothing, says what it cannot reach, and can be interrupted anywhere."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from oharness.core.errors import OharnessError
from oharness.core.scopes import ScopeKind
from oharness.disk.background_merges import BackgroundMerges, ScopePasses
from oharness.disk.extraction_jobs import ExtractionJobs, Waiting
from oharness.disk.filesystem import FileSystem
from oharness.disk.session_log import SessionLock
from oharness.disk.sync_state import SyncState
from oharness.extract.conversation import Speaker, Turn
from oharness.memory.everywhere import Receipt, check_known, forget_everywhere, left_of, look_everywhere
from oharness.memory.reading import list_notes
from oharness.memory.recall import count_recalled, recall_for_message
from oharness.memory.remember import RememberRequest, remember
from oharness.memory.scopes import Memory
from oharness.memory.service import NoteNotFound
from oharness.memory.tidying import Tidying
from oharness.memory.trace_places import Where, Why
from oharness.notes.note import Note
from oharness.testing.faults import Crashed, FaultyFileSystem, counted

pytestmark = pytest.mark.memory
World = Any
ID = "door-code-x1f"
SUMMARY = "The code of the back door is zyxwordle"
BODY = "It is zyxwordle since spring.\n\n**Why:** the old one was told to a customer."
FOUR_LANGUAGES = {
    "en": (SUMMARY, BODY, "Please remember that the code of our back door is zyxwordle. And buy milk."),
    "zh": ("后门的密码是紫罗兰七号门", "从春天开始使用。", "请记住后门的密码是紫罗兰七号门。另外买牛奶。"),
    "pt": (
        "O código da porta dos fundos é zyxwordle",
        "Desde a primavera.",
        "Lembre que o código da porta dos fundos é zyxwordle. Compre leite também.",
    ),
    "fr": (
        "Le code de la porte arrière est zyxwordle",
        "Depuis le printemps.",
        "Retiens que le code de la porte arrière est zyxwordle. Achète du lait aussi.",
    ),
}


def write(memory: Memory, body: str = BODY, **fields: Any) -> None:
    remember(
        memory, RememberRequest(**({"summary": SUMMARY, "id": ID, "scope": ScopeKind.PROJECT} | fields), body=body)
    )


def transcript(world: World, *texts: str, session: str = "talk123456") -> Path:
    """A conversation in which the person said these things, the last of them with the note attached."""
    folder: Path = world.home / "sessions" / "some-project"
    folder.mkdir(parents=True, exist_ok=True)
    attached = f'<recalled-memory>\n<note id="{ID}" scope="project">\n{SUMMARY}\n</note>\n</recalled-memory>'
    lines: list[dict[str, Any]] = [{"kind": "session", "version": 1, "id": session, "startedAt": 1}]
    for text in texts:
        lines.append({"kind": "user", "at": 2, "blocks": [{"type": "text", "text": text}]})
    lines[-1]["blocks"].append({"type": "attached", "source": "memory", "text": attached})
    lines[-1]["metadata"] = {"recalled": [{"scope": "project", "id": ID, "hash": "ab", "score": 2}]}
    call = {"type": "call", "callId": "c1", "tool": "remember", "arguments": {"summary": "zyxwordle opens", "body": ""}}
    result = {"type": "result", "callId": "c1", "tool": "remember", "text": f"Saved [{ID}]", "data": {"id": ID}}
    lines.append({"kind": "assistant", "at": 3, "blocks": [call]})
    lines.append({"kind": "tool", "at": 4, "blocks": [result]})
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def grep(*folders: Path, word: str = "zyxwordle") -> list[Path]:
    """Every file below the folders that holds the word."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if word.encode() in path.read_bytes()]


def everything(world: World) -> Memory:
    """A note with traces of it in every place that one machine has."""
    memory: Memory = world.open()
    write(memory, body="An older body with zyxwordle in it.")
    write(memory)
    around = memory.around
    jobs = ExtractionJobs.of_scope(
        around.files, around.home, memory.service(ScopeKind.PROJECT).scope, around.clock, around.randomness
    )
    jobs.add("talk", "", [Turn(Speaker.USER, FOUR_LANGUAGES["en"][2], around.clock.now_ms())])
    transcript(world, FOUR_LANGUAGES["en"][2], "what is the code of the back door?")
    audit = world.home / "audit" / "2026-11-30.jsonl"
    audit.parent.mkdir(exist_ok=True)
    audit.write_text(json.dumps({"tool": "memory", "arguments": {"query": {"value": SUMMARY}}}) + "\n")
    (world.home / "chat-history").write_text(f"# 2026\n+{FOUR_LANGUAGES['en'][2]}\n+hello\n")
    (world.notes / ".oharness-0123456789abcdef.tmp").write_text(SUMMARY)
    (world.home / "sessions" / ".oharness-0123456789abcdee.tmp").write_text(SUMMARY)
    unfinished = world.home / "memory-tidy" / "unfinished" / ".oharness-0123456789abcded.tmp"
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    unfinished.write_text(SUMMARY)
    return memory


def git(world: World, *arguments: str) -> None:
    names = ("-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *arguments], cwd=world.root, check=True, capture_output=True)


def counts(receipt: Receipt) -> dict[Where, int]:
    return {one.where: one.count for one in receipt.removed}


def test_nothing_is_left_when_the_disk_is_searched_and_the_receipt_says_what_went(world: World) -> None:
    memory = everything(world)
    receipt = forget_everywhere(memory, ID, None)
    assert grep(world.home, world.root) == []
    assert counts(receipt).keys() >= {
        Where.NOTE,
        Where.BACKUPS,
        Where.TRANSCRIPTS,
        Where.AUDIT_LOG,
        Where.CHAT_HISTORY,
        Where.EXTRACTION,
        Where.LEFTOVERS,
        Where.RECALL_INDEX,
    }
    assert receipt.kept == ()


def test_its_name_goes_too_wherever_it_was_kept(world: World) -> None:
    memory = everything(world)
    write(memory, body=f"{BODY} See [[nowhere-a]].")
    tidying = Tidying(memory)
    tidying.dismiss(next(one.id for one in tidying.findings() if ID in one.notes))
    count_recalled(memory, recall_for_message(memory, SUMMARY))
    counts_file = next((world.home / "memory-usage").iterdir())
    counts_file.with_name(f"{counts_file.name}.damaged-1").write_text(f'{{"notes": {{"{ID}"')
    merges = BackgroundMerges(memory.around.files, memory.around.home)
    scope = memory.service(ScopeKind.PROJECT).scope
    merges.keep(scope, ScopePasses(tried=(f"{ID}:ab other-a:cd", "other-a:cd other-b:ef")))
    assert len(grep(world.home, word=ID)) > 5
    look = look_everywhere(memory, ID, None)
    receipt = forget_everywhere(memory, ID, None)
    assert grep(world.home, world.root, word=ID) == []
    assert counts(receipt)[Where.RECORDS] == 3
    assert {one.where for one in look.found} == counts(receipt).keys() - {Where.RECALL_INDEX}
    assert merges.of(scope).tried == ("other-a:cd other-b:ef",)


def test_a_background_pass_that_runs_keeps_its_record_and_is_said(world: World) -> None:
    memory = everything(world)
    merges = BackgroundMerges(memory.around.files, memory.around.home)
    merges.keep(memory.service(ScopeKind.PROJECT).scope, ScopePasses(tried=(f"{ID}:ab other-a:cd",)))
    lock = merges.lock()
    assert lock is not None
    receipt = forget_everywhere(memory, ID, None)
    lock.release()
    assert [(one.where, one.why) for one in receipt.kept] == [(Where.RECORDS, Why.IN_USE)]
    forget_everywhere(world.open(), ID, None)
    assert grep(world.home, world.root, word=ID) == []


def test_the_look_lists_what_the_receipt_will_say(world: World) -> None:
    memory = everything(world)
    look = look_everywhere(memory, ID, None)
    receipt = forget_everywhere(memory, ID, None)
    assert {one.where for one in look.found} == counts(receipt).keys() - {Where.RECALL_INDEX}


def test_looking_changes_nothing(world: World) -> None:
    memory = everything(world)
    kept = [path for path in world.home.rglob("*") if path.is_file() and path.suffix != ".sqlite"]
    before = {path: path.read_bytes() for path in kept}
    look_everywhere(memory, ID, None)
    left_of(memory, ID, None)
    assert {path: path.read_bytes() for path in kept} == before


def test_whoever_keeps_the_memory_open_goes_on_with_it(world: World) -> None:
    memory = everything(world)
    write(memory, id="deploy-a1b", summary="We deploy on Thursdays", body="After lunch.")
    forget_everywhere(memory, ID, None)
    assert [one.entry.id for one in list_notes(memory).notes] == ["deploy-a1b"]
    assert [one.note.id for one in recall_for_message(memory, "when do we deploy?").attached] == ["deploy-a1b"]
    write(memory, id="heron-a1b", summary="The server is called heron", body="")
    assert len(list_notes(memory).notes) == 2
    assert memory.warnings() == []
    assert grep(world.home, world.root) == []


def test_other_words_and_other_notes_stay(world: World) -> None:
    memory = everything(world)
    remember(memory, RememberRequest(summary="We deploy on Thursdays", id="deploy-a", scope=ScopeKind.PROJECT))
    path = transcript(world, FOUR_LANGUAGES["en"][2], "what is for lunch?", session="other12345")
    forget_everywhere(memory, ID, None)
    told = path.read_text()
    assert "And buy milk." in told
    assert "what is for lunch?" in told
    assert "+hello" in (world.home / "chat-history").read_text()
    assert world.open().service(ScopeKind.PROJECT).entry("deploy-a") is not None
    records = [json.loads(line) for line in told.splitlines()]
    assert records[2]["metadata"]["recalled"] == []
    assert len(records) == 5, "every message is still there"


@pytest.mark.parametrize("language", FOUR_LANGUAGES)
def test_the_sentence_that_says_it_goes_and_the_next_one_stays(world: World, language: str) -> None:
    summary, body, said = FOUR_LANGUAGES[language]
    memory = world.open()
    write(memory, body, summary=summary)
    path = transcript(world, said)
    forget_everywhere(memory, ID, None)
    told = path.read_text(encoding="utf-8")
    assert "zyxwordle" not in told
    assert "紫罗兰" not in told
    assert any(word in told for word in ("buy milk", "买牛奶", "Compre leite", "Achète du lait"))


@pytest.mark.parametrize(
    "answer",
    [
        "Understood, zyxwordle opens the back door.",
        "It's zyxwordle.",
        "The code is zyxwordle!",
        "zyxwordle",
        "Zyxwordle?",
    ],
)
def test_an_answer_that_gives_only_the_telling_part_away_goes_too(world: World, answer: str) -> None:
    memory = world.open()
    write(memory, summary=f"{SUMMARY} and it opens the dock")
    path = transcript(world, f"{answer}\nLunch is at noon.", "The back is up.", "We open on Monday.")
    forget_everywhere(memory, ID, None)
    told = path.read_text()
    assert "zyxwordle" not in told.lower()
    assert all(kept in told for kept in ("Lunch is at noon.", "The back is up.", "We open on Monday."))


def test_forgetting_before_leaves_backups_that_forgetting_everywhere_finds(world: World) -> None:
    from oharness.memory.forget import forget

    memory = everything(world)
    forget(memory, ID, None)
    assert grep(world.home / "memory-backups")
    forget_everywhere(memory, ID, None)
    assert grep(world.home, world.root) == []
    again = world.open()
    assert left_of(again, ID, None).found == ()


def test_what_is_left_is_found_by_the_fingerprint_when_no_text_is_left_to_look_for(world: World) -> None:
    memory = everything(world)
    forget_everywhere(memory, ID, None)
    again = world.open()
    assert left_of(again, ID, None).found == ()
    transcript(world, "by the way, the code of the back door is zyxwordle", session="later12345")
    (found,) = left_of(again, ID, None).found
    assert found.where is Where.TRANSCRIPTS


def test_the_fingerprint_keeps_no_word_of_the_note(world: World) -> None:
    memory = everything(world)
    forget_everywhere(memory, ID, None)
    kept = "".join(path.read_text() for path in (world.home / "memory-forgotten").iterdir())
    assert not any(word in kept for word in ("zyxwordle", "door", "code", ID))


def test_a_conversation_that_is_open_somewhere_stays_and_is_said(world: World) -> None:
    memory = everything(world)
    path = transcript(world, SUMMARY, session="open123456")
    lock = SessionLock(path.parent, "open123456")
    try:
        receipt = forget_everywhere(memory, ID, None)
    finally:
        lock.release()
    assert [(one.where, one.why) for one in receipt.kept] == [(Where.TRANSCRIPTS, Why.IN_USE)]
    assert grep(world.home) == [path]
    forget_everywhere(world.open(), ID, None)
    assert grep(world.home) == []


def test_a_note_that_says_the_same_is_named_and_kept(world: World) -> None:
    memory = everything(world)
    remember(memory, RememberRequest(summary=SUMMARY, id="other-a", scope=ScopeKind.PROJECT))
    receipt = forget_everywhere(memory, ID, None)
    assert [(one.where, one.detail) for one in receipt.kept] == [(Where.OTHER_NOTES, "other-a")]


def test_earlier_versions_of_other_notes_that_say_the_same_are_named_and_kept(world: World) -> None:
    memory = everything(world)
    merged = RememberRequest(summary="Doors of the house", body=f"The front door is blue.\n{SUMMARY}", id="doors-a")
    remember(memory, merged)
    remember(memory, RememberRequest(summary="Doors of the house", body="The front door is blue.", id="doors-a"))
    look = look_everywhere(memory, ID, None)
    receipt = forget_everywhere(memory, ID, None)
    named = [(one.where, one.detail) for one in receipt.kept]
    assert named == [(Where.OTHER_VERSIONS, "doors-a")]
    assert look.stays == receipt.kept
    assert left_of(world.open(), ID, None).stays == receipt.kept
    memory = world.open()
    assert len(memory.backups.readable_of("doors-a")) == 1, "it may be all that is left of another note"
    forget_everywhere(memory, "doors-a", None)
    assert left_of(world.open(), ID, None).stays == ()


def test_a_synced_copy_of_another_note_that_says_the_same_is_named(world: World) -> None:
    memory = everything(world)
    remember(memory, RememberRequest(summary="Doors of the house", body="Blue.", id="doors-a", scope=ScopeKind.PROJECT))
    state = SyncState(memory.around.files, memory.around.home, memory.service(ScopeKind.PROJECT).scope, "device-a")
    state.copies.save(
        {"h1": Note("doors-a", "Doors of the house", SUMMARY), "h2": Note("other-a", "Something", "else")}
    )
    receipt = forget_everywhere(memory, ID, None)
    assert [(one.where, one.detail) for one in receipt.kept] == [(Where.OTHER_VERSIONS, "doors-a")]
    memory = world.open()
    forget_everywhere(memory, "doors-a", None)
    assert left_of(world.open(), ID, None).stays == ()


def test_commits_that_hold_the_note_are_named(world: World) -> None:
    git(world, "init", "-q")
    memory = everything(world)
    git(world, "add", "-A")
    git(world, "commit", "-q", "-m", "notes")
    receipt = forget_everywhere(memory, ID, None)
    assert [(one.where, one.detail) for one in receipt.kept] == [(Where.GIT_HISTORY, f"MEMORY/{ID}.md")]
    assert left_of(world.open(), ID, None).stays == receipt.kept


def test_an_id_that_never_was_is_an_error_with_ids_like_it(world: World) -> None:
    memory = everything(world)
    with pytest.raises(NoteNotFound) as caught:
        check_known(memory, look_everywhere(memory, "door-code-x1g", None))
    assert caught.value.close == (ID,)


def test_a_forgotten_conversation_is_not_extracted_later(world: World) -> None:
    memory = everything(world)
    forget_everywhere(memory, ID, None)
    (jobs,) = ExtractionJobs.all_folders(
        memory.around.files, memory.around.home, memory.around.clock, memory.around.randomness
    )
    (job,) = jobs.all()
    assert isinstance(job.step, Waiting)
    assert job.step.turns[0].text.endswith("And buy milk.")


def interrupted(world: World) -> Iterator[FaultyFileSystem]:
    """After a crash at every file operation of forgetting everywhere, one after the other."""
    for number in range(0, 2000, 3):
        for folder in (world.root, world.home):
            shutil.rmtree(folder, ignore_errors=True)
        world.root.mkdir()
        everything(world)
        files = FaultyFileSystem()
        memory = world.open(files)
        files._fail = counted(number, Crashed())
        files.operations.clear()
        with suppress(Crashed, OharnessError):
            forget_everywhere(memory, ID, None)
        yield files
        if len(files.operations) <= number:
            assert number > 30
            return
    raise AssertionError("the operation never came to its end")


def test_interrupted_anywhere_the_same_command_finishes(world: World) -> None:
    for files in interrupted(world):
        forget_everywhere(world.open(), ID, None)
        assert grep(world.home, world.root) == [], files.operations[-1:]
        assert left_of(world.open(), ID, None).found == ()


def test_a_half_written_line_of_a_transcript_is_cleaned_too(world: World) -> None:
    memory = everything(world)
    path = transcript(world, "hello", session="torn123456")
    with path.open("a") as file:
        file.write('{"kind":"user","at":5,"blocks":[{"type":"text","text":"The code of the back door is zyxwordle')
    forget_everywhere(memory, ID, None)
    assert grep(world.home, world.root) == []
    assert FileSystem().exists(path)
