"""Text that no note may hold: words meant for a model instead of a reader, and states that pass within the hour."""

import re
import unicodedata

_TO_A_MODEL = re.compile(
    r"""
    </?(?:recalled-memory|memory-index|linked-notes|system|instructions?|tool_call)\b
    | <\|(?:im_start|im_end|system|user|assistant|endoftext)\|> | \[/?INST\] | <<SYS>>
    | ^[^\w\n]{0,40}(?:system|developer|assistant)(?:\ prompt|\ message)?\s*[:：]
    | \b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,3}?
      (?:previous|prior|above|earlier|all|any|other|system|your)\s+(?:\w+\s+){0,2}?
      (?:instructions?|prompts?|rules?|guidelines?|messages?)\b
    | \byou\s+are\s+now\b | \bnew\s+instructions?\s*[:：]
    | \b(?:do\s+not|don't|never)\s+(?:tell|inform|mention\s+(?:this|it)\s+to|show)\s+(?:this\s+to\s+)?the\s+user\b
    | \b(?:curl|wget)\b[^\n]{0,300}\|\s*(?:ba|z)?sh\b | \brm\s+-rf\s+[~/]
    | \b(?:exfiltrate|upload|send|post)\b[^\n]{0,60}\b(?:credentials?|api\ keys?|secrets?|tokens?|\.env|~/\.ssh)\b
    | (?:忽略|无视|忘记|忽視)[^\n。]{0,12}(?:指令|指示|提示|规则|規則) | 你现在是 | 不要(?:告诉|通知|让)用户
    | \b(?:ignore|desconsidere|esqueça)\s+(?:\w+\s+){0,3}?(?:instruções|regras|mensagens)\b
    | \bnão\s+(?:conte|diga|informe|avise)\s+(?:isso\s+)?(?:ao|o)\s+usuário\b | \bvocê\s+agora\s+é\b
    | \b(?:ignore[zr]?|oublie[zr]?)\s+(?:\w+\s+){0,3}?(?:instructions|consignes|règles)\b
    | \bne\s+(?:le\s+)?(?:dis|dites)\s+(?:rien\s+)?pas?\s+à\s+l['’]utilisateur\b
    | \b(?:tu\s+es|vous\s+êtes)\s+(?:maintenant|désormais)\b
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)

_FREES_A_MODEL = re.compile(
    r"""
    \b(?:always|automatically|silently|blindly|auto)[\s-]+(?:approve|accept|allow|grant|confirm)\b
    | \bauto-?approv\w+\b | \b(?:approve|accept|allow|permit|grant)\s+(?:everything|anything|(?:all|any|every)\s+
      (?:\w+\s+){0,2}?(?:tools?|calls?|commands?|requests?|permissions?|actions?|edits?|changes?|prompts?))\b
    | \b(?:run|execute|call|approve|accept|allow|push|delete|remove|commit|edit|write|install|deploy|merge|proceed)\b
      [^\n.;]{0,80}\bwithout\s+(?:ever\s+)?(?:asking|prompting|(?:\w+\s+)?confirm(?:ation|ing)|(?:\w+\s+)?permission)\b
    | \b(?:skip|bypass|disable|turn\s+off|ignore|suppress)\s+(?:\w+\s+){0,3}?(?:permission|confirmation|approval)s?\b
    | \b(?:never|do\s+not|don['’]t|no\s+need\s+to)\s+ask\s+
      (?:me|us|the\s+user|for\s+(?:permission|confirmation|approval))\b
    | (?:自动|一律|总是|直接)(?:批准|同意|允许|通过)[^\n。]{0,12}(?:工具|命令|操作|请求|权限|修改)
    | (?:无需|不用|不必|不要)(?:再)?(?:询问|征求|问|经过)(?:用户|我|许可|同意|确认)
    | (?:无需|不用|不必|跳过)(?:用户|任何)?(?:确认|批准|许可)(?:即可|就|直接)?(?:执行|运行|删除|推送|修改|提交)
    | \b(?:aprov|aceit|permit|autoriz)(?:e|ar|a)\s+(?:sempre|automaticamente|tudo|tod[ao]s)\b
    | \bsempre\s+(?:aprov|aceit|permit|autoriz)(?:e|ar|a|ir)\b
    | \b(?:execut|rod|apag|delet|aprov|envi|instal)(?:e|ar|a)\b
      [^\n.;]{0,80}\bsem\s+(?:perguntar|pedir|confirmação|permissão)\b
    | \b(?:approuv|accept|autoris)(?:e|er|ez)\s+(?:toujours|automatiquement|tout|toutes|tous)\b
    | \btoujours\s+(?:approuver|accepter|autoriser)\b
    | \b(?:exécut|lanc|supprim|pouss|approuv|install)(?:e|er|ez)\b
      [^\n.;]{0,80}\bsans\s+(?:demander|confirmation|permission|autorisation)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What an assistant may do unasked is said by permission rules, which only people write, and by no note."""

_PASSING = re.compile(
    r"""
    \b(?:all\s+)?(?:the\s+)?(?:unit\s+)?(?:tests?|checks?|ci|build|lint(?:er)?|types?|type\s?check)\s+(?:suite\s+)?
      (?:(?:are|is|now|all|still|currently|finally)\s+)*
      (?:pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)?|successful|failing|failed?|fails|red|broken)\b
    | \b(?:built|compiled|deployed|installed|committed|pushed|merged|formatted|renamed|saved)\s+
      (?:successfully|the\s+changes?|everything)\b
    | \b(?:server|app|service)\s+is\s+(?:now\s+)?(?:running|up|started)\b
    | \b(?:file|function|test|branch|commit)\s+(?:was|has\s+been)\s+(?:created|updated|edited|added|renamed|deleted)\b
    | \bfixed\s+(?:a|the)\s+typo\b | \b(?:the\s+)?user\s+(?:said|asked|thanked|wants\s+to\s+continue|greeted)\b
    | (?:所有|全部)?测试(?:现在|已经|已|都|全部|全)*(?:通过|失败|变绿)
    | (?:构建|编译|部署|安装|提交)(?:已经|已)?(?:成功|完成)
    | \b(?:todos\s+)?(?:os\s+)?testes\s+(?:\w+\s+)?(?:passa(?:m|ram|ndo)|falha(?:m|ram|ndo))\b
    | \b(?:compilad[oa]|construíd[oa]|implantad[oa])\s+com\s+sucesso\b | \bbuild\s+(?:ok|passou|concluíd[oa])\b
    | \b(?:tous\s+)?(?:les\s+)?tests\s+(?:\w+\s+)?(?:passent|échouent|réussissent)\b
    | \b(?:compilé|construit|déployé)e?s?\s+(?:avec\s+succès|sans\s+erreur)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_THE_SESSION = re.compile(
    r"""
    \b(?:the\s+)?assistant\s+(?:has\s+)?\w+(?:ed|ade|ote|an)\b | \bby\s+the\s+assistant\b
    | \b(?:the\s+)?user\s+(?:ran|fixed|asked|said|thanked|wanted|wants\s+to|tried|opened|started)\b
    | 用户(?:说|要求|接着|继续|让|问|运行|打开) | 助手(?:已|添加|修改|完成|创建)
    | \b(?:o\s+)?assistente\s+(?:pode|adicionou|mudou|criou|fez|corrigiu)\b | \bpelo\s+assistente\b
    | \bo\s+usuário\s+(?:disse|pediu|agradeceu|rodou|quer\s+continuar)\b
    | \bl['’]assistant\s+a\s+\w+ | \bpar\s+l['’]assistant\b | \bl['’]utilisateur\s+(?:a\s+\w+|veut\s+continuer)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухһԁԛԝΑΒΕΗΙΚΜΝΟΡΤΥΧαικνορυ", "ABESIJKMHOPCTYXaesijopcyxhdqwABEHIKMNOPTYXaiknopu"
)
"""Cyrillic and Greek letters that look like Latin ones."""

_UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|(?<![^\\x00-\\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\\x00-\\x7f])"
)
_MOST_WORDS_BESIDE = 4
_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile("[\u3040-\u9fff\uac00-\ud7af]")


def visible(text: str) -> str:
    """The text without signs that nobody sees, which hide words and credentials; writing that needs them keeps them."""
    return _UNSEEN.sub("", text) if not text.isascii() else text


def speaks_to_a_model(text: str) -> bool:
    """Whether a text tries to steer whoever reads it, to free it from asking, or to close or forge one of our tags."""
    plain = _plain(text)
    return any(pattern.search(plain) for pattern in (_TO_A_MODEL, _FREES_A_MODEL))


def _plain(text: str) -> str:
    """The text as a model reads it: letters that only look like others, and signs that nobody sees, are no disguise."""
    folded = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf").translate(_LOOK_ALIKES)


def is_passing_state(summary: str) -> bool:
    """Whether a summary says little more than how things stand just now: tests that pass, a build that worked."""
    match = _PASSING.search(summary)
    if match is None:
        return False
    beside = summary[: match.start()] + " " + summary[match.end() :]
    return len(_WORD.findall(_WIDE.sub("", beside))) + len(_WIDE.findall(beside)) // 2 <= _MOST_WORDS_BESIDE


def tells_of_the_session(summary: str) -> bool:
    """Whether a summary tells what somebody did in the conversation, which its transcript tells better."""
    return _OF_THE_SESSION.search(summary) is not None
