"""What a model sees of a block in each scenario, and what it is asked for (the paper's section 4.1; its repository's README swaps the numbers 2 and 3).

1: the whole block. 2: a part inside of it; one in five wants nothing, as the block is complete. 3: the whole block, with the rest of the function gone, or the rest of the
file. 4: as 1, with functions of the repository that are like the one at the cursor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from corpora.codev.samples import BlockType, CodevSample
from corpora.evaluation_options import Scenario
from syntax.text import index_of

SceneKind: TypeAlias = Literal["full", "inner", "empty", "rest-of-function-gone", "rest-of-file-gone"]
WITH_RETRIEVAL: Scenario = 4
"""The scenario in which a model sees functions of elsewhere too."""
KINDS: Mapping[Scenario, tuple[SceneKind, ...]] = MappingProxyType(
    {1: ("full",), 2: ("inner", "empty"), 3: ("rest-of-function-gone", "rest-of-file-gone"), 4: ("full",)}
)
"""Scenario → the sub-cases that it consists of."""
_FIRST_LINE = re.compile(r"#L(\d+)-L\d+$")


@dataclass(frozen=True, slots=True)
class BlockScene:
    """A block as it is asked about: the file is `prefix + middle + hidden + suffix`, and the model sees only `prefix` and `suffix`."""

    name: str
    """Unique in the corpus."""
    repository: str
    scenario: Scenario
    kind: SceneKind
    block_type: BlockType
    language: str
    path: str
    block_key: str
    function_key: str
    tests: tuple[str, ...]
    """All of them must pass."""
    prefix: str
    middle: str
    hidden: str
    """What stands between the answer and `suffix` when the tests run; the model does not see it."""
    suffix: str
    emptied: str
    """What stands there in the place of the middle when it is gone."""

    @property
    def head(self) -> str:
        """The line on which the block begins, as its key says it; empty where that says none."""
        found = _FIRST_LINE.search(self.block_key)
        lines = self.text.split("\n")
        return lines[int(found[1]) - 1] if found is not None and int(found[1]) <= len(lines) else ""

    @property
    def text(self) -> str:
        """The finished file."""
        return self.prefix + self.middle + self.hidden + self.suffix


def scenes(sample: CodevSample, text: str, scenario: Scenario) -> Iterator[BlockScene]:
    """The scenes of a block in a scenario; `text` is the file of the repository. None in scenario 2 where nothing is asked of the block there, nor in 3 where nothing but blanks would be gone."""
    for kind in KINDS[scenario]:
        if (span := _span(sample, kind)) is not None:
            start, end, emptied = span
            first, last = index_of(text, start), index_of(text, end)
            shown = _shown(sample, text, kind, last)
            if scenario == 3 and not text[last:shown].strip():
                continue
            yield BlockScene(
                name=f"{scenario}/{kind}/{sample.name}",
                repository=sample.repository,
                scenario=scenario,
                kind=kind,
                block_type=sample.block_type,
                language=sample.language,
                path=sample.path,
                block_key=sample.block_key,
                function_key=sample.function_key,
                tests=sample.tests,
                prefix=text[:first],
                middle=text[first:last],
                hidden=text[last:shown],
                suffix=text[shown:],
                emptied=emptied,
            )


def _span(sample: CodevSample, kind: SceneKind) -> tuple[int, int, str] | None:
    """What is taken out, in UTF-16 code units, and what stands there when it is gone; None where the block has no such scene."""
    if kind not in {"inner", "empty"}:
        return sample.start, sample.end, sample.emptied
    inner = sample.inner
    if inner is None or (inner.start == inner.end) != (kind == "empty"):
        return None
    return inner.start, inner.end, inner.emptied


def _shown(sample: CodevSample, text: str, kind: SceneKind, end: int) -> int:
    """The index at which the model sees the file again."""
    if kind == "rest-of-file-gone":
        return len(text)
    return index_of(text, sample.function_end) if kind == "rest-of-function-gone" else end
