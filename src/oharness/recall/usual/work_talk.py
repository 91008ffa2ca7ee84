"""Words people say to an assistant about any piece of work, whatever the project; written by hand.

A message that shares only such words with a note is not about that note.
"""

WORK_TALK = {
    "en": """
add added adding also another app append apply argument arguments array ask attach back bad best better big bigger
blank boolean branch break breaks bring broken bug bugs build builds button call calls cancel case change changed
changes check class classes clean cleaner clear click close code codebase column comment comments commit compile
compiles complete component console continue convert copy correct crash crashed crashes create cut debug default
define delete describe diff different directory display doc docs document documentation done double edit element
else empty end enough error errors example exception execute existing explain export extra extract fail failed
failing fails false fast faster feature field file files fill final find fine finish first fix fixed fixes folder
follow form format function functions generate give git great handle happen happens header heading help hide hint
idea import imports improve include index inner input insert install instead issue issues item items keep kind know last
later leave left length let line lines link list load log logs long look loop main make makes match mean merge
message method methods missing mistake mode module modules more move name names need needs new next node note notes
null number object ok okay old only open option options order outer output package page pages parameter parameters parse
part path paste pick place please point previous print problem process program project pull push put question quick
quickly random read readme ready reason redo refactor regex remove rename replace request reset resolve response
restart result results return returns revert review rewrite right row run running runs safe same save screen script
search section second see select send set setting settings setup short should show simple simpler simplify size
skip slow slower small smaller snippet something sort split stack start state step steps still stop string style
suggest summarise summarize summary support sure switch syntax system table task tell test tested testing tests
text thing things think third title todo tool top trace traceback translate tries true try trying turn two type
types typo undefined understand undo unit unused update updated upload use used user uses using value values
variable variables version view wait want warning warnings watch way week weird window word words work worked
working works wrap write writing wrong year zero
""",
    "fr": """
afficher affiche aide aider ajoute ajouter ajoutez annule annuler appelle appeler application applique appliquer
argument arguments arrete arreter attends attendre autre avance bloc boucle bouton branche bug cas change changer
changement changements champ chaine charge charger cherche chercher classe classes clique cliquer code colonne
commande commence commencer commentaire commentaires commit compile compiler compilation complete completer
composant comprends comprendre console continue continuer convertir convertis copie copier corrige corriger corrigez
coupe couper cours cree creer creez crash debut debug decoupe decoupez defaut definis dernier derniere deplace
deplacer diff different documentation documente documenter document dossier doublon ecran ecris ecrire ecrivez efface
effacer element enleve enlever enregistre enregistrer ensuite entree envoie envoyer erreur erreurs essaie essayer
etape etapes exception execute executer exemple existe explique expliquer expliquez exporte extrais extraire faire
fais faites faute fenetre ferme fermer fichier fichiers fonction fonctionne fonctionner fonctions format formate
formater formulaire forme fusionne fusionner genere generer git gros grand groupe ici idee ignore image import
importe imports imprime indique inutile inutilise inutilisee inutilises lance lancer lecture lent lente lire lis
lien ligne lignes liste lister log logs long longue marche marcher mauvais message met methode methodes mets mettre
mieux mode modifie modification modifications modifier module modules montre montrer mot mots moyen nom nombre nomme
nommer nouveau nouvelle nul objet option options ordre ouvre ouvrir page pages parametre parametres parcours passe
passer petit petite phrase plante plus pousse premier premiere prends prendre prochain prochaine probleme problemes
programme projet propose proposer propre question raison range rapide rapidement readme recharge recommence refais
refaire refactorise regarde regarder relance relancer relis remets remplace remplacer renomme renommer renommez
reponds reponse reprends requete reste resultat resultats resume resumer retire retirer retour retourne revient
reviens script section sauvegarde second seconde serveur simple simplifie sors sortie souci suite suivant suivante
supprime supprimer supprimez systeme table tableau tache taille termine terminer test teste tester tests texte titre
traduis traduire trie trier trouve trouver type types typo unitaire utilise utiliser utilisation valeur valeurs va
variable variables verifie verifier version veux vide voir vois vrai faux
""",
    "pt": """
abra abre abrir aceita acerta acertar acha achar adicione adicionar agora ajuda ajudar ajusta ajustar ajuste altera
alterar altere ache apaga apagar apague aplica aplicar aplique aplicativo argumento argumentos arquivo arquivos
arruma arrumar arrume array atualiza atualizar atualize bloco botao branch bug busca buscar cabecalho campo carrega
carregar caso certo chama chamar classe classes clica clicar codigo colar coloca colocar coloque coluna comando
comeca comecar comentario comentarios commit compila compilar compilacao completa completar componente console
confere conferir conserta consertar conserte continua continuar continue converta converte converter copia copiar
corrige corrigir corrija corta cortar cria criar crie dado dados debug deixa deixar deixe demora demorado depura
desfaca desfaz desfazer deleta deletar delete detalha diferente diff diretorio divide dividir divida documentacao
documenta documentar documento duplicado edita editar elemento encontra encontrar entende entender entrada envia
enviar erra errado erro erros escreva escreve escrever espera esperar etapa exceção execucao executa executar
execute exemplo exibe exibir existe explica explicar explique exporta extrai extrair extraia faca falha falhando
falhou faltando fatal faz fazer fecha fechar ficou fim formata formatar formato formulario funcao funcionou funciona
funcionando funcionar funcoes gera gerar gere git grande ideia ignora imagem imports importa importar imprime
imprimir indice inserir instala instalar isso item itens janela junta juntar lento lenta ler leia lida linha linhas
lista listar link log logs longo loop maior manda mandar mensagem menor merge metodo metodos mexe mexer modo modulo
modulos mostra mostrar mostre muda mudanca mudancas mudar mude nome nomes nova novo nulo numero objeto olha olhar
opcao opcoes ordem ordena ordenar ordene organiza pagina paginas palavra para parametro parametros parar parou parte
passa passo pasta pega pegar pequeno pergunta pode poe problema problemas processo programa projeto proximo proxima
quebra quebrado quebrou rapido readme recarrega refaca refatora refatorar refatore reinicia remova remove remover
renomeia renomear renomeie requisicao resolve resolver responde resposta resultado resultados resuma resume resumir
resumo retorna retornar retorno reverte reverter revisa revisar revise roda rodar rode saida salva salvar script
secao separa servidor simples simplifica simplifique sistema so sugere sugestao tabela tamanho tarefa tela tenta
tentar terminou termina teste testa testar testes texto tipo tipos tira tirar titulo traduz traduza traduzir troca
trocar troque unitario usa usado usando usar use usuario valor valores variavel variaveis vazio veja ver verifica
verificar verifique versao volta voltar
""",
    "es": """
abre abrir actualiza actualizar agrega agregar ahora anade anadir aplica aplicar archivo archivos argumento
argumentos arregla arreglar ayuda ayudar bloque borra borrar boton bug busca buscar cabecera cambia cambiar cambio
cambios campo caso carga cargar carpeta clase clases codigo columna comando comenta comentario comentarios commit
compila compilar completa componente comprueba consola continua continuar convierte convertir copia corrige corregir
corta crea crear cuadro debug deshaz deshacer diferente diff directorio divide dividir documenta documentacion
documento edita editar ejecuta ejecutar ejemplo elemento elimina eliminar empieza encuentra entiendo entrada envia
error errores escribe escribir espera etapa excepcion existe explica explicar exporta extrae extraer falla fallando
fallan fallo faltan fila formatea formato formulario funcion funciona funcionan funcionar funciones genera generar
git grande guarda guardar hacer haz idea ignora imagen import importa imports imprime indice instala instalar lee
leer lento lenta linea lineas lista listar llama log logs mal mayor mejor mejora mensaje menor metodo metodos mira
modo modulo modulos mostrar mover mueve muestra nombre nombres nueva nuevo nulo numero objeto opcion opciones orden
ordena ordenar pagina paginas palabra para parametro parametros parte pasa paso pequeno pon poner pregunta primero
problema problemas proceso programa proyecto prueba pruebas quita quitar rama rapido readme refactoriza rehaz
reemplaza renombra renombrar repite respuesta responde resuelve resultado resultados resume resumen resumir retorna
revierte revisa revisar rompe roto salida script seccion segundo servidor siguiente simple simplifica sistema solo
subir sugiere tabla tamano tarea termina test tests texto tipo tipos titulo traduce traducir ultimo unitario usa usar
uso usuario vacio valor valores variable variables ventana ver verifica version vuelve
""",
    "de": """
abbrechen abschnitt aktualisiere aktualisieren andere anderen anderung anderungen anfang anwendung anzeigen argument
argumente ausfuhren ausgabe baue bauen bedeutet beende befehl beheb behebe beheben beispiel benenne benutze
benutzer benutzen beschreibe besser bild branch bug build button code commit datei dateien debug diff doku
dokumentation dokumentiere drucke einfach einfacher einfuge einfugen eingabe element ende entferne entfernen
ergebnis ergebnisse erklare erklaren ersetze erstelle erstellen erzeuge fehler fehlgeschlagen fehlt feld fenster
fertig fuge funktion funktionen funktioniert fuhre geht gib git gross grosse grund gut hilf hilfe hinzu idee ignoriere
import importe imports installiere kannst klasse klassen klein kleiner knopf kommentar kommentare kompiliert konsole
konvertiere kopiere kopf korrigiere lade langsam lass lauft leer lese lies lies liste log logs losche loschen mach mache
machen meldung merge methode methoden modul module modus nachricht name namen neu neue neuen nimm nochmal null nummer
objekt offne offnen option optionen ordner ordne parameter pfad problem probleme programm projekt prufe prufen push
readme refaktoriere reihenfolge richtig ruckgangig schau schlagt schliess schneller schnell schreib schreibe
schreiben script server sieh sortiere spalte speichere stapel starte stopp suche suchen system tabelle teile test
teste testen tests text titel typ typen ubersetze uberprufe umbenennen unbenutzt variable variablen verbessere
verschieb verschiebe version verstehe versuch versuche warnung warte weiter wert werte wort zeig zeige zeigen zeile
zeilen zusammen zusammenfassung
""",
    "ru": """
баг ветка ветку верни версия вставь выведи вывод выдели выполни выражение главный готово данные дерево добавь
добавить доделай документ документация документацию допиши другой забудь закоммить закрой запрос запусти запустить
запускается замени значение значения идея имя импорт импорты инструкция исправь исправить исправление используй
использовать класс классы кнопка кнопку код кода коммит комментарий комментарии компилируется компонент консоль
конфиг лишний лишние лог логи массив медленно метод методы модуль можно напиши написать название найди найти начни
неправильно новый новую номер нужно обнови обновить объект объясни объяснить окно описание опять останови отладка
отмени отменить откати открой отсортируй ошибка ошибки ошибку падает папка папку параметр параметры первый перевод
переведи перезапусти переименуй переименовать перепиши переменная переменную перемести подожди подскажи покажи
показать поле помоги помощь понял понятно попробуй порядок последний поправь посмотри почини правильно пример проблема
проверь проверить программа продолжай продолжить проект прочитай пустой работает работать раздел раздели размер
разбей результат рефакторинг сборка сделай сделать сервер система скажи скрипт следующий слово смотри снова сначала
собери собирается создай создать сообщение сохрани сортировка список сравни ссылка стиль страница страницу строка
строки строку структура таблица таблицу текст тест тесты тестов тип типы убери убрать удали удалить упрости файл файла
файлы формат функция функции функцию читай шаг экран
""",
    "zh": """
一下 一个 一些 一行 一遍 上面 下面 不对 不能 不要 不行 不用 中文 为空 主要 代码 优化 任务 使用 例子 依赖 保存 修复
修改 倒数 停下 先看 全部 公式 关闭 其他 内容 写个 出现 出错 函数 分支 切换 列表 创建 删除 删掉 判断 到底 功能 加上
加个 加载 加一 单元 单词 原因 参数 变量 发送 取消 可以 合并 名字 命令 命名 回复 回滚 图片 在线 地方 处理 复制
多余 大小 失败 好了 字段 字符 字符串 定义 实现 完成 对象 导入 导出 封装 小一 尝试 展示 工具 差异 已经 帮我 帮忙
应用 建议 开始 异常 引入 循环 总结 情况 想法 慢点 打印 打开 执行 扩展 找到 报错 拆分 拆成 括号 按钮 换成 换行 排序
接着 提交 提示 插入 撤销 支持 改一 改名 改成 改动 放大 放到 整理 文件 文字 文本 文档 新增 新建 方法 日志 明白 显示
更新 替换 最后 服务 机器 条件 来源 查找 查看 标题 样式 格式 检查 模块 正确 步骤 每个 比如 没用 没有 注释 测试 添加
清空 清理 点击 用户 界面 的话 目录 看看 看下 短一 确认 程序 空行 空格 窗口 第一 第二 等等 简单 简化 类型 粘贴 系统
组件 结果 继续 编写 编译 编辑 缩进 缩写 翻页 脚本 自动 行数 表格 要求 解决 解释 警告 计算 记录 设置 说明 请求 调整
调用 调试 谢谢 跑一 跑通 路径 跳过 输入 输出 运行 返回 还是 这个 这段 这行 这里 进度 追加 逻辑 选项 选择 那个 部分
配置 重写 重启 重命 命名 重复 重新 问题 需要 页面 项目 首先 验证 默认
""",
}
