"""What an examination came to, as one JSON document: scores with and without what rules solve, and what could not be scored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from corpora.efcb.answering import QuestionOutcome
from corpora.efcb.baseline_rules import CHANCE, RULES
from corpora.efcb.efcb_scores import QuestionScore, efcb_score, repository_figures, task_figures
from corpora.efcb.patches import PatchChecks, checked
from corpora.efcb.questions import ALL_TASKS, CHOICE_TASKS, PullRequestQuestion, TaskName

SHORT_CUTS: Mapping[TaskName, str] = MappingProxyType(
    {"gmcq-easy": "overlap", "gmcq-hard": "medoid", "gmcq-hard-2": "medoid"}
)
"""The rule that knows how a task was made. A question that it solves is flagged: that a model solves it too says little."""


def rule_figures(questions: Sequence[PullRequestQuestion], solved: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Task → rule → its figures over each repository and their mean; `chance` is 0.25, and `repeated` counts questions without one right answer."""
    found: dict[str, Any] = {}
    for task in CHOICE_TASKS:
        own = [question for question in questions if question.task == task]
        if own:
            found[task] = {rule: task_figures(_by_rule(own, rule, solved)) for rule in RULES}
            found[task] |= {"chance": CHANCE, "repeated": sum(question.repeated for question in own), "n": len(own)}
    return found


def _by_rule(
    questions: Sequence[PullRequestQuestion], rule: str, solved: Mapping[str, tuple[str, ...]]
) -> list[QuestionScore]:
    return [
        QuestionScore(each.task, each.repository, each.pull_request, float(rule in solved[each.name]))
        for each in questions
    ]


def examined(
    outcomes: Sequence[QuestionOutcome],
    solved: Mapping[str, tuple[str, ...]],
    judged_by: str = "",
    calibrations: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> dict[str, Any]:
    """The scores of a model. `judged_by` says who judges, `calibrations` by task what that judge is worth (no entry: not known)."""
    score = efcb_score([outcome.scored for outcome in outcomes if not outcome.failure])
    tasks = {task: [outcome for outcome in outcomes if outcome.question.task == task] for task in ALL_TASKS}
    return {
        "questions": len(outcomes),
        "efcb_score": score,
        "judge": judged_by,
        "tasks": {
            task: _task(task, own, solved) | ({} if task in CHOICE_TASKS else {"calibration": calibrations.get(task)})
            for task, own in tasks.items()
            if own
        },
    }


def _task(task: TaskName, outcomes: Sequence[QuestionOutcome], solved: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    answered = [outcome for outcome in outcomes if not outcome.failure]
    found: dict[str, Any] = {
        "questions": len(outcomes),
        "failed": len(outcomes) - len(answered),
        "unparsable": sum(outcome.is_unparsable for outcome in answered),
        "unscored": sum(outcome.score is None for outcome in answered),
        "figures": task_figures([outcome.scored for outcome in answered]),
    }
    if task == "mpr-gen":
        found["checks"] = check_figures(outcomes)
    if task in SHORT_CUTS:
        kept = [outcome for outcome in answered if SHORT_CUTS[task] not in solved[outcome.question.name]]
        found |= {
            "short_cut": SHORT_CUTS[task],
            "flagged": len(answered) - len(kept),
            "figures_without_flagged": task_figures([outcome.scored for outcome in kept]),
        }
    return found


CHECKED_SHARES = ("keeps", "applies", "exact", "parses")
"""Those of `PatchChecks` that are true or false; the others are similarities in [0, 1]."""
CHECKS = (*CHECKED_SHARES, "similarity", "unfilled", "filled")


def check_figures(outcomes: Sequence[QuestionOutcome]) -> dict[str, Any]:
    """Check → its figures over each repository and their mean, of all answers to MPR-Gen, judged or not; those of which a check says nothing are not in its n."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for outcome in outcomes:
        for check, value in _checks(outcome).items():
            if value is not None:
                values[check][outcome.question.repository].append(float(value))
    return {
        check: repository_figures(values[check], 1.0, shares=check in CHECKED_SHARES)
        for check in CHECKS
        if check in values
    }


def _checks(outcome: QuestionOutcome) -> dict[str, float | None]:
    """The checks of an answer to MPR-Gen; none of any other."""
    if outcome.question.task != "mpr-gen" or outcome.answer is None:
        return {}
    found: PatchChecks = checked(outcome.question, outcome.answer)
    return asdict(found)


def row(outcome: QuestionOutcome, solved: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """One question and what became of it, for a line of a file."""
    question = outcome.question
    return {
        "name": question.name,
        "pull_request": question.pull_request,
        "ideal": question.ideal,
        "answer": outcome.answer,
        "letter": outcome.letter,
        "score": outcome.score,
        "checks": _checks(outcome),
        "judged": list(outcome.judged),
        "failure": outcome.failure,
        "solved_by_rules": list(solved.get(question.name, ())),
        "repeated": question.repeated,
    }
