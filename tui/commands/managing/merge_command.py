"""The command `runs merge`: parts of a run, made on several machines, become one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from corpora.evaluation_options import EvaluateOptions, drawn
from corpora.run.scores import NO_ERRORS
from corpora.run.scores import summary as scores_of
from corpora.run.source import CorpusSource
from replay.options import ClusterBy, ReplayOptions
from replay.run.catalogue.changing import check_name
from replay.run.catalogue.run_lookup import find_run
from replay.run.catalogue.run_merge import MergedRun, ablation_of_merged, merge_runs, options_in
from replay.run.findings import Findings
from replay.run.folders import RUNS
from replay.run.store import Store
from replay.run.summary import summarise_replay
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import number_of
from tui.terminal_text import message

_NAMED = 20
"""How many moments with different verdicts are named."""


def merged(out: str, named: Sequence[str], *, same_model: bool = False) -> MergedRun:
    """Put the parts of a run together; a name without a folder is one in `.ghosttape/runs`.

    Raises:
        ConfigurationError: there is one part only, one is named twice, or the data of a corpus is not on this machine.
        StoreError: as `merge_runs`; or the name cannot be one of a run.

    """
    folder = Path(out) if os.sep in out else RUNS / out
    if os.sep not in out:
        check_name(out)
    parts = [find_run(name) for name in named]
    if len({part.absolute() for part in parts}) < max(2, len(parts)):
        raise ConfigurationError("merge takes two parts or more, and each once")
    by, origins = _kept(parts)

    def summarise(config: Mapping[str, Any], found: Findings, summaries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        if "corpus" in config:
            return _scores(config, found, summaries, by, origins)
        options = msgspec.convert(options_in(config) | {"cluster_by": by}, ReplayOptions)
        return summarise_replay(options, found) | ablation_of_merged(options, found)

    return merge_runs(folder, parts, summarise, same_model=same_model)


def _kept(parts: Sequence[Path]) -> tuple[ClusterBy, list[Path]]:
    """The clusters of the first part, and where the sources of all parts were."""
    origins: list[Path] = []
    for part in reversed(parts):
        with Store.open(part) as store:
            by = store.cluster_by
            origins += map(Path, (store.fact("origins") or {}).values())
    return by, origins


def _scores(
    config: Mapping[str, Any],
    found: Findings,
    summaries: Sequence[Mapping[str, Any]],
    by: ClusterBy,
    origins: Sequence[Path],
) -> dict[str, Any]:
    """The summary of an evaluation: its tasks come from the data of the corpus, and those that could not run in any part stay apart."""
    data = next((origin for origin in origins if origin.exists()), None)
    if data is None:
        raise ConfigurationError(f"the data of {config['corpus']} is not on this machine: {origins[0]} is not there")
    options = msgspec.convert(options_in(config) | {"cluster_by": by, "data": str(data)}, EvaluateOptions)
    source = CorpusSource.of(options)
    options = source.options
    chosen = source.corpus.tasks(
        options.languages, options.categories, packages=options.packages, programs=options.program_form
    )
    known = {record.moment.path for record in found.records}
    unanswered = {name for one in summaries for name in one["unanswered"]}
    tasks = [
        task for task in drawn(chosen, options.limit, options.seed) if task.path in known or task.name in unanswered
    ]
    errors = source.corpus.errors(options.published, tasks) if options.published else NO_ERRORS
    apart = [cell for at, one in enumerate(summaries) for cell in one["apart"] if not _is_in(summaries[:at], cell)]
    return scores_of(options, tasks, found.records, errors) | {"apart": apart} | ablation_of_merged(options, found)


def _is_in(summaries: Sequence[Mapping[str, Any]], cell: Mapping[str, Any]) -> bool:
    return any(cell in one["apart"] for one in summaries)


def tell(found: MergedRun) -> None:
    """Say on standard error what was merged, what counted once, and on which moments the parts disagree."""
    console = SafeConsole(stderr=True)
    console.print(f"{found.folder} has {number_of(found.moments, 'moment')}", soft_wrap=True)
    if found.doubled:
        said = f"{number_of(found.doubled, 'record')} of moments that an earlier part has too: each counts once"
        console.print(said, style="yellow", soft_wrap=True)
    for one in islice(found.disagreements, _NAMED):
        pairs = zip(one.verdicts, one.parts, strict=True)
        words = ", ".join(f"{verdict} in {part}" for verdict, part in pairs)
        console.print(message(f"{one.place}: {words}; the first counts"), style="yellow", soft_wrap=True)
    if len(found.disagreements) > _NAMED:
        console.print(f"and {len(found.disagreements) - _NAMED:,} more moments (--json names them)", style="yellow")


def as_document(found: MergedRun) -> dict[str, Any]:
    """Return what was merged as one JSON document: `run`, `moments`, `doubled`, `disagreements`."""
    return {
        "run": str(found.folder),
        "moments": found.moments,
        "doubled": found.doubled,
        "disagreements": [msgspec.to_builtins(one) for one in found.disagreements],
    }
