"""Pages from templates, in the visitor's language; everything that is filled in is escaped."""

import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jinja2
from markupsafe import Markup, escape

from oharness.gateway.visits import LANGUAGE_FIELD, Visit
from oharness.language.catalogue import LANGUAGES

_BACKTICKS = re.compile(r"`([^`]+)`")
_HERE = Path(__file__).parent
_HTML_LANGUAGE = {"en": "en", "zh_CN": "zh-Hans", "pt_BR": "pt-BR", "fr": "fr"}


class Renderer:
    """The templates and the style sheet, read once."""

    def __init__(self) -> None:
        self._templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._templates.filters["code"] = _with_code
        self.style = (_HERE / "static" / "style.css").read_bytes()
        self._style_version = hashlib.sha256(self.style).hexdigest()[:12]

    def page(self, name: str, visit: Visit, **fields: Any) -> str:
        """The HTML of a page. In templates `msg` and `plural` give the words, `day` and `minute` the times."""
        return self._templates.get_template(name).render(
            msg=visit.words.text,
            plural=visit.words.plural,
            day=lambda millis: _moment(millis, "%Y-%m-%d"),
            minute=lambda millis: _moment(millis, "%Y-%m-%d %H:%M UTC"),
            visit=visit,
            language=_HTML_LANGUAGE[visit.words.language],
            languages=[(code, _HTML_LANGUAGE[code], name) for code, name in LANGUAGES.items()],
            language_query=lambda code: _with_language(visit, code),
            here=lambda: visit.request.url.path.split("/")[1],
            token=lambda: Markup('<input type="hidden" name="form_token" value="{}">').format(visit.form_token),
            style=f"/style.css?v={self._style_version}",
            **{"problem": None, "done": None, **fields},
        )


def _with_code(text: str) -> Markup:
    """A sentence in which what stands between backticks looks like what it is: something to type."""
    return Markup(_BACKTICKS.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped just before


def _with_language(visit: Visit, code: str) -> str:
    """The query of the present page, with the language that is wished for."""
    kept = [(name, value) for name, value in visit.request.query_params.multi_items() if name != LANGUAGE_FIELD]
    return urlencode([*kept, (LANGUAGE_FIELD, code)])


def _moment(millis: int, form: str) -> str:
    return datetime.fromtimestamp(millis / 1000, UTC).strftime(form)
