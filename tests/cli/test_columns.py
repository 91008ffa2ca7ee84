"""Text fits a terminal, and foreign text cannot steer it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.cli.columns import definitions, one_line, padded, printable, shortened, table, width, wrapped


@pytest.mark.parametrize("hostile", ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\x00", "\x7f", "a\u202eb", "\x85"])
def test_control_codes_of_foreign_text_become_visible(hostile: str) -> None:
    shown = printable(hostile)
    assert "\\" in shown
    assert not any(char in shown for char in "\x1b\x07\x9b\x00\x7f\u202e\x85")


def test_line_breaks_and_tabs_stay_and_so_do_words_of_every_script() -> None:
    assert printable("a\n\tb") == "a\n\tb"
    assert printable("笔记 é 🙂") == "笔记 é 🙂"


def test_a_row_of_a_list_stays_one_row() -> None:
    assert one_line("two\nlines\r\n and\tmore") == "two lines and more"


def test_colours_take_no_room() -> None:
    assert width("\x1b[36mab\x1b[0m c") == 4
    assert table([("\x1b[36mab\x1b[0m", "x"), ("abc", "y")]) == ["  \x1b[36mab\x1b[0m   x", "  abc  y"]


def test_chinese_takes_two_cells_each() -> None:
    assert width("笔记 ab") == 7
    assert width("e\u0301") == 1
    assert padded("笔", 4) == "笔  "
    assert table([("笔记", "x"), ("a", "y")]) == ["  笔记  x", "  a     y"]


@given(st.text(max_size=60), st.integers(2, 30))
@settings(max_examples=100, derandomize=True)
def test_shortened_text_fits_and_starts_as_the_text_does(text: str, cells: int) -> None:
    short = shortened(text, cells)
    assert width(short) <= max(cells, 1)
    assert short == text or text.startswith(short.removesuffix("…"))


@given(st.text(alphabet="ab 笔，é", max_size=80), st.integers(4, 30))
@settings(max_examples=100, derandomize=True)
def test_wrapping_loses_no_word(text: str, cells: int) -> None:
    assert "".join("".join(wrapped(text, cells)).split()) == "".join(text.split())


def test_wrapped_lines_fit_where_words_do() -> None:
    lines = wrapped("words that are short enough to fit 和一些没有空格的中文文字在同一段里", 20, indent="  ")
    assert len(lines) > 2
    assert all(width(line) <= 20 and line.startswith("  ") for line in lines)


def test_no_line_begins_with_a_chinese_comma() -> None:
    assert all(not line.startswith("，") for line in wrapped("一二三四五，六七八九十，一二三四五，六七", 10))


def test_a_long_name_gets_a_line_of_its_own() -> None:
    lines = definitions([("--short", "one"), ("--a-name-that-is-longer-than-thirty-cells", "two")], 60)
    assert lines[1].strip().startswith("--a-name")
    assert lines[2].strip() == "two"
