"""Pairs of words, written by hand: those that are forms of one word and must meet, and those that only look so."""

MUST_MEET = {
    "en": """
city/cities run/running deploy/deployed deploy/deploying release/releases compare/comparison index/indexes
query/queries cache/caching cached/caches test/testing branch/branches merge/merged commit/committed
configure/configured configuration/configurations setting/settings migrate/migration decide/deciding
decision/decisions retry/retries study/studied stop/stopped write/writing box/boxes error/errors price/pricing
invoice/invoices approve/approved review/reviewer rotate/rotation timestamp/timestamps serialize/serialized
depend/depends party/parties delete/deleting archive/archived schedule/scheduling résumé/resume Naïve/naive
DEPLOY/deploy user's/user
""",
    "fr": """
cheval/chevaux livrer/livraison livrer/livré facture/factures facturer/facturation décider/décidé décision/décisions
régler/réglage journal/journaux test/tests tester/testé migrer/migration migration/migrations serveur/serveurs
déployer/déploiement déployer/déployé valider/validation valider/validé écrire/écrit client/clients cliente/clientes
clé/clés cle/clé été/ete rapport/rapports nouveau/nouveaux nouvelle/nouvelles envoyer/envoyé arrondir/arrondi
supprimer/supprimé supprimer/suppression sauvegarder/sauvegarde sauvegarde/sauvegardes utiliser/utilisateur
utilisateur/utilisateurs branche/branches erreur/erreurs réseau/réseaux montant/montants autoriser/autorisé
l'équipe/équipe d'accès/accès
""",
    "pt": """
ação/ações configuração/configurações configurar/configuração cidade/cidades decisão/decisões
publicar/publicação publicar/publicado servidor/servidores nota/notas fatura/faturas cliente/clientes pão/pães
mão/mãos testar/testado teste/testes migrar/migração migração/migrações banco/bancos valor/valores preço/preços
preco/preço homologação/homologacao usuário/usuários usuario/usuário apagar/apagado aprovar/aprovação
aprovar/aprovado arredondar/arredondamento relatório/relatórios erro/erros branch/branches chave/chaves
senha/senhas regra/regras reunião/reuniões validar/validação implantar/implantação exportar/exportado
rápido/rápida papel/papéis
""",
    "es": """
ciudad/ciudades acción/acciones configurar/configuración configuración/configuraciones decidir/decidido
decisión/decisiones servidor/servidores publicar/publicado publicar/publicación factura/facturas facturar/facturación
cliente/clientes probar/probado prueba/pruebas migrar/migración migración/migraciones valor/valores precio/precios
usuario/usuarios borrar/borrado aprobar/aprobado regla/reglas llave/llaves error/errores clave/claves
contraseña/contraseñas reunión/reuniones reunion/reunión validar/validación rápido/rápida informe/informes
rama/ramas escribir/escribiendo enviar/enviado importar/importado tarea/tareas cuenta/cuentas árbol/árboles
lápiz/lápices
""",
    "de": """
Rechnung/Rechnungen Server/Servern Datei/Dateien Datenbank/Datenbanken Entscheidung/Entscheidungen
Regel/Regeln Kunde/Kunden Konto/Konten Preis/Preise Test/Tests testen/getestet Fehler/Fehlern
Schlüssel/Schlüsseln Schluessel/Schlüssel Änderung/Änderungen löschen/löscht speichern/speichert prüfen/prüft
Prüfung/Prüfungen Freigabe/Freigaben Sitzung/Sitzungen Passwort/Passworts Zweig/Zweige Bericht/Berichte
Ausgabe/Ausgaben schnell/schneller Haus/Häuser Woche/Wochen Tag/Tage Name/Namen Einstellung/Einstellungen
liefern/liefert Lieferung/Lieferungen Benutzer/Benutzern Straße/Strasse Größe/größer
""",
    "ru": """
новость/новости настройка/настройки настройка/настройке кэш/кэша сервер/серверы сервер/сервера
решение/решения решение/решений заметка/заметки заметка/заметок файл/файлы файл/файлов база/базы
данные/данных ошибка/ошибки ошибка/ошибок счёт/счета счёт/счет релиз/релизы ветка/ветки клиент/клиенты
пользователь/пользователи пользователь/пользователей ключ/ключи пароль/пароли правило/правила тест/тесты
отчёт/отчёты отчет/отчёт задача/задачи версия/версии удалить/удалил проверка/проверки таблица/таблицы
город/города запрос/запросы неделя/недели цена/цены
""",
    "zh": """
技术路线/人工智能技术路线 部署/部署流程 数据库/数据库迁移 订单号/订单号规则 测试数据/测试 缓存/缓存失效 上线/周五不上线
发布/发布窗口 用户/用户偏好 登录/登录失败 超时/请求超时 密码/密码策略 分支/功能分支 备份/数据备份 日志/日志级别
配置/配置文件 接口/支付接口 发票/电子发票 金额/金额单位 时区/时区设置 索引/重建索引 回滚/立即回滚 评审/代码评审
队列/消息队列 会议/周三会议 监控/监控告警 权限/权限不足 导出/导出表格 报表/财务报表 前端/前端测试
ＡＰＩ/api 设定ファイル/ファイル 학점인정/학점 サーバー/サーバーの設定
""",
}

MUST_NOT_MEET = {
    "en": """
new/news policy/police general/generation wand/wander relate/relax port/portal cart/carton form/format
number/numb universe/university organ/organization import/important experience/experiment past/paste
probe/probable author/authority communist/community custom/customer desert/dessert fine/final
stage/stag staging/stagnant contract/contrast session/mission test/text cache/catch user/useless commit/comment
plan/plane plan/plant note/notice table/tablet base/basic cat/category state/status process/procession
""",
    "fr": """
port/porte pose/poste cour/course facture/facteur décision/précision poisson/poison livre/libre
serveur/service compte/comté court/courage règle/réglisse vers/version cle/cloche code/codicille test/texte
client/climat nom/nombre point/pointure bande/bandit gare/garantie mode/modeste marché/marbre
note/notaire plan/plante base/basilic branche/brancard sauver/sauvage file/fille date/datte avril/avide
compte/compteur table/tableau
""",
    "pt": """
conta/contra banco/banho nota/notícia porta/porto prato/prata caso/casa cara/carta regra/régua chave/chuva
teste/texto ponto/ponte valor/valsa servidor/serviço fatura/futuro preço/prece papel/papai hora/honra banca/barca
cliente/clima dado/dardo erro/ermo campo/campanha plano/planta mesa/mês senha/senhor nome/número
lista/listra base/basílica rede/redondo tela/telha código/códice filha/fila
""",
    "es": """
puerto/puerta caso/casa cuenta/cuento nota/noticia plato/plata regla/regalo clave/clavel prueba/pueblo
valor/valle servidor/servilleta precio/preciso papel/papa hora/honra banco/banda cliente/clima dato/dado
error/errante campo/campaña plano/planta mesa/mes nombre/número lista/listo rama/ramo base/basílica
red/redondo código/codo factura/futuro tarea/tarde puesto/puente texto/test informe/invierno fila/filo
""",
    "de": """
Regel/Regal Kunde/Kundgebung Konto/Kontor Preis/Presse Test/Text Fehler/Feder Schlüssel/Schluss Rechnung/Rechen
Haus/Hase Woche/Wache Tag/Tagebau Name/Nase Bericht/Gericht Gabe/Gabel Ausgabe/Aufgabe Zweig/Zwerg
Datei/Datum Bank/Band Server/Service Stunde/Stange Plan/Planet Wert/Wort Liste/Lust Karte/Karton
Seite/Saite Zahl/Zahn Bild/Bildung Grund/Grundel Markt/Marke Stelle/Stall Kette/Kater Brief/Brille
""",
    "ru": """
новость/новатор настройка/настроение кэш/каша сервер/север решение/решето заметка/замок файл/фойе
база/базар счёт/свёкла ключ/клюв правило/право пароль/пароход тест/тесто отчёт/отец задача/задаток
версия/верста цена/сцена город/горох запрос/запах неделя/надежда таблица/табло ветка/ветер клиент/климат
код/кот порт/портной стол/столица мир/мирт роль/рояль план/планета список/спина слово/слава дом/домна
""",
    "zh": """
部署/部门 测试/考试 电脑/电话 发布/公布 上海/海上 数据/数学 订单/菜单 缓存/存款 用户/账户 登录/记录 超时/时间 密码/代码
分支/支付 备份/份额 日志/杂志 配置/位置 接口/人口 发票/股票 金额/名额 时区/小区 索引/引用 回滚/回答 评审/审美 队列/列表
会议/议员 监控/控制 权限/期限 导出/出口 报表/手表 前端/提前 猫/熊掌 苹果/水果
""",
}
