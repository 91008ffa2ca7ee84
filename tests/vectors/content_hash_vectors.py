"""Writes `docs/protocol/vectors/content-hash.json` without a line of the product's own code.

    python tests/vectors/content_hash_vectors.py > docs/protocol/vectors/content-hash.json

The canonical text is sorted compact `json.dumps`, which is RFC 8785 for everything here but numbers with a
fraction and keys beyond the Basic Multilingual Plane; those few canonical texts are written by hand.
"""

import hashlib
import json
from typing import Any

PLAIN: dict[str, Any] = {"id": "plain-1a2", "summary": "A plain note", "tags": ["design"], "body": "One line."}


def case(name: str, says: str = "", **changes: Any) -> dict[str, Any]:
    return {"name": name, "says": says, "note": PLAIN | changes}


CASES: list[dict[str, Any]] = [
    case("plain", "no type, one tag"),
    case("times do not count", createdAt=1789000000000, updatedAt=1789000000001),
    case("other times do not count", createdAt=0, updatedAt=0),
    case("type user", "type counts when present", type="user"),
    case("type feedback", type="feedback"),
    case("type project", type="project"),
    case("type reference", type="reference"),
    case("type of a later version", "unknown types count like the known ones", type="ritual"),
    case("another id", id="plain-1a3"),
    case("id in capitals", id="PLAIN-1A2"),
    case("another summary", summary="Another plain note"),
    case("empty tags", tags=[]),
    case("two tags", tags=["a", "b"]),
    case("two tags in the other order", "tags are sorted before hashing", tags=["b", "a"]),
    case("tags in two cases", "sorted by code point: capitals first", tags=["beta", "Alpha", "alpha", "Beta"]),
    case("tags beyond the BMP", "code points, not UTF-16 units", tags=["\U0001f600", "\uff5e", "z"]),
    case("tags with accents", tags=["é", "e", "z", "É"]),
    case("empty body", body=""),
    case("body of newlines only", "the same as an empty body", body="\n\n\n"),
    case("body with a final newline", "trailing newlines do not count", body="One line.\n"),
    case("body with many final newlines", body="One line.\n\n\n\n"),
    case("body with trailing spaces", "spaces count", body="One line.  "),
    case("body with trailing space and newline", body="One line. \n"),
    case("body with leading blank lines", "leading blank lines count", body="\n\nOne line."),
    case("body of two lines, LF", body="One\ntwo"),
    case("body of two lines, CRLF", "line ends become LF", body="One\r\ntwo"),
    case("body of two lines, lone CR", body="One\rtwo"),
    case("body with CR CR LF", "two line ends", body="One\r\r\ntwo"),
    case("body with final CRLF", body="One line.\r\n"),
    case("body behind a BOM", "a BOM in front does not count", body="\ufeffOne line."),
    case("body behind two BOMs", body="\ufeff\ufeffOne line."),
    case("BOM inside the body", "a BOM elsewhere is text", body="One\ufeff line."),
    case("U+2028 and U+2029", "no line ends here, and not escaped", body="a\u2028b\u2029c"),
    case("U+0085 and vertical tab", "no line ends either", body="a\x85b\x0bc"),
    case("quotes and backslashes", body='"quoted" \\ back / slash', summary='Re: "x" \\ y'),
    case("tabs", body="\tindented\tcode"),
    case("control characters", "escaped as \\u00xx in lower case", body="bell \x07 esc \x1b del \x7f us \x1f"),
    case("backspace and form feed", "have short escapes", body="a\bb\fc"),
    case("HTML", "nothing is escaped for HTML", body="<b>&amp;</b>", summary="a < b & c > d"),
    case("emoji", body="👍🏽 👩‍👩‍👧", summary="Ship it 🚀"),
    case("beyond the BMP", body="𝒜 𠜎", summary="𠮷野家"),
    case("Chinese", summary="定价卡片用填充，不用边框", tags=["设计"], body="卡片之间用填充和留白分隔。"),
    case("right to left", summary="שלום", body="مرحبا"),
    case("composed accents", "composed and decomposed differ on purpose", summary="résumé", body="résumé"),
    case("decomposed accents", summary="re\u0301sume\u0301", body="re\u0301sume\u0301"),
    case("composed Hangul", summary="학점인정"),
    case("decomposed Hangul", summary="\u1112\u1161\u11a8\u110c\u1165\u11b7\u110b\u1175\u11ab\u110c\u1165\u11bc"),
    case("noncharacter and private use", body="\ufffe \ue000 \U0010ffff"),
    case("extra", "keys this version does not know count when there are any", extra={"source": "import"}),
    case("extra in another order", "keys are sorted", extra={"b": 1, "a": 2}),
    case("extra, sorted", extra={"a": 2, "b": 1}),
    case("empty extra", "the same as none", extra={}),
    case("extra of every kind", extra={"list": [1, "two", None, True, {"k": []}], "none": None, "n": -7}),
    case("extra with capitals", "capitals sort first", extra={"a": 1, "B": 2, "_": 3}),
    case("extra with fractions", "numbers as ECMAScript writes them", extra={"x": 1.0, "y": 1e21, "z": 1.5e-7}),
    case("extra with keys beyond the BMP", "keys go by UTF-16 units", extra={"\uff5e": 1, "\U0001f600": 2}),
    case("extra and type", type="user", extra={"a": 1}),
    case("a body that looks like frontmatter", body='---\n{"id":"x"}\n---\ntext'),
    case("a body with links", body="See [[pricing-layout-a91]] and [[new:1]]."),
    {
        "name": "the largest body",
        "says": "131072 bytes",
        "note": {key: value for key, value in PLAIN.items() if key != "body"},
        "bodyRepeat": {"text": "x", "times": 131072},
    },
    {
        "name": "the largest body of three-byte characters, and a newline",
        "says": "43690 times three bytes",
        "note": {key: value for key, value in PLAIN.items() if key != "body"},
        "bodyRepeat": {"text": "学", "times": 43690, "end": "\r\n"},
    },
]

WRITTEN_BY_HAND = {
    "extra with fractions": '{"body":"One line.","extra":{"x":1,"y":1e+21,"z":1.5e-7},"id":"plain-1a2",'
    '"summary":"A plain note","tags":["design"]}',
    "extra with keys beyond the BMP": '{"body":"One line.","extra":{"\U0001f600":2,"\uff5e":1},'
    '"id":"plain-1a2","summary":"A plain note","tags":["design"]}',
}


def body_of(vector: dict[str, Any]) -> str:
    """The body of a vector, which may be given as a repetition."""
    repeat = vector.get("bodyRepeat")
    if repeat is None:
        return str(vector["note"]["body"])
    return str(repeat["text"]) * int(repeat["times"]) + str(repeat.get("end", ""))


def canonical(vector: dict[str, Any]) -> str:
    """The text that is hashed."""
    if vector["name"] in WRITTEN_BY_HAND:
        return WRITTEN_BY_HAND[vector["name"]]
    note = vector["note"]
    body = body_of(vector)
    while body[:1] == "\ufeff":
        body = body[1:]
    body = "\n".join(line for part in body.split("\r\n") for line in part.split("\r"))
    while body[-1:] == "\n":
        body = body[:-1]
    content = {"body": body, "id": note["id"], "summary": note["summary"], "tags": sorted(note["tags"])}
    for key in ("type", "extra"):
        if note.get(key):
            content[key] = note[key]
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def vectors() -> dict[str, Any]:
    """The whole file."""
    finished = []
    for vector in CASES:
        text = canonical(vector)
        shown = {} if "bodyRepeat" in vector else {"canonical": text}
        finished.append(vector | shown | {"hash": hashlib.sha256(text.encode()).hexdigest()})
    return {"about": "Content hash of a note: N-40 to N-46 of note-format.md", "cases": finished}


if __name__ == "__main__":
    print(json.dumps(vectors(), indent=1, ensure_ascii=True))
