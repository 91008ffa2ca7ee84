"""How a help page looks: what it is for, how it is called, examples, and what to do next.

Imports no command and no parser, so that a bare `oharness --help` is answered at once.
"""

from collections.abc import Sequence

from oharness.cli.columns import definitions, wrapped
from oharness.cli.commands import ROOT
from oharness.language.catalogue import Catalogue, msg

Rows = Sequence[tuple[str, str]]

GLOBAL_OPTIONS: Rows = (
    ("--project DIR", msg("The project to work in; else the nearest project or git repository above this folder.")),
    ("--home DIR", msg("Where your own notes and settings are; else OHARNESS_HOME, else ~/.oharness.")),
    ("--json", msg("Answer with exactly one JSON document.")),
)
ROOT_OPTIONS: Rows = (
    *GLOBAL_OPTIONS,
    ("--version", msg("Print the version.")),
    ("--help", msg("Print this page; `oharness COMMAND --help` tells more of one command.")),
)
_PURPOSE = msg(
    "oHarness is an agent that remembers: it writes notes as Markdown files and recalls those that fit what you say."
)
_EXAMPLES: Rows = (
    ("oharness", msg("talk in this folder")),
    ('oharness run "when do we deploy?"', msg("one question, one answer")),
    ('oharness memory remember --summary "We deploy on Thursdays"', msg("write a note yourself")),
    ('oharness memory why "when do we deploy?"', msg("see which notes would be recalled, and why")),
)
_NEXT = msg("In a project's folder, run `oharness project init`, then `oharness`.")


def root_page(words: Catalogue, cells: int) -> str:
    """The page of `oharness --help`."""
    headings = dict.fromkeys(heading for heading, _, _ in ROOT.values())
    groups = [
        (heading, [(name, purpose) for name, (group, _, purpose) in ROOT.items() if group == heading])
        for heading in headings
    ]
    return page(
        words,
        cells,
        usage="oharness [--project DIR] [--home DIR] [--json] COMMAND …",
        purpose=_PURPOSE,
        sections=[*groups, (msg("Options"), ROOT_OPTIONS)],
        examples=_EXAMPLES,
        next_step=_NEXT,
    )


def page(
    words: Catalogue,
    cells: int,
    *,
    usage: str,
    purpose: str,
    sections: Sequence[tuple[str, Rows]] = (),
    examples: Rows = (),
    next_step: str = "",
) -> str:
    """A help page in the language of `words`; a text that is given in another language than English stays as it is."""
    lines = wrapped(words.text(purpose), cells)
    lines += ["", *_headed(words.text(msg("Usage")), ["  " + usage])]
    for heading, rows in sections:
        if rows:
            told = [(name, words.text(meaning)) for name, meaning in rows]
            lines += ["", *_headed(words.text(heading), definitions(told, cells))]
    if examples:
        lines += ["", *_headed(words.text(msg("Examples")), _examples(words, examples))]
    if next_step:
        lines += ["", *wrapped(words.text(msg("Next: {step}"), step=words.text(next_step)), cells)]
    return "\n".join(lines)


def _headed(heading: str, lines: list[str]) -> list[str]:
    return [heading + ":", *lines]


def _examples(words: Catalogue, examples: Rows) -> list[str]:
    lines = []
    for command, meaning in examples:
        lines.append("  " + command)
        if meaning:
            lines.append("      " + words.text(meaning))
    return lines
