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
    "UnknownCommand": "There is no command {name}. `oharness --help` lists them.",
    "MissingCommand": "{group} needs one of its commands. `{group} --help` lists them.",
    "UnknownOption": "There is no option {name}.",
    "MissingValue": "{name} is missing.",
    "UnusableValue": "The value of {name} cannot be used. It has to be: {expected}.",
    "TooManyArguments": "Too much on the line: {rest}. Put quotes around a text of several words.",
    "NotUnderstood": "That was not understood: {detail}",
    "NothingToRead": "{name} was to be read from standard input, but nothing came. Pipe a text into the command.",
    "UnreadableInput": "{path}, given for {name}, cannot be read as UTF-8 text: {reason}.",
    # harness
    "ModelFailed": "The model {model} did not answer: {detail}",
}
"""Class name of each error to its sentence."""

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
}
"""Why a model call failed."""

NOTICES: Mapping[str, str] = {
    "saved": "saved {count} memories from this conversation",
    "recalled": "recalled {count} memories",
}
"""What a frontend shows beside the conversation."""


def error_sentence(error: OharnessError, words: Catalogue) -> str:
    """What went wrong and what to do next, in the language of `words`; the nearest known class speaks."""
    fields = {name: _shown(value) for name, value in vars(error).items()}
    fault = MODEL_FAULTS.get(fields.get("fault", ""))
    sentence = fault or next(ERRORS[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in ERRORS)
    told = words.text(sentence, **fields)
    if fault and (detail := fields.get("detail")):
        told += f" ({detail})"
    if fields.get("close"):
        told += " " + words.text(CLOSE, close=fields["close"])
    return told


def notice_sentence(key: str, fields: Mapping[str, Any], words: Catalogue) -> str:
    """The sentence of a notice; an unknown key is shown as it is, with its fields."""
    sentence = NOTICES.get(key)
    if sentence is None:
        return " ".join([key, *(f"{name}={_shown(value)}" for name, value in fields.items())])
    return words.text(sentence, **{name: _shown(value) for name, value in fields.items()})


def _shown(value: Any) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, (tuple, list, set, frozenset)):
        return ", ".join(_shown(inner) for inner in value)
    return str(value)
