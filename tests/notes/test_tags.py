"""Tags, however they were written down."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.notes.tags import clean_tags
from tests.json_values import json_of

pytestmark = pytest.mark.memory


@pytest.mark.parametrize(
    ("raw", "tags"),
    [
        ("a, b c", ("a", "b", "c")),
        ("design", ("design",)),
        ("设计，布局、颜色", ("设计", "布局", "颜色")),
        ("a\u3000b\tc\nd", ("a", "b", "c", "d")),
        (" , ,, ", ()),
        ("", ()),
        (None, ()),
        (True, ()),
        (2017, ("2017",)),
        (2.5, ("2.5",)),
        ('["svelte","debugging"]', ("svelte", "debugging")),
        (' ["svelte", "two words", 3, null] ', ("svelte", "two", "words", "3")),
        (['["svelte","debugging"]'], ("svelte", "debugging")),
        ("[]", ()),
        ("[a, b]", ("[a", "b]")),
        (["Design", "design", "DESIGN"], ("Design",)),
        (["STRASSE", "straße"], ("STRASSE",)),
        (["x y", "z,w"], ("x", "y", "z", "w")),
        ([2017, None, True, False, "", ["nested"], {"k": 1}], ("2017",)),
        (("a",), ("a",)),
        ("esc\x1b[31mred", ("esc", "[31mred")),
        ({"a": 1}, ()),
        ("C++ c# node.js", ("C++", "c#", "node.js")),
    ],
)
def test_tags_are_what_was_meant(raw: Any, tags: tuple[str, ...]) -> None:
    assert clean_tags(raw) == tags


def test_a_text_is_never_spread_into_letters() -> None:
    assert clean_tags("svelte") == ("svelte",)


def test_composed_and_decomposed_spellings_stay_two() -> None:
    assert len(clean_tags(["é", "e\u0301"])) == 2


def test_a_deep_list_as_text_is_one_word_and_no_error() -> None:
    assert clean_tags("[" * 100_000) == ("[" * 100_000,)


@given(
    json_of(
        st.text(max_size=8) | st.sampled_from(['["a"]', '"', "[", "]", ",", '["[\\"a\\"]"]']) | st.integers(),
        st.text(max_size=8),
    )
)
@settings(derandomize=True, max_examples=300, deadline=None)
def test_cleaning_twice_changes_nothing(raw: Any) -> None:
    once = clean_tags(raw)
    assert clean_tags(once) == once
    assert clean_tags(list(once)) == once
