"""The words by which the practice assistant tells what is asked of it, a set for each language. Pure data.

All patterns are searched at the start of the text, ignoring case, after `polite`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    """The languages the practice assistant understands and answers in."""

    ENGLISH = "en"
    CHINESE = "zh"
    PORTUGUESE = "pt"
    FRENCH = "fr"


@dataclass(frozen=True, slots=True)
class Patterns:
    """Regular expressions of one language.

    `remember` is followed by the fact, even in a question ("can you remember that … ?"); after
    `remember_loosely` a question is a question ("remember when we deploy?"). `forget` is followed by an id or
    by words, `forget_around` holds them as `rest`. `small_talk` has to match the whole text without its final
    marks. `small_words` tell the language and say nothing about the subject.
    """

    polite: str
    remember: str
    remember_loosely: str
    forget: str
    question: str
    small_talk: str
    about_user: str
    small_words: frozenset[str]
    forget_around: str = "(?!)"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = Patterns(
    polite=r"(?:(?:please|pls|ok(?:ay)?|hey|so|and|now|also|kindly)\b[,!. ]*"
    r"|(?:can|could|will|would) you (?:please )?|i(?:'d like| want| would like) you to )*",
    remember=r"(?:remember|memori[sz]e|note|keep in mind|bear in mind|don['’]?t forget|do not forget|never forget"
    r"|make a note|take a note|save|write down)(?: this| it)?(?: that\b|\s*[:：]| of this\s*[:：])"
    r"|note to self\s*[:：,]",
    remember_loosely=r"(?:remember|memori[sz]e|don['’]?t forget|do not forget|never forget)(?: this)?,?\s",
    forget=r"(?:forget|unlearn)(?: about)?(?: (?:the|my|that|this|your|what (?:i|we) said about))?"
    r"(?: (?:notes?|memor(?:y|ies)))?"
    r"(?: (?:about|on|that|called|with id|id))?\s*[:：]?\s+"
    r"|(?:delete|remove|erase|drop)(?: (?:the|my|that|this|your))? (?:notes?|memor(?:y|ies))"
    r"(?: (?:about|on|that|called|with id|id))?\s*[:：]?\s+",
    question=r"(?:who|whom|whose|what|when|where|why|which|how)(?:['’]s|['’]re)?\b"
    r"|(?:do|does|did|is|are|was|were|can|could|should|would|will|has|have|had|am|shall|may)"
    r" (?:we|i|you|they|he|she|it|the|there|our|my|your|this|that|any|anyone|someone)\b"
    r"|(?:tell me|remind me)\b",
    small_talk=r"(?:hi|hello|hey|yo|thanks?(?: you)?|thx|bye|good (?:morning|evening|night)|continue|go on|help|test)\b"
    r".{0,20}"
    r"|(?:hi|hello|hey)?[,! ]*how are you\b.*|how(?:['’]s| is) it going\b.*|(?:what|who) are you\b.*"
    r"|what(?:['’]s| is) your name\b.*|what (?:can|do) you do\b.*|how do you work\b.*"
    r"|are you (?:an?|real|human|there)\b.*|how can (?:you help|i use you)\b.*",
    about_user=r"i (?:really |always |usually |much |also )?(?:prefer|like|love|hate|dislike|enjoy|speak)\b"
    r"|i (?:do not|don['’]t|can['’]t) (?:like|want|stand)\b|i['’]d rather\b|my (?:name|favou?rite)\b|call me\b",
    small_words=_words(
        "a about am an and any are as at be but by can could did do does for from had has have how i if in is it "
        "its know me my no not of on or our please should so tell that the their them there they this to us use "
        "was we were what when where which who whom whose why will with would you your"
    ),
)

_CHINESE = Patterns(
    polite=r"(?:请|請|麻烦|帮我|幫我|你要|你得|好的?[，,。 ]*|那么?[，,]?|另外[，,]?|能不能|可以)*",
    remember=r"(?:记住|記住|记得|記得|记下|記下|记一下|記一下|别忘了|別忘了|不要忘记|不要忘記|勿忘|备忘|備忘)"
    r"(?:了|这|這|一点|一點)?\s*[:：]",
    remember_loosely=r"(?:记住|記住|记得|記得|记下|記下|记一下|記一下|别忘了|別忘了|不要忘记|不要忘記|勿忘)了?[，,、\s]*",
    forget=r"(?:忘记|忘記|忘掉|忘了|删除|刪除|删掉|刪掉|去掉)(?:掉|了)?(?:那条|那個|那个|这条|這條)?"
    r"(?:笔记|筆記|备忘|備忘|记忆|記憶)?(?:关于|關於)?[:：，,\s]*",
    forget_around=r"(?:把|将|將)(?:关于|關於)?(?P<rest>.+?)(?:给|給)?"
    r"(?:忘记|忘記|忘掉|忘了|删除|刪除|删掉|刪掉)(?:吧|了)?[。.！!]*",
    question=r".*(?:谁|誰|什么|什麼|何时|何時|几点|幾點|哪里|哪裡|哪个|哪個|哪天|哪些|怎么|怎麼|怎样|怎樣|为什么|為什麼|为何"
    r"|多少|是否)|告诉我|告訴我|你知道|.*(?:吗|嗎|呢|么)[。.！!\s]*$",
    small_talk=r"(?:你好|您好|嗨|谢谢|謝謝|再见|再見|早上好|晚上好|继续|繼續|帮助|幫助).{0,6}"
    r"|你(?:是谁|是誰|是什么|是什麼|能做什么|能做什麼|会什么|會什麼|会做什么|會做什麼|叫什么|叫什麼).*",
    about_user=r"我(?:更|比较|比較|最|很|不)?(?:喜欢|喜歡|偏好|偏爱|讨厌|討厭|爱用|習慣|习惯|叫)|我的名字|叫我",
    small_words=_words(
        "什么时候 什麼時候 为什么 為什麼 什么 什麼 怎么 怎麼 哪里 哪裡 哪天 哪个 哪個 多少 几点 幾點 关于 關於 "
        "我们 我們 你们 他们 知道 告诉我 告訴我 的 了 吗 嗎 呢 么 吧 是 在 和 与 與 我 你 他 她 它 们 請 请 有"
    ),
)

_PORTUGUESE = Patterns(
    polite=r"(?:(?:por favor|ok|então|e|agora|também)\b[,!. ]*|(?:pode|podes|poderia|podia)\s+"
    r"|quero que (?:você |te |se )*)*",
    remember=r"(?:lembr(?:e|a|es|em)(?:-se|-te)?|(?:se |te )lembr(?:e|a|es|em|ar)|lembrar|memori[zs](?:e|a|ar)"
    r"|anot(?:e|a|ar)"
    r"|guard(?:e|a|ar)|regist(?:re|a|ar)|tom(?:e|a) nota|n[ãa]o (?:se |te )?esque(?:ça|ças|cer)(?:-se|-te)?)"
    r"(?: isto| isso| disto| disso)?(?:\s+(?:de )?que\b|\s*[:：])",
    remember_loosely=r"(?:lembr(?:e|a|es)(?:-se|-te)?(?: de)?|memori[zs](?:e|a)|anot(?:e|a)"
    r"|n[ãa]o (?:se |te )?esque(?:ça|ças)(?:-se|-te)?(?: de)?)\s",
    forget=r"(?:esque(?:ça|ce|cer|ças)(?:-se|-te)?|apag(?:ue|a|ar)|remov(?:a|e|er)|exclu(?:a|i|ir)|elimin(?:e|a|ar)"
    r"|delet(?:e|a|ar))(?: (?:d?a|minha|essa|esta|as|o que (?:eu )?disse sobre))?(?: (?:notas?|mem[óo]rias?))?"
    r"(?: (?:sobre|de que|que|chamada|com id|id))?\s*[:：]?\s+",
    question=r"(?:quem|o que|que|qual|quais|quando|onde|por ?que|como|quant[oa]s?|em que|a que horas|de quem|sabes?"
    r"|diga-me|diz-me|me diga|me conte|conte-me|lembra-me)\b",
    small_talk=r"(?:ol[áa]|oi|obrigad[oa]|tchau|bom dia|boa (?:tarde|noite)|continu[ae]|ajuda)\b.{0,20}"
    r"|tudo bem\b.*|como (?:vai|est[áa]s?)\b.{0,12}|quem (?:[ée]s?) (?:voc[êe]|tu)\b.*"
    r"|o que (?:voc[êe]|tu)? ?(?:faz|fazes|sabes? fazer|podes? fazer|consegues? fazer)\b.*",
    about_user=r"(?:eu )?(?:prefiro|gosto|adoro|odeio|detesto|falo)\b|(?:eu )?n[ãa]o gosto\b|(?:o )?meu nome\b"
    r"|(?:eu )?(?:me chamo|chamo-me)\b",
    small_words=_words(
        "a ao aos as com como da das de do dos e é ela ele em essa esse esta este eu foi há isso isto mais me meu "
        "minha na nas no nos não nós o onde os ou para pela pelo por porque qual quais quando que quem se sem ser "
        "seu sobre sua são também te tem temos ter tu um uma você vocês está estamos fazemos"
    ),
)

_FRENCH = Patterns(
    polite=r"(?:(?:s['’]il (?:te|vous) pla[iî]t|stp|svp|ok|alors|et|maintenant|aussi)\b[,!. ]*"
    r"|(?:peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux)\s+(?:me |te |vous )?|je veux que tu (?:te )?)*",
    remember=r"(?:souviens-toi|souvenez-vous|souvenir|rappelle-toi|rappelez-vous|rappeler|retiens|retenez|retenir"
    r"|m[ée]morise[rz]?|note[rz]?(?: bien)?|prends note|prenez note|garde[rz]?(?: bien)? en (?:t[êe]te|m[ée]moire)"
    r"|n['’]oublie[rz]? pas|ne pas oublier)(?: ceci| cela| ça)?(?:\s+(?:de )?(?:que\b|qu['’])|\s*[:：])",
    remember_loosely=r"(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|retiens|retenez|m[ée]morisez?"
    r"|n['’]oubliez? pas)(?: de\b| d['’])?,?\s",
    forget=r"(?:oublie[rz]?|supprime[rz]?|efface[rz]?|enl[èe]ve[rz]?)(?:"
    r" qu['’]|(?: (?:la|ma|cette|les|ce que j['’]ai dit (?:sur|de)))?(?: (?:notes?|m[ée]moires?))?"
    r"(?: (?:sur|que|qui dit que|appel[ée]e|avec l['’]id|id))?\s*[:：]?\s)",
    question=r"(?:qui|que|quoi|quel(?:le)?s?|quand|o[ùu]|pourquoi|comment|combien|est-ce|[àa] quelle|de quel(?:le)?"
    r"|depuis quand|c['’]est quoi|sais-tu|savez-vous|dis-moi|dites-moi|parle-moi|rappelle-moi|rappelez-moi)\b|qu['’]",
    small_talk=r"(?:bonjour|salut|coucou|merci|bonsoir|bonne (?:nuit|journ[ée]e)|au revoir|continue[rz]?|aide)\b.{0,20}"
    r"|(?:comment )?[çc]a va\b.*|comment (?:vas-tu|allez-vous)\b.*|(?:qui|qu['’]) ?(?:es-tu|[êe]tes-vous)\b.*"
    r"|tu es qui\b.*|que (?:sais|peux)-tu faire\b.*|que pouvez-vous faire\b.*|tu sais faire quoi\b.*",
    about_user=r"je (?:pr[ée]f[èe]re|d[ée]teste|parle|m['’]appelle|n['’]aime)\b|j['’](?:aime|adore)\b|mon nom\b"
    r"|appellez?-moi\b",
    small_words=_words(
        "à a au aux avec c ce ces cette comment combien d dans de des du elle en es est et il ils j je l la le les "
        "leur ma mais me mes mon n ne nos notre nous on ont ou où par pas pour pourquoi qu quand que quel quelle "
        "quelles quels qui quoi s sa sans se ses son sont sur t ta te tes toi tu un une vos votre vous y avons "
        "faut fait"
    ),
)

PATTERNS: Mapping[Language, Patterns] = {
    Language.ENGLISH: _ENGLISH,
    Language.CHINESE: _CHINESE,
    Language.PORTUGUESE: _PORTUGUESE,
    Language.FRENCH: _FRENCH,
}
