"""The command line of `ghosttape judge`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from server.option import Option
from tui.commands.options import flags
from tui.commands.options.flags import command
from tui.declared_flags import Flags
from tui.errors import ConfigurationError
from tui.outcome import ExitStatus, print_json

app = typer.Typer(
    help="""Models as judges of text: what their scores are worth against those of people.

Examples:
* `ghosttape judge label cases.jsonl --from efcb-m --task reverse-qa` (score 30 answers yourself)
* `ghosttape judge calibrate cases.jsonl --task reverse-qa --provider openai --model j`
* `ghosttape judge suggestions last --provider openai --model j` (how relevant and how helpful is what a run suggested?)""",
    rich_markup_mode="markdown",
    no_args_is_help=True,
)
RubricTask = Annotated[
    str,
    typer.Option(help="Which rubric: mpr-gen, reverse-qa, reverse-qa-hallu; of suggestions relevance, helpfulness."),
]
CaseFile = Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines of name, truth, response and label.")]
DataOf = Annotated[
    Path | None, typer.Option(metavar="DIR", help="A copy of EFCB, for its published rubrics (default: ours).")
]


class LabelFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `label`."""

    source: Annotated[str, Option(flag="--from", metavar="DIR|RUN")] = ""
    """Take cases from the folder of `ghosttape ask --out`; with relevance and helpfulness from a run, by its folder, its name, a tag, or `last`."""
    count: Annotated[int, Option(min=1)] = 30
    """How many cases are drawn."""
    rater: str = ""
    """Your name (default: that of the account)."""


@command(app)
def label(
    file: CaseFile, *, task: RubricTask = "", given: LabelFlags, data: DataOf = None, seed: flags.Seed = 0
) -> None:
    """Score texts yourself, in the terminal: the labels that a judge is measured against. Every score is kept at once.

    Examples:
    * `ghosttape judge label cases.jsonl --from efcb-m --task reverse-qa`
    * `ghosttape judge label cases.jsonl` (goes on)
    * `ghosttape judge label relevance.jsonl --from last --task relevance` (suggestions of a run)
    """
    from tui.commands.questions import judge_commands

    task = judge_commands.task_of(file, task)
    rubric = judge_commands.rubric_of(task, data)
    if not given.source and not file.is_file():
        raise ConfigurationError(
            f"{file} is not there: draw cases with --from the folder of `ghosttape ask --out`, or a run"
        )
    cases = judge_commands.drawn_cases(given.source, task, given.count, seed) if given.source else []
    typer.echo(judge_commands.collect(file, cases, rubric, given.rater))


class JudgeCalibrationFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `judge calibrate`."""

    repeats: Annotated[int, Option(min=1)] = 2
    """How often each case is judged, for its consistency."""
    max_tokens: Annotated[int, Option(min=1)] = 256
    """The judge's longest answer, in its tokens."""
    require_recorded: bool = False
    """Ask nothing: take every answer from beside --out."""
    out: Annotated[Path | None, Option(short="-o")] = None
    """The calibration (default: FILE.worth.json)."""


@command(app)
def calibrate(
    file: CaseFile,
    *,
    task: RubricTask = "",
    provider: flags.ProviderFlags,
    data: DataOf = None,
    given: JudgeCalibrationFlags,
    settings: flags.SettingsJson = "{}",
    json: flags.JsonFlag = False,
) -> None:
    """Measure what a judge is worth: agreement with labels, bias, length bias, and agreement with itself.

    Example: `ghosttape judge calibrate cases.jsonl --task reverse-qa --provider openai --model j --base-url http://127.0.0.1:8080/v1`
    """
    from tui.commands.options.configuration import model_of
    from tui.commands.questions import judge_commands

    chosen = model_of(provider, settings, max_tokens=given.max_tokens)
    place = given.out or file.with_suffix(".worth.json")
    rubric = judge_commands.rubric_of(judge_commands.task_of(file, task), data)
    found = asyncio.run(
        judge_commands.calibrate(file, chosen, rubric, given.repeats, place, require_recorded=given.require_recorded)
    )
    print_json(found) if json else judge_commands.show_worth(found, place)


class SuggestionFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `suggestions`."""

    limit: Annotated[int | None, Option(min=1)] = None
    """At most so many tasks (on tapes: holes) with all their answers, drawn by --seed."""
    max_tokens: Annotated[int, Option(min=1)] = 256
    """The judge's longest answer, in its tokens."""
    concurrency: Annotated[int, Option(min=1, max=256)] = 1
    """How many suggestions are judged at once."""
    require_recorded: bool = False
    """Ask nothing: take every answer from the folder of --out."""
    out: Annotated[Path | None, Option(short="-o")] = None
    """Folder of what the judge says (default: .ghosttape/judged/RUN); the same command goes on there."""


@command(app)
def suggestions(
    run: flags.RunName,
    *,
    provider: flags.ProviderFlags,
    calibration: flags.Calibrations = None,
    given: SuggestionFlags,
    seed: flags.Seed = 0,
    settings: flags.SettingsJson = "{}",
    json: flags.JsonFlag = False,
) -> None:
    """Have a model judge the suggestions of a run as DevBench does: relevance and helpfulness, 0 to 5 each, with bootstrap intervals.

    The judge sees the code around the gap and the suggestion, and neither the model's name nor the verdict of the tests. Any run will do, of a benchmark or of tapes.

    Examples:
    * `ghosttape evaluate devbench --published gpt-4o --samples 5 --no-tests --out gpt-4o`, then
      `ghosttape judge suggestions gpt-4o --provider openai --model j --concurrency 8`
    * `ghosttape judge suggestions last --provider openai --model j --calibration relevance.worth.json --calibration helpfulness.worth.json`
    * `ghosttape judge suggestions last --provider openai --model j --require-recorded` (the same once more, without a network)
    """
    from replay.run.catalogue.run_lookup import find_run
    from tui.commands.options.configuration import model_of
    from tui.commands.questions.suggestions import JudgedRun, judge_run, show_usefulness

    chosen = model_of(provider, settings, max_tokens=given.max_tokens)
    asked = JudgedRun(
        run=find_run(run),
        judge=chosen,
        out=given.out,
        limit=given.limit,
        seed=seed,
        places=given.concurrency,
        require_recorded=given.require_recorded,
        calibrations=calibration or [],
    )
    document = asyncio.run(judge_run(asked))
    print_json(document) if json else show_usefulness(document)
    raise typer.Exit(ExitStatus.FAILURES if document["failed"] else ExitStatus.DONE)
