"""The command line: `ghosttape`. Each command reads its words, calls one room, and prints; nothing is decided here."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from tui import exchange
from tui.flags import (
    Answers,
    BaseUrl,
    JsonFlag,
    LanguageServer,
    Model,
    Provider,
    RecordAnswers,
    Repairs,
    ReplayAnswers,
    RequireRecorded,
    Seed,
    SettingsJson,
    Text,
    WhichTests,
)
from tui.outcome import Status, guarded, print_json
from tui.unused import warn_unused

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


@app.command()
@guarded
def replay(
    context: typer.Context,
    tapes: Annotated[list[str], typer.Argument(help="Tapes, or folders of tapes; `demo` means the bundled ones.")],
    *,
    provider: Provider = "",
    model: Model = "",
    base_url: BaseUrl = "",
    command: LanguageServer = "",
    answers: Answers = "",
    text: Text = "",
    record_answers: RecordAnswers = None,
    replay_answers: ReplayAnswers = None,
    require_recorded: RequireRecorded = None,
    settings: SettingsJson = "{}",
    policy: Annotated[
        str,
        typer.Option(
            help="When to ask: blocks (starts and insides of code blocks), vscode, copilot, copilot-nes, tabby, continue, "
            "cody, zed, pause:MS, every, recorded (where the tape's assistant was asked), or one of ghosttape.toml. "
            "Numbers can be changed: vscode:debounce=75, blocks:at=header+operator."
        ),
    ] = "blocks",
    user: Annotated[
        str,
        typer.Option(
            help="The person: exact (accepts what was typed next), words (accepts its words as far as they match), always, "
            "tests (accepts what passes them), recorded (decides as on the tape), or model (a fitted acceptance model)."
        ),
    ] = "exact",
    latency: Annotated[
        str, typer.Option(help="measured, fixed:MS, lognormal:MEDIAN,SIGMA, or tape (of the tape's own assistant).")
    ] = "measured",
    mode: Annotated[
        str,
        typer.Option(
            help="judge: each moment on its own, the tape goes on as recorded; drive: what is accepted stays, and the "
            "keys that are really needed are counted."
        ),
    ] = "judge",
    speed: Annotated[
        float | None,
        typer.Option(
            help="Watch it: 1 is the tape's own speed, 10 ten times as fast (default: as fast as it goes). On a terminal "
            "space pauses, . steps, + and - change the speed, > skips a minute. No result changes."
        ),
    ] = None,
    repairs: Repairs = "all",
    ablate: Annotated[
        str,
        typer.Option(
            metavar="repairs",
            help="repairs: repair each answer with all steps, with none, and with each step left out, run the tests on each, "
            "and say what every step gains and what it breaks. The model is asked once.",
        ),
    ] = "",
    sandbox: Annotated[
        str,
        typer.Option(
            help="Where tests run: auto (bubblewrap, else unshare), either by name, docker, docker:IMAGE, or none (unsafe)."
        ),
    ] = "auto",
    tests: WhichTests = "all",
    no_tests: Annotated[bool, typer.Option("--no-tests", help="Do not run any tests.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask at most this often on each tape.")] = None,
    path: Annotated[
        list[str] | None, typer.Option(help="Ask only in documents whose path begins with this; repeatable.")
    ] = None,
    project: Annotated[
        list[str] | None,
        typer.Option(help="Clone of a repository, for tapes whose project is a commit of it; repeatable."),
    ] = None,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of the run (default: a new one in .ghosttape/runs).")] = None,
    json: JsonFlag = False,
) -> None:
    """Play tapes against a model, and run the project's tests on each suggestion.

    Examples:
    * `ghosttape replay demo`
    * `ghosttape replay session.tape.jsonl --provider openai --base-url http://127.0.0.1:8080/v1`
    * `ghosttape replay demo --provider ngram --latency fixed:80 --seed 1 --json`
    * `ghosttape replay demo --record-answers answers.jsonl`, then `… --require-recorded answers.jsonl`
    * `ghosttape replay demo --mode drive --policy vscode --user words --no-tests`
    * `ghosttape replay demo --ablate repairs`
    * `ghosttape replay demo --provider lsp --server "copilot-language-server --stdio" --repairs none`
    """
    from tui.configuration import options_of, record_of

    record = record_of(record_answers, replay_answers, require_recorded)
    flags: dict[str, Any] = {"name": provider, "model": model, "base_url": base_url, "answers": answers, "text": text}
    flags |= {"command": command, "record": record}
    options = options_of(
        settings,
        flags,
        repairs,
        policy=policy,
        user=user,
        latency=latency,
        mode=mode,
        ablate=ablate,
        seed=seed,
        sandbox=sandbox,
        tests=not no_tests,
        which_tests=tests,
        limit=limit,
        paths=tuple(path or ()),
        projects=tuple(str(Path(folder).absolute()) for folder in project or ()),
    )
    warn_unused(context, options.settings["provider"]["name"])
    from tui.replaying import run  # loads much: not before the words are known to be right

    summary = asyncio.run(run(tapes, options, out, speed=speed, quiet=json))
    if json:
        print_json(summary)
    raise typer.Exit(Status.of(summary))


@app.command()
@guarded
def evaluate(
    corpus: Annotated[str, typer.Argument(help="The benchmark: devbench.")],
    *,
    data: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the benchmark's published data.")],
    provider: Provider = "",
    model: Model = "",
    base_url: BaseUrl = "",
    command: LanguageServer = "",
    answers: Answers = "",
    text: Text = "",
    published: Annotated[
        str,
        typer.Option(metavar="MODEL", help="Judge the answers of this model that were published with the benchmark."),
    ] = "",
    record_answers: RecordAnswers = None,
    replay_answers: ReplayAnswers = None,
    require_recorded: RequireRecorded = None,
    settings: SettingsJson = "{}",
    languages: Annotated[str, typer.Option(help="Only these, comma-separated: python,java,…")] = "",
    categories: Annotated[str, typer.Option(help="Only these, comma-separated: low_context,…")] = "",
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="At most so many tasks in all, drawn evenly of all languages and categories."),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Answers asked for each task: pass@k for k up to this.")] = 1,
    repairs: Repairs = "all",
    sandbox: Annotated[
        str, typer.Option(help="Where programs run: auto (the first that works), one by name, or none (unsafe).")
    ] = "auto",
    workers: Annotated[
        str, typer.Option(help="cold: each program in a fresh process; warm: in processes that are kept.")
    ] = "cold",
    no_tests: Annotated[bool, typer.Option("--no-tests", help="Do not run any programs.")] = False,
    no_packages: Annotated[
        bool, typer.Option("--no-packages", help="Install no packages for the programs: those that need some fail.")
    ] = False,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run (default: a new one in .ghosttape/runs); a run that was stopped goes on."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Run a published benchmark: ask for each gap through the language server, and run the finished programs.

    Examples:
    * `ghosttape evaluate devbench --data devbench --provider oracle --limit 60` (does the benchmark itself pass here?)
    * `ghosttape evaluate devbench --data devbench --published gpt-4o --samples 5 --languages python,java`
    * `ghosttape evaluate devbench --data devbench --provider openai --base-url http://127.0.0.1:8080/v1 --out run`
    """
    from tui.configuration import record_of
    from tui.evaluating import options_of, run, words

    record = record_of(record_answers, replay_answers, require_recorded)
    flags = {
        "name": provider,
        "model": model,
        "base_url": base_url,
        "answers": answers,
        "text": text,
        "command": command,
        "record": record,
    }
    options = options_of(
        settings,
        flags,
        repairs,
        corpus=corpus,
        data=str(data),
        published=published,
        languages=words(languages),
        categories=words(categories),
        limit=limit,
        samples=samples,
        sandbox=sandbox,
        workers=workers,
        tests=not no_tests,
        packages=not no_packages,
        seed=seed,
    )
    summary = asyncio.run(run(options, out, quiet=json))
    if json:
        print_json(summary)
    raise typer.Exit(Status.evaluated(summary))


@app.command()
@guarded
def serve(
    context: typer.Context,
    *,
    stdio: Annotated[
        bool,
        typer.Option(
            "--stdio", help="Speak over standard input and output; there is no other way, and editors say so."
        ),
    ] = False,
    provider: Provider = "",
    model: Model = "",
    base_url: BaseUrl = "",
    command: LanguageServer = "",
    answers: Answers = "",
    text: Text = "",
    settings: SettingsJson = "{}",
    record: Annotated[
        Path | None,
        typer.Option(help="Record the session as a tape into this folder; see docs/recording.md for what is left out."),
    ] = None,
) -> None:
    """Start the language server that an editor talks to: inline completions, and `ghosttape.replay`.

    Example, for an editor's configuration: `ghosttape serve --stdio --provider gguf`
    """
    from replay.commands import add_commands, add_recording
    from server import lsp
    from server.providers import registry
    from tui.configuration import settings_of

    flags = {
        "name": provider,
        "model": model,
        "base_url": base_url,
        "answers": answers,
        "text": text,
        "command": command,
    }
    chosen = settings_of(settings, flags)
    registry.check(chosen.provider.name)
    warn_unused(context, chosen.provider.name)
    server = lsp.create(chosen)
    add_commands(server)
    add_recording(server, record.expanduser().absolute() if record else None)
    lsp.serve(server)


app.command(name="import")(exchange.import_)
app.command()(exchange.export)


@app.command()
@guarded
def repair(
    files: Annotated[
        list[str] | None, typer.Argument(help="Files of JSON lines, one after the other; none, or -: standard input.")
    ] = None,
    *,
    steps: Repairs = "all",
    stop: Annotated[
        str,
        typer.Option(
            help="Where a completion ends, unless its line says: any (nowhere), line, statement, block, auto."
        ),
    ] = "any",
    paper_rules: Annotated[
        str, typer.Option(help="simcopilot: also what that paper's post-processor does (drops comments); none.")
    ] = "none",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Write what cannot be repaired with `error`, and end with status 1.")
    ] = False,
) -> None:
    """Repair completions in a pipeline: one JSON object a line in, the same line with the repaired text out.

    In: `language` (python, py, js, c++, c#, go …; null: do without its syntax), `before`, `after` (default: nothing),
    `completion`, and perhaps `stop`. Out: all that, `repaired`, `covered` (it also takes the place of so many characters of
    `after`, closing brackets that it says itself), and `trail`, each step that changed something.

    Lines come out in their order, each as soon as it is done. The first that cannot be repaired ends it with its place and
    status 2 (see --keep-going). Nothing is cut for its extent, for no syntax tells that of a task; editors ask with `auto`.

    Examples:
    * `ghosttape repair answers.jsonl > repaired.jsonl`
    * `echo '{"language": "py", "before": "x = f(", "after": ")", "completion": "1))"}' | ghosttape repair`
    * `my-model | ghosttape repair --stop auto --steps prose,repeats,stop | my-tests`
    """
    from tui import repairing

    raise typer.Exit(repairing.run(files or [], repairing.wishes_of(steps, paper_rules, stop), keep_going=keep_going))


@app.command()
@guarded
def tui(
    run: Annotated[
        Path | None, typer.Argument(help="Folder of a run (default: the latest in .ghosttape/runs).")
    ] = None,
) -> None:
    """Look at a run: its moments, how they ended, what was offered, what was typed, and what the tests said.

    Example: `ghosttape tui .ghosttape/runs/demo`
    """
    from tui.inspecting import inspect

    inspect(run)


@app.command()
@guarded
def doctor(*, json: JsonFlag = False) -> None:
    """Try each sandbox, toolchain and model that ghosttape can use, and say what to install where one does not work."""
    from tui.checkup import checkup

    checks = asyncio.run(checkup())
    if json:
        print_json({"checks": [dict(check) for check in checks]})
    else:
        from tui.checkup import show

        show(checks)
    raise typer.Exit(0 if all(check["ok"] for check in checks if check["needed"]) else Status.LACKING)


def main() -> Any:
    """Start the command line."""
    return app()
