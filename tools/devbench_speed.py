"""How fast published answers of DevBench are judged, beside its own script.

`python -m tools.devbench_speed CHECKOUT DATA [NUMBER] [LANGUAGES]` draws NUMBER (20) tasks of each language (or of those named: `cpp,java`) with one published answer each
(seed 0, answers of both models as in `tools.devbench_beside`), and prints wall seconds, how many times as fast ours is, and seconds to our first verdict:

* *script*: the script's own functions, one answer after the other in one process, as the script calls them: without a sandbox, with the network;
* *fresh*: `ghosttape evaluate` with warm workers and a cache folder in which there are toolchains and packages alone: ground truth, empty gap and answer of each task are judged;
* *headers*: the same where nothing but the headers compiled ahead is left from an earlier run (C++ alone has some);
* *kept*: the same where the results of ground truths and empty gaps are kept from an earlier run.

Ours is the whole command in a process of its own, from its start to its end, the start of Python and of the language server included. Counted for neither: what is installed once for good,
which are our toolchains and packages, and the Python packages that the script installs with pip (its Python answers run once before). Counted is what the script does for each
program: it waits up to half a second before each, and installs TypeScript and the packages of each JavaScript program with npm. CHECKOUT and DATA are as in `tools.devbench_beside`, whose warning holds here too.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from corpora.corpus import Corpus, corpus_of
from corpora.evaluation_options import EvaluateOptions
from corpora.run.source import CorpusSource
from corpora.tasks import Task
from replay.records import Verdict
from replay.run.engine import Engine, cache_folder
from replay.run.events import Judged, RunEvent
from runners.sandboxes import pick
from runners.warm import warm
from tools.devbench_beside import LANGUAGES, QUIET, Drawn, Parts, drawn, pinned, run_parts
from tui.commands.options.run_options import evaluate_settings

_ROOT = Path(__file__).parent.parent
_PATIENCE_S = 3600.0
_SCRIPT = "from tools.devbench_speed import run_script; run_script()"
_OURS = "from tools.devbench_speed import run_ours; run_ours()"
_MODEL = "drawn"
"""The name under which the drawn answers are published."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One way to judge the answers: wall seconds in all and to the first verdict, and which answers pass, by the names of their tasks."""

    seconds: float
    first_s: float
    passed: Mapping[str, bool]


def distinct(answers: Sequence[Drawn], number: int) -> list[Drawn]:
    """The first so many answers of each language, none of them to a task that has one already."""
    taken: dict[str, dict[str, Drawn]] = {}
    for one in answers:
        own = taken.setdefault(one.task.language, {})
        if len(own) < number:
            own.setdefault(one.task.name, one)
    return [one for own in taken.values() for one in own.values()]


def equal(theirs: Mapping[str, bool], ours: Mapping[str, bool]) -> tuple[int, list[str]]:
    """How many verdicts are equal, and the tasks of which they are not, or of which ours has none."""
    different = sorted(name for name, passed in theirs.items() if ours.get(name) is not passed)
    return len(theirs) - len(different), different


def row(language: str, ways: Mapping[str, Timed]) -> str:
    """A line of the table: seconds of each way, and how many times as fast as the script it is."""
    whole = ways["script"].seconds
    cells = [f"{whole:.1f}"]
    for name in ("fresh", "headers", "kept"):
        way = ways.get(name)
        cells.append(f"{way.seconds:.1f} ({whole / way.seconds:.1f}), {way.first_s:.1f}" if way else "")
    return f"| {language} | {' | '.join(cells)} |"


HEAD = "| | script, s | fresh, s (times as fast), first verdict | headers | kept |\n| --- | ---: | ---: | ---: | ---: |"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A corpus of the drawn tasks alone, of each of which one answer is published."""

    whole: Corpus
    answers: Mapping[str, str]

    @property
    def name(self) -> str:
        """The corpus' own name."""
        return self.whole.name

    @property
    def languages(self) -> tuple[str, ...]:
        """Its own languages."""
        return self.whole.languages

    @property
    def categories(self) -> tuple[str, ...]:
        """Its own categories."""
        return self.whole.categories

    @property
    def lacking(self) -> Mapping[str, str]:
        """Its own programs that lack something."""
        return self.whole.lacking

    def tasks(self, *chosen: Any, **more: Any) -> Sequence[Task]:
        """The drawn ones of the chosen tasks."""
        return [task for task in self.whole.tasks(*chosen, **more) if task.name in self.answers]

    def published(self, model: str, tasks: Sequence[Task]) -> Mapping[str, tuple[str, ...]]:
        """The one answer to each."""
        del model
        return {task.name: (self.answers[task.name],) for task in tasks}

    def errors(self, model: str, tasks: Sequence[Task]) -> Mapping[str, str]:
        """Nothing: only answers are drawn."""
        del model, tasks
        return {}


def script_way(checkout: Path, answers: Sequence[Drawn]) -> Timed:
    """Let the script judge the answers, in one process and a folder of its own."""
    parts = [asdict(Parts.of(one.task, one.answer)) for one in answers]
    order = {"checkout": str(checkout), "parts": parts}
    with tempfile.TemporaryDirectory() as folder:
        said = list(_child(_SCRIPT, order, Path(folder), QUIET))
    return _timed(answers, said, said[-1]["at"] - said[0]["at"], said[0]["at"])


def run_script() -> None:
    """Read an order from standard input, and print when the script's functions begin, and each verdict with its time."""
    order = json.load(sys.stdin)
    module = pinned(Path(order["checkout"]))
    _say({"at": time.time()})
    for parts in order["parts"]:
        passed, _ = run_parts(module, Parts(**parts))
        _say({"at": time.time(), "passed": passed})


def our_way(data: Path, answers: Sequence[Drawn], cache: Path) -> Timed:
    """Judge the answers with a cache folder, in a process of its own."""
    chosen = {one.task.name: one.answer for one in answers}
    order = {"data": str(data), "language": answers[0].task.language, "answers": chosen}
    began = time.time()
    with tempfile.TemporaryDirectory() as folder:
        said = list(_child(_OURS, order, Path(folder), {"GHOSTTAPE_CACHE": str(cache)}))
    ended = time.time()
    passed = {one["task"]: bool(one["passed"]) for one in said}
    return Timed(ended - began, said[0]["at"] - began, passed)


def run_ours() -> None:
    """Read an order from standard input, evaluate, and print each verdict with its time."""
    asyncio.run(_evaluate(json.load(sys.stdin)))


async def _evaluate(order: Mapping[str, Any]) -> None:
    settings = evaluate_settings("{}", {"name": ""}, None, published=_MODEL)
    options = EvaluateOptions(
        settings=settings,
        corpus="devbench",
        data=order["data"],
        languages=(order["language"],),
        published=_MODEL,
        workers="warm",
    )
    source = CorpusSource.of(options)
    source = replace(source, corpus=Chosen(source.corpus, order["answers"]))
    source.options = structs.replace(source.options, published=_MODEL)
    names = {
        task.path: task.name
        for task in source.corpus.tasks(options.languages, source.options.categories, packages=True)
    }

    def listen(event: RunEvent) -> None:
        if isinstance(event, Judged) and event.record.verdict:
            passed = _class(event.record.verdict) == "passed"
            _say({"at": time.time(), "task": names[event.record.moment.path], "passed": passed})

    await Engine(source.options, listen, source.summarise).run([source], Path.cwd() / "run")


def _class(verdict: Verdict) -> str:
    """What the tests say of an answer, also to an untestable task."""
    return verdict.alone or verdict.name


def _timed(answers: Sequence[Drawn], said: Sequence[Mapping[str, Any]], seconds: float, began: float) -> Timed:
    passed = {one.task.name: bool(line["passed"]) for one, line in zip(answers, said[1:], strict=True)}
    return Timed(seconds, said[1]["at"] - began, passed)


def _child(code: str, order: object, folder: Path, variables: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The JSON lines that a process prints which runs some code of this module in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_ROOT), **variables},
        input=json.dumps(order),
        stdout=subprocess.PIPE,
        text=True,
        timeout=_PATIENCE_S,
        check=True,
    )
    return (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))


def _say(line: object) -> None:
    _print(json.dumps(line))


def _tell(said: str) -> None:
    sys.stderr.write(f"{said}\n")


async def _prepare(answers: Sequence[Drawn]) -> None:
    """Install toolchains and packages, once and for all."""
    programs = await warm(pick(), cache_folder(), _tell, workers=1)
    for one in answers:
        await one.task.tests.prepare(one.task.finished, programs)
    await programs.close()


def measured(checkout: Path, data: Path, answers: Sequence[Drawn]) -> dict[str, Timed]:
    """All ways to judge the answers, which are of one language."""
    asyncio.run(_prepare(answers))
    if answers[0].task.language == "python":
        script_way(checkout, answers)  # installs packages
    ways = {"script": script_way(checkout, answers)}
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        (cache / "layers").symlink_to(cache_folder().resolve() / "layers")
        ways["fresh"] = our_way(data, answers, cache)
        ways["kept"] = our_way(data, answers, cache)
        if any((cache / "headers").iterdir()):
            (cache / "results.sqlite").unlink()
            ways["headers"] = our_way(data, answers, cache)
    return ways


def main(words: Sequence[str]) -> int:
    """Print the table and how many verdicts are equal; 1 if some differ."""
    checkout, data, number = Path(words[0]).resolve(), Path(words[1]).resolve(), int(words[2]) if len(words) > 2 else 20
    languages = words[3].split(",") if len(words) > 3 else LANGUAGES
    answers = distinct(drawn(corpus_of("devbench", data), 3 * number * len(LANGUAGES)), number)
    _print(HEAD)
    found = dict[str, dict[str, Timed]]()
    for language in languages:
        found[language] = measured(checkout, data, [one for one in answers if one.task.language == language])
        _print(row(language, found[language]))
    said = [compared(language, ways) for language, ways in found.items()]
    _print("\n".join(("", *said, f"{os.cpu_count()} cores; load in the last minute: {os.getloadavg()[0]:.1f}")))
    return int(any("different" in line for line in said))


def compared(language: str, ways: Mapping[str, Timed]) -> str:
    """How many verdicts of each way are those of the script."""
    said, theirs = list[str](), ways["script"].passed
    for name, way in ways.items():
        same, different = equal(theirs, way.passed)
        said.append(f"{name} {same}" + (f" (different: {', '.join(different)})" if different else ""))
    return f"{language}: of {len(theirs)} verdicts are equal: {', '.join(said[1:])}"


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
