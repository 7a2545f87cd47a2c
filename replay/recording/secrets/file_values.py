"""The values that a file has, with their names: settings, strings, and the lines of keys.

Files are read as people write them, not as a standard demands: a broken line costs its value only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml

from replay.recording.secrets.credentials import spans
from syntax.languages import language_of


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
