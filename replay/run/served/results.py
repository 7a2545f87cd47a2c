"""A run that has been made, for a client that shows it: its moments as a list, and one moment with the documents around it.

`ghosttape.run.moments` with `{"run": folder}` gives `{"folder", "state", "total", "moments": [row, …]}`, of a long run the first `most` moments.
`ghosttape.run.moment` with `{"run": folder, "number": row's number}` gives `{"record", "then", "finished", "graft", "hole", "why"}`: see `MomentView`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from pygls.exceptions import JsonRpcInvalidParams

from replay.errors import StoreError
from replay.judge.retracing import TracedTape
from replay.records import Record
from replay.run.listing.moment_selection import MomentSelection
from replay.run.served import MOMENT, MOMENTS
from replay.run.served.replay_orders import ordered
from replay.run.sources.tape_shelf import TapeShelf
from replay.run.store import Store
from syntax.text import length, offset_of

MOST = 5_000
"""How many moments are listed, unless the client says another number."""


class RunOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which run is listed: its folder, and how many of its moments at most."""

    run: str
    most: int = MOST


class MomentOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which moment is shown: the folder of its run, and its number in the list."""

    run: str
    number: int


class MomentView(msgspec.Struct, frozen=True, kw_only=True):
    """A moment with the documents around it. Offsets are UTF-16 code units.

    `then` is the document at the moment, `finished` the document in the end, `graft` what was tested: the finished document with the
    suggestion in the place of `hole`. Without a tape they are as much as the record has, and `why` says what is missing.
    """

    record: Record
    then: str
    offset: int
    """Where the cursor stood in `then`."""
    finished: str = ""
    graft: str = ""
    hole: tuple[int, int] | None = None
    why: str = ""


def moments(order: Any) -> dict[str, Any]:
    """List the moments of a run, in the order of its tapes. The run may still be going on.

    Raises:
        JsonRpcInvalidParams: the order is malformed, or there is no such run; the message says why.

    """
    wanted = ordered(MOMENTS, order, RunOrder)
    return _answered(MOMENTS, lambda: _listed(wanted))


def _listed(wanted: RunOrder) -> dict[str, Any]:
    with Store.open(Path(wanted.run)) as store:
        store.listing.complete()
        numbers = store.listing.order(MomentSelection())
        rows = [
            row
            for at in range(0, min(len(numbers), wanted.most), 500)
            for row in store.listing.rows(numbers[at : at + 500])
        ]
        return {
            "folder": wanted.run,
            "state": "" if store.fact("summary") else "still running" if store.is_written else "stopped before its end",
            "total": len(numbers),
            "moments": msgspec.to_builtins(rows[: wanted.most]),
        }


class Results:
    """Shows moments one by one; the tapes of the run that was looked at last stay in memory."""

    def __init__(self) -> None:
        self._shelf: tuple[str, TapeShelf] | None = None

    def moment(self, order: Any) -> dict[str, Any]:
        """Show one moment.

        Raises:
            JsonRpcInvalidParams: the order is malformed, or there is no such run or moment; the message says why.

        """
        wanted = ordered(MOMENT, order, MomentOrder)
        shown: dict[str, Any] = msgspec.to_builtins(_answered(MOMENT, lambda: self._shown(wanted)))
        return shown

    def _shown(self, wanted: MomentOrder) -> MomentView:
        with Store.open(Path(wanted.run)) as store:
            record = store.record(wanted.number)
            found = self._shelf_of(wanted.run, store).read(record.moment.tape)
        return _view_without_tape(record, found) if isinstance(found, str) else view_of(found, record)

    def _shelf_of(self, run: str, store: Store) -> TapeShelf:
        if self._shelf is None or self._shelf[0] != run:
            self._shelf = run, TapeShelf(store.fact("origins") or {}, store.config)
        return self._shelf[1]


def _view_without_tape(record: Record, why: str) -> MomentView:
    before, after = record.moment.before, record.moment.after
    return MomentView(record=record, then=before + after, offset=length(before), why=why)


def view_of(tape: TracedTape, record: Record) -> MomentView:
    """Show a moment of a tape with the documents that the tape has."""
    moment = record.moment
    then, finished = tape.document(moment.path, moment.event), tape.finished(moment.path)
    found = tape.retrace(record)
    if isinstance(found, str):
        return MomentView(
            record=record,
            then=then,
            offset=moment.offset,
            finished=finished,
            why=f"the moment has no hole in the finished document: {found}",
        )
    if found.hole.path != moment.path:
        why = f"the edit is in another document: {found.hole.path}"
        return MomentView(record=record, then=then, offset=moment.offset, finished=finished, why=why)
    hole = offset_of(finished, found.hole.start), offset_of(finished, found.hole.end)
    return MomentView(record=record, then=then, offset=moment.offset, finished=finished, graft=found.graft, hole=hole)


_Answer = TypeVar("_Answer")


def _answered(command: str, answer: Callable[[], _Answer]) -> _Answer:
    try:
        return answer()
    except StoreError as error:
        raise JsonRpcInvalidParams(f"{command}: {error}") from error
