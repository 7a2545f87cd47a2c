"""The stage `samples`: blocks of functions that tests enter, drawn to a distribution of types, of those that a test notices when they are gone."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import structs

from corpora.agent.blocks import BlockFile, CodeBlock
from corpora.agent.chains import RecordedChains, block_file, entered_blocks
from corpora.agent.distribution import BlockDistribution, in_lots
from corpora.agent.inner import inner_spans
from corpora.agent.noticing import PartTester
from corpora.codev.samples import GROUPS, BlockGroup, CodevSample, InnerPart
from replay.tapes.chosen_paths import is_chosen
from syntax.text import offset_of

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
