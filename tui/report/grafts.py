"""The grafts of a run's moments, found out again from its tapes (`replay.judge.retracing`)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

from replay.judge.retracing import Retraced
from replay.records import Record, Untestable
from replay.run.sources.tape_shelf import TapeShelf
from tui.figures import number_of
from tui.glossary import UNTESTABLE
from tui.report.reported import ReportedRun
from tui.report.retold import difference
from tui.terminal_text import one_line


def grafts_of(run: ReportedRun, notify: Callable[[str], None]) -> dict[str, dict[str, str]]:
    """Moment's id → the `lines` in which its graft differs from the finished project, or `why` it has none.

    Nothing for moments that were not answered, and where tapes cannot be read: that is said by `notify`.
    """
    if run.is_corpus or run.is_driven:
        return {}
    shelf, found = TapeShelf(run.origins, run.config), dict[str, dict[str, str]]()
    by_tape: dict[str, list[Record]] = defaultdict(list)
    for record in run.records:
        if record.suggestion or (record.missed and record.missed.suggestion):
            by_tape[record.moment.tape].append(record)
    unread: Counter[str] = Counter()
    for name, records in by_tape.items():
        tape = shelf.read(name)
        if isinstance(tape, str):
            unread[tape] += 1
            continue
        found.update((record.moment.id, _told(traced)) for record, traced in tape.retrace_all(records))
    for reason, number in unread.items():
        notify(f"{one_line(run.name)}: no grafts of {number_of(number, 'tape')} are shown: {one_line(reason)}")
    return found


def _told(traced: Retraced | Untestable) -> dict[str, str]:
    if isinstance(traced, Retraced):
        return {"lines": difference(traced.finished, traced.graft, places=True)}
    return {"why": f"There is no graft: {UNTESTABLE.get(traced, traced)}."}
