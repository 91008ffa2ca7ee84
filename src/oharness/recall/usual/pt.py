"""Usual words (pt), made by scripts/make_usual_words.py; sources and licences in NOTICE."""

SHARES = {
    1.0: """
a de e o que
""",
    0.6: """
nao para um uma
""",
    0.36: """
as com da do em esta eu no os por se
""",
    0.216: """
ao como ele mais mas me meu minha muito na ser te tem
""",
    0.1296: """
aqui dos ela eles era estas estava este estou fazer foi ha isso ja nos ou quando seu so sua tenho tens ter teu
tua tudo vai vou
""",
    0.0778: """
ainda alguma ate bem coisa das disse dizer estao estar falar ficar ir isto la lhe melhor mesmo nada nunca onde
pode porque posso quem quer queres quero sao sei sem sobre sou tao temos tinha todos tu vamos ver voce
""",
    0.0467: """
acho agora algo alguem antes aos apenas assim bom casa coisas dar depois dia dois es essa esse estamos faz
grande homem mae meus nas nem nossa nosso num numa outra pai pela pelo pessoas podemos podes pouco preciso
qual qualquer sabe seja sempre seus tambem tempo tentar tipo toda vais vao vez vida
""",
    0.028: """
ai algum anos aquele boa ca certeza consigo contra deixar dele deve devia dinheiro diz duas durante encontrar
entao entre estes fez filho fora foram forma fosse homens ia lado lugar menos mim minhas mulher mundo neste
ninguem noite nome outro parece parte pensar podem podia pois primeira quanto queria saber sabes sabia sair
sera sido suas tal talvez tenha teus todas todo trabalho tres uns vem voces volta voltar
""",
    0.0168: """
achas aconteceu algumas alguns ali amigo amor aquela aquilo atras buscar cabeca cada carro caso causa chegar
cidade cima cinco comecar conta daqui dela dentro desde desta deste dias dificil enquanto entrar eram espera
estavam faco familia feito fica fiz for fui gente gosto havia historia hoje hora horas ideia levar maior mal
maneira matar medo meio merda mesma morte muita muitas nenhum nesta nossas nossos novo numero outros ouvir
pais passa passar pedir pensei perto pessoa poder possa precisa primeiro problema procura quase querem raio
realmente sequer seria significa somos tanto teria teve ti tirar tive tivesse tomar trabalhar tuas umas usar
va verdade vezes vi vir viver vos vossa vosso
""",
    0.0101: """
acabar acabou acha acontecer acordo acreditar acredito agente ajuda ajudar altura amigos anda andar ano
apanhar aqueles arma arranjar bastante caminho capaz cara chamar claro comer comigo comprar consegue consegues
conseguir contar contigo continua continuar coracao corpo correr culpa deixa deles demasiado descobrir deu
devem deves devias devo disseste disso dolares dormir embora equipa esperar espero essas esses estado estavas
esteja esteve estive estiver existe faca facas fala falta favor fazem fazes feliz festa ficou filha fim
fizeste foste frente ganhar gosta guerra haver importante ira iria irmao jogo lhes ligar local logo longe
manter mao maos marido matou mau mil milhoes minutos momento morrer mudar muitos mulheres nenhuma nova olha
olhar olhos ontem outras ouvi pagar palavra parar partir passou pelas pelos pena pensa penso pequena pequeno
perder plano poderia policia ponto porta prazer precisamos precisar precisas problemas propria proprio proxima
quarto quatro queremos querer questao quis rapariga rapaz razao relacao resto sabem sabemos sai sala salvar
sangue seguir seguranca seis semana senhor sentir si sinto sistema sitio sob sorte suficiente tarde tenhas
teres tinham tinhas tipos tratar ultima unica ve veio vejo velho visto viu
""",
    0.006: """
abrir acerca acontece agua alem amanha ambos amiga apos aprender aquelas ar armas assassino ataque atraves
aviao avo baixo base bebe beber bela boas bocado bons brincar cabelo cabo cair caixa cama campo cao carta
casamento cena cerca certa certo chama chamada chamado chefe chega chegou cheio colocar comeca comecou comida
completamente confiar conhece conhecer conheces conheco consegui conseguimos conseguiu contacto conversa
crianca criancas criar daquela daquele debaixo decisao deixou desculpa dessa desse devemos deveria deviamos
dez diga digas digo direito disto dito dizem dizes elas encontrei encontro encontrou energia eras escola
escrever especie espere esposa estara estaria estavamos estivesse estranho facil facto falou faria fazemos
fazia fico filhos filme final finalmente fique fiquei fizeram fogo fomos forca forte fundo futuro gajo gostar
gostaria gostas gostava gracas grandes grupo hipotese houve ias importa informacao interessa irma jantar jogar
jovem juntos ler leva levou lidar linha lista livro loja lutar luz ma maioria mandar manha medico melhores
mensagem meses metade missao miuda miudo miudos modo morreu morto mostrar musica naquela naquele nave negocio
nessa nesse noticias obrigado olho oportunidade palavras parecer pareces passado pe pensas pergunta perguntar
pessoal pior podera possivel povo precisam preso prestes prisao procurar programa pronto proteger prova provas
provavelmente proximo pudesse quantas raios rapazes receber resolver resposta reuniao roubar saiu saudades
segunda segundo seguro sejas semanas senhora sentido serao seres sete sexo sim simplesmente sinal situacao
suposto tanta telefone tenham tentou tera termos terra tinhamos tio tivemos tiver tiveste tocar trabalha tras
trato trazer trouxe vale vender verdadeiro viagem vim vindo vista viste vive vossas vossos voz
""",
    0.0036: """
abaixo abre acaba acabei aceitar acesso acham achar achei acidente acima acredita adoro advogado agentes agir
alma alta alto alvo andado andam andas andava animais antigo aonde aparecer apartamento apesar assunto atencao
atirar bala banco banho bar barco bater belo boca bola bomba bonita breve buraco cafe calhar camara carne
carros cartao casar cavalo cedo centro cerebro chave cheguei cheia cheiro cliente codigo comboio comecei
companhia conheci conhecido conseguem conseguia construir contente controlar controlo conversar cor correu
cortar costumava creio crime cuidado cuidar dado dados daqueles dei deixado deixe deixei deixes demais demorar
depressa dera desejo dessas desses destas destes destino destruir deviam devido diabo diabos diferenca
diferente diria discutir disseram dizia dono dor dou dum duma emprego empresa encontrado encontramos enorme
entra entrada entregar entrou enviar errado erro escolha escolher esconder escritorio espaco especial
esperanca espirito esquecer estacao estarei estejas estiveste estrada evitar excelente exercito existem
experiencia explicar facam falamos falei falo fara fato fazendo fechar ficam ficamos ficara ficas fiques
fizemos forcas fossem fosses foto fotos fugir gostam governo guarda haja havera historias honra hospital hotel
iam idade idiota ido igual informacoes inicio investigacao irao irei jeito junto lamento lei lembrar lembro
leve liberdade ligacao limpar linda livre livros longa longo luta maldito mandou maquina meia menina mente mes
mesa meter metros milhao milhares monte mortos motivo namorada namorado negocios nisso nivel nomes novas novos
oficial oh oito operacao ordem ordens ouviste ouviu papel par parecem parecia passei passo paz peca peco pedi
pedido pediu pegar pele pensam pensava perceber percebi percebo perdeu perdi perguntas pes planeta planos
pobre podiamos podias poe policias porra posicao possamos precisava preco preocupado preparar presente
presidente professor provar quais quantos quao queira querias quiser quiseres raparigas rapido recuperar
regras rei relatorio respeito responder responsavel risco roupa rua sabias saco saia saiba segredo sejam senao
sendo sente sentes senti serei serem serie servico simples sinais sol soldados sonho soube sozinho subir
suspeito tamanho tantas telemovel tempos tenta tentei terei terem teremos terminar teste tido tira tiro
tiveram tivesses toca tornar totalmente trata traz ultimo ultimos unico usa valor varias varios vas velha
velhos venha vens verdadeira verificar ves vestido vidas vieram viram vitima vivo volto voltou vontade zona
""",
    0.0022: """
abra absolutamente acabado acabamos acabaste acaso achou acordar acreditas admitir adora agradecer aguentar
algures ama ameaca americanos amo ando anel animal aniversario antiga apaixonado apanhado apanhou aparece
apareceu apoio aposto aprendi apresentar area arranjaste arriscar arte artigo arvore assinar assistente
assumir assuntos atacar atravessar aula aulas aumentar autocarro autorizacao baixa banda bando batalha bebida
bilhete bonito braco bracos branco busca cabra cabrao caca cadeira caes caiu cala calcas calor camaras camiao
cancao cantar capacidade capitao carregar carreira carrinha cartas casaco casas casos causar cem centenas
certamente cerveja ceu cha chamadas chamam chame chao chaves chegamos cheira chorar clientes clube colega
colegas comando combate come comecamos comecaram comeco cometer comportamento computador conduzir confia
confianca confio conhecia conhecimento connosco conseguiste conselho consiga contas continuam continuas
continuo contou contrario contrato convencer copo coragem corpos corre corrida corte costas crescer crimes cu
cumprir custa dai danca dancar dao daquelas daquilo data dava decidi decidir decidiu dedo dedos defesa deitar
deixam deixaste deixem delas dentes departamento depende der deram descer descobri descobriu desistir deuses
deva dever diante diferentes direitos disparar disposto disser distancia doce doenca doente droga drogas duro
duvida edificio efeito encontra encontraram encontraste enfrentar ensinar entender entendo enviou equipamento
escapar escreveu escrito espada especialmente esperava esquecas estarao estaremos estares estejam estilo
estiverem estiveres estivesses estragar estranha estrela estrelas estudar estupido exame exatamente explica
extremamente falam falando falas falaste fale fales familias farei farto fazeres fe feita felizes ferias
ficado ficaram ficares ficaria ficaste ficava filmes fingir fiquem fizer fizesse flores fonte forem fores
fotografia fotografias frio fuga fumar funciona gabinete gajos ganha ganhou garantir garrafa gato gelo golpe
gostei gozar gritar guardar guardas haveria heroi hipoteses homicidio horrivel houver humano humanos ideias
igreja ilha imagem imagens imaginar imenso impedir impossivel impressao impressoes incluindo incrivel inimigo
inimigos inteira inteiro inteligente intencao interessado interesse interior investigar iras iremos ires
irmaos irmos jamais janela jogos jovens juiz julgamento juntar juro km laboratorio larga lavar lembra levado
levantar levaram levo li libertar licenca lider liga ligado ligou lindo lingua lixo locais localizacao louco
lua lugares luzes magia magoar maiores mala maldita mama manda mandado mantem mar marca marcas mata mataram
mataste matei material maximo medicos medida membro membros memoria menino menor mentir mercado merece mestre
mexer minuto miudas momentos monstro morreram morta mostra movimento muda mudanca mudou nariz natureza navio
necessario necessidade negro nestas nestes nisto noites normal norte notas noticia noutra noutro novamente
nove numeros obrigada obter odeio oferecer oferta ola olhe opiniao orgulho orgulhoso ouro ouve ouvido paciente
paga pago papa parecido parede parque partes partilhar passamos passaram pecas pedaco pede pedra peixe pensado
pensamos pensaste pense penses pensou pequenas pequenos perante perda perdemos perdeste perdido perfeitamente
perfeito perigo perigoso permitir perna pernas pertence pescoco peso piada pista planear poderes podiam
politica ponha pontos porcaria portanto portas pos possam possas possibilidade posto poucos praticamente
prefiro prender preocupada preocupar preocupes preparado presa presenca presos pressao preto primeiros primo
principal processo pronta prontos proprias propriedade proprios proximos publico pude puder quantidade queiras
quente queriam querida querido quisesse rabo radio rainha razoes real realidade recebeu recebi receio rede
registo registos regressar relacoes relogio repente responsabilidade resta restaurante resultado resultados
rio rosto roubou roupas ruas sacana saiam saibas saida saltar sapatos segredos segundos segura senhoras
sensacao sentado sentimentos seras serio sermos serve servir sobreviver soldado som sonhos soubesse sozinha
sucesso suficientemente sul super surpresa tantos tecnologia televisao tempestade tendo tenhamos tentando
tentativa tento teoria terao teras terceira terceiro terrivel testemunha testes tia tire tirou tiveres
tivessem to toma topo toque torna tornou total trabalhava trabalhos tratamento treino tribunal triste troca
trocar trouxeste unidade usado usam uso usou veja vejam velocidade vemos venham venhas venho vento vergonha
versao via viajar video viemos vieste vimos vinha vinho vinte vira virar vires virus visao visita visitar
vitimas viva vivem voar voltamos voltas volte voltei voo
""",
    0.0013: """
abandonar aberta aberto abriu acabaram acabo acampamento aceita aceito acertar achamos achava aconteca
acontecido acreditam acredite acusacao acusacoes acusado adeus adorar adorava advogados aeroporto afastar
afinal agencia agradavel agradeco aguento ajude ajudou alarme alcance aldeia alegria alemaes alerta alimentar
almas almoco altamente alterar alunos amante amar ambas ambiente americano amigas amizade amostra analisar
analise andamos andei andou anjo ansioso antigos anuncio apagar apaixonada apanha apanhei apontar apostar
aproveitar armario arrancar arranja arranjou arrumar arvores assalto assassinato assassinos assistir ataques
atender atingido atingir atirador atirou atitude atrasado audiencia autoridade autoridades avancar avioes
avisar aviso azul baile bairro baixar balas barulho basta batatas bate bateu bebes bebidas beijar beijo beira
beleza bilhetes bocadinho bolas boleia bolo bolsa bombas bordo botao branca brancos brilhante bruxa cabecas
cacar cadeia cai caixas calma camisa campanha campeao campos canal cancelar cancro cansado canto capazes caras
carga cargo caro cartoes casado casal castelo causou cavalos cela celulas cenas central certas chamamos chamas
chamo chamou chance chapeu chateado chegada chegado chegam chegaram chegarmos chegaste chegue cheirar cheque
chocolate choque chuva cidadaos cidades ciencia cinema cirurgia claramente classe cobrir cofre colocou
comandante combater comecam cometeu comeu completa completo compra compras compreender compreendo comprei
comprou comum comunicacao comunidade condenado condicoes conferencia confirmar confusao conhecem conhecemos
conheceu conjunto consciencia conseguido conseguiram conseguires conseguirmos considerado considerar contactar
contaste contei contem continuamos continue continuem conto contratar controle convidado convidados convidar
copia corda corredor corrente costa costuma cozinha credito crer criado criatura criaturas criminoso
criminosos criou crise culpado cura curso dada damos danos daria decisoes declaracao defender definitivamente
deixamos deixaram deixares deixas deixo demonio demora deposito des desaparecer desapareceu descansar
descobrimos desculpas deseja desligar desperdicar destruicao detalhes detras deus devera deveriamos devesse
devessemos devolver dificeis digam digitais direita disco discurso discussao dispositivo dissesse divertido
divida dizendo dizeres documentos dores doutor dura duvidas duzia efeitos eis eliminar emergencia empregada
empregado empresas encher encontrarmos encontre enfermeira enganar engracado entrega entregue entrei
entrevista enviado envolvido episodio epoca equipas eramos erros erva escolheu escondido escrevi escuro
esforco especialista esperamos esperando esperto esquadra esqueca esquece esquecido esquerda estais estaras
estarem estarias estarmos estivemos estiveram estivermos estivessem estrutura estudo estupida evento exames
exemplo existencia experiencias experimentar explicacao explodir explosao extra fa fabrica face faculdade
falado falava falha falso faltam famoso fantasma faremos farta fase fazerem fazermos faziam fecha feitas
feitico feitos felicidade ferida festas ficarei ficarem ficarmos ficasse ficheiro ficheiros figura fila filmar
fio fita fixe fizeres floresta fome formas formos fortes fossemos fronteira fugiu funcionar fundos funeral
futebol ganho garganta garota gas gastar general genero genio gerente gigante gostamos gostavas goste gostou
graca helicoptero houvesse humana iamos identidade identificar idiotas imagino imediatamente imensa
importancia importantes importo imprensa incendio incidente indica indo inferno influencia informar ingles
iniciar inocente inteligencia interessante irem iriam jardim jogador jornal juri justica justo ladrao lancar
lar largar lata lealdade leis leite lembras leste levam levas levei leves licao lideres ligo ligue liguei
limite limpa linhas livrar lixe localizar louca loucura macaco madeira maluco mandei maneiras mapa maquinas
maravilhoso marcar mascara massa matado maus medica melhorar memorias meninas mensagens mentiras merdas mesmas
mesmos mete metido milhas militar militares minima minimo mo modelo molho montanha montar montes mora morada
morar morre morrido mortes motivos motor motorista nacao nascer nasceu natural naves negociar negros nela nele
neve niveis nocao noiva normalmente nota obra obviamente ocupado odeia oficiais olhem olhes olhou onda ondas
opcao operacoes organizacao organizar origem ossos ouco ouvidos ouvimos ouviram ovos pacientes pacote padrao
padre pagamento pagina pagou pao papeis paragem parceiro pare pareceu pareco paredes parem parou participar
partida partido partiu passada passagem passam passaro passas passaste passava passe passeio passos patrao
pedras pega pegou peito pensamento pensamentos pensando percebe percebes percebeu perde perderam perfeita
perguntei perguntou periodo permanecer permissao permite perseguir pesquisa pessimo pila piloto piores po
pobres poderao poderei poderemos poderiam poderiamos poderias podermos poderoso ponta ponte porco posse pouca
poucas praia prato precisares predio preferia premio prenda preocupa preocupe presentes prestar primeiras
princesa principe principio prisioneiros procuro producao produto professora promessa prometo proposito
proposta provavel proximas pudessemos pudesses pura pus puto puxar quadro quaisquer quartos quebrar queda
queijo queimar queriamos questoes quilometros quinta quiserem quiseste raca raiva rapida rapidamente rato
recebe recebemos recolher recursos regra regresso reino relatorios reparar repetir reputacao reserva respirar
respostas restos retirar reunir revelar rever revista rezar rico rir rota roubado roubo russos sabendo sabiam
sabiamos sabor saias saibam saido saimos saio sairmos salvo salvou satelite saude seccao secreta secretaria
seculo segue seguinte segurar sejamos senhores sentada sentar sentia sentimento sentiu seremos seriam serias
servicos sessao sexual significado silencio simbolo simpatico sincronizadas sinta sistemas sitios soa
sociedade sofrer sofreu sofrimento sois solo solucao sombra somente sorriso suficientes sugerir sugiro sujeito
superior suponho ta tais talento tarefa taxi telefonar temperatura tentado tentamos tentaram tentaste tente
teriam teriamos terias termo terras terreno territorio testar testemunhas tirei tiros titulo tiverem tivermos
tivessemos tomates tomei tomo tomou toques torre trabalham trabalhamos trabalhas trabalhou traga transformar
transporte tratado tratamos trazido treinador treinar treta tripulacao tropas truque tunel turno tv ultimas
ultrapassar unidades universidade universo urso usamos usando usava vantagem veiculo vencer venda vendo veneno
verao verde vermelho vestir vidro vigiar vigilancia vinganca violencia virem vitoria vivemos vives vivia
voltara voltarei voltares voltem voltes voto
""",
    0.0008: """
acabam armazem controla deverias dificuldade disparou durar escolhido gordo gravida grupos instrucoes inventar
labios lago poderas portao rumores tesouro vizinhos voltaste
""",
}
"""The share of texts of fifty words that hold a word, for each word that is not rare."""
