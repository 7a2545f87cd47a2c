"""The commands of `ghosttape corpora` that make benchmarks of blocks: which repositories, from one of them, in the published layout."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from tui.commands.options import corpus_flags, flags
from tui.outcome import guarded, print_json


@guarded
def build(
    kind: Annotated[str, typer.Argument(help="The kind of corpus: codev.")],
    repository: Annotated[
        Path, typer.Argument(metavar="REPO", help="A folder or a git repository; of that, the newest commit counts.")
    ],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file of the corpus, as app.jsonl.")],
    name: Annotated[str, typer.Option(help="What the corpus is called (default: as the repository).")] = "",
    until: Annotated[
        str, typer.Option(help="The last stage: environment (how is it tested), chains (what do tests call), samples.")
    ] = "samples",
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="How many blocks are wanted.")] = 60,
    blocks: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A TOML file [blocks] TYPE = SHARE (default: the paper's Table 2)."),
    ] = None,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines of a block.")] = 30,
    path: corpus_flags.RepositoryPaths = None,
    exclude: corpus_flags.RepositoryExcluded = None,
    seed: flags.Seed = 0,
    toolchain: corpus_flags.RepositoryToolchain = None,
    setup: corpus_flags.RepositorySetUp = None,
    test_command: corpus_flags.RepositoryTestCommand = None,
    test_timeout: Annotated[
        float | None,
        typer.Option(
            min=1.0,
            metavar="SECONDS",
            help="How long a run of the tests may take, when it is found out how they run and later (default: what their files say, or six times what they took).",
        ),
    ] = None,
    requires: corpus_flags.RepositoryRequires = None,
    allow_network_setup: flags.AllowNetworkSetup = False,
    setup_env: flags.SetUpEnv = None,
    sandbox: flags.TestSandbox = "auto",
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is no corpus of blocks.")] = False,
    evaluate: Annotated[
        str, typer.Option(metavar="PROVIDER", help="Then ask this provider for each block, as `evaluate FILE` does.")
    ] = "",
    ask_model: Annotated[
        bool,
        typer.Option(
            "--ask-model",
            help="Where no rule finds out how the repository is tested, ask the model of --provider, round by round, with the logs of what failed (what it is sent: docs/try.md). What it proposes is shown, and runs in the sandbox only after you say yes.",
        ),
    ] = False,
    run_proposals: Annotated[
        bool,
        typer.Option("--run-proposals", "--yes", help="Run what the model of --ask-model proposes without a question."),
    ] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Ask that model at most so often.")] = 3,
    provider: Annotated[str, typer.Option(help="Of --ask-model: openai, ollama or anthropic.")] = "",
    model: flags.ModelFlag = "",
    base_url: flags.BaseUrl = "",
    settings: flags.SettingsJson = "{}",
    json: flags.JsonFlag = False,
) -> None:
    """Make a benchmark of blocks from a tested repository, as Codev-Bench's agent does: how it is tested, what its tests call, which blocks they notice.

    A block (the body of a function, a branch, a loop, a try, a statement) is kept only if a test that enters its function fails without it. Each stage keeps
    what it found, with a log. Ctrl-C loses nothing: the same command goes on.

    Examples:
    * `ghosttape corpora build codev ~/src/app -o app.jsonl`
    * `ghosttape corpora build codev ~/src/app -o app.jsonl --evaluate gguf` (and what the embedded model makes of it, in a table)
    * `ghosttape corpora build codev ~/src/app -o app.jsonl --until environment` (can it be tested here?)
    * `ghosttape corpora build codev ~/src/app -o app.jsonl --ask-model --provider openai --base-url http://127.0.0.1:8080/v1` (a model proposes how it is tested)
    * `ghosttape corpora build codev ~/src/app -o app.jsonl --toolchain python --test-command "python -m pytest -q" --requires pytest`
    * `ghosttape corpora export codev app.jsonl -o published` (the published layout)
    """
    from tui.commands import building
    from tui.commands.options import building_options
    from tui.commands.options.command_flags import ProviderFlags
    from tui.commands.options.mining_options import testing_of
    from tui.commands.options.run_options import tests_over
    from tui.outcome import ExitStatus

    building_options.refuse_unknown(kind, until, evaluate)
    asked = {"model": model, "base_url": base_url}
    advisor = building_options.advisor_of(provider, settings, **asked, asks=ask_model, runs=run_proposals)
    tests = tests_over(toolchain, setup, test_command)
    testing = testing_of(tests, requires, network=allow_network_setup, variables=setup_env, sandbox=sandbox)
    choice = building_options.choice_of(number, blocks, seed, max_lines, paths=path, excluded=exclude)
    is_said = bool(tests) or testing.project_tests is not None
    request = building.BuildingRequest(
        repository,
        out,
        name,
        until,  # type: ignore[arg-type] # refuse_unknown checks it
        choice,
        testing,
        is_said,
        force,
        test_timeout,
        advisor,
        run_proposals,
        rounds,
    )
    found = asyncio.run(building.build(request))
    if not json:
        building.show_built(found)
    status = building.status_of(found)
    if evaluate and found["file"]:
        found["evaluation"] = building.evaluated(
            Path(found["file"]), ProviderFlags(provider=evaluate, **asked), settings, quiet=json
        )
        status = status or ExitStatus.evaluated(found["evaluation"])
    if json:
        print_json(found)
    raise typer.Exit(status)


@guarded
def choose(
    repositories: Annotated[
        list[str] | None, typer.Argument(metavar="REPO…", help="Folders, or repositories of GitHub as OWNER/NAME.")
    ] = None,
    *,
    listed: Annotated[
        Path | None, typer.Option("--list", metavar="FILE", help="A file that names more of them, one a line.")
    ] = None,
    search: Annotated[
        str, typer.Option(metavar="LANGUAGE", help="Search GitHub too; a token comes from GITHUB_TOKEN or GH_TOKEN.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, help="Look at most at so many that the search finds.")] = 20,
    months: Annotated[float, typer.Option(min=0, help="Created within so many months.")] = 4,
    stars: Annotated[int, typer.Option(min=0, help="More stars than these.")] = 50,
    provider: flags.ProviderFlag = "",
    model: flags.ModelFlag = "",
    base_url: flags.BaseUrl = "",
    settings: flags.SettingsJson = "{}",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write those that are chosen.")
    ] = None,
    json: flags.JsonFlag = False,
) -> None:
    """Choose repositories for a benchmark of blocks: young, liked, with tests, and set up with little; each with its reasons.

    Whether little is enough is judged by rules (no GPU, no services, no compiler, by README and packaging files), or with --provider by a chat model. Nothing is cloned or run.

    Examples:
    * `ghosttape corpora choose ~/src/app owner/name`
    * `ghosttape corpora choose --search python --limit 50 -o chosen.txt`
    """
    from tui.commands import choosing
    from tui.commands.options.run_options import generation_settings

    asked = {"name": provider, "model": model, "base_url": base_url}
    judge = generation_settings(settings, asked).provider if provider else None
    named = [*(repositories or ()), *(choosing.names_in(listed) if listed else ())]
    found = asyncio.run(choosing.choose(choosing.ChoosingRequest(named, search, limit, months, stars, judge)))
    if out is not None:
        choosing.write_chosen(found, out)
    print_json(choosing.as_json(found)) if json else choosing.show_choices(found)


@guarded
def export(
    name: Annotated[str, typer.Argument(help="The kind of corpus: codev.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A corpus of `ghosttape corpora build codev`.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="A new folder.")],
    project: corpus_flags.RepositoryNow = None,
    python: Annotated[
        str, typer.Option(help="The interpreter of the unit tests, seen from a repository.")
    ] = "myenv/bin/python",
    json: flags.JsonFlag = False,
) -> None:
    """Write a corpus of blocks in the layout in which Codev-Bench is published, so that its own scripts can judge answers to it.

    The folder gets the code of the repositories, under their licences. What the published scripts judge otherwise is in docs/codev.md.

    Example: `ghosttape corpora export codev app.jsonl -o published`
    """
    from tui.commands import exporting

    found = asyncio.run(exporting.export(name, file, out, project, python))
    print_json(found) if json else exporting.show_exported(found)
