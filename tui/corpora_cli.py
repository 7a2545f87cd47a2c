"""The command line of `ghosttape corpora`. Each command parses its arguments, calls one room and prints the result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from tui import questions_cli
from tui.commands.options import flags
from tui.errors import ConfigurationError
from tui.outcome import guarded, print_json

app = typer.Typer(
    help="""The published benchmarks: which there are, what of them runs here, their data, and what their tasks are like; and benchmarks of your own.

Alone it lists the published ones. Examples:
* `ghosttape corpora`
* `ghosttape corpora get devbench`
* `ghosttape corpora audit devbench --tests` (what do its tests notice?)
* `ghosttape corpora mine ~/src/app -o app.jsonl` (a benchmark from a repository with tests)""",
    rich_markup_mode="markdown",
)
Name = Annotated[str, typer.Argument(help="The benchmark; `ghosttape corpora` lists them.")]


@app.callback(invoke_without_command=True)
@guarded
def overview(context: typer.Context, *, json: flags.JsonFlag = False) -> None:
    """The published benchmarks: which there are, what of them runs here, their data, and what their tasks are like."""
    if context.invoked_subcommand:
        return
    from tui.commands import benchmarks

    entries = asyncio.run(benchmarks.overview())
    print_json({"corpora": entries}) if json else benchmarks.show_overview(entries)


@app.command()
@guarded
def get(
    name: Name,
    *,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Take a local copy of the data, with no network.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Where to put it, instead of the user's data folder."),
    ] = None,
) -> None:
    """Fetch the data of a benchmark with git at a pinned commit, and compare it with its checksums.

    `ghosttape evaluate NAME` finds it from then on. Nothing of a benchmark comes with ghosttape.

    Examples:
    * `ghosttape corpora get devbench`
    * `ghosttape corpora get devbench --from ~/src/devbench`
    """
    from tui.commands import benchmarks

    typer.echo(benchmarks.get(name, source=source, out=out, notify=lambda line: typer.echo(line, err=True)))


@app.command()
@guarded
def audit(
    name: flags.CorpusFlag,
    *,
    data: flags.Data = None,
    languages: flags.Languages = "",
    categories: flags.Categories = "",
    tests: Annotated[
        bool,
        typer.Option(
            "--tests",
            help="Test every ground truth and every empty gap instead: which tasks can tell a right answer from none?",
        ),
    ] = False,
    runs: Annotated[
        list[Path] | None,
        typer.Option(
            "--run", metavar="RUN", help="How do the categories go together in these runs? Name several models' runs."
        ),
    ] = None,
    limit: flags.TaskLimit = None,
    sandbox: flags.ProgramSandbox = "auto",
    workers: flags.Workers = "warm",
    seed: flags.Seed = 0,
    project: flags.RepositoryNow = None,
    allow_network_setup: flags.AllowNetworkSetup = False,
    setup_env: flags.SetUpEnv = None,
    out: flags.RunToGoOn = None,
    json: flags.JsonFlag = False,
) -> None:
    """Look at the tasks of a benchmark: near-duplicates, and how various they are; or, with --tests, what its tests notice.

    Examples:
    * `ghosttape corpora audit devbench --languages python`
    * `ghosttape corpora audit devbench --run runs/a --run runs/b` (is who is good at one category good at another?)
    * `ghosttape corpora audit devbench --tests --out noticed` (the same command goes on where it was stopped)
    * `ghosttape corpora audit mine.jsonl --tests` (a corpus of `ghosttape corpora mine`)
    """
    from corpora.options import EvaluateOptions
    from tui.commands import benchmarks
    from tui.commands.options.configuration import options_of
    from tui.commands.options.corpus_data import named_corpus
    from tui.commands.options.run_options import repository_options, words

    if runs:
        related = benchmarks.related(runs)
        print_json(related) if json else benchmarks.show_related(related)
        return
    chosen = (words(languages), words(categories))
    if out is not None and not tests:
        raise ConfigurationError("--out names the folder of a run, and only --tests makes one")
    if not tests:
        found = benchmarks.audited(name, data, chosen, limit, seed, project=project)
        print_json(found) if json else benchmarks.show_audit(found)
        return
    corpus, found_data = named_corpus(name, data)
    asked = {"corpus": corpus, "data": str(found_data), "seed": seed, "limit": limit}
    asked |= repository_options(found_data, project, allow_network_setup, setup_env)
    named = {"languages": chosen[0], "categories": chosen[1], "sandbox": sandbox, "workers": workers}
    found, folder = asyncio.run(benchmarks.noticed(options_of(EvaluateOptions, **asked, **named), out))
    print_json(found) if json else benchmarks.show_noticed(found, folder)


@app.command()
@guarded
def mine(
    repository: Annotated[
        Path, typer.Argument(metavar="REPO", help="A folder or a git repository; of that, the newest commit is mined.")
    ],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file of the corpus, as mine.jsonl.")],
    name: Annotated[str, typer.Option(help="What the corpus is called (default: as the repository).")] = "",
    languages: flags.Languages = "",
    kinds: Annotated[
        str,
        typer.Option(
            help="Only these, comma-separated: function-body, if-body, loop-body, if-condition, loop-condition, rest-of-function, rest-of-if, "
            "rest-of-loop (from a loop or a branch in the midst of a body to its end)."
        ),
    ] = "",
    categories: Annotated[
        str, typer.Option(help="Only these: infilling (text before and behind), completion (only text before).")
    ] = "",
    path: flags.RepositoryPaths = None,
    exclude: flags.RepositoryExcluded = None,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines of a gap: an answer may have 256 tokens.")] = 30,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Try at most so many gaps, drawn evenly of all files.")
    ] = None,
    seed: flags.Seed = 0,
    toolchain: flags.RepositoryToolchain = None,
    setup: flags.RepositorySetUp = None,
    test_command: flags.RepositoryTestCommand = None,
    requires: flags.RepositoryRequires = None,
    allow_network_setup: flags.AllowNetworkSetup = False,
    setup_env: flags.SetUpEnv = None,
    sandbox: flags.TestSandbox = "auto",
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it has another content.")] = False,
    json: flags.JsonFlag = False,
) -> None:
    """Make a benchmark from a repository with tests: bodies of its functions, branches and loops, and their conditions, are taken out one at a time.

    A gap is a task if the repository's tests pass with its code and fail without it; code that does not compile without it says nothing of the tests. Nothing
    that is trivial is tried, and no file of tests, nor what was generated. The tests are found as `ghosttape import --from-git` finds them, and run in the
    sandbox. Ctrl-C loses nothing: the same command goes on.

    Examples:
    * `ghosttape corpora mine ~/src/tomli -o tomli.jsonl`
    * `ghosttape evaluate tomli.jsonl --provider oracle` (what was mined is a benchmark)
    * `ghosttape corpora mine app -o app.jsonl --toolchain node --setup "npm ci" --test-command "npx vitest run" --allow-network-setup`
    * `ghosttape corpora mine app -o some.jsonl --limit 50 --kinds function-body,loop-body --categories completion`
    """
    from tui.commands import mining
    from tui.commands.options.mining_options import choice_of, testing_of
    from tui.commands.options.run_options import tests_over

    tests = tests_over(toolchain, setup, test_command)
    testing = testing_of(tests, requires, network=allow_network_setup, variables=setup_env, sandbox=sandbox)
    choice = choice_of(languages, kinds, categories, max_lines, paths=path, excluded=exclude)
    request = mining.MiningRequest(repository, out, name, choice, limit, seed, testing, force)
    found = asyncio.run(mining.mine(request))
    print_json(found) if json else mining.show_mined(found)
    raise typer.Exit(mining.status_of(found))


@app.command()
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
    path: flags.RepositoryPaths = None,
    exclude: flags.RepositoryExcluded = None,
    seed: flags.Seed = 0,
    toolchain: flags.RepositoryToolchain = None,
    setup: flags.RepositorySetUp = None,
    test_command: flags.RepositoryTestCommand = None,
    test_timeout: Annotated[
        float | None,
        typer.Option(
            min=1.0,
            metavar="SECONDS",
            help="How long a run of the tests may take, when it is found out how they run and later (default: what their files say, or six times what they took).",
        ),
    ] = None,
    requires: flags.RepositoryRequires = None,
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


@app.command()
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


@app.command()
@guarded
def export(
    name: Annotated[str, typer.Argument(help="The kind of corpus: codev.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A corpus of `ghosttape corpora build codev`.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="A new folder.")],
    project: flags.RepositoryNow = None,
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


@app.command()
@guarded
def generate(
    name: Name,
    *,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="DIR", help="Folder of the new tasks; the same command goes on there."),
    ],
    languages: flags.Languages = "python",
    categories: flags.Categories = "",
    count: Annotated[int, typer.Option(min=1, help="Tasks of each language and category to ask for.")] = 1,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Data whose tasks must not come again (default: the benchmark's own, if it was fetched).",
        ),
    ] = None,
    provider: flags.ProviderFlag = "",
    model: flags.ModelFlag = "",
    base_url: flags.BaseUrl = "",
    settings: flags.SettingsJson = "{}",
    sandbox: flags.ProgramSandbox = "auto",
    json: flags.JsonFlag = False,
) -> None:
    """Ask a chat model for new tasks of a benchmark's kind, and keep those that are sound, are noticed by their tests, and are new.

    An answer goes no further where it is no task, does not parse, its ground truth fails in the sandbox, its tests do not notice an empty gap, or
    another task is nearly the same. What is left waits for a review. The number of tasks that came how far is printed.

    Examples:
    * `ghosttape corpora generate devbench --languages python --count 5 --provider openai --base-url http://127.0.0.1:8080/v1 --out mine`
    * `ghosttape evaluate devbench --data mine/review --provider gguf` (they are a benchmark)
    """
    from corpora.corpus import card_of
    from corpora.generation.funnel import Funnel, counts
    from tui.commands import generating
    from tui.commands.options.run_options import generation_settings, words

    card_of(name)
    funnel = Funnel(out)
    chosen = generation_settings(settings, {"name": provider, "model": model, "base_url": base_url})
    cells = (words(languages), words(categories))
    asked = generating.generate(funnel, chosen, *cells, count=count, against=against, sandbox=sandbox)
    fates = asyncio.run(asked)
    if json:
        print_json({"stages": counts(fates), "answers": fates})
    else:
        generating.show_funnel(fates, funnel)


@app.command()
@guarded
def review(
    folder: Annotated[Path, typer.Argument(help="Folder of `ghosttape corpora generate`.")],
    *,
    reviewer: Annotated[str, typer.Option(help="Your name in the reviews.")] = "",
    results: Annotated[
        bool, typer.Option("--results", help="Print what the reviews come to, and how far reviewers agree.")
    ] = False,
    json: flags.JsonFlag = False,
) -> None:
    """Review new tasks in the terminal: four questions and a decision each. Two people review each task and do not see each other's answers.

    With --results, or where there is no terminal, it prints how many are accepted, rejected, disputed or wait, and Cohen's kappa. Tasks that two people accept are written to
    FOLDER/accepted, which is a benchmark.

    Examples:
    * `ghosttape corpora review mine --reviewer ada`
    * `ghosttape corpora review mine --results`
    """
    from tui.commands import generating

    if not (results or json):
        generating.review(folder, reviewer)
    found = generating.review_results(folder)
    print_json(found) if json else generating.show_reviews(found, folder)


app.command()(questions_cli.pull_requests)
