"""The command line of `ghosttape instructions`. Each command parses its arguments, calls one room and prints the result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from tui.cli import growing
from tui.commands.options import corpus_flags, flags
from tui.commands.options.command_flags import ProviderFlags
from tui.commands.options.expanding import expanded
from tui.outcome import ExitStatus, guarded, print_json

app = typer.Typer(
    no_args_is_help=True,
    help="""What developers ask of code beyond that it works: no recursion, type hints, names for numbers, and more.

Most instructions are checked by rules on the syntax tree, in Python, Java and JavaScript; the others need a judge.

Examples:
* `ghosttape instructions list --type cosmetic`
* `ghosttape instructions show avoid-recursion`
* `ghosttape instructions check src/app.py --instructions avoid-recursion,add-type-hints`""",
    rich_markup_mode="markdown",
)


@app.command("list")
@guarded
def list_(
    *,
    of_type: Annotated[
        str,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="Only this type: cosmetic, structural, semantic, or of the last algorithm, performance, correctness.",
        ),
    ] = "",
    language: Annotated[str, typer.Option(metavar="NAME", help="Only those for python, java or javascript.")] = "",
    json: flags.JsonFlag = False,
) -> None:
    """List the instructions: id, type, whether a rule decides, languages, and what developers say.

    Examples:
    * `ghosttape instructions list`
    * `ghosttape instructions list --type performance --language java`
    """
    from tui.commands.instructing import listed_instructions, show_instructions

    entries = listed_instructions(of_type, language)
    print_json({"instructions": entries}) if json else show_instructions(entries)


@app.command()
@guarded
def show(
    instruction: Annotated[str, typer.Argument(metavar="ID", help="The instruction; `list` names them.")],
    *,
    json: flags.JsonFlag = False,
) -> None:
    """Show one instruction: what it asks, how it is checked, and programs that follow it and that break it.

    Examples:
    * `ghosttape instructions show use-counter-object`
    * `ghosttape instructions show use-counter-object --json` (with all cases)
    """
    from tui.commands.instructing import show_instruction, shown_instruction

    entry = shown_instruction(instruction)
    print_json(entry) if json else show_instruction(entry)


@app.command()
@guarded
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Programs in Python, Java or JavaScript.")],
    *,
    instructions: flags.Instructions,
    language: Annotated[
        str, typer.Option(metavar="NAME", help="The language of all files, where their names do not say it.")
    ] = "",
    json: flags.JsonFlag = False,
) -> None:
    """Check files against instructions. Exit status 1 if a file breaks one, or does not parse.

    Examples:
    * `ghosttape instructions check app.py --instructions avoid-recursion,add-type-hints`
    * `ghosttape instructions check src/*.js --instructions house-rules.txt` (a file with an id on each line)
    * `ghosttape instructions check Main.java --instructions correctness`
    * `ghosttape instructions check app.py --instructions ./no-todo.toml` (an instruction of your own)
    """
    from tui.commands.instructing import breaks_any, checked_files, show_checks

    checked = checked_files(files, instructions, language)
    print_json({"files": checked}) if json else show_checks(checked)
    raise typer.Exit(ExitStatus.FAILURES if breaks_any(checked) else ExitStatus.DONE)


@app.command()
@guarded
@expanded
def run(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="PROBLEMS",
            help="HumanEval.jsonl(.gz) or a copy of its repository, a folder of DevBench, LiveBench's question.jsonl, or problems of your own (docs/codealign.md).",
        ),
    ],
    *,
    provider: ProviderFlags,
    judge_provider: Annotated[
        str, typer.Option(help="Who verifies what no rule can (default: nobody, and such instructions are not drawn).")
    ] = "",
    judge_model: Annotated[str, typer.Option(help="The judge's model.")] = "",
    judge_base_url: Annotated[str, typer.Option(help="The judge's server.")] = "",
    judge_settings: flags.JudgeSettings = "{}",
    calibration: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="What the judge is worth: of `instructions calibrate`. It stands beside the figures."
        ),
    ] = None,
    instructions: flags.Instructions = "",
    each: Annotated[int, typer.Option(min=1, help="Instructions of each type at a problem.")] = 1,
    setting: Annotated[
        str,
        typer.Option(
            help="predefined (the instruction comes with the problem), follow-up (behind a first solution), or both."
        ),
    ] = "both",
    ask_first: Annotated[
        bool,
        typer.Option("--ask-first", help="The model writes the first solutions too; else the references are taken."),
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many problems.")] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer, in the model's tokens.")] = 1024,
    sandbox: corpus_flags.ProgramSandbox = "auto",
    concurrency: corpus_flags.Concurrency = 1,
    require_recorded: Annotated[
        bool, typer.Option("--require-recorded", help="Ask nothing: take every answer from the folder of --out.")
    ] = False,
    seed: flags.Seed = 0,
    settings: flags.SettingsJson = "{}",
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder of the answers; the same command goes on where it was stopped.")
    ] = Path(".ghosttape/codealign"),
    json: flags.JsonFlag = False,
) -> None:
    """Give a model problems with instructions, verify that it follows them, and run the problems' tests on its answers.

    Examples:
    * `ghosttape instructions run ~/src/human-eval --provider openai --model m --out align-m`
    * `ghosttape instructions run HumanEval.jsonl.gz --provider gguf --limit 20 --instructions cosmetic`
    * `ghosttape instructions score align-m align-n` (several models side by side)
    """
    from tui.commands import aligning
    from tui.commands.options.configuration import settings_of, settings_of_another
    from tui.errors import ConfigurationError

    if not judge_provider and (judge_model or judge_base_url or judge_settings != "{}"):
        raise ConfigurationError(
            "--judge-model, --judge-base-url and --judge-settings are of a judge: name it with --judge-provider"
        )
    if not judge_provider and calibration:
        raise ConfigurationError("--calibration is of a judge: name it with --judge-provider")
    own = {"max_tokens": max_tokens, **provider.members()}
    judge = {"max_tokens": max_tokens, "name": judge_provider, "model": judge_model, "base_url": judge_base_url}
    asked = aligning.AlignedProblems(
        data=data,
        out=out,
        provider=settings_of(settings, own).provider,
        judge=settings_of_another(judge_settings, judge).provider if judge_provider else None,
        instructions=instructions,
        each=each,
        settings=aligning.settings_named(setting),
        asks_first=ask_first,
        limit=limit,
        seed=seed,
        sandbox=sandbox,
        places=concurrency,
        require_recorded=require_recorded,
        calibration=calibration,
    )
    document = asyncio.run(aligning.align(asked))
    print_json(document) if json else aligning.show_alignment(document)
    raise typer.Exit(ExitStatus.FAILURES if aligning.has_failures(document) else ExitStatus.DONE)


@app.command()
@guarded
def score(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR…", help="Folders of `instructions run`, one a model.")],
    *,
    json: flags.JsonFlag = False,
) -> None:
    """Show the success rates of several models side by side, with the tests of settings and types over them.

    Examples:
    * `ghosttape instructions score align-a align-b align-c`
    """
    from tui.commands import aligning

    document = aligning.scored_runs(folders)
    print_json(document) if json else aligning.show_scored(document)


for grows in (
    growing.calibrate,
    growing.translate,
    growing.pairs,
    growing.prefer,
    growing.ratings,
    growing.codebook,
):
    app.command()(grows)
