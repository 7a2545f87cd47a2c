"""The command line: `ghosttape`. Each command reads its words, calls one room, and prints; nothing is decided here."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

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

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output, and nothing else.")]
Provider = Annotated[
    str,
    typer.Option(
        "--provider",
        envvar="GHOSTTAPE_PROVIDER",
        help="Where completions come from: gguf (the default: the embedded model), openai (any OpenAI-compatible server), "
        "llamacpp, ollama, anthropic, lsp (any language server with inline completion: --server), ngram (a baseline), oracle "
        "(what was really written), recorded (a file of answers), "
        "fixed (always --text).",
    ),
]
Model = Annotated[str, typer.Option("--model", envvar="GHOSTTAPE_MODEL", help="Model name, or path of a GGUF file.")]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url",
        envvar="GHOSTTAPE_BASE_URL",
        help="The model server, as http://127.0.0.1:8080/v1 (llamacpp, ollama and anthropic know their own).",
    ),
]
LanguageServer = Annotated[
    str,
    typer.Option(
        "--server",
        envvar="GHOSTTAPE_SERVER",
        metavar="COMMAND",
        help='Provider lsp: what starts the language server on standard input and output, as "copilot-language-server --stdio".',
    ),
]
Answers = Annotated[str, typer.Option("--answers", help="Answers of provider recorded: JSON lines of key and text.")]
Text = Annotated[str, typer.Option("--text", help="Answer of provider fixed; empty: nothing is ever offered.")]
Steps = Annotated[
    str, typer.Option(help="Steps to apply, comma-separated: prose, repeats, indent, brackets, stop; all, or none.")
]
SettingsJson = Annotated[
    str,
    typer.Option("--settings", help="All settings of the language server as JSON; the other flags are laid over them."),
]


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
    record_answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every answer of the model to this file.")
    ] = None,
    replay_answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take answers from this file; ask the model, and write, what it lacks."),
    ] = None,
    require_recorded: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take every answer from this file; one that it lacks is a failure."),
    ] = None,
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
    repairs: Steps = "all",
    ablate: Annotated[
        str,
        typer.Option(
            metavar="repairs",
            help="repairs: repair each answer with all steps, with none, and with each step left out, run the tests on each, "
            "and say what every step gains and what it breaks. The model is asked once.",
        ),
    ] = "",
    sandbox: Annotated[
        str, typer.Option(help="Where tests run: auto (bubblewrap, else unshare), either by name, or none (unsafe).")
    ] = "auto",
    no_tests: Annotated[bool, typer.Option("--no-tests", help="Do not run any tests.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask at most this often on each tape.")] = None,
    path: Annotated[
        list[str] | None, typer.Option(help="Ask only in documents whose path begins with this; repeatable.")
    ] = None,
    project: Annotated[
        list[str] | None,
        typer.Option(help="Clone of a repository, for tapes whose project is a commit of it; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
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


@app.command(name="import")
@guarded
def import_(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Recordings of other tools, as files or folders; with --check, tapes as well."),
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the tapes (default: the current one).")
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="Format of the recordings: auto (by their content), workspaceRecording@1.0, crowd-code@1, crowd-code@2, progsnap2.",
        ),
    ] = "auto",
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether tapes and recordings are sound; write nothing.")
    ] = False,
    from_git: Annotated[
        str | None, typer.Option("--from-git", metavar="REPO", help="Type the commits of this git repository instead.")
    ] = None,
    revisions: Annotated[
        str | None, typer.Option("--range", metavar="A..B", help="With --from-git: which commits, or the only one.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="With --from-git: seed of everything random (default: 0).")] = None,
    characters: Annotated[
        int | None,
        typer.Option(min=1, help="With --from-git: leave out commits with more to type (default: 20,000)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace other tapes that stand there already.")] = False,
    json: JsonFlag = False,
) -> None:
    """Turn recordings of other tools, or the history of a repository, into tapes.

    A recording that cannot be true is refused, and then nothing is written. With --check each file gets a line, and the
    exit status is 1 if one of them is refused.

    Examples:
    * `ghosttape import session.w.json -o tapes`
    * `ghosttape import --check tapes session.w.json`
    * `ghosttape import --from-git . --range v1.0..v1.1 --seed 7 -o tapes`
    """
    from tui import importing

    order = importing.order_of(
        files or [],
        out,
        form,
        check=check,
        from_git=from_git,
        revisions=revisions,
        seed=seed,
        characters=characters,
        force=force,
    )
    raise typer.Exit(order.carry_out(json=json))


@app.command()
@guarded
def export(
    tapes: Annotated[list[Path], typer.Argument(help="Tapes, or folders of tapes.")],
    *,
    to: Annotated[
        str, typer.Option(help="workspace-recording: Copilot's workspaceRecording@1.0.")
    ] = "workspace-recording",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Folder for the recordings (default: the current one), a file NAME.json for one tape, or - to print it.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that stand there already.")] = False,
    json: JsonFlag = False,
) -> None:
    """Turn tapes into recordings that other tools can read. Imported again, they are the same tapes.

    Examples:
    * `ghosttape export session.tape.jsonl`
    * `ghosttape export tapes --to workspace-recording -o recordings`
    * `ghosttape export session.tape.jsonl -o - | gzip > session.w.json.gz`
    """
    from tui.importing import export_tapes

    raise typer.Exit(export_tapes(tapes, to, out, force=force, json=json))


@app.command()
@guarded
def repair(
    files: Annotated[
        list[str] | None, typer.Argument(help="Files of JSON lines, one after the other; none, or -: standard input.")
    ] = None,
    *,
    steps: Steps = "all",
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
