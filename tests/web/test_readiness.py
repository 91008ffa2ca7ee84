"""What a page needs is loaded before somebody waits for it, and templates are compiled once."""

import asyncio
from pathlib import Path

import pytest
from jinja2 import Environment

from oharness.web.drawing import Drawing
from tests.web.conftest import Visitor, environment_of, visiting
from tests.web.test_standard_pages import plugin_file

pytestmark = pytest.mark.plugins


async def test_templates_are_compiled_once_whatever_the_language(
    site: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await site.get(f"/p/{site.key}/chat")
    await asyncio.to_thread(Drawing(site.harness.environment.clock).warm, "memory")
    compiled: list[str | None] = []
    compile_it = Environment.compile

    def counted(self: Environment, source: str, name: str | None = None, *more: object, **others: object) -> object:
        compiled.append(name)
        return compile_it(self, source, name, *more, **others)  # type: ignore[call-overload]

    monkeypatch.setattr(Environment, "compile", counted)
    answer = await site.get(f"/p/{site.key}/memory", **{"Accept-Language": "fr"})
    assert 'lang="fr"' in answer.text
    assert [name for name in compiled if name and name.startswith("renderers/memory/")] == []


async def test_a_page_that_cannot_be_made_ready_takes_nothing_down(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    more = """
asked = []

def warm():
    asked.append(1)
    raise RuntimeError("no")

page = lambda self: PageDescriptor("books", "Books", "standard", self.data, warm=warm)
Books.register = lambda self, registry: registry.page(page(self))
"""
    plugin_file(tmp_path, home, monkeypatch, "books_that_stay_cold", more)
    async with visiting(environment_of(tmp_path / "shop", home)) as visitor:
        assert (await visitor.get(f"/p/{visitor.key}/books")).status_code == 200
        assert (await visitor.get(f"/p/{visitor.key}/memory")).status_code == 200
    assert "the page books could not be made ready" in caplog.text
    import books_that_stay_cold  # type: ignore[import-not-found]

    assert books_that_stay_cold.asked == [1]
