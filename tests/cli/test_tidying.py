"""`oharness memory tidy`, `dismiss`, `merge`: JSON shapes, exit codes and the way back."""

import json
from pathlib import Path

import pytest

from oharness.testing.openai_server import start_openai_server
from tests.cli.conftest import Answer, Call, everything_below
from tests.cli.test_memory import write_note

pytestmark = pytest.mark.memory
MERGE_KEYS = ["kept", "deleted", "relinked", "backups", "missingFacts"]


@pytest.fixture
def notes(project: Path) -> Path:
    """Two notes of one subject, and one that links to the newer."""
    folder = project / "MEMORY"
    write_note(folder, "dep-1", "Deploys run on Thursdays", "At 14:30.", tags=["deploy"], createdAt=1_700_000_000_000)
    write_note(folder, "dep-2", "We deploy on Thursdays", "The port is 8081.", tags=["ship"])
    write_note(folder, "off-1", "Where the office is", "See [[dep-2]] and [[gone-1]].")
    return project


def test_tidy_lists_findings_with_every_key_and_writes_nothing(notes: Path, oharness: Call, home: Path) -> None:
    before = everything_below(notes)
    answer = oharness("memory", "tidy", "--json")
    assert (answer.code, list(answer.json)) == (0, ["findings"])
    same, broken = answer.json["findings"]
    assert list(same) == ["id", "kind", "scope", "notes", "detail"]
    assert (same["kind"], same["scope"], same["notes"]) == ("same-subject", "project", ["dep-1", "dep-2"])
    assert (broken["kind"], broken["notes"], broken["detail"]) == ("broken-link", ["off-1"], "gone-1")
    assert oharness("memory", "tidy", "--scope", "user", "--json").json == {"findings": []}
    assert everything_below(notes) == before
    assert not home.exists()


def test_nothing_to_tidy_is_an_empty_list(project: Path, outside: Path, oharness: Call) -> None:
    assert oharness("memory", "tidy", "--json").json == {"findings": []}
    assert "Nothing to tidy" in oharness("memory", "tidy").out


def test_a_dismissed_finding_is_gone_until_its_note_is_edited(notes: Path, oharness: Call) -> None:
    found = oharness("memory", "tidy", "--json").json["findings"][1]["id"]
    left = oharness("memory", "dismiss", found, "--json")
    assert (left.code, [one["kind"] for one in left.json["findings"]]) == (0, ["same-subject"])
    assert oharness("memory", "dismiss", found, "--json").code == 3
    write_note(notes / "MEMORY", "off-1", "Where the office is", "Still [[gone-1]], edited.")
    assert len(oharness("memory", "tidy", "--json").json["findings"]) == 2


def test_a_merge_says_what_it_did_and_its_backups_bring_everything_back(notes: Path, oharness: Call) -> None:
    before = everything_below(notes / "MEMORY")
    answer = oharness("memory", "merge", "dep-2", "dep-1", "--json")
    assert (answer.code, list(answer.json)) == (0, MERGE_KEYS)
    assert answer.json["kept"] == "dep-1"
    assert (answer.json["deleted"], answer.json["relinked"]) == (["dep-2"], ["off-1"])
    assert answer.json["missingFacts"] == []
    assert "[[dep-1]]" in (notes / "MEMORY" / "off-1.md").read_text()
    for backup in answer.json["backups"]:
        assert oharness("memory", "restore", backup).code == 0
    bodies = {name: text.split(b"---\n")[2].strip() for name, text in everything_below(notes / "MEMORY").items()}
    assert bodies == {name: text.split(b"---\n")[2].strip() for name, text in before.items()}


def test_a_text_that_lacks_facts_is_exit_4_and_nothing_changes_unless_the_loss_is_accepted(
    notes: Path, oharness: Call, tmp_path: Path
) -> None:
    before = everything_below(notes / "MEMORY")
    text = tmp_path / "merged.md"
    text.write_text("The port is 8081.")
    call = ("memory", "merge", "dep-1", "dep-2", "--body-file", str(text))
    answer = oharness(*call, "--json")
    assert (answer.code, list(answer.json)) == (4, MERGE_KEYS)
    assert answer.json == {**{key: [] for key in MERGE_KEYS}, "kept": "dep-1", "missingFacts": ["14:30"]}
    assert everything_below(notes / "MEMORY") == before
    told = oharness(*call)
    assert (told.code, "14:30" in told.out, "--accept-loss" in told.out) == (4, True, True)
    done = oharness(*call, "--accept-loss", "--summary", "Deploys on Thursdays", "--json")
    assert (done.code, done.json["deleted"]) == (0, ["dep-2"])
    assert set(done.json["missingFacts"]) == {"14:30"}


def test_a_body_may_come_from_a_pipe(notes: Path, oharness: Call) -> None:
    text = "At 14:30 the port is 8081."
    done = oharness("memory", "merge", "dep-1", "dep-2", "--body-file", "-", "--json", stdin=text)
    assert done.code == 0
    assert text in (notes / "MEMORY" / "dep-1.md").read_text()


def test_a_models_draft_needs_a_model_and_says_what_to_set(notes: Path, oharness: Call) -> None:
    answer = oharness("memory", "merge", "dep-1", "dep-2", "--draft", "model", "--json")
    assert answer.code == 1
    assert "OHARNESS_MODEL" in answer.json["error"]["message"]


def test_wrong_usage_of_merge_is_exit_2_and_unknown_ids_exit_3(notes: Path, oharness: Call, home: Path) -> None:
    write_note(home / "memory" / "user", "mine-1", "Mine")
    assert oharness("memory", "merge", "dep-1", "--json").code == 2
    assert oharness("memory", "merge", "dep-1", "mine-1", "--json").code == 2
    assert oharness("memory", "merge", "dep-1", "dep-2", "--draft", "joined", "--body-file", "x", "--json").code == 2
    assert oharness("memory", "merge", "dep-1", "dep-9", "--json").code == 3


def merged_by_model(oharness: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str, *more: str) -> Answer:
    answer = json.dumps({"summary": "Deploys run on Thursdays", "body": body})
    expected = {"schema": True, "user": ["14:30", "8081"]}
    server = start_openai_server({"replies": [{"expect": expected, "text": answer}]}, tmp_path)
    try:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OHARNESS_SMALL_MODEL", "openai-compatible:small")
        return oharness("memory", "merge", "dep-1", "dep-2", "--draft", "model", "--json", *more)
    finally:
        server.stop()


@pytest.mark.parametrize(("body", "code"), [("At 14:30; the port is 8081.", 0), ("The port is 8081.", 4)])
def test_a_models_draft_is_merged_only_when_it_lacks_nothing(
    notes: Path, oharness: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str, code: int
) -> None:
    done = merged_by_model(oharness, monkeypatch, tmp_path, body)
    assert (done.code, done.json["missingFacts"]) == (code, [] if code == 0 else ["14:30"])
    assert (notes / "MEMORY" / "dep-2.md").exists() is (code == 4)


def test_a_models_draft_that_nobody_read_loses_no_sentence_either_unless_the_loss_is_accepted(
    notes: Path, oharness: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = notes / "MEMORY" / "dep-2.md"
    path.write_text(f"{path.read_text().rstrip()} The old script does it.\n")
    body = "At 14:30; the port is 8081."
    refused = merged_by_model(oharness, monkeypatch, tmp_path, body)
    assert (refused.code, refused.json["missingFacts"]) == (4, ["The old script does it."])
    assert path.exists()
    assert merged_by_model(oharness, monkeypatch, tmp_path, body, "--accept-loss").code == 0
    assert not path.exists()
