"""Words of greetings, thanks, agreement and impatience, counts and spans of time; written by hand.

People say them to an assistant between any two things, so that a note that holds one is not meant.
"""

SMALL_TALK = {
    "en": """
afternoon again agree agreed alright amazing anyway apologies appreciate awesome bye cheers congrats cool day dear
eight eleven evening exactly excellent fantastic fifteen five folks four glad goodbye greetings guess hello hey hi hmm
hooray hour hours hundred hurry indeed lovely luck maybe minute minutes moment month months morning never nice night
nine nope one oops ouch perfect perhaps please pleasure probably ready really retry second seconds seven six sorry
sounds sure ten thank thanks thirty three today tomorrow tonight twelve twenty two weekend weeks welcome well wonderful
wow yeah year years yep yes yesterday
""",
    "fr": """
accord adieu allo an annee annees ans apres attends aujourd aurevoir avant bah beau belle bien bientot bise bof bon
bonjour bonne bonsoir bravo cent cinq cool coucou demain desole desolee deux dix douze encore enfin exact excellent
excuse excusez genial heure heures hier hop hui huit impeccable jour journee jours maintenant matin merci mince minute
minutes mois moment neuf nickel nuit ok ouais oui pardon parfait peut plait pret prete quatre quinze reessaie reessayer
reessayez retente salut seconde secondes semaine semaines sept six soir soiree super tant tard top toujours trente
trois vacances vingt vite voila volontiers week zut
""",
    "pt": """
abraco adeus agora alo amanha ano anos bacana beleza bem boa boas bom cem certeza certo cinco claro combinado depois
desculpa desculpe dez dia dias dois doze duas entao entendi exato excelente feliz feriado fim hoje hora horas isso
legal logo manha maravilha mes meses minuto minutos momento nao noite novamente nove obrigada obrigado oi oito ok ola
ontem opa otimo parabens perdao perfeito pois pro pronto quatro quinze saudacoes segundo segundos seis semana semanas
sete show sim sinto talvez tarde tava tchau tentar tente tres trinta valeu vamos vc vinte
""",
    "es": """
abrazo adios ahora amigo ano anoche anos ayer bien buenas bueno buenos chao cien cinco claro cuatro dia dias diez
disculpa disculpe doce dos entendido exacto excelente fin genial gracias hasta hola hora horas hoy jueves listo luego
manana mes meses minuto minutos momento noche noches nuevamente nueve ocho ok perdon perdona perfecto placer pronto
quince reintenta saludos segundo segundos seguro seis semana semanas si siento siete tarde tardes treinta tres vale
vamos veinte venga
""",
    "de": """
abend abermals acht alles bis bisschen bitte danke dankeschon doch drei dreissig elf entschuldige entschuldigung erneut
feierabend fein funf funfzehn genau gern gerne gestern gluck grusse gut gute guten hallo heute hey hundert ja jahr
jahre jahren jawohl jetzt klar klasse leider minute minuten moin moment monat monate morgen nacht naja nein neun ok
perfekt prima schade schonen schones sechs sekunde sekunden servus sicher sieben sofort spater stimmt stunde stunden
super tag tage tagen tschuss verzeihung vielen vielleicht vier warte wieder woche wochen wochenende wunderbar zehn
zwanzig zwei zwolf
""",
    "ru": """
ага благодарю будь вечер вечера вечером восемь вчера выходные год года давай два двадцать две девять день десять доброе
добрый еще завтра здорово здравствуй здравствуйте извини извините класс конечно круто ладно лет месяц месяца минут
минуту минуты может молодец наверное недели неделя нет ночи ночь ок отлично пожалуйста пока понял прекрасно привет
прости простите пять сегодня сейчас секунд секунды семь спасибо супер точно три утра утро хорошего хороший хорошо час
часа часов четыре шесть
""",
    "zh": """
你好 您好 大家 家好 早上 上好 早安 下午 午好 晚上 晚安 中午 上午 再见 拜拜 明天 今天 昨天 周末 末愉 愉快 谢谢 多谢 感谢
非常 抱歉 对不 不起 不好 好意 意思 没关 关系 辛苦 苦了 麻烦 烦你 太好 好了 好的 可以 不错 很好 棒极 厉害 行了 当然
没问 明白 知道 收到 了解 清楚 稍等 等下 等等 一会 会儿 快点 加油 再试 试一 试试 再来 来一 一次 随便 或许 也许 可能
""",
}
