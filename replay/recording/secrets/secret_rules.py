"""Which values of a file are secrets: those behind a name such as `password`, and those that no person would make up.

A value that every project has (`true`, `localhost`, a port, a version, an address) is none, whatever its name.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal, TypeAlias

from replay.recording.secrets.file_values import NamedValue
from replay.recording.secrets.word_lists import ORDINARY

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
