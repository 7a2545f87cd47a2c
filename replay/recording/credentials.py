"""What in a text looks like a credential: the rules of detect-secrets, and some of our own where those see too little.

Ours are for tokens that came after detect-secrets' last release, for strings whose quote is not closed yet, for values without
quotes in files that are no code, for the whole of private keys, and for the rest of a token whose beginning was recognised.
Nothing here asks anything of anyone: the verification that detect-secrets offers is never called.
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

Span: TypeAlias = tuple[int, int]
"""(start, end): indices into the text."""

REACH = 16_384
"""How far behind its first line the end of a private key is looked for, in characters."""
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
    r"://[^\s/:@\"'`]*:([^\s/@\"'`{}$<>]+)@",
    r"://[^\s/:@\"'`]+:(?=[^\s/@]*\d)(?=[^\s/@]*[A-Za-z])([^\s/@\"'`{}$<>%]{6,})",
    r"(?i:AccountKey|SharedAccessKey|sig)=([\w+/%=-]{30,})",
)
_NAMES = "|".join([*DENYLIST, "passphrase", "access_?key", "signing_?key", "encryption_?key", "client_?secret"])
_LOOSE = r"token|credential|auth"
_ASSIGNED = r"""s?\w*[\]"'`)]{0,2}\s*(?::\s*\w[\w\[\], |.]*\s*=|:=|=>|={1,3}|!==?|:|\()\s*"""
_QUOTED = r"""@?[a-z]{0,2}(["'`])(?P<value>[\w!@#$%^*?~-](?:[^"'`\r\n]*?(?=\1)|[^"'`\s]*(?=\s*$)))"""
_NAMED = re.compile(rf"(?i)(?:{_NAMES}){_ASSIGNED}{_QUOTED}")
_LOOSELY = re.compile(rf"(?i)(?:{_LOOSE}){_ASSIGNED}{_QUOTED}")
_BARE = re.compile(rf"(?i)(?:{_NAMES}|{_LOOSE})\w*\s*[:=]\s*(?P<value>[^\s\"'`$<{{(\[][^\s\"'`]{{5,}})")
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


def spans(text: str, path: str) -> list[Span]:
    """Where something stands in a text that looks like a credential; sorted, none touching another.

    `path` is where the text comes from: what needs no quotes in a YAML file would need them in Python.
    """
    found = [*key_blocks(text)]
    for match in _LINES.finditer(text):
        for start in range(match.start(), match.end(), _WINDOW - _OVERLAP):
            window = text[start : min(start + _WINDOW, match.end())]
            found += [(start + left, start + right) for left, right in _in_line(window, path)]
    return merged(found)


def merged(found: Iterable[Span]) -> list[Span]:
    """Spans in their order, those that touch made one."""
    kept: list[Span] = []
    for start, end in sorted(found):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def _in_line(line: str, path: str) -> Iterator[Span]:
    if _RUN.search(line):
        yield from _tokens(line)
        yield from _random(line)
    lowered = line.lower()
    if any(stem in lowered for stem in _STEMS):
        yield from _named(line, path)


def _tokens(line: str) -> Iterator[Span]:
    for rule, group in _rules():
        for match in rule.finditer(line):
            yield _grown(line, match.span(group if group <= rule.groups and match[group] else 0))


@cache
def _rules() -> tuple[tuple[re.Pattern[str], int], ...]:
    """Each rule with the group that holds the credential: ours, and those of detect-secrets' plugins."""
    rules = [re.compile(rule) for rule in _TOKENS]
    kinds: Mapping[str, type[BasePlugin]] = get_mapping_from_secret_type_to_class()
    theirs = [
        (rule, int(rule.groups > 0 and name not in _WHOLE_MATCH))
        for name, kind in kinds.items()
        if issubclass(kind, RegexBasedDetector) and name not in _NO_CREDENTIAL
        for rule in kind().denylist
    ]
    return (*((rule, min(rule.groups, 1)) for rule in rules), *theirs)


def _grown(line: str, span: Span) -> Span:
    """A token without the delimiters at its ends, and with the word characters that go on from it."""
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


def _random(line: str) -> Iterator[Span]:
    """Random-looking strings behind a quote, as detect-secrets measures them; long ones also before the quote is closed."""
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


def _named(line: str, path: str) -> Iterator[Span]:
    """Values behind names such as `password`; behind `token` and the like only what looks random."""
    theirs = REGEX_BY_FILETYPE.get(determine_file_type(path), QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP)
    for rule, group in theirs.items():
        yield from (match.span(group) for match in rule.finditer(line) if _is_value(match[group]))
    yield from (match.span("value") for match in _NAMED.finditer(line) if _is_value(match["value"]))
    loose = [_LOOSELY] if language_of(path) else [_LOOSELY, _BARE]
    for rule in loose:
        yield from (match.span("value") for match in rule.finditer(line) if looks_random(match["value"]))


def _is_value(value: str) -> bool:
    """Whether it can be a credential at all: no placeholder of a template, no row of asterisks."""
    return any(map(str.isalnum, value)) and not _TEMPLATE.fullmatch(value)


def looks_random(value: str) -> bool:
    """Whether a value mixes letters and digits without blanks and brackets, as a machine or a careful person makes them up."""
    return bool(_OPAQUE.fullmatch(value)) and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def key_blocks(text: str) -> Iterator[Span]:
    """Private keys from their first line to their last; to where what looks like one ends if the last line is not there."""
    for begin in _BEGIN.finditer(text):
        end = _END.search(text, begin.end(), begin.end() + REACH)
        if end is not None and _KEY_TEXT.fullmatch(text, begin.end(), end.start()):
            yield begin.start(), end.end()
        else:
            body = _BODY.match(text, begin.end(), begin.end() + REACH)
            yield begin.start(), begin.end() + len(body[0].rstrip(_BLANK)) if body else begin.end()
