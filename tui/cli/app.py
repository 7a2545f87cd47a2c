"""The command line: `ghosttape`. Each command parses its arguments, calls one room and prints the result."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from corpora.evaluation_options import EvaluateOptions
from replay.options import ReplayOptions
from replay.tapes.line_files import Torn
from server.option import Option
from server.settings import ProviderSettings
from tui.cli import corpora_cli, instructions_cli, judge_cli, questions_cli, runs_cli, screens
from tui.commands.inspect import reporting
from tui.commands.options import flags
from tui.commands.options.flags import (
    DeclaredFlags,
    EvaluateFlags,
    GateFlags,
    ReplayFlags,
    ServerFlags,
    TryFlags,
    command,
    warn_unused,
)
from tui.commands.tapes import exchange
from tui.declared_flags import Flags, Given
from tui.outcome import ExitStatus, print_json

_NOT_OF_TRY = (
    "samples",
    "ablate",
    "tests",
    "limit",
    "moments",
    "concurrency",
    "instructions",
    "mode",
    "ask_missed",
    "include_tests",
    "projects",
)
"""Options of a replay that `try` has not, or has in a form of its own."""


app = typer.Typer(
    name="ghosttape",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Replay recorded editing sessions against a code-completion model, and run the project's own tests on what came back.

Start with the bundled tapes: `ghosttape replay demo`, then `ghosttape tui`.

Exit status: 0 done; 1 done, but something named on the screen failed; 2 wrong use; 3 the environment lacks something.""",
)


app.add_typer(corpora_cli.app, name="corpora")
app.add_typer(instructions_cli.app, name="instructions")
app.add_typer(runs_cli.app, name="runs")
app.add_typer(judge_cli.app, name="judge")


@app.callback()
def main(*, version: flags.Version = False) -> None:
    """Replay recorded editing sessions against a code-completion model."""


@command(app, "try")
def try_(
    repository: Annotated[
        str,
        typer.Argument(
            metavar="[REPO]",
            help="A folder in a git repository, or the address of one to clone.",
            show_default="the current folder",
        ),
    ] = ".",
    *,
    options: Annotated[Given, DeclaredFlags.of(ReplayOptions, without=_NOT_OF_TRY)],
    server: ServerFlags,
    given: TryFlags,
    out: flags.RunFolder = None,
    json: flags.JsonFlag = False,
    gated: GateFlags,
) -> None:
    """Try a model on your own repository: find out how it is tested, type its last commits, and replay them.

    It says what it takes for granted, and which flag changes it. [tests] of a ghosttape.toml counts if the file lies in the repository, or was written for it by --save. Commands of the repository run in the sandbox, without network. Ctrl-C at any time: the same command goes on.

    Examples:
    * `ghosttape try`
    * `ghosttape try ../app --provider openai --base-url http://127.0.0.1:8080/v1`
    * `ghosttape try https://github.com/pallets/itsdangerous --provider oracle --last 11 --limit 0`
    * `ghosttape try --requires freezegun --path src/ --since "3 months ago"`
    * `ghosttape try --test-command "python -m pytest tests/unit" --save`
    """
    from tui.commands.gating import Gates
    from tui.commands.options.run_options import options_of_replay
    from tui.commands.quickstart.commit_choice import selection_of
    from tui.commands.quickstart.model_advice import AskFlags
    from tui.commands.quickstart.quickstart import TryRequest, try_repository

    gates = Gates.of(gated, run=out)
    chosen = options_of_replay({**options, "limit": given.limit or None}, server)
    gates.check_instructions(chosen.instructions)
    request = TryRequest(
        repository,
        selection_of(given, chosen.seed),
        chosen,
        given.save,
        out,
        json,
        AskFlags(given.ask_model, given.run_proposals),
        given.test_timeout,
        given.try_again,
    )
    summary = asyncio.run(try_repository(request))
    status = gates.check(summary, json=json)
    if json:
        print_json(summary)
    raise typer.Exit(ExitStatus.of(summary) or status)


@command(app)
def replay(
    context: typer.Context,
    tapes: Annotated[list[str], typer.Argument(help="Tapes, or folders of tapes; `demo` means the bundled ones.")],
    *,
    options: Annotated[Given, DeclaredFlags.of(ReplayOptions)],
    server: ServerFlags,
    given: ReplayFlags,
    live: flags.Live = False,
    out: flags.RunFolder = None,
    json: flags.JsonFlag = False,
    gated: GateFlags,
) -> None:
    """Play tapes against a model, and run the project's tests on each suggestion.

    Examples:
    * `ghosttape replay demo`
    * `ghosttape replay demo --live`
    * `ghosttape replay session.tape.jsonl --provider openai --base-url http://127.0.0.1:8080/v1`
    * `ghosttape replay demo --provider ngram --latency fixed:80 --seed 1 --json`
    * `ghosttape replay demo --record-answers answers.jsonl`, then `… --require-recorded answers.jsonl`
    * `ghosttape replay demo --mode drive --policy vscode --user words --no-tests`
    * `ghosttape replay demo --ablate repairs`
    * `ghosttape replay tapes --toolchain node --setup "npm ci" --test-command "npx vitest run" --allow-network-setup`
    * `ghosttape replay demo --provider lsp --server "copilot-language-server --stdio" --repairs none`
    """
    from tui.commands.gating import Gates
    from tui.commands.options.run_options import options_of_replay

    gates = Gates.of(gated, live=live, run=out)
    chosen = options_of_replay(options, server)
    gates.check_instructions(chosen.instructions)
    warn_unused(context, chosen.settings.provider.name)
    if live:
        from tui.live.starting import watch_live

        watch_live(chosen, out, _show_replay, json=json)
    from tui.commands.runs.replaying import run  # slow to import, so only after the arguments are checked

    torn: Torn = "drop" if given.drop_torn else "refuse"
    summary = asyncio.run(run(tapes, chosen, out, speed=given.speed, quiet=json, torn=torn))
    status = gates.check(summary, json=json)
    if json:
        print_json(summary)
    raise typer.Exit(ExitStatus.of(summary) or status)


def _show_replay(summary: dict[str, Any], folder: Path) -> None:
    """Print a replay's table; what it needs is loaded when the run has ended."""
    from tui.commands.runs.replaying import show

    show(summary, folder)


@command(app)
def evaluate(
    corpus: flags.CorpusName,
    *,
    data: flags.Data = None,
    options: Annotated[Given, DeclaredFlags.of(EvaluateOptions)],
    server: ServerFlags,
    given: EvaluateFlags,
    live: flags.Live = False,
    out: flags.RunFolder = None,
    json: flags.JsonFlag = False,
    gated: GateFlags,
) -> None:
    """Run a published benchmark, or one mined from a repository: ask for each gap through the language server, and run the finished programs.

    Examples:
    * `ghosttape corpora get devbench` (fetches its data; or name its folder with --data)
    * `ghosttape evaluate devbench --provider oracle --limit 60` (does the benchmark itself pass here?)
    * `ghosttape evaluate devbench --published gpt-4o --samples 5 --languages python,java`
    * `ghosttape evaluate simcopilot --provider gguf --by constructs,reference` (what passes by what the removed code uses)
    * `ghosttape evaluate devbench --provider openai --base-url http://127.0.0.1:8080/v1 --out run`
    * `ghosttape evaluate app.jsonl --provider gguf` (a corpus of `ghosttape corpora mine`)
    * `ghosttape evaluate codev --data blocks.jsonl --scenario 2 --provider gguf` (of `ghosttape corpora build codev`)
    """
    from tui.commands.gating import Gates
    from tui.commands.options.run_options import labels_of_table, options_of_evaluation
    from tui.commands.runs.evaluating import run, show_all

    gates = Gates.of(gated, live=live, run=out)
    chosen = options_of_evaluation(options, server, corpus=corpus, data=data, chat=given.chat)
    gates.check_instructions(chosen.instructions)
    by = labels_of_table(given.by)
    if live:
        from tui.live.starting import watch_live

        watch_live(chosen, out, partial(show_all, by=by), json=json)
    summary = asyncio.run(run(chosen, out, by, quiet=json))
    status = gates.check(summary, json=json)
    if json:
        print_json(summary)
    raise typer.Exit(ExitStatus.evaluated(summary) or status)


class ExperimentFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `experiment`."""

    out: Path | None = None
    """Folder of the experiment (default: .ghosttape/experiments/NAME); one that was stopped goes on."""
    dry_run: bool = False
    """Only say what it takes: moments, questions, tests, tokens, cost and time."""
    max_questions: Annotated[int | None, Option(min=0)] = None
    """End before more questions than these went to model servers, in all."""
    max_cost: Annotated[float | None, Option(min=0.0)] = None
    """End before the questions could cost more than this, in all, by [prices] (docs/experiments.md)."""


@command(app)
def experiment(
    file: Annotated[Path, typer.Argument(help="What is combined, over which tapes and corpora (docs/experiments.md).")],
    *,
    given: ExperimentFlags,
    json: flags.JsonFlag = False,
) -> None:
    """Run a matrix of providers, prompts, policies, users, repairs, latencies and samples over tapes and corpora.

    Each cell is a run in a folder of its own. The same command goes on where it was stopped.

    Examples:
    * `ghosttape experiment which-model.toml --dry-run`
    * `ghosttape experiment which-model.toml --max-cost 2.50`
    """
    from tui.commands.experiments import experiment_command
    from tui.commands.experiments.experiment_file import read

    request = experiment_command.ExperimentRequest(read(file), given.out, given.max_questions, given.max_cost)
    if given.dry_run:
        document = experiment_command.planned(request)
        print_json(document) if json else experiment_command.show_plan(document)
        return
    result = asyncio.run(experiment_command.run(request, quiet=json))
    if json:
        print_json(result)
    raise typer.Exit(experiment_command.status_of(result))


@command(app)
def serve(
    context: typer.Context,
    *,
    stdio: Annotated[
        bool,
        typer.Option(
            "--stdio", help="Speak over standard input and output; there is no other way, and editors say so."
        ),
    ] = False,
    provider: flags.ProviderFlags,
    settings: flags.SettingsJson = "{}",
    record: Annotated[
        Path | None,
        typer.Option(help="Record the session as a tape into this folder; see docs/recording.md for what is left out."),
    ] = None,
) -> None:
    """Start the language server that an editor talks to: inline completions, and `ghosttape.replay`.

    Example, for an editor's configuration: `ghosttape serve --stdio --provider gguf`
    """
    from corpora.opened.evaluation_commands import add_evaluation
    from replay.run.served.replay_commands import add_commands, add_recording
    from server.lsp import language_server as lsp
    from server.providers import registry
    from tui.commands.options.configuration import file_of, settings_of
    from tui.declared_flags import members_of

    chosen = settings_of(settings, members_of(ProviderSettings, provider))
    registry.check(chosen.provider.name)
    warn_unused(context, chosen.provider.name)
    server = lsp.create(chosen)
    add_commands(server)
    add_evaluation(server, lambda folder: file_of(folder).tests)
    add_recording(server, _recording_folder(record))
    lsp.serve(server)


def _recording_folder(given: Path | None) -> Path | None:
    """The folder of `--record`, absolute. One that cannot be made or written is named on standard error: completions go on without a recording."""
    if given is None:
        return None
    from replay.recording.errors import RecordingStopped
    from replay.recording.journal import check_folder  # with all that knows secrets: a seventh of the start of a server

    folder = given.expanduser().absolute()
    try:
        check_folder(folder)
    except RecordingStopped as error:
        if sys.stderr is not None:
            sys.stderr.write(f"ghosttape: warning: {error}\n")
    return folder


command(app)(reporting.report)
command(app, "import")(exchange.import_)
command(app)(exchange.export)


class RepairFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `repair`."""

    steps: str = "all"
    """Steps to apply, comma-separated: prose, repeats, indent, brackets, stop; all, or none."""
    stop: str = "any"
    """Where a completion ends, unless its line says: any (nowhere), line, statement, block, auto."""
    paper_rules: str = "none"
    """A benchmark by whose rules answers are read too (simcopilot: comments are dropped); none."""
    keep_going: bool = False
    """Write what cannot be repaired with `error`, and end with status 1."""


@command(app)
def repair(
    files: Annotated[
        list[str] | None, typer.Argument(help="Files of JSON lines, one after the other; none, or -: standard input.")
    ] = None,
    *,
    given: RepairFlags,
) -> None:
    """Repair completions in a pipeline: one JSON object a line in, the same line with the repaired text out.

    In: `language` (python, py, js, c++, c#, go …; null: do without its syntax), `before`, `after` (default: nothing),
    `completion`, and perhaps `stop`. Out: all that, `repaired`, `covered` (it also takes the place of so many characters of
    `after`, closing brackets or the rest of the line, which it says itself), and `trail`, each step that changed something.

    Lines come out in their order, each as soon as it is done. The first that cannot be repaired ends it with its place and
    status 2 (see --keep-going). Nothing is cut for its extent, for no syntax tells that of a task; editors ask with `auto`.

    Examples:
    * `ghosttape repair answers.jsonl > repaired.jsonl`
    * `echo '{"language": "py", "before": "x = f(", "after": ")", "completion": "1))"}' | ghosttape repair`
    * `my-model | ghosttape repair --stop auto --steps prose,repeats,stop | my-tests`
    """
    from tui.commands import repairing

    raise typer.Exit(
        repairing.run(
            files or [], repairing.wishes_of(given.steps, given.paper_rules, given.stop), keep_going=given.keep_going
        )
    )


command(app)(screens.tui)
command(app, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(screens.watch)
command(app)(reporting.records)
command(app)(questions_cli.ask)
command(app)(runs_cli.compare)


@command(app)
def doctor(*, json: flags.JsonFlag = False) -> None:
    """Try each sandbox, toolchain and model that ghosttape can use, and say what to install where one does not work."""
    from tui.commands.checkup import checkup, show

    checks = asyncio.run(checkup(show if not json else lambda _: None))
    if json:
        print_json({"checks": [dict(check) for check in checks]})
    raise typer.Exit(0 if all(check["ok"] for check in checks if check["needed"]) else ExitStatus.LACKING)
