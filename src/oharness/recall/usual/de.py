"""Usual words (de), made by scripts/make_usual_words.py; sources and licences in NOTICE."""

SHARES = {
    1.0: """
ich
""",
    0.6: """
das der die du es in ist nicht sie und
""",
    0.36: """
auf dass den ein eine er fur hat mich mir mit sind so was wie wir zu
""",
    0.216: """
als an auch bin dem dich dir einen habe haben hast hier ihn ihr im noch nur sich um uns von war wenn
""",
    0.1296: """
aber alles aus bei bist da dann diese doch einem etwas hab hatte immer jetzt kann keine mal man mehr mein
meine muss nach nichts oder schon weiss werden wieder will wird wurde
""",
    0.0778: """
alle also am dein deine denn des einer einfach euch ganz geht gibt gut heute ihm ja kein konnen meinen mussen
nie sehr sein soll viel vor ware waren werde wo wollte zum
""",
    0.0467: """
anderen bis bitte damit deinen diesem diesen dieser dieses gar gehen gerade hatten ihre ins jemand kannst
keinen kommen kommt konnte lange machen macht meinem meiner mochte musst ob ohne paar sehen seine sollte tun
tut unsere vielleicht vom warum weil weisst wer willst wirklich wirst wissen wohl wollen zur
""",
    0.028: """
all andere beim besser bevor brauche brauchen davon deinem deiner dort drei durch eines einmal erst ganze
gegen genau glaube gleich gute habt ihnen ihren jeden komm konnten lass liebe mach machst morgen nun oh sagen
sagte sei seid seinen seiner seit selbst sicher sieht sollten sonst steht unser unter viele warst wegen wurden
zwei
""",
    0.0168: """
allein bald beide bisschen braucht dabei dachte dafur daran darauf darf dazu denen denke dies echt eigentlich
einzige erste ersten etwa eure fast finden gab ganzen geben geh gehe gehort genug gern gerne gesagt gestern
ging grosse guten guter halt hattest heisst hinter hor ihrem ihrer je jeder jemanden kam kenne kennen kleine
kleinen komme kurz lassen lasst letzte letzten liegt mache mag meinst musste nehme nehmen neue neuen niemand
passiert reden richtig sag sage sagt sah schnell sehe seinem siehst sofort sogar sollen solltest unseren
unserer verstehe wahrend wann weg weit weiter wenig wieso wusste zuruck zusammen
""",
    0.0101: """
ab allem allen alt alte alten alter anderes anders arbeiten aufs ausser bedeutet beiden bekommen bereits beste
besten bestimmt bleiben bleibt bloss brauchst bringe bringen bringt damals danke daruber darum denken denkst
direkt draussen durfen eben eigenen einige eins endlich fahren falls fand fertig finde fruh fruher fuhle funf
gebe gefallt gehst gemacht gesehen getan gewesen gib glauben grossen grosser halten hasse helfen horen hort i
irgendwas irgendwie irgendwo jede jedes kaum keiner kennst kleiner kleines klingt kommst konntest kriegen lang
langer lasse lauft leben lieber los manchmal meines nachste nachsten naturlich niemals oben oft raus sagst
scheint schwer sechs sieh solche sondern spat spater stehen stimmt suchen tot total toten tue tust unserem
unten verdammt vielen vier voll vollig wahrscheinlich warte warten welche wen wenigstens wollten wolltest
wurdest ziemlich
""",
    0.006: """
a ach alleine aller ans arbeite arbeitet bekommt bereit besonders bleib bring danach darfst dauert deines
deshalb deswegen drauf drin eher ehrlich eigene entschuldigen erinnere erzahlt essen euer fahre fahrt fallt
falsch findet frage fragen frei fuhlt fuhrt funktioniert furs ganzes gefunden gekommen genauso getotet glaubst
glucklich gross gutes halte haltst hart heisse her hierher hilft hin hinten hoch hoffe hol hole holen hore
ihres interessiert jedem jemals jemandem junge kamen kennt klar konnt langsam laufen lebt leicht leider
letzter letztes lieben liebt liess machte meisten mochten mochtest moglich mussten nachdem nachstes nahm
namens namlich neben nennen nennt nett neu neues niemanden nimm nimmt nochmal passt plotzlich recht rede
redest reicht rein richtige richtigen ruf rufe rufen ruhig runter schaffen schlecht schone schonen setzen
sitzen sitzt sobald solange sollst sowieso spielen spielt sprechen spricht stand standig stellen sterben stolz
suche tief tolle treffen trotzdem tu uberall unbedingt verdammte verdammten vergessen verlassen verloren
verruckt verstehen verstehst versuche versuchen versucht voller vorbei vorher wartet weitere wem weniger
werdet wichtig willkommen woher wohin wollt zehn zwischen
""",
    0.0036: """
absolut acht anderer arme bekam bekannt bekomme bekommst benutzt bessere besteht bisher bleibe bleibst bose
brachte brauch brauchte bringst dagegen dahin darin dasselbe de denk denkt deren dessen desto diesmal dran
druben dumm durfte echte egal eigenes erinnern erinnerst ernst erster erwartet erzahlen euren ewig fahr fallen
falsche falschen fanden fangen fangt fehlt fiel findest fliegen freue freut fuhlen fuhren gebracht gegeben
gehoren gemeinsam genommen getroffen gibst glaub glaubt gleiche gleichen grosses grosste halb halbe hangt
hasst heissen helfe hielt hilf holt horst horte indem irgendetwas irgendwann irgendwelche jedenfalls jungen
junger keinem klein kostet krank krieg kriege kriegst kriegt kummere lag langst laut lebe legen leid lief
liegen magst meinte mindestens miteinander mitten mogen musik nachts nah nahe naher nein neuer niemandem
nimmst obwohl offen pass passieren personlich pro redet retten rief ruft sagten sahen sauer schaffst schatze
schau schauen scheiss schicken schlafen schlechte schlimm schlimmer schneller schoner schones schreiben
schwore seht seien seines selber setzt sieben solchen sprach spreche starb stark steckt steh stehe stelle
stellt such sucht tat tatsachlich toll tote tragen tragt trifft trinken uberhaupt ungefahr unseres verdient
vergiss verletzt verlieren vermutlich verschwinden verspreche versuch vollkommen wahr wahre wart weder
weiteren welchem welcher welches wisst wohnt wovon wussten wutend zeigen zumindest zwar
""",
    0.0022: """
allerdings altes anfangen angerufen angetan anrufen anstatt arbeitest arbeitete arger armen aufhoren ausserdem
ausserhalb bat bauen begann beginnt behalten behandelt beinahe benutzen besorgt besseren bester bewegt
bezahlen bezahlt bitten blieb blode brechen bricht dadurch daher daraus davor definitiv dieselbe ding dorthin
drehen dreht dringend drinnen dritte dritten druber dumme durchs ebenso echten echter eh ehe einander einigen
einiges einzigen einziger einziges entfernt entschuldige entweder erfahren ergibt erinnert erklaren erklart
ermordet erreichen erschossen erstes erwarte erwarten erzahl erzahle erzahlte esse eurem eurer extra fahrst
fange fest fing fliegt folgen frag fragst fragt fragte frische froh fuhlst fuhlte fuhr furchtbar furchte gabe
gaben gearbeitet geb geboren gedacht gefahrlich gefallen gefangen gegangen gegenseitig gegenuber geliebt
gerettet gesamte geschehen geschickt geschrieben gesprochen gestohlen gestorben gesund gewinnen gewisse
geworden gilt gingen grossten halben hallo haltet handelt hangen harte hattet hau heiraten heiss herum hiess
hoffentlich hubsch hubsche innerhalb inzwischen irgendein irgendeine irgendjemand isst it jederzeit jedoch
jung kalt kampfen kannte kaufen komplett kummern kummert langen lautet leg lege legt lernen lesen lieb liebst
liebte links lustig machten manche mehrere meint melde menschliche morgens mude musstest nachher nehmt nenne
nette netter neulich neun nirgendwo normal notig nutzt offenbar offensichtlich okay passen per perfekt
perfekte plan rechten rechts reich richtiger riecht rote roten sagtest sass schaffe schafft schaut scheinen
schicke schickt schickte schien schiessen schlaft schlage schlagen schlagt schlechten schlechter schlechtes
schliessen schliesslich schlug schmeckt schrecklich schreibe schreibt schrieb schulde schuldig schwanger
schwarze schwarzen schwere schwierig seitdem selben setze singen sitze solch solltet sorge soweit spiele
spielst sprichst starker statt stecken stehst steigen stell stellte stets still stirbt stort suchst super
tanzen teilen tollen toller tolles totet traf trage traurig treffe trinke trug uber ubers ubrigens umbringen
umgebracht ums unglaublich unmoglich unterwegs verantwortlich verdammter verdammtes verheiratet verkaufen
verkauft verlasst verliebt vermisse vermisst verschiedene versteckt versteh versteht versuchte vertraue
vertrauen vorhin vorne vorsichtig wach wahren wartest weh weisse weissen weiterhin welchen werfen wert
wichtige wichtiger wirkt woanders wofur wohne wohnen woran worauf worden worum wozu wunsche wusstest zeig zieh
ziehen zieht zuerst zufallig zuvor zweimal zweite zweiten
""",
    0.0013: """
abends abgesehen allzu amerikanische amerikanischen anderem andern angeblich angefangen angegriffen
anscheinend armer atmet aufgrund aussehen aussen bedeuten beenden befinden befindet beginnen behalte bekamen
beruhige beruhigt beschaftigt beschutzen beschutzt besitzt besondere besonderen besorge besorgen besseres
bestimmte bestimmten besuchen betrunken bewegen beweisen bezahle biete bieten bietet blaue blauen blind blod
bloden bosen boser brach brachten brauchten brennt cool dachten dank dankbar danken dauernd dennoch denselben
derselben deutlich deutsche dicht dollar doppelt drucken dummen dunkel dunkle dunklen durft ebenfalls echtes
eigener eindeutig einfache einfacher einsam einst einzig enden endet entdeckt entfuhrt entscheiden entschieden
enttauscht erfolgreich erhalten erkenne erkennen erklare erlaubt erledigen erledigt erneut ernsthaft erreicht
erscheint erschiessen erwachsen erwischt erzahlst existiert extrem fahig fall fang fass fasse fehlen feiern
fern fick flehe fliege folge folgt fort freie freien freiwillig freuen freundlich frisch fuhre fuhrte
funktionieren gebaut gebeten gebt gefahren gefragt gegessen gehabt gehalten geheim geheime geheimen geholfen
gehore gehorst gehorte gekauft gelassen gelernt gelesen genannt geplant geredet gesamten geschafft geschah
geschieht geschlafen geschlagen gespielt gestellt gesucht getrennt gewinnt gewissen gewohnt gewonnen glaubte
gleichzeitig gott gottes grad grade greifen greift grossartig grossartige grossere grunen guck half hals
harter hassen hauen haut he heilige heiligen heimlich helft heraus herr herrscht herzlichen heutigen
heutzutage hiermit hilfst hinaus hinterlassen hochste hochstens hohe hohen hoher holst horten hubschen
hubsches hundert immerhin innen interessante interessieren irgend irgendeinem irgendeinen jagen kame kamst
kannten kaputt kaufe keinerlei klappt klug km knapp komisch konne konntet kurze kurzlich lachen lacht las last
lauter lebend lebendig lebst lebte leer leeren legte leichter leiden leisten lernt lernte lese liebsten lies
liessen liest linken losen lost m major meiste meistens melden menschlichen miss moge moglichen moglicherweise
momentan nackt nahmen nannte nennst nervos netten nettes normale normalen normaler normalerweise not nutzen
offiziell offne offnen passierte personliche personlichen plus praktisch rate rechte rechtzeitig reichen reine
reisen riesige riesigen rufst rum rund sauber schaff scharf schatzen schaue scheinst schick schief schiesst
schlafe schlafst schlag schlau schliesst schlimme schnappen schonste schreckliche schrecklichen schreien
schreit schuldest schwach schwarz schweren schwerer segne selten seltsam seltsame setzte sexy sicheren
sicherlich singt soeben solle sollt sorgen sorgt soviel spiel spielte sprachen sprich springt spure stammt
standen starke stecke steckst steig steigt stellst sterbe stimme stimmen streng suchte suss susse tage taglich
taten taucht tausend tests tiefer toter totete trafen tragst treibt treten trink trinkt tritt trotz ubernehmen
ubersetzt umso umsonst unschuldig unterhalten verandert verbringen verdiene verdienen verfolgen verfolgt
vergesse vergisst verhaftet verlange verlangt verlasse verliere verliert verliess verlor verpasst verraten
verruckte verruckten verschiedenen verschwinde verschwunden versichere verstecken versuchst vertraut
verursacht verzeihen vieles volle vorm vorn vorstellen wachst wahlen wahnsinnig warf warm warne weiterer
weiteres wenige wenigen weshalb wessen wette wichtigen wirft wirken womit wonach wunderbare wunderschone
wunschen wunschte wurdet zahle zahlen zahlt zeige zeigt zerstort ziehe zuletzt zwolf
""",
    0.0008: """
ausgerechnet behandeln beobachtet bezuglich dreh dreimal entwickelt gefiel gewusst kurzen nirgends reiten
seist starken stinkt verstanden wachsen
""",
}
"""The share of texts of fifty words that hold a word, for each word that is not rare."""
