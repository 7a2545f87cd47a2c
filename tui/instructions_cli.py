"""The command line of `ghosttape instructions`. Each command parses its arguments, calls one room and prints the result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui.commands.options import flags
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
