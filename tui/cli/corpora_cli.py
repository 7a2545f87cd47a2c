"""The command line of `ghosttape corpora`. Each command parses its arguments, calls one room and prints the result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from corpora.evaluation_options import EvaluateOptions
from server.option import Option
from server.settings import ProviderSettings
from tui.cli import blocks_cli, questions_cli
from tui.commands.options import flags
from tui.commands.options.flags import DeclaredFlags, command
from tui.declared_flags import Flags, Given
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
_Audited: TypeAlias = Annotated[
    Given,
    DeclaredFlags.of(
        EvaluateOptions,
        "languages",
        "categories",
        "limit",
        "sandbox",
        "workers",
        "seed",
        "project",
        "network_setup",
        "setup_env",
        workers="warm",
    ),
]
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


@command(app)
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


@command(app)
def audit(
    name: flags.CorpusName,
    *,
    data: flags.Data = None,
    chosen: _Audited,
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
    out: flags.RunFolder = None,
    json: flags.JsonFlag = False,
) -> None:
    """Look at the tasks of a benchmark: near-duplicates, and how various they are; or, with --tests, what its tests notice.

    Examples:
    * `ghosttape corpora audit devbench --languages python`
    * `ghosttape corpora audit devbench --run runs/a --run runs/b` (is who is good at one category good at another?)
    * `ghosttape corpora audit devbench --tests --out noticed` (the same command goes on where it was stopped)
    * `ghosttape corpora audit mine.jsonl --tests` (a corpus of `ghosttape corpora mine`)
    """
    from tui.commands import benchmarks
    from tui.commands.options.configuration import options_of
    from tui.commands.options.corpus_data import named_corpus
    from tui.commands.options.run_options import check_repository
    from tui.declared_flags import members_of

    if runs:
        related = benchmarks.related(runs)
        print_json(related) if json else benchmarks.show_related(related)
        return
    members = members_of(EvaluateOptions, chosen)
    if out is not None and not tests:
        raise ConfigurationError("--out names the folder of a run, and only --tests makes one")
    if not tests:
        kinds = (members["languages"], members["categories"])
        project = Path(members["project"]) if members["project"] else None
        found = benchmarks.audited(name, data, kinds, members["limit"], members["seed"], project=project)
        print_json(found) if json else benchmarks.show_audit(found)
        return
    corpus, found_data = named_corpus(name, data)
    check_repository(found_data, members)
    options = options_of(EvaluateOptions, corpus=corpus, data=str(found_data), **members)
    found, folder = asyncio.run(benchmarks.noticed(options, out))
    print_json(found) if json else benchmarks.show_noticed(found, folder)


class MineFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `mine`."""

    out: Annotated[Path, Option(short="-o", metavar="FILE")]
    """The file of the corpus, as mine.jsonl."""
    name: str = ""
    """What the corpus is called (default: as the repository)."""
    kinds: str = ""
    """Only these, comma-separated: function-body, if-body, loop-body, if-condition, loop-condition, rest-of-function, rest-of-if, rest-of-loop (from a loop or a branch in the midst of a body to its end)."""
    categories: str = ""
    """Only these: infilling (text before and behind), completion (only text before)."""
    max_lines: Annotated[int, Option(min=1)] = 30
    """The most lines of a gap: an answer may have 256 tokens."""
    limit: Annotated[int | None, Option(min=1)] = None
    """Try at most so many gaps, drawn evenly of all files."""
    force: bool = False
    """Replace the file if it has another content."""


@command(app)
def mine(
    repository: Annotated[
        Path, typer.Argument(metavar="REPO", help="A folder or a git repository; of that, the newest commit is mined.")
    ],
    *,
    given: MineFlags,
    languages: flags.Languages = "",
    seed: flags.Seed = 0,
    tested: flags.RepositoryFlags,
    rights: flags.SetUpRights,
    sandbox: flags.TestSandbox = "auto",
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
    from tui.commands.options.run_options import testing_of

    testing = testing_of(tested, rights, sandbox)
    choice = mining.choice_of(
        languages, given.kinds, given.categories, given.max_lines, paths=tested.path, excluded=tested.exclude
    )
    request = mining.MiningRequest(repository, given.out, given.name, choice, given.limit, seed, testing, given.force)
    found = asyncio.run(mining.mine(request))
    print_json(found) if json else mining.show_mined(found)
    raise typer.Exit(mining.status_of(found))


for makes in (blocks_cli.build, blocks_cli.choose, blocks_cli.export):
    command(app)(makes)


class GenerateFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `generate`."""

    out: Annotated[Path, Option(short="-o", metavar="DIR")]
    """Folder of the new tasks; the same command goes on there."""
    count: Annotated[int, Option(min=1)] = 1
    """Tasks of each language and category to ask for."""
    against: Annotated[Path | None, Option(metavar="DIR")] = None
    """Data whose tasks must not come again (default: the benchmark's own, if it was fetched)."""


@command(app)
def generate(
    name: Name,
    *,
    given: GenerateFlags,
    languages: flags.Languages = "python",
    categories: flags.Categories = "",
    provider: flags.ModelFlags,
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
    from corpora.generation.generation_funnel import Funnel, counts
    from corpora.registry import card_of
    from tui.commands import generating
    from tui.commands.options.run_options import generation_settings
    from tui.declared_flags import members_of, words

    card_of(name)
    funnel = Funnel(given.out)
    chosen = generation_settings(settings, members_of(ProviderSettings, provider))
    cells = (words(languages), words(categories))
    asked = generating.generate(funnel, chosen, *cells, count=given.count, against=given.against, sandbox=sandbox)
    fates = asyncio.run(asked)
    if json:
        print_json({"stages": counts(fates), "answers": fates})
    else:
        generating.show_funnel(fates, funnel)


@command(app)
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


command(app)(questions_cli.pull_requests)
