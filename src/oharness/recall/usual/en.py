"""Usual words (en), made by scripts/make_usual_words.py; sources and licences in NOTICE."""

SHARES = {
    1.0: """
a i the to you
""",
    0.6: """
and in is it of that
""",
    0.36: """
all are be but do for have he just me my not on this was we what with your
""",
    0.216: """
about as at can get got how if know like one out she so they want will
""",
    0.1296: """
an been by come could did from go going gonna good had her here him his need no or our see some take tell
there think up were when where who why would
""",
    0.0778: """
am any back because even find give has into let little look love make more never now only over people really
right said say should something still their them then these time two us very
""",
    0.0467: """
after always anything before being believe better big call does doing down ever every feel first help keep
kind last leave long made man maybe much must new nothing off other put sure talk than thing things those
thought told too wanted way which
""",
    0.028: """
already another around ask away bad best both bring called came care coming day done enough everything few
found fucking getting gotta great guy guys hear heard hell hold home kill knew left life live looking looks
lot many may mean meet might most name next nice old own place pretty real remember same saw seen show since
someone stay stop such talking thank three through took try trying until use used wait wanna well went whole
without work years
""",
    0.0168: """
able actually afraid against almost also anyone asked behind between bit brought car change check comes couple
course cut dead each else end everyone exactly family far father five forget four friend fuck gave gets girl
guess happened happy hard hate having head hit hope house idea its killed knows least listen lost makes making
matter means men mind money mother move night nobody oh once open part pay play please probably quite read
ready run save saying says send set shall sit somebody son sorry start supposed taking telling thinking tried
turn under understand waiting wants watch whatever while wish woman working world wrong young yourself
""",
    0.0101: """
again along answer anybody asking baby beautiful become black blood body boy break brother business buy
calling cannot case catch chance clear close dad damn days deal death die died different door drink eat
everybody excuse eyes face feeling felt fight figure finally fire follow free friends front full given giving
glad goes gone half hand hands happen heart high hours human hurt important inside job kids known leaving
living looked lose loved met minutes miss mom myself needs number order perhaps person phone pick playing
point police power problem pull rather reason rest room running school second seeing seem seems sent shit
shoot shot shut side six sleep small sometimes soon sort sound sounds speak special stand started step story
stuff taken takes ten thanks throw till times today together tomorrow top touch trust turned walk water
welcome wife women word worked worry write year
""",
    0.006: """
absolutely across act air alone appreciate ass beat became bed bet blow book born bought boys broke carry
caught certain certainly changed child children city clean cold company completely control country cover crazy
dance daughter dear decided deep definitely dinner doctor dog dream drive drop during early easy eight either
enjoy entire especially evidence except expect explain eye fact fall feels fell fine finish fix food forgive
forgot fun game girls gives goddamn grab gun hair handle hang happens himself holding hot hour hundred husband
imagine information instead join kept kid killing kiss ladies lady late lead learn less lie light liked likes
line lived lives longer loves lucky married marry meant meeting middle miles million mine missed missing
moment months morning moved moving murder music named near needed news none office okay ones others outside
owe paid parents party pass past perfect personal picked picture piece plan poor possible promise protect
proud prove putting question ran realize red report return ride safe saved scared secret security sell sense
seven sex share ship sick sign single sister sitting somewhere speaking spend spent standing starting state
stick stopped straight strong stupid suppose sweet talked teach team terrible thinks though totally town
trouble true truth unless upon using wake war watching wear wearing week weeks whether white win within wonder
words works worried worth yes yet
""",
    0.0036: """
above accept access according acting admit afford age ago agree ahead alive allow allowed although amazing
american among anywhere army arrest art attack aware bag ball bank bear beg begin beginning believed beyond
bigger biggest birthday bitch blame bloody blue boat boss bother box brain breaking bringing broken build
building built bunch burn busy calls calm careful cause cell charge checked choose class clothes coffee
complete consider contact continue cool cops cost count court crime dangerous dare dark date de decide deserve
destroy difference difficult dirty discuss double doubt dress driving dropped drug due dying earth eating evil
extra fair fast fat favorite fear feed feet field fighting figured film final finding finished fish fit fly
flying following fool force form forward french fresh fucked funny further future gift glass gold gotten
government greatest green ground group grow hanging happening hardly heading held helped helping hide hiding
history hoping hospital hotel huge hurry ice interest interested interesting involved jump keeping keeps key
kick kidding king knowing land large later laughing law lay learned leaves letter letting list listening local
lock locked losing lots lovely luck lying mad magic main major marriage master medical mention mess message
military minute mouth movie nearly neither nor normal obviously offer often onto ought outta pain paper passed
paying peace plane planning played plenty position possibly present press pretend private promised public
pulled push questions quick quiet quit radio raise reach reading recognize record relationship remain respect
responsible rich rid ring risk road rock round search seemed sending serious serve several shooting short
showed shows simple simply sing situation sleeping slow smart smell sold song soul space spoke starts staying
steal stole strange street stuck suddenly sun support surprise swear system taste taught tells test third
thousand threw tired tonight tough towards track train treat trip truly turning turns uncle usually visit
voice walked walking waste wedding weird whoever whose willing wind won wonderful wondering worse worst
writing written wrote yeah yours
""",
    0.0022: """
account action add address agent agreed amount ancient angry animal animals apart apartment apologize
apparently appear appears area arm arms arrested arrived assume assure ate attacked attention avoid awful band
bar barely based battle beauty becomes becoming beer began belong belongs bird birth bite bless blew blind
board bodies bomb books borrow bottle bottom boyfriend brave bright brings british brothers bullet buried
burned burning bus buying camera capable captain card carried carrying cars cash cat caused checking chicken
chief chinese choice chose church claim clearly client closed closer club code college color comfortable
command committed common computer concerned considered conversation convince cook cop copy corner covered
create created credit crew criminal cross cry crying cup cute damage dancing dating dealing decision defend
deliver depends destroyed detective dig direct discovered dogs dollars draw dreams dressed drinking drove
drugs drunk dry dumb duty earlier easier emergency empty ended ends enemy energy enter escape evening exact
excellent excited expected expecting experience extremely failed faith fake falling famous fancy fault
feelings fellow female file fill filled finds fired flight floor focus folks followed foot forced foreign
forever forgotten former fought fully gas gay general german giant girlfriend god grand grew growing grown
guard guilty guns ha harm hated hates headed heads hearing heat heavy hello herself hey hidden higher hired
hole holy honest honor horrible horse hundreds impossible including innocent intend introduce invite invited
jail japanese judge kicked killer kinda knife knock knocked la laid laugh lawyer leading led leg legal legs
level lied lies lift lights likely low lower lunch machine male manage managed match matters meaning member
members memory mentioned mission mistake month moon murdered names national natural nature nervous nine north
nose note notice noticed nowhere numbers offered officer official oil ok older opened opening opportunity
ordered orders original otherwise ourselves pack paint pair park parking particular partner passing patient
per perfectly photo physical picking pictures pieces places planet plans plays pleased pleasure plus political
pop powerful practice pray prefer prepare prepared president pressure previously price prison problems proof
proper pulling puts queen quickly race rain raised reached realized received regret regular release remind
remove research returned riding rise river roll ruin ruined rule rules runs russian sad sat saving scare scene
science screaming screw screwed sea seat seconds sees selling seriously service settle sexual shake shame
shoes shop showing signed silly singing size skin sky slept smells smile smoke social soldiers solve somehow
south spare speed spending spirit split spot spread stage star staring stars states station stayed stealing
stolen stood store stories strength strike student study suggest suit summer super surely surprised survive
suspect table tape target tea teacher tear themselves thousands throwing tie tied tiny total touched training
travel treated tree truck twice type ugly upset victim video village vote waited wall warm warn wash watched
ways weapon weapons whenever wherever whom wild window wine witness woke ya yesterday
""",
    0.0013: """
abandoned ability accepted accident accused actual advantage advice agents alarm alien americans answers
anymore appointment approach argue armed arrange arranged arrive ashamed aside asks asleep assistant attempt
attend audience aunt available babies badly balls base basic basically bastard bathroom beach beating begging
believes bell below beneath beside besides betrayed bill billion birds bleeding blessed block blowing blown
bone bones boring bothering bound brains bread breakfast breaks breath breathe breathing bridge brilliant
brown bucks bullshit bury bust butt cameras camp cards career cares cases cast celebrate center chain chair
challenge chances changes changing character charges chase chasing cheap cheese chest chocolate chosen civil
cleaned cleaning cleared clever climb clock closing coat collect commit community complicated concern
condition conference confirm connected connection considering continues contract convinced cooking correct
corrected cos counting courage cousin crack crap crash cream creature crossed crowd crush cure curious current
cutting daddy damned danger data decent deeply defeat defense delivered demand deny department describe
deserves designed desire desk desperate despite details developed device devil dick directly director
disappeared distance divorce doctors doors dozen drag dragged drinks driver dropping dump dumped dust e earn
earned ears easily east eaten edge effect egg eggs emotional enemies engine english enjoyed enjoying entered
entirely escaped event eventually everywhere exchange exciting expensive expert extraordinary faces facing
fail fallen falls false familiar families fan farm faster fate favor fed federal fetch files financial finger
fingers firing firm fishing fixed flat flew flowers football forces forest fortune fourth freak freaking
freedom friendly fuel gain games gang gate gather gentleman gentlemen ghost gods golden goodbye grabbed
grateful grave greater guarantee guards guest guests hall handsome happiness harder hat health healthy hearts
heaven helps hero hi hid highest highly hire hits hitting holds hook hoped horses humans hung hungry hunt
hunting hurting hurts ideas identify idiot ignore illegal image immediately incredible incredibly indeed
indian inform insurance intelligence international interview invented investigation island issue italian
itself jealous jobs joined joining joke journey joy jumped jury justice keys kills kinds kissed kitchen
knowledge lab lack language latest launch leader leads learning lesson lets letters license lieutenant lines
lips literally load location lonely loose lord loss loud loving mama manager map mark market mass massive meal
meat medicine memories mental merely messed messing metal mighty mile milk millions mixed model modern moments
monster mood mostly mountain moves movies mystery nail naked nasty necessary neck nights noble noise normally
nuclear nurse obvious ocean odd offering officers officially opens operation opinion ordinary owner owns page
painting pants papers particularly parts path patients pays percent perform permission personally photos piss
pissed pity placed plain planned plant plastic points poison pool popular positive post potential pounds pour
powers practically precious pregnant presence pretending prevent pride prince process professional program
project property protecting provide punch pure purpose pushed pushing rare rat rate reality reasons receive
recent recently records refuse refused released remains remembered reminds rent repeat replace reported
reports represent request rescue responsibility restaurant result results returning revenge rights rip ripped
role romantic roof rough royal rush sacrifice safety sake scary score searching secrets section secure seek
senior separate sergeant serial series served setting sexy shape ships shirt shopping shots shouting shower
shown sight signal signs silver similar sir site slip slowly smoking sneak snow society soft soldier solid
someplace sons sooner sounded source spanish speaks specific speech spell spit spoken spring spy square staff
stands statement stays steps stock stomach stone stopping stops storm streets stronger struck students
studying subject success successful suck sudden suffer suffered suffering suicide supply surgery surveillance
swim swing switch sword systems talks tall task tax teaching tears technology teeth telephone tend terms
terribly text theory thou thoughts threat threatened throat throughout thrown thy ticket tickets tight tip
tongue touching tour toward trace tracking trade traffic trained transfer trapped treasure trees trial trick
tries troops trusted twenty uh unable understanding understood unit universe unlike unusual upstairs uses
usual valuable value van victims victory view violent visiting walks walls wanting warned warning wasting wave
weak weather weekend weight west wet wide winning winter wipe wise wishes wore wound wrap yelling yellow
younger
""",
    0.0008: """
bags cake charged claims comfort dude lend loyal plate prisoner recall religious season sends shock surrounded
toilet traveling useless version violence wire wondered
""",
}
"""The share of texts of fifty words that hold a word, for each word that is not rare."""
