"""The commands of `judge`: cases for a person to score, and what a judge is worth against those scores."""

from __future__ import annotations

import getpass
import random
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs
from rich.text import Text

from corpora.calibration import LabelledCase, judge_cases, read_cases, reliability_of, write_cases
from corpora.efcb.answering import rubrics
from corpora.errors import DataError
from corpora.usefulness import DIMENSIONS, code_with_gap, suggestions_of
from replay.run.catalogue.run_lookup import find_run
from replay.run.store import Store
from server.errors import ProviderError, ProviderMissing
from server.judging import Rubric, TextJudge
from server.settings import ProviderSettings
from tui.commands.inspect.inspecting import can_draw
from tui.commands.options.chat_options import kept_chat
from tui.console import SafeConsole
from tui.errors import ConfigurationError, LackingError
from tui.summary_figures import DASH, number_of
from tui.terminal_text import one_line
from tui.watching.waiting import Waiting

_USUAL_TASK = "reverse-qa"
_FIGURES = {
    "kappa": "Cohen's kappa with the labels",
    "spearman": "rank correlation with the labels",
    "bias": "judge less label, in points",
    "length_bias": "rank correlation of judge less label with length",
    "consistency": "share of cases with one score in all repeats",
}


def rubric_of(task: str, data: Path | None) -> Rubric:
    """The rubric of a judged task; of EFCB the published one with a copy of its data.

    Raises:
        ConfigurationError: the task has no judge.

    """
    found = {str(name): rubric for name, rubric in rubrics(data or Path()).items()} | dict(DIMENSIONS)
    if task not in found:
        raise ConfigurationError(f"--task: {task!r} is none of {', '.join(found)}")
    return found[task]


class _Row(msgspec.Struct, frozen=True):
    """What is read of a line of `questions.jsonl`."""

    name: str
    ideal: str
    answer: str | None = None
    failure: str = ""


def drawn_cases(source: str, task: str, count: int, seed: int) -> list[LabelledCase]:
    """Texts drawn by a seed, to be scored by a person: answers of an examination (the folder of `ask --out`), or suggestions of a run.

    Raises:
        DataError: there are none of that task.
        StoreError: there is no such run.

    """
    found = suggestion_cases(find_run(source)) if task in DIMENSIONS else _answer_cases(Path(source), task)
    draw = random.Random(seed)  # noqa: S311 - a sample, not a secret
    return [structs.replace(case, task=task) for case in draw.sample(found, min(count, len(found)))]


def task_of(file: Path, named: str) -> str:
    """The task whose rubric the cases of a file are scored by: the named one, else the one that they were drawn for, else `reverse-qa`.

    Raises:
        ConfigurationError: they were drawn for another one.
        DataError: the file is malformed.

    """
    drawn = {case.task for case in read_cases(file) if case.task} if file.is_file() else set()
    if other := sorted(drawn - {named or min(drawn, default="")}):
        raise ConfigurationError(
            f"{file} has cases of {other[0]}: name another file for those of {named or min(drawn)}"
        )
    return named or min(drawn, default=_USUAL_TASK)


def suggestion_cases(folder: Path) -> list[LabelledCase]:
    """The suggestions of a run that have text, each with the code around it.

    Raises:
        DataError: there are none.

    """
    with Store.open(folder) as store:
        records, _ = suggestions_of(store.records())
    found = [
        LabelledCase(
            name=f"{record.moment.path}/{record.moment.id}",
            truth=code_with_gap(record.moment, record.suggestion),
            response=record.suggestion.text,
        )
        for record in records
        if record.suggestion is not None and record.suggestion.text.strip()
    ]
    if not found:
        raise DataError(folder, 0, "has no suggestion with text")
    return found


def _answer_cases(asked: Path, task: str) -> list[LabelledCase]:
    file = asked / "questions.jsonl"
    if not file.is_file():
        raise DataError(file, 0, "is not there: name the folder of `ghosttape ask --out`")
    decoder = msgspec.json.Decoder(_Row)
    try:
        rows = [decoder.decode(line) for line in file.read_bytes().splitlines() if line.strip()]
    except msgspec.DecodeError as error:
        raise DataError(file, 0, f"is no file of `ghosttape ask`: {error}") from error
    answered = [row for row in rows if row.name.startswith(f"{task}/") and row.answer is not None]
    if not answered:
        raise DataError(file, 0, f"has no answer to a question of {task}")
    return [LabelledCase(name=row.name, truth=row.ideal, response=row.answer or "") for row in answered]


def collect(file: Path, cases: Sequence[LabelledCase], rubric: Rubric, rater: str) -> str:
    """Put cases that are not there yet into the file, and show all to the person, where there is a terminal; returns what is to do.

    Raises:
        DataError: the file is malformed, or has no case.

    """
    known = {case.name for case in read_cases(file)} if file.exists() else set()
    write_cases(file, [case for case in cases if case.name not in known])
    everything = read_cases(file)
    if not everything:
        raise DataError(file, 0, "has no case: name the folder of `ghosttape ask --out` with --from")
    if can_draw():
        from tui.rating.labelling import LabellingApp

        LabellingApp(file, rubric, rater or getpass.getuser()).run()
        everything = read_cases(file)
    done = sum(case.label is not None for case in everything)
    return f"{done} of {number_of(len(everything), 'case')} scored in {file}"


async def calibrate(
    file: Path, settings: ProviderSettings, rubric: Rubric, repeats: int, out: Path, *, require_recorded: bool
) -> dict[str, Any]:
    """Have a judge score the labelled cases of a file, and compare; every exchange is kept beside `out`.

    Raises:
        DataError: no case has a label.
        LackingError: the judge's provider failed; what it said is kept.

    """
    cases = [case for case in read_cases(file) if case.label is not None]
    if not cases:
        raise DataError(file, 0, "no case has a label: `ghosttape judge label` collects them")
    if off := next((case for case in cases if not rubric.low <= (case.label or 0.0) <= rubric.high), None):
        scale = f"{rubric.low:g} to {rubric.high:g}"
        raise DataError(file, 0, f"the label {off.label:g} of {off.name} is off the scale of this rubric, {scale}")
    out.parent.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        chat = await kept_chat(stack, settings, out.with_suffix(".jsonl"), require_recorded=require_recorded)
        waiting = stack.enter_context(Waiting(SafeConsole(stderr=True), "cases"))
        done = 0

        def notify(_: object) -> None:
            nonlocal done
            done += 1
            waiting.show(f"{done:,} of {len(cases):,}", done, len(cases))

        try:
            found = reliability_of(await judge_cases(TextJudge(chat, rubric), cases, repeats, notify))
        except ProviderMissing:
            raise
        except ProviderError as error:
            raise LackingError(f"{error}; what the judge said is kept, and the same command goes on") from error
    document = {
        "judge": judge_name(settings),
        "rubric": rubric.name,
        "repeats": repeats,
        **found,
    }
    _write(out, document)
    return document


def judge_name(settings: ProviderSettings) -> str:
    """What a judge is called in files and tables."""
    return f"{settings.name} {settings.model}".strip()


def _write(file: Path, document: Mapping[str, Any]) -> None:
    file.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


def show_worth(document: Mapping[str, Any], out: Path) -> None:
    """Print what a judge is worth."""
    console = SafeConsole()
    console.print(Text(f"{one_line(document['judge'])}, {one_line(document['rubric'])}", "bold"))
    told = number_of(document["cases"], "labelled case")
    console.print(f"{told}, {document['unparsable']:,} without a score" if document["unparsable"] else told)
    for name, title in _FIGURES.items():
        if document[name] is not None:
            console.print(f"  {title:50} {figure_words(document[name])}")
    console.print(Text(f"For `ghosttape ask … --calibration {out}`", "dim"))


def figure_words(figure: Mapping[str, Any]) -> str:
    """A figure with its interval, as `0.71 (0.60 to 0.80)`, with a dash."""
    if figure["value"] is None:
        return "no value"
    interval = "" if figure["low"] is None else f" ({figure['low']:.2f}{DASH}{figure['high']:.2f})"
    return f"{figure['value']:.2f}{interval}"


def read_calibrations(files: Sequence[Path], judge: str, rubrics_of: Mapping[Any, Rubric]) -> dict[str, dict[str, Any]]:
    """Task → what `ghosttape judge calibrate` has found of the judge with its rubric, from files that are each of one.

    Raises:
        DataError: one is no such file.
        ConfigurationError: one is of another judge, or of no rubric that is used here.

    """
    found: dict[str, dict[str, Any]] = {}
    for file in files:
        known = _calibration(file)
        if known["judge"] != judge:
            raise ConfigurationError(f"--calibration {file} is of the judge {known['judge']}, and this one is {judge}")
        task = next((name for name, rubric in rubrics_of.items() if rubric.name == known["rubric"]), None)
        if task is None:
            named = ", ".join(rubric.name for rubric in rubrics_of.values())
            raise ConfigurationError(
                f"--calibration {file} is of the rubric {known['rubric']!r}, and those used here are {named}"
            )
        found[task] = known
    return found


def _calibration(file: Path) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataError(file, 0, f"is no calibration: {reason}") from error
    if not {"judge", "rubric", "cases", "kappa", "spearman", "bias"} <= found.keys():
        raise DataError(file, 0, "is no calibration: `ghosttape judge calibrate` makes one")
    return found


def calibration_words(known: Mapping[str, Any] | None) -> str:
    """What the scores of a judge are worth, for the line beside them."""
    if known is None:
        return "no calibration: what this judge's scores are worth is not known"
    kappa, rank = (figure_words(known[name]) for name in ("kappa", "spearman"))
    told = number_of(known["cases"], "case")
    return f"calibrated on {told} that people scored: kappa {kappa}, rank correlation {rank}, bias {figure_words(known['bias'])}"
