"""SimCopilot's own post-processor beside our repairs, on the same recorded answers.

`python -m tools.simcopilot_beside CHECKOUT RUN [RUN ...]` takes the answers of finished runs of `ghosttape evaluate simcopilot`, puts each through the functions of the
benchmark's script, and tests every text that comes of it in the sandbox. It prints one JSON line an answer, and a table of shares by language. CHECKOUT is a
folder with SimCopilot's repository; its functions run in the sandbox (`corpora.simcopilot.scoring`). `ghosttape evaluate simcopilot --scoring published` scores by them alone.

The stages are those of `update_post_process_and_eval.py`: `cleaned_code`, `trimmed_code`, `indented_code`, made with the code below the gap, which the model of a completion does not see.
The script counts an answer as passed if the text of any of the three passes; what the paper calls "without post-processing" is `cleaned_code`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from corpora.corpus import corpus_of
from corpora.simcopilot.scoring import STAGES, PostProcessingError, PostProcessor, ScriptInput
from corpora.tasks import Task
from replay.judge.states import ProjectState
from replay.numbers.intervals import clustered_share
from replay.records import Suggestion
from replay.run.engine import cache_folder
from replay.run.store import Store
from runners.programs import Programs
from runners.sandboxes import pick
from runners.warm import warm

COLUMNS: Mapping[str, str] = {
    "raw": "as it came",
    "cleaned_code": "its text cleaned: the paper's *without*",
    "indented_code": "its last text",
    "published": "the best of its three texts, chosen by the tests: the paper's *with*",
    "ours": "ours, repaired",
}
"""Ways to score an answer, and what they are called in the table."""
_FAULT = "infrastructure"
"""The verdict class of what the machine did not let happen: such answers count nowhere."""


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer to a task, as it came (`offered.raw`) and as we repaired it."""

    task: Task
    offered: Suggestion


def answers(runs: Sequence[Path], tasks: Mapping[str, Task]) -> Iterator[ScoredAnswer]:
    """The answers of some runs, each to a task that can be tested here."""
    for folder in runs:
        with Store.open(folder) as store:
            for record in store.records():
                task, offered = tasks.get(record.moment.path), record.suggestion
                if task is not None and offered is not None and not task.lacks:
                    yield ScoredAnswer(task, offered)


def script_input(answer: ScoredAnswer) -> ScriptInput:
    """What the script would be given: the lines above and below the gap, and what came."""
    task = answer.task
    return ScriptInput.of(task.language, task.before, answer.offered.raw, task.after + task.below)


async def _stages_or_why(script: PostProcessor, answer: ScoredAnswer, programs: Programs) -> tuple[dict[str, str], str]:
    """The stages, or none and why the script made none."""
    try:
        return await script.texts(script_input(answer), programs), ""
    except PostProcessingError as error:
        return {}, str(error)


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
    script = PostProcessor(checkout)
    queue, lines = list(reversed(found)), list[dict[str, object]]()

    async def work() -> None:
        while queue:
            answer = queue.pop()
            made, problem = await _stages_or_why(script, answer, programs)
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
    """The shares by language and kind of task, as Markdown, with intervals by program. An answer with a text that the machine could not test counts nowhere."""
    lines = [line for line in lines if _FAULT not in _verdicts(line).values()]
    groups = sorted({(str(line["language"]), str(line["category"])) for line in lines})
    rows = ["| | answers | " + " | ".join(COLUMNS.values()) + " |", "| --- | ---: |" + " ---: |" * len(COLUMNS)]
    for group in [*groups, None]:
        own = [line for line in lines if group in {None, (line["language"], line["category"])}]
        name = " ".join(group) if group else "all"
        rows.append(f"| {name} | {len(own)} | {' | '.join(_cell(own, column) for column in COLUMNS)} |")
    return "\n".join(rows)


def _verdicts(line: Mapping[str, object]) -> Mapping[str, str]:
    return cast("Mapping[str, str]", line["verdicts"])


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
