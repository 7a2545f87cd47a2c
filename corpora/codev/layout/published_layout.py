"""Reads the published layout by path: published data where they lie, or what `writing` wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from corpora.codev.layout.published_rows import (
    LOCK,
    METADATA,
    PARTS,
    PROMPTS,
    REQUIREMENTS,
    SOURCES,
    UNIT_TESTS,
    PromptRow,
    UnitTestRow,
)
from corpora.codev.samples import CodevRepository
from corpora.codev.scenes import BlockScene, SceneKind
from corpora.errors import DataError
from corpora.evaluation_options import Scenario
from corpora.mined.checkout import Checkout, read_checkout
from replay.tapes.tape import Tests
from syntax.gaps import patch
from syntax.languages import language_of

_PREFIX, _SUFFIX = "<fim_prefix>", "<fim_suffix>"
_T = TypeVar("_T", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class LayoutTask:
    """A block as a row asks about it, with the evidence that its prompt shows before the file."""

    scene: BlockScene
    evidence: str


@dataclass(frozen=True, slots=True)
class PublishedLayout:
    """What a folder in the published layout holds."""

    repositories: tuple[CodevRepository, ...]
    checkouts: Mapping[str, Checkout]
    """Name of a repository → its files."""
    tasks: tuple[LayoutTask, ...]


def is_layout(folder: Path) -> bool:
    """Whether a folder has the published layout."""
    return all((folder / name).is_dir() for name in (PROMPTS, METADATA, SOURCES))


def read_layout(folder: Path) -> PublishedLayout:
    """Read a folder in the published layout.

    Raises:
        DataError: something is missing or malformed, or a row contradicts its repository: says which file and line.

    """
    if not is_layout(folder):
        raise DataError(
            folder, 0, f"is no data of Codev-Bench: it needs the folders {PROMPTS}, {METADATA} and {SOURCES}"
        )
    names = sorted(path.parent.name for path in (folder / METADATA).glob(f"*/{UNIT_TESTS}"))
    tests = {name: _unit_tests(folder / METADATA / name / UNIT_TESTS) for name in names}
    units = {did: node_id for some in tests.values() for did, node_id in some.items()}
    checkouts = {name: _checkout(folder / SOURCES / name) for name in names}
    reader = _RowReader(units, checkouts)
    tasks = tuple(task for mode in PARTS for task in reader.tasks(folder / PROMPTS / f"{mode}.jsonl", PARTS[mode]))
    found = (_repository(folder, name, checkouts[name], len(tests[name])) for name in names)
    return PublishedLayout(tuple(found), checkouts, tasks)


def _rows(file: Path, as_type: type[_T]) -> Iterator[tuple[int, _T]]:
    """The lines of a file, by their number from 1."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, msgspec.json.decode(line, type=as_type, strict=False)
            except msgspec.DecodeError as error:
                raise DataError(file, number, f"is no row of this file: {error}") from error


def _unit_tests(file: Path) -> dict[str, str]:
    """Name in the rows of prompts → name that pytest gives it."""
    return {row.did: row.node_id for _, row in _rows(file, UnitTestRow)}


def _checkout(folder: Path) -> Checkout:
    if not folder.is_dir():
        raise DataError(folder, 0, "the repository is missing")
    return read_checkout(folder, "", without=[folder / REQUIREMENTS])


def _repository(folder: Path, name: str, checkout: Checkout, passing: int) -> CodevRepository:
    tests = _tests(folder, name)
    return CodevRepository(
        name=name,
        folder=str(checkout.folder),
        tests=tests,
        passing=passing,
        files=checkout.digests(checkout.files),
    )


def _tests(folder: Path, name: str) -> Tests:
    """How a repository is tested: as the exporter noted it; of published data by pytest, with what `create_env.sh` installs."""
    lock, wanted = folder / METADATA / name / LOCK, folder / SOURCES / name / REQUIREMENTS
    if lock.is_file():
        try:
            return msgspec.json.decode(lock.read_bytes(), type=Tests)
        except msgspec.DecodeError as error:
            raise DataError(lock, 0, f"does not say how a repository is tested: {error}") from error
    lines = wanted.read_text("utf-8").splitlines() if wanted.is_file() else []
    named = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    requires = (*named, *(["pytest"] if not any(each.lower().startswith("pytest") for each in named) else []))
    return Tests(toolchain="python", command="python -m pytest", requires=requires)


@dataclass(frozen=True, slots=True)
class _RowReader:
    """Makes tasks of the rows of prompts."""

    units: Mapping[str, str]
    """Name of a unit test in the rows → name that pytest gives it."""
    checkouts: Mapping[str, Checkout]

    def tasks(self, file: Path, part: tuple[Scenario, SceneKind]) -> Iterator[LayoutTask]:
        """The tasks of one file; none if it is not there."""
        for number, row in _rows(file, PromptRow) if file.is_file() else ():
            try:
                yield LayoutTask(self._scene(row, *part), _evidence(row))
            except ValueError as error:
                raise DataError(file, number, str(error)) from error

    def _scene(self, row: PromptRow, scenario: Scenario, kind: SceneKind) -> BlockScene:
        """The scene of a row; refuses with ValueError a row that contradicts its repository."""
        repository, function_key = _place(row.func_name)
        block_key = _place(row.block_key)[1]
        path = block_key.rpartition("#")[0]
        hidden = self._hidden(row, repository, path)
        named = f"{scenario}/{kind}/{repository}/{block_key}/{row.block_type}/{len(row.prefix)}"
        return BlockScene(
            name=row.name or named,
            repository=repository,
            scenario=scenario,
            kind=kind,
            block_type=row.block_type,
            language=_language(path),
            path=path,
            block_key=block_key,
            function_key=function_key,
            tests=tuple(self.units[name] for name in row.unit_test_ids),
            prefix=row.prefix,
            middle=row.middle,
            hidden=hidden,
            suffix=row.suffix,
            emptied=_emptied(row, path),
        )

    def _hidden(self, row: PromptRow, repository: str, path: str) -> str:
        """What stands between the answer and what the model sees behind it."""
        if unknown := [name for name in row.unit_test_ids if name not in self.units]:
            raise ValueError(f"names a unit test that {METADATA} lacks: {unknown[0]}")
        checkout, whole = self.checkouts.get(repository), row.test_prefix + row.test_middle + row.test_suffix
        if checkout is None or checkout.files.get(path) != whole:
            raise ValueError(f"{SOURCES} has not the text of {repository}/{path} that the row says")
        hidden = row.test_suffix.removesuffix(row.suffix)
        if (row.test_prefix, row.test_middle) != (row.prefix, row.middle) or hidden + row.suffix != row.test_suffix:
            raise ValueError("what the model sees is no part of what is tested")
        return hidden


def _place(key: str) -> tuple[str, str]:
    """The repository, and the rest of a key. Example: `/x/Source_Code/app/a.py#L1-L2` gives `app` and `a.py#L1-L2`."""
    _, found, rest = key.partition(f"/{SOURCES}/")
    repository, _, inside = rest.partition("/")
    if not found or not inside.partition("#L")[2]:
        raise ValueError(f"{key!r} is no place in {SOURCES}")
    return repository, inside


def _language(path: str) -> str:
    language = language_of(path)
    return language.id if language is not None else "plaintext"


def _emptied(row: PromptRow, path: str) -> str:
    if row.emptied is not None or not row.middle:
        return row.emptied or ""
    language, start = language_of(path), len(row.test_prefix)
    whole = row.test_prefix + row.test_middle + row.test_suffix
    return patch(language, whole, start, start + len(row.middle)) if language is not None else ""


def _evidence(row: PromptRow) -> str:
    """What a prompt shows between its `<fim_prefix>` and the file."""
    shown = row.prompt.partition(_PREFIX)[2].partition(row.prefix + _SUFFIX)
    return shown[0] if shown[1] else ""
