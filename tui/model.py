"""What the inspector shows, without a widget: a run in memory, and which of its moments are wanted."""

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
from replay.store import Store
from tui.errors import RunReadError
from tui.summary import count
from tui.words import FAILURES, block, place

UNTESTED = "not tested"


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as it stood on disk when it was read."""

    folder: Path
    records: tuple[Record, ...] = ()
    summary: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tapes(self) -> tuple[str, ...]:
        """The tapes that the moments come from, sorted."""
        return tuple(sorted({record.moment.tape for record in self.records}))

    def endings(self) -> Counter[str]:
        """Count the moments by ending."""
        return Counter(record.ending.name for record in self.records)

    def verdicts(self) -> Counter[str]:
        """Count the moments by verdict; those without are under `UNTESTED`."""
        return Counter(verdict_of(record) for record in self.records)

    def by_tape(self) -> Counter[str]:
        """Count the moments by tape."""
        return Counter(record.moment.tape for record in self.records)

    def select(self, wanted: Filter) -> tuple[Record, ...]:
        """Return the moments that the filter lets through, in their order."""
        return tuple(record for record in self.records if wanted.matches(record))


@dataclass(frozen=True, slots=True)
class Filter:
    """Which moments are wanted; an empty string means any. `text` is looked for without regard to case."""

    ending: str = ""
    verdict: str = ""
    tape: str = ""
    text: str = ""
    failures: bool = False

    def matches(self, record: Record) -> bool:
        """Whether the record is wanted."""
        return (
            self.ending in {"", record.ending.name}
            and self.verdict in {"", verdict_of(record)}
            and self.tape in {"", record.moment.tape}
            and (not self.failures or is_failure(record))
            and (not self.text or self.text.casefold() in _searched(record))
        )


def load(folder: Path) -> RunView:
    """Read a run, finished or still being written.

    Raises:
        RunReadError: the folder holds no run, or its database cannot be read.

    """
    try:
        with Store.open(folder) as store:
            records, kept = tuple(store.records()), store.fact("summary")
    except StoreError as error:
        raise RunReadError(str(error)) from error
    except (sqlite3.Error, zlib.error, msgspec.MsgspecError) as error:
        raise RunReadError(f"{folder / 'run.sqlite'} cannot be read: {error}") from error
    return RunView(folder, records, kept if _fits(kept, records) else count(records))


def verdict_of(record: Record) -> str:
    """Return the name of the verdict, or `UNTESTED`."""
    return record.verdict.name if record.verdict else UNTESTED


def is_failure(record: Record) -> bool:
    """Whether the provider failed, or the graft did not pass for a reason that counts against the suggestion."""
    return record.ending.name == "failed" or verdict_of(record) in FAILURES


def _fits(summary: Any, records: tuple[Record, ...]) -> bool:
    """Whether a kept summary is of these records; a run that was continued since has more of them."""
    return isinstance(summary, Mapping) and summary.get("moments", len(records)) == len(records)


def _searched(record: Record) -> str:
    suggestion, verdict = record.suggestion, record.verdict
    parts = [place(record), record.moment.tape, block(record), str(record.ending), record.moment.truth]
    parts += [suggestion.text, suggestion.raw] if suggestion else []
    parts += [verdict.name, verdict.reason, verdict.message] if verdict else []
    return "\n".join(parts).casefold()
