"""Reading, writing and editing the project's files: inside the project, whole or not at all, shown first."""

import os
import stat
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from oharness.harness.tools import ToolResult
from oharness.plugins.file_tools.places import NotPossible, Place, place_in, place_to_change
from oharness.plugins.file_tools.text_files import content_of, difference, replace_file

pytestmark = pytest.mark.plugins

Use = Callable[..., Awaitable[ToolResult]]
Preview = Callable[..., Awaitable[str]]


async def refused(use: Use, name: str, **arguments: object) -> str:
    result = await use(name, **arguments)
    assert result.is_error
    return result.text


async def test_read_shows_numbered_lines_and_says_what_is_left_out(use: Use, project: Path) -> None:
    (project / "a.txt").write_text("one\ntwo\nthree\n")
    assert (await use("read", path="a.txt")).text == "     1\tone\n     2\ttwo\n     3\tthree"
    part = await use("read", path="a.txt", offset=2, limit=1)
    assert part.text == "     2\ttwo\n[lines 2 to 2 of 3; go on with offset 3]"
    assert (await use("read", path="a.txt", offset=3)).text == "     3\tthree\n[lines 3 to 3 of 3]"
    assert "only 3 lines" in await refused(use, "read", path="a.txt", offset=9)


async def test_long_files_and_lines_are_bounded(use: Use, project: Path) -> None:
    (project / "wide.txt").write_text("x" * 100_000)
    assert "98000 more characters" in (await use("read", path="wide.txt")).text
    (project / "long.txt").write_text("0123456789\n" * 20_000)
    text = (await use("read", path="long.txt", limit=20_000)).text
    assert len(text) < 51_000
    assert "go on with offset" in text


async def test_odd_files_are_named_and_not_shown(use: Use, project: Path) -> None:
    (project / "empty").write_bytes(b"")
    (project / "binary").write_bytes(b"a\0b")
    (project / "latin").write_bytes(b"caf\xe9")
    (project / "bom").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    with (project / "huge").open("wb") as file:
        file.truncate(20_000_001)
    assert (await use("read", path="empty")).text == "(the file is empty)"
    assert (await use("read", path="bom")).text == "     1\tone\n     2\ttwo"
    assert "not text (3 bytes)" in await refused(use, "read", path="binary")
    assert "not text" in await refused(use, "read", path="latin")
    assert "larger than 20 MB" in await refused(use, "read", path="huge")
    assert "no file nothing" in await refused(use, "read", path="nothing")
    assert "folder" in await refused(use, "read", path=".")
    if sys.platform != "win32":
        os.mkfifo(project / "pipe")
        assert "cannot be read" in await refused(use, "read", path="pipe")


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "link", "links/secret", "sub/../../secret", "a\0b"])
@pytest.mark.parametrize("tool", ["read", "write", "edit", "list", "search"])
async def test_nothing_outside_the_project_is_reached(use: Use, project: Path, path: str, tool: str) -> None:
    secret = project.parent / "secret"
    secret.write_text("hidden")
    (project / "sub").mkdir()
    (project / "link").symlink_to(secret)
    (project / "links").symlink_to(project.parent, target_is_directory=True)
    more = {"write": {"content": "x"}, "edit": {"old": "hidden", "new": "x"}, "search": {"pattern": "hidden"}}
    text = await refused(use, tool, path=path, **more.get(tool, {}))
    assert "outside the project" in text or "not a usable path" in text
    assert "hidden" not in text
    assert secret.read_text() == "hidden"


async def test_links_inside_the_project_are_followed_and_kept(use: Use, project: Path) -> None:
    (project / "real.txt").write_text("one")
    (project / "link.txt").symlink_to("real.txt")
    await use("write", path="link.txt", content="two")
    assert (project / "real.txt").read_text() == "two"
    assert (project / "link.txt").is_symlink()


async def test_a_project_reached_through_a_link_is_the_same_project(project: Path) -> None:
    other = project.parent / "other"
    other.symlink_to(project, target_is_directory=True)
    assert place_in(other, "a.txt") == place_in(project, str(project / "a.txt"))


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit",
        ".GIT/config",
        "sub/.git/config",
        ".oharness/config.json",
        ".git.",
        ".g\u200bit/x",
        ".git",
    ],
)
async def test_settings_of_git_and_oharness_are_not_written(use: Use, project: Path, path: str) -> None:
    (project / ".git").mkdir()
    await refused(use, "write", path=path, content="x")
    assert list((project / ".git").iterdir()) == []
    assert not (project / ".oharness").exists()


async def test_a_guarded_folder_under_another_name_is_guarded_too(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "alias").symlink_to(".git", target_is_directory=True)
    with pytest.raises(NotPossible):
        place_to_change(project, "alias/hooks")


async def test_write_makes_folders_and_says_what_it_did(use: Use, project: Path) -> None:
    made = await use("write", path="a/b/c.txt", content="one\ntwo\n")
    assert (made.text, made.data) == ("Created a/b/c.txt (2 lines).", {"path": "a/b/c.txt", "created": True})
    assert (project / "a/b/c.txt").read_bytes() == b"one\ntwo\n"
    again = await use("write", path="a/b/c.txt", content="é")
    assert again.text == "Replaced a/b/c.txt (1 line)."
    assert (project / "a/b/c.txt").read_text(encoding="utf-8") == "é"
    assert [path.name for path in (project / "a/b").iterdir()] == ["c.txt"]


async def test_write_keeps_the_permissions_of_a_file(use: Use, project: Path) -> None:
    script = project / "run.sh"
    script.write_text("old")
    script.chmod(0o755)
    await use("write", path="run.sh", content="new")
    assert stat.S_IMODE(script.stat().st_mode) == 0o755


async def test_text_that_utf8_cannot_hold_changes_nothing(use: Use, project: Path) -> None:
    (project / "a.txt").write_text("old")
    assert "UTF-8" in await refused(use, "write", path="a.txt", content="\ud800")
    assert (project / "a.txt").read_text() == "old"


async def test_a_file_in_the_way_of_a_folder_is_told(use: Use, project: Path) -> None:
    (project / "a").write_text("a file")
    assert "cannot be" in await refused(use, "write", path="a/b.txt", content="x")


async def test_edit_replaces_the_one_place(use: Use, project: Path) -> None:
    (project / "a.txt").write_text("one\ntwo\nthree\n")
    result = await use("edit", path="a.txt", old="two", new="2")
    assert (project / "a.txt").read_text() == "one\n2\nthree\n"
    assert "-two\n+2" in result.text


async def test_edit_refuses_what_is_missing_repeated_or_empty(use: Use, project: Path) -> None:
    (project / "a.txt").write_text("x = 1\ny  =  2\nx = 1\n")
    assert "occurs 2 times in a.txt (lines 1, 3)" in await refused(use, "edit", path="a.txt", old="x = 1", new="")
    assert "other white space" in await refused(use, "edit", path="a.txt", old="y = 2", new="")
    assert "does not occur" in await refused(use, "edit", path="a.txt", old="z", new="")
    assert "empty" in await refused(use, "edit", path="a.txt", old="", new="z")
    assert "same" in await refused(use, "edit", path="a.txt", old="y", new="y")
    assert (project / "a.txt").read_text() == "x = 1\ny  =  2\nx = 1\n"


async def test_edit_counts_overlapping_places(use: Use, project: Path) -> None:
    (project / "a.txt").write_text("aaa")
    assert "occurs 2 times" in await refused(use, "edit", path="a.txt", old="aa", new="b")


async def test_edit_keeps_windows_line_ends_and_a_bom(use: Use, project: Path) -> None:
    (project / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    await use("edit", path="a.txt", old="one\ntwo", new="1\n2")
    assert (project / "a.txt").read_bytes() == b"\xef\xbb\xbf1\r\n2\r\nthree\r\n"


async def test_a_file_changed_since_it_was_read_is_left_alone(project: Path) -> None:
    place = Place(project / "a.txt", "a.txt")
    place.path.write_text("read")
    content = content_of(place)
    place.path.write_text("changed by an editor")
    with pytest.raises(NotPossible, match="somebody else"):
        replace_file(place, content, "ours")
    assert place.path.read_text() == "changed by an editor"


async def test_previews_are_unified_diffs_and_change_nothing(preview: Preview, project: Path) -> None:
    (project / "a.txt").write_text("one\ntwo\n")
    shown = await preview("write", path="a.txt", content="one\n2\n")
    assert shown.split("\n")[:2] == ["--- a/a.txt", "+++ b/a.txt"]
    assert "-two\n+2" in shown
    assert shown == await preview("edit", path="a.txt", old="two", new="2")
    assert "+new" in await preview("write", path="b.txt", content="new\n")
    assert "stay as it is" in await preview("write", path="a.txt", content="one\ntwo\n")
    assert "does not occur" in await preview("edit", path="a.txt", old="zzz", new="2")
    assert "outside" in await preview("write", path="../b.txt", content="new")
    assert await preview("run", command="make test") == "make test"
    (project / "c.bin").write_bytes(b"\0")
    assert "not text" in await preview("write", path="c.bin", content="x")
    assert sorted(path.name for path in project.iterdir()) == ["a.txt", "c.bin"]
    assert (project / "a.txt").read_text() == "one\ntwo\n"


def test_a_difference_of_long_files_is_told_in_one_line() -> None:
    old = "".join(f"{number}\n" for number in range(50_000))
    assert difference(old, old.replace("\n20\n", "\ntwenty\n"), "a") == "a: from line 21 on, 1 lines in place of 1"
    many = "".join(f"{number}\n" for number in range(2_000))
    assert "more lines of difference" in difference("", many, "a")
