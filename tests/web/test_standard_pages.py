"""Pages that plugin authors register from the documented kinds."""

import json
from pathlib import Path

import pytest

from tests.web.conftest import environment_of, visiting

pytestmark = pytest.mark.plugins


ROOT = Path(__file__).resolve().parents[2]


def plugin_file(folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch, name: str, more: str = "") -> None:
    """The example of docs/user/plugins.md as a plugin of this home, under a module name of its own."""
    page = (ROOT / "docs/user/plugins.md").read_text(encoding="utf-8")
    example = page.partition("# books.py")[2].partition("```")[0]
    (folder / f"{name}.py").write_text(example + more, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    home.mkdir(parents=True)
    entry = {"id": "books", "module": f"{name}:plugin"}
    (home / "plugins.json").write_text(json.dumps({"runtimePlugins": [entry]}))


async def test_a_page_of_a_plugin_appears_and_its_actions_work(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin_file(tmp_path, home, monkeypatch, "books_that_appear")
    async with visiting(environment_of(tmp_path / "shop", home)) as visitor:
        base = f"/p/{visitor.key}/books"
        page = await visitor.get(base)
        assert page.status_code == 200
        assert f'href="{base}"' in page.text
        assert "Middlemarch" in page.text
        assert "<strong>on the shelf</strong>" in page.text

        added = await visitor.post(f"{base}/do/add", {"title": "<b>Emma</b>"})
        assert "Added &lt;b&gt;Emma&lt;/b&gt;." in added.text
        assert "&lt;b&gt;Emma&lt;/b&gt;" in (await visitor.part(f"{base}/blocks")).text

        removed = await visitor.post(f"{base}/do/remove", {"title": "Middlemarch"})
        assert f'hx-post="{base}/do/add"' in removed.text
        assert "Middlemarch" not in (await visitor.part(f"{base}/blocks")).text

        refused = await visitor.post(f"{base}/do/add", {})
        assert refused.status_code == 422
        assert "That is not allowed." in refused.text
        assert (await visitor.post(f"{base}/do/fly", {})).status_code == 404


async def test_a_page_of_an_unknown_renderer_says_so(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = """
Books.register = lambda self, registry: registry.page(PageDescriptor("books", "Books", "hologram", self.data))
"""
    plugin_file(tmp_path, home, monkeypatch, "books_in_the_air", other)
    async with visiting(environment_of(tmp_path / "shop", home)) as visitor:
        answer = await visitor.get(f"/p/{visitor.key}/books")
    assert answer.status_code == 501
    assert "hologram" in answer.text


async def test_a_page_that_breaks_takes_nothing_else_along(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = """
async def data(query):
    raise ZeroDivisionError("secret detail")
plugin.data = data
"""
    plugin_file(tmp_path, home, monkeypatch, "books_that_break", broken)
    async with visiting(environment_of(tmp_path / "shop", home)) as visitor:
        answer = await visitor.get(f"/p/{visitor.key}/books")
        assert answer.status_code == 500
        assert "secret detail" not in answer.text
        assert (await visitor.get(f"/p/{visitor.key}/chat")).status_code == 200
