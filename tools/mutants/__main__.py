"""How many small faults the tests notice: the share of a drawn sample of mutants that `make test` kills (`make mutants`).

`python -m tools.mutants` draws mutants of four rooms and sets each against the tests that execute its line: first those of the four rooms,
then, if it survives, all others. `--draw FILE` uses the mutants of an earlier run again, so that two states of the tests are compared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from tools.mutants.mutant_trials import MutantTrial, MutantTrials, MutantVerdict
from tools.mutants.mutations import ROOMS, Mutant, draw, sources
from tools.mutants.tests_of_lines import ROOT, TESTS, TestsOfLines

NEAR = tuple(f"tests/{room}" for room in ROOMS)
NOT_OF_MAKE_TEST = ("tests/e2e", "tests/real", "tests/performance")
_Line = TypeVar("_Line")
BUDGET_S = 30.0
"""Seconds of tests that a mutant is set against at most, near and far each, fastest first."""
FIRST_FILES, FIRST_S = 2, 3.0
"""What most mutants die of is tried first, because a fork has to import each file of tests: few files, few seconds."""


class MutantResult(msgspec.Struct, frozen=True):
    """A line of the results file; of two lines about one mutant the later counts."""

    mutant: Mutant
    trial: MutantTrial
    noticing: int
    """Tests that execute the line. Those beyond the budget are not run."""
    seconds: float
    diff: str
    near_only: bool = True
    """Whether it was set against the tests of the rooms only."""


def record(folder: Path, tests: Sequence[str], left_out: Iterable[str] = ()) -> TestsOfLines:
    """Run tests once, unless this was done before, and record which lines they execute."""
    if not (folder / TESTS).exists():
        shutil.rmtree(folder, ignore_errors=True)  # of a recording that was stopped
        folder.mkdir(parents=True)
        workers = ["-n", str(os.cpu_count()), "--dist", "worksteal", "-p", "no:cacheprovider", "-q"]
        ignored = [f"--ignore={path}" for path in left_out if (ROOT / path).exists()]
        command = [sys.executable, "-m", "pytest", "-p", "tools.mutants.tests_of_lines", *workers, *ignored, *tests]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "MUTANTS_FOLDER": str(folder)}, check=False)
        if not (folder / TESTS).exists():
            raise SystemExit(f"pytest did not write {folder / TESTS}: its output above says why.")
    return TestsOfLines(folder)


def examine(
    mutant: Mutant, text: str, recorded: TestsOfLines, trials: MutantTrials, budget_s: float = BUDGET_S
) -> MutantResult:
    """Set a mutant against the recorded tests that execute it: those of the files with most of them, then all."""
    began, noticing = time.monotonic(), recorded.noticing(mutant)
    files = [name for name, _ in Counter(map(_file, noticing)).most_common(FIRST_FILES)]
    nearest = within((test for test in noticing if _file(test) in files), recorded.seconds, FIRST_S)
    trial = trials.against(mutant, text, nearest) if nearest else MutantTrial(MutantVerdict.SURVIVED)
    if trial.verdict is MutantVerdict.SURVIVED:
        others = within((test for test in noticing if test not in nearest), recorded.seconds, budget_s)
        further = trials.against(mutant, text, others) if others else MutantTrial(MutantVerdict.SURVIVED)
        trial = msgspec.structs.replace(further, ran=trial.ran + further.ran)
    return MutantResult(mutant, trial, len(noticing), round(time.monotonic() - began, 1), mutant.diff(text))


def _file(test: str) -> str:
    return test.partition("::")[0]


def _joined(near: MutantResult, far: MutantResult) -> MutantResult:
    """Return the result of a mutant that survived the near tests, and met the far ones."""
    trial = msgspec.structs.replace(far.trial, ran=near.trial.ran + far.trial.ran)
    noticing, seconds = near.noticing + far.noticing, near.seconds + far.seconds
    return MutantResult(far.mutant, trial, noticing, round(seconds, 1), far.diff, near_only=False)


def within(tests: Iterable[str], seconds: Mapping[str, float], budget: float) -> dict[str, float]:
    """Return the first tests whose seconds together stay in a budget, each with its own."""
    chosen: dict[str, float] = {}
    for test in tests:
        budget -= seconds[test]
        if budget < 0:
            break
        chosen[test] = seconds[test]
    return chosen


def table(results: Sequence[MutantResult]) -> str:
    """Return the table by room, in Markdown, and the survivors."""
    from replay.numbers.intervals import share  # not before the forks, which import it as a mutant

    rows = [
        "| room | mutants | killed | timeouts | survived | share killed (95 %) |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for room in (*ROOMS, ""):
        verdicts = [result.trial.verdict for result in results if result.mutant.file.startswith(room)]
        killed, late, survived = (verdicts.count(verdict) for verdict in MutantVerdict)
        figure = share(killed + late, len(verdicts))
        interval = f"{figure['value']:.1%} ({figure['low']:.1%} to {figure['high']:.1%})" if verdicts else ""
        rows.append(f"| {room or 'all'} | {len(verdicts)} | {killed} | {late} | {survived} | {interval} |")
    survivors = [result for result in results if result.trial.verdict is MutantVerdict.SURVIVED]
    for result in sorted(survivors, key=lambda result: (result.mutant.file, result.mutant.line)):
        tests = f"{result.trial.ran} of {result.noticing} tests ran" if result.noticing else "no test executes it"
        rows.append(f"\n{result.mutant.file}:{result.mutant.line} ({tests})\n{result.diff}")
    return "\n".join(rows)


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutants", help="for the draw, recordings and results")
    parser.add_argument("--count", type=int, default=300, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=31, help="of the draw")
    parser.add_argument(
        "--draw", type=Path, help="use the mutants in this file, as an earlier run wrote it (draw.jsonl)"
    )
    parser.add_argument(
        "--budget", type=float, default=BUDGET_S, help="seconds of tests that a mutant is set against at most"
    )
    parser.add_argument("--ignore", action="append", default=[], help="a folder of tests to leave out, as tests/e2e is")
    parser.add_argument(
        "--continue", dest="goes_on", action="store_true", help="go on where a stopped run with this folder was"
    )
    return parser.parse_args(arguments)


def _read(path: Path, kind: type[_Line]) -> list[_Line]:
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [msgspec.json.decode(line, type=kind) for line in lines]


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, record, examine and print; return 0."""
    given = _arguments(arguments)
    listed, folder = _read(given.draw, Mutant) if given.draw else [], given.folder.resolve()
    if not given.goes_on:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    texts = sources(ROOT)
    mutants, gone = draw(texts, given.count, given.seed, listed)
    (folder / "draw.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(mutants))
    trials, path = MutantTrials(ROOT, folder), folder / "results.jsonl"
    results = {result.mutant.identity: result for result in _read(path, MutantResult)}
    for stage, tests, left_out in (("near", NEAR, ()), ("far", ("tests",), (*NEAR, *NOT_OF_MAKE_TEST, *given.ignore))):
        recorded = record(folder / stage, tests, left_out)
        for at, mutant in enumerate(mutants, start=1):
            before = results.get(mutant.identity)
            if before and not (stage == "far" and before.near_only and before.trial.verdict is MutantVerdict.SURVIVED):
                continue
            result = examine(mutant, texts[mutant.file], recorded, trials, given.budget)
            result = results[mutant.identity] = _joined(before, result) if before else result
            with path.open("ab") as file:
                file.write(msgspec.json.encode(result) + b"\n")
            place = f"{mutant.file}:{mutant.line} {mutant.operator}"
            sys.stderr.write(f"{stage} {at}/{len(mutants)} {result.trial.verdict} {place} ({result.seconds} s)\n")
    sys.stdout.write(table([results[mutant.identity] for mutant in mutants]) + "\n")
    for test in trials.unstable():
        sys.stdout.write(f"\nNot counted, because it also fails alone without a mutant: {test}")
    if listed:
        sys.stdout.write(
            f"\nOf {len(listed)} listed mutants {gone} no longer apply; others were drawn in their place.\n"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
