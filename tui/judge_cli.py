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
from tui.outcome import guarded, print_json

app = typer.Typer(
    help="""Models as judges of text: what their scores are worth against those of people.

Examples:
* `ghosttape judge label cases.jsonl --from efcb-m --task reverse-qa` (score 30 answers yourself)
* `ghosttape judge calibrate cases.jsonl --task reverse-qa --provider openai --model j`""",
    rich_markup_mode="markdown",
    no_args_is_help=True,
)
RubricTask = Annotated[str, typer.Option(help="Whose rubric: mpr-gen, reverse-qa or reverse-qa-hallu.")]
CaseFile = Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines of name, truth, response and label.")]
DataOf = Annotated[
    Path | None, typer.Option(metavar="DIR", help="A copy of EFCB, for its published rubrics (default: ours).")
]


@app.command()
@guarded
def label(
    file: CaseFile,
    *,
    task: RubricTask = "reverse-qa",
    asked: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Take cases from the folder of `ghosttape ask --out`.")
    ] = None,
    data: DataOf = None,
    count: Annotated[int, typer.Option(min=1, help="How many cases are drawn.")] = 30,
    seed: flags.Seed = 0,
    rater: Annotated[str, typer.Option(help="Your name (default: that of the account).")] = "",
) -> None:
    """Score texts yourself, in the terminal: the labels that a judge is measured against. Every score is kept at once.

    Examples:
    * `ghosttape judge label cases.jsonl --from efcb-m --task reverse-qa`
    * `ghosttape judge label cases.jsonl` (goes on)
    """
    from tui.commands.questions import judging

    rubric = judging.rubric_of(task, data)
    if asked is None and not file.is_file():
        raise ConfigurationError(f"{file} is not there: draw cases with --from the folder of `ghosttape ask --out`")
    cases = [] if asked is None else judging.drawn_cases(asked, task, count, seed)  # type: ignore[arg-type] # rubric_of checks it
    typer.echo(judging.collect(file, cases, rubric, rater))


@app.command()
@guarded
@expanded
def calibrate(
    file: CaseFile,
    *,
    task: RubricTask = "reverse-qa",
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
    rubric = judging.rubric_of(task, data)
    found = asyncio.run(judging.calibrate(file, chosen, rubric, repeats, place, require_recorded=require_recorded))
    print_json(found) if json else judging.show_worth(found, place)
