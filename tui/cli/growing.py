"""The commands of `ghosttape instructions` by which problems and the catalogue grow, and judges are measured."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from tui.commands.options import corpus_flags, flags
from tui.commands.options.command_flags import ProviderFlags
from tui.commands.options.expanding import expanded
from tui.errors import ConfigurationError
from tui.outcome import guarded, print_json

PairFile = Annotated[Path, typer.Argument(metavar="PAIRS", help="A file of `ghosttape instructions pairs`.")]
MayDiffer = Annotated[
    int, typer.Option(min=0, help="On how many repeated pairs a rater may disagree with himself and still count.")
]


@guarded
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
    from tui.commands.growing import draw_pairs

    typer.echo(draw_pairs(folders, out, count, seed))


@guarded
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
    from tui.commands.growing import prefer as shown

    typer.echo(shown(file, rater, seed))


@guarded
def ratings(file: PairFile, *, may_differ: MayDiffer = 0, json: flags.JsonFlag = False) -> None:
    """Show what raters prefer and ask for, whose answers count, and how far they agree (Cohen's kappa).

    Examples:
    * `ghosttape instructions ratings pairs.jsonl`
    * `ghosttape instructions ratings pairs.jsonl --may-differ 1 --json`
    """
    from tui.commands.growing import rated, show_ratings

    document = rated(file, may_differ)
    print_json(document) if json else show_ratings(document)


@guarded
@expanded
def codebook(
    file: PairFile,
    *,
    provider: ProviderFlags,
    second_provider: Annotated[str, typer.Option(help="Who codes a second time (default: the same model).")] = "",
    second_model: Annotated[str, typer.Option(help="The model of the second coder.")] = "",
    second_base_url: Annotated[str, typer.Option(help="The server of the second coder.")] = "",
    second_settings: Annotated[
        str,
        typer.Option(
            help="Settings of the second coder, in the form of --settings; those of the first never count for it."
        ),
    ] = "{}",
    may_differ: MayDiffer = 0,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write each new code as an instruction of your own (NAME.toml) into a folder."
        ),
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer, in the model's tokens.")] = 4096,
    settings: flags.SettingsJson = "{}",
    require_recorded: Annotated[
        bool, typer.Option("--require-recorded", help="Ask nothing: take every answer from beside the codebook.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The codebook (default: PAIRS.codebook.json).")
    ] = None,
    json: flags.JsonFlag = False,
) -> None:
    """Have a model group what raters said into candidate instructions, twice, and say how far the two codings agree.

    Examples:
    * `ghosttape instructions codebook pairs.jsonl --provider openai --model m`
    * `ghosttape instructions codebook pairs.jsonl --provider openai --model m --second-provider anthropic --second-model n --export own`
    """
    from tui.commands import growing
    from tui.commands.options.configuration import settings_of, settings_of_another

    if not second_provider and (second_model or second_base_url or second_settings != "{}"):
        raise ConfigurationError(
            "--second-model, --second-base-url and --second-settings are of a second coder: name it with --second-provider"
        )
    coder = settings_of(settings, {"max_tokens": max_tokens, **provider.members()}).provider
    second = {"max_tokens": max_tokens, "name": second_provider, "model": second_model, "base_url": second_base_url}
    other = settings_of_another(second_settings, second).provider if second_provider else coder
    document = asyncio.run(
        growing.make_codebook(file, coder, other, out, may_differ=may_differ, require_recorded=require_recorded)
    )
    print_json(document) if json else growing.show_codebook(document)
    if export is not None:
        written = growing.export_codes(document, export)
        typer.echo(f"{len(written)} new instructions in {export}: --instructions {export}/ID.toml", err=True)


@guarded
@expanded
def translate(
    data: Annotated[
        Path, typer.Argument(metavar="PROBLEMS", help="Problems in Python, as of `instructions run` (HumanEval).")
    ],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The new file of problems.")],
    to: Annotated[str, typer.Option(metavar="NAMES", help="Languages, parted by commas.")] = "java,javascript",
    provider: ProviderFlags,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many problems.")] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer, in the model's tokens.")] = 2048,
    sandbox: corpus_flags.ProgramSandbox = "auto",
    settings: flags.SettingsJson = "{}",
    require_recorded: Annotated[
        bool, typer.Option("--require-recorded", help="Ask nothing: take every answer from beside --out.")
    ] = False,
    json: flags.JsonFlag = False,
) -> None:
    """Translate problems from Python into Java and JavaScript by a model; recorded cases decide which translations are right.

    Examples:
    * `ghosttape instructions translate HumanEval.jsonl.gz --provider openai --model m -o human-eval-java.jsonl --to java`
    * `ghosttape instructions run human-eval-java.jsonl --provider openai --model n`
    """
    from tui.commands import translating
    from tui.commands.options.configuration import settings_of

    asked = translating.TranslatedProblems(
        data=data,
        out=out,
        languages=translating.languages_named(to),
        provider=settings_of(settings, {"max_tokens": max_tokens, **provider.members()}).provider,
        limit=limit,
        sandbox=sandbox,
        require_recorded=require_recorded,
    )
    document = asyncio.run(translating.translate(asked))
    print_json(document) if json else translating.show_translations(document)


@guarded
@expanded
def calibrate(
    *,
    provider: ProviderFlags,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The calibration.")] = Path(
        ".ghosttape/instructions.worth.json"
    ),
    instructions: flags.Instructions = "",
    repeats: Annotated[int, typer.Option(min=1, help="How often each case is judged, for its consistency.")] = 1,
    max_tokens: Annotated[int, typer.Option(min=1, help="The judge's longest answer, in its tokens.")] = 256,
    seed: flags.Seed = 0,
    settings: flags.SettingsJson = "{}",
    require_recorded: Annotated[
        bool, typer.Option("--require-recorded", help="Ask nothing: take every answer from beside --out.")
    ] = False,
    json: flags.JsonFlag = False,
) -> None:
    """Measure what a model is worth as a judge of instructions: on the catalogue's programs that follow one, or break it.

    Examples:
    * `ghosttape instructions calibrate --provider openai --model j -o j.worth.json`
    * `ghosttape instructions run HumanEval.jsonl.gz --provider openai --model m --judge-provider openai --judge-model j --calibration j.worth.json`
    """
    from tui.commands import measuring
    from tui.commands.options.configuration import settings_of

    chosen = settings_of(settings, {"max_tokens": max_tokens, **provider.members()}).provider
    asked = measuring.judged_instructions(instructions)
    document = asyncio.run(
        measuring.calibrate(chosen, asked, out, repeats=repeats, seed=seed, require_recorded=require_recorded)
    )
    print_json(document) if json else measuring.show_calibration(document, out)
