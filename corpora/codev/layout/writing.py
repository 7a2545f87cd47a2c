"""Writes samples in the published layout: prompts by scenario, unit tests, the table of blocks, and the repositories twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from corpora.codev.layout.block_table import block_table, table_head
from corpora.codev.layout.commands import PYTHON, unit_test_command
from corpora.codev.layout.rows import (
    BLOCK_TABLE,
    COPIES,
    LOCK,
    METADATA,
    PARTS,
    PROMPTS,
    REQUIREMENTS,
    ROOT,
    SOURCES,
    UNIT_TESTS,
    PromptRow,
    UnitTestRow,
)
from corpora.codev.retrieval.evidence import FunctionIndex
from corpora.codev.samples import CodevRepository, CodevSample
from corpora.codev.scenes import WITH_RETRIEVAL, BlockScene, SceneKind, scenes
from corpora.errors import DataError
from corpora.mined.checkout import Checkout
from corpora.options import Scenario
from runners.files import write_all
from runners.other_files import make_executable, write_others


@dataclass(frozen=True, slots=True)
class LayoutPart:
    """A repository with its samples, its files, and how its functions are compared for scenario 4."""

    repository: CodevRepository
    checkout: Checkout
    samples: Sequence[CodevSample]
    index: FunctionIndex


async def write_layout(
    folder: Path, parts: Sequence[LayoutPart], root: str = ROOT, python: str = PYTHON
) -> dict[str, int]:
    """Write samples to a folder; return how many rows of each file of prompts there are.

    Args:
        folder: is made; what lies there already must not be of another corpus.
        parts: the repositories.
        root: where the folder will lie when scripts read it, with a slash at the end. The published scripts put their own main folder in the place of `ROOT`.
        python: the interpreter of the unit tests, seen from a repository.

    Raises:
        DataError: a repository is not tested by pytest, or the folder has other files.

    """
    _refuse_full(folder)
    counted = dict.fromkeys(PARTS, 0)
    for part in parts:
        tests = _unit_tests(part, root, python)
        _write_repository(folder, part)
        _write_lines(folder / METADATA / part.repository.name / UNIT_TESTS, tests)
        (folder / METADATA / part.repository.name / LOCK).write_bytes(msgspec.json.encode(part.repository.tests))
        for mode, (scenario, kind) in PARTS.items():
            rows = [await _prompt(part, scene, root) for scene in _scenes(part, scenario, kind)]
            _write_lines(folder / PROMPTS / f"{mode}.jsonl", rows)
            counted[mode] += len(rows)
    table = [row for part in parts for row in block_table(part.repository.name, part.checkout.files, part.samples)]
    (folder / BLOCK_TABLE).write_text("".join([table_head(), *table]), "utf-8", "surrogatepass", newline="")
    return counted


def _refuse_full(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()):
        raise DataError(folder, 0, "is not empty: name a new folder")


def _scenes(part: LayoutPart, scenario: Scenario, kind: SceneKind) -> Iterator[BlockScene]:
    for sample in part.samples:
        for scene in scenes(sample, part.checkout.files[sample.path], scenario):
            if scene.kind == kind:
                yield scene


def _unit_tests(part: LayoutPart, root: str, python: str) -> list[UnitTestRow]:
    named, tests = part.repository.name, part.repository.tests
    place, paths = f"{root}{SOURCES}/{named}", tuple(part.checkout.contents)
    rows = list[UnitTestRow]()
    for test in sorted({test for sample in part.samples for test in sample.tests}):
        path, _, inside = test.partition("::")
        command = unit_test_command(tests, test, place, paths, python)
        rows.append(UnitTestRow(did=_test_name(named, test), run_command=command, relative_path=path, func_path=inside))
    return rows


def _test_name(repository: str, test: str) -> str:
    return f"{repository}/{test}"


def _write_repository(folder: Path, part: LayoutPart) -> None:
    """Write the files of a repository, once to be changed and once to be restored from."""
    for place in (SOURCES, COPIES):
        inside = folder / place / part.repository.name
        inside.mkdir(parents=True)
        write_all(inside, part.checkout.files)
        write_others(inside, part.checkout.others)
        make_executable(inside, part.checkout.others.executable)
        write_all(inside, {REQUIREMENTS: "".join(f"{each}\n" for each in part.repository.tests.requires)})


def _write_lines(file: Path, rows: Sequence[msgspec.Struct]) -> None:
    """Add rows to a file of JSON lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as opened:
        opened.write(msgspec.json.Encoder().encode_lines(rows))


async def _prompt(part: LayoutPart, scene: BlockScene, root: str) -> PromptRow:
    place = f"{root}{SOURCES}/{scene.repository}/"
    tests = [_test_name(scene.repository, test) for test in scene.tests]
    before = await _evidence(part.index, scene) if scene.scenario == WITH_RETRIEVAL else ""
    return PromptRow(
        func_name=place + scene.function_key,
        item_dids=tests,
        unit_test_ids=tests,
        block_key=place + scene.block_key,
        block_type=scene.block_type,
        prompt=f"<filename>{scene.path}<fim_prefix>{before}{scene.prefix}<fim_suffix>{scene.suffix}<fim_middle>{scene.middle}",
        prefix=scene.prefix,
        suffix=scene.suffix,
        middle=scene.middle,
        test_prefix=scene.prefix,
        test_suffix=scene.hidden + scene.suffix,
        test_middle=scene.middle,
        name=scene.name,
        emptied=scene.emptied,
    )


async def _evidence(index: FunctionIndex, scene: BlockScene) -> str:
    """The nearest functions as comments before the file: the scripts take away what stands before `<fim_prefix>` for most models."""
    start = len(scene.prefix)
    mark = "# " if scene.language == "python" else "// "
    found = await index.evidence(scene.path, start, start + len(scene.middle))
    lines = [line for each in found for line in (each.path, *each.text.splitlines())]
    return "".join(f"{mark}{line}".rstrip() + "\n" for line in lines)
