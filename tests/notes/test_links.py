"""Links in bodies: found in prose and never in code, resolved, rewritten, stripped."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from oharness.core.scopes import ScopeKind
from oharness.notes.links import (
    fill_placeholders,
    find_links,
    linked_ids,
    missing_links,
    resolve_link,
    rewrite_links,
    strip_links,
)

pytestmark = pytest.mark.memory


@pytest.mark.parametrize(
    ("body", "ids"),
    [
        ("See [[pricing-layout-a91]].", ("pricing-layout-a91",)),
        ("[[b]] [[a]] [[b]]", ("b", "a")),
        ("[[a]][[b]]", ("a", "b")),
        ("text[[a]]text", ("a",)),
        ("[[a b]] [[]] [[a]", ()),
        ("[[../x]] [[a.md]] [[con]]", ()),
        ("[[[a]]]", ("a",)),
        ("[[a\n]]", ()),
        (r"\[[a]]", ()),
        ("# [[a]]\n\n> [[b]]\n\n- [[c]]\n  [[d]]", ("a", "b", "c", "d")),
        ("| [[a]] | [[b]] |", ("a", "b")),
        ("[[new:1]]", ()),
        ("中文[[a]]中文", ("a",)),
    ],
)
def test_links_in_prose(body: str, ids: tuple[str, ...]) -> None:
    assert linked_ids(body) == ids


@pytest.mark.parametrize(
    "body",
    [
        "`[[page]]`",
        "``a ` [[page]]``",
        "`line one\n[[page]] line two`",
        '```bash\nif [[ -n "$x" && -n "$y" ]]; then\n[[page]]\nfi\n```',
        "~~~\n[[page]]\n~~~",
        "````\n```\n[[page]]\n```\n````",
        "```\n[[page]]",
        "```\n[[page]]\n~~~\n[[page]]",
        "```\n[[page]]\n``` not closed\n[[page]]",
        "   ```\n   [[page]]\n   ```",
        "1. step\n\n   ```sh\n   [[page]]\n   ```",
        "- ```\n  [[page]]\n  ```",
        "```\n- code\n```\n\n    [[page]]",
        "```\n> ```x\n[[page]]\n```",
        "> ```\n> [[page]]\n> ```",
        "text\n\n    [[page]]\n    [[page]]\n\n    [[page]]",
        "\t[[page]]",
        "`a\\` [[x]]`[[page]]`".replace("[[x]]", ""),
    ],
)
def test_what_stands_in_code_is_no_link(body: str) -> None:
    assert linked_ids(body) == ()
    assert rewrite_links(body, {"page": "other"}) == body
    assert strip_links(body, ()) == body


@pytest.mark.parametrize(
    "body",
    [
        "a ` b [[page]]",
        "``a` [[page]]",
        "`a\n\n[[page]]`",
        "`a` [[page]] `b`",
        "```\ncode\n```\n[[page]]",
        "```\ncode\n`````\n[[page]]",
        "``` not a fence ``` [[page]]",
        "text\n    [[page]] goes on",
        "- item\n\n    [[page]] in the item",
        "1. item\n\n    [[page]]",
        "> ```\n> code\n\n[[page]]",
        "- ```\n  code\n\nnot closed, but left: [[page]]",
        "text\n    ~~~\n[[page]]",
        r"\` [[page]] `",
        "~~strike~~ [[page]]",
        "`code \\` [[page]]",
    ],
)
def test_what_only_looks_like_code_is_prose(body: str) -> None:
    assert linked_ids(body) == ("page",)


def test_a_link_knows_where_it_stands() -> None:
    body = "é `[[x]]` [[a]]"
    (link,) = find_links(body)
    assert body[link.start : link.end] == "[[a]]"


def test_a_link_means_the_projects_note_before_the_users() -> None:
    assert resolve_link("a", {"a"}, {"a"}) is ScopeKind.PROJECT
    assert resolve_link("a", {"b"}, {"a"}) is ScopeKind.USER
    assert resolve_link("a", {"b"}, {"c"}) is None
    assert resolve_link("a", {"A"}, ()) is None


def test_missing_links_are_those_in_neither_scope() -> None:
    assert missing_links("[[a]] [[b]] [[c]] `[[d]]`", {"a"}, {"b"}) == ("c",)


def test_rewriting_touches_the_named_links_only() -> None:
    body = "[[old]] [[older]] `[[old]]` old [[old]]\n```\n[[old]]\n```"
    assert rewrite_links(body, {"old": "kept"}) == ("[[kept]] [[older]] `[[old]]` old [[kept]]\n```\n[[old]]\n```")


def test_links_to_ids_that_are_not_allowed_lose_their_brackets() -> None:
    assert strip_links("[[a]] and [[b]]", {"a"}) == "[[a]] and b"


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("[[c[[a]]]]", "[[c a]]"),
        ("[[[a]]]", "[ a]"),
        ("see[[a]]too", "see atoo"),
        ("（[[a]]）", "（a）"),
        ("[[1]]. item\n\n    [[b]]", "1. item\n\n    b"),
        ("[[c" * 5000 + "[[a]]" + "]]" * 5000, "[[c" * 5000 + " a" + "]]" * 5000),
    ],
)
def test_stripping_makes_no_new_link(body: str, left: str) -> None:
    assert strip_links(body, ()) == left


def test_a_body_built_to_keep_stripping_busy_ends_without_links() -> None:
    body = "".join(f"{' ' * 4 * depth}[[1]]. item\n\n" for depth in range(60)) + "[[a]]"
    assert linked_ids(strip_links(body, ())) == ()


def test_placeholders_get_the_ids_of_their_notes() -> None:
    body = "[[new:1]], [[new:2]], [[new:1]] and `[[new:1]]`, [[new:x]]"
    assert fill_placeholders(body, {1: "first-abc"}) == (
        "[[first-abc]], new:2, [[first-abc]] and `[[new:1]]`, [[new:x]]"
    )


def code_of(body: str) -> str:
    """What a Markdown parser takes for code."""
    tokens = MarkdownIt("commonmark", {"html": False}).parse(body)
    everything = [*tokens, *(child for token in tokens for child in token.children or ())]
    return "\n".join(token.content for token in everything if token.type in ("fence", "code_block", "code_inline"))


blocks = st.sampled_from(
    [
        *("Words [[L]] and `code [[L]]` and ``a ` [[L]]``.", "# Title [[L]]", "> quoted [[L]]\n> `[[L]]`", "| [[L]] |"),
        *("```sh\n[[L]]\n```", "~~~\n[[L]]\n\n```\n[[L]]\n~~~", "    indented [[L]]", "\tindented [[L]]"),
        *(
            "- item [[L]]\n- item `[[L]]`",
            "1. item\n\n   ```\n   [[L]]\n   ```\n\n   more [[L]]",
            "> ```\n> [[L]]\n> ```",
        ),
        *("- ```\n  [[L]]\n  ```\n  [[L]]", "A ` alone [[L]]", "Two\nlines `of\ncode [[L]]` [[L]]", "***"),
        *("`````\n```\n[[L]]\n`````", "Text\n```\n[[L]]\n```\n[[L]]", r"\`[[L]]\`", "text\n    [[L]] goes on"),
    ]
)


@given(st.lists(blocks, min_size=1, max_size=6).map("\n\n".join))
@settings(derandomize=True, max_examples=300, deadline=None)
def test_prose_is_what_a_markdown_parser_takes_for_prose(pattern: str) -> None:
    count = pattern.count("L]]")
    body = pattern
    for number in range(count):
        body = body.replace("[[L]]", f"[[n{number}]]", 1)
    code = code_of(body)
    expected = [f"n{number}" for number in range(count) if f"[[n{number}]]" not in code]
    assert list(linked_ids(body)) == expected


pieces = st.sampled_from(
    ["`", "``", "```", "~~~", "\n", "\n\n", "    ", "- ", "> ", "[[a]]", "[[b]]", "[[c", "]]", "\\", "x", "\t"]
)


@given(st.lists(pieces, max_size=30).map("".join))
@settings(derandomize=True, max_examples=400, deadline=None)
def test_rewriting_there_and_back_changes_nothing(body: str) -> None:
    there = rewrite_links(body, {"a": "q1", "b": "q2"})
    assert rewrite_links(there, {"q1": "a", "q2": "b"}) == body
    assert set(linked_ids(strip_links(body, {"b"}))) <= {"b"}
    assert rewrite_links(body, {}) == body


@pytest.mark.parametrize(
    "piece", ["`", "` ", "\\`", "[[", "[[a]]", "``` ", "```\n", "> ", "- ", "1. ", "    \n", "`a``b", " \t>", "[[new:"]
)
def test_a_largest_body_of_anything_takes_bounded_time(piece: str) -> None:
    body = (piece * (131_072 // len(piece))) + "[[a]]"
    start = time.process_time()
    linked_ids(body)
    strip_links(body, ())
    assert time.process_time() - start < 2
