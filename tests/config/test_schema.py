"""The settings table: complete, consistent, and every default acceptable to itself."""

import pytest

from oharness.config.schema import SETTINGS, accepted, default_values, expected_form, settings_from

pytestmark = pytest.mark.memory


def test_every_default_is_a_value_that_its_setting_takes() -> None:
    for row in SETTINGS:
        assert accepted(row.accepts, row.default) == row.default, row.key


def test_every_key_stands_once_with_a_sentence() -> None:
    keys = [key for row in SETTINGS for key in (row.key, *row.older_keys)]
    assert len(set(keys)) == len(keys)
    assert all(row.meaning.endswith(".") and expected_form(row.accepts) for row in SETTINGS)


def test_every_row_reaches_the_settings_classes() -> None:
    class Reads(dict[str, object]):
        read: set[str]

        def __getitem__(self, key: str) -> object:
            self.read.add(key)
            return super().__getitem__(key)

    values = Reads(default_values())
    values.read = set()
    settings_from(values)
    assert values.read == {row.key for row in SETTINGS}


def test_no_key_is_the_beginning_of_another() -> None:
    keys = [row.key for row in SETTINGS]
    assert not [(a, b) for a in keys for b in keys if b.startswith(a + ".")]
