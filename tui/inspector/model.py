"""The inspector's data, without widgets: a run in memory, and a filter of its moments."""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from replay.errors import StoreError
from replay.records import Record
from replay.run.store import Store
from tui.errors import RunReadError
from tui.glossary import FAILED_VERDICTS, block_label, location

UNTESTED = "not tested"


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as it was on disk when it was read."""

    folder: Path
    records: tuple[Record, ...] = ()
    summary: Mapping[str, Any] = field(default_factory=dict)

    def ending_counts(self) -> Counter[str]:
        """Return the number of moments by ending."""
        return Counter(record.ending.name for record in self.records)

    def verdict_counts(self) -> Counter[str]:
        """Return the number of moments by verdict; a moment without a verdict counts as `UNTESTED`."""
        return Counter(verdict_name(record) for record in self.records)

    def tape_counts(self) -> Counter[str]:
        """Return the number of moments by tape."""
        return Counter(record.moment.tape for record in self.records)

    def select(self, wanted: MomentFilter) -> tuple[Record, ...]:
        """Return the moments that the filter lets through, in their order."""
        return tuple(record for record in self.records if wanted.matches(record))


@dataclass(frozen=True, slots=True)
class MomentFilter:
    """Which moments to show. An empty string means any value; upper and lower case of `text` are the same."""

    ending: str = ""
    verdict: str = ""
    tape: str = ""
    text: str = ""
    failures: bool = False

    def matches(self, record: Record) -> bool:
        """Whether the filter lets the record through."""
        return (
            self.ending in {"", record.ending.name}
            and self.verdict in {"", verdict_name(record)}
            and self.tape in {"", record.moment.tape}
            and (not self.failures or is_failure(record))
            and (not self.text or self.text.casefold() in _searched(record))
        )


def read_run(folder: Path) -> RunView:
    """Read a run; it may still be going on.

    Raises:
        RunReadError: the folder holds no run, or its database cannot be read.

    """
    try:
        with Store.open(folder) as store:
            records, stored = tuple(store.records()), store.fact("summary")
    except StoreError as error:
        raise RunReadError(str(error)) from error
    except (sqlite3.Error, zlib.error, msgspec.MsgspecError) as error:
        raise RunReadError(f"{folder / 'run.sqlite'} cannot be read: {error}") from error
    return RunView(folder, records, stored if _fits(stored, records) else _summed(records))


def verdict_name(record: Record) -> str:
    """Return the name of the verdict, or `UNTESTED`."""
    return record.verdict.name if record.verdict else UNTESTED


def is_failure(record: Record) -> bool:
    """Whether the provider failed, or the verdict counts against the suggestion."""
    return record.ending.name == "failed" or verdict_name(record) in FAILED_VERDICTS


def _summed(records: tuple[Record, ...]) -> Mapping[str, Any]:
    """Sum up a run without a stored summary: one that has not ended."""
    from replay.numbers.metrics import summary  # the statistics take half a second that a finished run does not need

    return summary(records, {})


def _fits(summary: Any, records: tuple[Record, ...]) -> bool:
    """Whether a stored summary is of these records. A run that has been continued since has more records."""
    return isinstance(summary, Mapping) and summary.get("moments", len(records)) == len(records)


def _searched(record: Record) -> str:
    suggestion, verdict = record.suggestion, record.verdict
    parts = [location(record), record.moment.tape, block_label(record), str(record.ending), record.moment.truth]
    parts += [suggestion.text, suggestion.raw] if suggestion else []
    parts += [verdict.name, verdict.reason, verdict.message] if verdict else []
    return "\n".join(parts).casefold()
