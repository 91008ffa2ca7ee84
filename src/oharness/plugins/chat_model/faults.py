"""The library's exceptions as ours; imports the library, so only a model call may import this."""

import re

from pydantic_ai import exceptions as theirs

from oharness.harness.model import ModelFailed, ModelFault
from oharness.plugins.chat_model.conversion import BrokenArguments
from oharness.plugins.chat_model.redaction import shown_detail

_FAULTS: tuple[tuple[type[Exception], ModelFault], ...] = (
    (theirs.ModelRequestTimeout, ModelFault.TIMED_OUT),
    (theirs.ModelTimeoutError, ModelFault.TIMED_OUT),
    (TimeoutError, ModelFault.TIMED_OUT),
    (theirs.ModelConnectionError, ModelFault.UNREACHABLE),
    (theirs.ModelQuotaExceededError, ModelFault.OUT_OF_CREDIT),
    (theirs.ModelRateLimitError, ModelFault.RATE_LIMITED),
    (theirs.ModelAuthenticationError, ModelFault.UNAUTHORIZED),
    (theirs.ModelNotFoundError, ModelFault.UNKNOWN_MODEL),
    (theirs.ModelContextWindowExceededError, ModelFault.CONTEXT_TOO_LONG),
    (theirs.ModelRequestRejectedError, ModelFault.REFUSED),
    (theirs.ContentFilterError, ModelFault.REFUSED),
    (theirs.UnexpectedModelBehavior, ModelFault.NONSENSE),
    (BrokenArguments, ModelFault.NONSENSE),
)
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
"""What providers' packages trip over when an answer is not what they expect."""
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_TOO_LONG = re.compile(
    r"context (?:length|size|window)|exceed\w* (?:the )?(?:available )?context|(?:prompt|input) is too long"
    r"|too many tokens|maximum context",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|funds|balance|credit)|credit balance|exceeded your current quota|billing|payment",
    re.IGNORECASE,
)


def model_failed(error: Exception, model: str, secrets: tuple[str, ...] = ()) -> ModelFailed:
    """Our error for what went wrong in a call of `model`; never holds one of `secrets`."""
    words = _their_words(error)
    detail = shown_detail(words, secrets)
    if isinstance(error, ImportError):
        return ModelFailed(ModelFault.PACKAGE_MISSING, model, _missing_package(str(error)))
    if isinstance(error, theirs.UserError):
        variables = dict.fromkeys(_VARIABLE.findall(words))
        if variables:
            return ModelFailed(ModelFault.UNAUTHORIZED, model, f"not set: {', '.join(variables)}")
        return ModelFailed(ModelFault.UNKNOWN_MODEL, model, detail)
    fault = next((fault for kind, fault in _FAULTS if isinstance(error, kind)), None) or _other_fault(error)
    return ModelFailed(_by_its_words(fault, words), model, detail)


def _other_fault(error: Exception) -> ModelFault:
    undecoded = isinstance(error, theirs.ModelAPIError) and isinstance(error.__cause__, ValueError)
    return ModelFault.NONSENSE if undecoded or isinstance(error, _UNREADABLE) else ModelFault.BROKEN


def _by_its_words(fault: ModelFault, words: str) -> ModelFault:
    """The same fault, or a more telling one: many servers say in words what others say by code."""
    if fault in (ModelFault.REFUSED, ModelFault.BROKEN, ModelFault.RATE_LIMITED) and _TOO_LONG.search(words):
        return ModelFault.CONTEXT_TOO_LONG
    if fault in (ModelFault.REFUSED, ModelFault.RATE_LIMITED) and _NO_CREDIT.search(words):
        return ModelFault.OUT_OF_CREDIT
    return fault


def _their_words(error: Exception) -> str:
    match error:
        case BrokenArguments():
            return f"{error.tool}: {error.arguments}"
        case theirs.ModelHTTPError():
            words = _message_in(error.body) or f"HTTP {error.status_code}"
            return f"{words} (retry after {error.retry_after:.0f} s)" if error.retry_after else words
        case theirs.ModelAPIError():
            return _message_in(error.body) or error.message
        case TimeoutError():
            return ""
        case _:
            return str(error)


def _message_in(body: object) -> str:
    """The sentence in an error body: `{"error": {"message"}}`, `{"message"}`, `{"error": "…"}` or plain text."""
    if isinstance(body, dict):
        return next((words for key in ("error", "message", "detail") if (words := _message_in(body.get(key)))), "")
    if not isinstance(body, str) or body.lstrip().startswith("<"):
        return ""
    return body


def _missing_package(words: str) -> str:
    found = re.search(r"pydantic-ai-slim\[[\w,-]+\]", words)
    return found.group() if found else "oharness[models]"
