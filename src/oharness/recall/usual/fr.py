"""Usual words (fr), made by scripts/make_usual_words.py; sources and licences in NOTICE."""

SHARES = {
    1.0: """
de
""",
    0.6: """
a est et je la le les ne on pas que tu un vous
""",
    0.36: """
ca ce dans des du en il me nous pour qui suis une
""",
    0.216: """
au avec comme faire fait mais mon ou plus se si sur te tout va veux y
""",
    0.1296: """
as avez bien cette dit elle es lui ma moi par peux quand quoi sais son sont ton vais votre
""",
    0.0778: """
ai alors aux avait avoir besoin ces chose comment crois deux dire dois doit encore etes fais faut ici ils
jamais juste leur meme mes non notre ont passe pense peu peut pourquoi quelque rien sa sans ta toi toujours
tous tres voir vraiment vu
""",
    0.0467: """
aller apres aussi autre avant avons beaucoup bon bonne cet chez deja demande depuis dis ete eu femme fois gens
monde nos parce parle parler pere petit prendre sera ses soit temps tes toute trop trouve vas veut vie viens
vois vos voulais
""",
    0.028: """
allez arrive assez aurait car cela choses connais contre devrais devrait donc donne elles entre etait etre
faites fille grand homme jour laisse laisser maintenant mal mere mettre mieux moins mort nom passer pendant
pensais personne petite peur pourrait pouvez prends pris pu quel quelques reste rester sait savez savoir sens
serait seul seule sommes sous tant toutes trois trouver truc tue venir vient vont voulez vrai
""",
    0.0168: """
aime allons ami ans arrete aucun aucune aura autres avais cause celui ceux chance chaque chercher combien
commence comprends compte corps cote coup croire croyais demander derniere devant devez dirait dites donner
dont droit enfants entendu essaye etaient facon famille fils fin font frere gars genre grande gros hein hommes
jeune jouer jours leurs maison marche meilleur mis moment ni nouveau nouvelle nuit oh oui part partie partir
penses perdu place plein plutot point police porte pourrais pouvoir premier premiere pres probleme propos puis
putain quelle question raison regarde sang savais semble serai seulement soir sois sortir tellement tete train
travail travaille tuer type venu vers vieux vite vivre voila voiture voulait
""",
    0.0101: """
affaire aider ait allait alle amis annees appele appeler appris arreter attends attention autant beau bebe
belle boulot bureau cas celle certains chambre change changer chef cherche cinq compris confiance connaissez
cours cru decide dehors demain dernier derriere devais devait devenir devoir devons devriez doivent doute dur
endroit enfant ensemble envie envoye essayer exactement faisait femmes fera ferai ferais ferme fete feu filles
film fini force fous gagne garcon garde garder guerre h heure heures hier histoire hors idee ira joue lieu
loin longtemps main mains maman mange manger manque mari mauvais meilleure merci mets mois monsieur montre
montrer mot mourir moyen numero oublie papa parents parles parti payer pays peine penser pensez perdre
personnes petits peuvent plait plan pouvais pouvait prefere prend presque pret propre puisse quatre quitte
rapport regarder rencontre rendre rentre rentrer retrouve reviens salle sauver securite semaine serais seras
seront six sors sort sorte souviens sujet super suppose sure surement telephone tiens tire tombe touche
travailler trucs vaut venez veulent ville voici voit vole voudrais voulu voyez vue yeux
""",
    0.006: """
achete acheter affaires agent ah aide aimes ainsi amene amie and appel appelle apporte arme armes arretez
arriver attend attendez attendre aurais aurez autour avaient aviez balle bas battre bientot boire bois boite
bonnes bons bordel bouge bout bras cache cadeau cafe capable capitaine carte ceci cense certain certaines
chemin cheveux chien choisi choix coeur commencer completement comprendre connait connaitre connu content
continue continuer controle couche coupe courant croit croyez cul derange desole dessus deteste devenu devient
dieu difficile diner dirai dirais disais disait disent dix docteur dollars dormir drole enfin ensuite entendre
entrer essaie eux face facile faisais faisons fallait fasse faudra ferait finir fond forme fort fou frappe fut
gagner gentil grace grands grosse groupe haut heureux important importe impossible jeter jeu jeunes journee
juge jure laissez laquelle ligne lire liste lit livre long lu maniere mariage matin mauvaise message met
meurtre milieu millions minutes mise mission moitie monte monter morte morts mots musique nouvelles nulle
parait parfois parie parlez pars pauvre paye photo photos piece pire plaisir pleine plupart plusieurs porter
pose poser possible poste pourra pourriez pouvons prenez presente prete prison prix probablement problemes
prochaine promis proteger questions quitter rappelle recherche recu refuse regardez rencontrer rend ressemble
retour retourne retourner retrouver reussi reve revenir revoir risque roi route sac sale sauf sauve savait
savent scene secret sent sentir serez sert service signe signifie simple simplement situation soin soiree
sorti souvent soyez su suffit suite suivre surtout systeme tard tas tel tenir terre tient tirer tomber tot
tour tourne travers trouves tueur utilise utiliser venue verite verre vieille viennent visage vit voix vouloir
voyage voyons vraie
""",
    0.0036: """
absolument accepte accident afin agents aimez allee amour amoureux an annee apprendre argent arrivee arrives
assis attaque auras auriez avions avis avocat baiser bande bar base bateau bizarre blague blesse bombe bonjour
bord bosse bouche bougez bruit bu but cacher calme camp cartes casse centre certaine cerveau chacun chanson
charge chasse chaud cher cheval choisir cible ciel clair classe cle client club code coin colere combat
commande compagnie comprenez compter con concerne conduire conseil contact contente copine coucher couper
coups court coute cree creer crime crise cuisine dame danger danse debout debut decision decouvert decouvrir
demandais depend dernieres derniers descendre desolee detruire deuxieme devrions diable directeur dirige
discuter dise disons disparu dos dossier double drogue durant dure ecoute ecrit emmene enleve envers environ
envoie envoyer erreur espece esprit etant etiez etions failli faisant faite faits falloir faudrait faute faux
fermer fiche fier file folle forces foutre foutu freres froid gamin garcons general genial gouvernement
grandes grave gueule heros heureuse honte huit idiot incroyable inquietez interet invite jete joli jolie
journal lache laisserai laisses lance lequel lettre liberte libre lien lieutenant livres loi longue lors
lorsque lumiere machine madame magasin maitre malade marcher marie marque match medecin meilleurs membre
membres memes menace mene merite mesdames mille million minute moindre neuf nez niveau noir nombre nourriture
nouveaux nouvel oblige obtenir occupe offre oncle ordres oublier ouvert ouvre ouvrir paie paix pardon parfait
parlais parlait parlons parmi partez partout passes patron peau pensait pensent perds permis petites peuple
pied pieds planete pleure portes position pote pourrai pourraient pourras pourrez pourtant pousse prendra
prepare preparer presence presenter president presse prets preuve preuves prevu prie prise prochain proche
professeur programme projet promets propose propres prouver public quartier quelles quels raconte ramene
ramener rappeler rate realise recuperer regle regler regles rejoindre relation remarque remettre rends rendu
repondre reponse reprendre responsable restes restez retard reunion revenu revient robe role rouge rue sache
sacre salut saura saute sauter savons seconde secours selon semaines sept serieux serons servir seuls silence
sinon societe soeur soient soldats soleil sortie souhaite souvenir stupide suivi surprise table telle temoin
tente termine test totalement toucher tourner traite triste troisieme trou types vaisseau vecu venait vendre
venus verifie verifier verra vetements victime video vieil vin vis visite vivant voie vol voler voudrait
vouliez voulons zone
""",
    0.0022: """
abandonne accepter acces accord accuse acte adore adresse age agir aies aille aimait aiment aimer aimerait air
allais alles amener amoureuse ancien animaux anniversaire annonce appartement appartient appelee appelez
apporter armee arranger arriere arrivent arrivera article assure atteint attendant attendu attrape attraper
aupres auraient aurons auront avance avion ayant ayez bain bal balles banque bat bataille batiment battu
beaute beaux bel belles bete bienvenue biere billets blanc bleu bonheur bouger bouteille brise brule bus
camera cameras camion campagne carriere casser celebre celles censee cent centaines certainement cesse chair
champ chances changement chante chanter chapeau chat chaussures cherches cherchez chere cherie chiens chier
clairement cles clients coffre coince colle colonel commandant commis comportement comprend comptes concernant
conduit connaissais connaissait conneries conscience considere construire construit contrat controler
convaincre conversation copain costume cotes couleur coupable couple cour courage courir course cousin couteau
couverture crains crie croient dangereux danser date debarrasser decider declare dedans defendre defense
degage dejeuner demandes demandez dents depart depasse descends destin details detruit devenue deviens devra
devraient difference different dingue dira direct directement direction disant discours disiez doigt doigts
dommage don donnees donnera donnerai donnes donnez dormi dors dort dossiers douleur droite droits ecouter
effet egalement emmener empecher empreintes enceinte engage enlever enquete entends entier equipe essayez etat
etrange eviter excellent exemple existe experience explique expliquer faible faim fallu familles fausse
fenetre feras ferez feriez feront fiere fil films finalement finit fleurs flingue foi fonctionne forcement
forte frais frapper futur gardes gateau gauche gaz gene gerer glace gosse gosses gout grandi habite hate haute
histoires honnete honneur horrible humain humains idees ignore images immediatement implique importante
informations instant interdit interesse invente jambe jambes jette jeux job joie joindre joues justement
justice km laissee lait lancer langue lettres leve lever liberer lie lis lune lycee magie magnifique maladie
malgre mariee marier marre mauvaises mechant meilleures memoire mener mens menti mer merveilleux mesure metres
mettez meurs meurt mien milliers mode moments monstre morceau moyens mur nature nettoyer nombreux nomme noms
normal note nul obtenu oeil offert officier offrir operation ordre organise page pain papier papiers paquet
pareil parfaitement parlant parlent parlera parole partage partager partenaire partis passage passait passee
passent passera patient patients pauvres peche perd periode permet permettre personnel perte pieces piege
pierre pilote piste pitie plans plante pleurer poids pointe points poisson politique pont portable portait
possede poulet pourrions pousser pouviez pouvoirs premiers prendrai prenne prennent prenons present pression
prevenir prince princesse proces procureur produit profiter proprietaire protege prouve puisque puissance
quant queue raconter racontes radio raisons rapide rappelles rapporte rapports ravi realite recevoir
recherches reconnais recupere reellement regard regardes regrette reine relations remercie remercier remonte
remonter rempli rencontres rentres reparer repas repete repond reponds repondu represente reserve resoudre
respect respecte ressens restaurant restera resultats retire retirer reveille reves reviendra riche rire
risques roule sacree salaud sante saviez second secondes secrets seigneur semblait semblant sentais sentez
senti sentiment sentiments seraient sergent serie serieusement seriez sers servi services sexe sexy sherif
siege signal signer site sol soldat solution sonne sortez source sourire souvenez souvenirs soyons special
spectacle station stop style suggere suit supporte supporter surpris surveiller suspect sympa tache taille
tante tape taxi tele tenter tenu terme terrain terrible the tirez titre toilettes toit tombee tort touchez
trace traces traduction traitement traiter tranquille transforme travaillait travailles travaillez traverse
traverser trompe trouvee trouvera trouverai trouvez tuee tues uniquement vacances valeur venais venant vendu
vent veritable verrai version viande victimes victoire vide viendra vienne vies village vire virus vision
vitesse vive vivent voient voitures volonte vote voulaient voyais vrais vus
""",
    0.0013: """
abandonner action actions adieu affronter agreable aient ailleurs allaient alliez allo americain amies analyse
ancienne anciens ange anglais animal annule appareil apparemment appels apprecie apprend approche arbre arbres
arrange arret arretes assassine assise assurer attache attaquer attaques atteindre attendent attendons attire
attirer autorise autorites avenir aveugle avocats bague baisse baisser balance ballon barre bebes beurre
billet blanche blesser blessure blessures bloc bloque boit boites bombes bosser bouffe boule boutique bouton
branche brave bravo briser bruler cabinet caches cadavre cadeaux cage caisse cancer canon capacite carrement
causer cellule cellules censes cents cercle ceremonie chaine chaise chaleur champagne champion changera
chansons charges chasser chateau chauffeur chefs chemise cheque cherchais cherchait cherchent cheri chers
chevaux chiffres choc chocolat choisis chute cinema cite cloche collegues combattre comite commander
commencent commences commencons communaute complique comptez comte concentrer concert concours condamne
condition conditions conduis conduite conference confie confirme connaissance connaissent conseille conseiller
conseils contacte contacter contient continuez contraire convaincu copie corde correspond cou coule courses
couvert couvrir craint crane creature creatures credit creme cretin creve crier crimes criminel croise croyait
davantage decisions declaration decouvre degagez demi demon departement depense deplace deplacer depose
deposer descend descendu desir desire desormais dessous detective devaient devenus deviennent deviez devine
devras devrez dieux differentes differents digne dimanche diplome diras diriger discussion discute disparaitre
dispute disque distance divorce do documents donnait donnent douce doucement douche doue doux drogues durer
eau echange ecole ecoutez ecrire effets eleves embrasse empeche emploi employes endroits enfer enferme ennemi
ennemis ennuis enregistre entend entendez enterre entiere entierement entraine entree entreprise entrez
envoyee episode epouse espere esperons espoir esprits essaies essayait essayant essayons etais etoiles etres
etudes etudiants evenements evident exact examen excellente excuse excuses expert explose exploser extremement
fabrique fache facilement faisaient fan fantome fasses fatigue faveur felicitations fer ferons fesses feter
feux fiancee figure filer finira finis fleur flotte folie fonce fonds for forcer foret formidable fortune
fouille fouiller foule foutez foutue foyer francais fromage frontiere fruits fuir fuite fume fumee fumer
furent fusil gache gacher gaffe gamins gang gardez gardien gare genie genoux gentille gere geste gloire gorge
gouverneur grosses haine hais hasard hopital hotel humaine identifie image imagine imaginer imbecile incapable
indique inquiet inspecteur intelligent interessant inutile invites irait jardin jolies jouait jouent joueur
jouez journaliste journaux joyeux juger jury jus jusque kilometres l lac lacher laissent laissera laissons
lapin larmes lave laver lecon levres liaison libere liens lieux lignes limite liquide livrer lois loue
lumieres lunettes lutte machines maintenir maire maisons major malin mandat manges manquer manteau marchera
maries marques marrant masque materiel matiere medecins medicaments melange mele mensonge mensonges ment
mentionne mentir merites messages messieurs metier mette mettent mettra meurent meurtres meurtrier mienne
mignon militaire milliards mine ministre miracle modele montagne moque morceaux moteur mouvement murs
naissance navire necessaire nee neige no noble noire nombreuses nord notes nourrir nuits numeros objet objets
obligee occasion occupee occuper odeur officiellement officiers oiseau oiseaux or ordinateur ordonne oreilles
os ours ouverte ouvrez paire panique pantalon paradis paraitre parc parfaite parlerai paroles particulier
particulierement parties partons passez passons pause peinture pensee pensees pensiez pensons perdez perdue
permission personnage pete phase physique pile pique pires pis pistolet places plage plainte plaisante
plaisantes plaque plat pluie poche poissons policier policiers portee possibilite pot potes poupee pourrons
pourront poursuivre pouvaient pratique pratiquement precedemment prefererais preferes premieres prenait
prendrais prenom pretre prevenu principal prises prisonnier prisonniers prive privee procedure proches
produits profil profite profond projets promesse proposition propriete protection provoque pub puissant
puisses pure putains qualite quiconque race rapidement rappelez rare rater ravie rayon reaction realiser
recemment recois recoit recommence recompense reconnaitre reconnu reculez reduire reel refaire reflechi
reflechir regardais regardant region rejoint releve remet remets remis remise remplace remplacer remplir
rendent rendez rentree renvoyer repere repeter reponses repose reposer repris reputation reseau respecter
respire responsabilite ressemblait ressenti restait restee restent restons resultat retenir retraite reussir
reveiller revele revenez revenue reviendrai riches ridicule risquer riviere rompu rose royaume rues ruine
rythme sachant saches sacs sage saison salaire sales salon samedi sandwich sauce saurais savaient science
scientifique seance secretaire secteur section sein seins semblent semblerait semblez senateur sentait serre
servent seules signale signes singe soigner soins sombre somme sommeil sorciere sortait sortent sortes sortira
sortis souci soucie soucis souffle souffre souffrir soupe souris soutien speciale sport star studio subi subir
succes sucre sud suffisamment suicide suivant superbe supplie surface surs survecu surveillance surveille
survivre systemes tableau taire talent taper tapis tasse taux technique technologie telles tels temoins
temperature tempete tenait tendance tenez tension tentative tenue terminer terres tests tetes theatre theorie
tienne tir tombes top tournee trafic traine trainer transformer travaillais travaillent travaux tresor
tribunal troupes trous trouvais trouvait trouvent trouveras trouverez unique unite uns utile vache vaisseaux
valait vehicule veille vend vendredi vends venger venons vente ventre verras verres verrez vert veste veuillez
vieilles viendrai vingt viole violence virer visiter vivait voies voisins voleur voudra voyait voyant
""",
    0.0008: """
associe cardiaque casier commun demandent direz guide inquiete laissant organiser passerai rat rentrez repare
restant saurai sommet suivez voyager vraies
""",
}
"""The share of texts of fifty words that hold a word, for each word that is not rare."""
