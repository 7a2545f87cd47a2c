"""What can be said of an answer to MPR-Gen without a judge: whether it is a patch of the same code, whether that parses, and how near it is to the original.

EFCB publishes patches, no files. The lines that the original patch shows of a file as it was (context and removed lines) are put where its hunks say; what lies
between them is not known, and no patch that touches it applies. Questions that are made of a repository bring the whole file where it parses before and after.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import Levenshtein

from corpora.efcb.questions import MASK, PullRequestQuestion, patch
from syntax.languages import language_of
from syntax.parse import has_error

_FENCE = re.compile(r"\A\s*```[^\n]*\n(.*?)\n```\s*\Z", re.DOTALL)
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_RULE = "---"
_ABSENT = None
"""A line of a file that no patch shows."""


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """A hunk: the line of the old file where it starts, from 1 (0: the file is new), and its lines, each with its mark."""

    start: int
    lines: tuple[str, ...]

    @property
    def old(self) -> list[str]:
        """Its lines as they were: context and what it removes. An empty line is a context line without its mark, as git reads it."""
        return [line[1:] for line in self.lines if line[:1] in {" ", "-", ""}]

    @property
    def new(self) -> list[str]:
        """Its lines as they are to be."""
        return [line[1:] for line in self.lines if line[:1] in {" ", "+", ""}]


@dataclass(frozen=True, slots=True)
class PatchChecks:
    """What an answer to MPR-Gen is worth by rules. None where nothing can be said."""

    keeps: bool
    """The answer is the shown patch with something in the place of the mask, to the letter (white space at the ends aside)."""
    applies: bool
    """Each of its hunks, of which there is one at least, stands in the old code of its file; numbers of lines in its heads say where to begin to look."""
    exact: bool
    """It keeps what is shown, and what it fills in is what was hidden, white space at the ends of lines aside."""
    similarity: float
    """1 less the edit distance over tokens (words and other characters) of the answer and the whole original, by the longer of both."""
    unfilled: float
    """The same of the shown patch without a line in the place of its mask: what is worth nothing comes to this."""
    filled: float | None
    """The same of what it fills in and what was hidden; None where it does not keep what is shown."""
    parses: bool | None
    """It applies to the whole file, which then has no error of syntax; None where the question brings no file."""


def checked(question: PullRequestQuestion, answer: str) -> PatchChecks:
    """The checks of an answer to a question of MPR-Gen."""
    said, ideal, shown = patch(unfenced(answer)), patch(question.ideal), patch(question.shown_diff)
    head, _, tail = shown.partition(MASK)
    hidden = ideal[len(head) : len(ideal) - len(tail)]
    keeps = said.startswith(head) and said.endswith(tail) and len(said) >= len(head) + len(tail)
    filling = said[len(head) : len(said) - len(tail)] if keeps else None
    hunks = hunks_of(said)
    known = {path: _known(own) for path, own in hunks_of(ideal).items()}
    return PatchChecks(
        keeps=keeps,
        applies=bool(hunks)
        and all(path in known and applied(known[path], own) is not None for path, own in hunks.items()),
        exact=filling is not None and _trimmed(filling) == _trimmed(hidden),
        similarity=similarity(said, ideal),
        unfilled=similarity(head + tail, ideal),
        filled=None if filling is None else similarity(filling, hidden),
        parses=_parses(question, hunks),
    )


def unfenced(answer: str) -> str:
    """What stands in the one block between fences that an answer consists of; else the answer."""
    found = _FENCE.match(answer)
    return found[1] if found and "\n```" not in found[1] else answer


def similarity(one: str, other: str) -> float:
    """1 less the edit distance over tokens by the longer of both; 1 where both have none.

    Example: `a = b + 1` and `a = c + 1` are 0.8 alike.
    """
    first, second = _TOKEN.findall(one), _TOKEN.findall(other)
    longer = max(len(first), len(second))
    return 1 - Levenshtein.distance(first, second) / longer if longer else 1.0


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def hunks_of(text: str) -> dict[str, list[PatchHunk]]:
    """Path → hunks, of a patch in EFCB's form (a path, hunks, and a rule between files). Empty where it is none.

    A line is no rule where no path and head of a hunk follow: then a `--` was removed.
    """
    lines, found = text.split("\n"), dict[str, list[PatchHunk]]()
    starts = _file_starts(lines)
    if starts[:1] != [0]:
        return {}
    for at, end in zip(starts, [*(start - 1 for start in starts[1:]), len(lines)], strict=True):
        found.setdefault(lines[at].strip(), []).extend(_hunks(lines[at + 1 : end]))
    sound = all(_is_sound(hunk) for own in found.values() for hunk in own)
    return found if sound else {}


def _file_starts(lines: Sequence[str]) -> list[int]:
    return [
        at
        for at in range(len(lines) - 1)
        if _HUNK.match(lines[at + 1]) and (at == 0 or lines[at - 1] == _RULE) and lines[at].strip()
    ]


def path_at(text: str, line: int) -> str:
    """The path of the file that a line of a patch is of, from 0."""
    lines = text.split("\n")
    return lines[max(start for start in _file_starts(lines) if start <= line)].strip()


def _hunks(lines: Sequence[str]) -> list[PatchHunk]:
    heads = [(at, found) for at, line in enumerate(lines) if (found := _HUNK.match(line))]
    ends = [*(at for at, _ in heads[1:]), len(lines)]
    return [PatchHunk(int(head[1]), tuple(lines[at + 1 : end])) for (at, head), end in zip(heads, ends, strict=True)]


def _is_sound(hunk: PatchHunk) -> bool:
    return bool(hunk.lines) and all(line[:1] in {" ", "+", "-", "\\", ""} for line in hunk.lines)


def _known(hunks: Sequence[PatchHunk]) -> list[str | None]:
    """The old file as far as its hunks show it."""
    lines: list[str | None] = []
    for hunk in hunks:
        lines += [_ABSENT] * (hunk.start - 1 - len(lines))
        lines += hunk.old
    return [*lines, _ABSENT] if any(hunk.start for hunk in hunks) else lines


def applied(before: Sequence[str | None], hunks: Sequence[PatchHunk]) -> list[str | None] | None:
    """The lines of a file with hunks applied, each behind the one before it; None where one does not apply.

    A hunk without old lines applies where its head says, if the file has so many lines.
    """
    lines, shift, least = list(before), 0, 0
    for hunk in hunks:
        wanted = hunk.start - bool(hunk.old)
        at = _place(lines, hunk, wanted + shift, least)
        if at is None:
            return None
        lines[at : at + len(hunk.old)] = hunk.new
        shift, least = at - wanted + len(hunk.new) - len(hunk.old), at + len(hunk.new)
    return lines


def _place(lines: Sequence[str | None], hunk: PatchHunk, wanted: int, least: int) -> int | None:
    """Where the old lines of a hunk stand at or behind `least`, the nearest to `wanted`."""
    old = hunk.old
    if not old:
        return wanted if least <= wanted <= len(lines) else None
    places = (at for at in range(least, len(lines) - len(old) + 1) if list(lines[at : at + len(old)]) == old)
    return min(places, key=lambda at: abs(at - wanted), default=None)


def _parses(question: PullRequestQuestion, hunks: Mapping[str, Sequence[PatchHunk]]) -> bool | None:
    file = question.file
    if file is None:
        return None
    after = applied(file.before.split("\n") if file.before else [], hunks.get(file.path, ()))
    return after is not None and file.path in hunks and parses(file.path, "\n".join(line or "" for line in after))


def parses(path: str, text: str) -> bool:
    """Whether a file has a language that is known, and no error of syntax."""
    language = language_of(path)
    return language is not None and not has_error(language, text)
