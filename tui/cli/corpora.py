"""The command line of `ghosttape corpora`. Each command parses its arguments, calls one room and prints the result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from tui.cli import blocks, questions
from tui.commands.options import corpus_flags, flags
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
    name: corpus_flags.CorpusFlag,
    *,
    data: corpus_flags.Data = None,
    languages: corpus_flags.Languages = "",
    categories: corpus_flags.Categories = "",
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
    limit: corpus_flags.TaskLimit = None,
    sandbox: corpus_flags.ProgramSandbox = "auto",
    workers: corpus_flags.Workers = "warm",
    seed: flags.Seed = 0,
    project: corpus_flags.RepositoryNow = None,
    allow_network_setup: flags.AllowNetworkSetup = False,
    setup_env: flags.SetUpEnv = None,
    out: corpus_flags.RunToGoOn = None,
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
    languages: corpus_flags.Languages = "",
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
    path: corpus_flags.RepositoryPaths = None,
    exclude: corpus_flags.RepositoryExcluded = None,
    max_lines: Annotated[int, typer.Option(min=1, help="The most lines of a gap: an answer may have 256 tokens.")] = 30,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Try at most so many gaps, drawn evenly of all files.")
    ] = None,
    seed: flags.Seed = 0,
    toolchain: corpus_flags.RepositoryToolchain = None,
    setup: corpus_flags.RepositorySetUp = None,
    test_command: corpus_flags.RepositoryTestCommand = None,
    requires: corpus_flags.RepositoryRequires = None,
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


for makes in (blocks.build, blocks.choose, blocks.export):
    app.command()(makes)


@app.command()
@guarded
def generate(
    name: Name,
    *,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="DIR", help="Folder of the new tasks; the same command goes on there."),
    ],
    languages: corpus_flags.Languages = "python",
    categories: corpus_flags.Categories = "",
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
    sandbox: corpus_flags.ProgramSandbox = "auto",
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


app.command()(questions.pull_requests)
