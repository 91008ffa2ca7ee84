"""Text that no note may hold: words meant for a model instead of a reader, and states that pass within the hour."""

import re

_TO_A_MODEL = re.compile(
    r"""
    </?(?:recalled-memory|memory-index|linked-notes|system|instructions?|tool_call)\b
    | <\|(?:im_start|im_end|system|user|assistant|endoftext)\|> | \[/?INST\] | <<SYS>>
    | ^\W*(?:system|developer|assistant)(?:\ prompt|\ message)?\s*[:：]
    | \b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,3}?
      (?:previous|prior|above|earlier|all|any|other|system|your)\s+(?:\w+\s+){0,2}?
      (?:instructions?|prompts?|rules?|guidelines?|messages?)\b
    | \byou\s+are\s+now\b | \bnew\s+instructions?\s*[:：]
    | \b(?:do\s+not|don't|never)\s+(?:tell|inform|mention\s+(?:this|it)\s+to|show)\s+(?:this\s+to\s+)?the\s+user\b
    | \b(?:curl|wget)\b[^\n]*\|\s*(?:ba|z)?sh\b | \brm\s+-rf\s+[~/]
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
_MOST_WORDS_BESIDE = 4
_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile("[\u3040-\u9fff\uac00-\ud7af]")


def speaks_to_a_model(text: str) -> bool:
    """Whether a text tries to steer whoever reads it, or to close or forge one of our tags."""
    return _TO_A_MODEL.search(text) is not None


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
