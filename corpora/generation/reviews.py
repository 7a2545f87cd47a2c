"""Reviews of new tasks: each by two people, who do not see each other's, and what comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from corpora.devbench.corpus import DevBench
from corpora.errors import DataError
from corpora.generation.generation_funnel import append_line
from corpora.tasks import Task
from replay.numbers.agreement import cohens_kappa

QUESTIONS: Mapping[str, str] = {
    "usefulness": "would a developer need this?",
    "realism": "does it look like code from work?",
    "category": "does it fit its category?",
    "complexity": "is it neither trivial nor contrived?",
}
"""What a reviewer says yes or no to (DevBench's paper, section 3)."""
ReviewDecision: TypeAlias = Literal["accept", "reject"]
Standing: TypeAlias = Literal["accepted", "rejected", "disputed", "waiting"]


class Review(msgspec.Struct, frozen=True):
    """What one person says of one task; a later one of the same person counts in place of it."""

    task: str
    reviewer: str
    decision: ReviewDecision
    answers: dict[str, bool]
    """Question → yes or no."""
    note: str = ""


class Reviews:
    """The reviews of the tasks in the folder of a generation (`reviews.jsonl` there)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "reviews.jsonl"

    def tasks(self) -> list[Task]:
        """The tasks that wait for a review or had one.

        Raises:
            DataError: nothing was generated there.

        """
        if not (self.folder / "review").is_dir():
            raise DataError(
                self.folder, 0, "no task waits for a review here: `ghosttape corpora generate` makes such a folder"
            )
        corpus = DevBench(self.folder / "review")
        return list(corpus.tasks(corpus.languages, corpus.categories, packages=False))

    def all(self) -> list[Review]:
        """The latest review of each person and task; a last line that was cut off is left out.

        Raises:
            DataError: a line is malformed.

        """
        lines = self._file.read_bytes().split(b"\n")[:-1] if self._file.exists() else []
        found: dict[tuple[str, str], Review] = {}
        for number, line in enumerate(lines, 1):
            try:
                review = msgspec.json.decode(line, type=Review)
            except msgspec.DecodeError as error:
                raise DataError(self._file, number, f"is no review: {error}") from error
            found[review.task, review.reviewer] = review
        return list(found.values())

    def keep(self, review: Review) -> None:
        """Write a review down at once."""
        append_line(self._file, review)


def standing(reviews: Iterable[Review], needed: int = 2) -> Standing:
    """What the reviews of one task come to: all of at least `needed` people accept or reject it, they differ, or too few have said anything."""
    decisions = [review.decision for review in reviews]
    if len(set(decisions)) > 1:
        return "disputed"
    if len(decisions) < needed:
        return "waiting"
    return "accepted" if decisions[0] == "accept" else "rejected"


def outcome(tasks: Iterable[Task], reviews: Iterable[Review]) -> dict[str, Any]:
    """How many tasks stand where, and how far each pair of reviewers agrees on the tasks that both saw: Cohen's kappa of decisions and of each question."""
    own: dict[str, list[Review]] = {task.name: [] for task in tasks}
    for review in reviews:
        if review.task in own:
            own[review.task].append(review)
    found = {name: standing(given) for name, given in own.items()}
    people = sorted({review.reviewer for given in own.values() for review in given})
    return {
        "standing": {
            name: list(found.values()).count(name) for name in ("accepted", "rejected", "disputed", "waiting")
        },
        "tasks": found,
        "agreement": [_agreement(own.values(), pair) for pair in combinations(people, 2)],
    }


def _agreement(own: Iterable[list[Review]], pair: tuple[str, str]) -> dict[str, Any]:
    both = []
    for given in own:
        by = {review.reviewer: review for review in given}
        if by.keys() >= set(pair):
            both.append((by[pair[0]], by[pair[1]]))
    questions = {
        name: cohens_kappa(
            [
                (str(one.answers[name]), str(other.answers[name]))
                for one, other in both
                if name in one.answers and name in other.answers
            ]
        )
        for name in QUESTIONS
    }
    decisions = cohens_kappa([(one.decision, other.decision) for one, other in both])
    return {"reviewers": list(pair), "decision": decisions, "questions": questions}
