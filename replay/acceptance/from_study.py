"""Trials from the states of the Copilot study: 21 people, programming tasks in Python (coderec_programming_states).

One JSON line a state, in the order in which they happened. A suggestion is *Shown*, drawn again (*Replay*) while what is
typed agrees with it, and ends as *Accepted* or *Rejected*: that is one trial, with the figures of its first state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from replay.acceptance.trials import DataSet, Header, Trial, check, decode, lines

HEADER = Header(
    trials=1,
    name="copilot-study",
    source="microsoft/coderec_programming_states (MIT): 21 people programming in Python with GitHub Copilot",
)


class Measurements(msgspec.Struct, frozen=True, rename="camel"):
    """What Copilot's telemetry measured: the length as shown, ms since the request, mean natural log-probability."""

    comp_char_len: float
    num_lines: float
    time_since_issued_ms: float
    mean_log_prob: float | None = None


class State(msgspec.Struct, frozen=True):
    """One state of a person; `t` is when it was entered."""

    user: int
    t: datetime
    state: Literal["Shown", "Replay", "Accepted", "Rejected", "Browsing"]
    measurements: Measurements

    @property
    def ms(self) -> float:
        """When it was entered, in ms since 1970."""
        return self.t.timestamp() * 1000


def trials_of_study(path: Path) -> DataSet:
    """Read the study's states as trials.

    A suggestion without an end (the person browsed, or the next one came first) is no trial.

    Raises:
        TrialsError: the file cannot be read, or a line is no state.

    """
    states = (decode(path, number, line, State) for number, line in lines(path))
    data = DataSet(HEADER, tuple(_trials(states)))
    check(str(path), data)
    return data


def _trials(states: Iterable[State]) -> Iterator[Trial]:
    begun: dict[int, tuple[State, float | None]] = {}
    displayed: dict[int, float] = {}
    for state in states:
        if state.state == "Shown" or (state.state == "Replay" and state.user not in begun):
            begun[state.user] = state, _latency(state, displayed.get(state.user))
        if state.state in {"Shown", "Replay"}:
            displayed[state.user] = state.ms
        elif state.state in {"Accepted", "Rejected"} and state.user in begun:
            yield _trial(*begun.pop(state.user), accepted=state.state == "Accepted")


def _latency(state: State, displayed: float | None) -> float | None:
    """The ms from the request to the display; None where they say nothing of how long the person waited.

    A request that is older than the display of the suggestion before was not made for this one: its answer was kept and
    used again.
    """
    waited = state.measurements.time_since_issued_ms
    again = state.state == "Replay" or (displayed is not None and state.ms - waited < displayed)
    return None if again else waited


def _trial(state: State, latency: float | None, *, accepted: bool) -> Trial:
    measured = state.measurements
    return Trial(
        person=str(state.user),
        accepted=accepted,
        characters=int(measured.comp_char_len),
        lines=int(measured.num_lines),
        latency=latency,
        confidence=measured.mean_log_prob,
    )
