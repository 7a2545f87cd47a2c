"""The figures of a run that goes on, by the same rules as those of its end (`replay.numbers`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from replay.numbers.metrics import acceptance, counted, latency_ms, pass_at_1, unmeasured
from replay.records import Record
from replay.run.events import RunPlan
from tui.live.state import LiveState
from tui.summary_figures import Summary

RECOUNT_EVERY_S = 1.0
_PATIENCE = 30
"""Computing takes at most one part in so many of the time."""


def figures_of(records: Iterable[Record], state: LiveState) -> Summary:
    """The figures that a screen shows, in a summary's own words (`tui.summary_figures`)."""
    own = list(records)
    by = state.plan.cluster_by
    verdicts = [record.verdict for record in own if record.verdict]
    return {
        "cluster_by": by,
        "moments": len(own),
        "endings": counted(record.ending.name for record in own),
        "verdicts": counted(verdict.name for verdict in verdicts if verdict.name != "untestable"),
        "untestable": counted(verdict.reason for verdict in verdicts if verdict.name == "untestable"),
        "metrics": _metrics(own, state.plan),
    }


def _metrics(records: Sequence[Record], plan: RunPlan) -> dict[str, Any]:
    """The metrics, in which each moment counts once, whatever number of answers it has; what a person does is of the first answers."""
    by, first = plan.cluster_by, [record for record in records if not record.moment.sample]
    latency = latency_ms(records, by)
    return {
        "pass_at_1": pass_at_1(records, by),
        "acceptance": acceptance(first, by),
        "latency_ms": latency if plan.measured else unmeasured(latency),
    }


@dataclass(slots=True)
class LiveFigures:
    """Computes the figures when they may have changed, at most once a second, and less often where it takes long."""

    clock: Callable[[], float] = time.monotonic
    summary: Summary = field(default_factory=dict)
    _next: float = 0.0
    _took: tuple[float, float] = (0.0, 0.0)
    """How long (s) the last two computations took. The shorter one counts: one of the first loads the statistics, which takes seconds once."""
    _of: tuple[int, int] = (-1, -1)

    def update(self, state: LiveState, *, at_once: bool = False) -> Summary:
        """The figures over all lanes, as new as they may be."""
        now = self.clock()
        if now < self._next and not at_once:
            return self.summary
        lanes = state.lanes.values()
        size = (sum(len(lane.records) for lane in lanes), sum(len(lane.awaited) for lane in lanes))
        if size != self._of:
            self._of = size
            known = {moment: record for lane in lanes for moment, record in lane.records.items()}
            self.summary = figures_of((known[moment] for moment in sorted(known)), state)  # as in a run's summary
            self._took = self._took[1], self.clock() - now
        self._next = now + max(RECOUNT_EVERY_S, _PATIENCE * min(self._took))
        return self.summary
