"""The quick way to canonical JSON gives the same bytes as the general one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.jsontext import canonical_json, canonical_json_of_texts, one_line_json, one_line_text

pytestmark = pytest.mark.memory

texts = st.text(max_size=40) | st.sampled_from(
    ["\x00\x01\x1f\x7f\x80\x85\u2028\u2029\ufeff\uffff", '"\\/\b\f\n\r\t', "𝔘🙂e\u0301", "<>&'\u00a0"]
)
contents = st.fixed_dictionaries(
    {"body": texts, "id": texts, "summary": texts, "tags": st.lists(texts, max_size=4)}, optional={"type": texts}
)


@settings(derandomize=True, max_examples=500, deadline=None)
@given(contents)
def test_texts_have_the_same_canonical_bytes_either_way(value: dict[str, str | list[str]]) -> None:
    assert canonical_json_of_texts(value) == canonical_json(value)


def test_every_character_below_a_thousand_is_written_alike() -> None:
    for code in range(1000):
        value: dict[str, str | list[str]] = {"body": chr(code)}
        assert canonical_json_of_texts(value) == canonical_json(value)


def test_lone_surrogates_are_refused_either_way() -> None:
    for write in (canonical_json, canonical_json_of_texts):
        with pytest.raises(ValueError):
            write({"body": "\ud800"})


@settings(derandomize=True, max_examples=500, deadline=None)
@given(texts)
def test_a_text_alone_is_written_on_one_line_as_in_any_value(text: str) -> None:
    assert one_line_text(text) == one_line_json(text)
