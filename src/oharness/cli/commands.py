"""Which commands there are, where each is written, and its one line in the help. Imports nothing of them."""

from oharness.language.catalogue import msg

TALK = msg("Talk")
REMEMBER = msg("Remember")
SYNC = msg("Keep machines in step")

ROOT: dict[str, tuple[str, str, str]] = {
    "chat": (
        TALK,
        "oharness.cli.chat:chat",
        msg("Talk to the agent in this terminal; a bare `oharness` does the same."),
    ),
    "web": (TALK, "oharness.cli.web:web", msg("Talk, read and keep notes in the browser.")),
    "run": (TALK, "oharness.cli.run:run", msg("Send one message and print the answer.")),
    "sessions": (TALK, "oharness.cli.sessions:sessions", msg("List earlier conversations and read them.")),
    "memory": (REMEMBER, "oharness.cli.memory:memory", msg("Write, find, read, remove and restore notes.")),
    "project": (REMEMBER, "oharness.cli.project:project", msg("Make a folder a project with notes of its own.")),
    "login": (SYNC, "oharness.cli.account:login", msg("Sign in to a Cloud or a sync service.")),
    "logout": (SYNC, "oharness.cli.account:logout", msg("Sign out on this machine.")),
    "whoami": (SYNC, "oharness.cli.account:whoami", msg("Say who is signed in.")),
    "sync": (SYNC, "oharness.cli.sync:sync", msg("Keep notes in step with the cloud and your other machines.")),
    "gateway": (SYNC, "oharness.cli.gateway:gateway", msg("Run the Cloud's accounts and sign-in, or manage them.")),
    "sync-server": (SYNC, "oharness.cli.sync_server:sync_server", msg("Run the sync service.")),
    "demo": (SYNC, "oharness.cli.demo:demo", msg("See notes travel between two devices on this machine.")),
}
"""Name of each command: the heading it stands under, module and attribute, and what it does."""
