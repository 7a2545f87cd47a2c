"""Finds what looks like a credential in a text: with the rules of detect-secrets, and with rules of our own.

Our rules add tokens that are newer than detect-secrets' last release, strings without a closing quote, values without quotes in
files that are not code, whole private keys, and the rest of a token whose beginning was recognised. No credential is sent
anywhere: the verification of detect-secrets is never called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import BasePlugin, RegexBasedDetector
from detect_secrets.plugins.high_entropy_strings import (
    Base64HighEntropyString,
    HexHighEntropyString,
    HighEntropyStringsPlugin,
)
from detect_secrets.plugins.keyword import (
    DENYLIST,
    QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP,
    REGEX_BY_FILETYPE,
)
from detect_secrets.util.filetype import determine_file_type

from syntax.languages import language_of

CredentialSpan: TypeAlias = tuple[int, int]
"""(start, end): indices into the text."""

REACH = 16_384
"""Characters after the first line of a private key in which its end is looked for."""
_WINDOW, _OVERLAP = 4_000, 1_000
_NO_CREDENTIAL = {"Public IP (ipv4)"}
_WHOLE_MATCH = {"GitHub Token", "GitLab Token"}  # their groups are only prefixes

_TOKENS = (
    r"github_pat_\w{16,}",
    r"gh[pousr]_\w{30,}",
    r"sk-(?:ant-|proj-|svcacct-|or-v1-)[\w-]{16,}",
    r"\bsk-[A-Za-z0-9]{20,}",
    r"AIza[\w-]{30,}",
    r"ya29\.[\w-]{20,}",
    r"GOCSPX-[\w-]{20,}",
    r"hf_[A-Za-z0-9]{24,}",
    r"xapp-\d-[\w-]{10,}",
    r"xox[abeoprs]-[\w-]{10,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"do[opr]_v1_[a-f0-9]{40,}",
    r"whsec_[\w+/=]{20,}",
    r"[rs]k_(?:live|test)_[0-9a-zA-Z]{16,}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{30,}",
    r"lin_api_\w{30,}",
    r"dapi[a-f0-9]{32}",
    r"AGE-SECRET-KEY-1[0-9A-Z]{50,}",
    r"pypi-AgEI[\w-]{20,}",
    r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
    r"(?i:bearer)\s+([\w.~+/=-]{16,})",
    r"(?i:basic)\s+([A-Za-z0-9+/]{16,}={0,2})",
    r"://[^\s/:@\"'`]*:([^\s/\"'`{}$<>]+)@",
    r"://[^\s/:@\"'`]+:(?=[^\s/@]*\d)(?=[^\s/@]*[A-Za-z])([^\s/@\"'`{}$<>%]{6,})",
    r"(?i:AccountKey|SharedAccessKey|sig)=([\w+/%=-]{30,})",
)
_NAMES = "|".join(
    [
        *(name.replace("_?", "[_-]?") for name in DENYLIST),
        *("passphrase", "access[_-]?key", "signing[_-]?key", "encryption[_-]?key", "client[_-]?secret"),
    ]
)
_LOOSE = r"token|credential|auth(?!or(?!i[sz]))"
_REST = r"s?\w{0,40}"
_ASSIGNED = (
    _REST
    + r"""[\]"'`)]{0,2}\s{0,20}(?:\[\d{0,6}\]\s{0,20})?"""
    + r"""(?::\s{0,20}\w[\w\[\], |.]{0,60}=|:=|=>|={1,3}|!==?|:|\()\s{0,20}"""
    + r"""(?:(?:String|std|Secret\w{0,20})::\w{1,20}\(\s?|Secret\w{0,20}\(\s?|new String\(\s?)?"""
)
_TEXT = r"""(?P<value>[\w!@#$%^*?~\\-](?:(?:\\.|(?!(?P=quote))[^\\\r\n])*(?=(?P=quote))|[^"'`\s]*(?=\s*$)))"""
_QUOTED = rf"""@?[a-z]{{0,2}}(?P<quote>\"\"\"|'''|["'`]){_TEXT}"""
_NAMED = re.compile(rf"(?i)(?:{_NAMES}){_ASSIGNED}{_QUOTED}")
_LOOSELY = re.compile(rf"(?i)(?:{_LOOSE}){_ASSIGNED}{_QUOTED}")
_BARE = re.compile(
    rf"(?i)(?:{_NAMES}|{_LOOSE})\w{{0,40}}\s{{0,20}}[:=]\s{{0,20}}(?P<value>[^\s\"'`$<{{(\[][^\s\"'`]{{5,}})"
)
_ASKED = re.compile(
    rf"(?i)(?P<call>[a-z_]+)\(\s?([\"'`])[\w.-]{{0,40}}?(?:{_NAMES}|{_LOOSE}){_REST}\2\s?,\s{{0,20}}{_QUOTED}"
)
"""A name and a value in one call: `os.environ.get("DB_PASSWORD", "…")`."""
_GETTERS = {"get", "getenv", "env", "setdefault", "pop", "getproperty", "getordefault", "putenv", "setenv"}
_CONNECTION = re.compile(r"(?i)(?:[;\"'`])\s?(?:password|pwd)\s?=\s?(?P<value>[^\s;\"'`{}$<>(]{3,})(?=[;\"'`])")
_PLACE = re.compile(r"(?i)(?:server|data source|host|user|user id|uid|database|initial catalog)\s?=")
_COMMENT = re.compile(
    rf"(?i)(?:\#|//|/\*|--|<!--|^\s*\*).{{0,200}}?(?:{_NAMES}){_REST}\s?[:=]\s?(?P<value>[\w.~+/=:!@\#%^&*-]{{6,}})(?=\s|$)"
)
_LONG_WORD = re.compile(r"\w{129,}")
_MANY = 8
_WORD = re.compile(r"[^\s\"'`<>(){}\[\],;]{8,}")
_NAME = re.compile(r"[\w.-]+[=:](?=[^=])")
_SETTING = re.compile(
    r"""(?m)^[ \t]*(?:export[ \t]+)?["']?[\w.-]+["']?[ \t]*[=:][ \t]*["']?(?P<value>[^\s"']\S{6,}[^\s"',])["']?,?[ \t]*\r?$"""
)
_ADDRESS = re.compile(r"(?:\w+:)?//[^@?=]*|[\w.-]+:\d+|\d+(?:[.:-]\d+)*")
_STEMS = ("pass", "pwd", "secret", "key", "token", "cred", "auth", "contrase")
_RUN = re.compile(r"[\w+/=-]{11}|://|xox|PRIVATE KEY|[\"'`][\w+/=-]{8}")
_LINES = re.compile(r"[^\r\n]+")
_BEGIN = re.compile(r"(?:-{3,5} ?)?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?(?: ?-{3,5})?")
_END = re.compile(r"(?:-{3,5} ?)?END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?(?: ?-{3,5})?")
_KEY_LINE = r"""[ \t"'`+>|#*/(-]*+(?:[A-Za-z0-9+/=]|\\[nr])*+[ \t"'`+,;)\\]*+"""
_KEY_HEAD = r"""[ \t"'`#*/]*(?:Proc-Type|DEK-Info|Version|Comment): ?[^\r\n]*"""
_BLANK = " \t\r\n\"'`+,;)\\"
_END_OF_LINE = r"(?:\r\n|\n|\r)"
_KEY_TEXT = re.compile(rf"(?:{_KEY_HEAD}|{_KEY_LINE})(?:{_END_OF_LINE}(?:{_KEY_HEAD}|{_KEY_LINE}))*")
_BODY = re.compile(
    rf"""(?:\\[nr][A-Za-z0-9+/=\\]*)+|[ \t"'`+,;)\\]*(?:{_END_OF_LINE}(?:{_KEY_HEAD}|{_KEY_LINE})(?=[\r\n]|\Z))*"""
)
_OPAQUE = re.compile(r"[\w.~+/=:!@#%^&*-]{8,}")
_TEMPLATE = re.compile(r"\$?\{.*\}|<.*>|\$\w+|%\w+%|%\(\w+\)s")


def spans(text: str, path: str) -> list[CredentialSpan]:
    """The ranges of a text that look like a credential; sorted, and none touches another.

    `path` is the file of the text: a value needs quotes in Python, but not in YAML.
    """
    found = [*key_blocks(text)]
    for match in _LINES.finditer(text):
        for start in range(match.start(), match.end(), _WINDOW - _OVERLAP):
            window = text[start : min(start + _WINDOW, match.end())]
            found += [(start + left, start + right) for left, right in _in_line(window, path)]
    return merged(found)


def merged(found: Iterable[CredentialSpan]) -> list[CredentialSpan]:
    """Spans in order; spans that touch are joined."""
    kept: list[CredentialSpan] = []
    for start, end in sorted(found):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def _in_line(line: str, path: str) -> Iterator[CredentialSpan]:
    if _RUN.search(line):
        yield from _tokens(line)
        yield from _random(line)
    lowered = line.lower()
    if any(stem in lowered for stem in _STEMS):
        yield from _named(line, path)


def _tokens(line: str) -> Iterator[CredentialSpan]:
    for rule, group in _rules():
        for match in rule.finditer(line):
            yield _grown(line, match.span(group if group <= rule.groups and match[group] else 0))


@cache
def _rules() -> tuple[tuple[re.Pattern[str], int], ...]:
    """Each rule with the group that is the credential: our rules, and those of detect-secrets' plugins."""
    rules = [re.compile(rule) for rule in _TOKENS]
    kinds: Mapping[str, type[BasePlugin]] = get_mapping_from_secret_type_to_class()
    theirs = [
        (rule, int(rule.groups > 0 and name not in _WHOLE_MATCH))
        for name, kind in kinds.items()
        if issubclass(kind, RegexBasedDetector) and name not in _NO_CREDENTIAL
        for rule in kind().denylist
    ]
    return (*((rule, min(rule.groups, 1)) for rule in rules), *theirs)


def _grown(line: str, span: CredentialSpan) -> CredentialSpan:
    """A token without delimiters at its ends, and with the word characters that continue it."""
    start, end = span
    while start < end and line[start] in " \t\"'`=:":
        start += 1
    while end > start and line[end - 1] in " \t\"'`":
        end -= 1
    while start and (line[start - 1].isalnum() or line[start - 1] == "_"):
        start -= 1
    while end < len(line) and (line[end].isalnum() or line[end] in "_-"):
        end += 1
    return start, end


def _random(line: str) -> Iterator[CredentialSpan]:
    """Random-looking strings after a quote, by the entropy limits of detect-secrets; long ones also without a closing quote."""
    for plugin, rule, least in _measures():
        for match in rule.finditer(line):
            value, closed = match[2], line[match.end() : match.end() + 1] == match[1]
            if (closed or len(value) >= least) and plugin.calculate_shannon_entropy(value) > plugin.entropy_limit:
                yield match.span(2)


@cache
def _measures() -> tuple[tuple[HighEntropyStringsPlugin, re.Pattern[str], int], ...]:
    plugins = (Base64HighEntropyString(), HexHighEntropyString())
    return tuple(
        (plugin, re.compile(rf"([\"'`])([{re.escape(plugin.charset)}]{{8,}})"), 16 if len(plugin.charset) < 30 else 20)
        for plugin in plugins
    )


def _named(line: str, path: str) -> Iterator[CredentialSpan]:
    """Values after names such as `password`; after `token` and similar names only values that look random."""
    line = _LONG_WORD.sub(_without_names, line)
    theirs = REGEX_BY_FILETYPE.get(determine_file_type(path), QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP)
    for rule, group in theirs.items():
        yield from (match.span(group) for match in rule.finditer(line) if _is_value(match[group]))
    yield from (match.span("value") for match in _NAMED.finditer(line) if _is_value(match["value"]))
    is_code = language_of(path) is not None
    for rule in [_LOOSELY] if is_code else [_LOOSELY, _BARE]:
        yield from (match.span("value") for match in rule.finditer(line) if looks_random(match["value"]))
    if is_code:
        yield from (match.span("value") for match in _COMMENT.finditer(line) if _is_mixed(match["value"]))
    yield from (match.span("value") for match in _ASKED.finditer(line) if _is_default(match))
    has_server = _PLACE.search(line) is not None
    for match in _CONNECTION.finditer(line):
        if _is_value(match["value"]) and (has_server or _is_mixed(match["value"])):
            yield match.span("value")


def _without_names(word: re.Match[str]) -> str:
    """A word; if it has very many names in it, blanks replace all but its end, because rules would take too long."""
    lowered = word[0].lower()
    few = sum(map(lowered.count, _STEMS)) < _MANY
    return word[0] if few else " " * (len(word[0]) - 64) + word[0][-64:]


def _is_default(match: re.Match[str]) -> bool:
    """Whether the second of two strings in a call is the value of the first: the call's name or the value shows it."""
    if match["call"].lower() in _GETTERS:
        return _is_value(match["value"])
    return looks_random(match["value"])


def _is_mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and _is_value(value)


def values(text: str) -> Iterator[CredentialSpan]:
    """Each value of eight characters or more, except addresses and plain numbers: in a file of keys each may be one."""
    for match in _SETTING.finditer(text):
        if not _ADDRESS.fullmatch(match["value"]):
            yield match.span("value")
    for word in _WORD.finditer(text):
        name = _NAME.match(word[0])
        start = word.start() + (name.end() if name else 0)
        whole = _ADDRESS.fullmatch(word[0]) or _ADDRESS.fullmatch(text, start, word.end())
        if word.end() - start >= 8 and not whole:
            yield start, word.end()


def _is_value(value: str) -> bool:
    """Whether a value can be a credential: it is neither a placeholder of a template nor a row of asterisks."""
    return any(map(str.isalnum, value)) and not _TEMPLATE.fullmatch(value)


def looks_random(value: str) -> bool:
    """Whether a value has letters and digits, but no blanks and brackets, as generated values do."""
    return bool(_OPAQUE.fullmatch(value)) and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def key_blocks(text: str) -> Iterator[CredentialSpan]:
    """Private keys from their first to their last line; without a last line, up to the end of what looks like a key."""
    for begin in _BEGIN.finditer(text):
        end = _END.search(text, begin.end(), begin.end() + REACH)
        if end is not None and _KEY_TEXT.fullmatch(text, begin.end(), end.start()):
            yield begin.start(), end.end()
        else:
            body = _BODY.match(text, begin.end(), begin.end() + REACH)
            yield begin.start(), begin.end() + len(body[0].rstrip(_BLANK)) if body else begin.end()
