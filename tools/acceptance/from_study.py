"""Trials from the states of the Copilot study: 21 people, programming tasks in Python (coderec_programming_states).

Each JSON line is a state; the lines are in order. A suggestion is *Shown*, redrawn (*Replay*) while the person types its text,
and ends as *Accepted* or *Rejected*: this is one trial, with the measurements of its first state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from replay.play.users.acceptance.acceptance_trials import DataSet, Trial, TrialsHeader, check, decode, lines

HEADER = TrialsHeader(
    trials=1,
    name="copilot-study",
    source="microsoft/coderec_programming_states (MIT): 21 people programming in Python with GitHub Copilot",
)


class Measurements(msgspec.Struct, frozen=True, rename="camel"):
    """Copilot's telemetry: the shown length, ms since the request, mean natural log-probability."""

    comp_char_len: float
    num_lines: float
    time_since_issued_ms: float
    mean_log_prob: float | None = None


class PersonState(msgspec.Struct, frozen=True):
    """One state of a person; `t` is when it began."""

    user: int
    t: datetime
    state: Literal["Shown", "Replay", "Accepted", "Rejected", "Browsing"]
    measurements: Measurements

    @property
    def ms(self) -> float:
        """When it began, in ms since 1970."""
        return self.t.timestamp() * 1000


def trials_of_study(path: Path) -> DataSet:
    """Read the study's states as trials.

    A suggestion without an end (the person browsed, or the next suggestion came first) is not a trial.

    Raises:
        TrialsError: the file cannot be read, or a line is not a state.

    """
    states = (decode(path, number, line, PersonState) for number, line in lines(path))
    data = DataSet(HEADER, tuple(_trials(states)))
    check(str(path), data)
    return data


def _trials(states: Iterable[PersonState]) -> Iterator[Trial]:
    begun: dict[int, tuple[PersonState, float | None]] = {}
    displayed: dict[int, float] = {}
    for state in states:
        if state.state == "Shown" or (state.state == "Replay" and state.user not in begun):
            begun[state.user] = state, _latency(state, displayed.get(state.user))
        if state.state in {"Shown", "Replay"}:
            displayed[state.user] = state.ms
        elif state.state in {"Accepted", "Rejected"} and state.user in begun:
            yield _trial(*begun.pop(state.user), accepted=state.state == "Accepted")


def _latency(state: PersonState, displayed: float | None) -> float | None:
    """The ms from the request to the display; None if the person did not wait for this time.

    If the request is older than the display of the previous suggestion, its answer was kept and reused.
    """
    waited = state.measurements.time_since_issued_ms
    again = state.state == "Replay" or (displayed is not None and state.ms - waited < displayed)
    return None if again else waited


def _trial(state: PersonState, latency: float | None, *, accepted: bool) -> Trial:
    measured = state.measurements
    return Trial(
        person=str(state.user),
        accepted=accepted,
        characters=int(measured.comp_char_len),
        lines=int(measured.num_lines),
        latency=latency,
        confidence=measured.mean_log_prob,
    )
