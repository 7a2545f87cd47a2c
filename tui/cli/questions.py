"""The command line of benchmarks that ask questions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from tui.commands.options import corpus_flags, flags
from tui.commands.options.command_flags import ProviderFlags
from tui.commands.options.expanding import expanded
from tui.errors import ConfigurationError
from tui.outcome import ExitStatus, guarded, print_json


@guarded
@expanded
def ask(
    corpus: Annotated[str, typer.Argument(help="The benchmark of questions: efcb.")],
    *,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A copy of its repository, or a folder REPOSITORY/*.jsonl in its form."),
    ] = None,
    provider: ProviderFlags,
    judge_provider: Annotated[
        str, typer.Option(help="Who scores texts (default: nobody, and only letters are scored).")
    ] = "",
    judge_model: Annotated[str, typer.Option(help="The judge's model.")] = "",
    judge_base_url: Annotated[str, typer.Option(help="The judge's server.")] = "",
    judge_settings: flags.JudgeSettings = "{}",
    calibration: flags.Calibrations = None,
    tasks: Annotated[
        str,
        typer.Option(help="Only these, comma-separated: gmcq-easy, gmcq-hard, mpr-gen, reverse-qa, reverse-qa-hallu."),
    ] = "",
    repositories: Annotated[str, typer.Option(help="Only these, comma-separated.")] = "",
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many questions in all, drawn evenly of the tasks.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer, in the model's tokens.")] = 1024,
    concurrency: corpus_flags.Concurrency = 1,
    require_recorded: Annotated[
        bool, typer.Option("--require-recorded", help="Ask nothing: take every answer from the folder of --out.")
    ] = False,
    seed: flags.Seed = 0,
    settings: flags.SettingsJson = "{}",
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder of the answers; the same command goes on where it was stopped.")
    ] = Path(".ghosttape/asked"),
    json: flags.JsonFlag = False,
) -> None:
    """Ask a model the questions of a benchmark, have its texts judged, and say what rules solve that ask no model.

    Without --provider nothing is asked, and only the rules answer.

    Examples:
    * `ghosttape ask efcb --data ~/src/efcb` (what can be solved without a model?)
    * `ghosttape ask efcb --data ~/src/efcb --provider gguf --tasks gmcq-hard --limit 50`
    * `ghosttape ask efcb --data ~/src/efcb --provider openai --model m --judge-provider openai --judge-model j --out efcb-m`
    * `ghosttape ask efcb --data ~/src/efcb --provider openai --model m --out efcb-m --require-recorded` (the same once more, without a network)
    """
    from tui.commands.options.configuration import settings_of, settings_of_another
    from tui.commands.options.run_options import words
    from tui.commands.questions import examining

    if corpus != "efcb":
        raise ConfigurationError(f"{corpus!r} asks no questions: efcb does (the others: `ghosttape evaluate`)")
    if data is None:
        raise ConfigurationError("the data of efcb has no licence, so nothing fetches it: name your copy with --data")

    own = {"max_tokens": max_tokens, **provider.members()}
    judge = {"max_tokens": max_tokens, "name": judge_provider, "model": judge_model, "base_url": judge_base_url}
    if calibration and not judge_provider:
        raise ConfigurationError("--calibration is of a judge: name it with --judge-provider")
    if not judge_provider and (judge_model or judge_base_url or judge_settings != "{}"):
        raise ConfigurationError(
            "--judge-model, --judge-base-url and --judge-settings are of a judge: name it with --judge-provider"
        )
    asked = examining.AskedQuestions(
        data=data,
        out=out,
        tasks=examining.tasks_named(words(tasks)),
        repositories=words(repositories),
        limit=limit,
        seed=seed,
        provider=settings_of(settings, own).provider if provider.provider else None,
        judge=settings_of_another(judge_settings, judge).provider if judge_provider else None,
        places=concurrency,
        require_recorded=require_recorded,
        calibrations=calibration or [],
    )
    document = asyncio.run(examining.examine(asked))
    print_json(document) if json else examining.show(document)
    raise typer.Exit(ExitStatus.FAILURES if document.get("failures") else ExitStatus.DONE)


@guarded
def pull_requests(
    repositories: Annotated[
        list[str],
        typer.Argument(
            metavar="REPO…",
            help="Clones with their history (the branch that is checked out), and repositories of GitHub as OWNER/NAME.",
        ),
    ],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the questions.")],
    limit: Annotated[
        int | None,
        typer.Option(min=4, help="At most so many pull requests of each, the newest (default: all; of GitHub 300)."),
    ] = None,
    seed: flags.Seed = 0,
    json: flags.JsonFlag = False,
) -> None:
    """Make questions in EFCB's form from the pull requests of repositories, and a Hard that its shape does not solve (gmcq-hard-2).

    Of a clone, pull requests are merge commits, and commits whose subject ends in (#NUMBER): no network. Of GitHub, those that were merged: set GITHUB_TOKEN, for
    without one GitHub allows 60 requests an hour. Those with a description and a patch of 15 lines to 7,500 characters count. The same command goes on where it was stopped.

    Examples:
    * `ghosttape corpora pull-requests ~/src/app ~/src/lib -o questions`
    * `GITHUB_TOKEN=… ghosttape corpora pull-requests pypa/packaging --limit 200 -o questions`
    * `ghosttape ask efcb --data questions` (what can be solved without a model?)
    """
    from tui.commands.questions import making

    counts = making.made(repositories, out, seed, limit)
    if json:
        print_json({"out": str(out), "repositories": counts})
    else:
        making.show_made(counts, out)
