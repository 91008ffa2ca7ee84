"""Which notes are about the same subject, and which only look like it."""

import random
import time

import pytest

from oharness.recall.stems import LANGUAGES, function_words
from oharness.tidy.same_subject import MOST_IN_A_GROUP, SubjectIndex
from oharness.tidy.telling_words import VALUES
from tests.tidy.conftest import entries, note

pytestmark = pytest.mark.memory


def groups(*summaries: str, tags: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    made = [note(f"n{number}", summary, tags=tags) for number, summary in enumerate(summaries)]
    return [one.notes for one in SubjectIndex().subjects(entries(*made))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pricing cards use fills, not borders", "Cards on the pricing page use fills instead of borders"),
        ("Serialize timestamps in UTC", "Timestamps are serialized in UTC"),
        ("We deploy on Thursdays", "Deploys run on Thursdays"),
        ("用户偏好简短的回答", "用户偏好简短回答"),
        ("Os preços são guardados em centavos", "Guardamos os preços em centavos"),
        ("Les prix sont stockés en centimes", "Nous stockons les prix en centimes"),
        ("Webhook retries are not enabled", "Webhook retries aren't enabled"),
        ("Pricing cards use fills, not borders", "Pricing cards use fills and no borders"),
        ("In the frontend folder we use tabs, not spaces", "Use tabs instead of spaces in the frontend folder"),
        ("Pricing cards use fills, not borders", "Pricing cards use fills not borders"),
        ("In the frontend folder we use tabs not spaces", "Use tabs instead of spaces in the frontend folder"),
        ("We deploy the shop on Mondays", "The shop is deployed each Monday"),
        ("O relatório é enviado às segundas", "O relatório é enviado toda segunda"),
        ("Les factures partent les jeudis", "Les factures partent chaque jeudi"),
        ("O botão de compra é vermelho", "Os botões de compra são vermelhos"),
        ("Le prix est gardé en centimes", "Les prix sont gardés en centimes"),
        ("Mon éditeur préféré reste ouvert", "Garder ouvert l'éditeur préféré"),
        ("La carte de prix est verte", "Les cartes de prix sont vertes"),
        ("Les cartes utilisent des fonds, pas des bordures", "Les cartes utilisent des fonds au lieu de bordures"),
    ],
)
def test_notes_that_say_the_same_are_of_one_subject(one: str, other: str) -> None:
    assert groups(one, other) == [("n0", "n1")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Staging port is 8081", "Staging port is 8082"),
        ("Merged PR 260", "Merged PR 480"),
        ("The primary button is purple", "The primary button is cyan"),
        ("Release notes of v2.3.1", "Release notes of v2.4.0"),
        ("Status on 2026-03-04", "Status on 2026-03-11"),
        ("Deploys run on Thursdays", "Deploys run on Fridays"),
        ("Invoices go to Anna", "Invoices go to Bernd"),
        ("The staging database is slow", "The production database is slow"),
        ("Sessions live in Postgres", "Sessions live in Redis"),
        ("Two reviewers approve a change", "Three reviewers approve a change"),
        ("按钮是紫色的", "按钮是青色的"),
        ("每周四部署到生产环境", "每周五部署到生产环境"),
        ("张伟负责账单系统的维护工作", "李娜负责账单系统的维护工作"),
        ("O botão principal é roxo", "O botão principal é azul"),
        ("Le bouton principal est violet", "Le bouton principal est vert"),
        ("Implantamos às quintas", "Implantamos às sextas"),
        ("La réunion a lieu le 3 mars", "La réunion a lieu le 4 mars"),
        ("Webhook retries are enabled in staging", "Webhook retries are not enabled in staging"),
        ("Webhook retries are enabled in staging", "Webhook retries are disabled in staging"),
        ("In migrations, drop unused columns at once", "In migrations, never drop unused columns at once"),
        ("Webhook retries in staging work", "Webhook retries in staging do not work"),
        ("Deploy the shop on Fridays", "Deploy the shop not on Fridays"),
        ("Old sessions of clients should expire", "Old sessions of clients should not expire"),
        ("Squash commits before a merge", "Don't squash commits before a merge"),
        ("用户可以导出报表", "用户不可以导出报表"),
        ("测试环境启用自动重试功能", "测试环境禁用自动重试功能"),
        ("As retentativas estão ligadas no servidor", "As retentativas não estão ligadas no servidor"),
        ("O backup do banco roda toda manhã", "O backup do banco roda toda noite"),
        ("Les relances sont actives chez le client", "Les relances ne sont pas actives chez le client"),
    ],
)
def test_look_alikes_with_other_values_are_not(one: str, other: str) -> None:
    assert groups(one, other, tags=("shared", "common", "tags")) == []


def test_a_summary_with_a_lot_of_space_in_it_takes_bounded_time() -> None:
    start = time.process_time()
    assert groups(f"Old sessions{' ' * 60_000}not kept", "Old sessions not kept") == [("n0", "n1")]
    assert time.process_time() - start < 10


def test_no_word_that_only_holds_sentences_together_is_a_value() -> None:
    assert {language: VALUES & function_words(language) for language in LANGUAGES} == dict.fromkeys(
        LANGUAGES, frozenset()
    )


def test_a_value_in_the_tags_alone_keeps_two_notes_apart() -> None:
    one, other = note("a", "Release checklist", tags=("v1",)), note("b", "Release checklist", tags=("v2",))
    assert SubjectIndex().subjects(entries(one, other)) == []


def test_a_group_has_at_most_six_notes_the_oldest_first() -> None:
    made = [note(f"n{number}", "We deploy on Thursdays", created_at=1000 - number) for number in range(8)]
    found = SubjectIndex().subjects(entries(*made))
    assert [len(one.notes) for one in found] == [2, MOST_IN_A_GROUP] or [len(one.notes) for one in found] == [6, 2]
    assert next(one.notes for one in found if len(one.notes) == 6)[0] == "n7"


def test_each_note_of_a_group_is_near_to_each_other() -> None:
    chain = ("alpha beta gamma delta", "beta gamma delta omega", "gamma delta omega sigma", "delta omega sigma kappa")
    assert all(len(group) == 2 for group in groups(*chain))


def test_groups_do_not_depend_on_the_order_or_on_what_was_known_before() -> None:
    words = ["deploy", "thursday", "server", "port", "pricing", "card", "fill", "border", "cache", "expire", "session"]
    chance = random.Random(7)
    made = [note(f"n{n}", " ".join(chance.sample(words, 4)), created_at=n + 1) for n in range(60)]
    fresh = SubjectIndex().subjects(entries(*made))
    shuffled = list(made)
    chance.shuffle(shuffled)
    assert SubjectIndex().subjects(entries(*shuffled)) == fresh
    lived = SubjectIndex()
    lived.subjects(entries(*made[:30], *(note(f"n{n}", "Something else entirely") for n in range(30, 50))))
    assert lived.subjects(entries(*made)) == fresh


def test_one_word_makes_a_subject_only_when_both_say_nothing_else() -> None:
    assert groups("deploy", "deploys") == [("n0", "n1")]
    assert groups("deploy", "deploy reviews") == []
    assert groups("of the", "of the") == []
