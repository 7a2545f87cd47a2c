"""The words of the commands: how a flag is called, and what `--help` says of it. Its default stands with the command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from corpora.registry import CORPORA


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

# Of `evaluate`

CorpusFlag = Annotated[
    str,
    typer.Argument(
        metavar="CORPUS",
        help=f"The benchmark ({', '.join(CORPORA)}, codev), or the file of a corpus of `ghosttape corpora mine` or `corpora build codev`.",
    ),
]
RepositoryToolchain = Annotated[
    str | None,
    typer.Option(
        "--toolchain",
        metavar="NAME",
        help="What the repository is built and tested with: python (the one that runs ghosttape), python3.9 or another that is installed, node, typescript, java, cpp, csharp, go, rust, or none (what lies in /usr). Of "
        "toolchain, set-up, command and packages each counts for itself: flags before [tests] of ghosttape.toml, that before what its files show.",
    ),
]
RepositorySetUp = Annotated[
    str | None, typer.Option("--setup", metavar="COMMAND", help="What sets the repository up, once.")
]
RepositoryPaths = Annotated[
    list[str] | None,
    typer.Option("--path", metavar="PATH", help="Look for gaps only in files whose path begins with this; repeatable."),
]
RepositoryExcluded = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="PATH",
        help="Look for no gaps in files whose path begins with this or matches it (docs/, *_pb2.py); repeatable, and stronger than --path.",
    ),
]
RepositoryRequires = Annotated[
    list[str] | None,
    typer.Option(
        "--requires",
        metavar="NAME",
        help="A package that the tests need, installed beside what ghosttape.toml, or else the repository's own files, require; repeatable.",
    ),
]
RepositoryTestCommand = Annotated[
    str | None,
    typer.Option("--test-command", metavar="COMMAND", help="What tests the repository, whatever its files say."),
]
RepositoryNow = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="DIR",
        help="Of a mined corpus, or one of blocks: its repository, if that is elsewhere now than when it was mined.",
    ),
]
CorpusClusterBy = Annotated[
    str | None,
    typer.Option(
        metavar="hole|function|tape|program",
        help="Which tasks are not independent (default: program, all gaps of one; of a mined corpus, and of one of blocks: function). Every interval goes by "
        "these clusters (docs/numbers.md).",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of the benchmark's published data (default: what `corpora get` fetched); of codev also a file of `corpora build codev`.",
    ),
]
ScenarioFlag = Annotated[
    int,
    typer.Option(
        min=1,
        max=4,
        help="Of a corpus of blocks, what is asked: 1 the whole block, 2 a part inside of it, 3 the block with the rest of the function or the file gone, 4 as 1 with the three most similar functions "
        "(docs/codev.md).",
    ),
]
Embeddings = Annotated[
    str,
    typer.Option(
        metavar="gguf|URL#MODEL",
        help="In scenario 4 of blocks: find similar functions by embeddings, of the embedded model (gguf, gguf:FILE) or of a server with OpenAI's /embeddings (default: by TF-IDF, without a model).",
    ),
]
ExtraRules = Annotated[
    str,
    typer.Option(
        metavar="RULE,…",
        help="Of blocks: also the share that passes with extra rules of Codev-Bench's script: indent (no line has less white space than the block's first), one-line, empty.",
    ),
]
ChatWordsFlag = Annotated[
    str,
    typer.Option(
        "--chat",
        metavar="simcopilot|codev",
        help="Ask in a chat, in the words of this paper; codev: the whole file, as Codev-Bench asks general models, and of the answer counts what stands in its last fences (docs/codev.md).",
    ),
]
Published = Annotated[
    str,
    typer.Option(metavar="MODEL", help="Judge the answers of this model that were published with the benchmark."),
]
Languages = Annotated[str, typer.Option(help="Only these, comma-separated: python,java,…")]
Categories = Annotated[str, typer.Option(help="Only these, comma-separated: low_context,…")]
TaskLimit = Annotated[
    int | None,
    typer.Option(min=1, help="At most so many tasks in all, drawn evenly of all languages and categories."),
]
Samples = Annotated[int, typer.Option(min=1, help="Answers asked for at each moment or task: pass@k for k up to this.")]
ProgramSandbox = Annotated[
    str, typer.Option(help="Where programs run: auto (the first that works), one by name, or none (unsafe).")
]
Workers = Annotated[
    str,
    typer.Option(
        help="cold: each program in a fresh process; warm: in processes that are kept. Tests of blocks (codev) are always in kept ones, where that is sure to change no verdict."
    ),
]
NoPrograms = Annotated[bool, typer.Option("--no-tests", help="Do not run any programs.")]
AllTasks = Annotated[
    bool | None,
    typer.Option(
        "--all-tasks/--testable-tasks",
        help="Test answers to tasks that are not testable too, for pass@k over all tasks as a benchmark publishes it (all@k); it never counts "
        "in pass@k. Costs a run of the program for each such answer. By default with --published only, and not with --ablate. The oracle has "
        "no untestable tasks.",
    ),
]
ProgramFormFlag = Annotated[
    str | None,
    typer.Option(
        "--programs",
        help="evaluator: put together as the benchmark's own script does (default with --published); editor: the answer exactly at the cursor.",
    ),
]
ScoringFlag = Annotated[
    str,
    typer.Option(
        "--scoring",
        metavar="answer|cleaned|last|published",
        help="answer: test each answer as it is offered, once. The others put it, without our repairs, through the post-processor of the benchmark (simcopilot has one): "
        "cleaned and last test its first and its last text; published counts the best of its three texts, chosen by the tests.",
    ),
]
ByLabels = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="constructs,comment,reference",
        help="Show the shares that pass by labels of the tasks too, comma-separated: constructs (what the removed code uses and is), comment (distance to the "
        "nearest comment above), reference (distance to the farthest definition that is referred to). --json always has them.",
    ),
]
NoPackages = Annotated[
    bool, typer.Option("--no-packages", help="Install no packages for the programs: those that need some fail.")
]
RunToGoOn = Annotated[
    Path | None,
    typer.Option(help="Folder of the run (default: a new one in .ghosttape/runs); a run that was stopped goes on."),
]

Concurrency = Annotated[
    int,
    typer.Option(
        min=1,
        max=256,
        help="Questions that a model server gets at once, where moments stand alone (--policy blocks, corpora). The results are the same.",
    ),
]
KeepGoing = Annotated[
    bool,
    typer.Option(
        "--keep-going",
        help="Ask also where nothing comes of it: on tapes whose finished project fails its own tests (their moments are untestable), and when the provider "
        "cannot answer or fails five times in a row (those moments end as failed). Without it, such a tape is left out, and such a run ends or waits.",
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
