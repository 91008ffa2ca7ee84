"""What a provider says is shown without keys, on one short line."""

import pytest

from oharness.plugins.chat_model.redaction import shown_detail

pytestmark = pytest.mark.plugins

MODEL_NAMES = "no model claude-haiku-4-5-20251001, gpt-4o-mini-2024-07-18 or qwen2.5-coder:7b-instruct-q4_K_M here"


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Incorrect API key provided: sk-abcd1234*****wxyz.", "wxyz"),
        ("sent Authorization: Bearer abcdefghijk", "abcdefghijk"),
        ("key AIzaSyA1234567890abcdef is not valid", "AIzaSy"),
        ("token gsk_0123456789abcdef", "gsk_0"),
        ("cannot reach http://me:hunter2@server/v1", "hunter2"),
        ("jwt eyJhbGciOi.eyJzdWIiOi.c2ln", "eyJ"),
        ("api_key=0123456789abcdef", "0123456789"),
        ("the odd secret xK9! was refused", "xK9!"),
    ],
)
def test_keys_are_taken_out(text: str, gone: str) -> None:
    shown = shown_detail(text, ("xK9!",))
    assert gone not in shown
    assert "[key]" in shown


def test_model_names_are_no_keys() -> None:
    assert shown_detail(MODEL_NAMES) == MODEL_NAMES


def test_control_characters_and_line_ends_cannot_reach_a_terminal() -> None:
    assert shown_detail("a\x1b[31mred\r\n\u202eb\x9b") == "a [31mred b"


def test_long_words_are_shortened() -> None:
    assert len(shown_detail("x " * 1_000)) <= 300
