"""Listing and searching: bounded, without surprises, and stoppable."""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from oharness.harness.tools import ToolResult
from oharness.plugins.file_tools import tree_search
from oharness.plugins.file_tools.processes import run_program
from oharness.plugins.file_tools.tree_search import glob_test

pytestmark = pytest.mark.plugins

Use = Callable[..., Awaitable[ToolResult]]


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    for name, text in {
        "readme.md": "Deploy on Thursdays\n",
        "src/main.py": "def deploy():\n    return 'a.b'\n",
        "src/deep/test_main.py": "deploy(1)\r\nDEPLOY\n",
        "node_modules/x.py": "deploy\n",
        ".git/config": "deploy\n",
    }.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


async def test_a_folder_is_listed_with_folders_first(use: Use, project: Path) -> None:
    (project / "link").symlink_to("readme.md")
    assert (await use("list")).text.split("\n") == [
        ".git/", "node_modules/", "src/", "link -> readme.md", "readme.md  20 bytes",
    ]  # fmt: skip
    assert (await use("list", path="src")).text == "deep/\nmain.py  31 bytes"
    assert (await use("list", path="nowhere")).is_error
    assert (await use("list", path="readme.md")).is_error


async def test_files_are_found_by_pattern_without_packages_and_caches(use: Use) -> None:
    assert (await use("list", files="*.py")).text == "src/main.py\nsrc/deep/test_main.py"
    assert (await use("list", files="src/**/test_*.py")).text == "src/deep/test_main.py"
    assert (await use("list", path="src/deep", files="*.py")).text == "src/deep/test_main.py"
    assert (await use("list", files="*.rs")).text == "Nothing found."


async def test_long_listings_are_cut(use: Use, project: Path) -> None:
    folder = project / "many"
    folder.mkdir()
    for number in range(510):
        (folder / f"{number:03}").touch()
    assert (await use("list", path="many")).text.endswith("499  0 bytes\n[10 more]")


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a/b/c.py", True),
        ("*.py", "a/b/c.pyc", False),
        ("a/*.py", "a/b/c.py", False),
        ("a/**/c.py", "a/c.py", True),
        ("a/**", "a/b/c.py", True),
        ("**/b/*.py", "a/b/c.py", True),
        ("?.py", "c.py", True),
        ("[c].py", "c.py", False),
        ("[c].py", "[c].py", True),
    ],
)
def test_patterns(pattern: str, path: str, fits: bool) -> None:
    assert glob_test(pattern)(path) is fits


def test_a_pipe_is_passed_over_rather_than_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert tree_search.lines_of(str(tmp_path / "pipe")) is None


async def test_lines_are_found_by_expression_or_literally(use: Use) -> None:
    found = await use("search", pattern="deploy")
    assert found.text == "src/main.py:1: def deploy():\nsrc/deep/test_main.py:1: deploy(1)"
    assert found.data == {"hits": 2}
    assert (await use("search", pattern="a.b", literal=True)).text == "src/main.py:2:     return 'a.b'"
    assert (await use("search", pattern="deploy", ignoreCase=True, files="*.md")).text.startswith("readme.md:1:")
    assert (await use("search", pattern="deploy", path="src/deep")).text == "src/deep/test_main.py:1: deploy(1)"
    assert (
        await use("search", pattern="DEPLOY", path="src/deep/test_main.py")
    ).text == "src/deep/test_main.py:2: DEPLOY"


async def test_nothing_found_says_how_much_was_searched(use: Use, project: Path) -> None:
    (project / "blob.bin").write_bytes(b"\0deploy")
    assert (await use("search", pattern="zzz")).text == "Nothing found (3 files searched, 1 not text or too large)."


async def test_a_broken_expression_is_told_with_a_way_out(use: Use) -> None:
    result = await use("search", pattern="a(b")
    assert result.is_error
    assert "literal" in result.text
    assert (await use("search", pattern="deploy(", literal=True)).text == (
        "src/main.py:1: def deploy():\nsrc/deep/test_main.py:1: deploy(1)"
    )


async def test_many_hits_are_cut(use: Use, project: Path) -> None:
    (project / "many.txt").write_text("hit\n" * 1_000)
    lines = (await use("search", pattern="hit")).text.split("\n")
    assert len(lines) == 201
    assert lines[-1].startswith("[more than 200 hits")


async def test_an_expression_that_never_ends_is_stopped(project: Path) -> None:
    (project / "evil.txt").write_text("a" * 40 + "b\n")
    order = {"root": str(project), "start": str(project), "pattern": "(a+)+$", "literal": False, "ignoreCase": False}
    given = json.dumps(order | {"files": "evil.txt", "limit": 5}).encode()
    finished = await run_program((sys.executable, "-I", "-S", tree_search.__file__), given, 0.5, 1_000)
    assert finished.exit_code is None
