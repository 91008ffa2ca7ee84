"""`oharness memory`: JSON shapes, exit codes and words."""

import json
from pathlib import Path

import pytest

from oharness.disk.note_dir import NoteDir, Scan
from tests.cli.conftest import Call, everything_below

pytestmark = pytest.mark.memory

NOTE_KEYS = ["id", "scope", "summary", "type", "tags", "createdAt", "updatedAt", "hash", "bytes"]


def write_note(folder: Path, note_id: str, summary: str, body: str = "", **more: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    header = {"id": note_id, "summary": summary, "createdAt": 1_789_000_000_000, "updatedAt": 1_789_000_000_000, **more}
    (folder / f"{note_id}.md").write_text(f"---\n{json.dumps(header)}\n---\n{body}\n")


@pytest.fixture
def notes(project: Path, home: Path) -> Path:
    """A project with two notes that link to each other, and a note of the user's."""
    write_note(project / "MEMORY", "deploy-a1b", "We deploy on Thursdays", "See [[server-c2d]].", tags=["deploy"])
    write_note(project / "MEMORY", "server-c2d", "The server is called heron", tags=["host"], type="reference")
    write_note(home / "memory" / "user", "short-e3f", "Prefers short answers", type="user")
    return project


class TestReading:
    def test_a_home_that_cannot_be_used_leaves_project_notes_and_a_warning_says_so(
        self, notes: Path, tmp_path: Path, oharness: Call
    ) -> None:
        (tmp_path / "file").write_text("in the way")
        home = ("--home", str(tmp_path / "file"))
        answer = oharness(*home, "memory", "list", "--json")
        assert (answer.code, len(answer.json["notes"])) == (0, 2)
        warning = f"Your own notes in {tmp_path / 'file' / 'memory' / 'user'} cannot be used: Not a directory."
        assert [one.startswith(warning) for one in answer.json["warnings"]] == [True]
        written = oharness(*home, "memory", "remember", "--summary", "Prices are in cents")
        assert written.code == 0
        assert f"{warning} Project notes can." in written.err

    def test_list_has_every_key_and_an_empty_list_too(self, project: Path, oharness: Call, home: Path) -> None:
        assert oharness("memory", "list", "--json").json == {"notes": [], "problems": [], "warnings": []}
        write_note(project / "MEMORY", "a", "A", "body")
        answer = oharness("--json", "memory", "list").json
        assert list(answer) == ["notes", "problems", "warnings"]
        assert list(answer["notes"][0]) == NOTE_KEYS
        assert answer["notes"][0]["bytes"] == 4
        assert answer["notes"][0]["type"] is None

    def test_list_can_be_of_one_scope(self, notes: Path, oharness: Call) -> None:
        scopes = {"project": 2, "user": 1}
        for scope, count in scopes.items():
            listed = oharness("memory", "list", "--scope", scope, "--json").json["notes"]
            assert [one["scope"] for one in listed] == [scope] * count

    def test_a_file_that_cannot_be_a_note_hides_no_other_and_check_fails(self, notes: Path, oharness: Call) -> None:
        (notes / "MEMORY" / "bad.md").write_text("no frontmatter")
        answer = oharness("memory", "list", "--json")
        problem = {"path": str(notes / "MEMORY" / "bad.md"), "reason": "no-frontmatter"}
        assert answer.code == 0
        assert len(answer.json["notes"]) == 3
        assert answer.json["problems"] == [problem]
        check = oharness("memory", "check", "--json")
        assert (check.code, check.json) == (1, {"problems": [problem]})
        assert "it has no frontmatter" in oharness("memory", "list").out

    def test_a_note_that_is_asked_for_and_cannot_be_one_says_where_it_breaks(self, notes: Path, oharness: Call) -> None:
        (notes / "MEMORY" / "bad.md").write_text('---\n{"id": "bad",\n "summary": oops}\n---\n')
        for command in (("show", "bad"), ("forget", "bad"), ("remember", "--id", "bad", "--tags", "x")):
            answer = oharness("memory", *command)
            assert answer.code == 1
            assert "bad.md is no note: its frontmatter is not JSON (line 3, column 13)." in answer.err

    def test_check_of_good_notes_is_exit_0(self, notes: Path, oharness: Call) -> None:
        check = oharness("memory", "check", "--json")
        assert (check.code, check.json) == (0, {"problems": []})

    def test_show_has_body_and_links_both_ways(self, notes: Path, oharness: Call) -> None:
        shown = oharness("memory", "show", "deploy-a1b", "--json").json
        assert list(shown) == [*NOTE_KEYS, "body", "links", "linkedFrom"]
        assert shown["body"] == "See [[server-c2d]]."
        assert shown["links"] == ["server-c2d"]
        assert oharness("memory", "show", "server-c2d", "--json").json["linkedFrom"] == ["deploy-a1b"]

    def test_show_of_an_unknown_id_is_exit_3_and_names_those_that_look_like_it(
        self, notes: Path, oharness: Call
    ) -> None:
        answer = oharness("memory", "show", "deploy", "--json")
        assert answer.code == 3
        assert answer.json["error"]["code"] == "note-not-found"
        assert "deploy-a1b" in answer.json["error"]["message"]
        assert oharness("memory", "show", "short-e3f", "--scope", "project").code == 3

    def test_search_finds_by_words_and_respects_the_limit(self, notes: Path, oharness: Call) -> None:
        results = oharness("memory", "search", "deploying", "heron", "--json").json["results"]
        assert {one["id"] for one in results} == {"deploy-a1b", "server-c2d"}
        assert all(list(one) == ["id", "scope", "summary", "score"] for one in results)
        assert len(oharness("memory", "search", "deploying heron", "--limit", "1", "--json").json["results"]) == 1

    def test_any_text_is_a_query(self, notes: Path, oharness: Call) -> None:
        hostile = 'don\'t pre-edit C++ GB/s "x" a:b (c) ^d* OR NOT'
        assert oharness("memory", "search", hostile, "--json").code == 0
        assert oharness("memory", "recall", hostile, "--json").code == 0
        assert oharness("memory", "why", hostile, "--json").code == 0

    def test_recall_attaches_what_fits_with_its_linked_notes(self, notes: Path, oharness: Call) -> None:
        answer = oharness("memory", "recall", "when do we deploy?", "--json").json
        assert list(answer) == ["attached", "linked", "block"]
        assert [list(one) for one in answer["attached"]] == [["id", "scope", "score"]]
        assert answer["attached"][0]["id"] == "deploy-a1b"
        assert answer["linked"] == [{"id": "server-c2d", "scope": "project", "summary": "The server is called heron"}]
        assert answer["block"].startswith("<recalled-memory>")

    def test_recall_without_a_fitting_note_is_silent(self, notes: Path, oharness: Call) -> None:
        answer = oharness("memory", "recall", "what time is it?", "--json")
        assert (answer.code, answer.json) == (0, {"attached": [], "linked": [], "block": ""})

    def test_a_batch_gives_one_json_line_per_line_even_for_lines_that_are_none(
        self, notes: Path, oharness: Call, tmp_path: Path, home: Path
    ) -> None:
        lines = ['{"message":"when do we deploy?"}', "nonsense", '{"message":"hi"}', '{"message":"when do we deploy?"}']
        batch = tmp_path / "messages.jsonl"
        batch.write_text("\n".join(lines) + "\n")
        answer = oharness("memory", "recall", "--batch", str(batch))
        told = [json.loads(line) for line in answer.out.splitlines()]
        assert answer.code == 2
        assert [[one["id"] for one in line.get("attached", [])] for line in told] == [
            ["deploy-a1b"],
            [],
            [],
            ["deploy-a1b"],
        ]
        assert told[1]["error"]["code"] == "no-message"
        good = '{"message":"when do we deploy?"}\n\n'
        piped = oharness("memory", "recall", "--batch", "-", stdin=good)
        assert (piped.code, len(piped.out.splitlines())) == (0, 1)
        assert not (home / "memory-usage").exists()

    def test_a_line_of_a_batch_that_is_no_text_is_one_that_holds_no_message(
        self, notes: Path, oharness: Call, tmp_path: Path
    ) -> None:
        batch = tmp_path / "messages.jsonl"
        batch.write_bytes(b'{"message":"caf\xe9"}\n{"message":"when do we deploy?"}\n')
        answer = oharness("memory", "recall", "--batch", str(batch))
        told = [json.loads(line) for line in answer.out.splitlines()]
        assert answer.code == 2
        assert told[0]["error"]["code"] == "no-message"
        assert [one["id"] for one in told[1]["attached"]] == ["deploy-a1b"]

    def test_a_message_beside_a_batch_is_not_passed_over(self, notes: Path, oharness: Call, tmp_path: Path) -> None:
        batch = tmp_path / "messages.jsonl"
        batch.write_text('{"message":"hi"}\n')
        answer = oharness("memory", "recall", "when do we deploy?", "--batch", str(batch), "--json")
        assert (answer.code, answer.json["error"]["code"]) == (2, "given-twice")

    def test_recall_looks_at_the_files_once_however_many_messages(
        self, notes: Path, oharness: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scans: list[Path] = []
        scan = NoteDir.scan

        def counted(folder: NoteDir) -> Scan:
            scans.append(folder.path)
            return scan(folder)

        monkeypatch.setattr(NoteDir, "scan", counted)
        lines = '{"message":"when do we deploy?"}\n' * 3
        for arguments in (("recall", "deploy?"), ("why", "deploy?"), ("recall", "--batch", "-")):
            scans.clear()
            assert oharness("memory", *arguments, stdin=lines).code == 0
            assert len(scans) == len(set(scans)), arguments

    def test_why_says_what_kept_each_note_out(self, notes: Path, oharness: Call) -> None:
        answer = oharness("memory", "why", "how does the deploy server work", "--json").json
        assert list(answer) == ["candidates", "minScore"]
        assert all(
            list(one) == ["id", "scope", "score", "matches", "attached", "reason"] for one in answer["candidates"]
        )
        match = answer["candidates"][0]["matches"][0]
        assert list(match) == ["word", "field", "weight"]
        assert answer["minScore"] == 1.2

    def test_index_counts_what_it_shows(self, notes: Path, oharness: Call) -> None:
        answer = oharness("memory", "index", "--json").json
        assert list(answer) == ["text", "shown", "counted"]
        assert (answer["shown"], answer["counted"]) == (3, 0)
        assert "- [deploy-a1b] We deploy on Thursdays" in answer["text"]

    @pytest.mark.parametrize(
        "arguments",
        [
            ("list",),
            ("show", "deploy-a1b"),
            ("search", "deploy"),
            ("recall", "when do we deploy?"),
            ("why", "when do we deploy?"),
            ("index",),
            ("backups",),
            ("check",),
        ],
    )
    def test_reading_creates_and_changes_no_file(
        self, arguments: tuple[str, ...], notes: Path, home: Path, oharness: Call
    ) -> None:
        before = everything_below(notes) | everything_below(home)
        assert oharness("memory", *arguments).code == 0
        assert everything_below(notes) | everything_below(home) == before

    @pytest.mark.parametrize(
        "arguments",
        [("list",), ("search", "short"), ("recall", "short answers?"), ("index",), ("check",), ("backups",)],
    )
    def test_outside_any_project_reading_uses_the_users_notes(
        self, arguments: tuple[str, ...], outside: Path, home: Path, oharness: Call
    ) -> None:
        assert oharness("memory", *arguments, "--json").code == 0
        write_note(home / "memory" / "user", "short-e3f", "Prefers short answers", tags=["style"])
        answer = oharness("memory", *arguments, "--json")
        assert answer.code == 0
        assert list(outside.iterdir()) == []

    def test_a_git_root_is_a_project_that_reading_does_not_register(
        self, outside: Path, home: Path, oharness: Call
    ) -> None:
        (outside / ".git").mkdir()
        write_note(outside / "MEMORY", "a", "A")
        assert [one["id"] for one in oharness("memory", "list", "--json").json["notes"]] == ["a"]
        assert not (outside / ".oharness").exists()
        assert not home.exists()


class TestWriting:
    def test_remember_answers_with_every_key(self, notes: Path, oharness: Call) -> None:
        answer = oharness(
            *("memory", "remember", "--summary", "Deploys need a green build", "--tags", "deploy, release"),
            *("--body", "See [[deploy-a1b]] and [[missing-1]].", "--type", "project", "--json"),
        )
        done = answer.json
        assert answer.code == 0
        assert list(done) == ["id", "scope", "path", "created", "related", "duplicateOf", "missingLinks"]
        assert done["scope"] == "project"
        assert Path(done["path"]).is_file()
        assert done["created"] is True
        assert [one["id"] for one in done["related"]] == ["deploy-a1b"]
        assert list(done["related"][0]) == ["id", "scope", "summary", "score"]
        assert done["missingLinks"] == ["missing-1"]

    def test_a_likely_duplicate_is_named(self, notes: Path, oharness: Call) -> None:
        done = oharness("memory", "remember", "--summary", "We deploy on Thursdays", "--tags", "deploy", "--json").json
        assert done["duplicateOf"] == "deploy-a1b"

    def test_a_user_note_goes_to_the_user_scope_and_may_be_written_outside_any_project(
        self, outside: Path, home: Path, oharness: Call
    ) -> None:
        done = oharness("memory", "remember", "--summary", "Knows Rust", "--type", "user", "--json").json
        assert done["scope"] == "user"
        assert Path(done["path"]).parent == home / "memory" / "user"
        assert list(outside.iterdir()) == []

    def test_a_project_note_outside_any_project_is_refused_with_the_way_out(
        self, outside: Path, oharness: Call
    ) -> None:
        answer = oharness("memory", "remember", "--summary", "A decision", "--json")
        assert answer.code == 3
        assert answer.json["error"]["code"] == "no-project-here"
        assert "oharness project init" in answer.json["error"]["message"]
        assert list(outside.iterdir()) == []

    def test_writing_registers_a_git_root(self, outside: Path, oharness: Call) -> None:
        (outside / ".git").mkdir()
        assert oharness("memory", "remember", "--summary", "A decision").code == 0
        assert (outside / ".oharness" / "project.json").is_file()
        assert (outside / "ARTIFACTS").is_dir()

    @pytest.mark.parametrize("way", [("--body-file", "-"), ("-",), ("--body", "-")])
    def test_the_body_may_come_from_a_pipe(self, way: tuple[str, ...], project: Path, oharness: Call) -> None:
        done = oharness("memory", "remember", "--summary", "S", "--id", "s1", *way, stdin="from\r\na pipe\n")
        assert done.code == 0
        assert oharness("memory", "show", "s1", "--json").json["body"] == "from\na pipe"

    def test_the_body_may_come_from_a_file_and_only_once(self, project: Path, oharness: Call, tmp_path: Path) -> None:
        file = tmp_path / "body.md"
        file.write_bytes(b"\xef\xbb\xbfwords")
        assert oharness("memory", "remember", "--summary", "S", "--id", "s1", "--body-file", str(file)).code == 0
        assert oharness("memory", "show", "s1", "--json").json["body"] == "words"
        twice = oharness("memory", "remember", "--summary", "S", "--body", "x", "--body-file", str(file), "--json")
        assert (twice.code, twice.json["error"]["code"]) == (2, "given-twice")

    @pytest.mark.parametrize("content", [None, b"\xff\xfe"])
    def test_a_body_file_that_cannot_be_read_is_wrong_usage(
        self, content: bytes | None, project: Path, oharness: Call, tmp_path: Path
    ) -> None:
        file = tmp_path / "body.md"
        if content is not None:
            file.write_bytes(content)
        answer = oharness("memory", "remember", "--summary", "S", "--body-file", str(file), "--json")
        assert (answer.code, answer.json["error"]["code"]) == (2, "unreadable-input")
        assert list((project / "MEMORY").iterdir()) == []

    def test_an_update_keeps_what_was_not_given_and_backs_up(self, notes: Path, oharness: Call) -> None:
        done = oharness("memory", "remember", "--id", "deploy-a1b", "--tags", "release", "--json").json
        assert done["created"] is False
        shown = oharness("memory", "show", "deploy-a1b", "--json").json
        assert (shown["tags"], shown["summary"]) == (["release"], "We deploy on Thursdays")
        backup = oharness("memory", "backups", "--json").json["backups"][0]
        assert list(backup) == ["backup", "id", "scope", "when", "reason", "directory", "restorable"]
        assert (backup["id"], backup["reason"], backup["restorable"]) == ("deploy-a1b", "update", True)

    @pytest.mark.parametrize(
        ("arguments", "code", "error"),
        [
            ((), 2, "summary-missing"),
            (("--summary", "  "), 2, "summary-missing"),
            (("--summary", "x" * 301), 4, "summary-too-long"),
            (("--summary", "S", "--id", "../x"), 2, "bad-note-id"),
            (("--summary", "S", "--id", "DEPLOY-A1B"), 4, "id-case-collision"),
            (("--summary", "S", "--type", "team"), 2, "unusable-value"),
            (("--summary", "S", "--body", "token ghp_" + "a1B2c3D4e5" * 4), 4, "credential-found"),
        ],
    )
    def test_every_refusal_has_its_code_and_changes_no_note(
        self, arguments: tuple[str, ...], code: int, error: str, notes: Path, oharness: Call
    ) -> None:
        before = everything_below(notes / "MEMORY")
        answer = oharness("memory", "remember", *arguments, "--json")
        assert (answer.code, answer.json["error"]["code"]) == (code, error)
        assert everything_below(notes / "MEMORY") == before

    def test_a_refused_credential_is_never_repeated(self, project: Path, oharness: Call) -> None:
        secret = "ghp_" + "a1B2c3D4e5" * 4
        answer = oharness("memory", "remember", "--summary", f"token {secret}", "--json")
        assert secret not in answer.out + answer.err

    def test_forget_backs_up_and_restore_brings_back(self, notes: Path, oharness: Call) -> None:
        before = (notes / "MEMORY" / "deploy-a1b.md").read_bytes()
        gone = oharness("memory", "forget", "deploy-a1b", "--json").json
        assert list(gone) == ["id", "scope", "backup"]
        assert not (notes / "MEMORY" / "deploy-a1b.md").exists()
        restored = oharness("memory", "restore", gone["backup"], "--json")
        assert restored.code == 0
        assert gone["backup"] in [one["backup"] for one in restored.json["backups"]]
        assert oharness("memory", "show", "deploy-a1b", "--json").json["summary"] == "We deploy on Thursdays"
        assert before.split(b"\n---\n")[1] in (notes / "MEMORY" / "deploy-a1b.md").read_bytes()

    @pytest.mark.parametrize("given", [("deploy",), ("deploy-a1",), ("short-e3f", "--scope", "project")])
    def test_forget_takes_exact_ids_only(self, given: tuple[str, ...], notes: Path, oharness: Call) -> None:
        before = everything_below(notes / "MEMORY")
        assert oharness("memory", "forget", *given).code == 3
        assert everything_below(notes / "MEMORY") == before

    def test_an_unknown_backup_is_exit_3(self, project: Path, oharness: Call) -> None:
        answer = oharness("memory", "restore", "1789000000000-nope-abcdef", "--json")
        assert (answer.code, answer.json["error"]["code"]) == (3, "no-such-backup")

    def test_the_first_note_of_a_repository_says_where_it_lies(self, outside: Path, oharness: Call) -> None:
        (outside / ".git").mkdir()
        first = oharness("memory", "remember", "--summary", "One", "--json")
        second = oharness("memory", "remember", "--summary", "Two", "--json")
        assert "/MEMORY/" in first.err
        assert first.json["created"]
        assert second.err == ""


class TestWords:
    def test_a_list_is_aligned_and_shows_ids_that_can_be_typed(self, notes: Path, oharness: Call) -> None:
        out = oharness("memory", "list").out
        assert "  deploy-a1b  2026-09-" in out
        assert "Project notes  2" in out
        assert "Your own notes  1" in out

    def test_a_note_cannot_steer_the_terminal(self, project: Path, oharness: Call) -> None:
        write_note(project / "MEMORY", "evil-1", "harmless \x1b[2J\x1b]0;x\x07", "body \x1b[31m", tags=["\x9b1m"])
        for arguments in (("list",), ("show", "evil-1"), ("search", "harmless"), ("why", "harmless"), ("index",)):
            answer = oharness("memory", *arguments)
            assert not set("\x1b\x9b\x07") & set(answer.out + answer.err), arguments

    def test_people_are_spoken_to_in_their_language(
        self, project: Path, oharness: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OHARNESS_LANGUAGE", "zh")
        said = oharness("memory", "show", "nope")
        assert said.code == 3
        assert "笔记" in said.err

    def test_the_language_may_come_from_the_settings(self, project: Path, home: Path, oharness: Call) -> None:
        home.mkdir()
        (home / "config.json").write_text('{"language":"fr"}')
        assert "note" in oharness("memory", "show", "nope").err
        assert "Aucune" in oharness("memory", "backups").out

    def test_broken_settings_are_said_with_their_place_and_never_overwritten(
        self, project: Path, home: Path, oharness: Call
    ) -> None:
        home.mkdir()
        (home / "config.json").write_text('{"model": ,}')
        answer = oharness("memory", "list", "--json")
        assert (answer.code, answer.json["error"]["code"]) == (1, "broken-settings")
        assert answer.json["error"]["data"]["line"] == 1
        assert (home / "config.json").read_text() == '{"model": ,}'

    def test_a_value_that_does_not_count_is_a_warning_beside_the_answer(
        self, project: Path, home: Path, oharness: Call
    ) -> None:
        home.mkdir()
        (home / "config.json").write_text('{"memory":{"maxNotes":"many"}}')
        answer = oharness("memory", "list", "--json")
        assert answer.code == 0
        assert "memory.maxNotes" in answer.err

    def test_what_does_not_count_in_the_settings_is_said_once_for_each_change_of_them(
        self, project: Path, home: Path, oharness: Call
    ) -> None:
        home.mkdir()
        (home / "config.json").write_text('{"memory":{"maxNotes":"many"}}')
        assert "memory.maxNotes" in oharness("memory", "list").err, "a command that reads keeps nothing"
        assert "memory.maxNotes" in oharness("memory", "remember", "--summary", "One").err
        for command in (("memory", "list"), ("memory", "remember", "--summary", "Two"), ("run", "hello")):
            assert "memory.maxNotes" not in oharness(*command).err
        for always in (["project", "show"], ["project", "init"], ["chat"]):
            answer = oharness(*always)
            assert "memory.maxNotes" in answer.err + answer.out
        (home / "config.json").write_text('{"memory":{"maxNotes":"many","autoExtract":3}}')
        assert "memory.maxNotes" in oharness("run", "hello").err
        assert "memory.maxNotes" not in oharness("memory", "list").err

    def test_too_many_notes_are_a_warning_with_their_number(self, notes: Path, home: Path, oharness: Call) -> None:
        (home / "config.json").write_text('{"memory":{"maxNotes":1}}')
        (warning,) = oharness("memory", "list", "--json").json["warnings"]
        assert "1" in warning


def test_writing_beside_a_home_that_cannot_be_used_says_so_and_writes(project: Path, oharness: Call) -> None:
    in_the_way = project / "a-file"
    in_the_way.write_text("")
    done = oharness(
        "--home", str(in_the_way / "home"), "memory", "remember", "--summary", "Kept in the project", "--json"
    )
    assert (done.code, done.json["scope"]) == (0, "project")
    assert str(in_the_way / "home" / "memory" / "user") in done.err
