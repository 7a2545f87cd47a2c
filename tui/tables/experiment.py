"""The table of an experiment: a row a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from replay.numbers.section import Section
from tui.render.terminal import table_of
from tui.summary_figures import DASH, interval_words, latency, metric, number_of, passed
from tui.terminal_text import message, one_line, shorten

_NAME = 28


def experiment_table(result: Mapping[str, Any]) -> RenderableType:
    """Lay out the document of `ghosttape experiment` in 80 columns."""
    return Group(*_parts(result))


def _parts(result: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield Padding(Text(f"experiment {one_line(result['experiment'])}", "bold"), (1, 0, 0, 0))
    yield _cells(result)
    yield Text("pass@1 is over testable moments, with its 95 % interval; n is how many there are.", "dim")
    yield Text(_shared(result["work"]))
    if tokens := _tokens(result["work"]):
        yield Text(tokens)
    for cell in result["cells"]:
        if "failed" in cell:
            yield Text(f"{cell['name']}: {message(cell['failed'])}", "yellow")
    if left_out := len(result["left_out"]):
        yield Text(f"{number_of(left_out, 'combination')} left out (--json says why)", "dim")


def _shared(work: Mapping[str, int]) -> str:
    asked, known = work["asked"], work["answered_from_record"]
    questions = f"{number_of(asked, 'question')} asked, {known:,} answered from the record" if asked or known else ""
    tests = f"{number_of(work['tested'], 'state')} tested, {number_of(work['saved'], 'result')} used again"
    return "; ".join(filter(None, (questions, tests)))


def _tokens(work: Mapping[str, Any]) -> str:
    """What was paid for: the tokens that servers told, and of how many questions none were told."""
    if not work["asked"]:
        return ""
    told = f"{work['input_tokens']:,} tokens of prompts and {work['output_tokens']:,} of answers"
    cost = f", which cost {work['cost']:,.4g}" if work["cost"] is not None else " (no cost: a model has no price)"
    untold = f"; of {number_of(work['untold'], 'question')} the server told none" if work["untold"] else ""
    return told + cost + untold


def plan_table(document: Mapping[str, Any]) -> RenderableType:
    """Lay out what `ghosttape experiment --dry-run` says, in 80 columns."""
    cells = document["cells"]
    head = ["cell", "asked at", "questions", "tests", "tokens of answers", "minutes"]
    table = table_of(Section("", head, [[_short(cell), *_planned(cell)] for cell in cells]))
    whole = {
        name: sum(cell[name] for cell in cells) for name in ("questions", "tests", "input_tokens", "output_tokens")
    }
    sums = f"at most {whole['questions']:,} questions, {whole['tests']:,} tests, {whole['output_tokens']:,} tokens of answers"
    costs, seconds = [cell["cost"] for cell in cells], [cell["seconds"] for cell in cells]
    cost = (
        f"cost: at most about {sum(costs):,.4g}"
        if None not in costs
        else "cost: not known, for a model has no price ([prices])"
    )
    took = (
        f"{sum(seconds) / 60:,.1f} minutes"
        if None not in seconds
        else "not known: nothing like it was measured on this machine"
    )
    return Group(
        Padding(Text(f"experiment {one_line(document['experiment'])} (dry run)", "bold"), (1, 0, 0, 0)),
        table,
        Text(f"{sums}; prompts have about {whole['input_tokens']:,} tokens at most"),
        Text(f"{cost}; time: at most about {took}" if None not in seconds else f"{cost}; time: {took}"),
        Text("≤ means at most. What an earlier cell asks too is counted with that cell alone.", "dim"),
    )


def _planned(cell: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'' if cell['exact'] else '≤'}{cell['moments']:,}"
    yield from (f"{'≤' * bool(cell[name])}{cell[name]:,}" for name in ("questions", "tests", "output_tokens"))
    yield DASH if cell["seconds"] is None else f"{cell['seconds'] / 60:,.1f}"


def _cells(result: Mapping[str, Any]) -> Table:
    head = ["cell", "moments", "pass@1", "95 %", "n", "p50", "asked", "tests"]
    return table_of(Section("", head, [[_short(cell), *_figures(cell)] for cell in result["cells"]]))


def _short(cell: Mapping[str, Any]) -> str:
    return shorten(one_line(cell["name"]), _NAME, keep_end=True)


def _figures(cell: Mapping[str, Any]) -> Iterator[str]:
    summary = cell.get("summary")
    if summary is None:
        yield from [DASH] * 7
        return
    share = metric(summary, "pass_at_1")
    testable = share.get("n") or 0
    yield f"{summary['moments']:,}"
    yield passed(summary)[1] or DASH
    yield interval_words(summary) or DASH
    yield f"{testable:,}"
    yield latency(summary, "p50") or DASH
    yield f"{cell['work']['asked']:,}"
    yield f"{cell['work']['tested']:,}"
