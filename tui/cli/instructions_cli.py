"""The command line of `ghosttape instructions`. Each command parses its arguments, calls one room and prints the result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from server.option import Option
from tui.cli import codebook_cli
from tui.commands.options import flags
from tui.commands.options.flags import command
from tui.declared_flags import Flags
from tui.outcome import ExitStatus, print_json

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


@command(app, "list")
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


@command(app)
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


@command(app)
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


class InstructionRunFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `run`."""

    judge_provider: str = ""
    """Who verifies what no rule can (default: nobody, and such instructions are not drawn)."""
    calibration: Annotated[Path | None, Option(metavar="FILE")] = None
    """What the judge is worth: of `instructions calibrate`. It stands beside the figures."""
    each: Annotated[int, Option(min=1)] = 1
    """Instructions of each type at a problem."""
    setting: str = "both"
    """predefined (the instruction comes with the problem), follow-up (behind a first solution), or both."""
    ask_first: bool = False
    """The model writes the first solutions too; else the references are taken."""
    limit: Annotated[int | None, Option(min=1)] = None
    """At most so many problems."""
    max_tokens: Annotated[int, Option(min=1)] = 1024
    """The longest answer, in the model's tokens."""
    require_recorded: bool = False
    """Ask nothing: take every answer from the folder of --out."""
    out: Annotated[Path, Option(short="-o")] = Path(".ghosttape/codealign")
    """Folder of the answers; the same command goes on where it was stopped."""


@command(app)
def run(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="PROBLEMS",
            help="HumanEval.jsonl(.gz) or a copy of its repository, a folder of DevBench, LiveBench's question.jsonl, or problems of your own (docs/codealign.md).",
        ),
    ],
    *,
    provider: flags.ProviderFlags,
    given: InstructionRunFlags,
    judge: flags.JudgeFlags,
    instructions: flags.Instructions = "",
    sandbox: flags.ProgramSandbox = "auto",
    concurrency: flags.Concurrency = 1,
    seed: flags.Seed = 0,
    settings: flags.SettingsJson = "{}",
    json: flags.JsonFlag = False,
) -> None:
    """Give a model problems with instructions, verify that it follows them, and run the problems' tests on its answers.

    Examples:
    * `ghosttape instructions run ~/src/human-eval --provider openai --model m --out align-m`
    * `ghosttape instructions run HumanEval.jsonl.gz --provider gguf --limit 20 --instructions cosmetic`
    * `ghosttape instructions score align-m align-n` (several models side by side)
    """
    from tui.commands import aligning
    from tui.commands.options.configuration import another_model, model_of
    from tui.errors import ConfigurationError

    if not given.judge_provider and given.calibration:
        raise ConfigurationError("--calibration is of a judge: name it with --judge-provider")
    asked = aligning.AlignedProblems(
        data=data,
        out=given.out,
        provider=model_of(provider, settings, max_tokens=given.max_tokens),
        judge=another_model(
            "judge",
            "a judge",
            provider=given.judge_provider,
            model=judge.judge_model,
            base_url=judge.judge_base_url,
            settings=judge.judge_settings,
            max_tokens=given.max_tokens,
        ),
        instructions=instructions,
        each=given.each,
        settings=aligning.settings_named(given.setting),
        asks_first=given.ask_first,
        limit=given.limit,
        seed=seed,
        sandbox=sandbox,
        places=concurrency,
        require_recorded=given.require_recorded,
        calibration=given.calibration,
    )
    document = asyncio.run(aligning.align(asked))
    print_json(document) if json else aligning.show_alignment(document)
    raise typer.Exit(ExitStatus.FAILURES if aligning.has_failures(document) else ExitStatus.DONE)


@command(app)
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
    codebook_cli.calibrate,
    codebook_cli.translate,
    codebook_cli.pairs,
    codebook_cli.prefer,
    codebook_cli.ratings,
    codebook_cli.codebook,
):
    command(app)(grows)
