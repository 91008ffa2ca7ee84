"""Which collection of notes is meant: a project's or the user's own."""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

_PROJECT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class ScopeKind(StrEnum):
    """The two kinds, spelled as in commands, tools and on the wire."""

    PROJECT = "project"
    USER = "user"


def is_project_id(text: str) -> bool:
    """Whether a text may be a project id (protocol P-10)."""
    return _PROJECT_ID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Scope:
    """One collection of notes; `project_id` is empty for the user's own."""

    kind: ScopeKind
    project_id: str = ""

    def __post_init__(self) -> None:
        if self.kind is ScopeKind.USER and self.project_id:
            raise ValueError("the user scope has no project id")
        if self.kind is ScopeKind.PROJECT and not is_project_id(self.project_id):
            raise ValueError(f"not a project id: {self.project_id!r}")

    @property
    def key(self) -> str:
        """The stable scope key of P-10: `user` or `project:<id>`."""
        return "user" if self.kind is ScopeKind.USER else f"project:{self.project_id}"

    @property
    def digest(self) -> str:
        """sha256 of the key in lowercase hex, as `plugins.json` and folders under the home use it."""
        return hashlib.sha256(self.key.encode()).hexdigest()


USER_SCOPE = Scope(ScopeKind.USER)


def project_scope(project_id: str) -> Scope:
    """The scope of one project's notes."""
    return Scope(ScopeKind.PROJECT, project_id)
