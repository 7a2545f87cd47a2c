"""Values that are known to be secret, because a file of the workspace that is not recorded has them.

A known value is found whole, and in the forms in which code repeats it (`_forms`): escaped, in URLs, in base64, in hexadecimal
digits. A part of one is found by eight of its characters in a row, and in text that is deleted by four.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from urllib.parse import quote

from replay.recording.secrets.credentials import CredentialSpan, merged
from replay.recording.secrets.numbered_text import as_units
from replay.recording.secrets.word_lists import ORDINARY

_HEAD, _ROW = 4, 8
_MOST_PARTS = 100_000
"""Code units of values whose parts are found too; of later values only the whole."""
_LONG = 12
"""The shortest value of only letters of which parts are found, in characters."""
_ENCODED = 6
"""The shortest value, in characters, that is also found in base64 and in hexadecimal digits."""
_WORD = re.compile(r"[^\s\"'`<>(){}\[\],;=]+")
_PIECE = re.compile(r"\w{4,}")
_AROUND = 200
"""Characters around deleted text that are looked at too."""
_SHARE = 0.7
"""The least share of a deleted word that parts of known values make up, if they are covered."""


class KnownValues:
    """Finds known values, and parts of them, in texts that have one character for each UTF-16 code unit."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._heads: defaultdict[str, list[str]] = defaultdict(list)
        self._rows: dict[str, tuple[str, int]] = {}
        self._grams: set[str] = set()
        self._room = _MOST_PARTS

    def learn(self, values: Iterable[str]) -> bool:
        """Remember values of four characters or more; true if some are new."""
        new = [units for value in values if len(units := as_units(value)) >= _HEAD and units not in self._known]
        for units in new:
            self._remember(units)
        return bool(new)

    def spans(self, text: str) -> list[CredentialSpan]:
        """Where a text has a known value, eight characters of one in a row with what belongs to it in the same word, or a word of one."""
        grams = {text[at : at + _HEAD] for at in range(len(text) - _HEAD + 1)}
        if grams.isdisjoint(self._grams) and grams.isdisjoint(self._heads):
            return []  # as in nearly all lines
        found = merged((*self._wholes(text), *self._parts(text), *self._pieces(text)))
        return merged((*found, *self._rests(text, found))) if found else []

    def deleted(self, text: str, start: int, end: int) -> list[CredentialSpan]:
        """What of `text[start:end]`, which is about to be deleted, is a part of a known value.

        Someone who deletes half a value has not finished it, so here four characters in a row count, in a word that has little else.
        """
        if not self._grams:
            return []
        runs = self._runs(text, max(0, start - _AROUND), min(len(text), end + _AROUND))
        return [
            (max(left, start), min(right, end))
            for left, right in _most_of_words(runs, text)
            if left < end and right > start
        ]

    def _remember(self, value: str) -> None:
        self._known.add(value)
        for form in _forms(value):
            self._heads[form[:_HEAD]].append(form)
        if len(value) <= self._room:
            self._room -= len(value)
            self._grams.update(value[at : at + _HEAD] for at in range(len(value) - _HEAD + 1))
            rows = ((value[at : at + _ROW], at) for at in range(len(value) - _ROW + 1))
            self._rows.update(
                (row, (value, at))
                for row, at in rows
                if _is_telling(row) or (len(value) >= _LONG and value.isalpha() and _is_no_word(row))
            )

    def _wholes(self, text: str) -> Iterator[CredentialSpan]:
        for at in range(len(text) - _HEAD + 1):
            for form in self._heads.get(text[at : at + _HEAD], ()):
                if text.startswith(form, at) and _stands_alone(text, at, at + len(form)):
                    yield at, at + len(form)

    def _parts(self, text: str) -> Iterator[CredentialSpan]:
        over = 0
        for at in range(len(text) - _ROW + 1):
            if at + _ROW > over and (hit := self._rows.get(text[at : at + _ROW])):
                span = _grown(text, at, *hit)
                over = span[1]
                yield span

    def _pieces(self, text: str) -> Iterator[CredentialSpan]:
        """Words that are a part of a value, from four characters with letters and digits, from six with letters of changing case."""
        for word in _PIECE.finditer(text):
            piece = word[0]
            if (
                piece[:_HEAD] in self._grams
                and self._is_of_grams(piece)
                and _is_mixed(piece)
                and any(piece in value for value in self._known)
            ):
                yield word.span()

    def _is_of_grams(self, piece: str) -> bool:
        return all(piece[at : at + _HEAD] in self._grams for at in range(len(piece) - _HEAD + 1))

    def _rests(self, text: str, found: Iterable[CredentialSpan]) -> Iterator[CredentialSpan]:
        """Parts of four characters or more in the words in which something was found: what a slip of the fingers cut off."""
        words = _Words(text)
        for start, end in words.rests(found):
            yield from self._runs(text, start, end)

    def _runs(self, text: str, start: int, end: int) -> list[CredentialSpan]:
        places = (at for at in range(start, end - _HEAD + 1) if text[at : at + _HEAD] in self._grams)
        return merged((at, at + _HEAD) for at in places)


def _forms(value: str) -> Iterator[str]:
    """A value as it may stand in a text: as it is, escaped for JSON and for strings in quotes, in a URL, in base64, in hexadecimal digits."""
    raw = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    escaped = json.dumps(raw, ensure_ascii=False)[1:-1]
    in_url = quote(raw, safe="")
    forms = {value, json.dumps(raw)[1:-1], escaped, escaped.replace('\\"', '"').replace("'", "\\'")}
    forms |= {in_url, re.sub("%..", lambda found: found[0].lower(), in_url)}
    if len(value) >= _ENCODED:
        content = raw.encode()
        forms |= {content.hex(), content.hex().upper(), *_in_base64(content)}
    return (as_units(form) for form in sorted(forms))


def _in_base64(content: bytes) -> Iterator[str]:
    """The characters of a base64 text that depend on these bytes alone, if 0, 1 or 2 bytes (and any multiple of 3) stand before them.

    For `secret` without others before: `c2VjcmV0`.
    """
    for before in range(3):
        plain = b64encode(bytes(before) + content).decode()
        core = plain[-(-before * 8 // 6) : (before + len(content)) * 8 // 6]
        yield from (core, core.replace("+", "-").replace("/", "_"))


def _grown(text: str, at: int, value: str, inside: int) -> CredentialSpan:
    """The longest part of a value that stands around a row of it."""
    start, end = at, at + _ROW
    while start and inside and text[start - 1] == value[inside - 1]:
        start, inside = start - 1, inside - 1
    rest = inside + end - start
    while end < len(text) and rest < len(value) and text[end] == value[rest]:
        end, rest = end + 1, rest + 1
    return start, end


def _most_of_words(runs: Sequence[CredentialSpan], text: str) -> Iterator[CredentialSpan]:
    """The runs that, with others, make up most of the words in which they begin and end. `runs` are in order, and none touches another."""
    words, lengths = _Words(text), [0, *accumulate(end - start for start, end in runs)]
    starts, ends = [start for start, _ in runs], [end for _, end in runs]
    for run in runs:
        start, end = words.start(run[0]), words.end(run[1])
        first, last = bisect_right(ends, start), bisect_left(starts, end)
        inside = lengths[last] - lengths[first] - max(0, start - starts[first]) - max(0, ends[last - 1] - end)
        if inside >= _SHARE * (end - start):
            yield run


class _Words:
    """Where the words of a text begin and end; each question takes a logarithmic time, however long the words are."""

    def __init__(self, text: str) -> None:
        spans = [word.span() for word in _WORD.finditer(text)]
        self._starts, self._ends = [start for start, _ in spans], [end for _, end in spans]

    def start(self, at: int) -> int:
        """The start of the word that has a character left of this place; the place itself if none has."""
        word = bisect_left(self._starts, at) - 1
        return self._starts[word] if word >= 0 and at <= self._ends[word] else at

    def end(self, at: int) -> int:
        """The end of the word that has a character right of this place; the place itself if none has."""
        word = bisect_right(self._ends, at)
        return self._ends[word] if word < len(self._ends) and self._starts[word] <= at else at

    def rests(self, found: Iterable[CredentialSpan]) -> Iterator[CredentialSpan]:
        """What the words in which spans begin and end have besides each of them; of several in one word the longest rests."""
        before: dict[int, int] = {}
        after: dict[int, int] = {}
        for start, end in found:  # in order
            before[self.start(start)] = start
            after.setdefault(self.end(end), end)
        yield from ((start, end) for start, end in before.items() if start < end)
        yield from ((start, end) for end, start in after.items() if start < end)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a short value, a word or a number is no part of a longer one; longer mixed values may stand anywhere."""
    value = text[start:end]
    if len(value) >= _ROW and not (value.isalpha() or value.isdigit()):
        return True
    return not (text[start - 1 : start].isalnum() and value[0].isalnum()) and not (
        text[end : end + 1].isalnum() and value[-1].isalnum()
    )


def _is_no_word(row: str) -> bool:
    """Whether eight letters, of a value that has nothing but letters, are no part of a word that many projects use."""
    return not any(row.lower() in word or word in row.lower() for word in ORDINARY if len(word) >= _ROW - 2)


def _is_mixed(piece: str) -> bool:
    """Whether a short piece is no word: letters with a digit, or letters of changing case if it is not very short."""
    if any(map(str.isdigit, piece)):
        return any(map(str.isalpha, piece))
    return len(piece) >= _ENCODED and any(one.islower() and other.isupper() for one, other in pairwise(piece))


def _is_telling(row: str) -> bool:
    """Whether eight characters are unlikely in any other text: letters with a digit, or letters of changing case."""
    letters, digits = sum(map(str.isalpha, row)), sum(map(str.isdigit, row))
    turns = any(one.islower() and other.isupper() for one, other in pairwise(row))
    return "*" not in row and letters + digits >= 5 and bool(letters and (digits or turns))
