"""An answer that is still being written is drawn again only where it can still change."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.cli.markdown_stream import split_finished, tail


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("one paragraph\n\nanother\n", "one paragraph\n\n"),
        ("one paragraph\n\nano", ""),
        ("still one\nparagraph\n", ""),
        ("- a\n\n- b\n", ""),
        ("1. a\n\n2. b\n", ""),
        ("- a\n\n  more of a\n", ""),
        ("- a\n\nafter the list\n", "- a\n\n"),
        ("```\ncode\n\nmore code\n", ""),
        ("```\ncode\n\nmore\n```\n\ntext\n", "```\ncode\n\nmore\n```\n\n"),
        ("~~~~\n~~~\n\nx\n", ""),
        ("text\n\n```py\ncode\n\nmore\n", "text\n\n"),
        ("", ""),
    ],
)
def test_a_cut_falls_only_between_blocks(text: str, finished: str) -> None:
    assert split_finished(text) == (finished, text[len(finished) :])


@given(st.text(alphabet="a\n-` ", max_size=80))
@settings(max_examples=200, derandomize=True)
def test_both_parts_together_are_the_text(text: str) -> None:
    finished, rest = split_finished(text)
    assert finished + rest == text


def test_a_screen_shows_the_end_of_what_is_longer() -> None:
    assert tail("a\nb\nc", 2) == "b\nc"
    assert tail("a", 2) == "a"


def test_the_end_of_a_long_code_block_stays_code() -> None:
    text = "```py\n" + "\n".join(f"line {number}" for number in range(30))
    assert tail(text, 4) == "```py\nline 26\nline 27\nline 28\nline 29"
    assert tail(text + "\n```\nafter\n", 3) == "```py\n```\nafter\n"
