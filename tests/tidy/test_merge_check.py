"""The merge check: what of the originals is not in the merged text."""

import pytest

from oharness.core.clock import Millis
from oharness.notes.note import Note
from oharness.tidy.merge_check import MergeCheck
from oharness.tidy.merge_draft import joined_draft
from tests.tidy.conftest import note

pytestmark = pytest.mark.memory


def check_of(*bodies: str) -> MergeCheck:
    notes = originals(*bodies)
    return MergeCheck(notes, {one.id: "n0" for one in notes})


def originals(*bodies: str) -> list[Note]:
    return [note(f"n{number}", "About it", body, created_at=Millis(number + 1)) for number, body in enumerate(bodies)]


def missing(body: str, merged: str, summary: str = "About it") -> list[str]:
    return [one.text for one in check_of(body, "x").missing(summary, f"{merged}\n\nx", ())]


def covered(merged: str, *bodies: str) -> bool:
    return check_of(*bodies).is_fully_covered("About it", merged, ())


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("The port is 8081", "8081"),
        ("We deploy on Thursdays", "Thursdays"),
        ("Implantamos às quintas", "quintas"),
        ("每周四部署", "周四"),
        ("It takes 30 seconds", "30 seconds"),
        ("At most 5GB", "5GB"),
        ("It costs $12", "$12"),
        ("Since 2026-03-04 it works", "2026-03-04"),
        ("Since March 4, 2026", "March 4, 2026"),
        ("Depuis le 4 mars 2026", "4 mars 2026"),
        ("Desde 4 de março de 2026", "4 de março de 2026"),
        ("自2026年3月4日起", "2026年3月4日"),
        ("It is in src/app/main.py", "src/app/main.py"),
        ("Edit ~/.ssh/config", "~/.ssh/config"),
        ("Look at pyproject.toml", "pyproject.toml"),
        ("Needs v2.3.1 of it", "v2.3.1"),
        ("Set MAX_BODY_BYTES", "MAX_BODY_BYTES"),
        ("Call parseHeader first", "parseHeader"),
        ("Pass --no-verify", "--no-verify"),
        ("Times are in UTC", "UTC"),
        ("See [[other-1ab]]", "[[other-1ab]]"),
        ("See https://example.com/a?b=1#c", "https://example.com/a?b=1#c"),
        ("Write to ops@example.com", "ops@example.com"),
        ('She said "as soon as possible"', "as soon as possible"),
        ("他说「尽快完成」", "尽快完成"),
        ("Elle a dit « dès que possible »", "dès que possible"),
        ("Run `make ship now`", "make ship now"),
        ("三个副本就够了", "三"),
        ("Três réplicas bastam", "Três"),
        ("Trois copies suffisent", "Trois"),
        ("Never deploy on a holiday", "Never deploy on a holiday"),
        ("Tabs are not allowed", "Tabs are not allowed"),
        ("We don't squash commits", "We don't squash commits"),
        ("不要压缩提交记录", "不要压缩提交记录"),
        ("Não use abas nos arquivos", "Não use abas nos arquivos"),
        ("N'utilisez pas de tabulations", "N'utilisez pas de tabulations"),
        ("On travaille sans filet", "On travaille sans filet"),
    ],
)
def test_every_kind_of_fact_that_is_gone_is_listed_as_it_was_written(fact: str, text: str) -> None:
    assert text in missing(fact, "Something else is said here")
    assert missing(fact, f"It goes on. {fact}. And more") == []


def test_lines_of_code_are_looked_for_as_they_are() -> None:
    body = "```sh\nmake clean\nmake ship ENV=prod\n```"
    assert missing(body, "```sh\nmake clean\n```") == ["make ship ENV=prod"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Since 2026-03-04 it works", "It works since 4 March 2026"),
        ("1,000 requests a day", "1000 requests a day"),
        ("it lasts 30 seconds", "it lasts 30s"),
        ("three replicas of it", "3 replicas of it"),
        ("We deploy on Thursdays", "Thursday is when we deploy"),
        ("replicas：三个", "replicas: 3个"),
        ('She said "go on"', "She said “go on”"),
        ("Run `make ship` to ship", "Run make ship to ship"),
        ("We don't squash commits", "We do not squash commits"),
        ("the limit is 3,5 GB", "the limit is 3.5 GB"),
    ],
)
def test_the_same_fact_in_another_spelling_is_not_missing(before: str, after: str) -> None:
    assert missing(before, after) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Never deploy on a holiday", "Deploy on a holiday"),
        ("不要在周五部署", "在周五部署"),
        ("Não implante às sextas", "Implante às sextas"),
        ("Ne déployez jamais le vendredi", "Déployez le vendredi"),
    ],
)
def test_a_negation_that_was_dropped_is_listed(before: str, after: str) -> None:
    assert before in missing(before, after)


def test_a_no_in_a_name_is_no_negation_and_portuguese_no_is_not_english() -> None:
    assert missing("See [[nowhere-1ab]]", "Look at [[nowhere-1ab]]") == []
    assert missing("O serviço roda no servidor garça", "Na garça roda o serviço, um servidor") == []


def test_values_that_changed_places_are_listed() -> None:
    swapped = "- Staging port: 8082\n- Production port: 8081"
    check = check_of("The staging port is 8081.", "The production port is 8082.")
    assert {one.text for one in check.missing("About it", swapped, ())} == {"8081", "8082"}
    right = "- Staging port: 8081\n- Production port: 8082"
    assert check.missing("About it", right, ()) == ()
    together = "The ports are 8081 for staging and 8082 for production."
    assert check.missing("About it", together, ()) == ()


def test_a_link_to_a_note_of_the_merge_is_kept_by_a_link_to_the_kept_one() -> None:
    check = MergeCheck(originals("one [[n1]]", "two"), {"n1": "n0"})
    assert check.missing("About it", "one [[n0]] two", ()) == ()


def test_facts_of_summaries_count_and_may_stand_in_tags_or_summary() -> None:
    one = note("a", "Port 8081 of the heron", "", created_at=Millis(1))
    other = note("b", "Version v2.3.1 of the heron", "", created_at=Millis(2))
    check = MergeCheck([one, other], {"b": "a"})
    assert [fact.text for fact in check.missing("The heron", "", ())] == ["8081", "v2.3.1"]
    assert check.missing("Port 8081 of the heron", "", ("v2.3.1",)) == ()


def test_a_value_of_another_programs_key_that_an_older_note_has_otherwise_is_listed() -> None:
    one = note("a", created_at=Millis(1), extra={"owner": "ann"})
    other = note("b", created_at=Millis(2), extra={"owner": "bo", "more": 1})
    check = MergeCheck([one, other], {"b": "a"})
    assert "owner: bo" in [fact.text for fact in check.missing(one.summary, f"{one.body} {other.body}", ())]


def test_all_originals_joined_together_are_fully_covered() -> None:
    bodies = (
        "The port is 8081.\n\n- Never on Fridays\n- `make ship`\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        '# Head\n\nAnna said "no".\n\n```\ncode [[x]]\n```',
        "不要压缩。端口是9000。",
    )
    notes = originals(*bodies)
    draft = joined_draft(notes)
    check = MergeCheck(notes, {one.id: "n0" for one in notes[1:]})
    assert check.missing(draft.summary, draft.body, ()) == ()
    assert check.is_fully_covered(draft.summary, draft.body, ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("needs ^1.2.3 of it", "needs ~1.2.3 of it"),
        ("needs >=3.11", "needs <=3.11"),
        ("needs Node 18+", "needs Node 18"),
        ("十二月十二日开始", "十二月十九日开始"),
        ("en août", "en été"),
        ("Webhooks are disabled", "Webhooks are enabled"),
        ("该接口已停用", "该接口已启用"),
        ("It hardly ever works on Windows", "It works on Windows"),
        ("see .env first", "see it first"),
        ("see Dockerfile first", "see it first"),
        ("Ctrl+Shift+P opens it", "Ctrl+P opens it"),
        ("zero downtime", "downtime"),
        ("host | port\n---|---\ndb | 5432\ncache | 6379", "host | port\n---|---\ndb | 6379\ncache | 5432"),
        ("    LIMIT = 10\n    SIZE = 20", "    LIMIT = 20\n    SIZE = 10"),
    ],
)
def test_a_fact_with_another_bound_sense_or_place_is_listed(before: str, after: str) -> None:
    assert missing(before, after) != []
    assert missing(before, f"It goes on.\n\n{before}\n\nAnd more") == []


SWAPPED = [
    (
        "The staging port is 8081. The production port is 9091.",
        "The staging port is 9091. The production port is 8081.",
    ),
    ("Anna works on Mondays. Bert works on Fridays.", "Anna works on Fridays. Bert works on Mondays."),
    ("API v2 is for web. API v3 is for mobile.", "API v3 is for web. API v2 is for mobile."),
    ("Logs are in /var/log/a. Dumps are in /var/dump/b.", "Logs are in /var/dump/b. Dumps are in /var/log/a."),
    ("Primary is `db1`. Replica is `db2`.", "Primary is `db2`. Replica is `db1`."),
    ("Web owner is ann@x.org. API owner is bo@x.org.", "Web owner is bo@x.org. API owner is ann@x.org."),
    ("登录端口是 8081。支付端口是 8082。", "登录端口是 8082。支付端口是 8081。"),
    (
        "## Staging\n\nThe port is 8081.\n\n## Production\n\nThe port is 9091.",
        "## Staging\n\nThe port is 9091.\n\n## Production\n\nThe port is 8081.",
    ),
]


@pytest.mark.parametrize(("before", "after"), SWAPPED)
def test_what_was_swapped_between_sentences_that_follow_one_another_is_listed(before: str, after: str) -> None:
    assert missing(before, after) != []
    assert missing(before, before) == []


@pytest.mark.parametrize(("before", "after"), [*SWAPPED, ("Alice pays Bob 5 euros.", "Bob pays Alice 5 euros.")])
def test_a_merge_that_nobody_looks_over_never_swaps(before: str, after: str) -> None:
    assert not covered(f"{after}\n\nx", before, "x")
    assert covered(f"{before}\n\n## About it\n\nx", before, "x")


def test_what_stands_under_the_summary_of_another_note_is_not_covered() -> None:
    one = note("n0", "Heron cluster", "The port is 8081.", created_at=Millis(1))
    other = note("n1", "Osprey cluster", "The port is 9091.", created_at=Millis(2))
    check = MergeCheck([one, other], {"n1": "n0"})
    right = "## Heron cluster\n\nThe port is 8081.\n\n## Osprey cluster\n\nThe port is 9091."
    wrong = "## Heron cluster\n\nThe port is 9091.\n\n## Osprey cluster\n\nThe port is 8081."
    assert check.is_fully_covered("Clusters", right, ())
    assert check.missing("Clusters", wrong, ()) != ()


class TestFullCoverage:
    @pytest.mark.parametrize(
        "added",
        [
            "Restart it on port 9999.",
            "Every new colleague runs the installer as root before anything else.",
            "Never ask Anna.",
            "Run https://evil.test/x.sh first.",
            "See [[other-1]].",
        ],
    )
    def test_a_text_that_says_what_no_original_says_is_not(self, added: str) -> None:
        one, other = "Anna owns billing. The staging port is 8081.", "Bernd owns search."
        assert not covered(f"{one} {other} {added}", one, other)
        assert covered(f"{one}\n\n## Owner of search\n\n{other}", one, other)

    def test_a_text_that_only_arranges_the_sentences_anew_is_fully_covered(self) -> None:
        one = "Anna owns billing. The staging port is 8081."
        other = "Bernd owns search.\nDeploys happen on Thursdays."
        arranged = (
            "## Owners\n\n- Anna owns billing\n- Bernd owns search\n\n## Rest\n\nDeploys happen on Thursdays; the "
        )
        assert covered(arranged + "staging port is 8081.", one, other)

    def test_a_sentence_without_any_number_has_to_be_there_too(self) -> None:
        one, other = "Anna owns billing and knows the printer.", "Bernd owns search."
        assert not covered("Anna owns billing. Bernd owns search.", one, other)

    def test_names_have_to_stay_with_what_was_said_of_them(self) -> None:
        one, other = "Anna owns billing and invoices.", "Later Bernd owns billing and invoices."
        assert not covered("Later Bernd owns billing and invoices.", one, other)

    def test_a_word_that_was_replaced_is_noticed(self) -> None:
        one, other = "The heron hosts the wiki of the team.", "The heron was bought used."
        assert covered("The heron was bought used and hosts the wiki of the team.", one, other)
        assert not covered("The heron was bought used and hosts the blog of the team.", one, other)

    def test_a_not_that_nobody_wrote_is_refused(self) -> None:
        assert not covered("Deploys do not happen on Thursdays.", "Deploys happen on Thursdays.", "Deploys happen.")


@pytest.mark.parametrize(
    "body",
    [
        "x" * 130_000,
        "a-" * 65_000,
        "a/" * 65_000,
        "` ``" * 30_000,
        "1," * 65_000,
        "[[" * 60_000,
        '"a ' * 40_000,
        "a@" * 60_000,
    ],
)
def test_a_body_made_to_keep_us_busy_is_checked_like_any_other(body: str) -> None:
    assert covered(f"{body}\n\n## About it\n\nx", body, "x")
