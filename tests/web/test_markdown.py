"""What others may have written into a note does nothing but be read."""

from html.parser import HTMLParser

import pytest

from oharness.web.markdown import rendered


class Drawn(HTMLParser):
    """What a browser would make of it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:x)",
        "<javascript:alert(1)>",
        "![x](javascript:alert(1))",
        '[x](https://a.example "\\" onmouseover=alert(1) x=\\"")',
        "[[<script>alert(1)</script>]]",
        "[x]: javascript:alert(1)\n\n[x]",
        "<svg/onload=alert(1)>",
        "<style>*{display:none}</style>",
        '<a href="javascript:alert(1)">x</a>',
        "| a |\n| :-: |\n| <b onclick=x> |",
        "```html onload=x\n<script>\n```",
    ],
)
def test_nothing_that_is_written_becomes_script_or_markup(text: str) -> None:
    drawn = Drawn()
    drawn.feed(str(rendered(text, lost='"><script>')))
    assert drawn.tags <= {"p", "a", "span", "pre", "code", "div", "table", "thead", "tbody", "tr", "th", "td"}
    assert drawn.attributes <= {"href", "rel", "target", "title", "class", "tabindex", "role"}
    assert all(link.startswith(("https://", "http://", "mailto:")) for link in drawn.links)


def test_an_image_from_elsewhere_is_a_link_and_no_request() -> None:
    html = str(rendered("![a cat](https://elsewhere.example/cat.png)"))
    assert "<img" not in html
    assert 'href="https://elsewhere.example/cat.png"' in html
    assert "a cat" in html


def test_links_open_beside_the_page_and_tell_nobody_where_from() -> None:
    html = str(rendered("[x](https://a.example/?q=1&r=2)"))
    assert 'rel="noopener noreferrer nofollow"' in html
    assert 'href="https://a.example/?q=1&amp;r=2"' in html


def test_links_between_notes_lead_to_notes_that_are_there_and_are_marked_lost_otherwise() -> None:
    links = {"deploy-day": {"href": "/p/x/memory?note=deploy-day", "title": "We deploy & rest"}}
    html = str(rendered("See [[deploy-day]] and [[gone]], not `[[code]]`.", links, "lost"))
    assert 'href="/p/x/memory?note=deploy-day"' in html
    assert "We deploy &amp; rest" in html
    assert '<span class="lost-link" title="lost">[[gone]]</span>' in html
    assert "<code>[[code]]</code>" in html


def test_ordinary_markdown_is_drawn() -> None:
    html = str(rendered("# T\n\n- a\n- b\n\n| x | y |\n| --- | --: |\n| 1 | 2 |\n\n```py\n1 < 2\n```\n\n~~old~~"))
    for part in ("<h1>T</h1>", "<li>a</li>", "<th>x</th>", '<td class="right">2</td>', "1 &lt; 2", "<s>old</s>"):
        assert part in html
