"""Markdown that somebody else may have written, as HTML that can do nothing: no HTML of its own, no script, no image
from elsewhere, links that are followed only by a click.
"""

import re
from collections.abc import Mapping
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

Links = Mapping[str, Mapping[str, Any]]
"""Id of a note to the address and title of its link (`href`, `title`)."""

_WIKI = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")
_TAGS = {
    *("a", "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "span", "div"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {
    "a": {"href", "title", "class", "target"},
    "span": {"class", "title"},
    "ol": {"start"},
    "div": {"class", "tabindex", "role"},
    "code": {"class"},
    "pre": {"tabindex"},
    "th": {"class"},
    "td": {"class"},
}


def rendered(text: str, links: Links | None = None, lost: str = "") -> Markup:
    """Markdown as HTML. `[[id]]` becomes the link of that id, one without is marked as lost and says `lost`."""
    html = _PARSER.render(text, {"links": links or {}, "lost": lost})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(clean)  # noqa: S704 - cleaned just before


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": False}).enable(
        ["table", "strikethrough"]
    )
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("text", _text)
    parser.add_render_rule("table_open", lambda *_: '<div class="scrolls" tabindex="0" role="group"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    for code in ("fence", "code_block"):
        parser.add_render_rule(code, _code)
    for cell in ("th", "td"):
        parser.add_render_rule(f"{cell}_open", _cell)
    return parser


def _image(renderer: RendererHTML, tokens: Any, index: int, options: Any, environment: Any) -> str:
    """An image from elsewhere would tell its server that somebody reads this: it is shown as a link."""
    token: Token = tokens[index]
    source = str(token.attrGet("src") or "")
    return f'<a class="image-link" href="{escape(source)}" target="_blank">{escape(token.content or source)}</a>'


def _link_open(renderer: RendererHTML, tokens: Any, index: int, options: Any, environment: Any) -> str:
    token: Token = tokens[index]
    token.attrSet("target", "_blank")
    return renderer.renderToken(tokens, index, options, environment)


def _code(renderer: RendererHTML, tokens: Any, index: int, options: Any, environment: Any) -> str:
    """A block of code scrolls, so it can be reached with the keyboard."""
    return f'<pre tabindex="0"><code>{escape(tokens[index].content)}</code></pre>\n'


def _cell(renderer: RendererHTML, tokens: Any, index: int, options: Any, environment: Any) -> str:
    """The alignment of a column comes as a style, which the page's policy forbids."""
    token: Token = tokens[index]
    alignment = str(token.attrs.pop("style", "")).rpartition(":")[2]
    return f'<{token.tag} class="{alignment}">' if alignment in ("left", "right", "center") else f"<{token.tag}>"


def _text(renderer: RendererHTML, tokens: Any, index: int, options: Any, environment: Any) -> str:
    """Plain text, with the links between notes in it."""
    links, lost = environment.get("links", {}), environment.get("lost", "")
    parts: list[str] = []
    end = 0
    content: str = tokens[index].content
    for found in _WIKI.finditer(content):
        parts += [str(escape(content[end : found.start()])), _wiki_link(found[1].strip(), links, lost)]
        end = found.end()
    return "".join([*parts, str(escape(content[end:]))])


def _wiki_link(note_id: str, links: Links, lost: str) -> str:
    link = links.get(note_id)
    if link is None:
        return f'<span class="lost-link" title="{escape(lost)}">[[{escape(note_id)}]]</span>'
    title = str(link.get("title") or note_id)
    return f'<a class="note-link" href="{escape(link["href"])}" title="{escape(note_id)}">{escape(title)}</a>'


_PARSER = _parser()
