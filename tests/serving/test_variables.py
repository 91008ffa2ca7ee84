"""The settings table of a service."""

import pytest

from oharness.serving.variables import Setting, SettingUnusable, number_between, optional_text, read_table

pytestmark = pytest.mark.sync

TABLE = (
    Setting("X_NAME", "name", "", "a name", optional_text, "a text"),
    Setting("X_COUNT", "count", "7", "a count", number_between(1, 10), "a number, 1 to 10"),
)


def test_what_is_not_set_or_empty_has_its_default() -> None:
    assert read_table(TABLE, {}) == {"name": None, "count": 7}
    assert read_table(TABLE, {"X_NAME": " ", "X_COUNT": ""}) == {"name": None, "count": 7}


@pytest.mark.parametrize("text", ["0", "11", "-1", "1.5", "٣", "1" * 20, "ten"])
def test_a_value_that_cannot_be_used_is_told_by_its_variable_and_not_repeated(text: str) -> None:
    with pytest.raises(SettingUnusable) as caught:
        read_table(TABLE, {"X_COUNT": text})
    assert (caught.value.variable, caught.value.expected) == ("X_COUNT", "a number, 1 to 10")
    assert vars(caught.value) == {"variable": "X_COUNT", "expected": "a number, 1 to 10"}
