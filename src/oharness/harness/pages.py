"""Pages that plugins register as descriptors; the host's renderers draw them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

PageData = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
PageAction = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
Unsubscribe = Callable[[], None]
PageChanges = Callable[[Callable[[], None]], Unsubscribe]


@dataclass(frozen=True, slots=True)
class PageDescriptor:
    """One page: `renderer` names a host-owned renderer, `data` answers queries, `actions` change things.

    `title` is English from the catalogue. `data` is asked with `part`, what is to be drawn (`page` for all of it), and
    the query of the address; a value given several times is a list. Both give plain values and raise what people
    are to be told. `changes` takes a listener, called from any thread whenever something that the page shows has
    changed. `opened` is called while the page is open in a browser. `icon` names one of the host's icons. `warm` is
    called once in a thread when a browser first looks at the project, so that this page need not be waited for later.
    """

    name: str
    title: str
    renderer: str
    data: PageData
    actions: Mapping[str, PageAction] = field(default_factory=dict, hash=False)
    changes: PageChanges | None = None
    opened: Callable[[], None] | None = None
    icon: str = "page"
    warm: Callable[[], None] | None = None
