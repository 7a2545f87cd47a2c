"""The cells of an experiment: each a run of its own, under its own key, over the same tapes or tasks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from corpora.evaluation_options import EvaluateOptions
from corpora.experiments.matrix import Combination
from corpora.run.source import CorpusSource
from replay.errors import StoreError
from replay.options import ReplayOptions, RunOptions
from replay.run.engine import Summarise
from replay.run.sharing import CELL
from replay.run.sources.seam import Source
from replay.run.sources.tape_source import TapeSource, check_paths
from replay.run.store import Store
from replay.run.summary import summarise_replay
from replay.tapes.tape import Tape


@dataclass(frozen=True)
class Cell:
    """One run of an experiment. `choice` is what it has along the axes."""

    name: str
    choice: Combination
    options: RunOptions
    sources: Sequence[Source]
    summarise: Summarise

    @cached_property
    def key(self) -> str:
        """A hash (32 hex digits) of its options and of all that is played: cells of one key are the same run."""
        digests = {source.name: source.digest for source in self.sources}
        kept = [type(self.options).__name__, self.options.kept(), digests]
        return hashlib.sha256(msgspec.json.encode(kept, order="deterministic")).hexdigest()[:32]

    def folder_in(self, experiment: Path) -> Path:
        """Its folder: the one that has its key, whatever the cell was called when it was begun and the run is called now, else a new one that has its name and its key.

        So an experiment whose file has changed does not go on with a run of other settings, and goes on with those of the same.
        """
        own, suffix = experiment / f"{self.name}-{self.key[:8]}", f"-{self.key[:8]}"
        begun = sorted(path.parent for path in experiment.glob("*/run.sqlite"))
        found = [folder for folder in begun if counted_as(folder).endswith(suffix)]
        return found[0] if found and own not in found else own

    def check(self) -> None:
        """Refuse what can be seen to be wrong before anything is made.

        Raises:
            CorpusError, ReplayError: says what.

        """
        for source in self.sources:
            source.check()


def tape_cell(name: str, choice: Combination, options: ReplayOptions, tapes: Sequence[Tape]) -> Cell:
    """A cell that replays tapes, one after the other.

    Raises:
        ReplayError: the options name a path that no tape has.

    """
    check_paths(tapes, options.paths)
    return Cell(name, choice, options, [TapeSource(tape, options) for tape in tapes], summarise_replay)


def corpus_cell(name: str, choice: Combination, options: EvaluateOptions) -> Cell:
    """A cell that evaluates a corpus.

    Raises:
        CorpusError: the options name something that the corpus does not have.

    """
    source = CorpusSource.of(options)
    return Cell(name, choice, source.options, [source], source.summarise)


def counted_as(folder: Path) -> str:
    """What a cell is called in the counts of its experiment: as it was when it was begun. Its run may have been renamed since."""
    if not (folder / "run.sqlite").is_file():
        return folder.name
    try:
        with Store.open(folder) as store:
            return str(store.fact(CELL) or folder.name)
    except StoreError:  # the run cannot be read, and says so where it goes on
        return folder.name


def finished(folder: Path) -> dict[str, Any] | None:
    """The summary of a cell's run in which nothing is left to do; None if there is none.

    Where a request or the infrastructure failed, the run goes on: that is asked and tested again.
    """
    if not (folder / "run.sqlite").is_file():
        return None
    with Store.open(folder) as store:
        summary: dict[str, Any] | None = store.fact("summary")
    if summary is None or summary["endings"].get("failed") or summary["verdicts"].get("infrastructure"):
        return None
    lost = summary.get("ablation", {}).get("infrastructure", 0) or summary["left_out"]
    return None if lost else summary
