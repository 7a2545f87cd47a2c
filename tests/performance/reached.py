# ruff: noqa: T201 - prints what it finds
"""What the second run, with probes in the tests, changes in the verdicts on DevBench, and what it costs: `make reached DATA=../shared/data`.

Arguments: the folder of shared data, how many published answers a language (60), then languages (all). The ground truths of all tasks
that these answers belong to are run too, as other programs than the finished ones: all must keep their verdict.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from corpora.devbench.corpus import CATEGORIES, DevBench
from replay.records import Suggestion
from runners.sandboxes import pick
from runners.warm import warm
from tests.support.devbench_answers import LANGUAGES, MODELS

WORKERS = 2


def drawn(data, language, number, seed=5):
    """So many published answers of both models to tasks of all categories: task and answer."""
    corpus = DevBench(data)
    tasks = {task.name: task for task in corpus.tasks([language], CATEGORIES, packages=False)}
    published = [
        (task, text)
        for model in MODELS
        for name, texts in sorted(corpus.published(model, list(tasks.values())).items())
        for task, text in [(tasks[name], text) for text in texts]
    ]
    return random.Random(seed).sample(published, number)


async def judged(programs, task, text):
    """The result of an answer by its status alone, then with its tests' statements, and how long each took (s)."""
    offset = task.moment().offset
    state = task.filled(Suggestion(text=text, start=offset, end=offset, latency=0.0))
    began = time.perf_counter()
    alone = await task.tests.run(state, programs)
    middle = time.perf_counter()
    if alone.verdict_class != "passed":
        return alone, alone, middle - began, 0.0
    program = task.tests._program(state)
    whole = await task.tests.reached(task.finished, task.hole).confirmed(alone, program, programs)
    return alone, whole, middle - began, time.perf_counter() - middle


async def main(data, number, languages):
    """Print a table, and each verdict that changed with its reason; return how many changed."""
    changed = 0
    for language in languages:
        programs = await warm(pick(), Path(tempfile.gettempdir()) / "ghosttape-reached", _tell, workers=WORKERS)
        answers = drawn(data, language, number)
        truths = list({task.name: (task, task.truth) for task, _ in answers}.values())
        for name, todo in (("answers", answers), ("truths", truths)):
            changed += await _table(programs, f"{language} {name}", todo)
        await programs.close()
    return changed


async def _table(programs, name, todo):
    queue, found = list(todo), []

    async def work():
        while queue:
            task, text = queue.pop()
            found.append((task, text, *await judged(programs, task, text)))

    await asyncio.gather(*(work() for _ in range(WORKERS)))
    other = [one for one in found if one[2].verdict_class != one[3].verdict_class]
    classes = dict(Counter(one[2].verdict_class for one in found).most_common())
    first, second = sum(one[4] for one in found), sum(one[5] for one in found)
    print(
        f"{name}: {len(found)}, {len(other)} changed; {first:.1f} s, and {second:.1f} s with probes; {classes}",
        flush=True,
    )
    for task, text, _, whole, *_ in other:
        print(f"  {task.name}: {whole.verdict_class}: {whole.message}\n    {text[:300]!r}", flush=True)
    return len(other)


def _tell(text):
    print(text, file=sys.stderr)


if __name__ == "__main__":
    folder, *more = sys.argv[1:]
    asyncio.run(main(Path(folder), int(more[0]) if more else 60, more[1:] or LANGUAGES))
