"""Text of a note file to a note and back: what is read, what is refused, and that nothing is lost."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oharness.core.clock import Millis
from oharness.notes.frontmatter import note_text, parse_note, read_note
from oharness.notes.hashing import content_hash, normalise_body
from oharness.notes.ids import is_note_id
from oharness.notes.note import Note
from oharness.notes.problems import NotANote, ProblemReason
from oharness.notes.tags import clean_tags
from oharness.notes.times import EARLIEST_TIME, LATEST_TIME
from oharness.notes.valid import KNOWN_KEYS, one_line, problem_of
from tests.json_values import json_of

pytestmark = pytest.mark.memory

WHEN = Millis(1_789_000_000_000)
HEADER = '{"id":"a-1","summary":"S","tags":["x"],"createdAt":1789000000000,"updatedAt":1789000000000}'
PLAIN = Note("a-1", "S", "body", tags=("x",), created_at=WHEN, updated_at=WHEN)


def file_of(header: str, body: str = "body\n") -> bytes:
    return f"---\n{header}\n---\n{body}".encode()


def header_with(**fields: object) -> str:
    return json.dumps({"id": "a-1", "summary": "S"} | fields)


def refusal(data: bytes, file_name: str = "a-1.md", max_body_bytes: int | None = None) -> NotANote:
    with pytest.raises(NotANote) as caught:
        parse_note(data, file_name, max_body_bytes=max_body_bytes)
    return caught.value


def test_the_specification_example_is_read() -> None:
    data = file_of(
        '{"id":"pricing-borderless-3fa","summary":"Pricing cards use fills, not borders",'
        '"type":"feedback","tags":["design"],"createdAt":1789000000000,"updatedAt":1789000000000}',
        "Cards on the pricing page.\n\n**Why:** loud.\n",
    )
    note = parse_note(data, "pricing-borderless-3fa.md")
    assert note == Note(
        id="pricing-borderless-3fa",
        summary="Pricing cards use fills, not borders",
        body="Cards on the pricing page.\n\n**Why:** loud.",
        type="feedback",
        tags=("design",),
        created_at=WHEN,
        updated_at=WHEN,
    )
    assert note_text(note).encode() == data


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(file_of(HEADER), id="as written"),
        pytest.param(file_of(HEADER, "body"), id="no final newline"),
        pytest.param(file_of(HEADER, "body\n\n\n"), id="many final newlines"),
        pytest.param(b"\xef\xbb\xbf" + file_of(HEADER), id="BOM"),
        pytest.param(b"\n\n" + file_of(HEADER), id="leading blank lines"),
        pytest.param(b"\n\xef\xbb\xbf \n" + file_of(HEADER), id="blank line and BOM"),
        pytest.param(file_of(HEADER).replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(file_of(HEADER).replace(b"\n", b"\r"), id="lone CR"),
        pytest.param(file_of(json.dumps(json.loads(HEADER), indent=2)), id="several lines"),
        pytest.param(file_of(json.dumps(json.loads(HEADER), sort_keys=True)), id="another key order"),
        pytest.param(file_of(HEADER).replace(b"---\n", b"--- \t\n"), id="white space after the fences"),
        pytest.param(b"---\n" + HEADER.encode() + b"\n---\n\xef\xbb\xbfbody", id="BOM before the body"),
    ],
)
def test_every_way_of_writing_the_same_note_reads_the_same(data: bytes) -> None:
    note = parse_note(data, "a-1.md")
    assert note == PLAIN
    assert note_text(note).count("---\n{") == 1


def test_a_note_may_end_at_its_closing_fence() -> None:
    assert parse_note(b'---\n{"id":"eof-1","summary":"no body"}\n---', "eof-1.md").body == ""


def test_an_empty_body_is_written_without_a_blank_line() -> None:
    assert note_text(Note("e-1", "S", "")).endswith("}\n---\n")


def test_leading_blank_lines_of_a_body_stay() -> None:
    assert parse_note(file_of(HEADER, "\n\n  body\n"), "a-1.md").body == "\n\n  body"


def test_a_body_may_start_with_a_fence() -> None:
    note = parse_note(file_of(HEADER, '---\n{"id":"forged"}\n---\nrest\n'), "a-1.md")
    assert note.id == "a-1"
    assert note.body == '---\n{"id":"forged"}\n---\nrest'
    assert parse_note(note_text(note).encode(), "a-1.md") == note


def test_punctuation_in_a_summary_survives_on_one_line() -> None:
    written = 'Re: "quotes" \\ back, tab\there, line\nbreak, U+2028\u2028end'
    note = parse_note(file_of(header_with(summary=written)), "a-1.md")
    assert note.summary == 'Re: "quotes" \\ back, tab here, line break, U+2028 end'
    assert len(note_text(note).split("\n")) == 5


def test_a_line_end_that_only_editors_see_never_reaches_the_file() -> None:
    note = Note("a-1", "S", "body", extra={"x": "a\u2028b\x85c"})
    assert "\u2028" not in note_text(note)
    assert parse_note(note_text(note).encode(), "a-1.md") == note


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ([2017, None, True, ""], ("2017",)),
        (None, ()),
        ("a, b c", ("a", "b", "c")),
        ('["svelte","debugging"]', ("svelte", "debugging")),
        ({"a": 1}, ()),
        (7, ("7",)),
        (["Design", "design", " x y "], ("Design", "x", "y")),
    ],
)
def test_odd_tags_never_cost_the_note(written: object, tags: tuple[str, ...]) -> None:
    assert parse_note(file_of(header_with(tags=written)), "a-1.md").tags == tags


def test_a_note_without_a_type_has_none() -> None:
    assert parse_note(file_of(header_with()), "a-1.md").type is None
    assert '"type"' not in note_text(PLAIN)


@pytest.mark.parametrize("written", [None, "", 3, ["user"], "  "])
def test_a_type_that_says_nothing_is_none(written: object) -> None:
    assert parse_note(file_of(header_with(type=written)), "a-1.md").type is None


def test_a_type_of_a_later_version_is_kept() -> None:
    assert parse_note(file_of(header_with(type="ritual")), "a-1.md").type == "ritual"


def test_unknown_keys_survive_in_their_order() -> None:
    note = parse_note(file_of('{"z":1,"id":"a-1","a":{"k":[null,"é"]},"summary":"S","m":1.5}'), "a-1.md")
    assert list(note.extra.items()) == [("z", 1), ("a", {"k": [None, "é"]}), ("m", 1.5)]
    assert note_text(note).split("\n")[1].endswith('"updatedAt":0,"z":1,"a":{"k":[null,"é"]},"m":1.5}')


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (1_789_000_000_000, 1_789_000_000_000),
        (1_789_000_000, 1_789_000_000_000),
        (1_789_000_000.5, 1_789_000_000_500),
        ("1789000000", 1_789_000_000_000),
        ("2026-01-02", 1_767_312_000_000),
        ("2026-01-02T03:04:05Z", 1_767_323_045_000),
        ("2026-01-02T03:04:05+02:00", 1_767_315_845_000),
    ],
)
def test_a_time_is_read_in_the_forms_people_write(written: object, read: int) -> None:
    reading = read_note(file_of(header_with(createdAt=written, updatedAt=written)), "a-1.md", file_time=WHEN)
    assert (reading.note.created_at, reading.note.updated_at) == (read, read)
    assert reading.guessed == ()


@pytest.mark.parametrize("written", [0, -5, 12, None, True, "soon", "", [], 10**18, "9999999-01-01"])
def test_a_time_that_means_no_moment_falls_back_to_the_file_and_is_marked(written: object) -> None:
    reading = read_note(file_of(header_with(createdAt=written, updatedAt=written)), "a-1.md", file_time=WHEN)
    assert (reading.note.created_at, reading.note.updated_at) == (WHEN, WHEN)
    assert reading.guessed == ("createdAt", "updatedAt")


def test_missing_times_without_a_file_time_are_unknown() -> None:
    note = parse_note(file_of(header_with()), "a-1.md")
    assert (note.created_at, note.updated_at) == (0, 0)


def test_a_missing_creation_is_never_after_the_last_change() -> None:
    early = Millis(WHEN - 1000)
    note = parse_note(file_of(header_with(updatedAt=early)), "a-1.md", file_time=WHEN)
    assert (note.created_at, note.updated_at) == (early, early)


def test_a_time_in_the_future_falls_back() -> None:
    data = file_of(header_with(createdAt=WHEN, updatedAt=WHEN + 3 * 86_400_000))
    reading = read_note(data, "a-1.md", file_time=Millis(WHEN + 500), now=Millis(WHEN + 1000))
    assert reading.note.updated_at == WHEN + 500
    assert reading.guessed == ("updatedAt",)


def test_a_clock_that_is_an_hour_ahead_is_believed() -> None:
    data = file_of(header_with(createdAt=WHEN, updatedAt=WHEN + 3_600_000))
    assert parse_note(data, "a-1.md", now=WHEN).updated_at == WHEN + 3_600_000


def test_a_file_time_in_the_future_counts_as_now() -> None:
    note = parse_note(file_of(header_with()), "a-1.md", file_time=Millis(WHEN + 10**10), now=WHEN)
    assert note.updated_at == WHEN


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", ProblemReason.EMPTY),
        (b"\0\0\0\0", ProblemReason.EMPTY),
        (b"\n", ProblemReason.NO_FRONTMATTER),
        (b"# Just Markdown\n", ProblemReason.NO_FRONTMATTER),
        (b"----\n{}\n---\n", ProblemReason.NO_FRONTMATTER),
        (b'---\n{"id":"a-1","summary":"S"}\n', ProblemReason.UNCLOSED_FRONTMATTER),
        (file_of(HEADER, "a\0b"), ProblemReason.NUL_BYTES),
        ("---\n".encode("utf-16"), ProblemReason.NUL_BYTES),
        (b"---\n\xff\n---\n", ProblemReason.NOT_UTF8),
        (b"---\n\xed\xa0\x80\n---\n", ProblemReason.NOT_UTF8),
        (file_of("[1]"), ProblemReason.NOT_AN_OBJECT),
        (file_of("null"), ProblemReason.NOT_AN_OBJECT),
        (file_of('{"summary":"S"}'), ProblemReason.ID_MISSING),
        (file_of('{"id":"","summary":"S"}'), ProblemReason.ID_MISSING),
        (file_of('{"id":7,"summary":"S"}'), ProblemReason.ID_MISSING),
        (file_of('{"id":"../../x","summary":"S"}'), ProblemReason.ID_INVALID),
        (file_of('{"id":"a-1\\n","summary":"S"}'), ProblemReason.ID_INVALID),
        (file_of('{"id":"a-2","summary":"S"}'), ProblemReason.ID_NOT_FILE_NAME),
        (file_of('{"id":"A-1","summary":"S"}'), ProblemReason.ID_NOT_FILE_NAME),
        (file_of('{"id":"a-1"}'), ProblemReason.SUMMARY_MISSING),
        (file_of('{"id":"a-1","summary":" \\n "}'), ProblemReason.SUMMARY_MISSING),
        (file_of('{"id":"a-1","summary":null}'), ProblemReason.SUMMARY_MISSING),
        (file_of('{"id":"a-1","summary":"\\ud800"}'), ProblemReason.LONE_SURROGATE),
        (file_of('{"id":"a-1","summary":"S","x":["\\udfff"]}'), ProblemReason.LONE_SURROGATE),
        (file_of('{"id":"a-1","summary":"S","\\ud801":1}'), ProblemReason.LONE_SURROGATE),
        (file_of('{"id":"a-1","summary":"S","x":9007199254740993}'), ProblemReason.UNSTORABLE_VALUE),
        (file_of('{"id":"a-1","summary":"S","x":1e400}'), ProblemReason.UNSTORABLE_VALUE),
        (
            file_of('{"id":"a-1","summary":"S","x":' + "[" * 60 + "]" * 60 + "}"),
            ProblemReason.UNSTORABLE_VALUE,
        ),
        (
            file_of('{"id":"a-1","summary":"S","x":' + "[" * 9000 + "]" * 9000 + "}"),
            ProblemReason.UNSTORABLE_VALUE,
        ),
        (file_of('{"id":"a-1","summary":"' + "s" * 70_000 + '"}'), ProblemReason.TOO_LARGE),
    ],
)
def test_what_cannot_be_a_note_says_why(data: bytes, reason: ProblemReason) -> None:
    assert refusal(data).reason is reason


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (file_of('{"id":"a-1",}'), 2, 13),
        (file_of('{"id":"a-1",\n "summary": oops}'), 3, 13),
        (b"\n\n" + file_of('{"id"}'), 4, 6),
        (file_of('{"id":"a-1",\n "summary": oops}').replace(b"\n", b"\r\n"), 3, 13),
        (file_of('{"id":"a-1","id":"a-1"}'), 2, 13),
        (file_of('{"id":"a-1","x":NaN}'), 2, 17),
        (file_of("title: YAML"), 2, 1),
        (file_of(""), 3, 1),
    ],
)
def test_broken_json_is_reported_where_it_stands_in_the_file(data: bytes, line: int, column: int) -> None:
    error = refusal(data)
    assert (error.reason, error.line, error.column) == (ProblemReason.BROKEN_JSON, line, column)


def test_the_place_of_bytes_that_are_no_utf8_is_known() -> None:
    error = refusal(file_of(HEADER, "one\ntwo é") + b"\xff")
    assert (error.reason, error.line, error.column) == (ProblemReason.NOT_UTF8, 5, 6)


def test_a_body_over_the_limit_is_refused_and_one_at_the_limit_is_not() -> None:
    assert parse_note(file_of(HEADER, "é" * 50), "a-1.md", max_body_bytes=100).body == "é" * 50
    assert refusal(file_of(HEADER, "é" * 50 + "x"), max_body_bytes=100).reason is ProblemReason.TOO_LARGE
    assert refusal(b"-" * 200_000, max_body_bytes=100).reason is ProblemReason.TOO_LARGE
    assert refusal(b"\0" * 200_000, max_body_bytes=100).reason is ProblemReason.TOO_LARGE


def test_line_ends_of_another_system_do_not_count_against_the_limit() -> None:
    body = "\r\n" * 99 + "x"
    assert len(parse_note(file_of(HEADER, body), "a-1.md", max_body_bytes=100).body) == 100


def test_a_summary_longer_than_we_write_is_still_read() -> None:
    assert len(parse_note(file_of(header_with(summary="s" * 5000)), "a-1.md").summary) == 5000


def test_errors_name_no_text_of_the_file() -> None:
    assert "hunter2" not in str(refusal(file_of('{"id":"hunter2" oops')))


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,20}", fullmatch=True).filter(is_note_id)
times = st.one_of(st.just(0), st.integers(EARLIEST_TIME, LATEST_TIME))
values = json_of(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | texts
    | st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
notes = st.builds(
    Note,
    id=ids,
    summary=texts.map(one_line).filter(bool),
    body=st.one_of(texts, st.lists(st.sampled_from(["---", "", "\ufeff", '{"id":"x"}', "é", "```"])).map("\n".join))
    .filter(lambda text: "\0" not in text)
    .map(normalise_body),
    type=st.none() | st.sampled_from(["user", "feedback", "ritual"]),
    tags=st.lists(texts, max_size=5).map(clean_tags),
    created_at=times.map(Millis),
    updated_at=times.map(Millis),
    extra=st.dictionaries(texts.filter(lambda key: key not in KNOWN_KEYS), values, max_size=3),
)


@given(notes)
@settings(derandomize=True, max_examples=300, deadline=None)
def test_a_valid_note_comes_back_from_its_file_as_it_was(note: Note) -> None:
    assert problem_of(note) is None
    read = parse_note(note_text(note).encode(), note.id + ".md")
    assert read == note
    assert list(read.extra) == list(note.extra)
    assert content_hash(read) == content_hash(note)


@given(
    st.dictionaries(
        st.sampled_from([*KNOWN_KEYS, "x"]),
        values | st.sampled_from(["1789000000", "2026-01-02", '["a","b"]', "a\nb", 1_789_000_000, 7.5e11]),
        max_size=7,
    ),
    texts,
    st.sampled_from(["", "\ufeff", "\n", "\r\n \ufeff"]),
    st.integers(0, LATEST_TIME).map(Millis),
)
@settings(derandomize=True, max_examples=400, deadline=None)
def test_what_was_read_once_is_written_the_same_ever_after(
    fields: dict[str, object], body: str, lead: str, file_time: Millis
) -> None:
    header = json.dumps({"summary": "S"} | fields | {"id": "a-1"})
    try:
        first = parse_note(f"{lead}---\n{header}\n---\n{body}".encode(), "a-1.md", file_time=file_time)
    except NotANote:
        return
    assert problem_of(first) is None
    text = note_text(first)
    assert parse_note(text.encode(), "a-1.md") == first
    assert note_text(parse_note(text.encode(), "a-1.md", file_time=file_time)) == text


@given(st.binary(max_size=200) | texts.map(str.encode))
@settings(derandomize=True, max_examples=300, deadline=None)
def test_no_bytes_do_anything_but_read_or_refuse(data: bytes) -> None:
    for content in (data, b"---\n" + data + b"\n---\n", b'---\n{"id":"a-1","summary":' + data + b"}\n---\n"):
        with suppress(NotANote):
            assert problem_of(parse_note(content, "a-1.md")) is None
