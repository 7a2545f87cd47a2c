"""The inspector's data, without widgets: a run on disk that is read page by page, and the moments that are chosen of it."""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from replay.errors import StoreError
from replay.records import Record
from replay.run.listing.moment_rows import Row
from replay.run.listing.moment_selection import MomentSelection
from replay.run.store import Store
from tui.errors import RunReadError

_PAGE = 128
"""The rows that are read at once."""
_FEW = 10_000
"""Moments that are summed up at once; of more a page is drawn before."""
_PAGES = 24
"""The pages that are kept."""


class RunView:
    """A run, its moments in the order of a selection, and the pages of them that were looked at."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder, self.store = folder, store
        self.selection = MomentSelection()
        self.order: array[int] = array("q")
        self.total = 0
        self.widths: Mapping[str, int] = {}
        self.is_whole = False
        """Whether the run has ended: its summary is kept, and of as many moments as there are."""
        self._summary: Mapping[str, Any] | None = None
        self._pages: dict[int, list[Row]] = {}
        self._seen = -1

    @classmethod
    def open(cls, folder: Path) -> RunView:
        """Open a run; it may still be going on.

        Raises:
            RunReadError: the folder holds no run, or its database cannot be read.

        """
        try:
            view = cls(folder, Store.open(folder))
            view.store.listing.complete()
            view.read()
        except StoreError as error:
            raise RunReadError(str(error)) from error
        except (sqlite3.Error, zlib.error, msgspec.MsgspecError) as error:
            raise RunReadError(f"{folder / 'run.sqlite'} cannot be read: {error}") from error
        return view

    def close(self) -> None:
        """Close the database."""
        self.store.close()

    @property
    def config(self) -> Mapping[str, Any]:
        """The configuration of the run; empty if it cannot be read."""
        try:
            return self.store.config
        except StoreError:
            return {}

    @property
    def state(self) -> str:
        """How far the run is: empty if it has ended, else `still running`, or `stopped before its end`."""
        if self.is_whole:
            return ""
        return "still running" if self.store.is_written else "stopped before its end"

    @property
    def is_summed(self) -> bool:
        """Whether the figures are there: those of a large run that has not ended take a while."""
        return self._summary is not None

    @property
    def summary(self) -> Mapping[str, Any]:
        """The figures of the run, summed up when they are first asked for.

        Raises:
            RunReadError: the database cannot be read any more.

        """
        if self._summary is None:
            try:
                self._summary = self._counted()
            except sqlite3.Error as error:
                raise RunReadError(f"{self.folder / 'run.sqlite'} cannot be read: {error}") from error
        return self._summary

    def has_grown(self) -> bool:
        """Whether another process has written to the run since it was read."""
        return self.store.listing.change_count() != self._seen

    def read(self) -> None:
        """Read the run again, under the same selection."""
        listing = self.store.listing
        self._seen = listing.change_count()
        self.total = len(listing.order(MomentSelection())) if self.selection.narrows else -1
        self.select(self.selection)
        self.total = len(self.order) if self.total < 0 else self.total
        self.widths = listing.widths()
        kept = self.store.fact("summary")
        self.is_whole = isinstance(kept, Mapping) and kept.get("moments", self.total) == self.total
        self._summary = kept if self.is_whole else None
        if self.total <= _FEW:
            self._summary = self.summary

    def select(self, selection: MomentSelection) -> None:
        """Choose which moments there are, and their order."""
        self.selection = selection
        self.order = self.store.listing.order(selection)
        self._pages.clear()

    def row(self, index: int) -> Row | None:
        """Return the row at a place of the order; None if its record is gone."""
        page = index // _PAGE
        if page not in self._pages:
            while len(self._pages) >= _PAGES:
                del self._pages[next(iter(self._pages))]
            self._pages[page] = self.store.listing.rows(self.order[page * _PAGE : (page + 1) * _PAGE])
        rows = self._pages[page]
        return rows[index % _PAGE] if index % _PAGE < len(rows) else None

    def record(self, index: int) -> Record | None:
        """Return the record at a place of the order; None if it is gone.

        Raises:
            RunReadError: it cannot be read.

        """
        try:
            return self.store.record(self.order[index]) if index < len(self.order) else None
        except StoreError as error:
            raise RunReadError(str(error)) from error

    def place_of(self, number: int) -> int | None:
        """Return where a record stands in the order, by its number; None if it is not there."""
        try:
            return self.order.index(number)
        except ValueError:
            return None

    def place_of_moment(self, moment: str) -> int:
        """Return where a moment stands in the order, by its id; 0 if it is not there."""
        number = self.store.number_of(moment)
        return (self.place_of(number) if number is not None else None) or 0

    def next_match(self, text: str, start: int, step: int) -> tuple[int | None, int]:
        """Return the next place from `start` on in which a text stands (None: nowhere), and how many there are.

        `step` is 1 or -1; after the last place comes the first.
        """
        found = self.store.listing.matches(text)
        size = len(self.order)
        matching = [index for index, number in enumerate(self.order) if number in found] if found else []
        if not matching:
            return None, 0
        return min(matching, key=lambda index: (step * (index - start)) % size), len(matching)

    def next_failure(self, start: int) -> int | None:
        """Return the next place from `start` on with a failure or an untestable moment; after the last place comes the first."""
        listing = self.store.listing
        failures = {*listing.order(MomentSelection(failures=True))}
        untestable = {*listing.order(MomentSelection(facets={"verdict": ("untestable",)}))}
        for wanted in (failures, untestable):
            there = [index for index, number in enumerate(self.order) if number in wanted]
            if there:
                return min(there, key=lambda index: (index - start) % len(self.order))
        return None

    def mark(self, index: int, *, mark: bool | None = None, note: str | None = None) -> None:
        """Mark a moment, or note something about it.

        Raises:
            RunReadError: the run cannot be written: it is locked, or read-only.

        """
        try:
            self.store.listing.mark(self.order[index], mark=mark, note=note)
        except sqlite3.Error as error:
            raise RunReadError(f"the mark or the note is not kept: {error}") from error
        self._pages.pop(index // _PAGE, None)

    def _counted(self) -> Mapping[str, Any]:
        """Sum up a run without a stored summary: one that has not ended."""
        listing = self.store.listing
        endings, verdicts = listing.values("ending"), listing.values("verdict")
        testable = listing.values("testable")
        without_verdict = {"not tested", "untestable"}
        return {
            "moments": self.total,
            "cluster_by": self.store.cluster_by,
            "endings": endings,
            "verdicts": {name: number for name, number in verdicts.items() if name not in without_verdict},
            "untestable": {
                name.removeprefix("untestable(")[:-1]: number
                for name, number in testable.items()
                if name.startswith("untestable(")
            },
            "metrics": {"pass_at_1": self._passed()} if set(verdicts) - {"not tested"} else {},
        }

    def _passed(self) -> Mapping[str, Any]:
        from replay.numbers.intervals import (
            clustered_share,
        )  # the statistics take half a second that a finished run does not need
        from replay.numbers.passing import passing

        counts = list(self.store.listing.judged(self.store.cluster_by))
        testable = clustered_share((cluster, float(counting > 0)) for cluster, counting, _ in counts)
        return {**passing(counts, 1), "testable": testable}
