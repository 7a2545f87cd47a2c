"""DevBench's own script beside our form `evaluator`: the texts of all programs, and the verdicts on a sample of published answers.

`python -m tools.devbench_beside texts CHECKOUT DATA` compares the program of each ground truth with the one that the script writes, letter by letter.
`python -m tools.devbench_beside verdicts CHECKOUT DATA [NUMBER]` draws NUMBER (200) published answers with seed 0, evenly by language, runs the script's functions and
ours on each, and prints one JSON line an answer and the counts. CHECKOUT is a folder with DevBench's `execute_benchmark.py`, DATA one with its data.
The script is untrusted code that runs untrusted programs without a sandbox, and installs packages with pip and npm: run it on a machine that may be lost.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import IO, Any, Self

from corpora.corpus import Corpus, corpus_of
from corpora.devbench.evaluator import AsEvaluated
from corpora.run.task_cases import TaskCases
from corpora.tasks import Task
from replay.records import Suggestion
from replay.run.engine import cache_folder
from runners.programs import Programs
from runners.sandboxes import pick
from runners.warm import warm

LANGUAGES = ("python", "javascript", "typescript", "java", "cpp")
"""Those whose programs run here; the texts of C# are compared too."""
MODELS = ("gpt-4o", "Ministral-3B")
TYPESCRIPT = "typescript@5.9"
"""What the script installs as `typescript`: the newest one refuses its options."""
_PATIENCE_S = 300.0
QUIET = {"NPM_CONFIG_LOGLEVEL": "error"}
"""The script takes a warning of npm's for the whole of what the compiler said, and then installs no package."""
_SOURCES = (".py", ".js", ".ts", ".java", ".cpp", ".cs")
_RUN = "from tools.devbench_beside import run_one; run_one()"


@dataclass(frozen=True, slots=True)
class Parts:
    """What the script's functions take."""

    language: str
    prefix: str
    answer: str
    suffix: str
    assertions: str

    @classmethod
    def of(cls, task: Task, answer: str) -> Parts:
        """The parts of a task in the form `evaluator`, with an answer."""
        made = task.tests.assembly  # type: ignore[attr-defined] # DevBench's tasks are tested by programs
        assert isinstance(made, AsEvaluated)
        return cls(task.language, made.prefix, answer, made.suffix, made.assertions)


def script(checkout: Path) -> ModuleType:
    """The script as a module, without the settings that it would read from a file `.env`."""
    sys.modules["dotenv"] = ModuleType("dotenv")
    sys.modules["dotenv"].load_dotenv = lambda: None  # type: ignore[attr-defined]
    spec = importlib.util.spec_from_file_location("execute_benchmark", checkout / "execute_benchmark.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_parts(module: ModuleType, parts: Parts) -> tuple[bool, str]:
    """Give the parts to the script's function for their language; whether they pass, and else its message."""
    function: Callable[..., tuple[bool, str]] = getattr(module, f"run_{parts.language}_test_case")
    return function(parts.prefix, parts.answer, parts.suffix, parts.assertions, verbose=False)


def written_by(module: ModuleType, parts: Parts) -> str:
    """The program that the script writes for the parts; nothing is run."""
    written: list[str] = []

    def opened(path: Any, mode: str = "r", **more: Any) -> IO[Any]:
        if str(path).endswith(_SOURCES) and "w" in mode:
            return _Kept(written)  # type: ignore[return-value]
        return builtins.open(path, mode, **more)  # noqa: PTH123

    vars(module)["open"] = opened
    vars(module)["time"] = SimpleNamespace(sleep=lambda _: None)
    vars(module)["subprocess"] = SimpleNamespace(
        run=lambda *_, **__: SimpleNamespace(returncode=0, stdout="", stderr=""),
        check_output=lambda *_, **__: "",
        PIPE=subprocess.PIPE,
        TimeoutExpired=subprocess.TimeoutExpired,
        CalledProcessError=subprocess.CalledProcessError,
    )
    run_parts(module, parts)
    return written[0]


class _Kept:
    """A file whose text is kept in a list."""

    def __init__(self, written: list[str]) -> None:
        self._written = written

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def write(self, text: str) -> None:
        self._written.append(text)


def difference(ours: str, theirs: str, language: str) -> str:
    """How two texts of a program differ; empty if they do not. Python's heads are compared by the names that they bind and the program can use."""
    if language != "python":
        return "" if ours == theirs else _first_difference(ours, theirs)
    own = ours.partition("import os\nimport asyncio\n\n")[2]
    if not theirs.endswith(f"\n\n{own}"):
        return _first_difference(own, theirs[-len(own) :])
    bound = _bound(ast.parse(theirs.removesuffix(own))) - _bound(ast.parse(ours))
    used = {node.id for node in ast.walk(ast.parse(own)) if isinstance(node, ast.Name)}
    missed = sorted(bound & used)
    return f"names that our head does not bind: {', '.join(missed)}" if missed else ""


def _bound(node: ast.AST) -> set[str]:
    """The names that the statements of a module bind at its outermost level."""
    if isinstance(node, ast.Import):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return {node.id}
    return set[str]().union(*(_bound(child) for child in ast.iter_child_nodes(node)))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _first_difference(ours: str, theirs: str) -> str:
    at = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), -1)
    return f"at {at}: {ours[at : at + 60]!r} is {theirs[at : at + 60]!r} there"


def compare_texts(checkout: Path, corpus: Corpus) -> Iterator[tuple[str, str]]:
    """Each task with how the two texts of its ground truth differ, empty where they are equal."""
    module = script(checkout)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for task in corpus.tasks(corpus.languages, corpus.categories, packages=False, programs="evaluator"):
            ours = task.tests.program(task.finished)
            yield task.name, difference(ours, written_by(module, Parts.of(task, task.truth)), task.language)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A published answer: whose, to which task, and which of the five (from 0)."""

    task: Task
    model: str
    sample: int
    answer: str


def drawn(corpus: Corpus, number: int, seed: int = 0) -> list[Drawn]:
    """So many published answers of both models, evenly by language."""
    tasks = corpus.tasks(LANGUAGES, corpus.categories, packages=True, programs="evaluator")
    found = [
        Drawn(task, model, sample, answer)
        for model in MODELS
        for known in (corpus.published(model, tasks),)
        for task in tasks
        for sample, answer in enumerate(known.get(task.name, ()))
    ]
    chance, each = random.Random(seed), number // len(LANGUAGES)  # noqa: S311 - a sample
    own = {language: [one for one in found if one.task.language == language] for language in LANGUAGES}
    return [one for language in LANGUAGES for one in chance.sample(own[language], each)]


def theirs(checkout: Path, one: Drawn) -> tuple[bool, str]:
    """The script's own verdict, in a process and a folder of its own."""
    order = {"checkout": str(checkout.resolve()), "parts": asdict(Parts.of(one.task, one.answer))}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", _RUN],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), **QUIET},
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=True,
        )
    passed, message = json.loads(done.stdout.splitlines()[-1])
    return passed, message


def run_one() -> None:
    """Read an order from standard input, run the script's function, and print its verdict as JSON."""
    order = json.load(sys.stdin)
    _say(json.dumps(run_parts(pinned(Path(order["checkout"])), Parts(**order["parts"]))))


def pinned(checkout: Path) -> ModuleType:
    """The script as a module that installs the TypeScript which takes its options, and Python packages outside of our interpreter."""
    module, run = script(checkout), subprocess.run

    def with_version(command: Sequence[str], *more: Any, **named: Any) -> Any:
        return run([TYPESCRIPT if word == "typescript" else word for word in command], *more, **named)

    sys.executable = shutil.which("python") or sys.executable  # the packages that it installs are not ours
    sys.path.pop(0)
    vars(module)["subprocess"] = SimpleNamespace(**{**vars(subprocess), "run": with_version})
    return module


async def ours(tests: TaskCases, one: Drawn) -> dict[str, Any]:
    """Our verdict, and whether the task is testable: its ground truth passes, and nothing in its gap fails."""
    task, own = one.task, tests.tests[one.task.path]
    at = task.moment().offset
    filled = task.filled(Suggestion(text=one.answer, start=at, end=at, latency=0.0))
    found = [await own.run(state) for state in (filled, task.finished, task.emptied)]
    result, finished, nothing = found
    is_testable = finished.verdict_class == "passed" and nothing.verdict_class != "passed"
    return {"ours": result.verdict_class, "message": result.message, "testable": is_testable}


async def compare_verdicts(checkout: Path, corpus: Corpus, number: int) -> Counter[str]:
    """Print both verdicts on each answer of a sample, and return how often they are equal."""
    answers, counts = drawn(corpus, number), Counter[str]()
    programs: Programs = await warm(pick(), cache_folder(), lambda _: None, workers=1)
    tests = TaskCases.of([one.task for one in answers], programs, {}, explains=False)
    with suppress(BrokenPipeError):
        for one in answers:
            mine = await ours(tests, one)
            passed, message = await asyncio.to_thread(theirs, checkout, one)
            equal = passed == (mine["ours"] == "passed")
            said = {"task": one.task.name, "model": one.model, "sample": one.sample, **mine}
            _say(json.dumps({**said, "theirs": passed, "their_message": message[-300:], "equal": equal}))
            for kind in ("all", *(["testable"] if mine["testable"] else [])):
                counts[f"{kind}: {'equal' if equal else 'different'}"] += 1
    await programs.close()
    return counts


def main(words: Sequence[str]) -> int:
    """Compare texts or verdicts; 1 if something differs."""
    what, checkout, data = words[0], Path(words[1]).resolve(), Path(words[2]).resolve()
    corpus = corpus_of("devbench", data)
    if what == "texts":
        found = [(name, said) for name, said in compare_texts(checkout, corpus)]
        for name, said in found:
            if said:
                _say(f"{name}: {said}")
        _say(f"{sum(not said for _, said in found)} of {len(found)} texts are equal")
        return int(any(said for _, said in found))
    counts = asyncio.run(compare_verdicts(checkout, corpus, int(words[3]) if len(words) > 3 else 200))
    _say(json.dumps(counts))
    return int(counts["all: different"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
