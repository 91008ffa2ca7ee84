"""Pages that plugins register as descriptors; the host's renderers draw them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

PageData = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
PageAction = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class PageDescriptor:
    """One page: `renderer` names a host-owned renderer, `data` answers queries, `actions` change things."""

    name: str
    title: str
    renderer: str
    data: PageData
    actions: Mapping[str, PageAction] = field(default_factory=dict, hash=False)
