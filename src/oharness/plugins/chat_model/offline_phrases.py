"""What the practice assistant says, in each of its languages. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from oharness.plugins.chat_model.offline_patterns import Language


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language; braces are filled in."""

    disclosure: str
    abilities: str
    remembered: str
    nearly_the_same: str
    not_saved: str
    forgotten: str
    not_forgotten: str
    which_one: str
    nothing_fits: str
    recalled: str
    found: str
    unknown: str
    no_memory: str
    extract: str
    said: str
    answered: str


PHRASES: Mapping[Language, Phrases] = {
    Language.ENGLISH: Phrases(
        disclosure="I am the practice assistant built into oHarness, not a language model: "
        "I can only keep notes, delete them and quote them.",
        abilities="Say “remember that …” or “forget …”, or ask about something in the notes. "
        "For everything else set a language model (`model` in config.json, or OHARNESS_MODEL).",
        remembered="Remembered as [{id}]: {summary}",
        nearly_the_same="Note [{id}] says nearly the same.",
        not_saved="That was not saved: {reason}",
        forgotten="Note [{id}] is deleted; a backup is kept.",
        not_forgotten="Nothing was deleted: {reason}",
        which_one="These notes may be meant, and nothing was deleted yet. Say “forget” and the id of one:",
        nothing_fits="No note fits “{words}”, so nothing was deleted.",
        recalled="The notes say:",
        found="Found in the notes:",
        unknown="The notes say nothing about that. To teach me, say “remember that …”.",
        no_memory="Memory is switched off here, so I can neither keep nor read notes.",
        extract="Extract of the conversation so far, made by the practice assistant:",
        said="The user: {text}",
        answered="The assistant: {text}",
    ),
    Language.CHINESE: Phrases(
        disclosure="我是 oHarness 自带的练习助手，不是语言模型：我只会记下笔记、删除笔记和引用笔记。",
        abilities="可以说“记住：……”或“忘记……”，也可以问笔记里有的事。其他事情请设置语言模型"
        "（config.json 里的 `model`，或 OHARNESS_MODEL）。",
        remembered="已记住 [{id}]：{summary}",
        nearly_the_same="笔记 [{id}] 的内容几乎相同。",
        not_saved="没有保存：{reason}",
        forgotten="笔记 [{id}] 已删除，留有备份。",
        not_forgotten="没有删除任何笔记：{reason}",
        which_one="可能是下面这些笔记，目前还没有删除。请说“忘记”加上其中一个 id：",
        nothing_fits="没有符合“{words}”的笔记，所以什么都没有删除。",
        recalled="笔记里说：",
        found="在笔记里找到：",
        unknown="笔记里没有提到这件事。要教我，请说“记住：……”。",
        no_memory="这里的记忆功能已关闭，我既不能记也不能读笔记。",
        extract="练习助手对此前对话的摘录：",
        said="用户：{text}",
        answered="助手：{text}",
    ),
    Language.PORTUGUESE: Phrases(
        disclosure="Sou o assistente de treino incluído no oHarness, não um modelo de linguagem: "
        "só sei guardar notas, apagá-las e citá-las.",
        abilities="Diga “lembre-se de que …” ou “esqueça …”, ou pergunte por algo que esteja nas notas. "
        "Para tudo o resto configure um modelo de linguagem (`model` em config.json, ou OHARNESS_MODEL).",
        remembered="Guardado como [{id}]: {summary}",
        nearly_the_same="A nota [{id}] diz quase o mesmo.",
        not_saved="Isso não foi guardado: {reason}",
        forgotten="A nota [{id}] foi apagada; fica uma cópia de segurança.",
        not_forgotten="Nada foi apagado: {reason}",
        which_one="Pode tratar-se destas notas, e nada foi apagado ainda. Diga “esqueça” e o id de uma delas:",
        nothing_fits="Nenhuma nota corresponde a “{words}”, por isso nada foi apagado.",
        recalled="As notas dizem:",
        found="Encontrado nas notas:",
        unknown="As notas não dizem nada sobre isso. Para me ensinar, diga “lembre-se de que …”.",
        no_memory="A memória está desligada aqui, por isso não posso guardar nem ler notas.",
        extract="Extrato da conversa até aqui, feito pelo assistente de treino:",
        said="O utilizador: {text}",
        answered="O assistente: {text}",
    ),
    Language.FRENCH: Phrases(
        disclosure="Je suis l’assistant d’entraînement fourni avec oHarness, pas un modèle de langage : "
        "je sais seulement garder des notes, les supprimer et les citer.",
        abilities="Dites « souviens-toi que … » ou « oublie … », ou posez une question sur ce que disent les notes. "
        "Pour tout le reste, choisissez un modèle de langage (`model` dans config.json, ou OHARNESS_MODEL).",
        remembered="Retenu sous [{id}] : {summary}",
        nearly_the_same="La note [{id}] dit presque la même chose.",
        not_saved="Cela n’a pas été enregistré : {reason}",
        forgotten="La note [{id}] est supprimée ; une sauvegarde est conservée.",
        not_forgotten="Rien n’a été supprimé : {reason}",
        which_one="Ces notes pourraient convenir ; rien n’est encore supprimé. Dites « oublie » et l’id de l’une :",
        nothing_fits="Aucune note ne correspond à « {words} », donc rien n’a été supprimé.",
        recalled="Les notes disent :",
        found="Trouvé dans les notes :",
        unknown="Les notes ne disent rien à ce sujet. Pour m’apprendre quelque chose, dites « souviens-toi que … ».",
        no_memory="La mémoire est désactivée ici, je ne peux donc ni garder ni lire de notes.",
        extract="Extrait de la conversation jusqu’ici, fait par l’assistant d’entraînement :",
        said="L’utilisateur : {text}",
        answered="L’assistant : {text}",
    ),
}
