"""How a person is asked whether a tool may run: what would change, and which answers there are."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, assert_never

from oharness.cli.columns import one_line, printable, shortened, width
from oharness.cli.output import Ink
from oharness.harness.events import AllowForSession, AllowOnce, Approval, Decline, PermissionRequest
from oharness.harness.previews import LineKind, line_kinds
from oharness.language.catalogue import Catalogue, msg

Ask = Callable[[str], Awaitable[str]]
Tell = Callable[[Iterable[str]], None]

SHOWN_LINES = 40
_YES = ("y", "yes", "o", "oui", "s", "sim", "是", "好")
_NO = ("n", "no", "non", "não", "nao", "不", "否")
_ALWAYS = ("a", "always", "toujours", "sempre", "总是")
_WHOLE = "v"


class Asking:
    """The frontend of a run with a person in front of it."""

    def __init__(self, words: Catalogue, ink: Ink, tell: Tell, ask: Ask) -> None:
        self._words = words
        self._ink = ink
        self._tell = tell
        self._ask = ask

    async def approve(self, request: PermissionRequest) -> Approval:
        """The answer of the person; they are asked again until there is one, and nothing more to read means no."""
        self._tell(request_lines(request, self._words, self._ink, SHOWN_LINES))
        while True:
            try:
                answer = (await self._ask(self._question(request))).strip()
            except EOFError:
                return Decline()
            if answer.lower() == _WHOLE and request.preview:
                self._tell(request_lines(request, self._words, self._ink, None))
            elif (approval := approval_in(answer, for_session=not request.rule)) is not None:
                return approval

    def _question(self, request: PermissionRequest) -> str:
        say = self._words.text
        choices = [say(msg("y: yes")), say(msg("n: no"))]
        if not request.rule:
            choices.append(say(msg("a: always in this session")))
        if request.preview.count("\n") >= SHOWN_LINES:
            choices.append(say(msg("v: view all of it")))
        choices.append(say(msg("or type why not")))
        asked = say(msg("Allow it?"))
        return f"{asked} [{' · '.join(choices)}] "


def approval_in(answer: str, *, for_session: bool) -> Approval | None:
    """The approval that an answer means; None for one that means nothing. A sentence is a no with its reason."""
    word = answer.strip().lower()
    if word in _YES:
        return AllowOnce()
    if word in _ALWAYS:
        return AllowForSession() if for_session else AllowOnce()
    if word in _NO:
        return Decline()
    return Decline(answer.strip()) if len(word) > 2 or width(word) > 2 else None


def says_yes(answer: str) -> bool:
    """Whether a line somebody typed means yes, in any of the languages; everything else is a no."""
    return answer.strip().lower() in _YES


def request_lines(request: PermissionRequest, words: Catalogue, ink: Ink, limit: int | None) -> list[str]:
    """What is asked for, and what it would change, coloured as a diff where it is one."""
    tool = ink.strong(printable(request.tool))
    asked = msg("The subagent wants to use {tool}.") if request.is_subagent else msg("The agent wants to use {tool}.")
    lines = [ink.warning("? ") + words.text(asked, tool=tool)]
    if request.rule:
        lines.append("  " + words.text(msg("Your rule `{rule}` asks each time."), rule=one_line(request.rule)))
    if not request.preview.strip():
        return lines + [f"  {one_line(name)}: {one_line(str(value))}" for name, value in request.arguments.items()]
    preview = printable(request.preview.rstrip("\n")).split("\n")
    shown = coloured_diff(preview, ink)[:limit]
    lines += ["  " + line for line in shown]
    if hidden := len(preview) - len(shown):
        lines.append("  " + ink.faint(words.plural("… {count} more line", "… {count} more lines", hidden)))
    return lines


def coloured_diff(lines: list[str], ink: Ink) -> list[str]:
    """Added lines green, removed ones red, if this is a diff at all."""
    return [_coloured(line, kind, ink) for line, kind in zip(lines, line_kinds(lines), strict=True)]


def call_text(tool: str, arguments: Mapping[str, Any], cells: int) -> str:
    """A tool call on one line."""
    told = ", ".join(f"{name}={_short(value)}" for name, value in arguments.items())
    return shortened(one_line(f"{tool}({told})"), cells)


def _short(value: Any) -> str:
    return shortened(one_line(value if isinstance(value, str) else repr(value)), 40)


def _coloured(line: str, kind: LineKind, ink: Ink) -> str:
    match kind:
        case LineKind.FILE:
            return ink.strong(line)
        case LineKind.HUNK:
            return ink.name(line)
        case LineKind.ADDED:
            return ink.good(line)
        case LineKind.REMOVED:
            return ink.bad(line)
        case LineKind.PLAIN:
            return line
        case _:
            assert_never(kind)
