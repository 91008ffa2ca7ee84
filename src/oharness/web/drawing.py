"""Templates, filled for one request in one language. Everything that is filled in is escaped."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import jinja2
import jinja2.bccache
from markupsafe import Markup, escape

from oharness.core.clock import Clock
from oharness.core.errors import OharnessError
from oharness.language.catalogue import LANGUAGES, Catalogue, msg
from oharness.language.sentences import error_sentence, notice_sentence, reason_phrase, trace_place, trace_stays
from oharness.web.markdown import Links, rendered
from oharness.web.moments import Moments
from oharness.web.renderers.registry import FUNCTIONS, RENDERERS

HERE = Path(__file__).parent
HTML_LANGUAGE = {"en": "en", "zh_CN": "zh-Hans", "pt_BR": "pt-BR", "fr": "fr"}
_PART = re.compile(r"[a-z][a-z0-9-]*")
_WHOLE = "page"
_BACKTICKS = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the app something is drawn: `key` of the project and name of the page."""

    key: str
    page: str

    def page_url(self, page: str | None = None, **query: Any) -> str:
        """The address of a page of this project."""
        return address(("p", self.key, page or self.page), query)

    def part_url(self, part: str, **query: Any) -> str:
        """The address of a part of this page."""
        return address(("p", self.key, self.page, part), query)

    def action_url(self, action: str) -> str:
        """Where the form of an action is sent to."""
        return address(("p", self.key, self.page, "do", action), {})


def address(steps: tuple[str, ...], query: Mapping[str, Any]) -> str:
    """A path with a query; what is None is left out."""
    given = [(name, value) for name, value in query.items() if value is not None]
    path = "/" + "/".join(quote(step, safe="") for step in steps)
    return f"{path}?{urlencode(given, doseq=True, safe='/')}" if given else path


class Drawing:
    """The templates in every language, and the addresses of the static files."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.static = Static()
        self._languages = {code: self._environment(code) for code in LANGUAGES}

    def words(self, language: str) -> Catalogue:
        """The words of a language."""
        words = self._languages[language].globals["words"]
        assert isinstance(words, Catalogue)  # noqa: S101 - put there below
        return words

    def draw(self, template: str, language: str, **fields: Any) -> str:
        """The HTML of a template, named from the folder of the web app on."""
        return self._languages[language].get_template(template).render(**fields)

    def warm(self, renderer: str) -> None:
        """Compiles the templates of a renderer, for every language at once. Blocking."""
        environment = next(iter(self._languages.values()))
        for path in sorted((HERE / "renderers" / renderer).glob("*.html")):
            environment.get_template(f"renderers/{renderer}/{path.name}")

    def has_part(self, renderer: str, part: str) -> bool:
        """Whether a renderer draws a part of that name."""
        return (
            part != _WHOLE
            and bool(_PART.fullmatch(part))
            and (HERE / "renderers" / renderer / f"{part}.html").is_file()
        )

    def _environment(self, language: str) -> jinja2.Environment:
        templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(HERE),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            bytecode_cache=_COMPILED,
        )
        templates.globals.update(_words_of(language, self._clock))
        templates.globals.update(FUNCTIONS)
        templates.globals.update(asset=self.static.address, icon=_icon(self.static))
        templates.filters["code"] = with_code
        return templates


class _Compiled(jinja2.BytecodeCache):
    """Templates are compiled once for a process, whatever the language."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Fills the bucket with what is known of its template."""
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Keeps what was compiled."""
        self._kept[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


class Static:
    """The files that browsers fetch besides pages; an address changes with the content, so that it may be kept."""

    def __init__(self) -> None:
        folders = {"": HERE / "static", **{f"{name}/": HERE / "renderers" / name for name in RENDERERS}}
        self._files = {
            prefix + path.name: path
            for prefix, folder in folders.items()
            for path in sorted(folder.glob("*"))
            if path.suffix in _TYPES
        }
        self.content = {name: (path.read_bytes(), _TYPES[path.suffix]) for name, path in self._files.items()}
        self._marks = {name: hashlib.sha256(content).hexdigest()[:12] for name, (content, _) in self.content.items()}

    def address(self, name: str) -> str | None:
        """Where a file is fetched from; None for one that does not exist."""
        return f"/static/{name}?v={self._marks[name]}" if name in self._marks else None

    def is_current(self, name: str, mark: str) -> bool:
        """Whether an address with this mark may be kept for ever."""
        return self._marks.get(name) == mark


_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def with_code(text: str) -> Markup:
    """A sentence in which what stands between backticks looks like something to type."""
    return Markup(_BACKTICKS.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped just before


def said(value: Any, words: Catalogue) -> str:
    """A sentence that a plugin gives in English, with its fields, in this language."""
    if not isinstance(value, Mapping):
        return words.text(str(value)) if value else ""
    fields = value.get("fields") or {}
    if "one" in value:
        return words.plural(value["one"], value["many"], int(value["count"]), **fields)
    return words.text(str(value.get("text", "")), **fields)


def _words_of(language: str, clock: Clock) -> dict[str, Any]:
    words, moments = Catalogue(language), Moments(language)

    def markdown(text: str, links: Links | None = None) -> Markup:
        return rendered(text, links, words.text(msg("There is no note of this name yet.")))

    def sentence(error: OharnessError) -> str:
        return error_sentence(error, words)

    return {
        "words": words,
        "msg": words.text,
        "plural": words.plural,
        "say": lambda value: said(value, words),
        "sentence": sentence,
        "reason": lambda code: reason_phrase(code, words),
        "trace_place": lambda where: trace_place(where, words),
        "trace_stays": lambda why, detail: trace_stays(why, detail, words),
        "notice": lambda key, fields: notice_sentence(key, fields, words),
        "moment": lambda at_ms: moments.ago(at_ms, clock.now_ms()),
        "minute": moments.minute,
        "day": moments.day,
        "number": moments.number,
        "size": moments.size,
        "markdown": markdown,
        "language": words.language,
        "html_language": HTML_LANGUAGE[words.language],
        "languages": [(code, HTML_LANGUAGE[code], name) for code, name in LANGUAGES.items()],
    }


def _icon(static: Static) -> Callable[..., Markup]:
    sprite = static.address("icons.svg")

    def icon(name: str) -> Markup:
        return Markup('<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>').format(
            sprite, name
        )

    return icon
