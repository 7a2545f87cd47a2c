"""The tapes of a run, read when a page asks for one: a large one takes seconds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from replay.errors import ReplayError
from replay.options import ReplayOptions
from replay.tapes.tape import Tape, read
from syntax.errors import OffsetError

if TYPE_CHECKING:
    from replay.judge.retracing import TracedTape

_MOST = 3
"""The tapes that are kept in memory."""
ReadTape: TypeAlias = "TracedTape | str"
"""A tape, or why there is none."""


class TapeShelf:
    """The tapes of one run. `origins` says where each was when the run was made, `config` what it was played under.

    A tape is given only as the run had it: its digest is that of the configuration.
    """

    def __init__(self, origins: Mapping[str, str], config: Mapping[str, Any]) -> None:
        self._origins, self._config = origins, config
        self._kept: dict[str, ReadTape] = {}

    def known(self, name: str) -> ReadTape | None:
        """Return a tape that has been read, or why it cannot be; None if it has not been read yet."""
        return self._kept.get(name)

    def read(self, name: str) -> ReadTape:
        """Read a tape, or say why that is not possible. May be called in a thread."""
        found = self._read(name)
        while len(self._kept) >= _MOST:
            self._kept.pop(next(iter(self._kept)), None)
        self._kept[name] = found
        return found

    def path(self, name: str) -> str:
        """Return where a tape was when the run was made; empty if the run does not say."""
        return self._origins.get(name, "")

    def _read(self, name: str) -> ReadTape:
        if "corpus" in self._config:
            how = (
                "as its evaluator does"
                if self._config.get("programs") == "evaluator"
                else "with the answer at the cursor"
            )
            return f"the moments are tasks of a benchmark, which have none; programs are put together {how}, and one that failed is under Tests"
        if self._config.get("mode") == "drive":
            return "in drive mode accepted text stays, so that the documents were ahead of the tape"
        if not self._origins.get(name):
            return "the run was made by an older version, which did not keep where its tapes are"
        from replay.judge.retracing import TracedTape  # slow to import, and only a page about a tape needs it

        try:
            tape = read(Path(self._origins[name]), torn="drop")  # as `replay --drop-torn` plays it
            is_same = self._digest(tape) == self._config.get("sources", {}).get(name)
            return TracedTape(tape) if is_same else "the tape has changed since the run"
        except (ReplayError, OffsetError, OSError) as error:
            return str(error)

    def _digest(self, tape: Tape) -> str:
        """What the run would keep of this tape now: with tests, a project in a folder is part of it."""
        from replay.run.sources.tape_source import TapeSource  # slow to import, as above

        return TapeSource(tape, ReplayOptions(tests=self._config.get("tests", True))).digest
