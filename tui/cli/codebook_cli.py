"""The commands of `ghosttape instructions` by which problems and the catalogue grow, and judges are measured."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from server.option import Option
from tui.commands.options import flags
from tui.declared_flags import Flags
from tui.outcome import print_json

PairFile = Annotated[Path, typer.Argument(metavar="PAIRS", help="A file of `ghosttape instructions pairs`.")]
MayDiffer = Annotated[
    int, typer.Option(min=0, help="On how many repeated pairs a rater may disagree with himself and still count.")
]


def pairs(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR…", help="Folders of `instructions run`.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The new file of pairs.")],
    count: Annotated[int, typer.Option(min=1, help="How many pairs at most, one a problem.")] = 40,
    seed: flags.Seed = 0,
) -> None:
    """Draw pairs of passing solutions of the same problem, by different models (or a model and the reference), for people to compare.

    Examples:
    * `ghosttape instructions pairs align-a align-b align-c -o pairs.jsonl`
    * `ghosttape instructions pairs align-a -o pairs.jsonl --count 20` (a model beside the references)
    """
    from tui.commands.codebook import draw_pairs

    typer.echo(draw_pairs(folders, out, count, seed))


def prefer(
    file: PairFile,
    *,
    rater: Annotated[str, typer.Option(help="Your name (default: that of the account).")] = "",
    seed: flags.Seed = 0,
) -> None:
    """Compare two passing solutions in the terminal: say which you prefer, and what you would tell the author of the other.

    Who wrote them is not shown; order and sides are drawn. Five pairs come twice, unsaid. Every answer is kept at once, and the same command goes on.

    Examples:
    * `ghosttape instructions prefer pairs.jsonl`
    * `ghosttape instructions prefer pairs.jsonl --rater ada`
    """
    from tui.commands.codebook import prefer as shown

    typer.echo(shown(file, rater, seed))


def ratings(file: PairFile, *, may_differ: MayDiffer = 0, json: flags.JsonFlag = False) -> None:
    """Show what raters prefer and ask for, whose answers count, and how far they agree (Cohen's kappa).

    Examples:
    * `ghosttape instructions ratings pairs.jsonl`
    * `ghosttape instructions ratings pairs.jsonl --may-differ 1 --json`
    """
    from tui.commands.codebook import rated, show_ratings

    document = rated(file, may_differ)
    print_json(document) if json else show_ratings(document)


class CodebookFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `codebook`."""

    second_provider: str = ""
    """Who codes a second time (default: the same model)."""
    second_model: str = ""
    """The model of the second coder."""
    second_base_url: str = ""
    """The server of the second coder."""
    second_settings: str = "{}"
    """Settings of the second coder, in the form of --settings; those of the first never count for it."""
    export: Annotated[Path | None, Option(metavar="DIR")] = None
    """Write each new code as an instruction of your own (NAME.toml) into a folder."""
    max_tokens: Annotated[int, Option(min=1)] = 4096
    """The longest answer, in the model's tokens."""
    require_recorded: bool = False
    """Ask nothing: take every answer from beside the codebook."""
    out: Annotated[Path | None, Option(short="-o", metavar="FILE")] = None
    """The codebook (default: PAIRS.codebook.json)."""


def codebook(
    file: PairFile,
    *,
    provider: flags.ProviderFlags,
    given: CodebookFlags,
    may_differ: MayDiffer = 0,
    settings: flags.SettingsJson = "{}",
    json: flags.JsonFlag = False,
) -> None:
    """Have a model group what raters said into candidate instructions, twice, and say how far the two codings agree.

    Examples:
    * `ghosttape instructions codebook pairs.jsonl --provider openai --model m`
    * `ghosttape instructions codebook pairs.jsonl --provider openai --model m --second-provider anthropic --second-model n --export own`
    """
    from tui.commands import codebook
    from tui.commands.options.configuration import another_model, model_of

    coder = model_of(provider, settings, max_tokens=given.max_tokens)
    second = another_model(
        "second",
        "a second coder",
        provider=given.second_provider,
        model=given.second_model,
        base_url=given.second_base_url,
        settings=given.second_settings,
        max_tokens=given.max_tokens,
    )
    other = second or coder
    document = asyncio.run(
        codebook.make_codebook(
            file, coder, other, given.out, may_differ=may_differ, require_recorded=given.require_recorded
        )
    )
    print_json(document) if json else codebook.show_codebook(document)
    if given.export is not None:
        written = codebook.export_codes(document, given.export)
        typer.echo(
            f"{len(written)} new instructions in {given.export}: --instructions {given.export}/ID.toml", err=True
        )


class TranslateFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `translate`."""

    out: Annotated[Path, Option(short="-o", metavar="FILE")]
    """The new file of problems."""
    to: Annotated[str, Option(metavar="NAMES")] = "java,javascript"
    """Languages, parted by commas."""
    limit: Annotated[int | None, Option(min=1)] = None
    """At most so many problems."""
    max_tokens: Annotated[int, Option(min=1)] = 2048
    """The longest answer, in the model's tokens."""
    require_recorded: bool = False
    """Ask nothing: take every answer from beside --out."""


def translate(
    data: Annotated[
        Path, typer.Argument(metavar="PROBLEMS", help="Problems in Python, as of `instructions run` (HumanEval).")
    ],
    *,
    given: TranslateFlags,
    provider: flags.ProviderFlags,
    sandbox: flags.ProgramSandbox = "auto",
    settings: flags.SettingsJson = "{}",
    json: flags.JsonFlag = False,
) -> None:
    """Translate problems from Python into Java and JavaScript by a model; recorded cases decide which translations are right.

    Examples:
    * `ghosttape instructions translate HumanEval.jsonl.gz --provider openai --model m -o human-eval-java.jsonl --to java`
    * `ghosttape instructions run human-eval-java.jsonl --provider openai --model n`
    """
    from tui.commands import translating
    from tui.commands.options.configuration import model_of

    asked = translating.TranslatedProblems(
        data=data,
        out=given.out,
        languages=translating.languages_named(given.to),
        provider=model_of(provider, settings, max_tokens=given.max_tokens),
        limit=given.limit,
        sandbox=sandbox,
        require_recorded=given.require_recorded,
    )
    document = asyncio.run(translating.translate(asked))
    print_json(document) if json else translating.show_translations(document)


class InstructionCalibrationFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `calibrate`."""

    out: Annotated[Path, Option(short="-o", metavar="FILE")] = Path(".ghosttape/instructions.worth.json")
    """The calibration."""
    repeats: Annotated[int, Option(min=1)] = 1
    """How often each case is judged, for its consistency."""
    max_tokens: Annotated[int, Option(min=1)] = 256
    """The judge's longest answer, in its tokens."""
    require_recorded: bool = False
    """Ask nothing: take every answer from beside --out."""


def calibrate(
    *,
    provider: flags.ProviderFlags,
    given: InstructionCalibrationFlags,
    instructions: flags.Instructions = "",
    seed: flags.Seed = 0,
    settings: flags.SettingsJson = "{}",
    json: flags.JsonFlag = False,
) -> None:
    """Measure what a model is worth as a judge of instructions: on the catalogue's programs that follow one, or break it.

    Examples:
    * `ghosttape instructions calibrate --provider openai --model j -o j.worth.json`
    * `ghosttape instructions run HumanEval.jsonl.gz --provider openai --model m --judge-provider openai --judge-model j --calibration j.worth.json`
    """
    from tui.commands import measuring
    from tui.commands.options.configuration import model_of

    chosen = model_of(provider, settings, max_tokens=given.max_tokens)
    asked = measuring.judged_instructions(instructions)
    document = asyncio.run(
        measuring.calibrate(
            chosen, asked, given.out, repeats=given.repeats, seed=seed, require_recorded=given.require_recorded
        )
    )
    print_json(document) if json else measuring.show_calibration(document, given.out)
