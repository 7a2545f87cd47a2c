"""A run as a report takes it: its figures, its records, and how far it is."""

from __future__ import annotations

import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, cast

import msgspec

from replay.errors import StoreError
from replay.numbers.figures import summary
from replay.options import ClusterBy
from replay.records import ArmTrial, Record
from replay.run.store import Store
from tui.errors import RunReadError


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """One run. `summary` is the document that the run ended with; of a run that has not ended, what its records tell so far."""

    name: str
    folder: Path
    config: Mapping[str, Any]
    summary: Mapping[str, Any]
    records: Sequence[Record]
    by: ClusterBy
    state: str = ""
    """How far the run is: empty if it has ended, else `still running`, or `stopped before its end`."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Where each tape was when the run was made."""
    trials: Mapping[str, Sequence[ArmTrial]] = field(default_factory=dict)
    """In an ablation: moment's id → what came of its answer in each arm."""

    @property
    def first_answers(self) -> list[Record]:
        """The records of the first answer at each moment: a person sees one."""
        return [record for record in self.records if not record.moment.sample]

    @property
    def is_corpus(self) -> bool:
        """Whether its moments are tasks of a benchmark: they have no session and no time."""
        return "corpus" in self.config

    @property
    def is_driven(self) -> bool:
        """Whether it was played in drive mode: accepted text stays."""
        return self.config.get("mode") == "drive"


def read_runs(folders: Sequence[Path]) -> list[ReportedRun]:
    """Read runs; they may still be going on. Each is called by the end of its path that no other one has.

    Raises:
        RunReadError: a folder holds no run, or its database cannot be read.

    """
    return [_read(folder, name) for folder, name in zip(folders, _names(folders), strict=True)]


def _names(folders: Sequence[Path]) -> list[str]:
    parts = [PurePath(folder.absolute()).parts for folder in folders]
    longest = max(map(len, parts), default=1)
    for length in range(1, longest + 1):
        names = [str(PurePath(*own[-length:])) for own in parts]
        if len(set(names)) == len(names):
            break
    return names


def _read(folder: Path, name: str) -> ReportedRun:
    try:
        with Store.open(folder) as store:
            return _of(store, folder, name)
    except StoreError as error:
        raise RunReadError(str(error)) from error
    except (sqlite3.Error, zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RunReadError(f"{folder / 'run.sqlite'} cannot be read: {error}") from error


def _of(store: Store, folder: Path, name: str) -> ReportedRun:
    records, kept = list(store.records()), store.fact("summary")
    is_whole = isinstance(kept, Mapping) and kept.get("moments", len(records)) == len(records)
    found = kept if is_whole else summary(records, _no_keys(records), by=store.cluster_by)
    state = "" if is_whole else "still running" if store.is_written else "stopped before its end"
    origins = cast("Mapping[str, str]", store.fact("origins") or {})
    trials: dict[str, list[ArmTrial]] = defaultdict(list)
    for trial in store.trials():
        trials[trial.moment].append(trial)
    return ReportedRun(name, folder, store.config, found, records, store.cluster_by, state, origins, trials)


def _no_keys(records: Sequence[Record]) -> dict[str, int]:
    """Tape → 0: how many keys were typed is told when a tape has ended."""
    return dict.fromkeys(sorted({record.moment.tape for record in records}), 0)
