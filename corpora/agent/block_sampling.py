"""The stage `samples`: blocks of functions that tests enter, drawn to a distribution of types, of those that a test notices when they are gone."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
import tree_sitter
from msgspec import structs

from corpora.agent.chains import RecordedChains, block_file, entered_blocks
from corpora.agent.function_blocks import BlockFile, CodeBlock
from corpora.agent.work import StageFolder
from corpora.codev.samples import GROUPS, BlockGroup, CodevSample, InnerPart
from corpora.errors import DataError
from replay.judge.baselines import FinishedProject
from replay.tapes.chosen_paths import is_chosen
from runners.verdicts import Result, RetryPolicy
from runners.warm.warm_projects import WarmTests
from syntax.gaps import patch
from syntax.parse import descendants
from syntax.text import offset_of

# How many blocks of each type are wanted, and in which order those of a type are tried.

PUBLISHED = Path(__file__).with_name("distribution.toml")
_Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class BlockDistribution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of blocks by type (rows of the paper's Table 2), in any unit."""

    blocks: dict[BlockGroup, _Share]

    def wanted(self, number: int) -> dict[BlockGroup, int]:
        """How many blocks of each type there are among so many, by largest remainders: they add up to `number`.

        Example: of 31 by Table 2, 3 METHOD, 8 IF, 6 FOR, 4 TRY and 10 STATEMENT.
        """
        total = sum(self.blocks.values())
        exact = {group: number * share / total for group, share in self.blocks.items()}
        found = {group: int(value) for group, value in exact.items()}
        rests = sorted(exact, key=lambda group: found[group] - exact[group])
        for group in rests[: number - sum(found.values())]:
            found[group] += 1
        return found


def read_distribution(file: Path = PUBLISHED) -> BlockDistribution:
    """Read a file of shares.

    Raises:
        DataError: it cannot be read, is malformed, or wants nothing.

    """
    try:
        found = msgspec.toml.decode(file.read_bytes(), type=BlockDistribution)
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise DataError(file, 0, f"is no distribution of blocks: {error}") from error
    if not sum(found.blocks.values()):
        raise DataError(file, 0, "wants no block of any type: give at least one a number above 0 in [blocks]")
    return found


def in_lots(names: Iterable[str], seed: int) -> Sequence[str]:
    """Names in the order in which the seed draws them; names that come or go change nothing between the others."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed}\0{name}".encode("utf-8", "surrogatepass")).digest())


def still_wanted(wanted: Mapping[BlockGroup, int], kept: Mapping[BlockGroup, int]) -> dict[BlockGroup, int]:
    """Type → how many more blocks of it are wanted; types that have enough are left out."""
    return {group: number - kept.get(group, 0) for group, number in wanted.items() if number > kept.get(group, 0)}


# Whether tests notice that a part of a file is gone: they run with the part taken out, and what they said
# is kept.

STAGE = "samples"
PartEnd: TypeAlias = Literal["noticed", "unnoticed", "dependent", "unbuilt", "untested"]
"""What became of a part: tests fail without it; they pass without it; they do not pass alone with it; the text cannot be read without it; the machine failed, or they did not end in time."""
_PATIENCE, _SHORTEST_S = 5.0, 10.0
"""Without a part the tests may take so many times what all took in the finished project, but at least so long (s)."""
_DOUBTS = 3
"""So often a test that fails without a part, and passes then, is left out; what fails only now and then, or in the company of others, is not to be taken for a test that notices."""
_UNTOLD = frozenset({"infrastructure", "timeout"})
"""Ends of a run that may say something of the machine: such a part is tried again by the next build."""
_UNREAD = frozenset({"syntax", "indentation", "compile"})


class TriedPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a file that was taken out, with what the tests said."""

    key: str
    ends: PartEnd
    noticed_by: tuple[str, ...] = ()
    """The first test that failed without it, and again alone; all that failed in both runs, where their runner does not say which was first."""


class _NothingTold(Exception):  # noqa: N818 - the name says what happened
    """The tests can tell nothing of a part."""

    def __init__(self, ends: PartEnd) -> None:
        super().__init__(ends)
        self.ends: PartEnd = ends


@dataclass(slots=True)
class PartTester:
    """Takes parts out of the files of a repository. What was tried before is not tried again."""

    finished: FinishedProject
    warm: WarmTests
    """Runs its tests."""
    folder: StageFolder
    retries: RetryPolicy
    slots: asyncio.Semaphore
    tried_now: Callable[[TriedPart], None] = lambda _: None
    _known: dict[str, TriedPart] = field(default_factory=dict)
    _alone: dict[frozenset[str], asyncio.Task[bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what was tried before."""
        self._known = {one.key: one for one in self.folder.added(STAGE, TriedPart)}

    async def tried(self, key: str, path: str, changed: str, tests: tuple[str, ...]) -> TriedPart:
        """What the tests say of a file (`changed`: its text without the part). `key` tells parts apart."""
        known = self._known.get(key)
        if known is None:
            known = await self._try(key, path, changed, frozenset(tests))
            if known.ends != "untested":
                self._known[key] = known
                self.folder.add(STAGE, known)
            self.folder.log(
                STAGE, f"{known.ends}: {key}" + f" (by {', '.join(known.noticed_by[:3])})" * bool(known.noticed_by)
            )
        self.tried_now(known)
        return known

    async def _try(self, key: str, path: str, changed: str, tests: frozenset[str]) -> TriedPart:
        try:
            await self._check_alone(tests)
            noticed_by = await self._noticed_by(path, changed, tests)
        except _NothingTold as error:
            return TriedPart(key=key, ends=error.ends)
        return TriedPart(key=key, ends="noticed" if noticed_by else "unnoticed", noticed_by=tuple(sorted(noticed_by)))

    async def _noticed_by(self, path: str, changed: str, tests: frozenset[str]) -> frozenset[str]:
        """What fails without the part, and again alone."""
        left = tests
        for _ in range(_DOUBTS):
            missed = await self._missed(path, changed, left) if left else left
            again = await self._missed(path, changed, missed) if missed else missed
            if not missed or (again and await self._are_sound(again)):
                return again
            left -= missed
        return frozenset()

    async def _missed(self, path: str, changed: str, tests: frozenset[str]) -> frozenset[str]:
        """The first test that fails without the part; all that fail, where it is not known which was first."""
        result = _told(await self._run({path: changed}, tests))
        if result.verdict_class in _UNREAD:
            raise _NothingTold("unbuilt")
        return tests & {result.first_failed} or _unpassed(result, tests)

    async def _check_alone(self, tests: frozenset[str]) -> None:
        """Refuse tests that do not pass in the finished project without the others; that is found out once for the same tests."""
        if not await self._are_sound(tests):
            raise _NothingTold("dependent")

    async def _are_sound(self, tests: frozenset[str]) -> bool:
        """Whether tests pass in the finished project without the others: one that needs another before it fails alone with the part and without."""
        if tests not in self._alone:
            self._alone[tests] = asyncio.create_task(self._pass_alone(tests))
        return await asyncio.shield(self._alone[tests])

    async def _pass_alone(self, tests: frozenset[str]) -> bool:
        async with self.slots:
            if await self.warm.passes(tests):
                return True
        return not _unpassed(_told(await self._run({}, tests)), tests)

    async def _run(self, changed: dict[str, str], tests: frozenset[str]) -> Result:
        plan, took_s = self.finished.project.plan, self.finished.baseline.wall_ms / 1000
        shorter_s = min(plan.timeout_s, max(_SHORTEST_S, _PATIENCE * took_s))
        limit_s = math.ceil(shorter_s if changed else plan.timeout_s)
        async with self.slots:
            return await self.retries.result(
                lambda: self.warm.run(changed, tests, timeout_s=limit_s, first=bool(changed)), limit_s
            )


def _told(result: Result) -> Result:
    if result.verdict_class in _UNTOLD:
        raise _NothingTold("untested")
    return result


def _unpassed(result: Result, tests: frozenset[str]) -> frozenset[str]:
    """Those of the tests that did not pass."""
    return tests - (result.tests or frozenset())


LINES = 30
"""The most lines of a block, unless another number is asked for: an answer may have 256 tokens."""
EMPTY_EVERY = 5
"""In scenario 2 one block in so many is complete, and wants nothing."""
_INNER_TRIES = 4
"""So many parts of a block are tried for scenario 2."""
STAGES: Mapping[str, str] = {
    "found": "blocks of functions that tests enter",
    "long": "more lines than --max-lines",
    "unbuilt": "it does not parse with the block gone, which says nothing of the tests",
    "not-drawn": "not needed for the distribution",
    "dependent": "its tests do not pass without the others",
    "unnoticed": "its tests pass with the block gone too: none can tell an answer",
    "untested": "the machine failed, or its tests did not end in time: the next build tries again",
    "kept": "at least one of its tests fails with the block gone",
}
"""Where a block can end → what that means."""


@dataclass(frozen=True, slots=True)
class SampleChoice:
    """Which blocks are wanted."""

    number: int
    distribution: BlockDistribution
    seed: int = 0
    lines: int = LINES
    paths: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockCandidate:
    """A block that may become a sample."""

    name: str
    path: str
    file: BlockFile
    block: CodeBlock
    tests: tuple[str, ...]

    @property
    def group(self) -> BlockGroup:
        """The row of the distribution that it counts in."""
        return GROUPS[self.block.block_type]

    def without(self, start: int, end: int, emptied: str) -> str:
        """The text of the file without a part."""
        return self.file.text[:start] + emptied + self.file.text[end:]


@dataclass(slots=True)
class SampleDrawer:
    """Tries blocks until there are as many of each type as are wanted, or none is left. The samples depend on the seed, not on how many are tried at once."""

    repository: str
    tester: PartTester
    choice: SampleChoice
    stages: Counter[str] = field(default_factory=Counter)

    async def drawn(self, chains: RecordedChains, files: Mapping[str, str]) -> list[CodevSample]:
        """The samples of a repository, in the order of its files."""
        found = {one.name: one for one in self._candidates(chains, files)}
        by_group: dict[BlockGroup, list[BlockCandidate]] = defaultdict(list)
        for name in in_lots(found, self.choice.seed):
            by_group[found[name].group].append(found[name])
        wanted = self.choice.distribution.wanted(self.choice.number)
        kept = await asyncio.gather(*(self._enough(by_group[group], number) for group, number in wanted.items()))
        samples = [sample for some in kept for sample in some]
        with_inner = await asyncio.gather(*(self._with_inner(found[sample.name], sample) for sample in samples))
        order = {name: number for number, name in enumerate(found)}
        return sorted(self._emptied_by_lot(with_inner), key=lambda sample: order[sample.name])

    def _candidates(self, chains: RecordedChains, files: Mapping[str, str]) -> Iterator[BlockCandidate]:
        known: dict[str, BlockFile | None] = {}
        bodies = set[tuple[str, int, int]]()
        for path, block, tests in entered_blocks(chains, files):
            if not is_chosen(path, self.choice.paths, self.choice.excluded):
                continue
            if path not in known:
                known[path] = block_file(path, files)
            file, place = known[path], (path, block.start, block.end)
            if file is None or (block.block_type == "STATEMENT" and place in bodies):
                continue  # the one statement of a body is that body
            bodies.add(place)
            self.stages["found"] += 1
            if reason := self._refused(file, block):
                self.stages[reason] += 1
                continue
            yield BlockCandidate(self._name(path, file, block), path, file, block, tests)

    def _refused(self, file: BlockFile, block: CodeBlock) -> str:
        first, last = file.lines(block.start, block.end)
        return "long" if last - first >= self.choice.lines else "" if file.parses_without(block) else "unbuilt"

    def _name(self, path: str, file: BlockFile, block: CodeBlock) -> str:
        column = block.start - file.text.rfind("\n", 0, block.start)
        return f"{self.repository}/{path}#L{block.lines[0]}-L{block.lines[1]}/{block.block_type}/{column}"

    async def _enough(self, candidates: Sequence[BlockCandidate], wanted: int) -> list[CodevSample]:
        """The first so many candidates, in their order, that tests notice. No more are under way at once than may be kept."""
        kept, left = list[CodevSample](), list(candidates)
        while left and len(kept) < wanted:
            some, left = left[: wanted - len(kept)], left[wanted - len(kept) :]
            kept += [sample for sample in await asyncio.gather(*map(self._tried, some)) if sample is not None]
        self.stages["not-drawn"] += len(left)
        return kept

    async def _tried(self, candidate: BlockCandidate) -> CodevSample | None:
        block = candidate.block
        changed = candidate.without(block.start, block.end, block.emptied)
        tried = await self.tester.tried(candidate.name, candidate.path, changed, candidate.tests)
        self.stages["kept" if tried.ends == "noticed" else tried.ends] += 1
        return self._sample(candidate, tried.noticed_by) if tried.ends == "noticed" else None

    def _sample(self, candidate: BlockCandidate, noticed_by: tuple[str, ...]) -> CodevSample:
        block, text = candidate.block, candidate.file.text
        return CodevSample(
            name=candidate.name,
            repository=self.repository,
            language=candidate.file.language.id,
            path=candidate.path,
            block_type=block.block_type,
            lines=block.lines,
            start=offset_of(text, block.start),
            end=offset_of(text, block.end),
            emptied=block.emptied,
            function=block.function.name,
            function_lines=block.function.lines,
            function_end=offset_of(text, block.function.end),
            tests=candidate.tests,
            noticed_by=noticed_by,
        )

    async def _with_inner(self, candidate: BlockCandidate, sample: CodevSample) -> CodevSample:
        """The sample with a part of its block that tests notice too, if one of a few is."""
        text = candidate.file.text
        spans = {
            f"{candidate.name}/inner/{start}-{end}": (start, end, least) for start, end, least in self._spans(candidate)
        }
        for key in in_lots(spans, self.choice.seed)[:_INNER_TRIES]:
            start, end, least = spans[key]
            tried = await self.tester.tried(key, candidate.path, candidate.without(start, end, least), candidate.tests)
            if tried.ends == "noticed":
                part = InnerPart(
                    start=offset_of(text, start), end=offset_of(text, end), emptied=least, noticed_by=tried.noticed_by
                )
                return structs.replace(sample, inner=part)
        return sample

    def _spans(self, candidate: BlockCandidate) -> Iterator[tuple[int, int, str]]:
        block = candidate.block
        for start, end, least in inner_spans(candidate.file, block):
            smaller = block.start <= start < end <= block.end and (start, end) != (block.start, block.end)
            if smaller and candidate.file.parses_with(candidate.without(start, end, least)):
                yield start, end, least

    def _emptied_by_lot(self, samples: Sequence[CodevSample]) -> Iterator[CodevSample]:
        """The samples, one in five of which is complete in scenario 2: the cursor stands behind its block."""
        lots = in_lots((sample.name for sample in samples), self.choice.seed)
        complete = set(lots[::EMPTY_EVERY])
        for sample in samples:
            if sample.name in complete:
                yield structs.replace(sample, inner=InnerPart(start=sample.end, end=sample.end))
            else:
                yield sample


# The parts of a block that scenario 2 asks for: the rest of its body from a later statement, the value of
# an assignment or a `return`, the arguments of a call.

_VALUES = ("right", "value")
_NOTHING = {"python": "None"}


def inner_spans(file: BlockFile, block: CodeBlock) -> Iterator[tuple[int, int, str]]:
    """Start and end of each part of a block that may be asked for, with what stands there when it is gone."""
    for start, _ in block.statements[1:]:
        yield start, block.end, patch(file.language, file.text, start, block.end)
    yield from _of_statement(file, block)


def _of_statement(file: BlockFile, block: CodeBlock) -> Iterator[tuple[int, int, str]]:
    first, last = file.tree.byte(block.start), file.tree.byte(block.end)
    top = file.tree.root.descendant_for_byte_range(first, last)
    nodes = descendants(top) if top is not None else iter(())
    for node in nodes:
        if first <= node.start_byte and node.end_byte <= last:
            yield from _parts(file, node)


def _parts(file: BlockFile, node: tree_sitter.Node) -> Iterator[tuple[int, int, str]]:
    nothing = _NOTHING.get(file.language.id, "null")
    if node.type == "return_statement" and node.named_children:
        yield *file.tree.span(node.named_children[0]), nothing
    elif node.type in file.language.operators | {"variable_declarator"}:
        found = next((part for name in _VALUES if (part := node.child_by_field_name(name)) is not None), None)
        if found is not None and "assign" in node.type + "assign" * (node.type == "variable_declarator"):
            yield *file.tree.span(found), nothing
    elif node.type in file.language.calls:
        given = node.child_by_field_name("arguments")
        if given is not None and given.named_children:
            yield file.tree.span(given.named_children[0])[0], file.tree.span(given.named_children[-1])[1], ""
