"""Words that stand for one value among others: colours, days, numbers, and names written in lower case.

Two notes that differ in one of them are about different things, however much else they share. All are folded.
"""

_COLOURS = """
red green blue yellow orange purple violet pink brown black white gray grey cyan magenta teal turquoise beige navy
maroon olive indigo crimson amber lime gold silver
vermelho verde azul amarelo amarela laranja roxo roxa rosa marrom preto preta branco branca cinza ciano dourado prata
vermelha vermelhos verdes azuis amarelos roxos pretos brancos
rouge vert verte bleu bleue jaune violette rose brun brune marron noir noire blanc blanche gris grise rouges verts
bleus jaunes noirs blancs blanches
"""
_DAYS = """
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
tue tues wed thu thur thurs fri january february april june july august september october november
december jan feb apr jun jul aug sept oct nov dec
segunda terca quarta quinta sexta sabado domingo segundas tercas quartas quintas sextas sabados domingos
janeiro fevereiro abril maio junho julho agosto setembro
outubro novembro dezembro
lundi mardi mercredi jeudi vendredi samedi dimanche lundis mardis mercredis jeudis vendredis samedis dimanches
janvier fevrier avril mai juin juillet aout septembre octobre
novembre decembre
today yesterday tomorrow morning afternoon evening night nightly noon midnight hourly daily weekly monthly
quarterly yearly annual
hoje ontem amanha manha tarde noite diario semanal mensal anual matin soir nuit minuit midi quotidien
hebdomadaire mensuel annuel
"""
_NUMBERS = """
two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty hundred thousand million
first third fourth fifth primary secondary half twice double triple
dois duas tres quatro cinco seis sete oito nove dez onze doze vinte trinta quarenta cinquenta cem mil milhao primeiro
primeira segundo terceiro terceira
deux trois quatre cinq sept huit neuf dix onze douze vingt trente quarante cinquante cent mille premier premiere
deuxieme troisieme
"""
_PLACES = """
staging production prod dev development preview canary sandbox qa uat integration local localhost
homologacao producao desenvolvimento preproduction
frontend backend client server mobile desktop web android ios ipados macos windows linux ubuntu debian fedora alpine
left right top bottom gauche droite esquerda direita north south east west upper lower
read write input output upload download inbound outbound import export
min max minimum maximum
"""
_NAMES = """
postgres postgresql mysql mariadb sqlite redis valkey memcached mongodb cassandra elasticsearch kafka rabbitmq nats
npm pnpm yarn bun deno node nodejs pip uv poetry conda cargo maven gradle bazel
python ruby java kotlin swift rust golang javascript typescript php perl scala elixir haskell
react vue svelte angular ember django flask fastapi rails laravel spring express nextjs nuxt vite webpack rollup esbuild
nginx apache caddy traefik haproxy envoy docker podman kubernetes nomad helm terraform ansible pulumi
aws azure gcp heroku vercel netlify cloudflare hetzner github gitlab bitbucket jira linear notion slack teams discord
stripe paypal adyen sentry datadog grafana prometheus segment amplitude mixpanel
pytest unittest jest vitest mocha cypress playwright selenium ruff black flake8 pylint mypy pyright eslint prettier
json yaml toml xml csv html css markdown sass graphql grpc rest soap http https ssh ftp smtp imap
english french german spanish portuguese italian chinese japanese korean russian dutch polish
ingles frances alemao espanhol portugues italiano chines japones anglais francais allemand espagnol portugais italien
chinois japonais usd eur gbp brl cny jpy chf utc gmt pst
chrome firefox safari edge emacs vim neovim vscode intellij pycharm sublime
"""
VALUES = frozenset(" ".join((_COLOURS, _DAYS, _NUMBERS, _PLACES, _NAMES)).split())
"""Every telling word, folded."""

_IN_ONE_FORM = """
vermelha:vermelho preta:preto branca:branco amarela:amarelo roxa:roxo azuis:azul terceira:terceiro primeira:primeiro
verte:vert bleue:bleu violette:violet brune:brun noire:noir blanche:blanc grise:gris premiere:premier duas:dois
"""
_ONE_FORM = dict(pair.split(":") for pair in _IN_ONE_FORM.split())


def value_in_one_form(value: str) -> str:
    """One spelling for a telling word and its plural or feminine: `mondays` is `monday`, `vertes` is `vert`."""
    single = value[:-1] if value.endswith("s") and (value[:-1] in VALUES or value[:-1] in _ONE_FORM) else value
    return _ONE_FORM.get(single, single)


HAN_VALUES = (
    r"(?:周|星期|礼拜|週)[一二三四五六日天]"
    r"|[零〇一二两三四五六七八九十百千万亿]+(?=[个個条條年月日号號天周次版人台分秒点點元块塊层層级級期季度%岁])"
    r"|第[零〇一二三四五六七八九十百千万]+"
    r"|[上下]午|早上|晚上|凌晨|每[天周月年日]"
    r"|[红紅橙黄黃绿綠蓝藍靛紫粉棕褐黑白灰银銀金青](?:色|底|框)"
    r"|生产|生產|测试环境|預發|预发|开发环境|线上|本地|前端|后端|後端|客户端|服务端|服务器端"
    r"|左侧|右侧|左边|右边|顶部|底部|最大|最小|上传|下载|导入|导出|读|写"
    r"|英文|英语|中文|日文|日语|法文|法语|德文|德语|葡语|葡萄牙语"
)
"""The same in Chinese, as an expression over the folded text."""
