"""The commands of `ghosttape corpora` that make benchmarks of blocks: which repositories, from one of them, in the published layout."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from server.option import Option
from server.settings import ProviderSettings
from tui.commands.options import flags
from tui.commands.options.flags import DeclaredFlags
from tui.declared_flags import Flags, Given
from tui.outcome import print_json

_Served: TypeAlias = Annotated[Given, DeclaredFlags.of(ProviderSettings, "model", "base_url")]


class BuildFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `build`."""

    out: Annotated[Path, Option(short="-o", metavar="FILE")]
    """The file of the corpus, as app.jsonl."""
    name: str = ""
    """What the corpus is called (default: as the repository)."""
    until: str = "samples"
    """The last stage: environment (how is it tested), chains (what do tests call), samples."""
    number: Annotated[int, Option(short="-n", min=1)] = 60
    """How many blocks are wanted."""
    blocks: Annotated[Path | None, Option(metavar="FILE")] = None
    """A TOML file [blocks] TYPE = SHARE (default: the paper's Table 2)."""
    max_lines: Annotated[int, Option(min=1)] = 30
    """The most lines of a block."""
    test_timeout: Annotated[float | None, Option(min=1.0, metavar="SECONDS")] = None
    """How long a run of the tests may take, when it is found out how they run and later (default: what their files say, or six times what they took)."""
    force: bool = False
    """Replace the file if it is no corpus of blocks."""
    evaluate: Annotated[str, Option(metavar="PROVIDER")] = ""
    """Then ask this provider for each block, as `evaluate FILE` does."""
    ask_model: bool = False
    """Where no rule finds out how the repository is tested, ask the model of --provider, round by round, with the logs of what failed (what it is sent: docs/try.md). What it proposes is shown, and runs in the sandbox only after you say yes."""
    run_proposals: Annotated[bool, Option(short="--yes")] = False
    """Run what the model of --ask-model proposes without a question."""
    rounds: Annotated[int, Option(min=1)] = 3
    """Ask that model at most so often."""
    provider: str = ""
    """Of --ask-model: openai, ollama or anthropic."""


def build(
    kind: Annotated[str, typer.Argument(help="The kind of corpus: codev.")],
    repository: Annotated[
        Path, typer.Argument(metavar="REPO", help="A folder or a git repository; of that, the newest commit counts.")
    ],
    *,
    given: BuildFlags,
    seed: flags.Seed = 0,
    tested: flags.RepositoryFlags,
    rights: flags.SetUpRights,
    sandbox: flags.TestSandbox = "auto",
    served: _Served,
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
    from tui.commands import build_command
    from tui.commands.options.run_options import testing_of
    from tui.outcome import ExitStatus

    build_command.refuse_unknown(kind, given.until, given.evaluate)
    advisor = build_command.advisor_of(
        {"provider": given.provider, **served}, settings, asks=given.ask_model, runs=given.run_proposals
    )
    testing = testing_of(tested, rights, sandbox)
    choice = build_command.choice_of(
        given.number, given.blocks, seed, given.max_lines, paths=tested.path, excluded=tested.exclude
    )
    is_said = bool(testing.tests_over) or testing.project_tests is not None
    request = build_command.BuildingRequest(
        repository,
        given.out,
        given.name,
        given.until,  # type: ignore[arg-type] # refuse_unknown checks it
        choice,
        testing,
        is_said,
        given.force,
        given.test_timeout,
        advisor,
        given.run_proposals,
        given.rounds,
    )
    found = asyncio.run(build_command.build(request))
    if not json:
        build_command.show_built(found)
    status = build_command.status_of(found)
    if given.evaluate and found["file"]:
        asked = {"provider": given.evaluate, **served}
        found["evaluation"] = build_command.evaluated(Path(found["file"]), asked, settings, quiet=json)
        status = status or ExitStatus.evaluated(found["evaluation"])
    if json:
        print_json(found)
    raise typer.Exit(status)


class ChooseFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `choose`."""

    listed: Annotated[Path | None, Option(flag="--list", metavar="FILE")] = None
    """A file that names more of them, one a line."""
    search: Annotated[str, Option(metavar="LANGUAGE")] = ""
    """Search GitHub too; a token comes from GITHUB_TOKEN or GH_TOKEN."""
    limit: Annotated[int, Option(min=1)] = 20
    """Look at most at so many that the search finds."""
    months: Annotated[float, Option(min=0)] = 4
    """Created within so many months."""
    stars: Annotated[int, Option(min=0)] = 50
    """More stars than these."""
    out: Annotated[Path | None, Option(short="-o", metavar="FILE")] = None
    """Write those that are chosen."""


def choose(
    repositories: Annotated[
        list[str] | None, typer.Argument(metavar="REPO…", help="Folders, or repositories of GitHub as OWNER/NAME.")
    ] = None,
    *,
    given: ChooseFlags,
    provider: flags.ModelFlags,
    settings: flags.SettingsJson = "{}",
    json: flags.JsonFlag = False,
) -> None:
    """Choose repositories for a benchmark of blocks: young, liked, with tests, and set up with little; each with its reasons.

    Whether little is enough is judged by rules (no GPU, no services, no compiler, by README and packaging files), or with --provider by a chat model. Nothing is cloned or run.

    Examples:
    * `ghosttape corpora choose ~/src/app owner/name`
    * `ghosttape corpora choose --search python --limit 50 -o chosen.txt`
    """
    from tui.commands import repository_selection
    from tui.commands.options.run_options import generation_settings
    from tui.declared_flags import members_of

    asked = members_of(ProviderSettings, provider)
    judge = generation_settings(settings, asked).provider if "name" in asked else None
    named = [*(repositories or ()), *(repository_selection.names_in(given.listed) if given.listed else ())]
    found = asyncio.run(
        repository_selection.choose(
            repository_selection.ChoosingRequest(named, given.search, given.limit, given.months, given.stars, judge)
        )
    )
    if given.out is not None:
        repository_selection.write_chosen(found, given.out)
    print_json(repository_selection.as_json(found)) if json else repository_selection.show_choices(found)


def export(
    name: Annotated[str, typer.Argument(help="The kind of corpus: codev.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A corpus of `ghosttape corpora build codev`.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="A new folder.")],
    project: flags.MovedProject = "",
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

    found = asyncio.run(exporting.export(name, file, out, Path(project) if project else None, python))
    print_json(found) if json else exporting.show_exported(found)
