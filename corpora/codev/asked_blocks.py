"""The blocks that a scenario asks about, from a file of our own or from a folder in the published layout, with the repositories that they stand in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from corpora.codev.checkouts import checkout_of
from corpora.codev.layout import read_layout
from corpora.codev.samples import CodevRepository, CodevSample, read_samples
from corpora.codev.scenes import BlockScene, scenes
from corpora.errors import DataError
from corpora.mined.checkout import Checkout
from corpora.options import Scenario
from syntax.text import length


@dataclass(frozen=True, slots=True)
class AskedBlocks:
    """What a scenario asks about. `checkouts` are the files of each repository, by its name."""

    name: str
    repositories: Sequence[CodevRepository]
    checkouts: Mapping[str, Checkout]
    scenes: Sequence[BlockScene]
    evidence: Mapping[str, str] = field(default_factory=dict)
    """Name of a scene → what its published prompt shows of other places; of our own files that is found anew."""


def blocks_of(data: Path, scenario: Scenario, folder: Path | None = None) -> AskedBlocks:
    """Read the blocks of a file of `corpora build codev`, or of a folder in the published layout. `folder` is where the one repository of a file is now.

    Raises:
        DataError: the data or a repository is not usable, or has changed since.
        ProjectError: a repository lacks an object of its commit.

    """
    return _of_file(data, scenario, folder) if data.is_file() else _of_layout(data, scenario)


def _of_file(file: Path, scenario: Scenario, folder: Path | None) -> AskedBlocks:
    head, samples = read_samples(file)
    if folder is not None and len(head.repositories) > 1:
        raise DataError(file, 0, "has several repositories, and --project names the place of one")
    checkouts = {entry.name: checkout_of(file, entry, folder) for entry in head.repositories}
    found = (
        scene
        for number, sample in enumerate(samples, 2)
        for scene in _scenes(file, number, sample, checkouts[sample.repository], scenario)
    )
    return AskedBlocks(head.name, head.repositories, checkouts, tuple(found))


def _scenes(
    file: Path, number: int, sample: CodevSample, checkout: Checkout, scenario: Scenario
) -> Iterator[BlockScene]:
    text = checkout.files.get(sample.path)
    if text is None:
        raise DataError(file, number, f"there is no file {sample.path} in {sample.repository}")
    if not sample.start < sample.end <= length(text):
        raise DataError(file, number, f"the block lies outside of {sample.path}")
    return scenes(sample, text, scenario)


def _of_layout(folder: Path, scenario: Scenario) -> AskedBlocks:
    """The tasks of a folder. Where two have one name, as published rows have none, the later ones get a number."""
    layout, seen = read_layout(folder), Counter[str]()
    found, evidence = list[BlockScene](), dict[str, str]()
    for task in layout.tasks:
        if task.scene.scenario == scenario:
            seen[task.scene.name] += 1
            again = seen[task.scene.name]
            name = f"{task.scene.name}/{again}" if again > 1 else task.scene.name
            found.append(replace(task.scene, name=name))
            evidence[name] = _uncommented(task.evidence)
    return AskedBlocks("codev", layout.repositories, layout.checkouts, tuple(found), evidence)


def _uncommented(text: str) -> str:
    """A piece that stands in a prompt as comments, without their marks."""
    lines = text.splitlines()
    mark = next((mark for mark in ("#", "//") if lines and all(line.startswith(mark) for line in lines)), "")
    return "\n".join(line.removeprefix(mark).removeprefix(" ") for line in lines)
