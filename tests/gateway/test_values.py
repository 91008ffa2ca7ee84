"""What needs no database: settings, e-mail addresses, callers' addresses."""

import pytest

from oharness.gateway.attempts import address_group
from oharness.gateway.emails import NotAnEmail, normalised_email
from oharness.gateway.settings import ADMIN_KEY, PREFIX, SETTINGS, read_settings
from oharness.serving.variables import SettingUnusable

pytestmark = pytest.mark.sync


def test_without_variables_everything_is_on_this_machine() -> None:
    settings = read_settings({"OHARNESS_HOME": "/somewhere"})
    assert settings.database_url == "sqlite:////somewhere/cloud-gateway/accounts.sqlite3"
    assert settings.public_url == "http://127.0.0.1:4322"
    assert settings.sync_url == settings.sync_internal_url == "http://127.0.0.1:4321"
    assert settings.admin_key is None
    assert not settings.is_https


def test_the_issuer_has_no_final_slash_and_the_own_port_counts() -> None:
    assert read_settings({f"{PREFIX}PUBLIC_URL": "https://cloud.example/"}).public_url == "https://cloud.example"
    assert read_settings({f"{PREFIX}PORT": "5000", f"{PREFIX}HOST": "0.0.0.0"}).public_url == "http://127.0.0.1:5000"
    assert read_settings({f"{PREFIX}HOST": "::1"}).public_url == "http://[::1]:4322"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PUBLIC_URL", "http://cloud.example"),
        ("PUBLIC_URL", "https://cloud.example/path"),
        ("PUBLIC_URL", "https://user@cloud.example"),
        ("PUBLIC_URL", "cloud.example"),
        ("SYNC_URL", "http://sync.example"),
        ("SYNC_INTERNAL_URL", "sync"),
        ("PORT", "0"),
        ("PORT", "x"),
        ("SIGN_UP", "perhaps"),
    ],
)
def test_what_cannot_be_used_is_told_by_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingUnusable) as caught:
        read_settings({PREFIX + name: value})
    assert caught.value.variable == PREFIX + name


def test_the_sync_service_may_have_another_address_inside() -> None:
    settings = read_settings(
        {f"{PREFIX}SYNC_URL": "https://s.example", f"{PREFIX}SYNC_INTERNAL_URL": "http://sync:4321"}
    )
    assert (settings.sync_url, settings.sync_internal_url) == ("https://s.example", "http://sync:4321")


def test_every_variable_has_a_sentence_and_the_key_is_the_sync_services() -> None:
    assert all(row.help and row.variable.startswith("OHARNESS_") for row in SETTINGS)
    assert ADMIN_KEY in {row.variable for row in SETTINGS}


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        (" Ann@Example.COM ", "ann@example.com"),
        ("ann@example.com.", "ann@example.com"),
        ("ann+tag@localhost", "ann+tag@localhost"),
        ("ann@bücher.example", "ann@xn--bcher-kva.example"),
        ("e\u0301va@example.com", "éva@example.com"),
    ],
)
def test_an_address_has_one_spelling(typed: str, known: str) -> None:
    assert normalised_email(typed) == known
    assert normalised_email(known) == known


@pytest.mark.parametrize(
    "typed",
    [
        *("", "ann", "@example.com", "ann@", "a b@example.com", "a@b@example.com", "ann@exa mple.com", "ann@-x.com"),
        *("ann@example..com", "a" * 65 + "@example.com", "ann@" + "x" * 260, "a\u200bnn@example.com"),
        *("ann\n@example.com", "ann@example.com\nbcc: eve@example.com", "<ann@example.com>", "ann\ud800@example.com"),
    ],
)
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(NotAnEmail):
        normalised_email(typed)


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_one_customer_is_counted_once(address: str, group: str) -> None:
    assert address_group(address) == group
