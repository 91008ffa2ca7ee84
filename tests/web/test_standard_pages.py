"""Pages that plugin authors register from the documented kinds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from oharness.core.errors import Refused
from oharness.harness.descriptors import PluginRegistry
from oharness.harness.pages import PageDescriptor
from tests.web.conftest import environment_of, visiting

pytestmark = pytest.mark.plugins


class Shelf:
    """The example of docs/user/plugins.md."""

    id = "books"

    def __init__(self) -> None:
        self.books = ["Middlemarch"]
        self.opened = 0

    def register(self, registry: PluginRegistry) -> None:
        actions = {"add": self.add, "remove": self.remove}
        registry.page(PageDescriptor("books", "Books", "standard", self.data, actions, opened=self.looked))
        registry.page(PageDescriptor("later", "Later", "hologram", self.data))

    def looked(self) -> None:
        self.opened += 1

    async def data(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        def row(title: str) -> dict[str, Any]:
            remove = {"name": "remove", "label": "Remove", "fields": {"title": title}, "style": "danger"}
            return {"title": title, "actions": [remove]}

        field = {"name": "title", "label": "Title", "kind": "text", "required": True}
        return {
            "blocks": [
                {"kind": "text", "text": "What is **on the shelf**. <script>alert(1)</script>"},
                {"kind": "status", "items": [{"label": "Books", "value": str(len(self.books)), "tone": "good"}]},
                {"kind": "list", "items": [row(title) for title in self.books], "empty": "No books."},
                {"kind": "form", "action": "add", "fields": [field], "submit": "Add"},
            ]
        }

    async def add(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        if not fields.get("title"):
            raise Refused
        self.books.append(fields["title"])
        return {"part": "blocks", "toast": {"text": "Added {title}.", "fields": {"title": fields["title"]}}}

    async def remove(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        self.books.remove(fields["title"])
        undo = {"action": "add", "fields": {"title": fields["title"]}}
        return {"toast": "Removed.", "undo": undo}


async def test_a_page_of_a_plugin_appears_and_its_actions_work(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf()
    home.mkdir(parents=True)
    (home / "plugins.json").write_text('{"runtimePlugins": [{"id": "books", "module": "books_on_a_page:PLUGIN"}]}')
    (tmp_path / "books_on_a_page.py").write_text("PLUGIN = None\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import importlib

    importlib.import_module("books_on_a_page").__dict__["PLUGIN"] = shelf
    async with visiting(environment_of(tmp_path / "shop", home)) as visitor:
        base = f"/p/{visitor.key}/books"
        page = await visitor.get(base)
        assert page.status_code == 200
        assert f'href="{base}"' in page.text
        assert "Middlemarch" in page.text
        assert "<strong>on the shelf</strong>" in page.text
        assert "<script>alert" not in page.text

        added = await visitor.post(f"{base}/do/add", {"title": "<b>Emma</b>"})
        assert "&lt;b&gt;Emma&lt;/b&gt;" in added.text
        assert "Added &lt;b&gt;Emma&lt;/b&gt;." in added.text

        removed = await visitor.post(f"{base}/do/remove", {"title": "Middlemarch"})
        assert f'hx-post="{base}/do/add"' in removed.text
        assert "Middlemarch" not in (await visitor.part(f"{base}/blocks")).text

        refused = await visitor.post(f"{base}/do/add", {})
        assert refused.status_code == 422
        assert "That is not allowed." in refused.text
        assert (await visitor.post(f"{base}/do/fly", {})).status_code == 404

        await visitor.get(f"/here?project={visitor.key}&page=books")
        assert shelf.opened == 1


async def test_a_page_of_an_unknown_renderer_says_so(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf()
    home.mkdir(parents=True)
    (home / "plugins.json").write_text('{"runtimePlugins": [{"id": "books", "module": "books_unknown:PLUGIN"}]}')
    (tmp_path / "books_unknown.py").write_text("PLUGIN = None\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import importlib

    importlib.import_module("books_unknown").__dict__["PLUGIN"] = shelf
    async with visiting(environment_of(tmp_path / "shop", home)) as visitor:
        answer = await visitor.get(f"/p/{visitor.key}/later")
    assert answer.status_code == 501
    assert "hologram" in answer.text
