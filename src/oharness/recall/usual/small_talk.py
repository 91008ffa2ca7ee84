"""Words of greetings, thanks, agreement and impatience; written by hand.

People say them to an assistant between any two things, so that a note that holds one is not meant.
"""

SMALL_TALK = {
    "en": """
afternoon again agree agreed alright amazing anyway apologies appreciate awesome bye cheers congrats cool day dear
evening excellent exactly fantastic folks glad goodbye greetings guess hello hey hi hmm hooray hurry indeed lovely
luck maybe moment morning never nice night nope oops ouch perfect perhaps please pleasure probably ready really
retry sorry sounds sure thank thanks today tomorrow tonight weekend welcome well wonderful wow yeah yep yes yesterday
""",
    "fr": """
accord adieu allo apres attends aujourd aurevoir avant bah beau belle bien bientot bise bof bon bonjour bonne bonsoir
bravo cool coucou demain desole desolee encore enfin exact excellent excuse excusez genial hier hop hui impeccable
journee jour maintenant matin merci mince moment nickel nuit ok oui ouais parfait peut plait pardon prete pret
reessaie reessayer reessayez retente salut semaine soir soiree super tant tard toujours top vacances vite voila
volontiers week zut
""",
    "pt": """
abraco adeus agora alo amanha bacana beleza bem boa boas bom certeza certo claro combinado depois desculpa desculpe
dia dias entendi entao exato excelente feliz feriado fim hoje isso legal logo maravilha manha momento nao noite obrigada
obrigado ok oi ola ontem opa otimo parabens perdao perfeito pois pronto saudacoes semana show sim sinto talvez tarde
tchau tente tentar valeu vamos novamente
""",
    "es": """
abrazo adios ahora amigo anoche ayer bien bueno buenas buenos chao claro disculpa disculpe dia dias entendido exacto
excelente fin genial gracias hasta hola hoy jueves listo luego manana momento noche noches nuevamente ok perdon perfecto
perdona placer pronto reintenta saludos seguro semana siento si tarde tardes vale vamos venga
""",
    "de": """
abend abermals alles bitte bis bisschen danke dankeschon doch entschuldige entschuldigung erneut fein feierabend
genau gern gerne gestern gluck grusse gut gute guten hallo hey heute ja jawohl jetzt klar klasse leider moin moment
morgen nacht naja nein ok perfekt prima schade schonen schones servus sicher sofort spater stimmt super tag tschuss
verzeihung vielen vielleicht warte wieder wochenende wunderbar
""",
    "ru": """
ага благодарю будь вечер вечера вечером вчера выходные давай день добрый доброе добрый еще завтра здорово здравствуй
здравствуйте извини извините класс конечно круто ладно минуту может молодец наверное нет ночь ночи ок отлично пожалуйста
пока понял привет прости простите прекрасно сегодня сейчас спасибо супер точно утро утра хорошего хорошо хороший
""",
    "zh": """
你好 您好 大家 家好 早上 上好 早安 下午 午好 晚上 晚安 中午 上午 再见 拜拜 明天 今天 昨天 周末 末愉 愉快 谢谢 多谢 感谢
非常 抱歉 对不 不起 不好 好意 意思 没关 关系 辛苦 苦了 麻烦 烦你 太好 好了 好的 可以 不错 很好 棒极 厉害 行了 当然
没问 明白 知道 收到 了解 清楚 稍等 等下 等等 一会 会儿 快点 加油 再试 试一 试试 再来 来一 一次 随便 或许 也许 可能
""",
}
