"""JSON of every shape for property tests, two levels deep."""

from typing import Any

from hypothesis import strategies as st


def json_of(leaves: st.SearchStrategy[Any], keys: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Leaves, and lists and objects of them and of each other; built by hand, since it needs no recursion."""
    shallow = leaves | _of(leaves, keys)
    return shallow | _of(shallow, keys)


def _of(values: st.SearchStrategy[Any], keys: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=3) | st.dictionaries(keys, values, max_size=3)
