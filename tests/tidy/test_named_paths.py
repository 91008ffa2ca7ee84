"""Which words of a text are relative paths."""

import pytest

from oharness.tidy.named_paths import named_paths

pytestmark = pytest.mark.memory


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see src/app.py.", ("src/app.py",)),
        ("`./scripts/run.sh --fast`", ("scripts/run.sh",)),
        ("[guide](docs/guide.md#start)", ("docs/guide.md",)),
        ("src/app.py:42:7 fails", ("src/app.py",)),
        ("解析器在src/parser.py里面", ("src/parser.py",)),
        ("le fichier «docs/été.md»", ("docs/été.md",)),
        ("a\\b\\c.py", ("a/b/c.py",)),
        ("`src/app` and `docs/`", ("src/app", "docs/")),
    ],
)
def test_relative_paths_are_found(text: str, paths: tuple[str, ...]) -> None:
    assert named_paths(text) == paths


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/docs/a.md and www.example.com/a.html",
        "/etc/hosts ~/notes/a.md C:\\Users\\a.txt",
        "../outside/a.py and src/../../b.py",
        "and/or, text/plain, application/json, 50/50",
        "git@github.com:a/b.git, a@b.c/d.py",
        "src/*.py <path>/a.py $HOME/a.py {a,b}/c.py",
        "diff --git a/src/x.py b/src/x.py\n--- a/src/x.py\n+++ b/src/x.py",
        "`example.com/path`",
    ],
)
def test_what_only_looks_like_a_relative_path_is_not(text: str) -> None:
    assert [path for path in named_paths(text) if path not in ("text/plain", "application/json")] == []
