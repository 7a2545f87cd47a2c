"""Makes the questions of EFCB's tasks, and of `gmcq-hard-2`, about the pull requests of one repository."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import Levenshtein
import msgspec

from corpora.efcb.making.git_pull_requests import PullRequest
from corpora.efcb.patches import path_at
from corpora.efcb.questions import LETTERS, MASK, MASKED_LINES, MaskedFile

_WORD = re.compile(r"[^\W\d]\w+")
_CHOOSE = "Which of the four choices A, B, C and D is the patch of this pull request? Answer with one upper-case letter, and nothing else."
_FILL = f"The code diff of a pull request has lines that are masked, marked {MASK}. Write the whole code diff with the lines in their place, and nothing else."
_DESCRIBE = (
    "Write the title and the description of the pull request with this code diff, in this form:\n\nTitle: …\n\nBody: …"
)
ENDINGS: Mapping[str, str] = MappingProxyType(
    {
        "gmcq-easy": "mcq_easy",
        "gmcq-hard": "mcq_hard",
        "gmcq-hard-2": "mcq_hard_2",
        "mpr-gen": "mpr_gen",
        "reverse-qa": "reverse_qa",
    }
)
"""Task → how its file ends."""


@dataclass(frozen=True, slots=True)
class QuestionMaker:
    """Makes the questions; what is drawn comes from `seed`, the task and the commit, so that one more pull request changes no other question."""

    requests: Sequence[PullRequest]
    seed: int = 0
    files: Callable[[PullRequest, str], MaskedFile | None] = lambda _request, _path: None
    """What reads a file as it was before a pull request, for the checks of MPR-Gen."""

    def rows(self, task: str) -> Iterator[dict[str, Any]]:
        """The lines of the file of a task, in EFCB's form. A pull request that a task cannot be made of is left out."""
        make = {
            "gmcq-easy": self._easy,
            "gmcq-hard": self._hard,
            "gmcq-hard-2": self._hard_2,
            "mpr-gen": self._masked,
            "reverse-qa": self._reverse,
        }[task]
        for request in self.requests:
            row = make(request, random.Random(f"{self.seed} {task} {request.commit}"))  # noqa: S311 - questions, no secrets
            if row is not None:
                yield row

    def _easy(self, request: PullRequest, draw: random.Random) -> dict[str, Any]:
        others = draw.sample([each.patch for each in self.requests if each is not request], len(LETTERS) - 1)
        return _choices(request, others, draw)

    def _hard(self, request: PullRequest, draw: random.Random) -> dict[str, Any] | None:
        """As EFCB does, but a wrong choice is never the right one, nor another wrong one."""
        wrong: set[str] = set()
        for _ in range(60):
            if len(wrong) < len(LETTERS) - 1:
                wrong |= {_swapped(request.patch, draw)} - {request.patch}
        return _choices(request, sorted(wrong), draw) if len(wrong) == len(LETTERS) - 1 else None

    def _hard_2(self, request: PullRequest, draw: random.Random) -> dict[str, Any] | None:
        made = variants(request.patch, draw)
        return None if made is None else _choices(request, made.wrong, draw) | {"kind": made.kind}

    def _masked(self, request: PullRequest, draw: random.Random) -> dict[str, Any] | None:
        lines = request.patch.split("\n")
        starts = [
            at
            for at in range(1, len(lines) - MASKED_LINES)
            if any(line.startswith("+") for line in lines[at : at + MASKED_LINES])
            and not any(line.startswith("@@") for line in lines[at : at + MASKED_LINES])
        ]
        if not starts or MASK in request.patch:
            return None
        at = draw.choice(starts)
        masked = "\n".join([*lines[:at], MASK, *lines[at + MASKED_LINES :]])
        asked = f"Title: {request.title}\n\nDescription: {request.body}\n\nCode Diff:\n{masked}\n---\n"
        made = _row(_FILL, asked, f"{request.patch}\n---\n")
        file = self.files(request, path_at(request.patch, at))
        return made if file is None else made | {"file": file}

    def _reverse(self, request: PullRequest, draw: random.Random) -> dict[str, Any]:
        return _row(_DESCRIBE, f"{request.patch}\n---\n", f"Title: {request.title}\n\nBody: {request.body}\n")


def _row(system: str, asked: str, ideal: str) -> dict[str, Any]:
    return {"input": [{"role": "system", "content": system}, {"role": "user", "content": asked}], "ideal": ideal}


def _choices(request: PullRequest, wrong: Sequence[str], draw: random.Random) -> dict[str, Any]:
    right = draw.randrange(len(LETTERS))
    order = draw.sample(list(wrong), len(wrong))
    order.insert(right, request.patch)
    shown = "\n\n".join(f"Choice {letter}:\n{text}\n---" for letter, text in zip(LETTERS, order, strict=True))
    return _row(_CHOOSE, f"Task Description:\n{request.body}\n\n---\n\n{shown}\n", LETTERS[right])


def _swapped(patch: str, draw: random.Random) -> str:
    """The patch with two of its words swapped (Liang 2025, section 3.2.2)."""
    words = list(_WORD.finditer(patch))
    if len(words) < 2:
        return patch
    one, two = sorted(draw.sample(words, 2), key=lambda found: found.start())
    return f"{patch[: one.start()]}{two[0]}{patch[one.end() : two.start()]}{one[0]}{patch[two.end() :]}"


def write_questions(maker: QuestionMaker, folder: Path, name: str) -> dict[str, int]:
    """Write the files of a repository below `folder/name`; returns the number of questions of each task.

    Raises:
        OSError: they cannot be written.

    """
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    counts = {}
    for task, ending in ENDINGS.items():
        rows = [msgspec.json.encode(row) + b"\n" for row in maker.rows(task)]
        (place / f"{name}_{ending}.jsonl").write_bytes(b"".join(rows))
        counts[task] = len(rows)
    return counts


# Three wrong versions of a patch that its shape does not tell from the right one.
#
# EFCB's Hard swaps two words three times, so the original is nearest to all four. Here **one place** of the patch has four fillings of one kind, the original
# among them. Any two versions then differ in just that place. Of an identifier, an operator or a constant that is one word, so all pairwise distances over words
# are alike: the medoid over words is a tie, and a rule that breaks ties by the order takes the first choice. Over characters the place of the original in the order
# of summed distances, and where it can be in that of lengths, is drawn. The orders of four lines are a fixed set of four, each of which has the other three
# around it in the same way: their distances are not all alike, and nothing is drawn, but no version is the middle by its making.

ChangeKind: TypeAlias = Literal["identifier", "operator", "constant", "order"]
_NAME = re.compile(r"(?<![\w.\"'])[A-Za-z_][A-Za-z_0-9]{2,}(?![\w\"'])")
_NUMBER = re.compile(r"(?<![\w.#-])\d{1,6}(?![\w.])")
_OPERATORS = (("<", "<=", ">", ">="), ("+", "-", "*", "/"), ("==", "!=", "<=", ">="))
_OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|<|>|\+|-|\*|/)(?= )")
_DRAWS = 80
_FOUR = 4
_KLEIN = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
"""The orders of four lines that are all alike to each other (the Klein four-group): from any of them the other three look the same."""


@dataclass(frozen=True, slots=True)
class ChangePlace:
    """A place of a text, as indices, and what may stand there beside what stands there now."""

    start: int
    end: int
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variants:
    """The kind of the place, and the three wrong versions."""

    kind: ChangeKind
    wrong: tuple[str, str, str]


def variants(patch: str, draw: random.Random) -> Variants | None:
    """Three wrong versions of a patch, changed in one place on its added lines; None where it has no place that can be.

    The kind is drawn of those that the patch has places of.
    """
    places = {kind: found for kind, find in _PLACES.items() if (found := list(find(patch, draw)))}
    while places:
        kind = draw.choice(sorted(places))
        place = places[kind].pop(draw.randrange(len(places[kind])))
        if not places[kind]:
            del places[kind]
        wrong = _drawn(patch, place, draw)
        if wrong is not None:
            return Variants(kind, wrong)
    return None


def _drawn(patch: str, place: ChangePlace, draw: random.Random) -> tuple[str, str, str] | None:
    """Three fillings among which the original has the drawn ranks; where none has both, the drawn rank of distances."""
    here = patch[place.start : place.end]
    others = sorted(set(place.others) - {here})
    if len(others) < _FOUR - 1:
        return None
    near, long = draw.randrange(_FOUR), draw.randrange(_FOUR)
    fallback = None
    for _ in range(_DRAWS):
        three = draw.sample(others, _FOUR - 1)
        if _rank([-_apart(one, [here, *three]) for one in (here, *three)], draw) != near:
            continue
        fallback = fallback or three
        if _rank([float(len(one)) for one in (here, *three)], draw) == long:
            fallback = three
            break
    if fallback is None:
        return None
    first, second, third = (patch[: place.start] + filling + patch[place.end :] for filling in fallback)
    return first, second, third


def _apart(one: str, others: Sequence[str]) -> float:
    return float(sum(Levenshtein.distance(one, other) for other in others))


def _rank(values: Sequence[float], draw: random.Random) -> int:
    """How many values are above the first; of those that are equal to it, a drawn number."""
    above, equal = sum(value > values[0] for value in values), sum(value == values[0] for value in values[1:])
    return above + draw.randint(0, equal)


def _added(patch: str) -> Iterator[tuple[int, str]]:
    """The added lines: where each starts behind its `+`, and its text."""
    at = 0
    for line in patch.split("\n"):
        if line.startswith("+"):
            yield at + 1, line[1:]
        at += len(line) + 1


def _identifiers(patch: str, draw: random.Random) -> Iterator[ChangePlace]:
    names = tuple(sorted({found[0] for _, line in _added(patch) for found in _NAME.finditer(line)}))
    for start, line in _added(patch):
        for found in _NAME.finditer(line):
            yield ChangePlace(start + found.start(), start + found.end(), names)


def _operators(patch: str, draw: random.Random) -> Iterator[ChangePlace]:
    for start, line in _added(patch):
        for found in _OPERATOR.finditer(line):
            group = draw.choice([group for group in _OPERATORS if found[0] in group])
            yield ChangePlace(start + found.start(), start + found.end(), group)


def _constants(patch: str, draw: random.Random) -> Iterator[ChangePlace]:
    """Numbers: four that follow each other, and the original is any of them."""
    for start, line in _added(patch):
        for found in _NUMBER.finditer(line):
            first = int(found[0]) - draw.randint(0, min(3, int(found[0])))
            others = tuple(str(first + step) for step in range(_FOUR))
            if found[0] == str(int(found[0])):
                yield ChangePlace(start + found.start(), start + found.end(), others)


def _orders(patch: str, draw: random.Random) -> Iterator[ChangePlace]:
    """Four added lines behind each other, all different, none blank."""
    lines = list(_added(patch))
    for index in range(len(lines) - _FOUR + 1):
        four = lines[index : index + _FOUR]
        follow = all(two[0] == one[0] + len(one[1]) + 2 for one, two in pairwise(four))
        texts = [text for _, text in four]
        if follow and len(set(texts)) == _FOUR and all(map(str.strip, texts)):
            others = tuple("\n+".join(texts[at] for at in order) for order in _KLEIN[1:])
            yield ChangePlace(four[0][0], four[-1][0] + len(texts[-1]), others)


_PLACES: Mapping[ChangeKind, Callable[[str, random.Random], Iterator[ChangePlace]]] = MappingProxyType(
    {"identifier": _identifiers, "operator": _operators, "constant": _constants, "order": _orders}
)
