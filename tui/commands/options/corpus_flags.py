"""The words of the commands on benchmarks and repositories: how a flag is called, and what `--help` says of it. Its default stands with the command."""

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
