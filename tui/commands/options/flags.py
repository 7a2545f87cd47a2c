"""The words of the commands: how a flag is called, and what `--help` says of it. Its default stands with the command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def _print_version(wanted: bool) -> None:
    if wanted:
        from server.version import version

        typer.echo(f"ghosttape {version()}")
        raise typer.Exit


# Of several commands

RunInstructions = Annotated[
    str,
    typer.Option(
        "--instructions",
        metavar="IDS|FILE",
        help="Check each suggestion against instructions of developers too, by rules: ids or types parted by commas "
        "(avoid-recursion,cosmetic), or a file with one on each line (docs/codealign.md).",
    ),
]
Instructions = Annotated[
    str,
    typer.Option(
        "--instructions",
        metavar="IDS|FILE",
        help="Instructions of developers: ids or types parted by commas (avoid-recursion,cosmetic), a file with one on each "
        "line, or a NAME.toml of your own (docs/codealign.md).",
    ),
]

Version = Annotated[
    bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version, and end.")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output, and nothing else.")]
ProviderFlag = Annotated[
    str,
    typer.Option(
        "--provider",
        envvar="GHOSTTAPE_PROVIDER",
        help="Where completions come from: gguf (the default: the embedded model), openai (any OpenAI-compatible server), "
        "llamacpp, ollama, anthropic, lsp (any language server with inline completion: --server), ngram (a baseline), oracle "
        "(what was really written; not for serve), recorded (a file of answers), "
        "fixed (always --text).",
    ),
]
ModelFlag = Annotated[
    str, typer.Option("--model", envvar="GHOSTTAPE_MODEL", help="Model name, or path of a GGUF file.")
]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url",
        envvar="GHOSTTAPE_BASE_URL",
        help="The model server, as http://127.0.0.1:8080/v1 (llamacpp, ollama and anthropic know their own).",
    ),
]
LanguageServerFlag = Annotated[
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
RecordAnswers = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write every answer of the model to this file.")
]
ReplayAnswers = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Take answers from this file; ask the model, and write, what it lacks."),
]
RequireRecorded = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Take every answer from this file; one that it lacks is a failure."),
]
Repairs = Annotated[
    str | None,
    typer.Option(
        help="Steps to apply, comma-separated: prose, repeats, indent, brackets, stop; all, or none (default: as ghosttape.toml "
        "says, else all)."
    ),
]
StepsFlag = Annotated[
    str, typer.Option(help="Steps to apply, comma-separated: prose, repeats, indent, brackets, stop; all, or none.")
]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
SettingsJson = Annotated[
    str,
    typer.Option("--settings", help="All settings of the language server as JSON; the other flags are laid over them."),
]

JudgeSettings = Annotated[
    str,
    typer.Option(
        help='Settings of the judge, in the form of --settings ({"provider": {"temperature": 0.5}}); those of the other model never count for it.'
    ),
]

# Of `replay`

Tapes = Annotated[list[str], typer.Argument(help="Tapes, or folders of tapes; `demo` means the bundled ones.")]
DropTorn = Annotated[
    bool,
    typer.Option(
        "--drop-torn", help="Play a tape whose last line is cut off, or still being written, without that line."
    ),
]
PolicyFlag = Annotated[
    str,
    typer.Option(
        help="When to ask: blocks (starts and insides of code blocks), vscode, copilot, copilot-nes, tabby, continue, "
        "cody, zed, pause:MS, every, recorded (where the tape's assistant was asked), or one of ghosttape.toml. "
        "Numbers can be changed: vscode:debounce=75, blocks:at=header+operator."
    ),
]
UserFlag = Annotated[
    str,
    typer.Option(
        help="The person: exact (accepts what was typed next), words (accepts its words as far as they match), always, "
        "tests (accepts what passes them), recorded (decides as on the tape), or model (a fitted acceptance model)."
    ),
]
LatencyFlag = Annotated[
    str, typer.Option(help="measured, fixed:MS, lognormal:MEDIAN,SIGMA, or tape (of the tape's own assistant).")
]
AskMissed = Annotated[
    bool | None,
    typer.Option(
        "--ask-missed/--no-ask-missed",
        help="After a session in judge mode, ask again what the editor gave up (superseded, cancelled), so that the share that "
        "passes in time is one of all moments. By default only where answers cost nothing: gguf, ngram, oracle, recorded, fixed, "
        "and --require-recorded.",
    ),
]
Mode = Annotated[
    str,
    typer.Option(
        help="judge: each moment on its own, the tape goes on as recorded; drive: what is accepted stays, and the "
        "keys that are really needed are counted."
    ),
]
Speed = Annotated[
    float | None,
    typer.Option(
        help="Watch it: 1 is the tape's own speed, 10 ten times as fast (default: as fast as it goes). On a terminal "
        "space pauses, . steps, + and - change the speed, > skips a minute. No result changes."
    ),
]
Live = Annotated[
    bool,
    typer.Option(
        "--live/--plain",
        help="Watch it on a screen: the document as it is typed, ghost text, verdicts as they come. The run is a process of its own and "
        "goes on if the screen is closed. Without a terminal, and by default, progress is a line.",
    ),
]
Ablate = Annotated[
    str,
    typer.Option(
        metavar="repairs",
        help="repairs: repair each answer with all steps, with none, and with each step left out, run the tests on each, "
        "and say what every step gains and what it breaks. The model is asked once.",
    ),
]
TestSandbox = Annotated[
    str,
    typer.Option(
        help="Where tests run: auto (bubblewrap, else unshare), either by name, docker, docker:IMAGE, or none (unsafe)."
    ),
]
WhichTests = Annotated[
    str,
    typer.Option(
        "--tests",
        help="What each suggestion runs: all tests, or touching: those that reach its function (pytest, node --test, vitest, jest, mocha), and on a sample all.",
    ),
]
NoTests = Annotated[bool, typer.Option("--no-tests", help="Do not run any tests.")]
MomentLimit = Annotated[int | None, typer.Option(min=1, help="Ask at most this often on each tape, for each sample.")]
Moments = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ID", help="Ask only at this moment, by the id that the inspector copies (key C); repeatable."
    ),
]
Paths = Annotated[list[str] | None, typer.Option(help="Ask only in documents whose path begins with this; repeatable.")]
Excluded = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="PATH",
        help="Do not ask in documents whose path begins with this or matches it (docs/, *_pb2.py); repeatable, and stronger than --path.",
    ),
]
IncludeTests = Annotated[
    bool, typer.Option("--include-tests", help="Ask in files of tests too (default: only in the code that they test).")
]
Projects = Annotated[
    list[str] | None,
    typer.Option(help="Clone of a repository, for tapes whose project is a commit of it; repeatable."),
]
ToolchainFlag = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What the projects are built and tested with: python (the one that runs ghosttape), python3.9 or another that is installed, node, typescript, java, cpp, csharp, go, rust, or none (what lies in /usr). "
        "Of toolchain, set-up, command and packages each counts for itself: flags before [tests] of ghosttape.toml, that before what the tape says.",
    ),
]
SetUp = Annotated[
    str | None,
    typer.Option(
        "--setup",
        metavar="COMMAND",
        help="What sets the projects up, once, in place of what ghosttape.toml or the tape says.",
    ),
]
TestCommand = Annotated[
    str | None,
    typer.Option(metavar="COMMAND", help="What tests the projects, in place of what ghosttape.toml or the tape says."),
]
Requires = Annotated[
    list[str] | None,
    typer.Option(
        "--requires",
        metavar="NAME",
        help="A package that the tests need (freezegun, pytest>=8; npm's name@range), installed beside what ghosttape.toml, or else the tape, "
        "requires; repeatable. None of its code runs while it is installed.",
    ),
]
AllowNetworkSetup = Annotated[
    bool,
    typer.Option(
        "--allow-network-setup", help="Let set-up commands use this machine's network. The tests still have none."
    ),
]
SetUpEnv = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Let set-up commands have this variable (a proxy, a registry); repeatable."),
]
ClusterByFlag = Annotated[
    str,
    typer.Option(
        metavar="hole|function|tape|program",
        help="Which moments are not independent: those of one hole, function, tape or program (document, task). Every interval goes by "
        "these clusters (docs/numbers.md).",
    ),
]

ComparedClusters = Annotated[
    str,
    typer.Option(
        metavar="hole|function|tape|program",
        help="Which moments are not independent, as of replay; without it what the runs themselves go by (of several the largest).",
        show_default=False,
    ),
]

# Of `tui`

Web = Annotated[
    bool,
    typer.Option(
        "--web",
        help="Serve the screen to a browser of this machine; the printed address holds a token, and nobody else gets in.",
    ),
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of --web on 127.0.0.1 (default: a free one).")]
OpenPage = Annotated[bool, typer.Option("--open", help="With --web: open the address in the browser.")]

# Of `compare`

Calibrations = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="What `ghosttape judge calibrate` found of the judge, shown beside its scores; a file for each rubric, repeatable.",
    ),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run: its folder, its name, a tag, or `last`.")]
RunNames = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN…",
        help="Two runs or more: each by its folder, its name, a tag, or `last`; `a,b` takes runs together, as those of one model under two policies.",
    ),
]
ChangedMoments = Annotated[
    int,
    typer.Option(
        "--changed", min=0, metavar="N", help="How many of the moments that changed are shown with both answers."
    ),
]
ComparisonPage = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Also write it as a page of HTML: a report of the runs, with this comparison in it.",
    ),
]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown, as for a pull request.")]
TableFormat = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="csv|parquet|jsonl",
        help="Write a table with a row a record instead: CSV, Parquet or JSON Lines with the columns of docs/report.md.",
    ),
]
TableFile = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="With --format: the file to write; - for standard output.")
]
CompareScreen = Annotated[
    bool,
    typer.Option(
        "--tui", help="Show the two runs side by side: the moments that changed, both suggestions, both logs."
    ),
]
AskedDifference = Annotated[
    float,
    typer.Option(
        "--difference",
        min=0.0,
        max=100.0,
        metavar="POINTS",
        help="The least difference that matters, in percentage points.",
    ),
]
