"""Makes the questions of EFCB's tasks, and of `gmcq-hard-2`, about the pull requests of one repository."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from corpora.efcb.making.requests import PullRequest
from corpora.efcb.making.variants import variants
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
