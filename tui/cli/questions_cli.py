"""The command line of benchmarks that ask questions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from server.option import Option
from tui.commands.options import flags
from tui.declared_flags import Flags
from tui.errors import ConfigurationError
from tui.outcome import ExitStatus, print_json


class AskedQuestionFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `ask`."""

    data: Annotated[Path | None, Option(metavar="DIR")] = None
    """A copy of its repository, or a folder REPOSITORY/*.jsonl in its form."""
    judge_provider: str = ""
    """Who scores texts (default: nobody, and only letters are scored)."""
    tasks: str = ""
    """Only these, comma-separated: gmcq-easy, gmcq-hard, mpr-gen, reverse-qa, reverse-qa-hallu."""
    repositories: str = ""
    """Only these, comma-separated."""
    limit: Annotated[int | None, Option(min=1)] = None
    """At most so many questions in all, drawn evenly of the tasks."""
    max_tokens: Annotated[int, Option(min=1)] = 1024
    """The longest answer, in the model's tokens."""
    require_recorded: bool = False
    """Ask nothing: take every answer from the folder of --out."""
    out: Annotated[Path, Option(short="-o")] = Path(".ghosttape/asked")
    """Folder of the answers; the same command goes on where it was stopped."""


def ask(
    corpus: Annotated[str, typer.Argument(help="The benchmark of questions: efcb.")],
    *,
    given: AskedQuestionFlags,
    provider: flags.ProviderFlags,
    judge: flags.JudgeFlags,
    calibration: flags.Calibrations = None,
    concurrency: flags.Concurrency = 1,
    seed: flags.Seed = 0,
    settings: flags.SettingsJson = "{}",
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
    from tui.commands.options.configuration import another_model, model_of
    from tui.commands.questions import examining
    from tui.declared_flags import words

    if corpus != "efcb":
        raise ConfigurationError(f"{corpus!r} asks no questions: efcb does (the others: `ghosttape evaluate`)")
    if given.data is None:
        raise ConfigurationError("the data of efcb has no licence, so nothing fetches it: name your copy with --data")

    if calibration and not given.judge_provider:
        raise ConfigurationError("--calibration is of a judge: name it with --judge-provider")
    asked = examining.AskedQuestions(
        data=given.data,
        out=given.out,
        tasks=examining.tasks_named(words(given.tasks)),
        repositories=words(given.repositories),
        limit=given.limit,
        seed=seed,
        provider=model_of(provider, settings, max_tokens=given.max_tokens) if provider["provider"] else None,
        judge=another_model(
            "judge",
            "a judge",
            provider=given.judge_provider,
            model=judge.judge_model,
            base_url=judge.judge_base_url,
            settings=judge.judge_settings,
            max_tokens=given.max_tokens,
        ),
        places=concurrency,
        require_recorded=given.require_recorded,
        calibrations=calibration or [],
    )
    document = asyncio.run(examining.examine(asked))
    print_json(document) if json else examining.show(document)
    raise typer.Exit(ExitStatus.FAILURES if document.get("failures") else ExitStatus.DONE)


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
