"""Which values of a file are secrets: those behind a name such as `password`, and those that no person would make up.

A value that every project has (`true`, `localhost`, a port, a version, an address) is none, whatever its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath
from typing import Literal, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml

from replay.recording.secrets.credentials import spans
from replay.recording.secrets.word_lists import ORDINARY
from syntax.languages import language_of

Secrecy: TypeAlias = Literal["secret", "unless a word", "plain"]
"""`unless a word`: secret unless the code of the project uses it as a word."""
SHORTEST, LONGEST = 4, 4_096
"""Characters of a value that counts."""
_RANDOM = 8
"""The shortest value that counts behind a name that says nothing, in characters."""
_LONG = 12
"""The shortest value of plain words that counts in a file of keys, behind a name that says nothing."""
_LONGEST_NAME = 200
"""Characters of a name that count, the last ones."""
_PHRASE = 4
"""Words of a phrase; fewer make a name, as in `inventory-service`."""
_SAYS_LITTLE = frozenset({"key", "keys", "token", "tokens", "auth", "private", "cookie", "cookies", "signature"})
"""Names that data of any kind have: outside of files of keys they need a value that looks random."""
_NAMES_A_SECRET = re.compile(
    r"(?i)pass(?!ive|enger|age)|pwd|secret|token(?!i[sz])|cred|auth(?!or)|(?<!mon)(?<!tur)key(?!board|word|code|cloak)|salt(?!s)|private|signature|(?:^|_)pin(?:$|_)|dsn|"
    r"cookie|bearer|licen[cs]e_?key|webhook|seed_?phrase|mnemonic"
)
_SURELY = re.compile(
    r"(?i)pass(?!ive|enger|age)|pwd|secret|cred|salt(?!s)|(?:^|_)pin(?:$|_)|dsn|bearer|webhook|seed_?phrase|mnemonic|"
    r"(?:api|access|private|signing|encryption|licen[cs]e)[_-]?key"
)
"""Names that nothing but secrets have; `CACHE_KEY`, `TOKEN_FIELD` and `SESSION_COOKIE` may have names of the code as values."""
_COUNTS_TOKENS = re.compile(r"(?i)(?:^|_)(?:max|min|num|total|input|output|prompt|completion|context)\w*tokens?$")
_NAMES_A_PROPERTY = re.compile(
    r"(?i)(?:^|[^a-z]|(?<=[a-z])(?=[A-Z]))(?:ur[il]s?|hosts?|hostname|ports?|paths?|files?|filename|dirs?|folder|ttl|timeout|expir\w*|age|lifetime|"
    r"algorithms?|alg|methods?|types?|driver|enabled|disabled|names?|users?|username|email|issuer|audience|realm|scopes?|"
    r"length|size|count|version|regions?|headers?|domains?|formats?|modes?|prefix|provider|backend|class|policy|required|"
    r"limits?|budget|algo|models?|fields?|columns?)$"
)
_PLACEHOLDER = re.compile(
    r"(?i)\$?\{.*\}|<.*>|(?-i:\$[A-Z_][A-Z0-9_]*)|\$\(.*\)|%\w+%|(.)\1*|(?!.*\d)(?:(?:your|insert)[-_ ].*|.*[-_ ](?:here|goes))|"
    r"(?:change|replace)[-_ ]?(?:me|this).*|(?:process\.)?env[.:].*|!(?:vault|secret|env|include)\b.*|sha\d{1,3}[-:].*"
)
_PLAIN_PART = re.compile(
    r"\d{1,4}|[a-z]+|[A-Z][a-z]*|[A-Z]+|[A-Za-z]{2,}\d{1,3}|\w{1,3}|v?\d+[a-z]{0,2}\d{0,2}|\d{8}|\d{10,13}"
)
_PATH_OF_NAMES = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]?[\d:.]*(?:Z|[+-]\d\d:?\d\d)?")
_SIGNS = re.compile(r"[\W_]+")


def judge_value(value: NamedValue, *, in_key_file: bool) -> Secrecy:
    """Whether a value must be on no tape. `in_key_file`: its file is one that usually has keys (`.env`, `credentials.json`)."""
    text = value.text
    if not SHORTEST <= len(text) <= LONGEST or text.lower() in ORDINARY or _PLACEHOLDER.fullmatch(text):
        return "plain"
    says_little = value.name.lower() in _SAYS_LITTLE or _PATH_OF_NAMES.fullmatch(text)
    if names_a_secret(value.name) and (in_key_file or not says_little):
        return (
            _behind_a_name(text) if _SURELY.search(_last_part(value.name)) else _behind_a_vague_name(text, in_key_file)
        )
    if is_random(text) if in_key_file else is_random(text, _RANDOM) and not text.isalpha():
        return "unless a word" if text.isalpha() else "secret"
    return "unless a word" if in_key_file and value.name and _is_long(text) else "plain"


def names_a_secret(name: str) -> bool:
    """Whether values behind this name are secret: `DB_PASSWORD`, `mail.apiKey`; not `TOKEN_URL`, `keyFile`, `secrets.mode`."""
    name = _last_part(name)
    return bool(_NAMES_A_SECRET.search(name)) and not (_NAMES_A_PROPERTY.search(name) or _COUNTS_TOKENS.search(name))


def is_random(text: str, part: int = 1) -> bool:
    """Whether no person would make up a value: eight characters or more without blanks, and not only words, short numbers and addresses.

    Without its signs it has a piece of at least `part` characters that mixes letters with digits, or changes case twice.
    """
    if len(text) < _RANDOM or any(map(str.isspace, text)) or "://" in text or _DATE.fullmatch(text):
        return False
    pieces = (piece for piece in _SIGNS.split(text) if len(piece) >= part)
    return any(not _PLAIN_PART.fullmatch(piece) and _is_mixed(piece) for piece in pieces)


def _last_part(name: str) -> str:
    return name[-_LONGEST_NAME:].rpartition(".")[2]


def _behind_a_vague_name(text: str, in_key_file: bool) -> Secrecy:
    """Outside of files of keys only what looks random is secret; in them, what may be a name of the code is one unless it is."""
    if not in_key_file:
        return "secret" if is_random(text) else "plain"
    return "unless a word" if _behind_a_name(text) == "secret" and _is_name(text) else _behind_a_name(text)


def _is_name(text: str) -> bool:
    """Whether a value may be a name in the code: fewer plain parts than a phrase has, as in `session_id` and `connect.sid`."""
    parts = [part for part in _SIGNS.split(text) if part]
    return len(parts) < _PHRASE and all(_PLAIN_PART.fullmatch(part) or not _is_mixed(part) for part in parts)


def _behind_a_name(text: str) -> Secrecy:
    if not _is_possible(text):
        return "plain"
    return "unless a word" if text.isalpha() and len(text) < 2 * _RANDOM else "secret"


def _is_long(text: str) -> bool:
    """Whether a value of words may be a phrase that opens something: one long word, or four and more, and no text, address, list or path."""
    words = [word for word in _SIGNS.split(text) if word]
    is_public = re.search(r"[\s@,/.:]", text) or not any(map(str.isalpha, text))
    return len(text) >= _LONG and not is_public and (len(words) == 1 or len(words) >= _PHRASE) and _is_possible(text)


def _is_possible(text: str) -> bool:
    """Whether a value behind the name of a secret can be one: no address, no path, no short number, nothing without letters and digits."""
    if text.isdigit():
        return len(text) >= SHORTEST + 2
    is_address = "://" in text or text[:1] in {"/", "~", "."} or (text[1:3] == ":\\")
    return any(map(str.isalnum, text)) and not (is_address and not is_random(text))


def _is_mixed(part: str) -> bool:
    """Letters with digits, or letters whose case changes twice."""
    turns = sum(one.islower() and other.isupper() for one, other in pairwise(part))
    return any(map(str.isalpha, part)) and (any(map(str.isdigit, part)) or turns >= 2)


# The values that a file has, with their names: settings, strings, and the lines of keys.
#
# Files are read as people write them, not as a standard demands: a broken line costs its value only.


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value of a file, without quotes and escapes, and the name that it stands behind; empty if it has none."""

    name: str
    text: str


_MOST_CODE = 200_000
"""Characters of a file of code that are searched."""
_KEY_FILES = re.compile(r"(?i)\.(?:pem|key|p8|ppk|asc|gpg|age|kdb|ovpn)$|^id_\w+$")
_KEY_LINE = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/=_]{16,}(?![\w-])")
_OF_LOGINS = re.compile(r"(?i)pgpass|passwd|netrc|history|credentials")
_SETTING = re.compile(
    r"""(?mx)^[ \t]*+(?:[\#;]++|//)?[ \t]*+(?:export[ \t]++|set[ \t]++|-[ \t]++)?
        (?P<name>["']?[\w.:/@-]*\w["']?)[ \t]*+(?:=>|=|:(?=[ \t]))[ \t]*+(?P<value>[^\r\n]*)"""
)
_STRING = re.compile(
    r"""(?xs)\\.|(?:(?<![\w.-])(?P<name>[\w.-]++)["'\]]?\s*+(?:=>|[:=])\s*+)?
        (?P<quote>["'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*+)(?P=quote)(?P<is_key>\s*+:)?"""
)
"""A string with its name, or an escaped character outside of strings. The time is proportional to the text: a name is tried from its beginning
alone, and a kind of quote that is never closed once."""
_LOGIN = re.compile(
    r"""(?mx)^[^\s:]+:(?:[^\s]*:)?(?P<field>[^\s:]+)[ \t]*\r?$
        |(?<![\w-])--?(?P<option>[\w-]{1,40})[ =]+(?P<given>[^\s"'-][^\s"']*)|\bpassword\s+(?P<said>\S+)"""
)
"""A login in `.pgpass`, `.htpasswd`, `.netrc` or a history of commands."""
_NUMBER = re.compile(r"[\"']([\w.-]+)[\"']\s*:\s*(\d{6,})")
_PAIR = re.compile(r"(?:^|;)\s*+(?P<name>[\w ]{1,40}?)\s*+=\s*+(?P<value>[^;]+)")
_BETWEEN_STRINGS = " \t\r\n,:["
_WORDS = re.compile(r"[^\s=,;\"'`()<>{}\[\]]+")
_COMMENT = re.compile(r"\s[#;].*$")
_QUOTES = "\"'`"
_JSON = (".json", ".jsonc", ".json5", ".ipynb")


def file_values(text: str, path: str) -> Iterator[NamedValue]:
    """All values in the text of a file with this path; some come several times."""
    if language_of(path) is not None and not path.lower().endswith(_JSON):
        yield from _in_code(text[:_MOST_CODE], path)
        return
    for found in _all_of(text, PurePath(path).name.lower()):
        yield found
        yield from _inside(found)


def _in_code(text: str, path: str) -> Iterator[NamedValue]:
    """What looks like a credential, and each string of one line; line by line, for comments have single apostrophes."""
    yield from (NamedValue("secret", text[start:end]) for start, end in spans(text, path))
    for found in (found for line in text.splitlines() for found in _strings(line)):
        yield found
        if " " not in found.text:
            yield from _inside(found)


def _all_of(text: str, name: str) -> Iterator[NamedValue]:
    yield from _strings(text)
    yield from (NamedValue(key, number) for key, number in _NUMBER.findall(text))
    if name.endswith(_JSON):
        return
    if name.endswith((".yml", ".yaml")):
        yield from _in_yaml(text)
    if _KEY_FILES.search(name) or "PRIVATE KEY" in text:
        yield from (NamedValue("private key", line) for line in _KEY_LINE.findall(text))
    if _OF_LOGINS.search(name):
        yield from _logins(text)
    yield from (NamedValue(_bare(found["name"]), _unquoted(found["value"])) for found in _SETTING.finditer(text))
    yield from (NamedValue("", word) for word in _WORDS.findall(text))


def _logins(text: str) -> Iterator[NamedValue]:
    for found in _LOGIN.finditer(text):
        yield NamedValue(found["option"] or "password", found["field"] or found["given"] or found["said"])


def _strings(text: str) -> Iterator[NamedValue]:
    """Each string in quotes, as it stands there and without escapes, behind its own name or that of the list that it is in."""
    name, over = "", 0
    for found in _STRING.finditer(text):
        if found["quote"] is None:
            continue
        goes_on = not text[over : found.start()].strip(_BETWEEN_STRINGS)
        name, over = found["name"] or (name if goes_on else ""), found.end()
        if found["is_key"]:
            name = found["text"]
            continue
        yield NamedValue(name, found["text"])
        if "\\" in found["text"]:
            yield NamedValue(name, _unescaped(found["text"]))


@dataclass(slots=True)
class _Collection:
    """A mapping or a list of YAML while it is read: the last name in or above it, and whether a name comes next."""

    is_mapping: bool
    name: str
    name_is_next: bool

    def value_is_over(self) -> None:
        self.name_is_next = self.is_mapping


def _in_yaml(text: str) -> Iterator[NamedValue]:
    """The scalars of YAML, without following aliases; up to the first mistake."""
    loader = yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader
    open_ones = [_Collection(is_mapping=False, name="", name_is_next=False)]
    with suppress(yaml.YAMLError, RecursionError, ValueError):
        for event in yaml.parse(text, Loader=loader):
            yield from _after(event, open_ones)


def _after(event: yaml.Event, open_ones: list[_Collection]) -> Iterator[NamedValue]:
    """Take in one event of YAML: `open_ones` has the collections that it is in, the innermost last; give the value that it is."""
    inner = open_ones[-1]
    match event:
        case yaml.CollectionStartEvent():
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            open_ones.append(_Collection(is_mapping, inner.name, name_is_next=is_mapping))
        case yaml.CollectionEndEvent():
            open_ones.pop()
            open_ones[-1].value_is_over()
        case yaml.ScalarEvent() | yaml.AliasEvent() if inner.name_is_next:
            inner.name, inner.name_is_next = getattr(event, "value", ""), False
        case yaml.AliasEvent():
            inner.value_is_over()
        case yaml.ScalarEvent():
            yield NamedValue(inner.name, event.value)
            inner.value_is_over()
        case _:  # beginnings and ends of documents
            pass


def _inside(found: NamedValue) -> Iterator[NamedValue]:
    """The values in a value: each line of it, the password and the parameters of a URL, the parts of a connection string, words."""
    lines = re.split(r"\\[nr]|[\r\n]+", found.text)
    if len(lines) > 1:
        yield from (NamedValue(found.name, line.strip()) for line in lines)
    if "://" in found.text:
        yield from _in_url(found.text)
    if ";" in found.text and "=" in found.text:
        yield from (NamedValue(part["name"], part["value"].strip()) for part in _PAIR.finditer(found.text))
    if found.text[:1] == "{":
        yield from _strings(found.text)
    if " " in found.text:
        yield from (NamedValue("", word) for word in _WORDS.findall(found.text))


def _in_url(text: str) -> Iterator[NamedValue]:
    with suppress(ValueError):
        parts = urlsplit(text)
        # a name without a password may be a token, as in https://TOKEN@host
        name, secret = ("password", parts.password) if parts.password else ("token", parts.username or "")
        yield from (NamedValue(name, text) for text in dict.fromkeys((secret, unquote(secret))) if text)
        yield from (NamedValue(name, value) for name, value in parse_qsl(parts.query))


def _bare(name: str) -> str:
    return name.strip(_QUOTES)


def _unquoted(value: str) -> str:
    """The right side of a setting: what is in quotes, else all up to a comment and a comma."""
    value = value.strip()
    if value[:1] in {'"', "'", "`"} and (end := value.find(value[0], 1)) > 0:
        return value[1:end]
    return _COMMENT.sub("", value).rstrip(",; \t").strip(_QUOTES)


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return re.sub(r"\\(.)", r"\1", text)
