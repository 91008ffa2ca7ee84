"""Keeps the message catalogues in step with the code: gathers the sentences, updates the .po files, checks them.

python scripts/words.py            update the .po files; what has no translation yet is listed
python scripts/words.py --check    change nothing; exit 1 when a catalogue is not in step
python scripts/words.py --missing  print what has no translation yet, as .po entries per language
"""

import re
import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from oharness.language import sentences
from oharness.language.catalogue import DOMAIN, ENGLISH, LANGUAGES

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "oharness"
LOCALE = SOURCE / "language" / "locale"
_METHODS = [("**.py", "python"), ("**.html", "jinja2.ext:babel_extract")]
_KEYWORDS = {"msg": None, "plural": (1, 2)}
_PLURALS = {
    "zh_CN": "nplurals=1; plural=0;",
    "pt_BR": "nplurals=2; plural=(n > 1);",
    "fr": "nplurals=2; plural=(n > 1);",
}
_FIELD = re.compile(r"\{(\w+)\}")

MessageId = str | tuple[str, str]


def gathered() -> Mapping[MessageId, None]:
    """Every sentence in the code and the page templates, a pair where there is a plural, in a stable order."""
    found: set[MessageId] = set()
    for _, _, message, _, _ in extract_from_dir(SOURCE, _METHODS, keywords=_KEYWORDS):
        found.add((message[0], message[1]) if isinstance(message, tuple) else message)
    groups = (sentences.ERRORS, sentences.NOTICES, sentences.MODEL_FAULTS, sentences.REASONS, sentences.TRACES)
    for group in (*groups, sentences.PARTS):
        found.update(group.values())
    found.update((sentence, sentence) for sentence in sentences.COUNTED_NOTICES.values())
    return dict.fromkeys(sorted(found, key=str))


def po_file(language: str) -> Path:
    """Where the words of a language are kept."""
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read_words(language: str) -> Catalog:
    """The catalogue of a language; an empty one where there is no file yet."""
    path = po_file(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as stream:
        return read_po(stream, locale=language)


def in_step(old: Catalog, language: str) -> Catalog:
    """A catalogue with exactly the gathered sentences, translations kept."""
    new = Catalog(locale=language, fuzzy=False)
    new.mime_headers = _headers(language)
    for message_id in gathered():
        known = old.get(message_id)
        new.add(message_id, known.string if known else "")
    return new


def as_po(catalogue: Catalog, language: str) -> str:
    """The text of a .po file: no dates and no line numbers, so that it changes only when words do."""
    lines = [
        f"# {LANGUAGES[language]}",
        'msgid ""',
        'msgstr ""',
        *(f'"{name}: {value}\\n"' for name, value in _headers(language)),
        "",
    ]
    body = BytesIO()
    write_po(body, catalogue, width=110, no_location=True, omit_header=True, sort_output=True)
    return "\n".join(lines) + "\n" + body.getvalue().decode().lstrip("\n")


def _headers(language: str) -> list[tuple[str, str]]:
    return [
        ("Project-Id-Version", "oharness"),
        ("Language", language),
        ("Plural-Forms", _PLURALS[language]),
        ("MIME-Version", "1.0"),
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Transfer-Encoding", "8bit"),
    ]


def is_translated(message: Message) -> bool:
    """Whether every form has words."""
    forms = message.string if isinstance(message.string, (tuple, list)) else (message.string,)
    return all(forms) and not message.fuzzy


def faults(language: str) -> list[str]:
    """What is wrong with a catalogue, as sentences; an empty list when it is in step."""
    catalogue = read_words(language)
    wanted = set(gathered())
    present = {_id(message) for message in catalogue if message.id}
    told = [f"{language}: not in the catalogue: {message!r}" for message in sorted(wanted - present, key=str)]
    told += [f"{language}: used nowhere: {message!r}" for message in sorted(present - wanted, key=str)]
    for message in catalogue:
        if message.id and not is_translated(message):
            told.append(f"{language}: no translation: {message.id!r}")
        elif message.id and not same_fields(message):
            told.append(f"{language}: other fields than the English: {message.id!r}")
    return told


def same_fields(message: Message) -> bool:
    """Whether a translation fills the same fields; a plural form may leave `{count}` to a word."""
    ids = message.id if isinstance(message.id, (tuple, list)) else (message.id,)
    strings = message.string if isinstance(message.string, (tuple, list)) else (message.string,)
    forms = [form or "" for form in strings]
    english = set(_FIELD.findall(ids[-1]))
    optional = {"count"} if len(ids) > 1 else set()
    return all(english - optional <= set(_FIELD.findall(form)) <= english for form in forms)


def _id(message: Message) -> MessageId:
    return (message.id[0], message.id[1]) if isinstance(message.id, (tuple, list)) else message.id


def main(arguments: list[str]) -> int:
    languages = [language for language in LANGUAGES if language != ENGLISH]
    if arguments == ["--check"]:
        told = [fault for language in languages for fault in faults(language)]
        print("\n".join(told) or "The catalogues are in step.")
        return 1 if told else 0
    for language in languages:
        catalogue = in_step(read_words(language), language)
        missing = [message for message in catalogue if message.id and not is_translated(message)]
        if arguments == ["--missing"]:
            print(f"## {language}", *(repr(message.id) for message in missing), sep="\n")
            continue
        po_file(language).parent.mkdir(parents=True, exist_ok=True)
        po_file(language).write_text(as_po(catalogue, language), encoding="utf-8")
        print(f"{language}: {len(catalogue)} sentences, {len(missing)} without a translation")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
