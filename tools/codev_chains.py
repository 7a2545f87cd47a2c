"""Which tests enter which functions, told in two ways: by our chains, and by the contexts of coverage.py (`pytest --cov-context=test`), which know nothing of ours.

`python -m tools.codev_chains SAMPLES` takes the repository of a corpus of `ghosttape corpora build codev` (in Python, tested by pytest), runs its tests in the sandbox once in each way, and compares pairs of a test
and a function. A function counts as entered by coverage.py if a line of its body was executed for the test: lines are found by Python's own `ast`, not by our syntax trees. Of a function that
stands on one line (also a lambda) coverage.py cannot tell; these are counted apart. What only one way says is run again, test by test alone, by coverage.py: there nothing was set up, cached
or imported by another test before.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from corpora.codev.checkouts import checkout_of
from corpora.codev.samples import read_samples
from corpora.mined.checkout import Checkout
from replay.run.engine import cache_folder
from replay.tapes.tape import Tests
from runners.coverage.call_chains import record_calls
from runners.project import Project, ProjectPlan, prepare
from runners.protocol import Job, Limits
from runners.sandboxes import pick

_NEEDS = "pytest-cov>=5"
_LONGEST_S = 1800.0
_LOG = ".chains-log.txt"
_VARIABLES = re.compile(r"(?:[A-Za-z_]\w*=\S+ +)*")
"""What a command of a shell sets at its beginning. Example: `PYTHONPATH=src `."""

FunctionPlace = tuple[str, int]
"""Path and first line of a function, decorators included."""
EnteredPair = tuple[str, FunctionPlace]
"""A test, and a function that it enters."""


@dataclass(frozen=True, slots=True)
class FunctionLines:
    """A function as Python's `ast` sees it: its first line, and the lines of its body that are no other function's; none where it stands on one line."""

    first: int
    body: frozenset[int]


def functions_in(text: str) -> Iterator[FunctionLines]:
    """All functions of a file. Example: of one that begins on line 1 and returns on line 2 the body is 2."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Lambda):
            yield FunctionLines(node.lineno, frozenset())
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            own = {line for each in node.body for line in _lines(each)}
            is_apart = node.body[0].lineno > node.lineno
            yield FunctionLines(first, frozenset(own) if is_apart else frozenset())


def _lines(node: ast.AST) -> Iterator[int]:
    """The first lines of the statements of a function, less those of the functions in it."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring is not executed
    if isinstance(node, ast.stmt | ast.excepthandler):
        yield node.lineno
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        for each in ast.iter_child_nodes(node):
            yield from _lines(each)


async def by_contexts(project: Project, command: str) -> set[EnteredPair]:
    """The pairs that coverage.py tells of one run of pytest."""
    said = f"{command} -p pytest_cov --cov=. --cov-context=test --cov-report= > {_LOG} 2>&1; python -m coverage json --show-contexts -q -o /dev/stdout"
    limits = Limits(wall_s=_LONGEST_S, output_bytes=256 << 20)
    layer = project.layer
    done = await project.sandbox.run(
        Job(project.workspace.folder / "base", said, project.plan.cwd, layer.env, layer.mounts, limits)
    )
    try:
        measured = json.loads(done.stdout)["files"]
    except ValueError:
        raise RuntimeError(f"coverage.py told nothing: {done.stdout[-500:]}{done.stderr[-500:]}") from None
    return {pair for path, of_file in measured.items() for pair in _pairs(project, path, of_file["contexts"])}


def _pairs(project: Project, path: str, contexts: Mapping[str, Sequence[str]]) -> Iterator[EnteredPair]:
    file = project.workspace.folder / "base" / path
    for function in functions_in(file.read_text()) if path.endswith(".py") and file.is_file() else ():
        for line in function.body:
            for context in contexts.get(str(line), ()):
                if context:
                    yield context.rpartition("|")[0], (path, function.first)


async def opened(checkout: Checkout, tests: Tests, *more: str) -> Project:
    """The repository laid out, with further packages."""
    plan = ProjectPlan(tests.toolchain, (*tests.requires, *more), tests.setup, tests.command, tests.cwd, _LONGEST_S)
    return await prepare(checkout.files, plan, pick("auto"), cache_folder(), _tell, others=checkout.others)


async def compare(file: Path, most: int) -> str:
    """Compare the chains of a repository in both ways; the counts as Markdown."""
    head, _ = read_samples(file)
    (entry,) = head.repositories
    checkout = checkout_of(file, entry)
    project = await opened(checkout, entry.tests, _NEEDS)
    with closing(project):
        result, calls = await record_calls(project, checkout.files, _tell)
        if calls is None:
            raise RuntimeError(f"no chains here: {result.message}")
        theirs = await by_contexts(project, entry.tests.command)
        seen = {
            (path, each.first)
            for path, text in checkout.files.items()
            if path.endswith(".py")
            for each in functions_in(text)
            if each.body
        }
        tests = {test for test, _ in theirs} & calls.calls.keys() & (result.tests or frozenset())
        ours = {
            (test, (function.path, function.line))
            for test, entered in calls.calls.items()
            for function, _ in entered
            if function.path in checkout.files
        }
        one_line = {(test, place) for test, place in ours if test in tests and place not in seen}
        mine = {(test, place) for test, place in ours if test in tests} - one_line
        others = {(test, place) for test, place in theirs if test in tests}
        apart = mine ^ others
        alone = await _alone(project, entry.tests.command, {test for test, _ in apart}, most)
        reasons = Counter(_reason(pair, mine, alone) for pair in apart)
        for pair in sorted(apart):
            sys.stdout.write(
                json.dumps(
                    {
                        "test": pair[0],
                        "function": pair[1],
                        "said by": "ours" if pair in mine else "coverage",
                        "reason": _reason(pair, mine, alone),
                    }
                )
                + "\n"
            )
    rows = [
        f"tests {len(tests)}, functions {len({place for _, place in mine | others})}, pairs told by both {len(mine & others)}",
        f"functions on one line, of which coverage.py cannot tell: {len(one_line)} pairs",
        *(f"{reason}: {number}" for reason, number in sorted(reasons.items())),
    ]
    return "\n".join(rows)


async def _alone(project: Project, command: str, tests: Iterable[str], most: int) -> dict[str, set[EnteredPair]]:
    """What coverage.py tells of each of these tests, run alone; of at most so many."""
    found = dict[str, set[EnteredPair]]()
    variables = _VARIABLES.match(command)
    assert variables is not None, "it may match nothing"
    for test in sorted(tests)[:most]:
        found[test] = await by_contexts(project, f"{variables[0]}python -m pytest -q -p no:cacheprovider {quote(test)}")
    return found


def _reason(pair: EnteredPair, mine: set[EnteredPair], alone: Mapping[str, set[EnteredPair]]) -> str:
    """Why only one way tells a pair."""
    test, _ = pair
    who = "only ours" if pair in mine else "only coverage.py"
    if test not in alone:
        return f"{who}: not run alone"
    return f"{who}: alone, coverage.py " + ("tells it too" if pair in alone[test] else "does not tell it")


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main() -> None:
    """Parse the arguments and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--most", type=int, default=40, help="tests that are run alone at most")
    given = parser.parse_args()
    sys.stdout.write(asyncio.run(compare(given.samples, given.most)) + "\n")


if __name__ == "__main__":
    main()
