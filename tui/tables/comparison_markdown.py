"""A comparison of runs as Markdown, for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from replay.numbers.comparison import LETTERS
from replay.numbers.paired.sentences import front_sentences
from tui.figures import (
    adjusted_words,
    chance_words,
    measure_name,
    measure_words,
    measured_net_words,
    net_words,
    percent,
    share_words,
    verdict_words,
)
from tui.terminal_text import bounded, one_line

_SIGNS = {"more": "🟢", "fewer": "🔴", "better": "🟢", "worse": "🔴"}
_LINES = 20
"""The lines of an answer that are shown."""
_MARKED = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")


def comparison_markdown(found: Mapping[str, Any], changed: int) -> str:
    """Lay out the result of `replay.numbers.comparison.compare_runs`, with so many of the moments that changed of each pair."""
    return "\n".join(_lines(found, changed)) + "\n"


def _lines(found: Mapping[str, Any], changed: int) -> Iterator[str]:
    yield "## ghosttape compare"
    yield ""
    letters = dict(zip([one["runs"][1] for one in found["comparisons"]], LETTERS[1:], strict=False))
    for one in found["unfair"]:
        yield f"> ⚠️ A and {letters[one['runs'][1]]}: {plain(one['says'])}  "
    if found["unfair"]:
        yield ""
    yield from table(
        ("", "run", "moments", "pass@1 (95 %)", "latency p50", "cost"),
        [(run["label"], *_run(run)) for run in found["runs"]],
    )
    for letter, one in zip(LETTERS[1:], found["comparisons"], strict=False):
        yield from _pair(one, letter, changed)
    if found["fronts"]:
        yield ""
    yield from (f"{line}  " for line in front_sentences(found))


def _run(run: Mapping[str, Any]) -> tuple[str, ...]:
    p50, cost = run["latency_p50"], run["cost"]
    return (
        plain(run["name"]),
        f"{run['moments']:,}",
        share_words(run["pass_at_1"]),
        "" if p50 is None else f"{p50:,.0f} ms",
        "" if cost is None else f"{cost:,.2f}",
    )


def _pair(found: Mapping[str, Any], letter: str, changed: int) -> Iterator[str]:
    difference = found["difference"]
    sentence = difference["sentence"].replace("B passes", f"{letter} passes", 1)
    yield ""
    yield f"**{_SIGNS.get(difference['says'], '⚪')} {sentence}** (p {chance_words(difference['p_adjusted']) or 'unknown'}{adjusted_words(difference)})"
    yield ""
    rows = [_measure(one) for one in found["metrics"]]
    n, (first, second) = difference["n"], found["passed"]
    shares = [f"{percent(passed / n)} %" if n else "" for passed in (first, second)]
    passes = ("tests passed", *shares, net_words(difference["net"]), _SIGNS.get(difference["says"], ""))
    yield from table(("", "A", letter, "difference (95 %)", ""), [passes, *rows])
    if found["instructions"]:
        told = table(("", "A", letter, "difference (95 %)", ""), [_measure(one) for one in found["instructions"]])
        yield from _folded("Instructions of developers", told)
    yield from _folded(f"{letter} less A in groups", _groups(found["breakdowns"])) if found["breakdowns"] else ()
    if found["changed"] and changed:
        yield from _folded(
            f"Moments that changed ({len(found['changed']):,})", _changed(found["changed"], letter, changed)
        )
    for note in found["notes"]:
        if note not in found["unfair"]:
            yield f"> ⚠️ {plain(note)}  "


def _measure(one: Mapping[str, Any]) -> tuple[str, ...]:
    means = (measure_words(one[side], one["unit"]) for side in ("first", "second"))
    name = plain(measure_name(one["metric"]))
    return name, *means, measured_net_words(one["net"], one["unit"]), _SIGNS.get(one["says"], "")


def _groups(groups: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    rows = [
        (
            f"{one['by']} {plain(one['group'])}",
            f"{one['n']:,} in {one['clusters']:,}",
            net_words(one["net"]),
            chance_words(one["p_adjusted"]),
            f"{_SIGNS.get(one['says'], '')} {one['says']}".strip(),
        )
        for one in groups
    ]
    yield from table(("", "pairs in clusters", "points (95 %)", "p (Holm)", ""), rows)


def _changed(changed: Sequence[Mapping[str, Any]], letter: str, number: int) -> Iterator[str]:
    for one in changed[:number]:
        yield f"**{plain(one['place'])}**: only {'A' if one['change'] == 'lost' else letter} passes"
        yield ""
        for side, answer in zip(("A", letter), one["answers"], strict=True):
            yield f"{side}, {verdict_words(answer)}:"
            yield from fenced(answer["text"], one["language"])
    if len(changed) > number:
        yield f"… and {len(changed) - number:,} more (`--changed {len(changed)}`)"


def _folded(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield ""
    yield f"<details><summary>{title}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lay out a table: the first column is of texts, the others of numbers. Cells are Markdown already."""
    yield f"| {' | '.join(titles)} |"
    yield f"| --- |{' ---: |' * (len(titles) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def plain(text: str) -> str:
    """Return a text of unknown origin as Markdown that shows it and does nothing: one line, no mark-up, no mention."""
    return _MARKED.sub(r"\\\1", one_line(text)).replace("@", "@\N{ZERO WIDTH SPACE}")


def fenced(text: str, language: str) -> Iterator[str]:
    """Lay out code between fences that are longer than any in it."""
    shown = bounded(text, 160, _LINES)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    yield f"{fence}{language if language.isalnum() else ''}"
    yield shown
    yield fence


def gates_markdown(run: str, gates: Sequence[tuple[str, str, str]]) -> str:
    """Lay out the gates of a run, each with its name, its sign and its sentence."""
    rows = [(f"{sign} {plain(name)}", plain(says)) for name, sign, says in gates]
    return (
        "\n".join(
            [
                f"## ghosttape: {plain(run)}",
                "",
                "| gate | |",
                "| --- | --- |",
                *(f"| {' | '.join(row)} |" for row in rows),
            ]
        )
        + "\n\n"
    )
