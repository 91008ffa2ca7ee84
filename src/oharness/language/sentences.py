"""One English sentence for every error, notice and model fault, which says what to do next.

Keys are class names, notice keys and fault values, so that this room knows none of the rooms that raise them.
`{name}` is filled from the error's data or the notice's fields. Everything here is in the catalogues of the other
languages; `scripts/words.py` gathers it.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from oharness.core.errors import OharnessError
from oharness.language.catalogue import Catalogue, msg

ERRORS: Mapping[str, str] = {
    # families, for what a plugin raises without a sentence of its own
    "OharnessError": "It could not be done.",
    "Failed": "It could not be done. Trying again may help.",
    "WrongUsage": "That was not understood. `--help` says how it is used.",
    "NotFound": "That does not exist.",
    "Refused": "That is not allowed.",
    "WaitsForPerson": "You have to decide first.",
    # core
    "StorageFailed": "{path} could not be read or written: {reason}. Check that the disk has room and that the "
    "folder is yours to write.",
    # command line
    "UnknownCommand": "There is no command {name}. `{group} --help` lists them.",
    "MissingCommand": "{group} needs one of its commands. `{group} --help` lists them.",
    "UnknownOption": "There is no option {name}.",
    "MissingValue": "{name} is missing.",
    "NobodyToAsk": "Nobody can be asked here, and what this removes cannot be brought back. Add --yes if it is meant.",
    "UnusableValue": "The value of {name} cannot be used. It has to be: {expected}.",
    "TooManyArguments": "Too much on the line: {rest}. Put quotes around a text of several words.",
    "Interrupted": "Stopped. `oharness run --session {session_id} …` goes on with the conversation.",
    "ExtraMissing": "`oharness {command}` needs optional packages. Install them: pip install 'oharness[{extra}]'",
    "ChatSpeaksToPeople": "A chat has no JSON answer. `oharness run --json MESSAGE` sends one message.",
    "NotUnderstood": "That was not understood: {detail}",
    "NothingToRead": "{name} was to be read from standard input, but nothing came. Pipe a text into the command.",
    "GivenTwice": "{names} say the same thing. Give one of them.",
    "UnreadableInput": "{path}, given for {name}, cannot be read as UTF-8 text: {reason}.",
    # settings and other files of the home
    "BrokenSettings": "The settings file {path} cannot be used: {fault}{place}. "
    "It was left as it is; mend or remove it.",
    "BrokenFile": "{path} cannot be understood: {reason}{place}. It was left as it is; mend or remove it.",
    # projects
    "NoSuchProjectFolder": "There is no folder {path}. Check the path given with --project.",
    "OutsideProject": "{path} really lies at {real_path}, outside the project {root}. Put it inside, or change "
    "`memory.dir`.",
    # notes
    "BadNoteId": "{note_id} cannot be a note's id. Letters, digits, - and _ are allowed, at most 128, beginning with a "
    "letter or digit.",
    "ReservedNoteId": "{note_id} cannot be a note's id: Windows keeps this name for a device, and the note "
    "could not be a file there. Add something to it, such as {note_id}-1.",
    "NoFreeId": "No free id was found for {slug}. Give one with --id.",
    "IdCaseCollision": "{note_id} differs from the note {existing_id} only in upper and lower case, which some file "
    "systems cannot tell apart. Choose another id.",
    "NotANote": "{file_name} is no note: {reason}{place}. It was left as it is; mend it in an editor.",
    "SummaryMissing": "A note needs a summary: one line that says what it is about.",
    "SummaryTooLong": "The summary has {length} characters; {limit} are allowed. Put the details into the body.",
    "UnknownNoteType": "There is no note type {note_type}. The types are user, feedback, project and reference.",
    "NotPlainText": "There are characters in the {part} of the note that cannot be kept in a text file. Remove them.",
    "NoteTooLarge": "The note {note_id} has {size_bytes} bytes; {limit_bytes} are allowed. Shorten it, or divide it "
    "into several notes.",
    "TooManyNotes": "There are {count} notes already; {limit} are allowed (`memory.maxNotes`). Forget some first.",
    "NotesChanged": "These notes have changed since this was planned: {note_ids}. Look at them and plan it again.",
    "NoteChangedOnDisk": "The note {note_id} was changed by somebody else at the same moment. Nothing was written; try "
    "again.",
    "DirectoryRedirected": "The folder {path} is now a link to {real_path}, which is not followed. Make it a folder "
    "again, or change `memory.dir`.",
    "FolderBusy": "Another oHarness (process {holder_pid}) has been writing to {path} for {waited_s} seconds. Wait for "
    "it, or end it.",
    "NoteNotFound": "There is no note {note_id}. `oharness memory list` lists them.",
    "NoProjectHere": "There is no project here. `oharness project init` makes this folder one; --scope user writes to "
    "your own notes.",
    "UserNotesUnavailable": "Your own notes in {path} cannot be used: {reason}. Check that the folder is "
    "yours to write.",
    "CredentialFound": "In line {line} of the {part} stands what looks like a credential ({kind}). Notes are plain "
    "files and may sync: leave the value out, and say where it is kept.",
    # backups
    "NotRestorable": "The backup {backup} cannot be restored: {reason}.",
    "BackupFailed": "The backup {path} could not be written ({reason}), so the note was left as it is. Check that the "
    "disk has room.",
    "NoSuchBackup": "There is no backup {backup}. `oharness memory backups` lists them.",
    # the Memory page
    "IdTakenThere": "The note cannot move: there is another note {note_id} already. Merge the two by hand.",
    "ConflictSeenOtherwise": "The note {note_id} was changed while you were deciding. Nothing was done; look at the "
    "conflict again.",
    "NoTidying": "Notes cannot be tidied here.",
    "NothingToUndo": "There is no merge to undo.",
    "MarksLeft": "Line {line} still marks one of the two sides. Choose what stays, and remove the lines with <<<<<<<, "
    "======= and >>>>>>>.",
    # harness
    "ModelFailed": "The model {model} did not answer. Send the message again, or set another `model`.",
    "NoSuchProvider": "There is no model provider {provider}. Known are: {known}. Check `model` in the settings.",
    "UnknownMode": "There is no permission mode {mode}. The modes are: {known}.",
    "RunInProgress": "The last message is still being answered. Wait for it, or stop that answer first.",
    "NoSuchSession": "There is no conversation {name} in this project. `oharness sessions list` lists them.",
    "AmbiguousSession": "Several conversations begin with {name}: {matches}. Give more of the id.",
    "SessionInUse": "The conversation {session_id} is open in another oHarness. Close it there, or begin a new one.",
    "TranscriptUnreadable": "{path} cannot be read as a conversation: {reason}.",
    "NameClash": "The plugin {plugin} registers a {kind} called {name}, which {other} has already. Disable one of them "
    "in plugins.json.",
    "BadToolName": "The plugin {plugin} registers a tool called {name}; only letters, digits, - and _ are allowed, at "
    "most 64. Its author has to rename it.",
    # pages in the browser
    "PortTaken": "Another program listens on the port {port}; perhaps oHarness is open already. Close it "
    "there, or choose another port: `oharness web --port N`.",
    "NoSuchProject": "There is no project here. Choose one in the list, or make one: `oharness project init`.",
    "NoSuchPage": "There is no page {name}.",
    "NothingAsked": "This was answered already, perhaps in another tab, or is no longer asked.",
    "FormTooLarge": "That is too much for one message.",
    # sync
    "AnswerDoesNotFit": "{choice} is no answer to what is asked here. These are: {answers}.",
    "NothingCanBeAnswered": "The folder of the notes cannot be read. Make it readable; the next pass goes "
    "on by itself.",
    "SyncBusy": "Another oHarness is syncing these notes right now. Try again in a moment.",
    "StateFromNewerVersion": "{path} was written by a newer oHarness. Upgrade this one to go on syncing.",
    "SyncIsOff": "Sync is off. `oharness sync on` switches it on.",
    "PinnedElsewhere": "These notes belong to the account {pinned_user} at {pinned_origin}, and the sign-in is that of "
    "{present_user} at {present_origin}. Nothing was synced; sign in with the first.",
    "AccountChanged": "These notes belong to the account {pinned}, and the sync service answers for {present}. Nothing "
    "was synced; sign in with the first.",
    "CountsDiffer": "What the sync service lists is not what it counts. Nothing was changed; the next pass asks again.",
    "ServerTooOld": "The sync service is too old for these notes and has to be upgraded; they work here meanwhile.",
    "NoSuchConflict": "There is no open conflict about {note_id}. `oharness sync conflicts` lists them.",
    "ConflictMoved": "The note {note_id} has changed since. Run `oharness sync now`, then look at the conflict again.",
    "NotDamaged": "The file of the note {note_id} is in order. Nothing was changed.",
    "NoFileToMend": "There is no file of a note {note_id}. `oharness memory check` lists the damaged ones.",
    "NothingToMendWith": "The note {note_id} was never in sync on this machine, so there is nothing to mend "
    "it with. Mend the file by hand, or look for a backup with `oharness memory backups`.",
    "CannotBeSetAside": "{path} cannot be read whole ({reason}), so that no backup of it can be made. It "
    "was left as it is; move it away by hand.",
    "NothingToConfirm": "Nothing waits for an answer here.",
    "BatchOvertaken": "Another device changed these notes in between. Nothing was merged; try it again.",
    "BatchRefused": "The sync service does not take this merge ({code}). Nothing was changed.",
    "BatchTooLarge": "{count} changes are too many at once; the sync service takes {limit}. Merge fewer notes.",
    "NotInSync": "These notes are not in sync: {note_ids}. Sync first, and resolve their conflicts.",
    # tidying
    "NoSuchFinding": "There is no finding {finding_id} now. `oharness memory tidy` lists them.",
    "TooFewToMerge": "A merge takes at least two different notes. `oharness memory tidy` names those of one subject.",
    "NotOneScope": "{note_ids} are not in one scope: a project's notes and your own cannot be merged with one another.",
    "FactsMissing": "Nothing was merged: the text lacks what the originals say: {missing}. Put it in, or accept "
    "the loss.",
    "DraftUnusable": "The small model's answer is no draft: {reason}. Ask it again, or merge by hand.",
    "StoreUnfit": "This store would lose notes: {fault}. Use another one.",
    "SettingUnusable": "{variable} holds something that cannot be used. It has to be: {expected}.",
    "ServiceUnreachable": "{origin} cannot be reached: {reason}. Check the network and the address; your notes work "
    "without it.",
    "ServiceRefused": "The sync service answered with error {status}. Nothing was lost, and the next pass asks again. "
    "{message}",
    "PassBroke": "Sync met a fault of its own ({detail}). It is tried again later; your notes are as they were.",
    "PassStopped": "Sync was broken off, since somebody signed in or out, or closed the project.",
    "KeyringFailed": "The system's keyring cannot be read ({reason}). Unlock it and try again.",
    "SignInBusy": "Another oHarness (process {holder_pid}) is changing the sign-in. Try again in a moment.",
    "FormRefused": "{address} turned the sign-in down ({error}): {message}",
    "TokenNeeded": "{address} is a sync service itself, where nobody can sign in with a browser. Give a token with "
    "--token.",
    "SignInDenied": "The sign-in was turned down in the browser. `oharness login` asks again.",
    "SignInExpired": "Nobody approved the code in time. `oharness login` gives a new one.",
    "TooFrequent": "The sync service was asked too often. Wait {retry_after_s} seconds, then try again.",
    "AccountErased": "This account was deleted at the Cloud, with everything that it had synced. Your notes stay here; "
    "`oharness logout` signs out.",
    "SignedOut": "The sign-in is missing, too old, or not accepted by the service. Sign in with `oharness login`.",
    "NotACloud": "{address} is neither a Cloud nor a sync service ({reason}). Check the address.",
    "InsecureAddress": "A token must not be sent to {address}, which is neither https nor this machine. Use an https "
    "address.",
    "ProtocolBroken": "The sync service answered something that cannot be understood ({reason}). Check the address.",
    "InvalidRequest": "The request breaks the rules of the sync protocol: {reason}.",
    "ClaimsUnusable": "The access token cannot be used: {reason}. Sign in again.",
    "EntitlementsBroken": "The entitlements file is not as it should be: {reason}.",
    "ManifestUnreadable": "The manifest in the store cannot be read: {reason}. Nothing is written over it.",
    "RequestRefused": "The sync service refused the request.",
    "StoreUnavailable": "The store did not answer for {key}: {reason}.",
    # the Cloud's gateway
    "DatabaseUnavailable": "The Cloud's database does not answer at the moment. Try again soon.",
    "DatabaseTooNew": "The Cloud's database was written by a newer oHarness (its tables have version {version}, this "
    "one knows {known}). Upgrade oHarness.",
    "NotAnEmail": "That is no e-mail address. It looks like ann@example.com.",
    "PasswordTooShort": "The password is too easy to guess. Use at least {minimum} characters, not all the same.",
    "PasswordTooLong": "The password is too long; {maximum} characters are allowed.",
    "PasswordIsEmail": "The password is the e-mail address. Choose another one.",
    "WrongPassword": "The e-mail address or the password is wrong. Try again.",
    "AccountExists": "There is an account with this e-mail address already.",
    "NoSuchAccount": "There is no account with this e-mail address.",
    "TooManyAttempts": "That was tried too often. Try again in {retry_after_s} seconds.",
    "NoSuchUserCode": "No device waits with this code: it may be mistyped, too old or answered already. Look at the "
    "device again, or run `oharness login` there once more.",
    "NoFreeUserCode": "No code could be made. Try again.",
    "NotYet": "The device is not signed in ({fault}).",
    "RefreshRefused": "The sign-in of this device is no longer valid. Run `oharness login`.",
    "NoSuchDevice": "This device is not signed in to the account.",
    "TeamNameUnusable": "A team's name is one line of 1 to {limit} characters.",
    "NoSuchTeam": "There is no such team, or you are not on it.",
    "NoSuchInvitation": "This code does not work: it may be mistyped, too old, used already, or meant for another "
    "e-mail address.",
    "NotTheOwner": "Only somebody who manages the team can do this.",
    "LastOwner": "Nobody else manages this team. Let somebody else manage it first, or delete the team.",
    "TooManyOfThem": "There are {limit} already, and more are not allowed.",
    "ErasingNotConfigured": "Nothing was deleted: this Cloud cannot erase yet, since {variable} is not set. Whoever "
    "runs it has to set it.",
    "DeletionStopped": "The deletion stopped at the step {step}: {reason}. It goes on by itself while the gateway "
    "runs, or at once with `oharness gateway admin deletions resume`.",
}
"""Class name of each error to its sentence."""

PLACE = msg(" (line {line}, column {column})")
"""Fills `{place}` where an error has a line and a column; nothing does where it has none."""

CLOSE = msg("Did you mean: {close}?")
"""Added where an unknown name looks like known ones."""

MODEL_FAULTS: Mapping[str, str] = {
    "unreachable": "The model {model} cannot be reached. Check the network and the address of the provider.",
    "timed-out": "The model {model} took too long to answer. Send the message again.",
    "unauthorized": "The provider of {model} did not accept the key. Check its key in the environment or the settings.",
    "rate-limited": "The provider of {model} says that there were too many requests. Wait a little and send it again.",
    "out-of-credit": "There is no credit left with the provider of {model}. Add credit there, or set another model.",
    "context-too-long": "The conversation is too long for {model}. Start a new one with /new.",
    "unknown-model": "The provider does not know the model {model}. Check `model` in the settings.",
    "nonsense": "What came back from {model} is no answer that can be read. Send it again, or check the address.",
    "refused": "The provider of {model} refused this request. Say it in other words.",
    "broken": "The provider of {model} failed. Send the message again later.",
    "package-missing": "{model} needs a package that is not installed. Install it: pip install {detail}",
    "no-address": "For {model} there is no address to ask. Set OPENAI_BASE_URL, or `openai.baseUrl` in config.json.",
    "bad-address": "{detail} is no address that {model} could be asked at. Set OPENAI_BASE_URL, or `openai.baseUrl` in "
    "config.json, to one that begins with http:// or https://.",
    "no-language-model": "This needs a language model, and {model} is none. Set `model` in config.json, or "
    "OHARNESS_MODEL, for example to anthropic:NAME, openai:NAME or openai-compatible:NAME.",
}
"""Why a model call failed."""

COUNTED_NOTICES: Mapping[str, str] = {
    "saved": "saved {count} memories from this conversation",
    "saved-earlier": "saved {count} memories from an earlier conversation",
    "recalled": "recalled {count} memories",
}
"""Notices with a number. English says them with one form, as the specification does; other languages have theirs."""

NOTICES: Mapping[str, str] = {
    "extraction-needs-model": "Automatic extraction is on, but {model} is no language model, so nothing is extracted. "
    "Set `model` or `smallModel` in config.json, or OHARNESS_SMALL_MODEL, for example to openai-compatible:NAME.",
    "looking-for-notes": "Looking for notes in this conversation. Ctrl-C leaves that for later.",
    "step-limit": "Stopped after {steps} steps. Say that it should go on, or say what to do instead.",
    "transcript-damaged": "Parts of this conversation's file cannot be read ({count}); the rest is here.",
    "hook-failed": "{hook} of the plugin {plugin} failed ({error}); the message was sent all the same.",
    "plugin-left-out": "The plugin {plugin} was left out ({error}): {detail}",
    "notes-not-loaded": "{count} {scope} notes are not loaded, since there are more than {limit} (`memory.maxNotes`). "
    "Forget some, or raise the limit.",
    "user-notes-unavailable": "Your own notes in {path} cannot be used: {reason}. Project notes can. Check that the "
    "folder is yours to write.",
    "project-not-enrolled": "The notes of this project do not sync, since {path} cannot be used: {reason}{place}. It "
    "was left as it is; mend it. Notes can be written meanwhile.",
    "notes-in-repository": "The notes lie in the repository, in {folder}. To keep them out of it, add this line to "
    ".gitignore: {line}",
    "credential-not-recalled": "The note {id} fits, but holds a credential ({kind}), so it is not shown to the model. "
    "Remove the credential from it.",
    "recall-failed": "Recall failed ({detail}); the message was sent without notes.",
    "index-not-kept": "The recall index cannot be written, so it is made anew each time.",
    "setting-wrong-value": "{file}: the value of `{setting}` cannot be used and does not count. It has to be: "
    "{expected}",
    "setting-not-for-projects": "{file}: a project may not set `{setting}` to this; it does not count. Only your own "
    "config.json, in the home, may do that.",
    "session-not-kept": "This conversation is not kept, since {folder} cannot be written.",
    "session-not-kept-now": "{path} cannot be written ({reason}). The conversation goes on, and is written as soon as "
    "there is room; what was not written when oHarness ends is lost.",
    "rule-matches-nothing": "The permission rule `{rule}` names no tool there is.",
    "merged-in-background": "Notes about one subject were merged in the background: {kept} now says what {ids} said. "
    "`oharness memory backups` has the originals.",
    "plugin-clash": "The plugin {plugin} was left out: its {kind} {name} is called like one of {other}.",
}
"""What a frontend shows beside the conversation."""


REASONS: Mapping[str, str] = {
    # why a file is no note
    "empty": "the file is empty",
    "nul-bytes": "it holds NUL bytes",
    "not-utf8": "it is not UTF-8 text",
    "no-frontmatter": "it has no frontmatter",
    "unclosed-frontmatter": "its frontmatter is never closed",
    "broken-json": "its frontmatter is not JSON",
    "not-an-object": "a JSON object { … } is expected",
    "lone-surrogate": "it holds half of a character",
    "unstorable-value": "its frontmatter holds a value that cannot be kept",
    "id-missing": "it has no id",
    "id-invalid": "its id cannot be a note's id",
    "id-not-file-name": "its id is not the name of the file",
    "summary-missing": "it has no summary",
    "too-large": "it is over the size limit",
    "not-clean": "it cannot be kept as it is",
    "symbolic-link": "it is a symbolic link, which is not followed",
    "unreadable": "it cannot be read",
    # why a note is not attached to a message
    "body-only": "it matches only in its body",
    "below-min-score": "its score is too low",
    "credential": "it looks as if it holds a credential, so it is withheld",
    "already-attached": "it is attached already",
    "per-turn": "better ones take all places",
    # why a version was backed up
    "backup-update": "updated",
    "backup-forget": "forgotten",
    "backup-delete": "deleted on the page",
    "backup-extraction": "rewritten by extraction",
    "backup-merge": "merged",
    "backup-restore": "replaced by a restored version",
    "backup-pull": "changed or removed by sync",
    "backup-conflict": "set aside in a conflict",
    "backup-damage": "damaged",
    "backup-unknown": "unknown",
    # why a backup cannot be restored
    "directory-unknown": "the folder it came from is not known",
    "directory-gone": "the folder it came from is gone",
    # why a model's answer is no draft of a merge
    "no-summary-or-body": "it has no summary or no text",
    "summary-length": "its summary is empty or too long",
    "empty-body": "it has no text",
    # why a settings file cannot be used
    "comment": "comments are not allowed in it",
    "not-json": "it is not JSON",
    "duplicate-key": "a key stands twice",
    "too-deep": "it is nested too deeply",
    # why another file of ours cannot be used
    "no-project-id": "it has no id that a project can have",
    "not-a-backup": "it is no backup",
    "plugins-not-listed": "`runtimePlugins` is no list",
    "no-free-name": "no free name was found in it",
    "comes-and-goes": "another program keeps changing it",
    # why a conversation cannot be read
    "no-header": "its first line is missing",
    "newer-version": "a newer oHarness wrote it",
    # why sync holds a note back
    "held-damaged": "its file is damaged and no other version is known",
    "held-unreadable": "its file cannot be read as a note; mend it, `oharness memory check` says what is wrong",
    "held-not-loaded": "there are more notes here than memory.maxNotes allows",
    "held-checksum": "what the cloud holds is damaged",
    "held-missing": "its file is gone; the next pass deletes it in the cloud if it stays gone",
    "held-changed": "it changed during the pass; the next pass takes it",
    "held-id_case_collision": "another note has the same id in other letter case",
    "held-invalid_note": "the service does not take it as a note",
    "held-hash_mismatch": "the service computed another checksum",
    "held-note_too_large": "it is larger than the service allows",
    "held-too_many_notes": "the service allows no more notes",
    "held-plan_notes": "the free plan allows no more notes",
    "held-plan_note_bytes": "it is larger than the free plan allows",
    "held-upgrade_required": "the sync service is too old for it and has to be upgraded",
    # what a conflict is about
    "conflict-summary": "both changed the summary",
    "conflict-type": "both changed the type",
    "conflict-body": "both changed the same lines",
    "conflict-extra": "both changed the same key of the frontmatter",
    "conflict-too-large": "together they are over the size limit",
    "conflict-no-base": "they have no common version",
    "conflict-deleted-there": "deleted in the cloud, changed here",
}
"""What a reason's code means, for the middle of a sentence."""


TRACES: Mapping[str, str] = {
    # where a note that is forgotten everywhere leaves something
    "note": "the note itself",
    "backups": "backups",
    "synced-copies": "copies as last synced",
    "outbox": "a change on its way to the cloud",
    "conflicts": "open conflicts",
    "recall-index": "the recall index",
    "recall-counts": "recall counts",
    "records": "records of tidying and sync",
    "extraction": "conversations that wait for extraction",
    "transcripts": "messages in transcripts",
    "audit-log": "lines of the audit log",
    "chat-history": "lines of the chat history",
    "leftovers": "files that a crash left",
    "cloud": "the cloud",
    "git-history": "git history",
    "other-notes": "other notes",
    "other-versions": "earlier versions of other notes",
    "other-devices": "other devices",
    # why something of it stays, and what to do
    "in-use": "Somebody works in it right now. Close other windows of oHarness, then forget the note again.",
    "sync-running": "A sync is running. Forget the note again when it is done.",
    "not-a-note": "There is something else than a note under this name. Look at it, and remove it by hand.",
    "in-commits": "Commits hold {detail}. To take it out of them, rewrite the history (git filter-repo --invert-paths "
    "--path {detail}), and everybody who has a clone has to fetch it anew.",
    "said-in-another-note": "The note {detail} says the same. Edit it, or forget it too.",
    "said-in-earlier-version": "A backup or synced copy of the note {detail} says the same, and perhaps the cloud. "
    "It goes with `oharness memory forget {detail} --everywhere`; to keep that note, remove the file of the backup by "
    "hand.",
    "waits-for-sync": "The cloud removes its copies with the next sync. Run `oharness sync now`.",
    "out-of-reach": "They drop the note with their next sync and keep a backup of it. Forget it everywhere there too.",
}

PARTS: Mapping[str, str] = {
    "id": "id",
    "summary": "summary",
    "body": "body",
    "tags": "tags",
    "type": "type",
    "extra": "other keys",
}
"""The parts of a note, for the middle of a sentence."""


def reason_phrase(reason: str, words: Catalogue) -> str:
    """A reason in words; one without words of its own is shown as it is.

    A note is held back also for what a file is no note for, and has the same words then.
    """
    known = reason if reason in REASONS else reason.removeprefix("held-")
    return words.text(REASONS[known]) if known in REASONS else known


def trace_place(where: str, words: Catalogue) -> str:
    """A place where a note that is forgotten everywhere leaves something."""
    return words.text(TRACES.get(where, where))


def trace_stays(why: str, detail: str, words: Catalogue) -> str:
    """Why something of it stays there, and what to do."""
    sentence = TRACES.get(why, why)
    return words.text(sentence, detail=detail) if detail else words.text(sentence)


def error_sentence(error: OharnessError, words: Catalogue) -> str:
    """What went wrong and what to do next, in the language of `words`; the nearest known class speaks."""
    fields = {name: _shown(value) for name, value in vars(error).items()}
    fault = MODEL_FAULTS.get(fields.get("fault", "")) if type(error).__name__ == "ModelFailed" else None
    fields = _in_words(fields, words)
    sentence = fault or next(ERRORS[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in ERRORS)
    told = words.text(sentence, **fields)
    if fault and (detail := fields.get("detail")) and "{detail}" not in fault:
        told += f" ({detail})"
    told = told.rstrip()
    if fields.get("close"):
        told += " " + words.text(CLOSE, close=fields["close"])
    return told


def notice_sentence(key: str, fields: Mapping[str, Any], words: Catalogue) -> str:
    """The sentence of a notice; an unknown key is shown as it is, with its fields."""
    told = {name: _shown(value) for name, value in fields.items()}
    if key in COUNTED_NOTICES and isinstance(count := fields.get("count"), int):
        return words.plural(COUNTED_NOTICES[key], COUNTED_NOTICES[key], count, **_others(told))
    if key not in NOTICES:
        return " ".join([key, *(f"{name}={value}" for name, value in told.items())])
    return words.text(NOTICES[key], **_in_words(told, words))


def _in_words(fields: Mapping[str, str], words: Catalogue) -> dict[str, str]:
    """The fields with codes in the person's language, and where in a file it is."""
    told = dict(fields)
    has_place = "column" in told and told.get("line", "0") != "0"
    told["place"] = words.text(PLACE, line=told["line"], column=told["column"]) if has_place else ""
    for name in ("fault", "reason"):
        if name in told:
            told[name] = reason_phrase(told[name], words)
    if told.get("part") in PARTS:
        told["part"] = words.text(PARTS[told["part"]])
    return told


def _others(told: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in told.items() if name != "count"}


def _shown(value: Any) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (tuple, list, set, frozenset)):
        return ", ".join(_shown(inner) for inner in value)
    return str(value)
