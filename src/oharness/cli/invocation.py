"""One call of the program: where it works, in which language, and where its words go."""

from collections.abc import Mapping
from typing import TextIO

from oharness.cli.output import Output
from oharness.language.catalogue import Catalogue, choose_language


class Invocation:
    """What every command is given. The global options are filled in while the command line is parsed."""

    def __init__(
        self, environment: Mapping[str, str], stdin: TextIO, out: TextIO, err: TextIO, *, json_only: bool
    ) -> None:
        self.environment = environment
        self.stdin = stdin
        self.project: str | None = None
        self.home: str | None = None
        self.words = Catalogue(choose_language("", environment))
        self.output = Output(out, err, self.words, environment, json_only=json_only)

    def help_text(self, page: str) -> str:
        """A help page in the form that was asked for."""
        if not self.output.json_only:
            return page
        import json

        return json.dumps({"help": page}, ensure_ascii=False, indent=2)
