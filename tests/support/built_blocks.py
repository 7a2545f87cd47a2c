"""A made-up repository from which blocks were built."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from corpora.agent.block_sampling import BlockDistribution, SampleChoice
from corpora.agent.stages import BuiltRepository, RepositoryBuilder
from corpora.mined.checkout import read_checkout
from replay.tapes.tape import Tests as ProjectTests
from runners.sandboxes import pick
from tests.support.block_repository import CODE

TESTS = """\
from m import entered, unchecked


def test_entered():
    assert entered(2) == 4


def test_unchecked():
    unchecked(1)
"""
COMMAND = "python -m pytest -q -p no:cacheprovider"


@pytest.fixture(scope="session")
def built(
    once: Callable[[str, Callable[[], BuiltRepository]], BuiltRepository], run_folder: Path, cache: Path
) -> BuiltRepository:
    """All blocks of a small repository that its tests notice: built once for all workers."""

    def make() -> BuiltRepository:
        folder, work = run_folder / "repository", run_folder / "work"
        folder.mkdir()
        work.mkdir()
        (folder / "m.py").write_text(CODE)
        (folder / "test_m.py").write_text(TESTS)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(work)
            said = ProjectTests(toolchain="python", command=COMMAND, requires=("pytest",))
            builder = RepositoryBuilder(
                "app", read_checkout(folder, ""), pick("auto"), cache, lambda _: None, said=said
            )
            every = BlockDistribution({"METHOD": 1, "IF": 1, "STATEMENT": 1})
            return asyncio.run(builder.build("samples", SampleChoice(60, every)))

    return once("built", make)
