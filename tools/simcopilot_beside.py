"""SimCopilot's own post-processor beside our repairs, on the same recorded answers.

`python -m tools.simcopilot_beside CHECKOUT RUN [RUN ...]` takes the answers of finished runs of `ghosttape evaluate simcopilot`, puts each through the functions of the
benchmark's script, and tests every text that comes of it in the sandbox. It prints one JSON line an answer, and a table of shares by language. CHECKOUT is a
folder with SimCopilot's repository. Its functions are untrusted code that runs without a sandbox: run them on a machine that may be lost.

The stages are those of `update_post_process_and_eval.py`: `cleaned_code`, `trimmed_code`, `indented_code`, made with the code below the gap, which the model of a completion does not see.
The script counts an answer as passed if the text of any of the three passes; what the paper calls "without post-processing" is `cleaned_code`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

from corpora.corpus import corpus_of
from corpora.tasks import Task
from replay.judge.states import ProjectState
from replay.numbers.intervals import clustered_share
from replay.records import Suggestion
from replay.run.engine import cache_folder
from replay.run.store import Store
from runners.programs import Programs
from runners.sandboxes import pick
from runners.warm import warm

STAGES = ("cleaned_code", "trimmed_code", "indented_code")
COLUMNS: Mapping[str, str] = {
    "raw": "as it came",
    "cleaned_code": "its text cleaned: the paper's *without*",
    "indented_code": "its last text",
    "published": "the best of its three texts, chosen by the tests: the paper's *with*",
    "ours": "ours, repaired",
}
"""Ways to score an answer, and what they are called in the table."""
_STUBS = (
    "openai",
    "together",
    "transformers",
    "tiktoken",
    "helper_functions.HF_models",
    "helper_functions.Anthropic_models",
)
"""Modules that the script imports to ask models: nothing of them is used."""
_NAMES = ("OpenAI", "Together", "pipeline", "num_tokens_from_HF_models", "get_response_from_HF_models", "model_context", "truncate_input", "anthropic_models_gen")  # fmt: skip
_RUN = "from tools.simcopilot_beside import process_one; process_one()"
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer to a task, as it came (`offered.raw`) and as we repaired it."""

    task: Task
    offered: Suggestion


@dataclass(frozen=True, slots=True)
class ScriptInput:
    """What the script's function takes."""

    checkout: str
    text: str
    before: Sequence[str]
    after: Sequence[str]
    language: str


def answers(runs: Sequence[Path], tasks: Mapping[str, Task]) -> Iterator[ScoredAnswer]:
    """The answers of some runs, each to a task that can be tested here."""
    for folder in runs:
        with Store.open(folder) as store:
            for record in store.records():
                task, offered = tasks.get(record.moment.path), record.suggestion
                if task is not None and offered is not None and not task.lacks:
                    yield ScoredAnswer(task, offered)


def script_input(checkout: Path, answer: ScoredAnswer) -> ScriptInput:
    """What the script would be given: the lines above and below the gap, and what came."""
    task = answer.task
    below = (task.after + task.below).removeprefix("\n")
    after = below.split("\n") if below else []
    before = task.before.split("\n")[:-1]
    return ScriptInput(str(checkout), answer.offered.raw, before, after, task.language.capitalize())


def stages(order: ScriptInput) -> dict[str, str]:
    """The texts that the script makes of an answer, by stage, in a process of its own.

    Raises:
        subprocess.SubprocessError: the script fails, or takes longer than a minute.

    """
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        cwd=Path(__file__).parent.parent,
        input=json.dumps(asdict(order)),
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return {stage: found[stage] for stage in STAGES}


def _stages_or_why(taken: ScriptInput) -> tuple[dict[str, str], str]:
    """The stages, or none and why the script made none."""
    try:
        return stages(taken), ""
    except subprocess.CalledProcessError as error:
        return {}, f"the script failed: {(error.stderr.strip().splitlines() or [''])[-1]}"
    except subprocess.TimeoutExpired:
        return {}, f"the script took longer than {_PATIENCE_S:.0f} s"


def process_one() -> None:
    """Read an order from standard input, run the script's function, and print its stages as JSON."""
    order = ScriptInput(**json.load(sys.stdin))
    for name in _STUBS:
        sys.modules[name] = ModuleType(name)
        for wanted in _NAMES:
            setattr(sys.modules[name], wanted, lambda *_, **__: None)
    sys.path.insert(0, order.checkout)
    from helper_functions.LLMs_gen import post_process_gen_code  # type: ignore[import-not-found]

    found, _ = post_process_gen_code(order.text, list(order.before), list(order.after), order.language)
    sys.stdout.write(json.dumps(found) + "\n")


async def judge(answer: ScoredAnswer, made: Mapping[str, str], programs: Programs) -> dict[str, str]:
    """The verdict class of each text of an answer: as it came, as we repaired it, and each stage of the script.

    Equal texts are tested once. Where the script failed, its stages have failed.
    """
    task, known = answer.task, dict[str, str]()
    texts = {"raw": answer.offered.raw, **made}
    states = {name: ProjectState(task.path, task.before + text + task.after) for name, text in texts.items()}
    states["ours"] = task.filled(answer.offered)
    for state in states.values():
        if state.text not in known:
            known[state.text] = (await task.tests.run(state, programs)).verdict_class
    return dict.fromkeys(STAGES, "failed") | {name: known[state.text] for name, state in states.items()}


async def compare(checkout: Path, found: Sequence[ScoredAnswer], workers: int = 2) -> list[dict[str, object]]:
    """Print what becomes of each answer, and return it."""
    programs: Programs = await warm(pick(), cache_folder(), lambda _: None, workers=workers)
    queue, lines = list(reversed(found)), list[dict[str, object]]()

    async def work() -> None:
        while queue:
            answer = queue.pop()
            made, problem = await asyncio.to_thread(_stages_or_why, script_input(checkout, answer))
            verdicts = await judge(answer, made, programs)
            said = {"task": answer.task.name, "language": answer.task.language, "category": answer.task.category}
            said |= {"provider": answer.offered.provider, "script": problem}
            lines.append({**said, **passes(verdicts), "verdicts": verdicts})
            sys.stdout.write(json.dumps(lines[-1]) + "\n")
            sys.stdout.flush()

    try:
        await asyncio.gather(*(work() for _ in range(workers)))
    finally:
        await programs.close()
    return lines


def passes(verdicts: Mapping[str, str]) -> dict[str, bool]:
    """Whether an answer passes, by each way to score it. Example: only `trimmed_code` passes: so does `published`, and nothing else."""
    own = {name: verdict == "passed" for name, verdict in verdicts.items()}
    own["published"] = any(own[stage] for stage in STAGES)
    return {name: own[name] for name in COLUMNS}


def table(lines: Sequence[Mapping[str, object]]) -> str:
    """The shares by language and kind of task, as Markdown, with intervals by program."""
    groups = sorted({(str(line["language"]), str(line["category"])) for line in lines})
    rows = ["| | answers | " + " | ".join(COLUMNS.values()) + " |", "| --- | ---: |" + " ---: |" * len(COLUMNS)]
    for group in [*groups, None]:
        own = [line for line in lines if group in {None, (line["language"], line["category"])}]
        name = " ".join(group) if group else "all"
        rows.append(f"| {name} | {len(own)} | {' | '.join(_cell(own, column) for column in COLUMNS)} |")
    return "\n".join(rows)


def _cell(lines: Sequence[Mapping[str, object]], column: str) -> str:
    found = clustered_share((_program(line), float(bool(line[column]))) for line in lines)
    number, value = sum(bool(line[column]) for line in lines), found["value"]
    if value is None or found["low"] is None:
        return str(number)
    return f"{number}: {value:.1%} ({found['low']:.1%}\N{EN DASH}{found['high']:.1%})"


def _program(line: Mapping[str, object]) -> str:
    return str(line["task"]).split("/")[2]


def main(words: Sequence[str]) -> int:
    """Compare, and print the table."""
    checkout, runs = Path(words[0]).resolve(), [Path(word) for word in words[1:]]
    corpus = corpus_of("simcopilot", checkout)
    known = {task.path: task for task in corpus.tasks(corpus.languages, corpus.categories, packages=True)}
    lines = asyncio.run(compare(checkout, list(answers(runs, known))))
    sys.stdout.write(table(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
