"""One call of the program: where it works, in which language, and where its words go."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, TextIO

from oharness.cli.output import Output
from oharness.disk.at_a_glance import language_setting, no_notes
from oharness.language.catalogue import Catalogue, choose_language, msg

if TYPE_CHECKING:
    from pathlib import Path

    from oharness.core.scopes import ScopeKind
    from oharness.memory.notices import MemoryNotice
    from oharness.memory.scopes import Memory
    from oharness.wiring.environment import Environment


class Invocation:
    """What every command is given. The global options are filled in while the command line is parsed."""

    def __init__(
        self, environment: Mapping[str, str], stdin: TextIO, out: TextIO, err: TextIO, *, json_only: bool
    ) -> None:
        self.environment = environment
        self.stdin = stdin
        self.project: str | None = None
        self.home: str | None = None
        self.words = Catalogue(choose_language(language_setting(environment), environment))
        self.output = Output(out, err, self.words, environment, json_only=json_only)
        self._opened: Environment | None = None

    def help_text(self, page: str) -> str:
        """A help page in the form that was asked for."""
        if not self.output.json_only:
            return page
        import json

        return json.dumps({"help": page}, ensure_ascii=False, indent=2)

    def opened(self) -> "Environment":
        """Home, project and settings, read once.

        Raises: BrokenSettings, BrokenFile, NoSuchProjectFolder, StorageFailed.
        """
        if self._opened is None:
            from oharness.wiring.environment import open_environment

            self._opened = open_environment(self.environment, project=self.project, home=self.home)
            self.words.speak(choose_language(self._opened.settings.language, self.environment))
        return self._opened

    @contextmanager
    def memory_for_reading(self) -> Iterator["Memory"]:
        """The notes to look at; creates no file.

        Raises: as `opened`, and OutsideProject, StorageFailed, DirectoryRedirected.
        """
        from oharness.wiring.environment import open_memory_for_reading

        if not self.settings_were_told(keep=False):
            self.warn_of_settings()
        with closing(open_memory_for_reading(self.opened())) as memory:
            yield memory

    @contextmanager
    def memory_for_writing(self) -> Iterator["Memory"]:
        """The notes to change; registers the project.

        Raises: as `memory_for_reading`.
        """
        from oharness.wiring.environment import open_memory_for_writing

        if not self.settings_were_told(keep=True):
            self.warn_of_settings()
        with closing(open_memory_for_writing(self.opened())) as memory:
            yield memory
        self.tell(memory.opening_warnings)

    def session_folder(self) -> "Path":
        """Where the conversations held here lie."""
        from oharness.disk.project import identify
        from oharness.wiring.harness import OUTSIDE

        opened = self.opened()
        if opened.project is None:
            return opened.home.session_directory(OUTSIDE)
        identity = identify(opened.files, opened.project, opened.git, opened.randomness)
        return opened.home.session_directory(identity.id)

    def scope_named(self, name: str | None) -> "ScopeKind | None":
        """The scope that an option names."""
        from oharness.core.scopes import ScopeKind

        return ScopeKind(name) if name else None

    def notice_sentences(self, notices: "Iterable[MemoryNotice]") -> list[str]:
        """Notices of the memory as sentences."""
        from oharness.language.sentences import notice_sentence

        return [notice_sentence(notice.key, notice.fields, self.words) for notice in notices]

    def tell(self, notices: "Iterable[MemoryNotice]") -> None:
        """Says notices of the memory beside the answer."""
        self.warn(self.notice_sentences(notices))

    def settings_were_told(self, *, keep: bool) -> bool:
        """Whether an earlier command said already what does not count in the settings; `keep` for one that writes."""
        opened = self.opened()
        if not opened.setting_warnings:
            return True
        from oharness.disk.told_settings import keep_as_told, told_before

        before = told_before(opened.files, opened.home, opened.setting_warnings)
        if keep:
            keep_as_told(opened.files, opened.home, opened.setting_warnings)
        return before

    def warn_of_settings(self) -> None:
        """Says what does not count in the settings."""
        if warnings := self.opened().setting_warnings:
            from oharness.language.sentences import notice_sentence

            for one in warnings:
                fields = {"file": one.file, "setting": one.key, "expected": one.expected}
                self.output.warning(notice_sentence(f"setting-{one.kind}", fields, self.words))

    def warn(self, sentences: Iterable[str]) -> None:
        """Says warnings beside the answer."""
        for sentence in sentences:
            self.output.warning(sentence)

    def has_no_notes(self) -> bool:
        """Whether it is certain at a glance that there is no note; says where that is."""
        if self.project is not None:
            return False
        found = no_notes(self.environment, self.home)
        if found is not None and not found.in_project:
            self.say_that_there_is_no_project()
        return found is not None

    def say_that_there_is_no_project(self) -> None:
        """Tells a person outside any project that they see their own notes alone."""
        if not self.output.json_only:
            told = msg("There is no project here; `oharness project init` makes this folder one.")
            self.output.note(self.words.text(told))
