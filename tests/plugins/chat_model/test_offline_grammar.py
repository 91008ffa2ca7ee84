"""What the practice assistant takes a person's words for, as a table of four languages."""

import pytest

from oharness.plugins.chat_model.offline_grammar import (
    Ask,
    ForgetAbout,
    ForgetNote,
    Remember,
    SmallTalk,
    language_of,
    understand,
)
from oharness.plugins.chat_model.offline_patterns import Language

pytestmark = pytest.mark.plugins

EN, ZH, PT, FR = Language.ENGLISH, Language.CHINESE, Language.PORTUGUESE, Language.FRENCH

FACTS = [
    (EN, "Remember that we deploy on Thursdays", "we deploy on Thursdays"),
    (EN, "remember that we deploy on Thursdays.", "we deploy on Thursdays."),
    (EN, "please remember: the staging port is 8081", "the staging port is 8081"),
    (EN, "Please, remember that CI runs nightly", "CI runs nightly"),
    (EN, "Can you remember that we deploy on Thursdays?", "we deploy on Thursdays"),
    (EN, "I want you to remember that Ana owns billing", "Ana owns billing"),
    (EN, "remember we use tabs", "we use tabs"),
    (EN, "don't forget that the API is frozen", "the API is frozen"),
    (EN, "Don’t forget to bump the version", "to bump the version"),
    (EN, "never forget that main is protected", "main is protected"),
    (EN, "keep in mind that the cache is cold on Mondays", "the cache is cold on Mondays"),
    (EN, "Note that the tests need Redis", "the tests need Redis"),
    (EN, "make a note: lunch is at noon", "lunch is at noon"),
    (EN, "note to self: rotate the logs", "rotate the logs"),
    (EN, "REMEMBER THAT X IS Y", "X IS Y"),
    (EN, "Remember this: two lines\n\nof text", "two lines\n\nof text"),
    (ZH, "记住：我们每周四部署", "我们每周四部署"),
    (ZH, "记住:我们每周四部署", "我们每周四部署"),
    (ZH, "记住我们每周四部署", "我们每周四部署"),
    (ZH, "请记得，测试服务器的端口是 8081", "测试服务器的端口是 8081"),
    (ZH, "请记住我们用制表符", "我们用制表符"),
    (ZH, "帮我记一下：周五开会", "周五开会"),
    (ZH, "别忘了接口已经冻结", "接口已经冻结"),
    (ZH, "不要忘记：主分支受保护", "主分支受保护"),
    (ZH, "請記住：我們每週四部署", "我們每週四部署"),
    (PT, "lembre-se de que fazemos deploy às quintas", "fazemos deploy às quintas"),
    (PT, "Lembra que o porto de testes é 8081", "o porto de testes é 8081"),
    (PT, "lembra-te de que a Ana trata da faturação", "a Ana trata da faturação"),
    (PT, "não esqueça que a API está congelada", "a API está congelada"),
    (PT, "Não te esqueças de que usamos tabs", "usamos tabs"),
    (PT, "por favor, lembre-se que o cache é frio", "o cache é frio"),
    (PT, "anota: reunião na sexta", "reunião na sexta"),
    (PT, "lembre-se: reunião na sexta", "reunião na sexta"),
    (PT, "quero que te lembres de que usamos tabs", "usamos tabs"),
    (FR, "souviens-toi que nous déployons le jeudi", "nous déployons le jeudi"),
    (FR, "Souviens-toi qu'on déploie le jeudi", "on déploie le jeudi"),
    (FR, "Souvenez-vous qu’il y a un cache", "il y a un cache"),
    (FR, "retiens que le port de test est 8081", "le port de test est 8081"),
    (FR, "n'oublie pas que l'API est gelée", "l'API est gelée"),
    (FR, "N’oubliez pas que les tests demandent Redis", "les tests demandent Redis"),
    (FR, "s'il te plaît, retiens : réunion vendredi", "réunion vendredi"),
    (FR, "peux-tu retenir que nous déployons le jeudi ?", "nous déployons le jeudi"),
    (FR, "note que la branche main est protégée", "la branche main est protégée"),
    (FR, "rappelle-toi que Ana gère la facturation", "Ana gère la facturation"),
]

FORGETTING = [
    (EN, "forget pricing-borderless-3fa", ForgetNote("pricing-borderless-3fa")),
    (EN, "Forget the note pricing-borderless-3fa.", ForgetNote("pricing-borderless-3fa")),
    (EN, "please forget [[pricing-borderless-3fa]]", ForgetNote("pricing-borderless-3fa")),
    (EN, "delete note `we-deploy-x1z`", ForgetNote("we-deploy-x1z")),
    (EN, "forget that we deploy on Thursdays", ForgetAbout("we deploy on Thursdays")),
    (EN, "forget about the staging port", ForgetAbout("staging port")),
    (EN, "Forget what I said about lunch", ForgetAbout("lunch")),
    (ZH, "忘记 pricing-borderless-3fa", ForgetNote("pricing-borderless-3fa")),
    (ZH, "请删除笔记 pricing-borderless-3fa", ForgetNote("pricing-borderless-3fa")),
    (ZH, "忘掉关于部署的笔记", ForgetAbout("部署")),
    (ZH, "把关于部署的笔记删掉", ForgetAbout("部署")),
    (ZH, "忘记我们每周四部署", ForgetAbout("我们每周四部署")),
    (PT, "esqueça a nota pricing-borderless-3fa", ForgetNote("pricing-borderless-3fa")),
    (PT, "esquece we-deploy-x1z", ForgetNote("we-deploy-x1z")),
    (PT, "apague a nota sobre o porto de testes", ForgetAbout("o porto de testes")),
    (PT, "esqueça que fazemos deploy às quintas", ForgetAbout("fazemos deploy às quintas")),
    (FR, "oublie la note pricing-borderless-3fa", ForgetNote("pricing-borderless-3fa")),
    (FR, "oublie we-deploy-x1z", ForgetNote("we-deploy-x1z")),
    (FR, "supprime la note sur le port de test", ForgetAbout("le port de test")),
    (FR, "oublie que nous déployons le jeudi", ForgetAbout("nous déployons le jeudi")),
    (FR, "oubliez qu'on déploie le jeudi", ForgetAbout("on déploie le jeudi")),
]

QUESTIONS = [
    (EN, "when do we deploy?"),
    (EN, "When do we deploy"),
    (EN, "What is the staging port?"),
    (EN, "do you remember when we deploy?"),
    (EN, "remember when we deploy?"),
    (EN, "which port does staging use"),
    (EN, "tell me about the staging port"),
    (EN, "the staging port is 8081, right?"),
    (EN, "how do we say ‘fim’?"),
    (ZH, "我们什么时候部署？"),
    (ZH, "我们什么时候部署"),
    (ZH, "测试端口是多少"),
    (ZH, "你记得我们什么时候部署吗"),
    (ZH, "记得我们什么时候部署吗？"),
    (ZH, "端口是 8081 吗"),
    (ZH, "那部署时间呢"),
    (PT, "quando fazemos deploy?"),
    (PT, "qual é o porto de testes"),
    (PT, "o que sabes sobre o porto de testes?"),
    (PT, "Quem trata da faturação?"),
    (FR, "quand est-ce que nous déployons ?"),
    (FR, "Quel est le port de test"),
    (FR, "qu'est-ce que tu sais sur le cache ?"),
    (FR, "où sont les journaux ?"),
    (FR, "tu te souviens du port de test ?"),
]

TALK = [
    (EN, "hello"),
    (EN, "Hi there!"),
    (EN, "how are you?"),
    (EN, "What can you do?"),
    (EN, "who are you?"),
    (EN, "thanks"),
    (EN, "write me a sorting function in Rust"),
    (EN, "forget it"),
    (EN, "remember"),
    (ZH, "你好"),
    (ZH, "你是谁？"),
    (ZH, "你能做什么？"),
    (ZH, "谢谢"),
    (ZH, "继续"),
    (PT, "Olá!"),
    (PT, "tudo bem?"),
    (PT, "obrigado"),
    (PT, "quem é você?"),
    (FR, "Bonjour"),
    (FR, "ça va ?"),
    (FR, "qui es-tu ?"),
    (FR, "merci"),
    (FR, "que peux-tu faire ?"),
]


@pytest.mark.parametrize(("language", "text", "fact"), FACTS)
def test_remember_is_understood_with_its_fact(language: Language, text: str, fact: str) -> None:
    understood = understand(text)
    assert isinstance(understood.intent, Remember)
    assert (understood.language, understood.intent.fact) == (language, fact)


@pytest.mark.parametrize(("language", "text", "intent"), FORGETTING)
def test_forget_is_understood_by_id_or_by_words(
    language: Language, text: str, intent: ForgetNote | ForgetAbout
) -> None:
    understood = understand(text)
    assert (understood.intent, understood.language) == (intent, language)


@pytest.mark.parametrize(("language", "text"), QUESTIONS)
def test_questions_are_understood(language: Language, text: str) -> None:
    understood = understand(text)
    assert (understood.intent, understood.language) == (Ask(text), language)


@pytest.mark.parametrize(("language", "text"), TALK)
def test_anything_else_is_small_talk(language: Language, text: str) -> None:
    understood = understand(text)
    assert (understood.intent, understood.language) == (SmallTalk(), language)


@pytest.mark.parametrize(
    ("text", "about_user"),
    [
        ("remember that I prefer short answers", True),
        ("remember my name is Ana", True),
        ("记住：我喜欢简短的回答", True),
        ("lembre-se de que eu prefiro respostas curtas", True),
        ("retiens que je préfère les réponses courtes", True),
        ("remember that we prefer tabs", False),
        ("记住：我们每周四部署", False),
    ],
)
def test_what_a_person_likes_is_told_from_other_facts(text: str, about_user: bool) -> None:
    intent = understand(text).intent
    assert isinstance(intent, Remember)
    assert intent.about_user is about_user


def test_words_of_no_clear_language_take_the_one_given() -> None:
    assert understand("xyzzy", Language.FRENCH).language is Language.FRENCH
    assert language_of("xyzzy") is None


@pytest.mark.parametrize("text", ["", "   ", "\n", "?", "？", "🙂", "\x00", "a" * 100_000, "remember " * 5_000])
def test_odd_input_never_fails(text: str) -> None:
    understand(text)
