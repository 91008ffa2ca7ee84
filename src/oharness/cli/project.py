"""`oharness project`: makes a folder a project, and says which project this is."""

from typing import TYPE_CHECKING

from oharness.cli.columns import printable, table
from oharness.cli.grammar import Group, pass_invocation
from oharness.cli.invocation import Invocation
from oharness.language.catalogue import msg

if TYPE_CHECKING:
    from oharness.disk.project import Identity, Project

project = Group(
    "project",
    help=msg("A project is a folder with notes of its own, in MEMORY, and an id that stays when it is renamed."),
    examples=(
        ("oharness project init", msg("make this folder one")),
        ("oharness project show", msg("which project is this?")),
    ),
    next_step=msg("`oharness` in a project's folder begins a chat."),
)


@project.command(
    "init",
    help=msg(
        "Register the project: writes .oharness/project.json and the folders MEMORY and ARTIFACTS. Inside a git "
        "repository that is its root, else this folder. May be repeated."
    ),
    examples=(
        ("oharness project init", ""),
        ("oharness --project ~/work/shop project init", msg("exactly that folder")),
    ),
    next_step=msg("`oharness memory remember --summary …` writes the first note, `oharness` begins a chat."),
)
@pass_invocation
def init(call: Invocation) -> None:
    from oharness.disk.project import project_at, register_project
    from oharness.language.sentences import error_sentence

    here = call.opened()
    found = here.project or project_at(here.files, here.folder)
    done = register_project(here.files, found, here.home, here.git, here.clock, here.randomness)
    _answer(call, done.project, done.identity)
    call.warn(error_sentence(warning, call.words) for warning in done.warnings)
    call.warn_of_settings()


@project.command(
    "show",
    help=msg("Say which project this is. Writes nothing; a git repository shows the id it would get."),
    examples=(("oharness project show --json", ""),),
)
@pass_invocation
def show(call: Invocation) -> None:
    from oharness.disk.project import identify
    from oharness.memory.scopes import NoProjectHere

    opened = call.opened()
    if opened.project is None:
        raise NoProjectHere
    _answer(call, opened.project, identify(opened.files, opened.project, opened.git, opened.randomness))
    call.warn_of_settings()


def _answer(call: Invocation, project: "Project", identity: "Identity") -> None:
    document = {
        "id": identity.id,
        "path": str(project.root),
        "name": project.name,
        "source": str(identity.source),
    }
    sources = {
        "git-root": msg("the id is the root commit of the repository"),
        "random": msg("the id is random, since this is no git repository whose first commit is known"),
        "existing": msg("registered"),
    }
    told = call.words.text(sources[document["source"]])
    rows = [
        (printable(document["name"]), call.output.ink.faint(told)),
        ("id", document["id"]),
        (call.words.text(msg("folder")), printable(document["path"])),
    ]
    call.output.answer(document, lambda: table(rows, indent=""))
