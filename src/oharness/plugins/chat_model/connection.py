"""What a model call needs to know besides the model's name. Pure."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

DEFAULT_CONTEXT_TOKENS = 128_000
DEFAULT_IDLE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Connection:
    """How models are reached; read once from settings and environment by whoever builds the plugin.

    `base_url`, `api_key` and `context_tokens` (how much fits) are for `openai-compatible` models; the other
    providers read their own variables. A server that sends nothing for `idle_seconds` is given up.
    """

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    context_tokens: int = DEFAULT_CONTEXT_TOKENS
    idle_seconds: float = DEFAULT_IDLE_SECONDS


def is_server_address(text: str | None) -> bool:
    """Whether a text can be the base URL of a server."""
    try:
        parts = urlsplit(text or "")
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
