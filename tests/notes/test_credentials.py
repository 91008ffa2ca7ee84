"""What looks like a credential: measured on invented secrets and innocent texts, and bounded in time."""

import time
from collections.abc import Callable

import betterleaks
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.notes.credentials import (
    Finding,
    find_credentials,
    redact,
)
from tests.notes.credential_samples import (
    ALNUM,
    HELD_OUT_INNOCENT,
    HELD_OUT_SECRETS,
    HEX,
    INNOCENT,
    SECRETS,
    made,
    pem,
)

pytestmark = pytest.mark.memory

LEAST_RECALL = 0.95
MOST_FALSE_ALARMS = 0.02


@pytest.mark.parametrize(
    ("secrets", "innocent"),
    [
        pytest.param(SECRETS, INNOCENT, id="the lists the rules were made with"),
        pytest.param(HELD_OUT_SECRETS, HELD_OUT_INNOCENT, id="the lists kept apart"),
    ],
)
def test_secrets_are_found_and_innocent_texts_are_not(
    secrets: tuple[str, ...], innocent: tuple[str, ...], record_property: Callable[[str, object], None]
) -> None:
    missed = [text for text in secrets if not find_credentials(text)]
    false_alarms = [text for text in innocent if find_credentials(text)]
    recall = 1 - len(missed) / len(secrets)
    false_rate = len(false_alarms) / len(innocent)
    record_property("recall", f"{recall:.3f} of {len(secrets)}")
    record_property("false alarms", f"{false_rate:.3f} of {len(innocent)}")
    assert recall >= LEAST_RECALL, f"recall {recall:.3f}, missed {missed}"
    assert false_rate <= MOST_FALSE_ALARMS, f"false alarms {false_rate:.3f}: {false_alarms}"


def test_the_lists_are_large_and_have_nothing_in_common() -> None:
    assert len(SECRETS) >= 120
    assert len(INNOCENT) >= 150
    assert len(HELD_OUT_SECRETS) * 2 >= 120
    assert len(HELD_OUT_INNOCENT) * 2 >= 150
    everything = [*SECRETS, *INNOCENT, *HELD_OUT_SECRETS, *HELD_OUT_INNOCENT]
    assert len(set(everything)) == len(everything)


def test_all_innocent_texts_in_one_note_are_innocent_too() -> None:
    assert find_credentials("\n\n".join(INNOCENT)) == ()


def test_every_secret_is_found_in_the_middle_of_a_note() -> None:
    for secret in SECRETS:
        note = f"We deploy on Thursdays.\n\n{secret}\n\nSee [[pricing-layout-a91]]."
        assert find_credentials(note), secret


def test_a_maintained_scanner_is_sure_of_nothing_that_we_miss() -> None:
    sure = [
        text
        for text in (*SECRETS, *HELD_OUT_SECRETS)
        if any(finding.confidence in ("high", "medium", "") for finding in betterleaks.scan_string(text))
    ]
    assert len(sure) >= 80
    assert [text for text in sure if not find_credentials(text)] == []


def test_we_find_more_than_the_scanner_with_no_more_false_alarms() -> None:
    def found_by_scanner(texts: tuple[str, ...]) -> int:
        return sum(bool(betterleaks.scan_string(text)) for text in texts)

    def found_by_us(texts: tuple[str, ...]) -> int:
        return sum(bool(find_credentials(text)) for text in texts)

    assert found_by_us(HELD_OUT_SECRETS) > found_by_scanner(HELD_OUT_SECRETS)
    assert found_by_us(HELD_OUT_INNOCENT) <= found_by_scanner(HELD_OUT_INNOCENT)


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("gh" + "p_" + made(ALNUM, 36, 400), "github-token", 1),
        ("a\n\nsk-" + "ant-" + made(ALNUM, 40, 401), "anthropic-key", 3),
        ("a\npostgres://u:hunter2@db/x", "password-in-url", 2),
        ("a\n" + pem("RSA PRIVATE " + "KEY", 402), "private-key", 2),
        ("the password is Tr0ub4dor&3", "password", 1),
        ("AWS_SECRET_ACCESS_KEY=" + made(ALNUM, 40, 403), "key", 1),
        ("Authorization: Bearer " + made(ALNUM, 40, 404), "access-token", 1),
    ],
)
def test_a_finding_names_kind_and_line(text: str, kind: str, line: int) -> None:
    assert find_credentials(text) == (Finding(kind, line),)


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("**Password:** Kq82mmX0z", "password", 1),
        ("- **Password**: Kq82mmX0z", "password", 1),
        ("*API key:* 9fK2mmQ17xZpL0aa", "key", 1),
        ("__Password:__ Kq82mmX0z", "password", 1),
        ("__Password__: Kq82mmX0z", "password", 1),
        ("**密码：** Kq82mmX0z", "password", 1),
        ("**Mot de passe :** Kq82mmX0z", "password", 1),
        ("Password:\n  Kq82!mmX0", "password", 2),
        ("Password:\n```\nKq82!mmX0\n```", "password", 3),
        ("**API key:**\n\n`9fK2mmQ17xZpL0aa`", "key", 3),
    ],
)
def test_a_credential_is_found_as_markdown_sets_it_apart(text: str, kind: str, line: int) -> None:
    assert find_credentials(text) == (Finding(kind, line),)


@pytest.mark.parametrize(
    "text",
    [
        "credentials: bob:S3cret99",
        "RDP: Administrator / P@ssw0rd!",
        "Login: `bob` | `Kq82!mmX0`",
        "パスワードは Sakura2024! です",
        "비밀번호는 abcd1234! 입니다",
        "пароль: Qwerty12345",
    ],
)
def test_a_password_is_found_beside_the_name_of_its_account_and_in_other_languages(text: str) -> None:
    assert [finding.kind for finding in find_credentials(text)] == ["password"]


@pytest.mark.parametrize(
    "text",
    [
        "**Password:** ask Maria (ext. 4711)",
        "**Token:** see 1Password",
        "Password:\n- at least 12 characters",
        "API key:\nsee docs/setup2.md",
        "token:\n`src/app/token_store2.py`",
        "The password policy is min-length-12 with no rotation.",
        "Key and secret are in arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf",
        "ssh: bastion.example.com:2222",
        "login: runbook / section 4",
        "パスワードは 12 文字以上",
    ],
)
def test_what_only_speaks_of_credentials_is_none(text: str) -> None:
    assert find_credentials(text) == ()


def test_text_without_a_credential_passes() -> None:
    assert find_credentials("rotate the password monthly") == ()


def test_every_line_is_named_once_for_each_kind() -> None:
    text = "password: a1B2c3!x, password: d4E5f6!y\nclean\npassword: g7H8i9!z"
    assert find_credentials(text) == (Finding("password", 1), Finding("password", 3))


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("the password is Tr0ub4dor&3, keep it", "the password is [redacted: password], keep it"),
        ("postgres://u:hunter2@db/x", "postgres://u:[redacted: password-in-url]@db/x"),
        ('{"password": "9fQ!rain-Drop"}', '{"password": "[redacted: password]"}'),
        ("a\n" + pem("RSA PRIVATE " + "KEY", 405) + "\nb", "a\n[redacted: private-key]\nb"),
        ("密码是 Liulian!2035。", "密码是 [redacted: password]。"),
        ("x gh" + "p_" + made(ALNUM, 36, 406) + " y", "x [redacted: github-token] y"),
        ("the api key " + made(HEX, 32, 407) + " and more", "the api key [redacted: key] and more"),
        ("password: aB3!xyz9 and other: q7W8e9!r", "password: [redacted: password] and other: q7W8e9!r"),
        ("nothing here", "nothing here"),
    ],
)
def test_redacting_leaves_the_words_around_the_value(text: str, redacted: str) -> None:
    assert redact(text) == redacted


def test_what_was_redacted_holds_nothing_more() -> None:
    for text in (*SECRETS, *HELD_OUT_SECRETS, "\n".join(SECRETS)):
        assert find_credentials(redact(text)) == (), text


def test_a_private_key_cut_off_by_the_end_of_the_text_is_redacted_too() -> None:
    armour = pem("EC PRIVATE " + "KEY", 408).rsplit("\n", 1)[0]
    assert redact(f"key:\n{armour}") == "key:\n[redacted: private-key]"


pieces = st.one_of(
    st.sampled_from(SECRETS + INNOCENT),
    st.sampled_from([" ", "\n", "password", "token", "is", ": ", "=", '"', "'", "密码", "-----BEGIN", "@", "://"]),
    st.text(max_size=10),
)


@given(st.lists(pieces, max_size=8).map("".join))
@settings(derandomize=True, max_examples=200, deadline=None)
def test_any_text_is_searched_and_redacted_without_an_error(text: str) -> None:
    findings = find_credentials(text)
    assert (redact(text) == text) == (findings == ())
    lines = text.count("\n") + 1
    assert all(1 <= finding.line <= lines for finding in findings)


REPEATED = [
    *("a", "a=", "é", "\n", '"', "1", "Aa1 ", "M" * 24 + ".", "0123456789abcdef"),
    *("-----BEGIN", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", "Private-Lines: 1\nAAAA\n"),
    *("password ", "pass:", "pw=", "password 'a' ", "password:::", "密码", "密码是", "password is is is "),
    *("password:\n", "**password** ", "login: a:b ", "password arn:a "),
    *("x as the password ", "secret_key=a1B2", "Bearer ", "recovery codes ", "eyJ", "eyJhbGciOiJ.eyJhbGci-"),
    *("://a:b", "http://a:", "a:22:b:c:\n", "curl -u ", "htpasswd -b a ", "otpauth://totp/?", "xoxb-"),
]


@pytest.mark.parametrize("piece", REPEATED)
def test_a_largest_body_of_anything_takes_bounded_time(piece: str) -> None:
    text = piece * (131_072 // len(piece))
    start = time.process_time()
    find_credentials(text)
    assert time.process_time() - start < 15


def test_the_words_of_a_usual_note_take_a_few_milliseconds() -> None:
    note = "\n".join(INNOCENT)[:4000]
    start = time.process_time()
    for _ in range(10):
        find_credentials(note)
    assert (time.process_time() - start) / 10 < 0.1
