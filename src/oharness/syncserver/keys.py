"""The layout of object keys (protocol 7): which key holds what, and that no input reaches a key unencoded (P-11)."""

import hashlib
import re
from urllib.parse import quote

from oharness.core.scopes import Scope, ScopeKind

UNREADABLE = "%unreadable"
"""The last folder in the key of what a store holds and cannot make out; no part of another key is like it. It is listed
and removed as an object is, and left alone by whoever looks for what nobody names."""
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_SEGMENT = 200
_KEPT_OF_LONG = 100


def segment(text: str) -> str:
    """One segment of a key: everything but `[A-Za-z0-9_-]` percent-encoded.

    What would be too long for a file name keeps its first 100 characters, a dot, and the text's SHA-256; a dot stands
    in no other segment.
    """
    if _PLAIN_ID.fullmatch(text) and len(text) <= _LONGEST_SEGMENT:
        return text
    encoded = quote(text, safe="").replace(".", "%2E").replace("~", "%7E")
    if len(encoded) <= _LONGEST_SEGMENT:
        return encoded
    return f"{encoded[:_KEPT_OF_LONG]}.{hashlib.sha256(text.encode()).hexdigest()}"


def account_prefix(account: str) -> str:
    """Everything of one account but its feeds."""
    return account_prefix_of(segment(account))


def account_prefix_of(account_segment: str) -> str:
    """Everything of an account known by its segment, but its feeds."""
    return f"users/{account_segment}/"


def scope_prefix(account: str, scope: Scope) -> str:
    """Everything of one scope."""
    if scope.kind is ScopeKind.USER:
        return f"{account_prefix(account)}memory/"
    return f"{account_prefix(account)}projects/{segment(scope.project_id)}/memory/"


def manifest_key(account: str, scope: Scope) -> str:
    """The manifest of a scope."""
    return f"{scope_prefix(account, scope)}manifest.json"


def objects_prefix(account: str, scope: Scope) -> str:
    """All bodies of a scope."""
    return f"{scope_prefix(account, scope)}objects/"


def note_prefix(objects: str, note_id: str) -> str:
    """All revisions of one note, below the prefix of its scope's bodies."""
    return f"{objects}{segment(note_id)}/"


def object_key(objects: str, note_id: str, revision: str) -> str:
    """One revision of one note, below the prefix of its scope's bodies."""
    return f"{objects}{segment(note_id)}/{segment(revision)}.md"


def erased_user_key(account: str) -> str:
    """The marker that says: this account was erased."""
    return f"erased/users/{segment(account)}.json"


def erased_team_key(team: str) -> str:
    """The marker that says: this team was erased."""
    return f"erased/teams/{segment(team)}.json"


def user_feed_prefix(account: str) -> str:
    """The session feeds of an account."""
    return feed_prefix_of(segment(account))


def team_feed_prefix(team: str) -> str:
    """The session feeds of a team."""
    return team_feed_prefix_of(segment(team))


def team_feed_prefix_of(team_segment: str) -> str:
    """The session feeds of a team known by its segment."""
    return f"feed/team-{team_segment}/"


def feed_prefix_of(account_segment: str) -> str:
    """The feeds of an account known by its segment; one that looks like a team's gets its minus encoded."""
    if account_segment.startswith("team-"):
        return f"feed/team%2D{account_segment.removeprefix('team-')}/"
    return f"feed/{account_segment}/"


def is_manifest_key(key: str) -> bool:
    """Whether a key under `users/` is that of a manifest."""
    return key.endswith("/memory/manifest.json")


def scope_of_object(key: str) -> str | None:
    """The scope prefix that a body's key lies under; None for other keys, and for what the store cannot make out."""
    before, found, rest = key.partition("/memory/objects/")
    if not found or rest.count("/") != 1 or rest.startswith(f"{UNREADABLE}/"):
        return None
    return f"{before}/memory/"


def marked_segment(marker_key: str) -> str:
    """The encoded account or team that a marker of erasure is about."""
    return marker_key.rpartition("/")[2].removesuffix(".json")
