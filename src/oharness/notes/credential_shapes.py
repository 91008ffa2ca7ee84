"""Credentials that show what they are by their own shape: keys of known services, private keys, tokens.

Every shape names a literal that must stand in the text before its expression is tried, and every repetition has
an upper bound, so that no text keeps the search busy.
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of key: any of `hints` is in every text that holds one. Group 1, if there is one, is the secret."""

    kind: str
    hints: tuple[str, ...]
    expression: str

    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled when a text first holds a hint: most kinds never come up."""
        return _compiled(self.expression)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def _shape(kind: str, hints: str, pattern: str) -> Shape:
    return Shape(kind, tuple(hints.split()), rf"(?<![A-Za-z0-9])(?:{pattern})")


_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"

SHAPES: tuple[Shape, ...] = (
    _shape("github-token", "gh github_pat_", r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{40,255}"),
    _shape("gitlab-token", "gl", r"gl(?:pat|dt|rt|ptt|cbt|soat|ft|agent|imt|oas)-[A-Za-z0-9_.-]{16,255}"),
    _shape("bitbucket-token", "ATBB", r"ATBB[A-Za-z0-9]{24,64}"),
    _shape("atlassian-token", "ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{60,400}"),
    _shape("aws-key", "AKIA ASIA ABIA ACCA", r"A(?:KI|SI|BI|CC)A[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _shape("google-api-key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _shape("google-client-secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,64}"),
    _shape("google-token", "ya29. 1//0", r"ya29\.[A-Za-z0-9_-]{20,600}|1//0[A-Za-z0-9_-]{30,200}"),
    _shape("facebook-token", "EAA", r"EAA[A-Za-z0-9]{50,400}"),
    _shape("azure-secret", "Q~", r"[A-Za-z0-9_.~-]{2,4}[0-9]Q~[A-Za-z0-9_.~-]{30,40}"),
    _shape("signed-url", "sig=", r"sig=([A-Za-z0-9%+/]{30,200})"),
    _shape("digitalocean-token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _shape("heroku-key", "HRKU-", rf"HRKU-(?:{_UUID}|[A-Za-z0-9_-]{{30,100}})"),
    _shape("fly-token", "fo1_ fm1 fm2_", r"f(?:o1_|m1[ar]_|m2_)[A-Za-z0-9_+/=-]{30,800}"),
    _shape("supabase-key", "sb", r"sb(?:p_[0-9a-f]{40}|_secret_[A-Za-z0-9_-]{20,80})"),
    _shape("planetscale-key", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,80}"),
    _shape("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,400}"),
    _shape("doppler-token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,80}"),
    _shape("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    _shape(
        "slack-token", "xox xapp-", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,300}|xapp-[0-9]-[A-Za-z0-9-]{20,300}"
    ),
    _shape(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{30,120})",
    ),
    _shape(
        "discord-webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/([0-9]{15,25}/[A-Za-z0-9_-]{40,100})"
    ),
    _shape("teams-webhook", "webhook.office.com", r"webhook\.office\.com/(webhookb2/[A-Za-z0-9@/-]{40,250})"),
    _shape("discord-token", ".", r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])"),
    _shape("telegram-token", ":A", r"(?:bot)?[0-9]{8,10}:A[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])"),
    _shape(
        "stripe-key", "sk_ rk_ whsec_", r"(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/]{24,100})"
    ),
    _shape("square-token", "sq0 EAAA", r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,60}|EAAA[A-Za-z0-9_-]{56,64}"),
    _shape("braintree-token", "access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    _shape("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _shape("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}"),
    _shape("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("mailchimp-key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
    _shape("brevo-key", "xkeysib-", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _shape("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{24,250}"),
    _shape(
        "openai-key",
        "sk-",
        r"sk-(?:proj-|svcacct-|admin-|None-|or-v1-)[A-Za-z0-9_-]{24,250}|sk-[A-Za-z0-9]{32,64}(?![A-Za-z0-9-])",
    ),
    _shape("huggingface-token", "hf_ api_org_", r"(?:hf_|api_org_)[A-Za-z0-9]{30,64}"),
    _shape("model-service-key", "gsk_ pplx- r8_ xai- nvapi-", r"(?:gsk_|pplx-|r8_|xai-|nvapi-)[A-Za-z0-9_-]{30,120}"),
    _shape("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,64}"),
    _shape("pypi-token", "pypi-", r"pypi-AgE[A-Za-z0-9_-]{40,400}"),
    _shape("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _shape("docker-token", "dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{20,64}"),
    _shape("artifactory-key", "AKC", r"AKC[a-zA-Z0-9]{50,80}"),
    _shape("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,80}"),
    _shape("figma-token", "fig", r"fig[dor]_[A-Za-z0-9_-]{36,60}|figdr_[A-Za-z0-9_-]{36,60}"),
    _shape("notion-token", "secret_ ntn_", r"secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,60}"),
    _shape("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _shape("linear-key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    _shape("mapbox-token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{10,300}\.[A-Za-z0-9_-]{20,40}"),
    _shape("newrelic-key", "NRAK- NRII- NRJS-", r"NR(?:AK|II|JS)-[A-Za-z0-9_-]{19,40}"),
    _shape("sentry-token", "sntry", r"sntry[us]_[A-Za-z0-9+/=_-]{40,400}"),
    _shape("postman-key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _shape("grafana-token", "glsa_ glc_", r"glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,400}"),
    _shape("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,60}"),
    _shape(
        "one-time-password-seed",
        "otpauth://",
        r"otpauth://[a-z]{4}/[^\s?]{0,200}\?[^\s]{0,200}?secret=([A-Za-z2-7]{16,128})",
    ),
    _shape("json-web-token", "eyJ", r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{10,1000}"),
)
"""The hint of `discord-token` is weak; its expression fails after a few steps on ordinary text."""

PRIVATE_KEY_BEGIN = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:\\[nr]|\s){0,8}[A-Za-z0-9+/=]{16,200})*+"
)
PRIVATE_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PUTTY_KEY = re.compile(r"Private-Lines: [0-9]{1,4}\s{1,4}([A-Za-z0-9+/=]{1,80}(?:\s{1,2}[A-Za-z0-9+/=]{40,80})*+)")

SCHEME_TOKEN = re.compile(r"(?<![A-Za-z0-9])(?:Bearer|SSWS|ApiKey|Token)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,4000})", re.I)
BASIC_TOKEN = re.compile(r"(?<![A-Za-z0-9])Basic[ \t]{1,4}([A-Za-z0-9+/]{8,400}={0,2})", re.I)
URL_LOGIN = re.compile(r"(?<=[A-Za-z0-9])://([^\s/@:?#\"'`<>]{0,100}):([^\s/@\"'`<>]{1,200})@(?=[\w\[<$*{-])")
COMMAND_LOGIN = re.compile(
    r"\b(?:curl|wget|http|https|xh)\b[^\n]{0,160}?\s(?:-u|--user|--proxy-user)[ =]{1,2}"
    r"['\"]?[^\s:'\"]{1,80}:([^\s'\"]{1,120})"
)
COMMAND_PASSWORD = re.compile(
    r"\b(?:sshpass|login|twine|unzip|zip|mysql[a-z]{0,8}|mongo[a-z]{0,8}|htpasswd|redis-cli)\b[^\n]{0,120}?"
    r"\s-[pPa][ =]?['\"]?([^\s'\"]{4,120})"
)
HTPASSWD = re.compile(
    r"\bhtpasswd\s{1,3}-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}\s{1,3}\S{1,120}\s{1,3}\S{1,80}\s{1,3}['\"]?([^\s'\"]{4,120})"
)
NET_USE = re.compile(r"/user:[^\s]{1,80}\s{1,3}([^\s]{4,120})")
PGPASS = re.compile(
    r"^[A-Za-z0-9.*-]{1,120}:(?:[0-9]{2,5}|\*):[A-Za-z0-9_*-]{1,64}:[A-Za-z0-9_*-]{1,64}:(\S{4,120})$", re.M
)
LOGIN_PAIR = re.compile(
    r"\b(?:credentials?|creds|log-?in|identifiants?|credenciais|账号|帐号|rdp|ssh|vpn|ftp|smtp|vnc)"
    r"[*_`]{0,3}\s{0,2}[:=：][*_`\"' ]{0,4}[\w.@+\\-]{1,60}[`\"']?(?::| [/|] )[`\"']?([^\s`\"'/,;]{6,100})",
    re.I,
)
PASSWORDS = (COMMAND_LOGIN, COMMAND_PASSWORD, HTPASSWD, NET_USE, PGPASS, LOGIN_PAIR)
"""Where group 1 is somebody's password, unless it is a placeholder or a word."""

BACKUP_CODE = re.compile(
    r"(?:recovery|backup)[ -]codes?\b[^\n]{0,40}?((?:[a-z0-9]{4,6}-[a-z0-9]{4,6}[,; ]{0,3}){1,20}+)", re.I
)
