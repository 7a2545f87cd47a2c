# ruff: noqa: T201 - prints what it finds
"""Run published answers warm and cold, and say where the verdicts differ: `make warm DATA=../shared/data`.

Arguments: the folder of shared data, how many answers a language (60), then languages (all).
"""

import asyncio
import json
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from runners.programs import cold
from runners.sandboxes import pick
from runners.warm import warm
from tests.support.devbench_answers import LANGUAGES, published
from tests.support.processor_time import account

WORKERS = 2
TIMEOUT_S = 60.0
_DRAWN = re.compile(r"\d+\.\d+ ?m?s\b|\d+(?:\.\d+)? seconds|/tmp/\w+|0x[0-9a-f]{5,}|\d")


async def main(data, number, languages):
    """Print a table and the differences; return how many there are."""
    sandbox, cache = pick(), Path(tempfile.gettempdir()) / "ghosttape-warm-and-cold"
    differences = 0
    for language in languages:
        answers = published(data, language, number)
        warmly = await warm(sandbox, cache, _tell, workers=WORKERS)
        coldly = await cold(sandbox, cache, _tell)
        with account() as spent_s:
            sides = [await _timed(*side, answers, spent_s) for side in (("warm", warmly), ("cold", coldly))]
            await warmly.close()
            await coldly.close()
        differences += _compare(answers, *sides)
    return differences


async def _timed(name, programs, answers, spent_s):
    """Run all answers, after one that pays for what is started first; print how long it took."""
    todo, results = list(answers.items()), {}
    await programs.run(todo[0][1], timeout_s=TIMEOUT_S)
    began, before = time.perf_counter(), spent_s()

    async def work():
        while todo:
            key, program = todo.pop()
            results[key] = await programs.run(program, timeout_s=TIMEOUT_S)

    await asyncio.gather(*(work() for _ in range(WORKERS)))
    wall_s, processor_s = time.perf_counter() - began, spent_s() - before
    classes = dict(Counter(result.verdict_class for result in results.values()).most_common())
    print(
        f"{name}: {len(results)} verdicts, {wall_s:.0f} s, {1000 * processor_s / len(results):.0f} ms of processor each; {classes}"
    )
    return results


def _compare(answers, warmly, coldly):
    """Print what differs, and return in how many verdicts the class does; messages are compared without numbers."""
    classes = messages = 0
    for key in answers:
        here, there = warmly[key], coldly[key]
        if here.verdict_class != there.verdict_class:
            classes += 1
            print("CLASS", json.dumps([key, here.verdict_class, here.message, there.verdict_class, there.message]))
        elif _DRAWN.sub("", here.message) != _DRAWN.sub("", there.message):
            messages += 1
            print("MESSAGE", json.dumps([key, here.verdict_class, here.message, there.message]))
    print(f"{len(answers)} answers, {classes} other classes, {messages} other messages", flush=True)
    return classes


def _tell(text):
    print(text, file=sys.stderr)


if __name__ == "__main__":
    folder, *more = sys.argv[1:]
    sys.exit(bool(asyncio.run(main(Path(folder), int(more[0]) if more else 60, more[1:] or LANGUAGES))))
