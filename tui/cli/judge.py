"""The command line of `ghosttape judge`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from tui.commands.options import flags
from tui.commands.options.command_flags import ProviderFlags
from tui.commands.options.expanding import expanded
from tui.errors import ConfigurationError
from tui.outcome import ExitStatus, guarded, print_json

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


@app.command()
@guarded
def label(
    file: CaseFile,
    *,
    task: RubricTask = "",
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="DIR|RUN",
            help="Take cases from the folder of `ghosttape ask --out`; with relevance and helpfulness from a run, by its folder, its name, a tag, or `last`.",
        ),
    ] = "",
    data: DataOf = None,
    count: Annotated[int, typer.Option(min=1, help="How many cases are drawn.")] = 30,
    seed: flags.Seed = 0,
    rater: Annotated[str, typer.Option(help="Your name (default: that of the account).")] = "",
) -> None:
    """Score texts yourself, in the terminal: the labels that a judge is measured against. Every score is kept at once.

    Examples:
    * `ghosttape judge label cases.jsonl --from efcb-m --task reverse-qa`
    * `ghosttape judge label cases.jsonl` (goes on)
    * `ghosttape judge label relevance.jsonl --from last --task relevance` (suggestions of a run)
    """
    from tui.commands.questions import judging

    task = judging.task_of(file, task)
    rubric = judging.rubric_of(task, data)
    if not source and not file.is_file():
        raise ConfigurationError(
            f"{file} is not there: draw cases with --from the folder of `ghosttape ask --out`, or a run"
        )
    cases = judging.drawn_cases(source, task, count, seed) if source else []
    typer.echo(judging.collect(file, cases, rubric, rater))


@app.command()
@guarded
@expanded
def calibrate(
    file: CaseFile,
    *,
    task: RubricTask = "",
    provider: ProviderFlags,
    data: DataOf = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often each case is judged, for its consistency.")] = 2,
    max_tokens: Annotated[int, typer.Option(min=1, help="The judge's longest answer, in its tokens.")] = 256,
    settings: flags.SettingsJson = "{}",
    require_recorded: Annotated[
        bool, typer.Option("--require-recorded", help="Ask nothing: take every answer from beside --out.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The calibration (default: FILE.worth.json).")] = None,
    json: flags.JsonFlag = False,
) -> None:
    """Measure what a judge is worth: agreement with labels, bias, length bias, and agreement with itself.

    Example: `ghosttape judge calibrate cases.jsonl --task reverse-qa --provider openai --model j --base-url http://127.0.0.1:8080/v1`
    """
    from tui.commands.options.configuration import settings_of
    from tui.commands.questions import judging

    chosen = settings_of(settings, {"max_tokens": max_tokens, **provider.members()}).provider
    place = out or file.with_suffix(".worth.json")
    rubric = judging.rubric_of(judging.task_of(file, task), data)
    found = asyncio.run(judging.calibrate(file, chosen, rubric, repeats, place, require_recorded=require_recorded))
    print_json(found) if json else judging.show_worth(found, place)


@app.command()
@guarded
@expanded
def suggestions(
    run: flags.RunName,
    *,
    provider: ProviderFlags,
    calibration: flags.Calibrations = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="At most so many tasks (on tapes: holes) with all their answers, drawn by --seed."),
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="The judge's longest answer, in its tokens.")] = 256,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="How many suggestions are judged at once.")] = 1,
    seed: flags.Seed = 0,
    settings: flags.SettingsJson = "{}",
    require_recorded: Annotated[
        bool, typer.Option("--require-recorded", help="Ask nothing: take every answer from the folder of --out.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Folder of what the judge says (default: .ghosttape/judged/RUN); the same command goes on there.",
        ),
    ] = None,
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
    from replay.run.catalogue.finding import find_run
    from tui.commands.options.configuration import settings_of
    from tui.commands.questions.suggestions import JudgedRun, judge_run, show_usefulness

    chosen = settings_of(settings, {"max_tokens": max_tokens, **provider.members()}).provider
    asked = JudgedRun(
        run=find_run(run),
        judge=chosen,
        out=out,
        limit=limit,
        seed=seed,
        places=concurrency,
        require_recorded=require_recorded,
        calibrations=calibration or [],
    )
    document = asyncio.run(judge_run(asked))
    print_json(document) if json else show_usefulness(document)
    raise typer.Exit(ExitStatus.FAILURES if document["failed"] else ExitStatus.DONE)
