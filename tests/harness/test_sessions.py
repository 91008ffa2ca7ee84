"""Sessions on disk: nothing said is lost, a torn end is cut off, and two processes do not mix their lines."""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from oharness.core.clock import Millis
from oharness.core.errors import StorageFailed
from oharness.disk.session_log import SessionInUse, TranscriptUnreadable, read_transcript
from oharness.harness.descriptors import MessageAddition, Notice, RunContext
from oharness.harness.messages import (
    AttachedBlock,
    Message,
    Role,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    own_text,
)
from oharness.harness.pairing import LOST
from oharness.harness.sessions import (
    AmbiguousSession,
    NoSuchSession,
    Session,
    list_sessions,
    read_session,
    resume_session,
    start_session,
    title_of,
    unsaved_session,
)
from oharness.harness.transcript_json import Shortened
from oharness.testing.clock import START_MS, FakeClock
from oharness.testing.desk import desk, finished
from oharness.testing.model import says
from oharness.testing.randomness import SeededRandomness

pytestmark = pytest.mark.plugins

AT = Millis(START_MS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "sessions" / "project-1"


def started(folder: Path, seed: int = 1, clock: FakeClock | None = None) -> Session:
    return start_session(folder, "project-1", clock or FakeClock(), SeededRandomness(seed))


def user(text: str, at: int = START_MS, **metadata: object) -> Message:
    return Message(Role.USER, (TextBlock(text),), Millis(at), metadata)


def answer(text: str) -> Message:
    return Message(Role.ASSISTANT, (TextBlock(text),), AT)


EVERYTHING = (
    Message(
        Role.USER,
        (TextBlock("wörds “of” 我\u2028\x85\x00 and \ud800"), AttachedBlock("memory", "<note>\n</note>")),
        AT,
        {"recalled": [{"id": "a", "scope": "user", "score": 1.5}], "deep": {"x": [None, True, 1e300]}},
    ),
    Message(Role.ASSISTANT, (TextBlock("see"), ToolCallBlock("c1", "read", {"path": "a\nb", "n": [1, {}]})), AT),
    Message(Role.TOOL, (ToolResultBlock("c1", "read", "text", True, {"lines": 3}),), AT),
)


async def test_a_session_reads_back_as_it_was(folder: Path) -> None:
    session = started(folder)
    for message in EVERYTHING:
        await session.store(message)
    session.close()
    again = resume_session(folder, session.session_id)
    assert again.live == EVERYTHING
    assert again.damaged == 0
    again.close()


async def test_the_file_has_a_header_with_its_version_and_one_line_for_each_message(folder: Path) -> None:
    session = started(folder)
    await session.store(user("hello"))
    session.close()
    header, message, end = (folder / f"{session.session_id}.jsonl").read_text(encoding="utf-8").split("\n")
    assert end == ""
    assert json.loads(header) == {
        "kind": "session",
        "version": 1,
        "id": session.session_id,
        "projectId": "project-1",
        "startedAt": START_MS,
    }
    assert json.loads(message) == {"kind": "user", "at": START_MS, "blocks": [{"type": "text", "text": "hello"}]}


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_transcripts_are_private(folder: Path) -> None:
    session = started(folder)
    asyncio.run(session.store(user("hello")))
    session.close()
    assert (folder / f"{session.session_id}.jsonl").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_session_without_a_message_leaves_no_file(folder: Path) -> None:
    started(folder).close()
    assert list(folder.iterdir()) == []


def test_a_file_that_a_full_disk_left_empty_is_no_conversation(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "abcdefghij.jsonl").touch()
    listed = list_sessions(folder)
    assert (listed.sessions, listed.unreadable) == ((), ())


def test_looking_at_sessions_creates_nothing(folder: Path) -> None:
    assert list_sessions(folder).sessions == ()
    with pytest.raises(NoSuchSession):
        read_session(folder, "latest")
    with pytest.raises(NoSuchSession):
        resume_session(folder, "abc")
    assert not folder.exists()


async def test_a_session_is_found_by_id_by_its_beginning_and_as_the_latest(folder: Path) -> None:
    clock = FakeClock()
    ids = []
    for seed in range(3):
        session = started(folder, seed, clock)
        clock.advance(60)
        await session.store(user(f"message {seed}", clock.now_ms()))
        session.close()
        ids.append(session.session_id)
    assert len({session_id[0] for session_id in ids}) == 3
    assert read_session(folder, ids[0]).title == "message 0"
    assert read_session(folder, ids[1][:4]).title == "message 1"
    assert read_session(folder, "latest").title == "message 2"
    (folder / f"{ids[0][:3]}zzz.jsonl").write_bytes((folder / f"{ids[0]}.jsonl").read_bytes())
    with pytest.raises(AmbiguousSession) as caught:
        read_session(folder, ids[0][:3])
    assert set(caught.value.matches) == {ids[0], f"{ids[0][:3]}zzz"}
    for nothing in ("", "zzz", "../x", ids[0].upper()):
        with pytest.raises(NoSuchSession):
            read_session(folder, nothing)


async def test_the_list_shows_title_dates_and_count_last_used_first(folder: Path) -> None:
    clock = FakeClock()
    old, new = started(folder, 1, clock), started(folder, 2, clock)
    await new.store(user("new one", clock.now_ms()))
    clock.advance(5)
    await old.store(user("old one", clock.now_ms()))
    await old.store(answer("fine"))
    for message in EVERYTHING:
        await old.store(replace(message, at=clock.now_ms()))
    listed = list_sessions(folder).sessions
    assert [(summary.title, summary.started_at, summary.message_count) for summary in listed] == [
        ("old one", START_MS, 4),
        ("new one", START_MS, 1),
    ]
    assert listed[0].last_at == START_MS + 5000
    old.close()
    new.close()


async def test_titles_are_the_persons_own_words_and_nothing_attached() -> None:
    attached = Message(Role.USER, (AttachedBlock("memory", "secret note"), TextBlock("  my\n\nown\twords ")), AT)
    only_attached = Message(Role.USER, (AttachedBlock("memory", "secret note"),), AT)
    assert title_of([answer("me first"), only_attached, attached]) == "my own words"
    assert title_of([only_attached]) == ""
    long = title_of([user("word " * 100)])
    assert len(long) <= 60
    assert long.endswith("…")
    assert title_of([user("\x1b[31mred\x07 \u202eturned")]) == "[31mred turned"


def test_a_torn_last_line_is_cut_off_and_the_session_goes_on(folder: Path) -> None:
    whole = transcript_bytes(user("one"), answer("zwei 我"))
    path = folder / "s.jsonl"
    folder.mkdir(parents=True)
    for end in range(whole.rindex(b"\n", 0, -1) + 1, len(whole)):
        path.write_bytes(whole[:end])
        kept = ["one", "zwei 我"] if end == len(whole) - 1 else ["one"]  # only the newline was missing
        torn = len(kept) == 1 and whole[end - 1 : end] != b"\n"
        session = resume_session(folder, "s")
        assert [own_text(message) for message in session.live] == kept
        assert session.damaged == torn
        asyncio.run(session.store(user("three")))
        session.close()
        stored = read_session(folder, "s")
        assert [own_text(entry) for entry in stored.entries if isinstance(entry, Message)] == [*kept, "three"]
        assert stored.damaged == 0


def transcript_bytes(*messages: Message) -> bytes:
    lines = ['{"kind":"session","version":1,"id":"s","startedAt":1}']
    for message in messages:
        block = json.dumps({"type": "text", "text": own_text(message)})
        lines.append(f'{{"kind":"{message.role}","at":{message.at},"blocks":[{block}]}}')
    return ("\n".join(lines) + "\n").encode()


def test_a_bad_line_in_the_middle_is_reported_and_hides_nothing_else(folder: Path) -> None:
    folder.mkdir(parents=True)
    lines = transcript_bytes(user("one"), answer("two"), user("three")).split(b"\n")
    for bad in (b"\x00" * 40, b"{", b"[]", b'{"kind":"user"}', b'{"kind":"user","at":1,"blocks":[{"type":"call"}]}'):
        (folder / "s.jsonl").write_bytes(b"\n".join([lines[0], lines[1], bad, *lines[3:]]))
        stored = read_session(folder, "s")
        assert [own_text(entry) for entry in stored.entries if isinstance(entry, Message)] == ["one", "three"]
        assert stored.damaged == 1


@pytest.fixture
def torn(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_bytes(transcript_bytes(user("one")) + b'{"kind":"assis')
    return folder


async def test_what_could_not_be_read_is_told_with_the_first_message(torn: Path) -> None:
    at = desk(session=resume_session(torn, "s"))
    assert (await at.say("hi"))[0] == Notice("transcript-damaged", {"count": 1})
    assert not [event for event in await at.say("hi") if isinstance(event, Notice)]
    await at.agent.close()


def test_kinds_and_blocks_of_a_later_version_are_passed_over(folder: Path) -> None:
    folder.mkdir(parents=True)
    blocks = '[{"type":"image","data":"x"},{"type":"text","text":"hello"}]'
    later = f'{{"kind":"mood","value":3}}\n{{"kind":"user","at":1,"blocks":{blocks}}}\n'.encode()
    (folder / "s.jsonl").write_bytes(transcript_bytes() + later)
    stored = read_session(folder, "s")
    assert [own_text(entry) for entry in stored.entries if isinstance(entry, Message)] == ["hello"]
    assert stored.damaged == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"hello\n", "no-header"),
        (b'{"kind":"user","at":1,"blocks":[]}\n', "no-header"),
        (b'{"kind":"session","version":2}\n', "newer-version"),
        (b'{"kind":"session"}\n', "newer-version"),
    ],
)
def test_a_file_that_is_no_transcript_is_said_and_hides_no_other(folder: Path, content: bytes, reason: str) -> None:
    folder.mkdir(parents=True)
    (folder / "bad.jsonl").write_bytes(content)
    (folder / "good.jsonl").write_bytes(transcript_bytes(user("hi")))
    with pytest.raises(TranscriptUnreadable) as caught:
        resume_session(folder, "bad")
    assert caught.value.reason == reason
    listed = list_sessions(folder)
    assert [summary.session_id for summary in listed.sessions] == ["good"]
    assert listed.unreadable == (folder / "bad.jsonl",)
    assert (folder / "bad.jsonl").read_bytes() == content
    resume_session(folder, "latest").close()


async def test_a_session_is_open_once(folder: Path) -> None:
    session = started(folder)
    await session.store(user("hi"))
    with pytest.raises(SessionInUse):
        resume_session(folder, session.session_id)
    assert read_session(folder, session.session_id).title == "hi"
    session.close()
    session.close()
    resume_session(folder, session.session_id).close()


def test_another_process_cannot_open_it_and_killing_the_holder_frees_it(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_bytes(transcript_bytes(user("hi")))
    program = (
        "import sys; from pathlib import Path; from oharness.harness.sessions import resume_session\n"
        "session = resume_session(Path(sys.argv[1]), 's'); print('open', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(SessionInUse):
            resume_session(folder, "s")
        holder.kill()
    resume_session(folder, "s").close()


def test_every_message_that_was_said_to_be_saved_survives_kill_9(folder: Path) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; from oharness.core.clock import Millis\n"
        "from oharness.harness.messages import Message, Role, TextBlock\n"
        "from oharness.harness.sessions import start_session\n"
        "from oharness.testing.clock import FakeClock; from oharness.testing.randomness import SeededRandomness\n"
        "async def main():\n"
        "    session = start_session(Path(sys.argv[1]), 'p', FakeClock(), SeededRandomness(1))\n"
        "    for number in range(100_000):\n"
        "        await session.store(Message(Role.USER, (TextBlock(f'{number} ' + 'x' * 5000),), Millis(number)))\n"
        "        print(number, flush=True)\n"
        "asyncio.run(main())"
    )
    writer = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True)
    with writer:
        assert writer.stdout is not None
        for _ in range(200):
            writer.stdout.readline()
        writer.kill()
        told = 200 + len(writer.stdout.readlines())
    session = resume_session(folder, "latest")
    numbers = [int(own_text(message).split()[0]) for message in session.live]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) in (told, told + 1)
    session.close()


async def test_a_call_without_its_result_gets_one_when_the_session_is_resumed(folder: Path) -> None:
    session = started(folder)
    for message in EVERYTHING[:2]:
        await session.store(message)
    session.close()
    again = resume_session(folder, session.session_id)
    (result,) = again.live[-1].blocks
    assert isinstance(result, ToolResultBlock)
    assert (result.call_id, result.text, result.is_error) == ("c1", LOST, True)
    again.close()


async def test_attached_ids_survive_resuming_and_dropping_them_by_compaction_does_too(folder: Path) -> None:
    def recalled(session: Session) -> list[object]:
        return [message.metadata["recalled"] for message in session.live if "recalled" in message.metadata]

    session = started(folder)
    await session.store(user("one", recalled=[{"id": "a"}]))
    await session.store(answer("fine"))
    await session.store(user("two", recalled=[{"id": "b"}]))
    session.close()
    session = resume_session(folder, "latest")
    assert recalled(session) == [[{"id": "a"}], [{"id": "b"}]]
    await session.shorten(Shortened(Message(Role.USER, (AttachedBlock("compaction", "so far"),), AT), 2))
    assert recalled(session) == [[{"id": "b"}]]
    live = session.live
    session.close()
    session = resume_session(folder, "latest")
    assert recalled(session) == [[{"id": "b"}]]
    assert session.live == live
    assert session.title == "one"
    session.close()
    assert len(read_session(folder, "latest").entries) == 4


async def test_recall_after_a_resume_is_told_what_was_attached_before(folder: Path) -> None:
    seen: list[tuple[Message, ...]] = []

    class Notes:
        async def recall(self, text: str, run: RunContext) -> MessageAddition:
            seen.append(run.transcript)
            return MessageAddition((AttachedBlock("memory", "note"),), {"recalled": [{"id": "a"}]})

    first = desk([says("one")], session=started(folder), memory=Notes())
    await first.say("hi")
    await first.agent.close()
    second = desk([says("two")], session=resume_session(folder, "latest"), memory=Notes())
    assert finished(await second.say("hi again")).reply == "two"
    await second.agent.close()
    assert [message.metadata for message in seen[1]] == [{"recalled": [{"id": "a"}]}, {}]


@pytest.mark.skipif(os.name == "nt", reason="limits of file sizes are POSIX")
def test_a_disk_that_fills_up_leaves_the_file_whole_and_gets_the_rest_once_there_is_room(folder: Path) -> None:
    import resource

    session = started(folder)
    path = folder / f"{session.session_id}.jsonl"
    asyncio.run(session.store(user("one")))
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, hard))
    try:
        asyncio.run(session.store(user("two")))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    failed = session.not_kept
    assert failed is not None
    assert (failed.path, failed.reason) == (str(path), "File too large")
    assert path.read_bytes() == before
    assert [own_text(message) for message in session.live] == ["one", "two"]
    asyncio.run(session.store(user("three")))
    assert session.not_kept is None
    session.close()
    stored = read_session(folder, "latest")
    assert [own_text(entry) for entry in stored.entries if isinstance(entry, Message)] == ["one", "two", "three"]


@pytest.mark.skipif(os.name == "nt", reason="limits of file sizes are POSIX")
def test_a_conversation_on_a_full_disk_leaves_no_empty_file_and_is_written_at_its_end_if_there_is_room(
    folder: Path,
) -> None:
    import resource

    lost, late = started(folder, 1), started(folder, 2)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        asyncio.run(lost.store(user("one")))
        asyncio.run(late.store(user("two")))
        lost.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert sorted(path.name for path in folder.iterdir()) == [
        f"{late.session_id}.jsonl",
        f"{late.session_id}.lock",
    ]
    late.close()
    assert [own_text(entry) for entry in read_session(folder, "latest").entries if isinstance(entry, Message)] == [
        "two"
    ]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageFailed):
        started(tmp_path / "sessions")


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("")
    with pytest.raises(StorageFailed):
        started(tmp_path / "sessions" / "p")
    with pytest.raises(StorageFailed):
        started(tmp_path / "sessions")


async def test_a_session_in_memory_works_without_any_file() -> None:
    session = unsaved_session()
    await session.store(user("hi"))
    assert (session.title, len(session.live)) == ("hi", 1)
    assert session.child("task-1", AT).live == ()
    session.close()


async def test_a_subagents_transcript_lies_beside_its_sessions_and_in_no_list(folder: Path) -> None:
    session = started(folder)
    await session.store(user("hi"))
    child = session.child("task-1", AT)
    await child.store(user("look"))
    child.close()
    session.close()
    assert [summary.session_id for summary in list_sessions(folder).sessions] == [session.session_id]
    transcript = read_transcript(folder / session.session_id / "task-1.jsonl")
    assert (transcript.header["parent"], len(transcript.records)) == (session.session_id, 1)
