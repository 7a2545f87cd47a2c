"""The command `ask`: a benchmark of questions, a model that answers them, and a judge; and what rules solve without any model."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from corpora.efcb.answering import Examination, QuestionOutcome, rubrics
from corpora.efcb.baseline_rules import solved_by
from corpora.efcb.efcb_files import read
from corpora.efcb.efcb_scores import SCALES
from corpora.efcb.examination_report import examined, row, rule_figures
from corpora.efcb.questions import ALL_TASKS, CHOICE_TASKS, TASKS, PullRequestQuestion, TaskName
from replay.run.folders import make_folder
from server.judging import TextJudge
from server.settings import ProviderSettings
from tui.commands.options.chat_options import kept_chat
from tui.commands.questions.judge_commands import calibration_words, judge_name, read_calibrations
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import DASH, number_of
from tui.terminal_text import message, one_line
from tui.watching.waiting import Waiting

_SHOWN_FAILURES = 5


@dataclass(frozen=True, slots=True)
class AskedQuestions:
    """What is asked, of whom, and where the answers are kept. `provider` None: only rules answer. `judge` None: texts have no score."""

    data: Path
    out: Path
    tasks: tuple[TaskName, ...] = ALL_TASKS
    repositories: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    provider: ProviderSettings | None = None
    judge: ProviderSettings | None = None
    places: int = 1
    require_recorded: bool = False
    calibrations: Sequence[Path] = ()
    """Files that say what is known of the judge, each with one rubric (`ghosttape judge calibrate`)."""

    def questions(self) -> list[PullRequestQuestion]:
        """The questions, in their order: all, or `limit` of them drawn by the seed, of each task as many as of any other as far as there are.

        Raises:
            DataError: they cannot be read.

        """
        found = read(self.data, self.tasks, self.repositories)
        if self.limit is None or self.limit >= len(found):
            return found
        drawn = {question.name for question in _evenly(found, self.limit, self.seed)}
        return [question for question in found if question.name in drawn]


def _evenly(questions: Sequence[PullRequestQuestion], limit: int, seed: int) -> Iterator[PullRequestQuestion]:
    order = list(questions)
    random.Random(seed).shuffle(order)  # noqa: S311 - a sample, not a secret
    by_task = {task: [each for each in order if each.task == task] for task in ALL_TASKS}
    for _ in range(limit):
        task = max(ALL_TASKS, key=lambda name: (min(len(by_task[name]), 1), -_taken(by_task, questions, name)))
        yield by_task[task].pop()


def _taken(
    left: Mapping[TaskName, Sequence[PullRequestQuestion]], questions: Sequence[PullRequestQuestion], task: TaskName
) -> int:
    """How many questions of a task were drawn already."""
    return sum(each.task == task for each in questions) - len(left[task])


def tasks_named(words: Sequence[str]) -> tuple[TaskName, ...]:
    """The tasks of these names; all without any.

    Raises:
        ConfigurationError: one is not known.

    """
    if unknown := [word for word in words if word not in ALL_TASKS]:
        raise ConfigurationError(f"--tasks: {unknown[0]!r} is none of {', '.join(ALL_TASKS)}")
    return tuple(task for task in ALL_TASKS if task in words or not words)


async def examine(asked: AskedQuestions) -> dict[str, Any]:
    """Ask, judge and score; what was answered is kept below `out`, and the same command goes on there.

    Raises:
        DataError: the questions cannot be read.
        ProviderMissing, ProviderError: a provider cannot be started.

    """
    judge = "" if asked.judge is None else judge_name(asked.judge)
    calibrations = read_calibrations(asked.calibrations, judge, rubrics(asked.data))
    questions = asked.questions()
    with Waiting(SafeConsole(stderr=True), "rules that ask no model answer") as waiting:
        waiting.show(number_of(len(questions), "question"))
        solved = solved_by(questions)
    document: dict[str, Any] = {
        "corpus": "efcb",
        "read": len(questions),
        "repositories": len({question.repository for question in questions}),
        "rules": rule_figures(questions, solved),
    }
    if asked.provider is None:
        return document
    outcomes = await _outcomes(asked, asked.provider, questions)
    lines = [msgspec.json.encode(row(outcome, solved)) + b"\n" for outcome in outcomes]
    (asked.out / "questions.jsonl").write_bytes(b"".join(lines))
    document |= {"model": judge_name(asked.provider)}
    document |= examined(outcomes, solved, judge, calibrations) | {
        "failures": _failures(outcomes),
        "out": str(asked.out),
    }
    (asked.out / "scores.json").write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    return document


def _failures(outcomes: Sequence[QuestionOutcome]) -> dict[str, int]:
    reasons: dict[str, int] = {}
    for outcome in outcomes:
        if outcome.failure:
            reasons[outcome.failure] = reasons.get(outcome.failure, 0) + 1
    return dict(sorted(reasons.items(), key=lambda pair: -pair[1]))


async def _outcomes(
    asked: AskedQuestions, answering: ProviderSettings, questions: Sequence[PullRequestQuestion]
) -> list[QuestionOutcome]:
    make_folder(asked.out)
    async with AsyncExitStack() as stack:
        chat = await kept_chat(stack, answering, asked.out / "answers.jsonl", require_recorded=asked.require_recorded)
        judges: dict[TaskName, TextJudge] = {}
        if asked.judge is not None:
            judging = await kept_chat(
                stack, asked.judge, asked.out / "judgements.jsonl", require_recorded=asked.require_recorded
            )
            judges = {task: TextJudge(judging, rubric, seed=asked.seed) for task, rubric in rubrics(asked.data).items()}
        waiting = stack.enter_context(Waiting(SafeConsole(stderr=True), "questions"))
        done: list[QuestionOutcome] = []

        def notify(outcome: QuestionOutcome) -> None:
            done.append(outcome)
            right = sum(each.score == 1 and not each.judged for each in done)
            waiting.show(f"{len(done):,} of {len(questions):,}, {right:,} right", len(done), len(questions))

        return await Examination(chat, judges, asked.places).outcomes(questions, notify)


def show(document: Mapping[str, Any]) -> None:
    """Print what rules solve, what the model solves with and without it, and what could not be scored."""
    console = SafeConsole()
    where = "1 repository" if document["repositories"] == 1 else f"{document['repositories']:,} repositories"
    console.print(f"{number_of(document['read'], 'question')} about pull requests of {where}")
    for task, rules in document["rules"].items():
        console.print(Text(f"{task}: what rules solve that ask no model ({number_of(rules['n'], 'question')})", "bold"))
        console.print(_table({rule: rules[rule] for rule in rules if isinstance(rules[rule], dict)}, 1.0))
        console.print(Text(f"  at random 25 %; {_repeated(rules['repeated'])}", "dim"))
    if "tasks" not in document:
        console.print("No model was asked: name one with --provider.")
        return
    console.print(Text(f"\n{one_line(document['model'])}", "bold"))
    for task, found in document["tasks"].items():
        console.print(Text(f"{task}: {_told(found)}", "bold"))
        if document["judge"] and task not in CHOICE_TASKS:
            console.print(Text(f"judge {document['judge']}: {calibration_words(found['calibration'])}", "dim"))
        rows = {"all": found["figures"]}
        if found.get("flagged"):
            rows["others"] = found["figures_without_flagged"]
        if known := {name: figures for name, figures in rows.items() if figures}:
            console.print(_table(known, SCALES[task]))
        if found.get("checks"):
            console.print(Text("checks without a judge, percent", "bold"))
            console.print(_table(found["checks"], 1.0))
    _show_end(console, document)


def _show_end(console: SafeConsole, document: Mapping[str, Any]) -> None:
    if document["efcb_score"]:
        console.print(Text(f"EFCB score {_words(document['efcb_score'], 1.0, percent=False)}", "bold"))
        for task, found in document["tasks"].items():
            if task in TASKS and task not in CHOICE_TASKS:
                console.print(Text(f"  of a judge, {task}: {calibration_words(found['calibration'])}", "dim"))
    for reason, number in list(document["failures"].items())[:_SHOWN_FAILURES]:
        console.print(Text(f"{number_of(number, 'question')} not answered: {message(reason)}", "dim"))
    console.print(Text(f"Every question and answer: {Path(document['out']) / 'questions.jsonl'}", "dim"))


def _repeated(number: int) -> str:
    if not number:
        return "no wrong choice is the right one to the letter"
    return f"in {number_of(number, 'question')} a wrong choice is the right one to the letter: no reader can tell them apart"


def _told(found: Mapping[str, Any]) -> str:
    parts = [number_of(found["questions"], "question")]
    for key, words in (("failed", "not answered"), ("unparsable", "no letter in the answer")):
        if found[key]:
            parts.append(f"{found[key]:,} {words}")
    if unscored := found["unscored"]:
        parts.append(f"{unscored:,} without a score")
    if flagged := found.get("flagged"):
        parts.append(f"{flagged:,} solved by the rule `{found['short_cut']}` too, and not among the others")
    return ", ".join(parts)


def _table(rows: Mapping[str, Mapping[str, Any]], scale: float) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False)
    names = list(dict.fromkeys(name for figures in rows.values() for name in figures))
    table.add_column("")
    for name in names:
        table.add_column("mean (95 %)" if name == "mean" else name, justify="right")
    for title, figures in rows.items():
        table.add_row(
            title, *[_words(figures[name], scale, whole=name == "mean") if name in figures else "" for name in names]
        )
    return table


def _words(figure: Mapping[str, Any], scale: float, *, percent: bool = True, whole: bool = True) -> str:
    if figure["value"] is None:
        return ""
    by, digits = (100, 1) if scale == 1.0 and percent else (1, 3 if scale == 1.0 else 2)
    text = f"{by * figure['value']:.{digits}f}"
    if not whole or figure["low"] is None:
        return text
    return f"{text} ({by * figure['low']:.{digits}f}{DASH}{by * figure['high']:.{digits}f})"
