"""Call chains: which functions each test enters, and from which; found by running the tests, and fused with the syntax tree (section 3.2 of the paper, "Dynamic and Static Call Chain Analysis")."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from corpora.agent.function_blocks import BlockFile, CodeBlock, FunctionSpan
from replay.tapes.file_kinds import file_kind
from runners.coverage.entered import CallsOfTests, EnteredFunction
from syntax.languages import language_of
from syntax.parse import has_error


class FunctionChain(msgspec.Struct, frozen=True, kw_only=True):
    """A function that tests enter: its place, who calls it, and which blocks it has."""

    path: str
    line: int
    """The first line, decorators included."""
    name: str
    tests: tuple[str, ...]
    callers: tuple[str, ...]
    """The functions of the project from which it is entered, as `PATH#NAME`; none where only tests of other files, libraries or nobody known calls it."""
    blocks: dict[str, int]
    """Type → number of its blocks. Empty in files of tests, and where the syntax tree has no such function."""


class RecordedChains(msgspec.Struct, frozen=True, kw_only=True):
    """What the stage `chains` found in one repository."""

    functions: list[FunctionChain]
    unseen: list[str]
    """Tests of which not everything is known: they start processes, or trace themselves."""
    tests: list[str]
    """The tests that passed while they were watched, and pass without."""
    exact: bool = False
    """Whether each function is known by itself; else, of scripts, only outermost ones."""

    @property
    def tests_of(self) -> Mapping[tuple[str, int], tuple[str, ...]]:
        """Path and first line of a function → the tests that enter it."""
        found: dict[tuple[str, int], tuple[str, ...]] = {}
        for one in self.functions:  # several of scripts may begin on one line: any of them may be meant
            found[one.path, one.line] = tuple(sorted({*found.get((one.path, one.line), ()), *one.tests}))
        return found


def fused(calls: CallsOfTests, passing: frozenset[str], files: Mapping[str, str]) -> RecordedChains:
    """Chains with the blocks of the syntax tree; only tests that pass count."""
    callers: dict[EnteredFunction, set[str]] = defaultdict(set)
    for test, pairs in calls.calls.items():
        for function, caller in pairs if test in passing else ():
            callers[function].update(f"{caller.path}#{caller.name}" for caller in (caller,) if caller is not None)
    entered = {function: tests & passing for function, tests in calls.tests_of().items()}
    blocks = {path: _counted(path, files) for path in {function.path for function in entered}}
    return RecordedChains(
        functions=[
            FunctionChain(
                path=function.path,
                line=function.line,
                name=function.name,
                tests=tuple(sorted(tests)),
                callers=tuple(sorted(callers[function])),
                blocks=dict(blocks[function.path].get(function.line, Counter())),
            )
            for function, tests in sorted(entered.items())
            if tests
        ],
        unseen=sorted(calls.unseen & passing),
        tests=sorted(passing),
        exact=calls.exact,
    )


def _counted(path: str, files: Mapping[str, str]) -> dict[int, Counter[str]]:
    found: dict[int, Counter[str]] = defaultdict(Counter)
    if (file := block_file(path, files)) is not None:
        for block in file.blocks():
            found[block.function.lines[0]][block.block_type] += 1
    return found


def block_file(path: str, files: Mapping[str, str]) -> BlockFile | None:
    """A file of the project's own code in a language with a syntax tree; None for tests, what was generated, and what does not parse."""
    text, language = files.get(path), language_of(path)
    if text is None or language is None or file_kind(path, text) or has_error(language, text):
        return None
    return BlockFile(language, text)


def entered_blocks(
    chains: RecordedChains, files: Mapping[str, str]
) -> Iterator[tuple[str, CodeBlock, tuple[str, ...]]]:
    """Every block of every function that a test enters: its path, the block, and the tests.

    Where only outermost functions are known (of scripts), the tests of one enter what lies in it.
    """
    tests_of = chains.tests_of
    for path in sorted({path for path, _ in tests_of}):
        if (file := block_file(path, files)) is not None:
            for block in file.blocks():
                if tests := _tests_of(path, file, block.function, tests_of, exact=chains.exact):
                    yield path, block, tests


def _tests_of(
    path: str,
    file: BlockFile,
    function: FunctionSpan,
    tests_of: Mapping[tuple[str, int], tuple[str, ...]],
    *,
    exact: bool,
) -> tuple[str, ...]:
    """The tests that enter a function."""
    if exact or file.language.id == "python":
        return tests_of.get((path, function.lines[0]), ())
    outermost = next(one for one in file.functions if one.holds(function.start))
    return next(
        (tests for line in range(outermost.lines[0], outermost.lines[1] + 1) if (tests := tests_of.get((path, line)))),
        (),
    )
