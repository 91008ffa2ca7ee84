"""What a model call needs to know besides the model's name. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

DEFAULT_CONTEXT_TOKENS = 128_000
DEFAULT_IDLE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Connection:
    """How models are reached; read once from settings and environment by whoever builds the plugin.

    `base_url` and `api_key` are for `openai-compatible`; the other providers read their own variables.
    `context_tokens` is how much fits into models whose full name (`provider:name`) is not in
    `context_tokens_of`. A server that sends nothing for `idle_seconds` is given up.
    """

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    context_tokens: int = DEFAULT_CONTEXT_TOKENS
    context_tokens_of: Mapping[str, int] = field(default_factory=dict, hash=False)
    idle_seconds: float = DEFAULT_IDLE_SECONDS

    def context_tokens_for(self, model: str) -> int:
        """How many tokens fit into the model of this full name."""
        return self.context_tokens_of.get(model, self.context_tokens)


def is_server_address(text: str | None) -> bool:
    """Whether a text can be the base URL of a server."""
    try:
        parts = urlsplit(text or "")
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
